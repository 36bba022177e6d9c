//! Which pauses are listed, and what is said of each.
use crate::{
    Options,
    clean::{MOST_NAME, clean_name},
    counted, duration,
    value::has_percentile,
    when::Clockface,
    words,
};
use diagnose::{Attribution, Diagnosis};
use std::{cmp::Reverse, time::Duration};

/// Number of pauses listed where everything is shown.
const MOST_LISTED: usize = 10;
/// Number of pauses listed in a short answer.
pub(crate) const FEW_LISTED: usize = 3;
/// Number of parts of a pause that are reported; the rest are summed up.
const MOST_PARTS: usize = 4;

/// The pauses to list.
pub(crate) enum Listed<'a> {
    /// None is long, and why that is so or what it means: whole sentences.
    None(String),
    /// None is long, and the verdict has said so.
    Said,
    /// The longest few, in the order of time, and how many others there are (may be empty).
    Longest(Vec<&'a Attribution>, String),
    /// All of them, which the caller has.
    All,
}

impl<'a> Listed<'a> {
    pub(super) fn new(diagnosis: &'a Diagnosis, verdict: &str, options: &Options) -> Listed<'a> {
        let most = if options.full { MOST_LISTED } else { FEW_LISTED };
        Listed::at_most(most, diagnosis, verdict, options)
    }

    /// The same with at most this many of the longest.
    pub(crate) fn at_most(
        most: usize,
        diagnosis: &'a Diagnosis,
        verdict: &str,
        options: &Options,
    ) -> Listed<'a> {
        if options.all_pauses {
            return Listed::All;
        }
        let long: Vec<&Attribution> =
            diagnosis.pauses.iter().filter(|it| it.pause.duration >= options.over).collect();
        if long.is_empty() {
            let text = none_long(diagnosis, options.over);
            return if verdict.contains(&text) { Listed::Said } else { Listed::None(text) };
        }
        let listed = longest(&long, most);
        let left_out = left_out(diagnosis, &long, &listed, options.over);
        Listed::Longest(listed, left_out)
    }
}

/// One pause of the list.
pub(crate) struct PauseRow {
    /// When it began.
    pub(crate) at: String,
    /// How long it was.
    pub(crate) length: String,
    /// Whether it is a hiccup, where hiccups are distinguished from stops.
    pub(crate) is_hiccup: bool,
    /// The VM operations of the stop.
    pub(crate) operation: String,
    /// Its breakdown, most time first, and what of it was not seen.
    pub(crate) parts: Vec<String>,
}

impl PauseRow {
    pub(crate) fn new(diagnosis: &Diagnosis, clock: &Clockface, it: &Attribution) -> PauseRow {
        let mut parts = words::parts(it, MOST_PARTS);
        parts.extend(words::unseen_part(&it.pause).map(str::to_owned));
        PauseRow {
            at: clock.show(&it.pause),
            length: words::length(&it.pause),
            is_hiccup: words::is_hiccup(diagnosis, &it.pause),
            operation: clean_name(&it.pause.operation, MOST_NAME),
            parts,
        }
    }
}

/// The longest few, in order of time.
fn longest<'a>(long: &[&'a Attribution], most: usize) -> Vec<&'a Attribution> {
    let mut order: Vec<usize> = (0..long.len()).collect();
    order.sort_by_key(|&n| Reverse(long[n].pause.duration));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|n| long[n]).collect()
}

/// The stop that a log ends in.
pub(super) fn cut_stop(diagnosis: &Diagnosis) -> Option<String> {
    let took = duration(diagnosis.cut_stop?);
    Some(format!(
        "The log ends inside a stop: its collection took {took}. The stop is not counted."
    ))
}

/// What is to be said where no pause is long.
pub(super) fn none_long(diagnosis: &Diagnosis, over: Duration) -> String {
    let statistics = &diagnosis.statistics;
    match statistics.all.count {
        0 if diagnosis.shares.is_some() => only_sums(diagnosis),
        0 if !diagnosis.can_show_pauses() => no_line_of_a_pause(diagnosis),
        0 if words::is_recording(diagnosis) && diagnosis.coverage.end.is_empty() => {
            "No pause was seen until the recorder was killed.".to_owned()
        }
        0 if diagnosis.inputs.iter().any(|it| it.kind == "gc-log") => {
            "No collection stopped the JVM in this time; other stops are not in the log \
             (`-Xlog:safepoint`)."
                .to_owned()
        }
        0 => "No pause at all: the JVM was never stopped in this time.".to_owned(),
        1 => format!(
            "No pause over {}: the only {} took {}.",
            duration(over),
            if words::what_a_hiccup_is(diagnosis).is_some() { "hiccup" } else { "stop" },
            diagnosis
                .pauses
                .first()
                .map_or_else(|| duration(statistics.all.max), |it| words::length(&it.pause))
        ),
        count => {
            let p99 = match has_percentile("p99", count) {
                true => format!(", p99 {}", duration(statistics.quantiles.p99)),
                false => String::new(),
            };
            format!(
                "No pause over {}: the longest of {} took {}{p99}.",
                duration(over),
                words::pauses(diagnosis),
                duration(statistics.all.max),
            )
        }
    }
}

/// The sums that an application counted of its collections, where it reports no single one.
fn only_sums(diagnosis: &Diagnosis) -> String {
    let Some(shares) = diagnosis.shares else { return String::new() };
    let (most, of) = shares.worst;
    format!(
        "Collections took {} of {} in {} that the application counted, up to {} of {} in one. These are \
         sums: of no single pause the log tells how long it was.",
        duration(shares.spent),
        duration(shares.within),
        counted(shares.count, "interval"),
        duration(most),
        duration(of)
    )
}

/// A log that shows none is no proof that there were none.
fn no_line_of_a_pause(diagnosis: &Diagnosis) -> String {
    if diagnosis.coverage.incomplete().is_some() {
        return "No pause was seen, which does not mean that there was none: part of this recording is gone.".to_owned();
    }
    if words::is_recording(diagnosis) {
        return format!(
            "No pause was seen, which does not mean that there was none: {}.",
            words::lacks_for_stops(diagnosis)
        );
    }
    let zgc = if diagnosis.jvm.collector == "zgc" {
        " ZGC writes its pauses with `-Xlog:gc*` or `-Xlog:safepoint`, not with `-Xlog:gc`."
    } else {
        ""
    };
    format!("No line of this log shows a pause, which does not mean that there was none.{zgc}")
}

/// What the list does not show. Of a long log only the longest pauses are at hand, so that the
/// number of long ones may be known only as "at least".
fn left_out(
    diagnosis: &Diagnosis,
    long: &[&Attribution],
    listed: &[&Attribution],
    over: Duration,
) -> String {
    let all = usize::try_from(diagnosis.statistics.all.count).unwrap_or(usize::MAX);
    let dropped = all.saturating_sub(diagnosis.pauses.len());
    let more_long = long.len() - listed.len();
    if dropped > 0 && long.len() == diagnosis.pauses.len() {
        return format!(
            "at least {more_long} more over {}, of {all} in all (`--all-pauses` lists them)",
            duration(over)
        );
    }
    match (more_long, all.saturating_sub(long.len())) {
        (0, 0) => String::new(),
        (0, short) => format!("{short} more, none over {}", duration(over)),
        (more, 0) => format!("{more} more (`--all-pauses` lists them)"),
        (more, short) => format!(
            "{more} more over {} (`--all-pauses` lists them), {short} below",
            duration(over)
        ),
    }
}
