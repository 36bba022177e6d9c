//! What of an interval is in no stop.
use recording::Interval;

/// The parts of `whole` between these stops, which are in order and apart, each with the number of stops
/// before it.
pub(super) fn outside_of(
    stops: &[Interval],
    whole: Interval,
) -> impl Iterator<Item = (Interval, usize)> {
    let first = stops.partition_point(|it| it.end <= whole.start);
    let within = stops[first..].iter().take_while(move |it| it.start < whole.end);
    let ends = within.clone().map(|it| it.start).chain([whole.end]);
    let starts = [whole.start].into_iter().chain(within.map(|it| it.end));
    let parts = starts.zip(ends).zip(first..).filter(|((start, end), _)| start < end);
    parts.map(|((start, end), before)| (Interval::new(start, end), before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::MonoTime;

    fn interval(start: u64, end: u64) -> Interval {
        Interval::new(MonoTime(start), MonoTime(end))
    }

    #[test]
    fn parts_are_those_between_the_stops() {
        let stops = [interval(10, 20), interval(30, 40)];
        let of = |start, end| outside_of(&stops, interval(start, end)).collect::<Vec<_>>();
        assert_eq!(of(0, 5), [(interval(0, 5), 0)]);
        assert_eq!(of(5, 35), [(interval(5, 10), 0), (interval(20, 30), 1)]);
        assert_eq!(of(12, 18), []);
        assert_eq!(of(10, 50), [(interval(20, 30), 1), (interval(40, 50), 2)]);
        assert_eq!(of(40, 50), [(interval(40, 50), 2)]);
    }
}
