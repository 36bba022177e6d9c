//! When a pause began, for people and for programs.
use diagnose::{Attribution, Diagnosis, Pause, Times};
use jiff::{Timestamp, Zoned, tz::TimeZone};
use recording::Clock;

/// Start of `pause` in wall-clock time, where the input tells. Without a zone it is taken in UTC.
pub(crate) fn wall(clock: Clock, pause: &Pause) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(pause.wall_ns(clock)?)).ok()
}

/// Start of `pause` for programs, where the input has it: RFC 3339 in UTC with nanoseconds, and
/// without the `Z` where the zone is unknown.
pub(crate) fn rfc3339(clock: Clock, pause: &Pause) -> Option<String> {
    let utc = format!("{:.9}", wall(clock, pause)?);
    match pause.times {
        Times::NoZone => utc.strip_suffix('Z').map(str::to_owned),
        _ => Some(utc),
    }
}

/// What stands where a line has no time.
const NO_TIME: &str = "-";

/// How the starts of the pauses of one input are written: all alike.
#[derive(Debug)]
pub(crate) struct Clockface {
    zone: TimeZone,
    clock: Clock,
    /// Where there is no time of day, starts are counted from here.
    zero_ns: u64,
    /// What the column is called.
    pub(crate) title: String,
    with_date: bool,
    /// Where the zone's offset changes between the first and the last of them, each says its own.
    with_offset: bool,
}

impl Clockface {
    /// Chooses the form for the pauses of `diagnosis`.
    pub(crate) fn new(diagnosis: &Diagnosis, zone: &TimeZone) -> Clockface {
        let pause = |it: Option<&Attribution>| it.map(|it| it.pause.clone());
        let [first, last] = [diagnosis.pauses.first(), diagnosis.pauses.last()].map(pause);
        Clockface::between(diagnosis.clock, first.as_ref(), last.as_ref(), zone)
    }

    /// For pauses that are shown one by one, over any number of days: always with the date.
    pub(crate) fn dated(diagnosis: &Diagnosis, one: &Pause, zone: &TimeZone) -> Clockface {
        let pauses = &diagnosis.pauses;
        let [first, last] = [pauses.first(), pauses.last()];
        let [first, last] = [first, last].map(|it| Some(it.map_or(one, |it| &it.pause)));
        Clockface { with_date: true, ..Clockface::between(diagnosis.clock, first, last, zone) }
    }

    /// Chooses the form: time of day, with the date where the pauses lie on several days; the
    /// JVM's uptime, or the time since the first pause, where there is no wall clock. Dates of an
    /// unknown zone stay as they are.
    pub(crate) fn between(
        clock: Clock,
        first: Option<&Pause>,
        last: Option<&Pause>,
        zone: &TimeZone,
    ) -> Clockface {
        let times = first.map(|it| it.times).unwrap_or_default();
        let zone = if times == Times::NoZone { &TimeZone::UTC } else { zone };
        let zoned = |pause| wall(clock, pause).map(|at| at.to_zoned(zone.clone()));
        let [begin, end] = [first, last].map(|it| it.and_then(zoned));
        let offset = |it: &Option<Zoned>| it.as_ref().map(Zoned::offset);
        let with_offset = offset(&begin).is_some() && offset(&begin) != offset(&end);
        let title = match (&begin, clock) {
            (Some(_), _) if with_offset => "at".to_owned(),
            (Some(_), _) if times == Times::NoZone => "at (no zone)".to_owned(),
            (Some(begin), _) if begin.offset().seconds() == 0 => "at (UTC)".to_owned(),
            (Some(begin), _) => format!("at ({})", begin.strftime("%:z")),
            (None, _) if times == Times::None => "at".to_owned(),
            (None, Clock::Uptime) => "uptime".to_owned(),
            (None, _) => "after the first".to_owned(),
        };
        let zero_ns = match clock {
            Clock::Uptime => 0,
            _ => first.map_or(0, |it| it.start_ns),
        };
        let with_date = begin.as_ref().map(Zoned::date) != end.as_ref().map(Zoned::date);
        let zone = zone.clone();
        Clockface { zone, clock, zero_ns, title, with_date, with_offset }
    }

    pub(crate) fn show(&self, pause: &Pause) -> String {
        let Some(at) = wall(self.clock, pause) else { return self.since(pause) };
        let form = match (self.with_date, self.with_offset) {
            (true, true) => "%F %H:%M:%S.%3f %:z",
            (true, false) => "%F %H:%M:%S.%3f",
            (false, true) => "%H:%M:%S.%3f %:z",
            (false, false) => "%H:%M:%S.%3f",
        };
        at.to_zoned(self.zone.clone()).strftime(form).to_string()
    }

    /// The same in the middle of a sentence, where no heading has the zone.
    pub(crate) fn show_with_zone(&self, pause: &Pause) -> String {
        let shown = self.show(pause);
        match pause.times {
            Times::NoZone => return format!("{shown} (no zone)"),
            Times::None => return "a time that the log does not say".to_owned(),
            Times::Known => {}
        }
        match wall(self.clock, pause).map(|at| at.to_zoned(self.zone.clone())) {
            Some(at) if at.offset().seconds() == 0 && !self.with_offset => format!("{shown} UTC"),
            Some(at) if !self.with_offset => format!("{shown} {}", at.strftime("%:z")),
            _ => shown,
        }
    }

    fn since(&self, pause: &Pause) -> String {
        if pause.times == Times::None {
            return NO_TIME.to_owned();
        }
        let ms = pause.start_ns.saturating_sub(self.zero_ns) / 1_000_000;
        format!("{}.{:03} s", ms / 1_000, ms % 1_000)
    }
}

/// What must be known of all pauses of a list before the first is written.
#[derive(Debug, Default)]
pub(crate) struct Extent {
    pub(crate) first: Option<Pause>,
    pub(crate) last: Option<Pause>,
    /// One that has the time of day.
    on_wall: Option<Pause>,
    /// The one of those that have not that starts last.
    latest: Option<Pause>,
}

impl Extent {
    /// Takes the next pause of the list.
    pub(crate) fn add(&mut self, pause: &Pause, clock: Clock) {
        if self.first.is_none() {
            self.first = Some(pause.clone());
        }
        if wall(clock, pause).is_none() {
            let later = self.latest.as_ref().is_none_or(|it| it.start_ns < pause.start_ns);
            if later && pause.times != Times::None {
                self.latest = Some(pause.clone());
            }
        } else if self.on_wall.is_none() {
            self.on_wall = Some(pause.clone());
        }
        match &mut self.last {
            Some(last) => last.clone_from(pause),
            None => self.last = Some(pause.clone()),
        }
    }

    pub(crate) fn clockface(&self, clock: Clock, zone: &TimeZone) -> Clockface {
        Clockface::between(clock, self.first.as_ref(), self.last.as_ref(), zone)
    }

    /// How wide the widest start is. Times of day are all of one width.
    pub(crate) fn columns(&self, clock: &Clockface) -> usize {
        let on_wall = self.on_wall.as_ref().map(|it| clock.show(it));
        let since = self.latest.as_ref().map(|it| clock.since(it));
        on_wall.into_iter().chain(since).map(|it| it.chars().count()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::tests::attribution;
    use std::time::Duration;

    fn clockface(zone: &str, first_s: u64, last_s: u64) -> (Clockface, Pause) {
        let at = |s: u64| attribution(s * 1_000_000_000, Duration::from_millis(1)).pause;
        let zone = TimeZone::posix(zone).expect("a zone");
        let (first, last) = (at(first_s), at(last_s));
        (Clockface::between(Clock::Wall, Some(&first), Some(&last), &zone), first)
    }

    fn check(zone: &str, last_s: u64, expected: [&str; 3]) {
        // 2026-10-25T00:59:00Z, a minute before summer time ends in Berlin.
        let (clock, first) = clockface(zone, 1_792_889_940, last_s);
        let shown = [clock.title.clone(), clock.show(&first), clock.show_with_zone(&first)];
        assert_eq!(shown, expected, "{zone}");
    }

    #[test]
    fn a_date_without_a_zone_was_shown_as_utc() {
        let (_, mut pause) = clockface("UTC0", 1_792_889_940, 1_792_889_945);
        pause.times = Times::NoZone;
        let zone = TimeZone::posix("CET-1").expect("a zone");
        let clock = Clockface::between(Clock::Wall, Some(&pause), Some(&pause), &zone);
        let shown = [clock.title.clone(), clock.show(&pause), clock.show_with_zone(&pause)];
        assert_eq!(shown, ["at (no zone)", "00:59:00.000", "00:59:00.000 (no zone)"]);
        assert_eq!(rfc3339(Clock::Wall, &pause).as_deref(), Some("2026-10-25T00:59:00.000000000"));
    }

    #[test]
    fn a_line_without_a_time_was_shown_at_zero_seconds() {
        let (_, mut pause) = clockface("UTC0", 0, 0);
        pause.times = Times::None;
        let clock = Clockface::between(Clock::Uptime, Some(&pause), Some(&pause), &TimeZone::UTC);
        assert_eq!([clock.title.clone(), clock.show(&pause)], ["at", "-"]);
        assert_eq!(rfc3339(Clock::Uptime, &pause), None);
    }

    #[test]
    fn a_time_of_day_always_says_its_zone() {
        const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
        check("UTC0", 1_792_889_945, ["at (UTC)", "00:59:00.000", "00:59:00.000 UTC"]);
        check(BERLIN, 1_792_889_945, ["at (+02:00)", "02:59:00.000", "02:59:00.000 +02:00"]);
        let across = ["at", "02:59:00.000 +02:00", "02:59:00.000 +02:00"];
        check(BERLIN, 1_792_890_060, across);
    }
}
