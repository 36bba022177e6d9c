//! Who waited for whom in an opened pause, as one sentence: for those who cannot read lanes and arrows.
//!
//! It says what the slices of the threads show, and names who did it where the finding of the same cause
//! measured that. What is only likely is not in it.
use crate::{
    clean::{MOST_NAME, MOST_PATH, clean, clean_name},
    counted, duration,
};
use diagnose::{Certainty, Diagnosis, Finding, Opened, Pause, PauseKind, Span, Stretch, Wait};
use recording::{ThreadRole, ThreadState};
use std::{collections::BTreeMap, time::Duration};

/// Number of threads that waited for each other, one after the other, that are named.
const MOST_HOPS: usize = 3;
/// What was waited for for less than this part of the pause explains too little of it.
const LEAST_PART: u32 = 5;

/// The sentence; empty where the threads were not recorded, or where no thread of a kind was waited for long.
pub(super) fn of(diagnosis: &Diagnosis, opened: &Opened, pause: &Pause) -> String {
    // A hiccup is no stop: nobody waited for a thread of the JVM.
    let Some(most) = most_waited_for(opened).filter(|_| pause.kind != PauseKind::Hiccup) else {
        return String::new();
    };
    let time = most.time();
    let Some(did) =
        what_they_did(opened, &most, pause).filter(|_| time >= pause.duration / LEAST_PART)
    else {
        return String::new();
    };
    let cause = most.stretches.first().and_then(|it| it.cause);
    let finding = cause.and_then(|it| diagnosis.findings.iter().find(|of| of.cause.id == it.id));
    let is_measured =
        did.is_measured && finding.is_none_or(|it| it.certainty == Certainty::Measured);
    // What a culprit did is summed over all pauses of its cause: of several it says too much for one.
    let who = finding.filter(|it| is_measured && did.may_blame && is_same_file(it, did.wait));
    let who = who.and_then(|it| it.culprits.first());
    let who = who.map_or_else(String::new, |it| {
        let statement = clean(&it.statement);
        match finding.filter(|it| it.pauses > 1) {
            Some(Finding { pauses: 2, .. }) => {
                format!("; in both pauses of this cause: {statement}")
            }
            Some(of) => format!("; in all {} pauses of this cause: {statement}", of.pauses),
            None => format!("; {statement}"),
        }
    });
    let short = cause.filter(|_| did.needs_cause).map(|it| format!(" ({})", it.short));
    format!(
        "{}, {}{}{}.{}",
        lead(opened, pause, &most),
        did.text,
        short.unwrap_or_default(),
        who.trim_end_matches('.'),
        if is_measured { "" } else { " Inferred." }
    )
}

/// The stretches of one cause in which threads of one role were waited for.
struct Most<'a> {
    role: ThreadRole,
    /// Of the threads, each once.
    lanes: Vec<usize>,
    stretches: Vec<&'a Stretch>,
}

/// Those that are longest together: collector threads take turns, and each alone would be little.
fn most_waited_for(opened: &Opened) -> Option<Most<'_>> {
    let mut groups: BTreeMap<(ThreadRole, &str), (Duration, Most<'_>)> = BTreeMap::new();
    for it in &opened.account {
        let Some(lane) = it.lane else { continue };
        let role = opened.lanes.get(lane)?.role;
        let cause = it.cause.map_or("", |of| of.id);
        let new = || (Duration::ZERO, Most { role, lanes: Vec::new(), stretches: Vec::new() });
        let (time, group) = groups.entry((role, cause)).or_insert_with(new);
        *time += it.length;
        group.stretches.push(it);
        if !group.lanes.contains(&lane) {
            group.lanes.push(lane);
        }
    }
    groups.into_values().max_by_key(|it| it.0).map(|it| it.1)
}

impl Most<'_> {
    fn time(&self) -> Duration {
        self.stretches.iter().map(|it| it.length).sum()
    }

    /// Whether they were waited for because they had not stopped.
    fn is_late(&self, pause: &Pause) -> bool {
        let before = self.stretches.iter().filter(|it| it.start < pause.reaching);
        let before: Duration = before.map(|it| it.length).sum();
        self.role == ThreadRole::Java && before > self.time() / 2
    }

    fn verb(&self, one: &'static str, several: &'static str) -> &'static str {
        if self.lanes.len() == 1 { one } else { several }
    }
}

/// `For 1.57 s of 1.58 s all Java threads waited for the VM thread`.
fn lead(opened: &Opened, pause: &Pause, most: &Most<'_>) -> String {
    let (time, whole) = (duration(most.time()), duration(pause.duration));
    let span = if time == whole { time } else { format!("{time} of {whole}") };
    let who = threads(opened, most);
    match most.is_late(pause) {
        true => format!("For {span} the safepoint waited for {who}"),
        false => format!("For {span} all Java threads waited for {who}"),
    }
}

fn threads(opened: &Opened, most: &Most<'_>) -> String {
    let what = match most.role {
        ThreadRole::VmThread => "VM thread",
        ThreadRole::GcWorker => "GC thread",
        ThreadRole::GcConcurrent => "concurrent GC thread",
        ThreadRole::Compiler => "compiler thread",
        ThreadRole::VmInternal => "JVM thread",
        ThreadRole::Java => "Java thread",
    };
    match most.lanes[..] {
        [_] if most.role == ThreadRole::VmThread => "the VM thread".to_owned(),
        // Its name says what it is.
        [one] if most.role == ThreadRole::GcWorker => {
            clean_name(&opened.lanes[one].name, MOST_NAME)
        }
        [one] => format!("{what} {}", clean_name(&opened.lanes[one].name, MOST_NAME)),
        _ => counted(most.lanes.len() as u64, what),
    }
}

/// What the threads did meanwhile.
struct Did<'a> {
    text: String,
    is_measured: bool,
    /// Whether it does not say why: then the cause does.
    needs_cause: bool,
    /// Whether who did it belongs to it, and is not in it already.
    may_blame: bool,
    wait: Option<&'a Wait>,
}

/// A slice of a lane, with how long threads were waited for in it.
type During<'a> = (usize, &'a Span, Duration);

/// What the threads did for more than half of the time; `None` where that were several things.
fn what_they_did<'a>(opened: &'a Opened, most: &Most<'_>, pause: &Pause) -> Option<Did<'a>> {
    let during: Vec<During<'a>> =
        most.lanes.iter().flat_map(|lane| spans_of(opened, *lane, most)).collect();
    let mut alike: Vec<(During<'a>, Duration)> = Vec::new();
    for it in &during {
        match alike.iter_mut().find(|of| is_alike(of.0.1, it.1)) {
            Some(of) => of.1 += it.2,
            None => alike.push((*it, it.2)),
        }
    }
    let ((lane, span, _), time) = alike.into_iter().max_by_key(|it| it.1)?;
    if time <= most.time() / 2 {
        return None;
    }
    let did = did(opened, lane, span, MOST_HOPS, most.lanes.len() > 1);
    Some(match span.state {
        ThreadState::OnCpu if most.is_late(pause) => {
            let verb = most.verb("was running and had", "were running and had");
            Did { text: format!("which {verb} not reached a safepoint"), needs_cause: false, ..did }
        }
        ThreadState::Runnable => match holder(opened, &during, time) {
            Some(who) => {
                Did { text: format!("{} that {who} used", did.text), may_blame: false, ..did }
            }
            None => did,
        },
        _ => did,
    })
}

/// Whether two slices are one thing to tell: in a wait it counts for what.
fn is_alike(a: &Span, b: &Span) -> bool {
    let is_wait = a.state == ThreadState::Blocked;
    a.state == b.state && (!is_wait || (a.wait == b.wait && a.woken_by == b.woken_by))
}

/// Who had the CPU for more than half of the time that threads waited for one.
fn holder(opened: &Opened, during: &[During<'_>], time: Duration) -> Option<String> {
    let mut by: BTreeMap<&(u32, String), Duration> = BTreeMap::new();
    for (_, span, length) in during.iter().filter(|it| it.1.state == ThreadState::Runnable) {
        let wait = span.wait.and_then(|it| opened.waits.get(it));
        if let Some(who) = wait.and_then(|it| it.cpu_holder.as_ref()) {
            *by.entry(who).or_default() += *length;
        }
    }
    let ((pid, name), most) = by.into_iter().max_by_key(|it| it.1)?;
    (most > time / 2).then(|| format!("{} (pid {pid})", clean_name(name, MOST_NAME)))
}

/// The slices of a lane that its stretches fall into.
fn spans_of<'a>(opened: &'a Opened, lane: usize, most: &Most<'_>) -> Vec<During<'a>> {
    let mine = most.stretches.iter().filter(|it| it.lane == Some(lane));
    mine.flat_map(|it| shared(opened, lane, it.start, it.length)).collect()
}

/// The slices of a lane within a stretch of time.
fn shared(opened: &Opened, lane: usize, start: Duration, length: Duration) -> Vec<During<'_>> {
    let spans = opened.lanes.get(lane).map_or(&[][..], |it| &it.spans);
    let from = spans.partition_point(|it| it.start + it.length <= start);
    let within = spans[from..].iter().take_while(|it| it.start < start + length);
    let cut = |it: &Span| (it.start + it.length).min(start + length) - it.start.max(start);
    within.map(|it| (lane, it, cut(it))).collect()
}

fn did<'a>(
    opened: &'a Opened,
    lane: usize,
    span: &Span,
    hops: usize,
    are_several: bool,
) -> Did<'a> {
    let wait = span.wait.and_then(|it| opened.waits.get(it));
    let is_measured = wait.is_none_or(|it| it.certainty == Certainty::Measured);
    let was = if are_several { "were" } else { "was" };
    let plain = |text: String| Did { text, is_measured, needs_cause: false, may_blame: true, wait };
    match span.state {
        ThreadState::OnCpu => {
            let text = format!("which {was} on a CPU");
            Did { needs_cause: true, may_blame: false, ..plain(text) }
        }
        ThreadState::Runnable => plain("which waited for a CPU".to_owned()),
        ThreadState::Throttled => {
            plain("which could not run, as the CPU quota was used up".to_owned())
        }
        ThreadState::Stopped => plain(format!("which {was} stopped from outside")),
        ThreadState::Blocked => match next(opened, lane, span).filter(|_| hops > 1) {
            Some((other, its)) if wait.is_none_or(is_handed_on) => {
                let then = did(opened, other, its, hops - 1, false);
                let name = clean_name(&opened.lanes[other].name, MOST_NAME);
                let text = format!("which waited for {name}, {}", then.text);
                Did { text, is_measured: is_measured && then.is_measured, ..then }
            }
            _ => {
                let says_why = wait.is_some_and(|it| it.waits_for.is_some());
                let text =
                    wait.map_or_else(|| format!("which {was} blocked"), |it| blocked(it, was));
                Did { needs_cause: !says_why, ..plain(text) }
            }
        },
    }
}

/// The thread that ended a wait, with what it did until then.
fn next<'a>(opened: &'a Opened, lane: usize, span: &Span) -> Option<(usize, &'a Span)> {
    let other = span.woken_by.filter(|it| *it != lane)?;
    let its = shared(opened, other, span.start, span.length);
    Some((other, its.into_iter().max_by_key(|it| it.2)?.1))
}

/// Whether a wait is for another thread: neither a file is known of it nor what it was for.
fn is_handed_on(wait: &Wait) -> bool {
    wait.place.path.is_empty() && wait.waits_for.is_none()
}

/// `which waited in write() to gc.log (ext4 on loop1) for a journal commit`.
fn blocked(wait: &Wait, was: &str) -> String {
    let place = &wait.place;
    let mut text = match place.call.is_empty() {
        true => format!("which {was} blocked"),
        false => format!("which waited in {}", clean(&place.call)),
    };
    if !place.path.is_empty() {
        let preposition = match &place.call {
            call if call.contains("write") || call.contains("send") => "to",
            call if call.contains("read") => "from",
            _ => "on",
        };
        text += &format!(" {preposition} {}", clean_name(file_name(&place.path), MOST_PATH));
    }
    let (system, device) =
        (clean_name(&place.file_system, MOST_NAME), clean_name(&place.device, MOST_NAME));
    text += &match (system.is_empty(), device.is_empty()) {
        (false, false) => format!(" ({system} on {device})"),
        (false, true) => format!(" ({system})"),
        _ => String::new(),
    };
    if let Some(what) = wait.waits_for {
        text += &format!(" for {what}");
    }
    text
}

/// The last part of a path, with the one before where that is a number alone, as `hsperfdata_app/4242`.
fn file_name(path: &str) -> &str {
    let at = |end: usize| path[..end].rfind('/').map_or(0, |it| it + 1);
    let last = at(path.len());
    let is_number = path[last..].bytes().all(|it| it.is_ascii_digit());
    if is_number && last > 1 { &path[at(last - 1)..] } else { &path[last..] }
}

/// Who did it is known of the file of the finding; of a wait without a file, of any.
fn is_same_file(finding: &Finding, wait: Option<&Wait>) -> bool {
    let path = wait.map_or("", |it| it.place.path.as_str());
    path.is_empty() || finding.place.as_ref().is_none_or(|it| it.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnose::{Lane, WaitLocation};
    use std::borrow::Cow;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn pause(reaching: u64) -> Pause {
        Pause {
            kind: PauseKind::Safepoint,
            start_ns: 0,
            start_wall_ns: None,
            times: diagnose::Times::Known,
            duration: ms(100),
            reaching: ms(reaching),
            operation: Cow::Borrowed("G1CollectForAllocation"),
            collection: None,
            detailed: true,
            cut: recording::Cut::WHOLE,
        }
    }

    /// Slices of a thread: begin and length in milliseconds, state, wait, who woke it.
    type Slices<'a> = &'a [(u64, u64, ThreadState, Option<usize>, Option<usize>)];

    fn lane(name: &str, role: ThreadRole, slices: Slices<'_>) -> Lane {
        let span = |&(start, length, state, wait, woken_by)| Span {
            start: ms(start),
            length: ms(length),
            state,
            is_idle: false,
            wait,
            woken_by,
        };
        Lane { tid: 1, name: name.to_owned(), role, spans: slices.iter().map(span).collect() }
    }

    fn wait(call: &str, path: &str, waits_for: Option<&'static str>, holder: &str) -> Wait {
        let place = WaitLocation {
            thread: String::new(),
            call: call.to_owned(),
            path: path.to_owned(),
            file_system: if path.is_empty() { String::new() } else { "ext4".to_owned() },
            device: if path.is_empty() { String::new() } else { "sdb1".to_owned() },
            stack: Vec::new(),
        };
        let cpu_holder = (!holder.is_empty()).then(|| (7, holder.to_owned()));
        Wait { place, waits_for, marked: None, cpu_holder, certainty: Certainty::Measured }
    }

    /// Of lanes that were waited for, each with begin and length in milliseconds.
    fn said(
        reaching: u64,
        lanes: Vec<Lane>,
        waits: Vec<Wait>,
        account: &[(usize, u64, u64)],
    ) -> String {
        let stretch = |&(lane, start, length)| Stretch {
            start: ms(start),
            length: ms(length),
            cause: None,
            lane: Some(lane),
        };
        let opened = Opened {
            pause: 0,
            account: account.iter().map(stretch).collect(),
            lanes,
            waits,
            phases: Vec::new(),
            stages: Vec::new(),
            left_out: 0,
        };
        let log = diagnose::LogDiagnosis::new(diagnose::Keep::All);
        let input =
            diagnose::InputSummary::of_log(String::new(), 0, &gclog::Parser::new().counts(), 0);
        of(&log.finish(input), &opened, &pause(reaching))
    }

    use ThreadRole::{GcWorker, Java, VmThread};
    use ThreadState::{Blocked, OnCpu, Runnable, Throttled};

    #[test]
    fn a_blocked_vm_thread_with_its_file_and_what_it_waited_for() {
        let vm = lane(
            "VM Thread",
            VmThread,
            &[(0, 10, OnCpu, None, None), (10, 90, Blocked, Some(0), None)],
        );
        let write = wait("write()", "/var/log/gc.log", Some("a journal commit"), "");
        assert_eq!(
            said(0, vec![vm], vec![write], &[(0, 0, 100)]),
            "For 100 ms all Java threads waited for the VM thread, which waited in write() to gc.log \
             (ext4 on sdb1) for a journal commit."
        );
    }

    #[test]
    fn a_wait_for_another_thread_says_what_that_one_did() {
        let vm = lane("VM Thread", VmThread, &[(0, 100, Blocked, None, Some(1))]);
        let gc = lane("GC Thread#3", GcWorker, &[(0, 100, Blocked, Some(0), None)]);
        let fault = wait("a page fault", "", Some("a page in swap"), "");
        assert_eq!(
            said(0, vec![vm, gc], vec![fault], &[(0, 0, 80)]),
            "For 80 ms of 100 ms all Java threads waited for the VM thread, which waited for GC Thread#3, \
             which waited in a page fault for a page in swap."
        );
    }

    #[test]
    fn threads_that_wake_each_other_are_told_of_for_so_long_only() {
        let a = lane("A", VmThread, &[(0, 100, Blocked, None, Some(1))]);
        let b = lane("B", GcWorker, &[(0, 100, Blocked, None, Some(0))]);
        let text = said(0, vec![a, b], Vec::new(), &[(0, 0, 100)]);
        assert_eq!(text.matches("which waited for").count(), MOST_HOPS - 1, "{text}");
    }

    #[test]
    fn who_had_the_cpu_is_named_only_for_most_of_the_wait() {
        let gc = |holders: [Option<usize>; 2]| {
            let [a, b] = holders;
            lane(
                "GC Thread#0",
                GcWorker,
                &[(0, 60, Runnable, a, None), (60, 40, Runnable, b, None)],
            )
        };
        let waits = || vec![wait("", "", None, "cc1"), wait("", "", None, "make")];
        let of = |holders| said(0, vec![gc(holders)], waits(), &[(0, 0, 100)]);
        let lead = "For 100 ms all Java threads waited for GC Thread#0, which waited for a CPU";
        assert_eq!(of([Some(0), Some(1)]), format!("{lead} that cc1 (pid 7) used."));
        assert_eq!(of([None, Some(1)]), format!("{lead}."));
    }

    #[test]
    fn threads_that_take_turns_are_counted() {
        let gc = |name| lane(name, GcWorker, &[(0, 100, Throttled, None, None)]);
        assert_eq!(
            said(
                0,
                vec![gc("GC Thread#0"), gc("GC Thread#1")],
                Vec::new(),
                &[(0, 0, 50), (1, 50, 40)]
            ),
            "For 90 ms of 100 ms all Java threads waited for 2 GC threads, which could not run, as the \
             CPU quota was used up."
        );
    }

    #[test]
    fn a_late_thread_is_what_the_safepoint_waited_for() {
        let java = lane("counter", Java, &[(0, 100, OnCpu, None, None)]);
        assert_eq!(
            said(95, vec![java], Vec::new(), &[(0, 0, 95)]),
            "For 95 ms of 100 ms the safepoint waited for Java thread counter, which was running and had \
             not reached a safepoint."
        );
    }

    #[test]
    fn what_is_little_or_many_things_is_not_said() {
        let vm = |slices: Slices<'_>| vec![lane("VM Thread", VmThread, slices)];
        let little = said(0, vm(&[(0, 100, OnCpu, None, None)]), Vec::new(), &[(0, 0, 19)]);
        assert_eq!(little, "");
        let many = [(0, 50, OnCpu, None, None), (50, 50, Throttled, None, None)];
        assert_eq!(said(0, vm(&many), Vec::new(), &[(0, 0, 100)]), "");
        assert_eq!(said(0, Vec::new(), Vec::new(), &[]), "", "a log has no lanes");
    }

    #[test]
    fn a_file_named_by_a_number_keeps_its_directory() {
        assert_eq!(file_name("/tmp/hsperfdata_app/4242"), "hsperfdata_app/4242");
        assert_eq!(file_name("/var/log/gc.log"), "gc.log");
        assert_eq!(file_name("fd 5"), "fd 5");
        assert_eq!(file_name("/4242"), "4242");
    }
}
