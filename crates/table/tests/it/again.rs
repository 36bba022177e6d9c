//! Rows that were written are read again, alone and beside what they were made of.
use crate::read::{Taken, again, column, of, testdata};
use arrow_array::{RecordBatch, cast::AsArray, types::Int32Type};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};
use table::{Origin, ParquetFile, Table};

const RECORDING: &str = "recordings/gc-log-write-blocked/recording";

fn write(path: &Path, table: Table, batches: &[RecordBatch]) -> PathBuf {
    let mut file = ParquetFile::begin(table, File::create(path).expect("a file")).expect("a file");
    batches.iter().for_each(|it| file.write(it).expect("rows"));
    file.finish().expect("a file");
    path.to_owned()
}

/// The rows of pauses and hours, as files.
fn files(taken: &Taken, directory: &Path) -> Vec<PathBuf> {
    vec![
        write(&directory.join("hours.parquet"), Table::Hours, &taken.hours),
        write(&directory.join("pauses.parquet"), Table::Pauses, &taken.pauses),
    ]
}

fn names(batches: &[RecordBatch], column: &str) -> Vec<String> {
    let of = |it: &RecordBatch| {
        let texts =
            it.column_by_name(column).expect("a column").as_dictionary::<Int32Type>().clone();
        let texts = texts.downcast_dict::<arrow_array::StringArray>().expect("texts");
        texts.into_iter().map(|it| it.unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of).collect()
}

fn sum(taken: &Taken, of: impl Fn(&table::Hour) -> u64) -> u64 {
    taken.sums.iter().map(of).sum()
}

#[test]
fn rows_come_back_as_they_were_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let first = of(&[testdata(RECORDING)]);
    let second = again(&files(&first, directory.path()), &[], &Origin::default());
    assert_eq!(second.unread, [""; 0]);
    assert_eq!(second.sums, first.sums);
    assert_eq!(second.pauses.len(), first.pauses.len());
    for (a, b) in first.pauses.iter().zip(&second.pauses) {
        assert_eq!((a.schema(), a.num_rows()), (b.schema(), b.num_rows()));
    }
    for name in ["host", "cause", "mechanism", "culprit", "file"] {
        assert_eq!(names(&second.pauses, name), names(&first.pauses, name), "{name}");
    }
    for name in ["duration_ns", "unexplained_ns", "cause_ns"] {
        assert_eq!(column(&second.pauses, name), column(&first.pauses, name), "{name}");
    }
}

#[test]
fn rows_beside_what_they_were_made_of_count_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let recording = testdata(RECORDING);
    let log = crate::hosts::log_of(&recording, directory.path());
    let from = [log, recording];
    let first = of(&from);
    let tables = files(&first, directory.path());
    let all = again(&tables, &from, &Origin::default());
    assert_eq!(sum(&all, |it| it.pauses), sum(&first, |it| it.pauses));
    assert_eq!(
        column(&all.pauses, "duration_ns").len(),
        column(&first.pauses, "duration_ns").len()
    );
    let (covered, once) = (sum(&all, |it| it.covered_ns), sum(&first, |it| it.covered_ns));
    // What lies before the first pause of the rows and after their last one is not known to be theirs.
    assert!(covered >= once && covered - once < 2_000_000_000, "{covered} of {once}");
}

#[test]
fn where_the_host_is_known_rows_cannot_name_another() {
    let directory = tempfile::tempdir().expect("a directory");
    let tables = files(&of(&[testdata(RECORDING)]), directory.path());
    let origin = Origin {
        host: "web-9".into(),
        labels: [("rack".into(), "r7".into())].into(),
        ..Origin::default()
    };
    let taken = again(&tables, &[], &origin);
    assert!(names(&taken.pauses, "host").iter().all(|it| it == "web-9"));
    assert!(
        taken.sums.iter().all(|it| it.origin.host == "web-9" && it.origin.labels["rack"] == "r7")
    );
}

#[test]
fn a_damaged_file_gives_nothing_and_the_others_are_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let first = of(&[testdata(RECORDING)]);
    let tables = files(&first, directory.path());
    let whole = fs::read(&tables[1]).expect("a file");
    let damaged = directory.path().join("damaged.parquet");
    fs::write(&damaged, &whole[..whole.len() - 9]).expect("a file");
    let taken = again(&[damaged, tables[0].clone()], &[], &Origin::default());
    assert_eq!(taken.unread.len(), 1, "{:?}", taken.unread);
    assert!(taken.pauses.is_empty());
    assert_eq!(taken.sums, first.sums);
}
