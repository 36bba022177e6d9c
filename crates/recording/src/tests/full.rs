//! What is left where there was no space, or where files were removed meanwhile.
use super::*;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::{
    ffi::CString,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

/// What it takes before a row is written: two files of 64 KiB and a directory.
const RESERVED: u64 = (2 * 64 + 8) << 10;

/// A file system in memory of a few pages; gone when dropped, and when this process is killed.
struct Small(TempDir);

/// Where they are. A shell unmounts them all at the end of this process, which closes the pipe that it
/// reads from. One for all: while a child begins it has every lock that another test has taken.
#[allow(
    clippy::disallowed_methods,
    reason = "nothing is below this crate, and it is no child of its"
)]
fn mounts() -> &'static Path {
    static PLACE: OnceLock<(PathBuf, Child)> = OnceLock::new();
    let made = PLACE.get_or_init(|| {
        let place = tempfile::tempdir_in("/dev/shm").expect("a temporary directory").keep();
        let script = "cat; umount -l \"$1\"/*; rm -rf --one-file-system \"$1\"";
        let mut shell = Command::new("setsid");
        shell.args(["sh", "-c", script, "sh"]).arg(&place).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        (place, shell.spawn().expect("a shell"))
    });
    &made.0
}

/// Runs a tool, for a minute at most; whether it succeeded.
#[allow(clippy::disallowed_methods, reason = "nothing is below this crate, and `timeout` ends it")]
fn run(program: &str, arguments: &[&std::ffi::OsStr]) -> bool {
    let mut tool = Command::new("timeout");
    tool.args(["-s", "KILL", "60", program]).args(arguments).stdin(Stdio::null());
    tool.stdout(Stdio::null()).stderr(Stdio::null());
    tool.status().is_ok_and(|it| it.success())
}

impl Small {
    fn new(bytes: u64) -> Option<Small> {
        let dir = tempfile::tempdir_in(mounts()).expect("a temporary directory");
        let options = CString::new(format!("size={bytes},mode=0700")).expect("no zero in it");
        match mount("tmpfs", dir.path(), "tmpfs", MountFlags::empty(), Some(&*options)) {
            Ok(()) => Some(Small(dir)),
            Err(error) => {
                println!("SKIPPED: no small file system could be mounted: {error}");
                None
            }
        }
    }
}

impl Small {
    /// ext4 on a loop device, whose image is in memory.
    fn on_disk(bytes: u64) -> Option<Small> {
        let dir = tempfile::tempdir_in(mounts()).expect("a temporary directory");
        let image = dir.path().with_extension("image");
        fs::File::create(&image).and_then(|it| it.set_len(bytes)).expect("an image");
        let mounted = run("mkfs.ext4", &["-q".as_ref(), "-m0".as_ref(), image.as_ref()])
            && run("mount", &["-o".as_ref(), "loop".as_ref(), image.as_ref(), dir.path().as_ref()]);
        // Mounted, it lives on without its name.
        let _ = fs::remove_file(&image);
        if !mounted {
            println!("SKIPPED: no ext4 on a loop device can be had here");
        }
        mounted.then_some(Small(dir))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = unmount(self.0.path(), UnmountFlags::DETACH);
    }
}

const BATCHES: u64 = 8;
const BATCH: u64 = 40;

/// Writes eight batches of slices, coverage with every other, and a last one with an end.
fn write_all(writer: &mut Writer, coverages: &mut u64) {
    for batch in 0..BATCHES {
        let slice = |n| super::writing::slice(batch * BATCH + n);
        let mut facts = Facts { slices: (0..BATCH).map(slice).collect(), ..Facts::default() };
        if batch == 0 {
            (facts.jvm, facts.host) = (Some(jvm()), Some(host()));
        } else if batch % 2 == 0 {
            facts.coverage = Some(Coverage::default());
            *coverages += 1;
        }
        let _ = writer.write(&facts);
    }
    *coverages += 1;
    let coverage = Some(Coverage { end: "the end".into(), ..Coverage::default() });
    let _ = writer.write(&Facts { coverage, ..Facts::default() });
}

/// Writes where this much is free, and what the recording then says. Whether nothing was lost.
#[track_caller]
fn check(place: &Path, free: u64, reserved: u64) -> bool {
    let path = place.join("rec");
    let mut writer = match Writer::create(&path, Limits::default()) {
        Ok(writer) => writer,
        Err(error) => {
            assert!(free <= reserved, "{free}: {error}");
            assert!(error.to_string().contains("No space left on device"), "{error}");
            assert!(!path.exists(), "{free}: what could not be begun leaves nothing");
            return false;
        }
    };
    // Here the space is what ends it, not the half of it that a recording may take.
    writer.set_limits(Limits::default());
    let mut coverages = 0;
    write_all(&mut writer, &mut coverages);
    // Nothing may be free for the last row but what was kept for it.
    fill(&place.join("rest"));
    let summary = writer.seal().unwrap_or_else(|error| panic!("{free}: {error}"));
    assert!(files(&path).iter().all(|it| !it.ends_with(".tmp")), "{free}: {:?}", files(&path));
    let facts = open(&path);
    let coverage = facts.coverage.unwrap_or_else(|| panic!("{free}: no coverage"));
    assert_eq!(coverage.end, "the end", "{free}");
    assert_eq!(coverage.lost_rows, summary.lost_rows, "{free}");
    let read = facts.slices.len() as u64
        + u64::from(facts.jvm.is_some())
        + u64::from(facts.host.is_some());
    let missing = BATCHES * BATCH + 2 - read;
    // Rows of coverage that later ones replace are rows as well.
    let lost = missing..=missing + coverages + 1;
    assert!(lost.contains(&coverage.lost_rows), "{free}: {} of {lost:?}", coverage.lost_rows);
    let reported = coverage.notes.iter().any(|it| {
        it.message == "rows left out, writing failed: no space left; the rest can be read"
    });
    assert_eq!(reported, coverage.lost_rows > 0, "{free}: {:?}", coverage.notes);
    missing == 0
}

/// Takes all the space that is left.
fn fill(path: &Path) -> fs::File {
    let mut file = fs::File::create(path).expect("a name needs no space");
    while file.write_all(&[1; 1024]).is_ok() {}
    file
}

/// A step more each time, from no room at all to room for everything.
fn sweep(step: u64, mut is_whole: impl FnMut(u64) -> Option<bool>) {
    let mut whole = 0;
    for steps in 1..(1 << 20) / step {
        let Some(all) = is_whole(steps * step) else { return };
        whole = if all { whole + 1 } else { 0 };
        if whole > 3 {
            return;
        }
    }
    panic!("there never was room for everything");
}

#[test]
fn whichever_write_is_the_first_to_find_no_space_the_last_row_says_so() {
    sweep(4096, |free| Small::new(free).map(|small| check(small.0.path(), free, RESERVED)));
}

/// Where blocks are of 1 KiB and names take some, too. Takes minutes: `scripts/faults.sh`.
#[test]
fn nor_does_it_matter_on_a_disk() {
    if !std::env::var("WHYPAUSE_FAULTS").is_ok_and(|it| it == "full") {
        println!("SKIPPED: takes minutes: only with WHYPAUSE_FAULTS=full");
        return;
    }
    let Some(small) = Small::on_disk(4 << 20) else { return };
    let place = small.0.path();
    sweep(1024, |free| {
        for left in ["rec/", "rest", "ballast"].map(|it| place.join(it)) {
            let _ = fs::remove_dir_all(&left).or_else(|_| fs::remove_file(&left));
        }
        let ballast = fill(&place.join("ballast"));
        let length = ballast.metadata().expect("it is open").len();
        ballast.set_len(length - free).expect("shorter");
        ballast.sync_all().expect("syncing");
        Some(check(place, free, RESERVED + (64 << 10)))
    });
}

#[test]
fn killed_recorder_on_a_full_disk_has_reported_missing_rows() {
    let Some(small) = Small::new(RESERVED + (64 << 10)) else { return };
    let path = small.0.path().join("rec");
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.set_limits(Limits::default());
    write_all(&mut writer, &mut 0);
    // Not dropped, as by a kill.
    std::mem::forget(writer);
    let coverage = open(&path).coverage.expect("coverage");
    assert!(coverage.lost_rows > 0, "{coverage:?}");
}

#[test]
fn a_directory_that_is_removed_meanwhile_is_not_reported_as_a_recording() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&sample()).expect("writing");
    fs::remove_dir_all(&path).expect("removing");
    writer.write(&sample()).expect_err("nowhere to write to");
    let error = writer.seal().expect_err("nothing is left");
    assert!(matches!(error, RecordingError::Removed { .. }), "{error}");
    assert!(!path.exists(), "it does not come back");
}

#[test]
fn rows_of_files_that_are_removed_meanwhile_are_lost_and_counted() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    let slices = (0..7).map(super::writing::slice).collect();
    writer.write(&Facts { slices, coverage: Some(coverage()), ..Facts::default() }).expect("fine");
    for name in files(&path) {
        fs::remove_file(path.join(name)).expect("removing");
    }
    writer.seal().expect("the directory is there");
    let facts = open(&path);
    let coverage = facts.coverage.expect("coverage");
    // The row of coverage is written again, but was lost as well.
    assert_eq!((facts.slices.len(), coverage.lost_rows), (0, self::coverage().lost_rows + 8));
    let message = "rows gone, their files were removed; the rest can be read";
    assert!(coverage.notes.iter().any(|note| note.message == message && note.count == 8));
}

#[test]
fn what_was_there_before_stays_where_nothing_is_recorded() {
    let (_parent, path) = place();
    Writer::create(&path, Limits::default()).expect("a new recording").discard();
    assert!(!path.exists(), "it was made for the recording");
    fs::create_dir(&path).expect("mkdir");
    Writer::create(&path, Limits::default()).expect("an empty directory").discard();
    assert_eq!(files(&path), [""; 0], "it is there and empty as before");
}

#[test]
fn names_that_are_taken_are_not_used_again() {
    let (parent, _) = place();
    let create = || Writer::create_new(parent.path(), "1-noon", Limits::default());
    let writers: Vec<Writer> = (0..3).map(|_| create().expect("a new recording")).collect();
    let names: Vec<_> = writers.iter().map(|it| it.path().file_name().expect("a name")).collect();
    assert_eq!(names, ["1-noon", "1-noon-2", "1-noon-3"]);
    let made = new_directory(parent.path(), "1-noon").expect("a directory");
    assert_eq!(made, parent.path().join("1-noon-4"));
}
