//! `whypause explain`: from a GC log or a recording to an answer.
mod input;
mod listing;

use crate::{Exit, Failure, args::ExplainArgs, console::Console};
use diagnose::{Attribution, Diagnosis, Keep};
use input::Input;
use listing::Listing;
use recording::{Clock, Recording, Source, SourceState};
use remedy::Command;
use report::{Format, Options, Redactor};
use std::{
    io::{self, BufWriter, Write},
    ops::ControlFlow::{Break, Continue},
    path::{Path, PathBuf},
};

/// The command that explains a recording.
pub(crate) fn command(recording: &Path) -> Command {
    Command::new("whypause").arg("explain").path(&recording.to_string_lossy())
}

/// Several inputs are explained one after the other, each with a report of its own.
pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<Exit, Failure> {
    let options = Options {
        over: args.over,
        full: args.full,
        all_pauses: args.all_pauses,
        ..console.options()
    };
    let inputs = input::inputs(&args.paths)?;
    let mut redactor = Redactor::new(args.redact, None);
    for (n, input) in inputs.iter().enumerate() {
        if args.format == Format::Csv {
            enough(&csv(input, &mut redactor, console)?)?;
            continue;
        }
        let listing = match args.all_pauses {
            true => Listing::read(input, &mut redactor, console)?,
            false => Listing::of(diagnose(input, &mut redactor, console)?),
        };
        let mut out = BufWriter::new(io::stdout().lock());
        if inputs.len() > 1 && args.format == Format::Text {
            let gap = if n > 0 { "\n" } else { "" };
            writeln!(out, "{gap}==> {} <==", report::text::clean(&input.name(&mut redactor)))?;
        }
        let diagnosis = listing.write(&mut redactor, console, |diagnosis, pauses| {
            args.format.write(diagnosis, pauses, &options, &mut out)?;
            Ok(out.flush()?)
        })?;
        drop(out);
        enough(&diagnosis)?;
    }
    Ok(Exit::Fine)
}

/// What one path is about: a log, a set of files that are one log, `-`, or a recording.
pub(crate) fn one(
    path: &Path,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<Diagnosis, Failure> {
    let mut inputs = input::inputs(&[path.to_owned()])?;
    let (Some(input), true) = (inputs.pop(), inputs.is_empty()) else {
        return Err(Failure::input(
            format!("`{}` holds the logs of several JVMs", path.display()),
            "name the files of one, such as `DIRECTORY/gc.log*` in quotes",
        ));
    };
    let diagnosis = diagnose(&input, redactor, console)?;
    enough(&diagnosis)?;
    Ok(diagnosis)
}

/// What each of the inputs that the paths name is about, with what the user knows it by.
pub(crate) fn each(
    paths: &[PathBuf],
    redactor: &mut Redactor,
    console: &Console,
) -> Result<Vec<(String, Diagnosis)>, Failure> {
    let mut read = |input: &Input| {
        let diagnosis = diagnose(input, redactor, console)?;
        enough(&diagnosis)?;
        Ok((input.name(redactor), diagnosis))
    };
    input::inputs(paths)?.iter().map(&mut read).collect()
}

/// As many as any report lists, and then some.
const LONGEST: Keep = Keep::Longest(1_000);

fn diagnose(
    input: &Input,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<Diagnosis, Failure> {
    match input {
        Input::Recording(path) => {
            let mut recording = Recording::open(path)?;
            redactor.recording(&mut recording);
            Ok(diagnose::diagnose_recording(&recording))
        }
        Input::Log(set) => {
            let name = input.name(redactor);
            let on_pause = &mut |_: &Attribution, _| Continue(());
            Ok(input::read_log(set, &name, LONGEST, on_pause, redactor, console)?.diagnosis)
        }
    }
}

/// Writes a log's pauses while it is read, so that they need no memory.
fn csv(input: &Input, redactor: &mut Redactor, console: &Console) -> Result<Diagnosis, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let Input::Log(set) = input else {
        let diagnosis = diagnose(input, redactor, console)?;
        report::csv::write(&diagnosis, &mut out)?;
        out.flush()?;
        return Ok(diagnosis);
    };
    let mut written = Ok(());
    let mut has_header = false;
    let mut row = |pause: &Attribution, clock: Clock| {
        if written.is_ok() && !has_header {
            written = report::csv::write_header(&mut out);
            has_header = true;
        }
        if written.is_ok() {
            written = report::csv::write_row(pause, clock, &mut out);
        }
        if written.is_ok() { Continue(()) } else { Break(()) }
    };
    let name = input.name(redactor);
    let keep = Keep::Longest(0);
    let read = input::read_log(set, &name, keep, &mut row, redactor, console)?;
    written?;
    if !has_header {
        report::csv::write_header(&mut out)?;
    }
    out.flush()?;
    Ok(read.diagnosis)
}

/// A recording that could not have seen a pause must not pass for one without pauses.
fn enough(diagnosis: &Diagnosis) -> Result<(), Failure> {
    const WINDOWS: [Source; 4] = [
        Source::SafepointProbes,
        Source::SafepointSymbols,
        Source::SafepointCounters,
        Source::GcLog,
    ];
    let coverage = &diagnosis.coverage;
    let lacks = diagnosis.lacks_for_stops();
    let log_tells = || lacks.is_none() && WINDOWS.iter().any(|source| coverage.has(*source));
    if diagnosis.statistics.all.count > 0 || log_tells() {
        return Ok(());
    }
    if lacks == Some(Source::StopState) {
        let why = match coverage.sources.get(&Source::StopState) {
            Some(SourceState::Missing(why)) => why.as_str(),
            _ => "the recording does not say so",
        };
        return Err(Failure::not_enough(
            format!(
                "no pause was seen, and whether the JVM was stopped all the time is unknown ({why})"
            ),
            "record for longer: a running JVM has a stop sooner or later; a JVM that hangs does \
             not answer `jcmd PID Thread.print`",
        ));
    }
    let reason = WINDOWS.iter().find_map(|source| match coverage.sources.get(source) {
        Some(SourceState::Missing(reason) | SourceState::Partial(reason)) => {
            Some(format!("{}: {reason}", source.title()))
        }
        _ => None,
    });
    let reason = reason.unwrap_or_else(|| "the recording does not list its sources".to_owned());
    Err(Failure::not_enough(
        format!("no source that was recorded shows when the JVM was paused ({reason})"),
        "record as root with `--log-safepoints`, or let the JVM write a GC log: `-Xlog:gc*,safepoint:file=PATH`",
    ))
}
