//! The first lines of an answer: what stopped the application, and what to do first.
mod steps;

pub(crate) use steps::Step;
pub(super) use steps::{steps, steps_for};

use super::{checked, listed, main_finding::main, small::is_small, stalls, suspects, tail::Tail};
use crate::{clean::clean, counted, duration, options::LONG_PAUSE, percent, share, words};
use diagnose::{Certainty, Culprit, Diagnosis, Finding};
use std::time::Duration;

/// What was done and who did it fit three lines of a terminal: of more, who did it is in the finding.
const MOST_BYTES: usize = 210;
/// Bytes of a directory that are shown in a sentence that becomes too long.
const MOST_OF_A_PATH: usize = 24;

/// What threads lost waiting for memory, where that is more than the pauses.
fn stalled(diagnosis: &Diagnosis) -> Option<String> {
    let first = diagnosis.findings.first().filter(|it| it.lost_outside > it.time)?;
    let (lost, stopped) = (first.lost_outside, diagnosis.statistics.all.total);
    let stalls = diagnosis.gc.as_ref()?.allocation_stalls;
    (lost > stopped && stalls.count > 0).then(|| {
        let within = match diagnosis.span {
            Duration::ZERO => String::new(),
            span => format!(", in {} of running time", duration(span)),
        };
        let stopped = match diagnosis.can_show_pauses() {
            true => format!("Stopped: {}.", duration(stopped)),
            false => "No line of the log shows a pause.".to_owned(),
        };
        format!(
            "Threads waited {} in all for memory{within} ({}, up to {}): the application allocated \
             faster than the collector freed. {stopped}",
            duration(lost),
            counted(stalls.count, "allocation stall"),
            duration(stalls.max),
        )
    })
}

/// Where less than this share of the time is stopped, and in no long pause, there is nothing to do.
const LITTLE: f64 = 0.05;

/// What stopped the application, for how long, by whom, and how sure that is; where no pause took
/// `over` and all are little, that.
///
/// What of a log is not there is said with it: any pause may have been in that.
pub(crate) fn sentence(diagnosis: &Diagnosis, over: Duration) -> String {
    let mut known = of_known(diagnosis, over);
    if diagnosis.restarts > 0 {
        known += &format!(" The log holds {} runs of the JVM.", diagnosis.restarts + 1);
    }
    if let Some((lead, most)) = stalls::lead(diagnosis, over) {
        known = beside_stalls(diagnosis, known, &stood(lead, most), over);
    }
    match diagnosis.lost_of_log() {
        Some(lost) => format!("{known} There may have been more: {lost}."),
        None => known,
    }
}

/// `8 threads stood still for 31.0 s in all, up to 4.90 s while the JVM ran: thread …`.
fn stood(lead: String, most: Option<&Finding>) -> String {
    match most {
        Some(it) => format!("{lead}: {}", fault(it)),
        None => format!("{lead}; no cause has half of that."),
    }
}

/// First what the users feel most: the longest stop, or the longest stall of a thread.
fn beside_stalls(diagnosis: &Diagnosis, stops: String, stalls: &str, over: Duration) -> String {
    let longest = diagnosis.stalls.as_ref().map_or(Duration::ZERO, |it| it.longest);
    match diagnosis.statistics.all.max >= longest {
        true => format!("{stops} {stalls}"),
        // what short stops were made of nobody felt
        false if diagnosis.statistics.all.count > 0 && is_quiet(diagnosis, over) => {
            format!("{stalls} {}", listed::none_long(diagnosis, over))
        }
        false => format!("{stalls} {stops}"),
    }
}

fn of_known(diagnosis: &Diagnosis, over: Duration) -> String {
    let stopped = diagnosis.statistics.all.total;
    if let Some(stalls) = stalled(diagnosis) {
        return stalls;
    }
    if diagnosis.statistics.all.count == 0 {
        return listed::none_long(diagnosis, Duration::ZERO);
    }
    if is_quiet(diagnosis, over) {
        return quiet(diagnosis, over);
    }
    let tail = Tail::asked_for(diagnosis, over);
    if over != LONG_PAUSE && tail.is_none() {
        return quiet(diagnosis, over);
    }
    let Some(first) = said(diagnosis, over) else { return unexplained(diagnosis) };
    let lead = match &tail {
        Some(tail) => tail.lead(first.cause),
        None => {
            let once = at_once(first, diagnosis);
            format!("{} stopped{once}", of_stopped(first.time, stopped))
        }
    };
    let what = if first.cause.is_fault() {
        fault(first)
    } else {
        let what = first.story.first().map(|it| in_sentence(first_sentence(&clean(it))));
        let what = what.unwrap_or_else(|| first.cause.short.to_owned());
        format!("{what}. {}", beside(first, diagnosis))
    };
    let most = most_of_the_time(first, diagnosis, tail.is_some().then_some(lead.as_str()));
    format!("{lead}: {what}{}", most.unwrap_or_default())
}

/// ` Most of the stopped time, 2.86 s of 4.85 s: heap pressure, inferred.`, where the sentence is about
/// another cause; and of that one the sum, where it begins with `lead`, which is about long pauses.
fn most_of_the_time(first: &Finding, diagnosis: &Diagnosis, lead: Option<&str>) -> Option<String> {
    let stopped = diagnosis.statistics.all.total;
    let most = diagnosis.findings.first().filter(|it| it.time >= first.time)?;
    let sum = of_stopped(most.time, stopped);
    if most.cause.id == first.cause.id {
        let is_new = lead.is_some_and(|lead| !lead.ends_with(&format!(", {sum}")));
        return is_new.then(|| format!(" In all pauses: {sum} stopped."));
    }
    // Of less than that more there is nothing to say: the second sentence has it.
    if duration(most.time) == duration(first.time) {
        return None;
    }
    let why = match lead.is_some() || most.squares <= first.squares {
        true => "",
        false => " Known problems are named before ordinary work.",
    };
    let (short, certainty) = (most.cause.short, most.certainty.id());
    Some(format!("{why} Most of the stopped time, {sum}: {short}, {certainty}."))
}

/// The finding that the sentence is about, where it is about one.
fn said(diagnosis: &Diagnosis, over: Duration) -> Option<&Finding> {
    let main = main(diagnosis, over)?;
    let is_said = match Tail::asked_for(diagnosis, over) {
        Some(tail) => tail.is_most(main.cause),
        None => is_most(main, diagnosis) || is_worst(main, diagnosis),
    };
    is_said.then_some(main)
}

/// Whether a finding is in the longest pauses, though others have more time.
fn is_worst(finding: &Finding, diagnosis: &Diagnosis) -> bool {
    finding.longest * 2 >= diagnosis.statistics.all.max
}

/// `, up to 11.3 s at once`, where others have more time in all.
fn at_once(finding: &Finding, diagnosis: &Diagnosis) -> String {
    let is_first = diagnosis.findings.first().is_some_and(|it| it.cause.id == finding.cause.id);
    match is_first {
        true => String::new(),
        false => format!(", up to {} at once", duration(finding.longest)),
    }
}

/// Whether nothing is long enough to be noticed.
pub(super) fn is_quiet(diagnosis: &Diagnosis, over: Duration) -> bool {
    let all = &diagnosis.statistics.all;
    let outside = |it: &Finding| it.cause.is_fault() && it.pauses == 0;
    all.max < over
        && share::of(all.total, diagnosis.span) < LITTLE
        && !diagnosis.findings.iter().any(outside)
}

/// That no pause is long, and what the short ones are made of.
fn quiet(diagnosis: &Diagnosis, over: Duration) -> String {
    let longest = listed::none_long(diagnosis, over);
    match diagnosis.findings.first() {
        Some(first) if diagnosis.statistics.all.count > 1 && is_most(first, diagnosis) => {
            let share = of_stopped(first.time, diagnosis.statistics.all.total);
            let (short, is_fault) = (first.cause.short, first.cause.is_fault());
            match is_fault {
                true => format!("{longest} {share} stopped: {short}, {}.", first.certainty.id()),
                false => {
                    format!("{longest} {share} stopped: {short}. {}", beside(first, diagnosis))
                }
            }
        }
        _ => longest,
    }
}

/// Whether a finding is what there is to say first. What a log shows only from outside stays among the
/// unexplained time, and is most of that.
fn is_most(finding: &Finding, diagnosis: &Diagnosis) -> bool {
    let is_half = finding.time * 2 >= diagnosis.statistics.all.total;
    !finding.time.is_zero() && (is_half || finding.time >= diagnosis.statistics.unattributed)
}

/// `3.78 s of 4.10 s`; `4.10 s` where it is nearly all of it.
fn of_stopped(time: Duration, stopped: Duration) -> String {
    if duration(time) == duration(stopped) {
        duration(stopped)
    } else {
        format!("{} of {}", duration(time), duration(stopped))
    }
}

/// What a fault did, and who.
fn fault(finding: &Finding) -> String {
    let what = match finding.story.first() {
        Some(story) => in_sentence(first_sentence(&clean(story))),
        None => finding.cause.short.to_owned(),
    };
    let who = finding.culprits.first().map(who).unwrap_or_default();
    let what = if what.len() + who.len() > MOST_BYTES { elided(&what) } else { what };
    let who = if what.len() + who.len() > MOST_BYTES { "" } else { &who };
    let every = finding.rhythm.map(|it| format!(", every {}", duration(it.period)));
    let every = every.unwrap_or_default();
    let last = suspects::sentence(finding);
    let last = last.unwrap_or_else(|| format!("{}.", certainty(finding.certainty)));
    format!("{what}{every}{who}. {last}")
}

/// With `…/a.log` for a long path, which the finding has whole.
fn elided(text: &str) -> String {
    let word = |it: &str| match it.rsplit_once('/') {
        Some((before, name)) if it.starts_with('/') && before.len() > MOST_OF_A_PATH => {
            format!("…/{name}")
        }
        _ => it.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// `; dd wrote 412 MB to sdb1 in the 10 s before`: the ids and the command line are in the finding.
fn who(culprit: &Culprit) -> String {
    let statement = clean(&culprit.statement);
    let short = match several(&statement) {
        Some((at, ids)) => bracket_replaced(&statement, at, &statement[at..ids], ")"),
        None => match culprit.pid.and_then(|_| statement.find(" (pid ")) {
            Some(at) => bracket_replaced(&statement, at, "", ""),
            None => statement,
        },
    };
    let short = short.split("; ").next().unwrap_or_default();
    // It begins with the name of a process, or of a thread behind that word.
    if short.starts_with("Thread ") {
        format!("; {}", in_sentence(short))
    } else {
        format!("; {short}")
    }
}

/// Of ` (4 processes such as pid 9, …)`: where it begins, and where it goes on behind `processes`.
fn several(statement: &str) -> Option<(usize, usize)> {
    let ids =
        statement.find(" such as pid ").filter(|at| statement[..*at].ends_with(" processes"))?;
    Some((statement[..ids].rfind(" (")?, ids))
}

/// The statement with `begin` and `end` for the bracket behind the space at `at`, if that is closed.
fn bracket_replaced(statement: &str, at: usize, begin: &str, end: &str) -> String {
    match closing(&statement[at + 1..]) {
        Some(len) => format!("{}{begin}{end}{}", &statement[..at], &statement[at + 1 + len..]),
        None => statement.to_owned(),
    }
}

/// Up to the first full stop that ends a sentence, without it.
fn first_sentence(text: &str) -> &str {
    let ends = |at: &usize| {
        let behind = text[at + 1..].trim_start();
        behind.is_empty()
            || (behind.len() < text.len() - at - 1 && behind.starts_with(char::is_uppercase))
    };
    let end = text.match_indices('.').map(|(at, _)| at).find(ends);
    end.map_or(text, |at| &text[..at])
}

/// Where the bracket with which `text` begins is closed: the place behind it.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A sentence of ours as it stands behind a colon: `GC`, `VM` and `JVM` keep their capitals.
fn in_sentence(sentence: &str) -> String {
    let mut chars = sentence.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() && !second.is_numeric() => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Measured => "Measured",
        Certainty::Inferred => "Inferred",
    }
}

/// What is to be said of faults where the largest part is this ordinary cost.
fn beside(cost: &Finding, diagnosis: &Diagnosis) -> String {
    let fault = |is_outside: bool| {
        let mut faults = diagnosis.findings.iter().filter(|it| it.cause.is_fault());
        faults.find(|it| it.time.is_zero() == is_outside && !is_small(it))
    };
    let inside = fault(false).map(|it| {
        format!("{} more: {}, {}.", duration(it.time), it.cause.short, it.certainty.id())
    });
    let outside = fault(true).map(|it| format!("Outside of pauses: {}.", it.cause.short));
    let both: Vec<String> = inside.into_iter().chain(outside).collect();
    let fault = (!both.is_empty()).then(|| both.join(" "));
    let length_alone = "The log does not show whether the collector worked or waited.";
    match fault {
        Some(fault) if words::is_length_alone(cost) => format!("{length_alone} {fault}"),
        Some(fault) => fault,
        None if words::is_length_alone(cost) => length_alone.to_owned(),
        None if checked::all(diagnosis) => "No known fault occurred; all were checked.".to_owned(),
        None => "No known problem found among the causes that could be checked.".to_owned(),
    }
}

/// Where most of the time has no cause.
fn unexplained(diagnosis: &Diagnosis) -> String {
    let (rest, stopped) = (diagnosis.statistics.unattributed, diagnosis.statistics.all.total);
    let share = of_stopped(rest, stopped);
    let seen = match diagnosis.unexplained.first() {
        Some(it) if share::of(it.time, rest) >= 0.5 => format!(": {}", clean(&it.what)),
        _ => String::new(),
    };
    let log = match seen.is_empty() && !words::is_recording(diagnosis) {
        true => " A log alone does not show why.",
        false => "",
    };
    let known = match diagnosis.findings.first() {
        Some(it) if !it.time.is_zero() => {
            format!(" {} ({}) is {}.", duration(it.time), percent(it.share), it.cause.short)
        }
        _ => String::new(),
    };
    format!("{share} stopped: unexplained{seen}.{log}{known}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_with_a_full_stop_before_a_capital() {
        assert_eq!(
            first_sentence("It took 6.3 ms at /a.B/c. The rest."),
            "It took 6.3 ms at /a.B/c"
        );
        assert_eq!(first_sentence("One alone."), "One alone");
        assert_eq!(first_sentence("none"), "none");
        assert_eq!(first_sentence("JDK 17. or later. Yes"), "JDK 17. or later");
    }

    #[test]
    fn an_abbreviation_keeps_its_capitals() {
        assert_eq!(in_sentence("The VM thread waited"), "the VM thread waited");
        assert_eq!(in_sentence("A thread ran"), "a thread ran");
        assert_eq!(in_sentence("GC threads ran"), "GC threads ran");
        assert_eq!(in_sentence("G1 cut eden"), "G1 cut eden");
    }

    #[test]
    fn a_long_path_hid_who_did_it() {
        let text = "on /var/lib/kafka/data/__cluster_metadata-0/0001.log (ext4 on sdb1)";
        assert_eq!(elided(text), "on …/0001.log (ext4 on sdb1)");
        let edge = "on /var/lib/kafka/data/ab/ab/a.log";
        assert_eq!(elided(edge), "on …/a.log");
        assert_eq!(elided("on /var/lib/kafka/data/ab/a.log"), "on /var/lib/kafka/data/ab/a.log");
    }

    #[test]
    fn of_a_culprit_the_ids_and_the_command_line_are_left_out() {
        let culprit = |pid, statement: &str| {
            let name = "dd".to_owned();
            who(&Culprit {
                kind: diagnose::CulpritKind::Process,
                name,
                pid,
                statement: statement.into(),
            })
        };
        assert_eq!(culprit(Some(9), "dd (pid 9, dd of=/a(b) …) wrote 4 MB"), "; dd wrote 4 MB");
        let several = "dd (4 processes such as pid 9, unit a.service) wrote 4 MB";
        assert_eq!(culprit(None, several), "; dd (4 processes) wrote 4 MB");
        let open = "dd (4 processes such as pid 9, wrote";
        assert_eq!(culprit(None, open), "; dd (4 processes such as pid 9, wrote");
        assert_eq!(culprit(Some(9), "dd (pid 9, dd of=(a wrote"), "; dd (pid 9, dd of=(a wrote");
        assert_eq!(culprit(None, "/a may use 50 ms"), "; /a may use 50 ms");
        assert_eq!(culprit(None, "Xorg wrote 3 MB"), "; Xorg wrote 3 MB");
        assert_eq!(culprit(None, "Thread `a` was late"), "; thread `a` was late");
    }
}
