//! Phrases and figures that causes in the operating system share.
use crate::{
    Certainty, Evidence, account::tally::Tally, facts::index::Index, text, values::intervals::union,
};
use recording::{CgroupFact, Source};
use std::time::Duration;

/// `WHAT for 3.2 s in 4 pauses, up to 1.1 s in one`.
pub(crate) fn spent(tally: &Tally, source: Source, what: &str) -> Evidence {
    let all = if tally.stalls > 0 { text::stalls } else { text::pauses };
    spent_in(tally, source, what, &all(tally.pauses))
}

/// `WHAT for 3.2 s in 4 stops, up to 1.1 s in one`, for what begins no hiccup: where it lengthened
/// one, they are pauses.
pub(crate) fn spent_in_stops(tally: &Tally, what: &str) -> Evidence {
    let all = match tally.noun() {
        "stalls" => text::stalls,
        "stops" => text::stops,
        _ => text::pauses,
    };
    spent_in(tally, Source::Scheduler, what, &all(tally.pauses))
}

fn spent_in(tally: &Tally, source: Source, what: &str, pauses: &str) -> Evidence {
    let (time, longest) = (text::duration(tally.time), text::duration(tally.longest));
    Evidence {
        source,
        certainty: tally.certainty(),
        statement: format!("{what} for {time} in {pauses}, up to {longest} in one"),
        time: tally.time,
    }
}

/// What a counter of the host grew by around the pauses of a tally, in the words of `say`. Nothing
/// where it was not read or did not grow.
pub(crate) fn counted(
    tally: &Tally,
    index: &Index<'_>,
    counter: &str,
    say: impl FnOnce(u64) -> String,
) -> Option<Evidence> {
    let windows = union(tally.windows.iter().map(|it| it.1).collect());
    let grown = index.growth(counter, &windows)?;
    (grown > 0).then(|| Evidence {
        source: Source::HostCounters,
        certainty: Certainty::Measured,
        statement: say(grown),
        time: Duration::ZERO,
    })
}

/// The limits that bind the JVM, where they were read.
pub(crate) fn cgroup<'a>(index: &Index<'a>) -> Option<&'a CgroupFact> {
    index.facts.and_then(|facts| facts.cgroup.as_ref())
}

/// How long it takes this number of threads to use the quota up, where that is less than a period. No more of
/// them run at once than there are `cpus`, where those are known and not 0.
pub(crate) fn time_to_use_up(cgroup: &CgroupFact, threads: u32, cpus: u32) -> Option<Duration> {
    let quota = cgroup.cpu_quota?;
    let at_once = if cpus == 0 { threads } else { threads.min(cpus) };
    let time = quota.checked_div(at_once)?;
    (time < cgroup.cpu_period).then_some(time)
}
