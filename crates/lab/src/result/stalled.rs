//! Stalls as the workload measured them, call by call, beside what `explain` says of the same time.
use super::LONG;
use crate::explained::{Episode, Explained, UNATTRIBUTED};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Causes of single threads that no call of a workload has.
const OF_NO_CALL: [&str; 3] =
    ["file-read-blocked", "output-write-blocked", "remote-file-system-wait"];

/// The kernel cuts names of threads after this many bytes.
const NAME_BYTES: usize = 15;

/// What of the workload's calls is in the answer, and what of the answer no call confirms. Times in
/// nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stalled {
    /// Calls of 10 ms and more that were recorded from begin to end.
    pub calls: u64,
    /// Their time, over all threads.
    pub measured_ns: u64,
    /// What of it lies in episodes of the right cause; of a wait for a lock, in those with the right holder.
    pub found_ns: u64,
    /// The most that was found so of one call of a thread that serves requests.
    pub request_longest_ns: u64,
    /// Episodes of threads in which no call was measured then that has this cause, by cause; of those without a
    /// cause, the ones of 50 ms and more. Causes that such calls cannot have are not counted.
    pub unconfirmed: BTreeMap<String, u64>,
}

/// A call of the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Call<'a> {
    what: What,
    time: Range<u64>,
    serves_requests: bool,
    thread: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Force,
    Write,
    Send,
    Lock,
}

impl What {
    const ALL: [(&'static str, What); 4] = [
        ("force", What::Force),
        ("write", What::Write),
        ("send", What::Send),
        ("lock", What::Lock),
    ];

    /// The causes that may hold it up: a thread that waits for a lock has the cause of its holder.
    fn causes(self) -> &'static [&'static str] {
        match self {
            What::Force => &["file-sync-blocked"],
            What::Write => &["file-write-blocked"],
            What::Send => &["socket-send-blocked"],
            What::Lock => &["file-sync-blocked", "file-write-blocked", "socket-send-blocked"],
        }
    }
}

impl Stalled {
    /// Compares the calls in a workload's output with the answer. The recorder was at work during `asked`, on the
    /// monotonic clock; `None` where the answer has no stalls.
    pub(crate) fn compare(
        output: &str,
        explained: &Explained,
        asked: Range<u64>,
    ) -> Option<Stalled> {
        let episodes = &explained.stalls.as_ref()?.longest;
        let calls: Vec<Call<'_>> = output.lines().filter_map(call).collect();
        let recorded = surely_recorded(asked, explained.coverage.recorded_ns);
        let whole = |it: &&Call<'_>| recorded.start <= it.time.start && it.time.end <= recorded.end;
        let episodes: Vec<_> = episodes.iter().map(|it| Checked::of(it, &calls)).collect();
        let mut stalled = Stalled::default();
        for call in calls.iter().filter(whole) {
            let found = covered(&call.time, episodes.iter().filter(|it| it.explains(call)));
            stalled.calls += 1;
            stalled.measured_ns += call.time.end - call.time.start;
            stalled.found_ns += found;
            if call.serves_requests {
                stalled.request_longest_ns = stalled.request_longest_ns.max(found);
            }
        }
        for it in episodes.iter().filter(|it| it.is_unconfirmed(&calls)) {
            let cause = it.episode.cause.as_deref().unwrap_or(UNATTRIBUTED);
            *stalled.unconfirmed.entry(cause.to_owned()).or_default() += 1;
        }
        Some(stalled)
    }

    /// Whether all episodes of the cause are confirmed by calls: naming it is right then, whatever is wrong.
    pub(crate) fn confirms(&self, cause: &str) -> bool {
        is_of_calls(cause) && !self.unconfirmed.contains_key(cause)
    }
}

/// Reads `stall WHAT START_NS LENGTH_NS KIND THREAD`.
fn call(line: &str) -> Option<Call<'_>> {
    let mut words = line.strip_prefix("stall ")?.splitn(5, ' ');
    let name = words.next()?;
    let what = What::ALL.iter().find(|it| it.0 == name)?.1;
    let start: u64 = words.next()?.parse().ok()?;
    let length: u64 = words.next()?.parse().ok()?;
    let serves_requests = words.next()? == "request";
    let time = start..start.checked_add(length)?;
    Some(Call { what, time, serves_requests, thread: words.next()? })
}

/// The recorder takes some time before it records, and some after it: what is left of `asked` whichever of the
/// two took all of it.
fn surely_recorded(asked: Range<u64>, recorded_ns: u64) -> Range<u64> {
    let spare = asked.end.saturating_sub(asked.start).saturating_sub(recorded_ns);
    asked.start.saturating_add(spare)..asked.end.saturating_sub(spare)
}

/// An episode, and what calls say of it.
struct Checked<'a> {
    episode: &'a Episode,
    /// Its threads with a call then that has its cause.
    threads: BTreeSet<&'a str>,
    /// Whether the thread that is said to hold up others was in such a call itself.
    has_right_holder: bool,
}

impl<'a> Checked<'a> {
    fn of(episode: &'a Episode, calls: &[Call<'a>]) -> Checked<'a> {
        let cause = episode.cause.as_deref().unwrap_or_default();
        let held_up = || {
            let held_up = |it: &&Call<'_>| it.what.causes().contains(&cause) && meet(episode, it);
            calls.iter().filter(held_up)
        };
        let is_holder = |it: &Call<'_>| {
            let name = it.thread.get(..NAME_BYTES).unwrap_or(it.thread);
            it.what != What::Lock && episode.holder.as_ref().is_some_and(|it| it.thread == name)
        };
        Checked {
            episode,
            threads: held_up().filter(|it| has_thread(episode, it)).map(|it| it.thread).collect(),
            has_right_holder: held_up().any(is_holder),
        }
    }

    /// Whether it has the cause of the call, or of another one that the thread made right before or after it: such
    /// waits are one stall, with the cause of the longest.
    fn explains(&self, call: &Call<'_>) -> bool {
        let has_thread = meet(self.episode, call) && self.threads.contains(call.thread);
        has_thread && (call.what != What::Lock || self.has_right_holder)
    }

    fn is_unconfirmed(&self, calls: &[Call<'_>]) -> bool {
        let episode = self.episode;
        match episode.cause.as_deref() {
            Some(cause) => {
                let is_of_threads = is_of_calls(cause) || OF_NO_CALL.contains(&cause);
                is_of_threads && self.threads.is_empty()
            }
            None => {
                u128::from(episode.duration_ns) >= LONG.as_nanos()
                    && !calls.iter().any(|it| meet(episode, it) && has_thread(episode, it))
            }
        }
    }
}

fn has_thread(episode: &Episode, call: &Call<'_>) -> bool {
    episode.pools.iter().any(|it| it.may_have(call.thread))
}

/// Whether workloads measure the calls that this cause holds up.
fn is_of_calls(cause: &str) -> bool {
    What::ALL.iter().any(|it| it.1.causes().contains(&cause))
}

fn meet(episode: &Episode, call: &Call<'_>) -> bool {
    episode.start_ns < call.time.end && call.time.start < episode.end_ns()
}

/// How much of `time` is in these episodes, which may overlap.
fn covered<'a>(time: &Range<u64>, episodes: impl Iterator<Item = &'a Checked<'a>>) -> u64 {
    let inside = |it: &Episode| it.start_ns.max(time.start)..it.end_ns().min(time.end);
    let mut parts: Vec<_> = episodes.map(|it| inside(it.episode)).collect();
    parts.sort_by_key(|it| it.start);
    let mut until = time.start;
    let mut sum = 0;
    for part in parts {
        sum += part.end.saturating_sub(part.start.max(until));
        until = until.max(part.end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explained::{Coverage, Holder, Pool, Stalls};

    /// Text in, verdict out. Calls are `WHAT BEGIN END KIND THREAD`, episodes `CAUSE BEGIN END POOL [HOLDER]`, in
    /// milliseconds and divided by semicolons. The recorder was at work from 0 to 1200 and recorded 1000 of it:
    /// 200 to 1000 at least.
    fn check(calls: &str, episodes: &str, expected: &str) {
        let ms = |it: &str| it.parse::<u64>().unwrap() * 1_000_000;
        let words = |it: &str| it.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let line = |it: &str| {
            let it = words(it);
            let (begin, length) = (ms(&it[1]), ms(&it[2]) - ms(&it[1]));
            format!("stall {} {begin} {length} {} {}\n", it[0], it[3], it[4])
        };
        let episode = |it: &str| {
            let it = words(it);
            Episode {
                start_ns: ms(&it[1]),
                duration_ns: ms(&it[2]) - ms(&it[1]),
                time_ns: 0,
                max_ns: 0,
                cause: Some(it[0].clone()).filter(|it| it != "none"),
                pools: vec![Pool { name: it[3].clone() }],
                holder: it.get(4).map(|it| Holder { thread: it.clone() }),
            }
        };
        let output: String = calls.split_terminator("; ").map(line).collect();
        let longest = episodes.split_terminator("; ").map(episode).collect();
        let explained = Explained {
            stalls: Some(Stalls { longest, ..Stalls::default() }),
            coverage: Coverage { recorded_ns: 1_000_000_000, ..Coverage::default() },
            ..Explained::default()
        };
        let output = format!("ready=1\n{output}stall_max_us=1");
        let it = Stalled::compare(&output, &explained, 0..1_200_000_000).unwrap();
        let mut found = format!(
            "{} of {} in {}, request {}",
            it.found_ns / 1_000_000,
            it.measured_ns / 1_000_000,
            it.calls,
            it.request_longest_ns / 1_000_000,
        );
        for (cause, episodes) in &it.unconfirmed {
            found += &format!(", unconfirmed {cause} {episodes}");
        }
        assert_eq!(found, expected, "{calls} | {episodes}");
    }

    #[test]
    fn calls_are_found_in_episodes_of_their_cause_and_thread() {
        let force = "force 200 300 request appender-0";
        check(force, "file-sync-blocked 200 300 appender-*", "100 of 100 in 1, request 100");
        let apart = "file-sync-blocked 190 240 appender-*; file-sync-blocked 230 250 appender-*; \
                     file-sync-blocked 290 400 a*";
        check(force, apart, "60 of 100 in 1, request 60");
        let other = "0 of 100 in 1, request 0";
        check(force, "mapped-file-fault 200 300 appender-*", other);
        check(force, "", other);
        check(
            force,
            "file-write-blocked 200 300 appender-*",
            &format!("{other}, unconfirmed file-write-blocked 1"),
        );
        check(
            force,
            "file-sync-blocked 200 300 reading-*",
            &format!("{other}, unconfirmed file-sync-blocked 1"),
        );
        let send = "send 200 300 background sender-7";
        check(send, "socket-send-blocked 0 900 sender-7", "100 of 100 in 1, request 0");
    }

    /// As where a record is forced as soon as it is written.
    #[test]
    fn calls_right_after_each_other_are_one_stall() {
        let calls = "write 200 300 request a-0; force 300 900 request a-0";
        check(calls, "file-sync-blocked 200 900 a-*", "700 of 700 in 2, request 600");
        let apart = calls.replace("force 300 900 request a-0", "force 300 900 request a-1");
        check(&apart, "file-sync-blocked 200 900 a-*", "600 of 700 in 2, request 600");
    }

    #[test]
    fn only_calls_that_were_recorded_whole_are_compared() {
        let none = "0 of 0 in 0, request 0";
        let episodes = "file-sync-blocked 0 1200 a*";
        check("force 199 300 request a; force 900 1001 request b", episodes, none);
        check("force 900 1000 request a", episodes, "100 of 100 in 1, request 100");
        // but they confirm
        check("force 0 100 request a", "file-sync-blocked 99 300 a", none);
        let unconfirmed = format!("{none}, unconfirmed file-sync-blocked 1");
        check("force 0 100 request a", "file-sync-blocked 100 300 a", &unconfirmed);
    }

    #[test]
    fn waiting_for_a_lock_needs_the_right_holder() {
        let calls = "force 200 300 background holder; lock 210 300 request waiter-0";
        let check = |calls: &str, holder: &str, expected: &str| {
            let episode = |pool: &str| format!("file-sync-blocked 200 300 {pool}{holder}");
            check(calls, &format!("{}; {}", episode("waiter-*"), episode("holder")), expected);
        };
        check(calls, " holder", "190 of 190 in 2, request 90");
        check(calls, "", "100 of 190 in 2, request 0");
        check(calls, " waiter-0", "100 of 190 in 2, request 0");
        let long = calls.replace(" holder", " holder-with-a-long-name");
        check(&long, " holder-with-a-l", "190 of 190 in 2, request 90");
    }

    #[test]
    fn idle_thread_that_is_called_stalled_is_not_confirmed_by_others() {
        let force = "force 200 300 request appender-0";
        let found = "0 of 100 in 1, request 0";
        let idle = |cause: &str, end: u32| format!("{cause} 200 {end} reading-*");
        check(force, &idle("none", 249), found);
        check(force, &idle("none", 250), &format!("{found}, unconfirmed unattributed 1"));
        check(force, "none 200 300 appender-*", found);
        let read = format!("{found}, unconfirmed file-read-blocked 1");
        check(force, &idle("file-read-blocked", 210), &read);
        check(force, &idle("cpu-contention", 300), found);
    }

    #[test]
    fn answer_without_stalls_is_not_compared() {
        assert_eq!(Stalled::compare("", &Explained::default(), 0..9), None);
    }
}
