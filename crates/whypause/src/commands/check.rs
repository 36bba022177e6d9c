//! `whypause check`: gates for CI.
use super::explain;
use crate::{
    Exit, Failure, accepted,
    args::{CheckArgs, CheckFormat},
    console::Console,
    failure::reason,
};
use diagnose::{Gate, Outcome};
use report::{
    Options, Redactor,
    check::{self, Checked},
};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

pub(crate) fn run(args: &CheckArgs, console: &Console) -> Result<Exit, Failure> {
    let gates = gates(&args.fail_if)?;
    let accepted = accepted::all(&args.accepted, console)?;
    if args.paths.iter().filter(|it| it.as_os_str() == "-").count() > 1 {
        return Err(Failure::input("`-` is given twice", "there is one standard input"));
    }
    let options = console.options();
    let mut all = Vec::new();
    let mut redactor = Redactor::new(args.redact, None);
    for (name, run) in explain::each(&args.paths, &mut redactor, console)? {
        let options = Options { zone: args.zone.of(run.log_offset_min), ..options.clone() };
        all.extend(check::judge(&name, &run.diagnosis, &gates, &accepted, &options));
    }
    if let Some(path) = &args.junit {
        let failed = |error: io::Error| {
            let (path, reason) = (path.display(), reason(&error));
            Failure::input(format!("cannot write `{path}`: {reason}"), "")
        };
        write_file(path, &junit(&all)?).map_err(failed)?;
    }
    let mut out = io::stdout().lock();
    match args.format {
        CheckFormat::Text => out.write_all(check::terminal::render(&all, &options).as_bytes())?,
        CheckFormat::Json => check::json::write(&all, &mut out)?,
        CheckFormat::Junit => out.write_all(&junit(&all)?)?,
        CheckFormat::Github => check::github::write(&all, &mut out)?,
    }
    out.flush()?;
    Ok(if args.exit_zero { Exit::Fine } else { exit(&all) })
}

fn gates(texts: &[String]) -> Result<Vec<Gate>, Failure> {
    let gate = |text: &String| {
        Gate::parse(text).map_err(|error| Failure::input(error.message, error.hint))
    };
    texts.iter().map(gate).collect()
}

fn junit(all: &[Checked]) -> Result<Vec<u8>, Failure> {
    let mut xml = Vec::new();
    check::junit::write(all, &mut xml)?;
    Ok(xml)
}

/// A gate that failed decides, whatever the others could not tell.
fn exit(all: &[Checked]) -> Exit {
    let any = |outcome| all.iter().any(|it| it.outcome == outcome);
    match (any(Outcome::Failed), any(Outcome::Unknown)) {
        (true, _) => Exit::Gate,
        (_, true) => Exit::NotEnough,
        _ => Exit::Fine,
    }
}

/// Writes a file as a whole or not at all: beside it first, and then renamed, so that a reader never sees
/// half a report. A pipe or a device is written to as it is.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut aside = OsString::from(".");
    aside.push(name);
    aside.push(format!(".{}.new", std::process::id()));
    let aside = path.with_file_name(aside);
    // A new file and no other: nobody can have put a link there.
    let written = File::create_new(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        // Whatever is left of it is of no use; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&aside);
    }
    written
}
