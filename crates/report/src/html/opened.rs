//! The longest pauses, opened: what each thread that mattered did, and what a GC log says.
use super::{
    chain,
    columns::Columns,
    numbered::Numbered,
    stages::{self, Stage},
    times::us,
};
use crate::clean::{MOST_NAME, MOST_PATH, clean, clean_name};
use diagnose::{Diagnosis, Finding, Pause};
use recording::{ThreadRole, ThreadState};
use serde::Serialize;

/// Number of writers that are named.
const MOST_WRITERS: usize = 3;

/// See `Opened` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct Opened<'a> {
    pause: usize,
    /// Who waited for whom, in a sentence.
    chain: String,
    reached_us: f64,
    segments: Vec<Segment>,
    lanes: Vec<Lane>,
    waits: Vec<Wait>,
    phases: Vec<Phase<'a>>,
    stages: Vec<Stage>,
    needs: Vec<String>,
    left_out: u64,
}

#[derive(Serialize)]
struct Segment {
    start_us: f64,
    length_us: f64,
    cause: Option<usize>,
    lane: Option<usize>,
}

#[derive(Serialize)]
struct Lane {
    tid: u32,
    name: String,
    role: &'static str,
    spans: Vec<Span>,
}

#[derive(Serialize)]
struct Span {
    start_us: f64,
    length_us: f64,
    state: &'static str,
    wait: Option<usize>,
    woken_by: Option<usize>,
}

#[derive(Serialize)]
struct Wait {
    call: String,
    file: String,
    file_system: String,
    device: String,
    waits_for: &'static str,
    cpu_holder: String,
    certainty: &'static str,
    writers: Vec<String>,
    stack: Vec<String>,
    marked: Option<usize>,
}

#[derive(Serialize)]
struct Phase<'a> {
    name: &'a str,
    length_us: f64,
}

/// Those of the opened pauses that are on the page.
pub(super) fn of<'a>(
    diagnosis: &'a Diagnosis,
    columns: &Columns,
    causes: &mut Numbered,
) -> Vec<Opened<'a>> {
    let all = diagnosis.opened.iter();
    all.filter_map(|it| {
        let pause = &diagnosis.pauses.get(it.pause)?.pause;
        Some(opened(diagnosis, it, columns.place(pause.start_ns, pause.duration)?, pause, causes))
    })
    .collect()
}

/// One of them, which is at `pause` on the page.
pub(super) fn opened<'a>(
    diagnosis: &'a Diagnosis,
    it: &'a diagnose::Opened,
    pause: usize,
    about: &Pause,
    causes: &mut Numbered,
) -> Opened<'a> {
    let segment = |it: &diagnose::Stretch| Segment {
        start_us: us(it.start),
        length_us: us(it.length),
        cause: it.cause.map(|it| causes.of(it)),
        lane: it.lane,
    };
    Opened {
        pause,
        chain: chain::of(diagnosis, it, about),
        reached_us: us(about.reaching),
        segments: it.account.iter().map(segment).collect(),
        lanes: it.lanes.iter().map(lane).collect(),
        waits: it.waits.iter().map(|wait| self::wait(diagnosis, wait)).collect(),
        phases: it
            .phases
            .iter()
            .map(|it| Phase { name: it.phase.id(), length_us: us(it.duration) })
            .collect(),
        stages: stages::of(it, about),
        // Where threads were seen, they show more than any log.
        needs: if it.lanes.is_empty() { stages::needs(diagnosis, it, about) } else { Vec::new() },
        left_out: it.left_out,
    }
}

fn lane(it: &diagnose::Lane) -> Lane {
    Lane {
        tid: it.tid,
        name: clean_name(&it.name, MOST_NAME),
        role: match it.role {
            ThreadRole::VmThread => "VM thread",
            ThreadRole::GcWorker => "GC thread",
            ThreadRole::GcConcurrent => "concurrent GC thread",
            ThreadRole::Compiler => "compiler thread",
            ThreadRole::VmInternal => "JVM thread",
            ThreadRole::Java => "application thread",
        },
        spans: it.spans.iter().map(span).collect(),
    }
}

fn span(it: &diagnose::Span) -> Span {
    Span {
        start_us: us(it.start),
        length_us: us(it.length),
        state: match it.state {
            ThreadState::OnCpu => "cpu",
            ThreadState::Runnable => "runnable",
            ThreadState::Throttled => "throttled",
            ThreadState::Blocked if it.is_idle => "idle",
            ThreadState::Blocked => "blocked",
            ThreadState::Stopped => "stopped",
        },
        wait: it.wait,
        woken_by: it.woken_by,
    }
}

fn wait(diagnosis: &Diagnosis, it: &diagnose::Wait) -> Wait {
    let place = &it.place;
    Wait {
        call: clean(&place.call),
        file: clean_name(&place.path, MOST_PATH),
        file_system: clean_name(&place.file_system, MOST_NAME),
        device: clean_name(&place.device, MOST_NAME),
        waits_for: it.waits_for.unwrap_or_default(),
        cpu_holder: it.cpu_holder.as_ref().map_or_else(String::new, |(pid, name)| {
            format!("{} (pid {pid})", clean_name(name, MOST_NAME))
        }),
        certainty: it.certainty.id(),
        writers: writers(diagnosis, place),
        stack: place.stack.iter().map(|it| clean_name(it, MOST_NAME)).collect(),
        marked: it.marked,
    }
}

/// Who wrote to the disk of a wait: what the finding with the same file knows.
fn writers(diagnosis: &Diagnosis, place: &diagnose::WaitLocation) -> Vec<String> {
    let is_there = |it: &&Finding| {
        it.place.as_ref().is_some_and(|of| !of.path.is_empty() && of.path == place.path)
    };
    let finding = diagnosis.findings.iter().find(is_there);
    let culprits = finding.map_or(&[][..], |it| &it.culprits);
    culprits.iter().take(MOST_WRITERS).map(|it| clean(&it.statement)).collect()
}
