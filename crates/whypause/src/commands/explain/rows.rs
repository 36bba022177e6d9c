//! Rows of all inputs for other programs: a Parquet file, or a stream of Arrow.
use super::input::Input;
use crate::{
    Failure,
    args::{ExplainArgs, RowsFormat},
    console::Console,
};
use ::input::HostInputs;
use diagnose::Diagnosis;
use recording::Recording;
use report::Redactor;
use std::{
    io::{self, BufWriter, IsTerminal, Stdout, Write},
    ops::ControlFlow::{self, Break, Continue},
};
use table::{ArrowStream, ParquetFile, RecordBatch, Sink, Table, TableError, Tables};

/// Writes them to standard output. Each input says of itself which host it is of.
pub(super) fn write(
    inputs: Vec<Input>,
    format: RowsFormat,
    args: &ExplainArgs,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        return Err(Failure::input(
            format!("`--format {}` is not for a terminal", format.id()),
            "redirect it into a file: `> pauses.parquet`",
        ));
    }
    let table = args.table.unwrap_or(Table::Pauses);
    let out = Out::begin(format, table)?;
    let mut rows = Rows { out, redactor, console, failed: None, answer: None };
    let origin = args.origin.origin();
    let mut explained = Ok(());
    for input in inputs {
        // What two inputs have in common is known of one host alone.
        let one = HostInputs { inputs: vec![input], ..HostInputs::default() };
        table::host(&one, &origin, Tables::only(table), &mut rows);
        explained = rows.end_of_input();
        if explained.is_err() {
            break;
        }
    }
    rows.out.finish().map_err(failure)?;
    explained
}

fn failure(error: TableError) -> Failure {
    match error {
        TableError::Io(error) => error.into(),
        TableError::NoTable(why) => Failure::input(format!("cannot write the rows: {why}"), ""),
    }
}

enum Out {
    Parquet(ParquetFile<BufWriter<Stdout>>),
    Arrow(ArrowStream<BufWriter<Stdout>>),
}

impl Out {
    fn begin(format: RowsFormat, table: Table) -> Result<Out, Failure> {
        let out = BufWriter::new(io::stdout());
        let begun = match format {
            RowsFormat::Parquet => ParquetFile::begin(table, out).map(Out::Parquet),
            RowsFormat::Arrow => ArrowStream::begin(table, out).map(Out::Arrow),
        };
        begun.map_err(failure)
    }

    fn write(&mut self, rows: &RecordBatch) -> Result<(), TableError> {
        match self {
            Out::Parquet(out) => out.write(rows),
            Out::Arrow(out) => out.write(rows),
        }
    }

    fn finish(self) -> Result<(), TableError> {
        match self {
            Out::Parquet(out) => Ok(out.finish()?.flush()?),
            Out::Arrow(out) => out.finish(),
        }
    }
}

struct Rows<'a> {
    out: Out,
    redactor: &'a mut Redactor,
    console: &'a Console,
    failed: Option<Failure>,
    answer: Option<Result<(), Failure>>,
}

impl Rows<'_> {
    fn end_of_input(&mut self) -> Result<(), Failure> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        self.answer.take().unwrap_or(Ok(()))
    }
}

impl Sink for Rows<'_> {
    fn batch(&mut self, _: Table, rows: RecordBatch) -> ControlFlow<()> {
        match self.out.write(&rows) {
            Ok(()) => Continue(()),
            Err(error) => {
                self.failed = Some(failure(error));
                Break(())
            }
        }
    }

    fn event(&mut self, event: gclog::Event) -> gclog::Event {
        self.redactor.event(event)
    }

    fn recording(&mut self, recording: &mut Recording) {
        self.redactor.recording(recording);
    }

    fn source(&mut self, path: &str) -> String {
        self.redactor.path(path)
    }

    fn note(&mut self, note: &logset::Note) {
        self.console.note(note);
    }

    fn unread(&mut self, _: &str, error: &input::Error) {
        self.answer = Some(Err(error.clone().into()));
    }

    fn read(&mut self, _: &Input, diagnosis: &Diagnosis) {
        self.answer = Some(super::enough(diagnosis));
    }
}
