//! Whether another collector would do better, by what the input tells: a choice with two sides, so
//! both are reported and nothing is decided.
use diagnose::{Diagnosis, GcStatistics, text};
use std::time::Duration;

/// A collector in place of the one at work, with what speaks for it and against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherCollector {
    /// Its flags.
    pub flags: Vec<String>,
    /// Its name.
    pub name: &'static str,
    /// What speaks for it: sentences with numbers.
    pub in_favour: Vec<String>,
    /// What speaks against it.
    pub against: Vec<String>,
}

/// G1's own goal (`MaxGCPauseMillis`): whose pauses keep to half of it has no reason to change.
const LONG: Duration = Duration::from_millis(100);
/// Compressed pointers reach so far; ZGC has none (JEP 439).
const COMPRESSED_BYTES: u64 = 32 << 30;
/// A concurrent collector needs room for what is allocated while it works: a live set of more than
/// this share of the heap leaves too little, in percent.
const FULL_PERCENT: u64 = 70;
/// Marking and moving beside the application takes CPUs from it: below this number it shows.
const FEW_CPUS: u32 = 4;

pub(super) fn other_collector(diagnosis: &Diagnosis) -> Option<OtherCollector> {
    let situation = &diagnosis.situation;
    let gc = diagnosis.gc.as_ref()?;
    let of_cms = gc.promotion_failures + gc.concurrent_mode_failures;
    let (name, flags): (_, &[&str]) = match (situation.collector(), situation.feature()?) {
        ("cms", _) if of_cms > 0 => ("G1", &["-XX:+UseG1GC"]),
        ("g1", _) if gc.pauses.max < LONG => return None,
        ("g1", 23..) => ("ZGC", &["-XX:+UseZGC"]),
        ("g1", 21 | 22) => ("generational ZGC", &["-XX:+UseZGC", "-XX:+ZGenerational"]),
        // Not in every build, and experimental before JDK 15.
        ("g1", 15..) => ("Shenandoah", &["-XX:+UseShenandoahGC"]),
        _ => return None,
    };
    Some(OtherCollector {
        flags: flags.iter().map(|it| (*it).to_owned()).collect(),
        name,
        in_favour: in_favour(diagnosis, gc, name),
        against: against(diagnosis, name),
    })
}

fn in_favour(diagnosis: &Diagnosis, gc: &GcStatistics, name: &str) -> Vec<String> {
    let heap = diagnosis.situation.max_heap_bytes;
    let heap = heap.map(|it| format!(" in a heap of up to {}", text::memory(it)));
    let longest = format!(
        "The longest collection took {}{}",
        text::duration(gc.pauses.max),
        heap.unwrap_or_default()
    );
    let mut reported = match name {
        "G1" => vec![
            format!(
                "{} promotions and {} concurrent cycles failed: CMS does not compact, G1 does while it collects.",
                gc.promotion_failures, gc.concurrent_mode_failures
            ),
            format!("{longest}."),
        ],
        _ => vec![format!("{longest}; those of {name} take a few milliseconds at any size.")],
    };
    if !diagnosis.span.is_zero() {
        let share = gc.pauses.total.as_secs_f64() / diagnosis.span.as_secs_f64() * 100.0;
        reported.push(format!("Collections stopped the application for {share:.1} % of the time."));
    }
    reported
}

fn against(diagnosis: &Diagnosis, name: &str) -> Vec<String> {
    let situation = &diagnosis.situation;
    let memory = diagnosis.memory.as_ref();
    let mut reported = Vec::new();
    let heap = situation.max_heap_bytes;
    let live = memory.and_then(|it| it.live).map(|it| it.most);
    match (live, heap) {
        (Some(live), Some(heap))
            if live.saturating_mul(100) >= heap.saturating_mul(FULL_PERCENT) =>
        {
            reported.push(format!(
                "{} of {} are live, and it needs room for what is allocated while it works: enlarge the heap first.",
                text::memory(live),
                text::memory(heap)
            ));
        }
        (None, _) => {
            reported.push("How much is live is not known: the log has no end of a cycle.".into())
        }
        _ => {}
    }
    if let Some(rate) = memory.and_then(|it| it.allocation_rate).filter(|it| *it >= 1.0) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
        let rate = text::memory(rate as u64);
        reported.push(format!(
            "It has to keep up with {rate} allocated per second, or threads wait for memory."
        ));
    }
    match situation.cpus {
        Some(cpus) if cpus < FEW_CPUS => {
            reported.push(format!("It works while the application runs, which has {cpus} CPUs."));
        }
        None => reported.push(
            "How many CPUs are free is not known: it works while the application \
                   runs."
                .into(),
        ),
        Some(_) => {}
    }
    if name.contains("ZGC") && heap.is_some_and(|it| it < COMPRESSED_BYTES) {
        reported.push("It has no compressed pointers: the same objects take more memory.".into());
    }
    if name == "G1" {
        reported.push(
            "It keeps remembered sets, and needs a somewhat larger heap for the same load.".into(),
        );
        if situation.feature().is_some_and(|it| it < 10) {
            reported.push(
                "Before JDK 10 its full collections have one thread: a later JDK is better.".into(),
            );
        }
    }
    if name == "Shenandoah" {
        reported.push("Not every build of this JDK has it.".into());
    }
    reported
}
