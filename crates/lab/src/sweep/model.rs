//! What a CPU quota must make of a collection, by arithmetic alone.
//!
//! A control group may use so much CPU time in each period. A collection with several threads uses
//! up what is left in a fraction of the time; then the whole group stands still until the next
//! period, whether the collection is done or not (Linux `kernel/sched/fair.c`,
//! `throttle_cfs_rq`). The model lets a group use its quota to the nanosecond; the kernel hands it
//! out in slices of 5 ms to each CPU (`sched_cfs_bandwidth_slice_us`), so a measured stop differs
//! by some of these.
use crate::isolation::Quota;
use std::time::Duration;

/// A collection that begins in some period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    /// CPU time that it needs, over all its threads.
    pub work: Duration,
    /// Stop-the-world GC threads.
    pub threads: u32,
    /// How far into a period it begins.
    pub begun: Duration,
    /// What the group had used of that period's quota before.
    pub used: Duration,
}

/// What becomes of it. All times are on the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stop {
    /// From its begin to its end.
    pub collection: Duration,
    /// From its begin until the application runs again: that may need the next period's quota.
    pub felt: Duration,
    /// The part of it in which the group was throttled.
    pub throttled: Duration,
}

/// What becomes of a collection on so many CPUs. `None` where it never ends: without CPUs, threads
/// or quota.
#[must_use]
pub fn stop(quota: Quota, cpus: u32, collection: Collection) -> Option<Stop> {
    let running = collection.threads.min(cpus);
    if running == 0 || quota.time.is_zero() || quota.period.is_zero() {
        return None;
    }
    let mut work = collection.work;
    let mut left = quota.time.saturating_sub(collection.used);
    let mut period_left = quota.period.saturating_sub(collection.begun);
    let mut stop = Stop::default();
    loop {
        let runnable = left.min(period_left * running);
        if work <= runnable {
            stop.collection = stop.felt + work / running;
            stop.felt = stop.collection;
            if work == left {
                let wait = period_left.saturating_sub(work / running);
                stop.throttled += wait;
                stop.felt += wait;
            }
            return Some(stop);
        }
        work -= runnable;
        stop.felt += period_left;
        stop.throttled += period_left.saturating_sub(runnable / running);
        (left, period_left) = (quota.time, quota.period);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: Quota =
        Quota { time: Duration::from_millis(90), period: Duration::from_millis(300) };

    /// `WORK ms of work, THREADS threads, begun at BEGUN ms, USED ms used` on 4 CPUs;
    /// `collection, felt, throttled` in microseconds.
    fn check((work, threads, begun, used): (u64, u32, u64, u64), expected: (u128, u128, u128)) {
        let ms = Duration::from_millis;
        let collection = Collection { work: ms(work), threads, begun: ms(begun), used: ms(used) };
        let stop = stop(QUOTA, 4, collection).unwrap();
        let found =
            (stop.collection.as_micros(), stop.felt.as_micros(), stop.throttled.as_micros());
        assert_eq!(found, expected, "{collection:?}");
    }

    #[test]
    fn work_of_one_quota_stops_the_application_for_a_whole_period() {
        check((90, 4, 0, 0), (22_500, 300_000, 277_500));
        check((90, 1, 0, 0), (90_000, 300_000, 210_000));
    }

    #[test]
    fn four_threads_use_up_in_15_ms_what_is_left_after_30() {
        // the application ran for 30 ms; the collection needs the other 60
        check((60, 4, 30, 30), (15_000, 270_000, 255_000));
    }

    #[test]
    fn less_than_the_quota_is_not_throttled() {
        check((89, 4, 0, 0), (22_250, 22_250, 0));
        check((60, 1, 0, 29), (60_000, 60_000, 0));
    }

    #[test]
    fn more_than_the_quota_goes_on_in_the_next_period() {
        check((91, 4, 0, 0), (300_250, 300_250, 277_500));
        // one thread cannot use the quota up before the period ends
        check((90, 1, 250, 0), (90_000, 90_000, 0));
        check((200, 4, 0, 90), (905_000, 905_000, 300_000 + 2 * 277_500));
    }

    #[test]
    fn without_a_cpu_a_thread_or_a_quota_it_never_ends() {
        let one = Collection {
            work: Duration::from_millis(1),
            threads: 1,
            begun: Duration::ZERO,
            used: Duration::ZERO,
        };
        assert_eq!(stop(QUOTA, 0, one), None);
        assert_eq!(stop(QUOTA, 4, Collection { threads: 0, ..one }), None);
        assert_eq!(stop(Quota { time: Duration::ZERO, ..QUOTA }, 4, one), None);
    }
}
