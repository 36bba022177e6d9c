//! What the coverage says of a recording that is not whole any more.
use super::*;
use std::fs;

/// All sources ran, and the recording ended as it should.
fn all_ran() -> Coverage {
    let sources = Source::ALL.iter().copied().map(|it| (it, SourceState::Recorded)).collect();
    Coverage { sources, end: "duration elapsed".into(), ..Coverage::default() }
}

/// Three parts of slices, lines and coverage, one after the other, sealed.
fn in_parts(path: &Path) {
    let limits = Limits { rotate_after: Duration::ZERO, ..Limits::default() };
    let mut writer = Writer::create(path, limits).expect("a new recording");
    for at in 0..3 {
        let line = LogLine { read: MonoTime(at), offset: at, text: "x".into() };
        let slice = ThreadSlice { interval: interval(at, at + 1), ..slices()[0].clone() };
        let coverage = Coverage { switches: at, ..all_ran() };
        writer
            .write(&Facts {
                log_lines: vec![line],
                slices: vec![slice],
                coverage: Some(coverage),
                ..Facts::default()
            })
            .expect("writing");
        writer.settle();
    }
    writer.seal().expect("sealing");
}

/// The sources that are there in part after `change`, and why the first one is.
fn check(change: impl Fn(&Path), expected: &[Source], why: &str) {
    let (_parent, path) = place();
    in_parts(&path);
    change(&path);
    let coverage = open(&path).coverage.expect("coverage");
    assert_eq!(coverage.manifest, None, "it is for the reader alone");
    let partial: Vec<Source> =
        Source::ALL.iter().copied().filter(|it| coverage.ran(*it) && !coverage.has(*it)).collect();
    assert_eq!(partial, expected);
    assert_eq!(coverage.incomplete().unwrap_or_default(), why);
}

fn remove(name: &'static str) -> impl Fn(&Path) {
    move |path| fs::remove_file(path.join(name)).expect("it was there")
}

#[test]
fn a_whole_recording_in_parts_lacks_nothing() {
    check(|_| {}, &[], "");
}

#[test]
fn a_part_that_was_deleted_is_missed_wherever_it_was() {
    for name in ["log_lines-0000.parquet", "log_lines-0001.parquet", "log_lines-0002.parquet"] {
        check(remove(name), &[Source::GcLog], "log_lines: 1 of 3 rows are gone");
    }
}

#[test]
fn a_part_that_was_damaged_is_reported_with_its_name() {
    let cut = |path: &Path| {
        fs::write(path.join("log_lines-0001.parquet"), b"PAR1").expect("writing");
    };
    let why = "log_lines: 1 of 3 rows are gone (`log_lines-0001.parquet` is cut off or damaged: \
               no Parquet footer)";
    check(cut, &[Source::GcLog], why);
}

#[test]
fn without_the_last_word_of_the_coverage_no_source_is_certain() {
    check(remove("coverage-0002.parquet"), Source::ALL, "coverage: its last row is gone");
    check(remove("coverage-0000.parquet"), &[], "");
}

#[test]
fn an_empty_part_that_is_gone_takes_nothing_with_it() {
    check(remove("writers-0003.parquet"), &[], "");
}

#[test]
fn row_with_an_unknown_word_counts_as_lost() {
    let (_parent, path) = place();
    let odd = Facts { coverage: Some(all_ran()), threads: sample().threads, ..Facts::default() };
    live(&path, &odd);
    let segment = path.join("threads-0000.arrows");
    let mut bytes = fs::read(&segment).expect("a segment");
    let role = bytes.windows(9).rposition(|it| it == b"vm-thread").expect("the role");
    bytes[role..role + 9].copy_from_slice(b"xx-thread");
    fs::write(&segment, bytes).expect("writing");
    let coverage = open(&path).coverage.expect("coverage");
    assert_eq!(coverage.incomplete(), Some("threads: 1 of its rows were left out"));
}

#[test]
fn lines_of_a_log_do_not_take_the_place_of_the_stops() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    let line = LogLine { read: MonoTime(1), offset: 1, text: "x".into() };
    // More than a reader has room for.
    for _ in 0..700 {
        let log_lines = vec![line.clone(); 10_000];
        writer.write(&Facts { log_lines, ..Facts::default() }).expect("writing");
    }
    let stops = vec![sample().safepoints[0].clone(); 20_000];
    let last = Facts { safepoints: stops.clone(), coverage: Some(all_ran()), ..Facts::default() };
    writer.write(&last).expect("writing");
    writer.seal().expect("sealing");
    let facts = open(&path);
    assert_eq!(facts.safepoints, stops);
    assert!(facts.log_line_count() < 7_000_000, "there was room for all");
    let coverage = facts.coverage.expect("coverage");
    assert!(coverage.has(Source::SafepointProbes) && !coverage.has(Source::GcLog));
}
