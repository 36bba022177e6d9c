//! What threads stood for while the JVM was not stopped.
use super::{FindingView, finding};
use crate::{
    clean::{MOST_NAME, clean_name},
    counted, duration,
    when::Clockface,
};
use diagnose::{Diagnosis, Episode, Finding, Stalls};
use jiff::tz::TimeZone;
use recording::Clock;
use std::time::Duration;

/// Causes of stalls that are shown.
const MOST_CAUSES: usize = 4;
/// A cause with less than one part in this number of the time is not shown.
const TRIFLE: u32 = 100;
/// Episodes that are shown, those with most time.
const MOST_EPISODES: usize = 5;
/// Pools that are named of one episode.
const MOST_POOLS: usize = 2;

/// The stalls of an answer.
pub(crate) struct StallsView<'a> {
    /// How many threads, for how long, and up to how long.
    pub(crate) heading: String,
    /// The causes with most time.
    pub(crate) findings: Vec<FindingView<'a>>,
    /// The episodes with most time, in order of time: when is in nanoseconds of the answer's clock.
    pub(crate) episodes: Vec<(&'a Episode, String)>,
    /// What no cause could claim, where it is worth a word.
    pub(crate) rest: Option<String>,
    /// Whether one of them is as long as a pause that is worth a word.
    pub(crate) is_long: bool,
    /// Whether the longest is longer than any pause.
    pub(crate) leads: bool,
}

impl<'a> StallsView<'a> {
    /// `None` where that was not recorded, or none stalled.
    pub(super) fn new(diagnosis: &'a Diagnosis, over: Duration) -> Option<StallsView<'a>> {
        let stalls = diagnosis.stalls.as_ref().filter(|it| it.count > 0)?;
        let advice = remedy::advise_stalls(diagnosis);
        let is_trifle = |it: &Finding| it.time * TRIFLE < stalls.time;
        let matter = stalls.findings.iter().zip(advice).filter(|it| !is_trifle(it.0));
        let views = matter.take(MOST_CAUSES).enumerate();
        let findings = views
            .map(|(n, (it, advice))| FindingView {
                extent: extent(it.time, it.pauses, it.longest),
                ..finding::view(diagnosis, n + 1, it, advice)
            })
            .collect();
        let mut episodes: Vec<_> = stalls.episodes.iter().collect();
        episodes.sort_by_key(|it| std::cmp::Reverse(it.weight()));
        episodes.truncate(MOST_EPISODES);
        episodes.sort_by_key(|it| it.interval.start_ns);
        Some(StallsView {
            heading: heading(stalls, diagnosis.coverage.dropped_stalls()),
            findings,
            episodes: episodes.into_iter().map(|it| (it, told(it))).collect(),
            rest: rest(stalls),
            is_long: is_long(stalls, over),
            leads: stalls.longest > diagnosis.statistics.all.max,
        })
    }
}

impl StallsView<'_> {
    /// How the begins of the episodes are written.
    pub(crate) fn clock(&self, clock: Clock, zone: &TimeZone) -> Clockface {
        let [first, last] = [self.episodes.first(), self.episodes.last()];
        let [first, last] = [first, last].map(|it| it.map(|it| &it.0.interval));
        Clockface::between(clock, first, last, zone)
    }
}

/// Whether the longest is as long as a pause that is worth a word.
pub(super) fn is_long(stalls: &Stalls, over: Duration) -> bool {
    stalls.longest >= over
}

/// `Stalls while the JVM ran: 8 threads for 31.0 s in all, up to 4.90 s; 20 waited for them, 12.0 s in all`.
fn heading(stalls: &Stalls, dropped: u64) -> String {
    let more = match dropped {
        0 => String::new(),
        n => format!("; {} more not kept", counted(n, "stall")),
    };
    let [who, time] = stood(stalls);
    format!("Stalls while the JVM ran: {who} for {time}{}{more}", waiting(stalls))
}

/// `8 threads` and `31.0 s in all, up to 4.90 s`.
fn stood(stalls: &Stalls) -> [String; 2] {
    let Stalls { threads, time, longest, .. } = *stalls;
    let time = match time == longest {
        true => duration(time),
        false => format!("{} in all, up to {}", duration(time), duration(longest)),
    };
    [counted(threads, "thread"), time]
}

/// `; 20 waited for them, 12.0 s in all`: for a lock that one of them had, or for what it hands on.
fn waiting(stalls: &Stalls) -> String {
    let waited = duration(stalls.waiting.time);
    match (stalls.threads, stalls.waiting.threads) {
        _ if stalls.waiting.time.is_zero() => String::new(),
        (_, 0) => format!("; they waited for each other for {waited} more"),
        (1, 1) => format!("; 1 more waited for it, {waited}"),
        (1, more) => format!("; {more} more waited for it, {waited} in all"),
        (_, more) => format!("; {more} more waited for them, {waited} in all"),
    }
}

/// `unexplained  27.2 s`.
fn rest(stalls: &Stalls) -> Option<String> {
    let matters = stalls.unattributed * TRIFLE >= stalls.time && !stalls.unattributed.is_zero();
    matters.then(|| format!("unexplained  {}", duration(stalls.unattributed)))
}

fn extent(time: Duration, count: u64, longest: Duration) -> String {
    match count {
        1 => format!("{} in 1 stall", duration(time)),
        _ => format!("{} in {count} stalls, up to {}", duration(time), duration(longest)),
    }
}

/// `8 threads (appender-*) for 31.0 s, up to 4.90 s: fsync blocked; 20 waited for holder, 12.0 s in all`.
pub(crate) fn told(it: &Episode) -> String {
    let extent = it.extent();
    let (time, longest) = (duration(extent.time), duration(extent.longest));
    let time = if extent.stalls == 1 { time } else { format!("{time}, up to {longest}") };
    let cause = it.cause.map_or("unexplained", |it| it.short);
    let waited = match (waited_for(it), it.stalls, it.waiting.threads) {
        (None, ..) => String::new(),
        (Some(it), 0, _) | (Some(it), _, 0) => format!("; {it}"),
        (Some(waited), _, 1) => format!("; {waited}, {}", duration(it.waiting.time)),
        (Some(waited), ..) => format!("; {waited}, {} in all", duration(it.waiting.time)),
    };
    format!("{} for {time}: {cause}{waited}", threads(it))
}

/// The threads of an episode that stood, or else those that waited: `2 threads (appender-*)`.
pub(crate) fn threads(it: &Episode) -> String {
    format!("{} ({})", counted(it.extent().threads, "thread"), pools(it))
}

/// The names of those: `appender-*, sync-*, 3 more`.
pub(crate) fn pools(it: &Episode) -> String {
    let is_meant = |pool: &&diagnose::Pool| it.stalls == 0 || pool.threads > 0;
    let all = it.pools.iter().filter(is_meant);
    let mut pools: Vec<String> =
        all.clone().take(MOST_POOLS).map(|it| clean_name(&it.name, MOST_NAME)).collect();
    let more = all.count().saturating_sub(pools.len());
    if more > 0 {
        pools.push(format!("{more} more"));
    }
    pools.join(", ")
}

/// `10 waited for holder`.
pub(crate) fn waited_for(it: &Episode) -> Option<String> {
    let holder = it.holder.as_ref()?;
    Some(format!("{} waited for {}", holder.waiting, clean_name(&holder.name, MOST_NAME)))
}

/// How many threads stood and for how long, and the finding that has most of it: for the verdict, where that
/// is as long as a pause worth a word.
pub(super) fn lead(diagnosis: &Diagnosis, over: Duration) -> Option<(String, Option<&Finding>)> {
    let stalls = diagnosis.stalls.as_ref().filter(|it| is_long(it, over))?;
    let [who, time] = stood(stalls);
    let waited = match (stalls.threads, stalls.waiting.threads) {
        (_, 0) => String::new(),
        (1, more) => format!(", and {more} more waited for it"),
        (_, more) => format!(", and {more} more waited for them"),
    };
    let most = stalls.findings.first().filter(|it| it.time * 2 >= stalls.time);
    let at_least = if diagnosis.coverage.dropped_stalls() > 0 { "At least " } else { "" };
    Some((format!("{at_least}{who} stood still for {time} while the JVM ran{waited}"), most))
}
