//! What tests have in common: everything that a host comes to.
use input::{Error, HostInputs, Input};
use std::{
    ops::ControlFlow::{self, Continue},
    path::{Path, PathBuf},
};
use table::{Hour, Origin, RecordBatch, Sink, Table, Tables};

/// All that was given of a host.
#[derive(Default)]
pub(crate) struct Taken {
    pub(crate) pauses: Vec<RecordBatch>,
    pub(crate) stalls: Vec<RecordBatch>,
    pub(crate) hours: Vec<RecordBatch>,
    pub(crate) sums: Vec<Hour>,
    pub(crate) unread: Vec<String>,
}

impl Sink for Taken {
    fn batch(&mut self, table: Table, rows: RecordBatch) -> ControlFlow<()> {
        match table {
            Table::Pauses => self.pauses.push(rows),
            Table::Stalls => self.stalls.push(rows),
            Table::Hours => self.hours.push(rows),
        }
        Continue(())
    }

    fn hour(&mut self, hour: Hour) {
        self.sums.push(hour);
    }

    fn unread(&mut self, source: &str, error: &Error) {
        let name = Path::new(source).file_name().map(|it| it.display().to_string());
        self.unread.push(format!("{}: {error}", name.unwrap_or_default()));
    }
}

/// A path below `testdata`.
pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// What these inputs are, all of one host.
pub(crate) fn inputs(paths: &[PathBuf]) -> Vec<Input> {
    input::find(paths, Box::new(std::io::empty())).expect("inputs")
}

/// Everything that these inputs of one host come to.
pub(crate) fn of(paths: &[PathBuf]) -> Taken {
    let all = Tables { pauses: true, stalls: true, hours: true };
    let mut taken = Taken::default();
    let host =
        HostInputs { directory: "db-1".into(), inputs: inputs(paths), ..HostInputs::default() };
    table::host(&host, &Origin::default(), all, &mut taken);
    taken
}

/// The numbers of a column of all batches; what is null is left out.
pub(crate) fn column(batches: &[RecordBatch], name: &str) -> Vec<i64> {
    use arrow_array::{cast::AsArray, types::Int64Type};
    let of = |it: &RecordBatch| {
        let column = it.column_by_name(name).expect("a column");
        column.as_primitive::<Int64Type>().iter().flatten().collect::<Vec<_>>()
    };
    batches.iter().flat_map(of).collect()
}

/// Everything that these files of rows, and these inputs, of one host come to.
pub(crate) fn again(tables: &[PathBuf], paths: &[PathBuf], origin: &Origin) -> Taken {
    let all = Tables { pauses: true, stalls: true, hours: true };
    let inputs = if paths.is_empty() { Vec::new() } else { inputs(paths) };
    let host = HostInputs { host: None, directory: "db-1".into(), inputs, tables: tables.to_vec() };
    let mut taken = Taken::default();
    table::host(&host, origin, all, &mut taken);
    taken
}
