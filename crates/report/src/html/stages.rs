//! The stages of an opened stop as its GC log gives them, and what a log would need to tell more.
use super::times::us;
use crate::clean::{MOST_NAME, clean_name};
use diagnose::{Diagnosis, Pause, PauseKind, StageKind};
use gclog::{Collector, GcEvent, GcKind, YoungKind};
use serde::Serialize;
use std::time::Duration;

/// See `Stage` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct Stage {
    kind: &'static str,
    name: String,
    detail: String,
    length_us: f64,
    /// User, system and elapsed time.
    cpu_us: Option<[f64; 3]>,
    steps: Vec<(String, f64)>,
}

/// The stages of an opened pause.
pub(super) fn of(it: &diagnose::Opened, pause: &Pause) -> Vec<Stage> {
    let is_collection = |it: &diagnose::Stage| matches!(it.kind, StageKind::Collection(_));
    let has_collection = it.stages.iter().any(is_collection);
    it.stages.iter().map(|it| stage(it, pause, has_collection)).collect()
}

fn stage(it: &diagnose::Stage, pause: &Pause, has_collection: bool) -> Stage {
    let plain = |kind, name: &str, detail: String| Stage {
        kind,
        name: name.to_owned(),
        detail,
        length_us: us(it.length),
        cpu_us: None,
        steps: Vec::new(),
    };
    match &it.kind {
        StageKind::Reaching => plain("reaching", "time to safepoint", String::new()),
        StageKind::Rest if has_collection || pause.operation.is_empty() => {
            plain("rest", "rest of the stop", String::new())
        }
        StageKind::Rest => plain("rest", "operation", clean_name(&pause.operation, MOST_NAME)),
        StageKind::Collection(gc) => Stage {
            cpu_us: gc.cpu.map(|it| [us(it.user), us(it.sys), us(it.real)]),
            steps: steps(gc, it.length),
            ..plain("collection", &name(gc), cause(gc))
        },
    }
}

/// The steps of a collection. Where the log has none, its phases are, if they can have followed each
/// other: phases of threads that work side by side are longer than the collection.
fn steps(gc: &GcEvent, length: Duration) -> Vec<(String, f64)> {
    let steps = gc.steps.iter().map(|it| (it.name.to_owned(), it.duration));
    let phases = gc.phases.iter().map(|it| (it.phase.id().replace('-', " "), it.duration));
    let of = |all: Vec<(String, Duration)>| {
        let sum: Duration = all.iter().map(|it| it.1).sum();
        // Each is rounded to a tenth of a millisecond at worst.
        let fits = !all.is_empty() && sum <= length + all.len() as u32 * Duration::from_micros(50);
        fits.then_some(all)
    };
    let found = of(steps.collect()).or_else(|| of(phases.collect())).unwrap_or_default();
    let found = found.into_iter().filter(|it| !it.1.is_zero());
    found.map(|(name, time)| (name, us(time))).collect()
}

fn cause(gc: &GcEvent) -> String {
    gc.cause.as_deref().map_or_else(String::new, |it| clean_name(it, MOST_NAME))
}

fn name(gc: &GcEvent) -> String {
    let id = gc.kind.id().replace('-', " ");
    match gc.kind {
        GcKind::Young(YoungKind::Normal) | GcKind::Full | GcKind::Degenerated => {
            format!("{id} collection")
        }
        GcKind::Young(_) => id.replacen("young ", "young collection (", 1) + ")",
        _ => id,
    }
}

/// What the log would need to tell more of an opened pause, a sentence each.
pub(super) fn needs(diagnosis: &Diagnosis, it: &diagnose::Opened, pause: &Pause) -> Vec<String> {
    let is_legacy = diagnosis.inputs.iter().any(|it| it.lines_legacy > 0);
    let mut needs = Vec::new();
    for stage in &it.stages {
        let StageKind::Collection(gc) = &stage.kind else { continue };
        let phases = steps(gc, stage.length).is_empty().then(|| phases_need(gc, is_legacy));
        let times = gc.cpu.is_none().then(|| times_need(gc, is_legacy)).flatten();
        needs.extend(match (phases, times) {
            (Some(Some(option)), Some(other)) if option == other => vec![format!(
                "The phases of this collection, and its user, sys and real time, need `{option}`."
            )],
            (phases, times) => {
                let phases = phases.map(|it| match it {
                    Some(option) => format!("The phases of this collection need `{option}`."),
                    None => without_phases(gc),
                });
                let times = times.map(|option| {
                    format!("User, sys and real time of a collection need `{option}`.")
                });
                phases.into_iter().chain(times).collect()
            }
        });
    }
    if pause.kind == PauseKind::Gc {
        let option =
            if is_legacy { "-XX:+PrintGCApplicationStoppedTime" } else { "-Xlog:safepoint" };
        needs.push(format!(
            "Time to safepoint and the rest of the stop need `{option}`: the log has the collection alone."
        ));
    }
    needs.dedup();
    needs
}

/// The option that logs the phases of such a collection; `None` where none does.
fn phases_need(gc: &GcEvent, is_legacy: bool) -> Option<&'static str> {
    match (gc.collector, gc.kind) {
        (
            Some(
                Collector::Zgc
                | Collector::Shenandoah
                | Collector::Epsilon
                | Collector::NativeImage,
            ),
            _,
        ) => None,
        (Some(Collector::G1) | None, GcKind::Young(_)) if is_legacy => Some("-XX:+PrintGCDetails"),
        _ if is_legacy => None,
        (Some(Collector::G1) | None, GcKind::Young(_)) | (_, GcKind::Full) => Some("-Xlog:gc*"),
        (_, GcKind::Remark) => Some("-Xlog:gc*,gc+phases=debug"),
        _ => None,
    }
}

/// The option that logs the CPU time of a collection; `None` where none does.
fn times_need(gc: &GcEvent, is_legacy: bool) -> Option<&'static str> {
    match (gc.collector, gc.kind) {
        (
            Some(
                Collector::Zgc
                | Collector::Shenandoah
                | Collector::Epsilon
                | Collector::NativeImage,
            ),
            _,
        ) => None,
        (_, GcKind::Young(_) | GcKind::Full) if is_legacy => Some("-XX:+PrintGCDetails"),
        (_, GcKind::Young(_) | GcKind::Full) => Some("-Xlog:gc*"),
        _ => None,
    }
}

fn without_phases(gc: &GcEvent) -> String {
    let collector = match gc.collector {
        Some(Collector::G1) => "G1",
        Some(Collector::Parallel) => "Parallel",
        Some(Collector::Serial) => "Serial",
        Some(Collector::Cms) => "CMS",
        Some(Collector::Zgc) => "ZGC",
        Some(Collector::Shenandoah) => "Shenandoah",
        Some(Collector::Epsilon | Collector::NativeImage) | None => "this collector",
    };
    format!("No option of {collector} logs the phases of this pause ({}).", name(gc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnose::Keep;

    fn read(log: &str) -> Diagnosis {
        let mut diagnosis = diagnose::LogDiagnosis::new(Keep::All);
        let mut parser = gclog::Parser::new();
        for line in log.lines() {
            parser.line(line.as_bytes(), &mut |event| diagnosis.event(event));
        }
        parser.finish(&mut |event| diagnosis.event(event));
        diagnosis.finish(diagnose::InputSummary::of_log(String::new(), 0, &parser.counts(), 0))
    }

    /// The stages of the first opened pause as JSON, and what its log would need.
    fn first(log: &str) -> (serde_json::Value, Vec<String>) {
        let diagnosis = read(log);
        let opened = &diagnosis.opened[0];
        let pause = &diagnosis.pauses[opened.pause].pause;
        let stages = serde_json::to_value(of(opened, pause)).expect("JSON");
        (stages, needs(&diagnosis, opened, pause))
    }

    #[test]
    fn a_log_of_little_says_what_it_would_need() {
        let (stages, needs) = first(
            "[1.0s][info][gc] Using G1\n\
             [5.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 8.000ms\n",
        );
        assert_eq!(stages[0]["name"], "young collection");
        assert_eq!(stages[0]["length_us"], 8_000.0);
        assert_eq!(needs.len(), 2, "{needs:?}");
        assert!(needs[0].contains("`-Xlog:gc*`"), "{needs:?}");
        assert!(needs[1].contains("`-Xlog:safepoint`"), "{needs:?}");
    }

    #[test]
    fn phases_that_threads_worked_on_side_by_side_are_no_steps() {
        let gc = |phases: &str| {
            format!(
                "[1.0s][info][gc] Using Serial\n{phases}\
                 [5.0s][info][gc] GC(0) Pause Young (Allocation Failure) 24M->4M(256M) 8.000ms\n"
            )
        };
        let steps = |phases: &str| first(&gc(phases)).0[0]["steps"].clone();
        let of = |ms: &str| format!("[4.9s][debug][gc,phases] GC(0) Reference Processing {ms}ms\n");
        assert_eq!(steps(&of("7.000"))[0][0], "reference processing");
        assert_eq!(steps(&of("9.000")), serde_json::json!([]));
    }
}
