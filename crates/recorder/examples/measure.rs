//! Records a running JVM for a while and prints what the recorder cost.
//!
//! Usage: `measure PID SECONDS [--kernel-time] [--symbols] [--pauses]`. Needs root.
use recorder::{Options, Roots, Session, Windows};
use recording::{Coverage, Facts};
use std::{
    error::Error,
    io::{Write, stdout},
    time::{Duration, Instant},
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|it| it == name);
    let pid = arguments.first().ok_or("usage: measure PID SECONDS")?.parse()?;
    let seconds = arguments.get(1).ok_or("usage: measure PID SECONDS")?.parse()?;
    let jvm = recorder::jvm(&Roots::default(), pid)?;
    let options = Options {
        measure_kernel_time: has("--kernel-time"),
        windows: if has("--symbols") { Windows::Symbols } else { Windows::Auto },
        ..Options::default()
    };
    let mut session = Session::attach(&jvm, options)?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut safepoints, mut detailed, mut slices, mut stacks) = (0, 0, 0, 0);
    let mut add = |facts: &Facts| -> Result<(), Box<dyn Error>> {
        safepoints += facts.safepoints.len();
        detailed += facts.safepoints.iter().filter(|it| it.detailed).count();
        slices += facts.slices.len();
        stacks += facts.stacks.len();
        if has("--pauses") {
            writeln!(stdout(), "{facts:#?}")?;
        }
        Ok(())
    };
    while Instant::now() < end {
        let step = session.step();
        add(&step.facts)?;
        if step.exited {
            break;
        }
    }
    let programs = session.program_costs();
    let facts = session.finish();
    add(&facts)?;
    let mut out = stdout();
    writeln!(
        out,
        "safepoints {safepoints} ({detailed} in detail), slices {slices}, stacks {stacks}"
    )?;
    for it in programs.iter().filter(|it| it.calls > 0) {
        let each = it.time.as_nanos() / u128::from(it.calls);
        writeln!(out, "  {:22} {:9} calls {:6} ns each {:?}", it.name, it.calls, each, it.time)?;
    }
    print(&facts.coverage.unwrap_or_default(), &mut out)
}

fn print(it: &Coverage, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let share = |part: Duration, whole: Duration| 100.0 * part.as_secs_f64() / whole.as_secs_f64();
    writeln!(out, "switches/s {:.0}", it.switches as f64 / it.recorded.as_secs_f64())?;
    if let Some(time) = it.kernel_time {
        writeln!(
            out,
            "kernel {:.3} % of the JVM's cpu ({:?} of {:?})",
            share(time, it.jvm_cpu),
            time,
            it.jvm_cpu
        )?;
    }
    writeln!(
        out,
        "recorder {:.3} % of a core ({:?} in {:?})",
        share(it.recorder_cpu, it.recorded),
        it.recorder_cpu,
        it.recorded
    )?;
    writeln!(
        out,
        "peak {:.1} MiB, lost events {}, lost stacks {}",
        it.recorder_rss_bytes as f64 / 1048576.0,
        it.lost_events,
        it.lost_stacks
    )?;
    for (source, state) in &it.sources {
        writeln!(out, "  {} {state:?}", source.id())?;
    }
    for note in &it.notes {
        writeln!(out, "  note {}: {} ×{}", note.item, note.message, note.count)?;
    }
    Ok(())
}
