//! Which recordings stay: of each hour and JVM the longest pauses and stalls, and of each cause the longest.
use super::{Kept, KeptKind};
use jiff::Timestamp;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// What is kept at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptLimits {
    /// Bytes of all together.
    pub bytes: u64,
    /// How old one may become.
    pub age: Duration,
    /// How many pauses, and how many stalls, of one JVM in an hour, beside the longest of each cause.
    pub an_hour: usize,
}

/// Those of `all` that are too many at this time.
///
/// Too old ones go, and of each hour, JVM and kind those that are not among the longest or the longest of their
/// cause. Where room is short then, the longest of each JVM and cause stay first, then the longest; of those that
/// were asked for the newest.
pub(super) fn surplus(all: &[Kept], limits: KeptLimits, now: Timestamp) -> Vec<Kept> {
    let oldest = now.checked_sub(limits.age).unwrap_or(Timestamp::MIN);
    let mut order: Vec<&Kept> = all.iter().collect();
    order.sort_by_key(|it| (Reverse(it.length), Reverse(it.at)));
    let (mut of_hour, mut causes_of_hour) = (BTreeMap::new(), BTreeSet::new());
    let (wanted, mut surplus): (Vec<&Kept>, Vec<&Kept>) = order.into_iter().partition(|it| {
        if it.at < oldest {
            return false;
        }
        let hour = (&it.jvm, it.kind, it.at.as_second().div_euclid(3600));
        let in_hour: &mut usize = of_hour.entry(hour).or_default();
        *in_hour += 1;
        let is_first = causes_of_hour.insert((hour, &it.cause));
        it.kind == KeptKind::Asked || *in_hour <= limits.an_hour || is_first
    });
    let mut causes = BTreeSet::new();
    let (firsts, others): (Vec<&Kept>, Vec<&Kept>) =
        wanted.into_iter().partition(|it| causes.insert((&it.jvm, it.kind, &it.cause)));
    let mut bytes = 0_u64;
    for it in firsts.into_iter().chain(others) {
        if bytes.saturating_add(it.bytes) > limits.bytes {
            surplus.push(it);
        } else {
            bytes += it.bytes;
        }
    }
    surplus.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: KeptLimits =
        KeptLimits { bytes: 100, age: Duration::from_secs(24 * 3600), an_hour: 2 };

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minute * 60).expect("a time")
    }

    /// `MINUTE MS CAUSE BYTES [JVM]`, separated by `; `. A cause `asked` was asked for.
    fn read(all: &str) -> Vec<Kept> {
        let one = |it: &str| {
            let words: Vec<_> = it.split(' ').collect();
            let number = |at: usize| words[at].parse::<u64>().expect("a number");
            Kept {
                jvm: (*words.get(4).unwrap_or(&"orders")).to_owned(),
                kind: if words[2] == "asked" { KeptKind::Asked } else { KeptKind::Pause },
                at: at(number(0).cast_signed()),
                length: Duration::from_millis(number(1)),
                cause: words[2].into(),
                bytes: number(3),
            }
        };
        all.split("; ").map(one).collect()
    }

    /// The lengths of which are too many at that minute.
    #[track_caller]
    fn check(now: i64, all: &str, expected: &[u128]) {
        let found = surplus(&read(all), LIMITS, at(now));
        let mut found: Vec<_> = found.iter().map(|it| it.length.as_millis()).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{all}");
    }

    #[test]
    fn of_an_hour_the_longest_and_one_of_each_cause() {
        check(0, "1 100 a 1; 2 200 a 1", &[]);
        check(0, "1 100 a 1; 2 200 a 1; 3 300 a 1", &[100]);
        check(0, "1 100 b 1; 2 200 a 1; 3 300 a 1", &[]);
        check(0, "1 100 a 1; 2 200 a 1; 61 300 a 1", &[]);
    }

    #[test]
    fn a_jvm_with_many_pauses_takes_no_place_of_another_one_s() {
        check(0, "1 100 a 1; 2 200 a 1 x; 3 300 a 1 x", &[]);
        check(0, "1 100 a 1; 2 200 a 1 x; 3 300 a 1 x; 4 250 a 1 x", &[200]);
    }

    #[test]
    fn what_is_too_old_goes_whatever_it_is() {
        check(24 * 60, "0 100 a 1; 1 200 b 1; 0 0 asked 1", &[]);
        check(24 * 60 + 1, "0 100 a 1; 1 200 b 1; 0 0 asked 1", &[0, 100]);
    }

    #[test]
    fn what_was_asked_for_is_not_counted_by_the_hour() {
        check(0, "1 0 asked 1; 2 0 asked 1; 3 0 asked 1; 4 300 a 1; 5 200 a 1", &[]);
    }

    #[test]
    fn where_room_is_short_the_longest_of_each_cause_stay() {
        check(0, "1 100 a 50; 2 200 b 50", &[]);
        check(0, "1 100 a 51; 2 200 b 50", &[100]);
        check(0, "1 100 b 50; 2 200 a 50; 3 300 a 50", &[200]);
        check(0, "1 100 a 50 x; 2 200 a 50; 63 300 a 50", &[200]);
        check(0, "1 100 a 101", &[100]);
    }
}
