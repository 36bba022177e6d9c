//! # Huge pages only while there is memory for them
//!
//! ## What it changes
//! A process checks the memory every 2 s and has three switches below `/sys/kernel/mm/transparent_hugepage`:
//! `enabled` is `never` while less memory is available, to the host or in the JVM's control group, than the JVM may still take and an eighth of its footprint; `defrag` is `never` while threads that need memory scan 10,000 pages per second or more themselves; `khugepaged/defrag` is 0 while `khugepaged` takes a fifth of a core or more.
//! Each is switched on again, to what it was, once twice as much room is there or a tenth of the scanning or a quarter of the CPU time is left, after half a minute at the earliest.
//! What was off before stays off.
//! Sizes of their own (`hugepages-*/enabled`, Linux 6.8) follow where they are `inherit`; others are left.
//!
//! ## What it costs
//! While they are off, memory comes in small pages, for every program of the host: more page faults and more misses of the TLB.
//! The process itself takes less than a thousandth of a core.
//!
//! ## How to see that it helped
//! `compact_stall` and `thp_split_page` of `/proc/vmstat` no longer grow while memory is short, and `AnonHugePages` of `/proc/PID/smaps_rollup` is large while it is not.
//!
//! ## How to undo it
//! End the process: it takes back what it changed.
//! Where it was killed, `whypause fix --undo thp-tuner`, or the next `whypause fix`.
//!
//! ## References
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, sections 3.3 and 3.4.
//! Linux `Documentation/admin-guide/mm/transhuge.rst`.
use crate::{
    Action, Advice, Change, Command, Host, Plan, Refusal, Remedy, Setting, Target, Works,
    tuner::{self, Control, footprint, value_when_on},
};
use diagnose::{Finding, Situation, text};

pub(super) static REMEDY: Remedy = Remedy {
    id: "thp-tuner",
    title: "Huge pages only while there is memory for them",
    summary: "A process switches huge pages off while memory is short, and on again.",
    page: diagnose::page!("thp_tuner.rs"),
    advise,
    plan: Some(plan),
    works: Works::Tuner,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let Some(jvm) = situation.jvm.as_ref().filter(|it| it.pid != 0) else { return Vec::new() };
    let command = Command::new("whypause").args(["fix", tuner::TUNER, "-p"]);
    vec![Advice::now(
        Action::run([command.arg(jvm.pid.to_string()).arg("--apply")]),
        "runs until stopped: switches huge pages off while memory is short, and on again",
    )]
}

/// What it would switch, shown as if all of it were bad.
fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    target.the_jvm()?;
    let footprint = footprint(target.situation, target.wishes.footprint_bytes)?;
    let host = Host { roots: target.roots, interrupt: target.interrupt };
    let is_on = |control: &Control| {
        let value = tuner::value(*control, &host);
        value.and_then(|it| value_when_on(target.situation, *control, &it)).is_some()
    };
    let mut plan = Plan::new(REMEDY.id)
        .note(format!("footprint of the JVM: {}; --footprint sets it", text::memory(footprint)))
        .note("each is changed only while it costs more than it gives, and set back afterwards")
        .note("--dry-run prints what it would do, until stopped");
    for control in Control::ALL.iter().copied().filter(is_on) {
        let (file, to) = (control.file(), control.off().to_owned());
        plan = plan.change(Change::Setting(Setting { file, to }));
    }
    let enabled = tuner::value(Control::Enabled, &host);
    if enabled.is_none() {
        return Err(Refusal::new("this kernel has no transparent huge pages", ""));
    }
    if enabled.as_deref() == Some("madvise") && !target.situation.is_on("UseTransparentHugePages") {
        plan = plan.note(
            "this JVM has no huge pages: `enabled` is `madvise`, and it does not \
                          request them (-XX:+UseTransparentHugePages)",
        );
    }
    match plan.changes.first() {
        Some(Change::Setting(it)) if it.file == Control::Enabled.file() => Ok(plan),
        _ => Err(Refusal::new(
            "huge pages are off on this host (`enabled` is `never`)",
            "start the JVM with -XX:+UseTransparentHugePages, and they are switched on for it",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{HostFact, JvmFact};

    fn situation(flags: &[&str], memory_bytes: u64) -> Situation {
        let flags: Vec<String> = flags.iter().map(|it| (*it).to_owned()).collect();
        let facts = recording::Facts {
            jvm: Some(JvmFact { pid: 7, flags, ..JvmFact::default() }),
            host: Some(HostFact { memory_bytes, ..HostFact::default() }),
            ..recording::Facts::default()
        };
        Situation::of_facts(&facts)
    }

    #[test]
    fn the_footprint_is_the_heap_and_a_quarter() {
        let of = |flags: &[&str], memory, wanted| footprint(&situation(flags, memory), wanted).ok();
        assert_eq!(of(&["-Xmx4g"], 64 << 30, None), Some(5 << 30));
        assert_eq!(of(&["-Xmx4g"], 64 << 30, Some(1)), Some(1));
        assert_eq!(of(&[], 64 << 30, None), Some(20 << 30));
        assert_eq!(of(&[], 0, None), None);
    }

    #[test]
    fn the_remedy_has_the_name_of_the_tuner() {
        assert_eq!(REMEDY.id, tuner::TUNER);
    }

    #[test]
    fn what_somebody_switched_off_stays_off() {
        let on = |flags: &[&str], control, now| value_when_on(&situation(flags, 0), control, now);
        let asks = ["-XX:+UseTransparentHugePages"];
        assert_eq!(on(&[], Control::Enabled, "always").as_deref(), Some("always"));
        assert_eq!(on(&[], Control::Enabled, "never"), None);
        assert_eq!(on(&asks, Control::Enabled, "never").as_deref(), Some("madvise"));
        assert_eq!(on(&asks, Control::Defrag, "never"), None);
        assert_eq!(on(&[], Control::Defrag, "defer").as_deref(), Some("defer"));
        assert_eq!(on(&[], Control::Khugepaged, "0"), None);
    }
}
