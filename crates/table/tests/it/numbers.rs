//! Rows, sums and answers have the same numbers.
use crate::read::{column, of, testdata};
use diagnose::{Diagnosis, Keep};
use input::{Input, Take};
use std::{fs, path::PathBuf};
use table::Hour;

struct Nothing;

impl Take for Nothing {}

/// Recordings and logs to try: each recording of the test data, and a log of each JDK.
fn paths() -> Vec<PathBuf> {
    let recordings = fs::read_dir(testdata("recordings")).expect("test data");
    let recordings = recordings.filter_map(|it| Some(it.ok()?.path().join("recording")));
    let mut paths: Vec<PathBuf> = recordings.filter(|it| it.is_dir()).collect();
    paths.extend(
        [
            "cfs-q50000-g1-p100000-1-r0.jdk17.log.gz",
            "FAULT-gclog-writestall-cms-parnew.jdk8.log.gz",
        ]
        .map(|it| testdata("labelled").join(it)),
    );
    paths.sort();
    paths
}

fn answer(path: &PathBuf) -> Diagnosis {
    match &crate::read::inputs(std::slice::from_ref(path))[0] {
        Input::Log(set) => {
            input::log(set, "log", Keep::All, &mut Nothing).expect("a log").diagnosis
        }
        _ => input::recording(path, |_| {}, &mut Nothing).expect("a recording").1,
    }
}

#[test]
fn rows_and_sums_are_those_of_the_answer() {
    for path in paths() {
        let (taken, answer) = (of(std::slice::from_ref(&path)), answer(&path));
        let all = answer.statistics.all;
        let lengths = column(&taken.pauses, "duration_ns");
        let sum = |of: &[i64]| of.iter().map(|it| i128::from(*it)).sum::<i128>();
        let name = path.display();
        assert_eq!(lengths.len() as u64, all.count, "{name}");
        assert_eq!(sum(&lengths), all.total.as_nanos().cast_signed(), "{name}");
        assert_eq!(
            sum(&column(&taken.pauses, "unexplained_ns")),
            answer.statistics.unattributed.as_nanos().cast_signed(),
            "{name}"
        );
        let hours = |of: fn(&Hour) -> u64| taken.sums.iter().map(of).sum::<u64>();
        assert_eq!(hours(|it| it.pauses), all.count, "{name}");
        assert_eq!(hours(|it| it.lengths.count()), all.count, "{name}");
        assert_eq!(u128::from(hours(|it| it.stopped_ns)), all.total.as_nanos(), "{name}");
        for finding in answer.findings.iter().filter(|it| it.cause.explains() && it.pauses > 0) {
            let of_cause = taken.sums.iter().filter_map(|it| it.causes.get(finding.cause.id));
            let ns: u64 = of_cause.map(|it| it.ns).sum();
            assert_eq!(u128::from(ns), finding.time.as_nanos(), "{name}: {}", finding.cause.id);
        }
    }
}

#[test]
fn the_parts_of_a_row_and_what_is_unexplained_make_its_length() {
    use arrow_array::{Array, cast::AsArray, types::Int64Type};
    for path in paths() {
        for batch in of(std::slice::from_ref(&path)).pauses {
            let column = |name: &str| batch.column_by_name(name).expect("a column").clone();
            let (length, rest) = (column("duration_ns"), column("unexplained_ns"));
            let parts = column("parts");
            for row in 0..batch.num_rows() {
                let items = parts.as_list::<i32>().value(row);
                let ns = items.as_struct().column_by_name("ns").expect("a field").clone();
                let parts: i64 = ns.as_primitive::<Int64Type>().values().iter().sum();
                let rest = rest.as_primitive::<Int64Type>().value(row);
                let length = length.as_primitive::<Int64Type>().value(row);
                assert_eq!(parts + rest, length, "{}", path.display());
            }
            assert_eq!(length.null_count(), 0);
        }
    }
}

#[test]
fn a_pause_says_who_did_it_and_where() {
    use arrow_array::{Array, cast::AsArray, types::Int32Type};
    let taken = of(&[testdata("recordings/gc-log-write-blocked/recording")]);
    let batch = taken.pauses.first().expect("rows");
    let lengths = column(&taken.pauses, "duration_ns");
    let longest = (0..batch.num_rows()).max_by_key(|row| lengths[*row]).expect("a row");
    let text = |name: &str| {
        let column = batch.column_by_name(name).expect("a column").as_dictionary::<Int32Type>();
        let key = column.key(longest).filter(|_| column.is_valid(longest))?;
        Some(column.values().as_string::<i32>().value(key).to_owned())
    };
    assert_eq!(text("cause").as_deref(), Some("gc-log-write-blocked"));
    assert_eq!(text("mechanism").as_deref(), Some("journal-commit"));
    assert_eq!(text("certainty").as_deref(), Some("measured"));
    assert!(text("file").is_some_and(|it| it.ends_with("gc.log")), "{:?}", text("file"));
    assert!(text("device").is_some() && text("culprit").is_some());
}
