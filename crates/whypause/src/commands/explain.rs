//! `whypause explain`: from a GC log or a recording to an answer.
mod input;

use crate::{
    Exit, Failure,
    args::{ExplainArgs, Format},
    console::Console,
};
use diagnose::Diagnosis;
use recording::{Recording, Source, SourceState};
use report::Options;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

/// Several inputs are explained one after the other, each with a report of its own.
pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<Exit, Failure> {
    let options = Options { over: args.over, all_pauses: args.all_pauses, ..console.options() };
    for (n, path) in args.paths.iter().enumerate() {
        let diagnosis = diagnose(path, console)?;
        let mut out = BufWriter::new(io::stdout().lock());
        if args.paths.len() > 1 && args.format == Format::Text {
            let gap = if n > 0 { "\n" } else { "" };
            let name = report::text::clean(&path.display().to_string());
            writeln!(out, "{gap}==> {name} <==")?;
        }
        write(&diagnosis, args.format, &options, &mut out)?;
        out.flush()?;
        drop(out);
        enough(&diagnosis)?;
    }
    Ok(Exit::Fine)
}

/// Reads whatever `path` is: a log, `-`, or a recording.
pub(crate) fn diagnose(path: &Path, console: &Console) -> Result<Diagnosis, Failure> {
    if path.as_os_str() == "-" {
        return input::read_log(&mut io::stdin().lock(), "-", None, console);
    }
    let metadata = path.metadata().map_err(|error| Failure::file(path, &error))?;
    if metadata.is_dir() {
        let recording = Recording::open(path)?;
        return Ok(diagnose::diagnose_recording(&recording));
    }
    input::open_log(path, &metadata, console)
}

fn write(
    diagnosis: &Diagnosis,
    format: Format,
    options: &Options,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match format {
        Format::Text => out.write_all(report::terminal::render(diagnosis, options).as_bytes())?,
        Format::Markdown => {
            out.write_all(report::markdown::render(diagnosis, options).as_bytes())?;
        }
        Format::Json => report::json::write(diagnosis, options, out)?,
        Format::Csv => report::csv::write(diagnosis, out)?,
    }
    Ok(())
}

/// A recording that could not have seen a pause must not pass for one without pauses.
pub(crate) fn enough(diagnosis: &Diagnosis) -> Result<(), Failure> {
    const WINDOWS: [Source; 3] = [Source::SafepointProbes, Source::SafepointSymbols, Source::GcLog];
    let coverage = &diagnosis.coverage;
    if !diagnosis.pauses.is_empty() || WINDOWS.iter().any(|source| coverage.has(*source)) {
        return Ok(());
    }
    let reason = WINDOWS.iter().find_map(|source| match coverage.sources.get(source) {
        Some(SourceState::Missing(reason)) => Some(format!("{}: {reason}", source.id())),
        _ => None,
    });
    let reason = reason.unwrap_or_else(|| "the recording holds no word of its sources".to_owned());
    Err(Failure::not_enough(
        format!("nothing that was recorded can tell when the jvm was paused ({reason})"),
        "record as root, and let the jvm write a GC log: `-Xlog:gc*,safepoint:file=PATH`",
    ))
}
