//! Files and streams of rows: what is written is read, and what is damaged is an error.
use crate::read::{Taken, of, testdata};
use arrow_array::{ArrayRef, StringArray};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};
use table::{Hour, ParquetFile, RecordBatch, Table};

fn write(path: &Path, table: Table, batches: &[RecordBatch]) {
    let mut file = ParquetFile::begin(table, File::create(path).expect("a file")).expect("a file");
    batches.iter().for_each(|it| file.write(it).expect("rows"));
    file.finish().expect("a file");
}

fn read(path: &Path, host: Option<&str>) -> Result<Vec<Hour>, String> {
    let mut hours = Vec::new();
    let file = File::open(path).expect("a file");
    let read = table::read_parquet(file, &mut |table, rows| {
        table::hours_of(table, rows, host, &mut |it| hours.push(it))
    });
    read.map(|()| hours).map_err(|error| error.to_string())
}

fn files(directory: &Path) -> (Taken, PathBuf, PathBuf) {
    let taken = of(&[testdata("recordings/cfs-throttling/recording")]);
    let (pauses, hours) = (directory.join("pauses.parquet"), directory.join("hours.parquet"));
    write(&pauses, Table::Pauses, &taken.pauses);
    write(&hours, Table::Hours, &taken.hours);
    (taken, pauses, hours)
}

#[test]
fn hours_come_back_as_they_were() {
    let directory = tempfile::tempdir().expect("a directory");
    let (taken, _, hours) = files(directory.path());
    assert_eq!(read(&hours, None).expect("rows"), taken.sums);
}

#[test]
fn pauses_add_up_to_the_same_hours() {
    let directory = tempfile::tempdir().expect("a directory");
    let (taken, pauses, _) = files(directory.path());
    let read = read(&pauses, None).expect("rows");
    let with_pauses: Vec<Hour> = taken.sums.into_iter().filter(|it| it.pauses > 0).collect();
    assert_eq!(read.len(), with_pauses.len());
    for (mut a, mut b) in read.into_iter().zip(with_pauses) {
        // How much was observed is not in the rows of pauses.
        for it in [&mut a, &mut b] {
            (it.covered_ns, it.recorded_ns) = (0, 0);
        }
        assert_eq!(a, b);
    }
}

#[test]
fn the_directory_of_a_host_goes_before_what_rows_say() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, _, hours) = files(directory.path());
    let read = read(&hours, Some("web-9")).expect("rows");
    assert!(read.iter().all(|it| it.origin.host == "web-9"));
}

#[test]
fn what_is_damaged_or_no_table_is_an_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, pauses, hours) = files(directory.path());
    let whole = fs::read(&hours).expect("a file");
    let path = directory.path().join("damaged.parquet");
    for cut in [0, 4, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).expect("a file");
        assert!(read(&path, None).is_err(), "{cut}");
    }
    for at in (0..whole.len()).step_by(whole.len() / 200) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(&path, damaged).expect("a file");
        // No panic, and no endless memory; some damage goes unseen.
        let _ = read(&path, None);
    }
    let other = testdata("recordings/cfs-throttling/recording/host-0000.parquet");
    assert_eq!(read(&other, None), Err("it is no table of pauses".into()));
    assert!(read(&pauses, None).is_ok());
}

#[test]
fn texts_that_unpack_to_more_than_rows_can_have_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_, pauses, _) = files(directory.path());
    let mut row = None;
    let first = &mut |_, rows: &RecordBatch| {
        row = Some(rows.slice(0, 1));
        Ok(())
    };
    table::read_parquet(File::open(&pauses).expect("a file"), first).expect("rows");
    let row = row.expect("a row");
    let mut columns = row.columns().to_vec();
    let at = row.schema().index_of("operation").expect("a column");
    columns[at] = Arc::new(StringArray::from(vec!["x".repeat(1 << 20)])) as ArrayRef;
    let long = RecordBatch::try_new(row.schema(), columns).expect("a row");
    let path = directory.path().join("long.parquet");
    let all = |rows: usize| {
        write(&path, Table::Pauses, &vec![long.clone(); rows]);
        read(&path, None).map(|it| it.iter().map(|it| it.pauses).sum::<u64>())
    };
    assert_eq!(all(200), Ok(200));
    let why = all(320).expect_err("320 MiB of texts in 320 rows");
    assert!(why.contains("more than any recording has"), "{why}");
    assert!(fs::metadata(&path).expect("a file").len() < 1 << 20);
}
