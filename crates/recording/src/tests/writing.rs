//! Creating, limiting, rotating, ending.
use super::*;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

/// What creating and opening say of a path that `prepare` made.
fn check(prepare: impl Fn(&Path), create: &str, open: &str) {
    let said = |act: &dyn Fn(&Path) -> Result<(), RecordingError>| {
        let (_parent, path) = place();
        prepare(&path);
        match act(&path) {
            Ok(()) => "fine".to_owned(),
            Err(error) => error.to_string().replace(&*path.to_string_lossy(), "REC"),
        }
    };
    assert_eq!(said(&|path| Writer::create(path, Limits::default()).map(drop)), create);
    assert_eq!(said(&|path| Recording::open(path).map(drop)), open);
}

#[test]
fn only_a_new_or_empty_directory_becomes_a_recording() {
    let no_table = "not a recording: `REC` holds no table of a recording";
    check(|_| {}, "fine", "no such directory: `REC`");
    check(|path| fs::create_dir(path).expect("mkdir"), "fine", no_table);
    check(
        |path| {
            fs::create_dir(path).expect("mkdir");
            fs::write(path.join("slices.parquet"), "x").expect("writing");
        },
        "the directory `REC` is not empty",
        no_table,
    );
    check(
        |path| fs::write(path, "x").expect("writing"),
        "`REC` is not a directory",
        "not a recording: `REC` is no directory",
    );
    check(|path| live(path, &sample()), "the directory `REC` is not empty", "fine");
}

#[test]
fn a_link_planted_in_place_of_the_directory_is_refused() {
    let (parent, path) = place();
    let target = parent.path().join("target");
    fs::create_dir(&target).expect("mkdir");
    symlink(&target, &path).expect("a link");
    let error = Writer::create(&path, Limits::default()).expect_err("a link");
    assert!(matches!(error, RecordingError::Unsafe { .. }), "{error}");
    assert_eq!(files(&target), [""; 0]);
    // Reading through a link that the user names is fine.
    fs::remove_dir(&target).expect("rmdir");
    live(&target, &sample());
    assert_eq!(open(&path), sample());
}

#[test]
fn the_parent_must_exist() {
    let (_parent, path) = place();
    let error = Writer::create(&path.join("deeper"), Limits::default()).expect_err("no parent");
    assert_eq!(error.to_string(), format!("no such directory: `{}`", path.display()));
}

#[test]
fn nobody_else_can_read_it() {
    let (_parent, path) = place();
    live(&path, &sample());
    let mode = |path: &Path| path.metadata().expect("it exists").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&path.join("jvm-0000.arrows"))), (0o700, 0o600));
}

#[test]
fn a_recording_is_known_by_its_files() {
    let (_parent, path) = place();
    assert!(!is_recording(&path));
    let writer = Writer::create(&path, Limits::default()).expect("a new recording");
    assert!(!is_recording(&path));
    writer.seal().expect("sealing");
    assert!(is_recording(&path));
    assert!(!is_recording(&path.join("jvm-0000.parquet")));
}

#[test]
fn what_is_being_written_can_be_read_and_not_written_by_another() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&sample()).expect("writing");
    let other = Writer::create(&path, Limits::default());
    assert!(matches!(other, Err(RecordingError::InUse { .. })));
    assert_eq!(open(&path), sample());
    writer.seal().expect("sealing");
}

#[test]
fn a_killed_writer_loses_nothing_that_was_written() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&sample()).expect("writing");
    std::mem::forget(writer);
    let before = files(&path);
    assert_eq!(open(&path), sample());
    assert_eq!(files(&path), before, "reading writes nothing");
}

#[test]
fn a_read_only_directory_is_read() {
    let (_parent, path) = place();
    live(&path, &sample());
    fs::set_permissions(&path, PermissionsExt::from_mode(0o500)).expect("chmod");
    assert_eq!(open(&path), sample());
    fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).expect("chmod");
}

/// One slice that is distinguished from others by its time.
pub(super) fn slice(at: u64) -> ThreadSlice {
    ThreadSlice { interval: interval(at, at + 1), ..slices()[0].clone() }
}

#[test]
fn rotated_parts_read_as_one() {
    let (_parent, path) = place();
    let limits = Limits { rotate_bytes: 16 << 10, ..Limits::default() };
    let mut writer = Writer::create(&path, limits).expect("a new recording");
    let mut wanted = sample();
    wanted.slices.clear();
    let mut first = wanted.clone();
    for at in 0..400 {
        first.slices = vec![slice(at)];
        wanted.slices.push(slice(at));
        writer.write(&first).expect("writing");
        if at % 50 == 0 {
            writer.settle();
        }
        first = Facts { coverage: Some(coverage()), ..Facts::default() };
    }
    assert_eq!(open(&path), wanted, "while it is rotated");
    writer.seal().expect("sealing");
    assert_eq!(open(&path), wanted);
    let parts = files(&path).iter().filter(|name| name.starts_with("slices-")).count();
    assert!(parts > 3, "{parts} parts");
}

#[test]
fn time_rotates_too() {
    let (_parent, path) = place();
    let limits = Limits { rotate_after: Duration::ZERO, ..Limits::default() };
    let mut writer = Writer::create(&path, limits).expect("a new recording");
    writer.write(&sample()).expect("writing");
    writer.write(&Facts { slices: vec![slice(1)], ..Facts::default() }).expect("writing");
    writer.seal().expect("sealing");
    assert!(path.join("jvm-0000.parquet").exists() && path.join("slices-0001.parquet").exists());
}

#[test]
fn a_full_recording_gives_up_detail_first_and_says_so() {
    let (_parent, path) = place();
    let limits = Limits { max_bytes: 96 << 10, rotate_bytes: u64::MAX, ..Limits::default() };
    let mut writer = Writer::create(&path, limits).expect("a new recording");
    let (mut given_slices, mut given_points) = (0, 0);
    for at in 0..100 {
        let facts = Facts {
            slices: (0..100).map(|n| slice(at * 100 + n)).collect(),
            safepoints: safepoints(),
            ..Facts::default()
        };
        given_slices += facts.slices.len();
        given_points += facts.safepoints.len();
        // Half of the way, so that safepoints never reach the brim.
        if at < 10 {
            writer.write(&facts).expect("writing");
        } else {
            writer.add_busy(facts.rows() as u64);
        }
    }
    writer.write(&Facts { coverage: Some(Coverage::default()), ..Facts::default() }).expect("fine");
    let lost = writer.lost_rows();
    let summary = writer.seal().expect("sealing");
    let facts = open(&path);
    assert_eq!(facts.safepoints.len(), 20, "of {given_points}");
    assert!(facts.slices.len() < 1000, "{} of {given_slices}", facts.slices.len());
    assert_eq!(
        facts.slices.len() + facts.safepoints.len() + usize::try_from(lost).expect("small"),
        given_slices + given_points
    );
    let coverage = facts.coverage.expect("coverage");
    assert_eq!((coverage.lost_rows, summary.lost_rows), (lost, lost));
    let messages: Vec<&str> = coverage.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        messages,
        ["rows left out, the recording is full", "rows left out, the writer could not keep up"]
    );
}

#[test]
fn a_recording_full_to_the_brim_keeps_its_coverage() {
    let (_parent, path) = place();
    let limits = Limits { max_bytes: 1, ..Limits::default() };
    let mut writer = Writer::create(&path, limits).expect("a new recording");
    let mut last = sample();
    writer.write(&sample()).expect("writing");
    last.coverage.as_mut().expect("coverage").switches = 99;
    writer.write(&last).expect("writing");
    writer.seal().expect("sealing");
    let facts = open(&path);
    assert_eq!((facts.jvm, facts.host), (sample().jvm, sample().host));
    let coverage = facts.coverage.expect("coverage");
    assert_eq!(coverage.switches, 99);
    assert!(coverage.lost_rows > 3);
}

#[test]
fn losses_are_reported_even_where_nobody_gave_coverage() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.add_busy(5);
    writer.seal().expect("sealing");
    assert_eq!(open(&path).coverage.expect("coverage").lost_rows, 5);
}
