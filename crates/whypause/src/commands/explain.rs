//! `whypause explain`: from a GC log or a recording to an answer.
mod input;
mod kept;
mod listing;
mod rows;
mod table;

use crate::{
    Exit, Failure,
    args::{AnswerFormat, ExplainArgs},
    console::Console,
};
use ::input::log_offset_min;
use diagnose::{Attribution, Diagnosis, Keep};
use input::Input;
use listing::Listing;
use recording::Recording;
use remedy::Command;
use report::{Format, Options, Pauses, Redactor};
use std::{
    io::{self, BufWriter, Write},
    ops::ControlFlow::Continue,
    path::{Path, PathBuf},
    time::Duration,
};

/// From how long on pauses are listed, where nothing else was asked for.
const LIST_OVER: Duration = Duration::from_millis(50);

/// The command that explains a recording.
pub(crate) fn command(recording: &Path) -> Command {
    Command::new("whypause").arg("explain").path(&recording.to_string_lossy())
}

/// Several inputs are explained one after the other, each with a report of its own; for programs they
/// make one document, or one table.
pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<Exit, Failure> {
    let inputs = match kept::Directory::among(&args.paths) {
        Some(kept) => match kept.answer(args, console)? {
            Some(one) => vec![one],
            None => return Ok(Exit::Fine),
        },
        None if args.at.is_some() => return Err(kept::nothing_kept(&args.paths)),
        None => input::inputs(&args.paths)?,
    };
    let mut redactor = Redactor::new(args.redact, None);
    let format = match args.format {
        AnswerFormat::Report(format) => format,
        AnswerFormat::Rows(format) => {
            rows::write(inputs, format, args, &mut redactor, console)?;
            return Ok(Exit::Fine);
        }
    };
    if args.table.is_some() || args.origin.is_given() {
        return Err(Failure::input(
            "`--table`, `--host`, `--cluster` and `--label` are about rows",
            "add `--format parquet`, or `--format arrow` for a pipe",
        ));
    }
    match format {
        Format::Csv => table::write(&inputs, &mut redactor, console)?,
        Format::Json if inputs.len() > 1 => document(&inputs, args, &mut redactor, console)?,
        Format::Html | Format::Perfetto if inputs.len() > 1 => {
            return Err(Failure::input(
                format!("`--format {}` is about one input", format.id()),
                "explain one after the other, each into a file of its own",
            ));
        }
        _ => reports(&inputs, format, args, &mut redactor, console)?,
    }
    Ok(Exit::Fine)
}

/// A report for each input.
fn reports(
    inputs: &[Input],
    format: Format,
    args: &ExplainArgs,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<(), Failure> {
    for (n, input) in inputs.iter().enumerate() {
        let listing = listing(input, format, args, redactor, console)?;
        let options = options(args, input, listing.log_offset_min, console);
        let mut out = BufWriter::new(io::stdout().lock());
        if inputs.len() > 1 && format == Format::Text {
            let gap = if n > 0 { "\n" } else { "" };
            writeln!(out, "{gap}==> {} <==", report::text::clean(&input::name(input, redactor)))?;
        }
        let diagnosis = listing.write(redactor, console, |diagnosis, pauses| {
            format.write(diagnosis, pauses, &options, &mut out)?;
            Ok(out.flush()?)
        })?;
        drop(out);
        enough(&diagnosis)?;
    }
    Ok(())
}

/// One document with all answers. It is ended also where an input cannot be explained, so that what was
/// written can be read.
fn document(
    inputs: &[Input],
    args: &ExplainArgs,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<(), Failure> {
    let mut document = report::json::Several::begin(BufWriter::new(io::stdout().lock()))?;
    let answered = inputs.iter().try_for_each(|input| {
        let listing = listing(input, Format::Json, args, redactor, console)?;
        let options = options(args, input, listing.log_offset_min, console);
        let diagnosis = listing.write(redactor, console, |diagnosis, pauses| {
            Ok(document.add(diagnosis, pauses, &options)?)
        })?;
        enough(&diagnosis)
    });
    document.end()?;
    answered
}

fn listing<'a>(
    input: &'a Input,
    format: Format,
    args: &ExplainArgs,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<Listing<'a>, Failure> {
    match args.all_pauses || format.has_all_pauses() {
        true => Listing::read(input, redactor, console),
        false => Ok(Listing::of(diagnose(input, redactor, console)?)),
    }
}

fn options(
    args: &ExplainArgs,
    input: &Input,
    log_offset_min: Option<i16>,
    console: &Console,
) -> Options {
    let over = args.over.unwrap_or(LIST_OVER);
    let over = match input {
        // It was kept for that, however short it is.
        Input::Kept(_, kept) => over.min(kept.length),
        _ => over,
    };
    Options {
        over,
        full: args.full,
        all_pauses: args.all_pauses,
        ..console.options_in(args.zone.of(log_offset_min))
    }
}

/// What one path is about: a log, a set of files that are one log, `-`, or a recording.
pub(crate) fn one(
    path: &Path,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<Diagnosis, Failure> {
    let Read { diagnosis, .. } = diagnose(&single(path)?, redactor, console)?;
    enough(&diagnosis)?;
    Ok(diagnosis)
}

/// The same with what `take` makes of all its pauses.
pub(crate) fn one_with_pauses<T>(
    path: &Path,
    redactor: &mut Redactor,
    console: &Console,
    take: impl FnOnce(&Diagnosis, &mut dyn Pauses, &Options) -> io::Result<T>,
) -> Result<(Diagnosis, T), Failure> {
    let input = single(path)?;
    let listing = Listing::read(&input, redactor, console)?;
    enough(&listing.diagnosis)?;
    let options = console.options();
    let mut taken = None;
    let diagnosis = listing.write(redactor, console, |diagnosis, pauses| {
        taken = Some(take(diagnosis, pauses, &options)?);
        Ok(())
    })?;
    Ok((diagnosis, taken.expect("what was written was taken")))
}

fn single(path: &Path) -> Result<Input, Failure> {
    let mut inputs = input::inputs(&[path.to_owned()])?;
    let (Some(input), true) = (inputs.pop(), inputs.is_empty()) else {
        return Err(Failure::input(
            format!("`{}` holds the logs of several JVMs", path.display()),
            "name the files of one, such as `DIRECTORY/gc.log*` in quotes",
        ));
    };
    Ok(input)
}

/// What each of the inputs that the paths name is about, with what the user knows it by.
pub(crate) fn each(
    paths: &[PathBuf],
    redactor: &mut Redactor,
    console: &Console,
) -> Result<Vec<(String, Read)>, Failure> {
    let mut read = |input: &Input| {
        let read = diagnose(input, redactor, console)?;
        enough(&read.diagnosis)?;
        Ok((input::name(input, redactor), read))
    };
    input::inputs(paths)?.iter().map(&mut read).collect()
}

/// What an input is about.
pub(crate) struct Read {
    pub(crate) diagnosis: Diagnosis,
    /// How many minutes the dates of its GC log are ahead of UTC.
    pub(crate) log_offset_min: Option<i16>,
}

/// As many as any report lists, and then some.
const LONGEST: Keep = Keep::Longest(1_000);

fn diagnose(input: &Input, redactor: &mut Redactor, console: &Console) -> Result<Read, Failure> {
    match input {
        Input::Recording(path) => {
            let mut recording = Recording::open(path)?;
            redactor.recording(&mut recording);
            let log_offset_min = log_offset_min(&recording.facts);
            Ok(Read { diagnosis: diagnose::diagnose_recording(&recording), log_offset_min })
        }
        Input::Kept(path, kept) => {
            let (diagnosis, log_offset_min) = kept::diagnose(path, kept, redactor)?;
            Ok(Read { diagnosis, log_offset_min })
        }
        Input::Log(set) => {
            let name = input::name(input, redactor);
            let on_pause = &mut |_: &Attribution, _| Continue(());
            let read = input::read_log(set, &name, LONGEST, on_pause, redactor, console)?;
            Ok(Read { diagnosis: read.diagnosis, log_offset_min: set.utc_offset_minutes() })
        }
    }
}

/// A recording that could not have seen a pause must not pass for one without pauses.
fn enough(diagnosis: &Diagnosis) -> Result<(), Failure> {
    ::input::enough(diagnosis).map_err(|it| Failure::not_enough(it.to_string(), it.hint()))
}
