//! `whypause compare`: two runs side by side.
use super::explain;
use crate::{
    Exit, Failure,
    args::{CompareArgs, Format},
    console::Console,
};
use report::{Redactor, html::compared};
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &CompareArgs, console: &Console) -> Result<Exit, Failure> {
    if args.before.as_os_str() == "-" && args.after.as_os_str() == "-" {
        return Err(Failure::input(
            "both runs are `-`",
            "there is one standard input: give the other run as a file",
        ));
    }
    // One for both: what is in both runs has one name.
    let mut redactor = Redactor::new(args.redact, None);
    if args.format == Format::Html {
        return page(args, &mut redactor, console);
    }
    let before = explain::one(&args.before, &mut redactor, console)?;
    let after = explain::one(&args.after, &mut redactor, console)?;
    let comparison = diagnose::compare(&before, &after);
    let mut out = BufWriter::new(io::stdout().lock());
    match args.format {
        Format::Text => {
            let text = report::compare::terminal::render(&comparison, &console.options());
            out.write_all(text.as_bytes())?;
        }
        Format::Markdown => {
            out.write_all(report::compare::markdown::render(&comparison).as_bytes())?;
        }
        Format::Html => unreachable!("a page has all pauses"),
        Format::Json => report::compare::json::write(&comparison, &mut out)?,
        Format::Csv => report::compare::csv::write(&comparison, &mut out)?,
    }
    out.flush()?;
    Ok(Exit::Fine)
}

fn page(args: &CompareArgs, redactor: &mut Redactor, console: &Console) -> Result<Exit, Failure> {
    let (before, a) =
        explain::one_with_pauses(&args.before, redactor, console, compared::pauses_of)?;
    let (after, b) = explain::one_with_pauses(&args.after, redactor, console, compared::pauses_of)?;
    let comparison = diagnose::compare(&before, &after);
    let mut out = BufWriter::new(io::stdout().lock());
    compared::write(&comparison, [a, b], &console.options(), &mut out)?;
    out.flush()?;
    Ok(Exit::Fine)
}
