//! What following a log promises, on a made-up process whose descriptor 4 is the log.
use super::*;
use crate::host::tests::made_up_jvm;
use recording::{Coverage, Facts};
use std::{fs, io::Write, os::unix::fs::symlink, path::PathBuf};

const HEAD: &str = "[0.004s][info][gc] Using G1\n[0.005s][info][gc,init] Version: 17\n";
const OLD: &str = "[0.9s][info][gc] GC(0) Pause Young 1ms\n[1.0s][info][gc,init] no head\n";

struct Host {
    root: tempfile::TempDir,
    outbox: Outbox,
}

impl Host {
    fn new() -> Host {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("7/fd")).unwrap();
        fs::create_dir_all(root.path().join("7/fdinfo")).unwrap();
        let me = rustix::process::geteuid().as_raw();
        let status = format!("Uid:\t{me}\t{me}\t{me}\t{me}\nGid:\t1\t1\t1\t1\nGroups:\t\n");
        fs::write(root.path().join("7/status"), status).unwrap();
        Host { root, outbox: Outbox::new(1 << 20) }
    }

    fn log(&self) -> PathBuf {
        self.root.path().join("gc.log")
    }

    fn open(&self, fd: u32) {
        symlink(self.log(), self.root.path().join(format!("7/fd/{fd}"))).unwrap();
        let info = self.root.path().join(format!("7/fdinfo/{fd}"));
        fs::write(info, "pos:\t0\nflags:\t0102001\nmnt_id:\t1\n").unwrap();
    }

    fn append(&self, text: &str) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log());
        log.unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn rotate(&self, number: u32) {
        fs::rename(self.log(), self.root.path().join(format!("gc.log.{number}"))).unwrap();
        self.append("");
    }

    fn follower(&self) -> LogFollower<'_> {
        let roots = Roots { proc: self.root.path().into(), sys: self.root.path().into() };
        let jvm = made_up_jvm(7, &["-Xlog:gc:gc.log"]);
        LogFollower::new(&roots, &jvm, &self.outbox).unwrap()
    }

    /// Lines so far as `offset text`, without decorations.
    fn lines(&self) -> Vec<String> {
        let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
        self.outbox.take(&mut facts, &mut coverage);
        let text = |it: &LogLine| it.text.rsplit(']').next().unwrap_or_default().trim().to_owned();
        facts.log_lines.iter().map(|it| format!("{} {}", it.offset, text(it))).collect()
    }
}

#[test]
fn the_head_is_kept_and_older_pauses_are_not() {
    let host = Host::new();
    host.append(HEAD);
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    assert_eq!(host.lines(), ["0 Using G1", "28 Version: 17"]);
    host.append("[2s][gc] GC(1) Pause Young 2ms\n");
    follower.round();
    let start = HEAD.len() + OLD.len();
    assert_eq!(host.lines(), [format!("{start} GC(1) Pause Young 2ms")]);
}

#[test]
fn a_file_without_a_head_gives_none() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    host.follower().round();
    assert_eq!(host.lines(), [""; 0]);
}

#[test]
fn a_line_cut_in_the_middle_at_the_start_is_left_out() {
    let host = Host::new();
    host.append(OLD);
    host.append("[2s][gc] GC(1) Pau");
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    host.append("se Young 1ms\n[3s] next\n");
    follower.round();
    assert_eq!(host.lines(), [format!("{} next", OLD.len() + 31)]);
}

#[test]
fn rotation_loses_no_line() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    for number in 0..5 {
        host.append(&format!("[2s] last of {number}\n"));
        host.rotate(number);
        host.append(&format!("[2s] first after {number}\n"));
        follower.round();
        follower.round();
    }
    let texts: Vec<String> =
        host.lines().iter().map(|it| it.split_once(' ').unwrap().1.to_owned()).collect();
    let expected: Vec<String> =
        (0..5).flat_map(|it| [format!("last of {it}"), format!("first after {it}")]).collect();
    assert_eq!(texts, expected);
}

#[test]
fn the_rotation_of_an_old_log_is_noticed_once_it_grows_no_more() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    follower.opened -= YOUNG;
    host.append("[2s] last\n");
    host.rotate(0);
    host.append("[2s] first after it\n");
    // Grown, then not.
    follower.round();
    follower.round();
    follower.round();
    let texts: Vec<String> =
        host.lines().iter().map(|it| it.split_once(' ').unwrap().1.to_owned()).collect();
    assert_eq!(texts, ["last", "first after it"]);
    // Without a word more in the old one.
    follower.opened -= YOUNG;
    host.rotate(1);
    host.append("[3s] later\n");
    for _ in 0..=IDLE_POLLS + 1 {
        follower.round();
    }
    assert_eq!(host.lines(), ["0 later"]);
}

#[test]
fn a_truncated_file_is_read_from_its_start_again() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    fs::write(host.log(), "").unwrap();
    follower.round();
    host.append("[2s] anew\n");
    follower.round();
    assert_eq!(host.lines(), ["0 anew"]);
}

#[test]
fn a_log_that_appears_later_is_read_from_its_start() {
    let host = Host::new();
    let mut follower = host.follower();
    assert_eq!(follower.round(), BETWEEN_SEARCHES[0]);
    host.append(HEAD);
    host.append("[1s] GC(0) Pause Young 1ms\n");
    host.open(4);
    follower.round();
    follower.round();
    assert_eq!(host.lines(), ["0 Using G1", "28 Version: 17", "64 GC(0) Pause Young 1ms"]);
}

#[test]
fn a_closed_descriptor_is_searched_for_under_another_number() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    fs::remove_file(host.root.path().join("7/fd/4")).unwrap();
    host.rotate(0);
    host.append("[2s] elsewhere\n");
    host.open(9);
    for _ in 0..=CLOSED_POLLS {
        follower.round();
    }
    assert_eq!(host.lines(), ["0 elsewhere"]);
}

#[test]
fn a_descriptor_reused_for_another_file_is_not_read() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    let secret = host.root.path().join("secret");
    fs::write(&secret, "not a log\n").unwrap();
    fs::remove_file(host.root.path().join("7/fd/4")).unwrap();
    symlink(&secret, host.root.path().join("7/fd/4")).unwrap();
    for _ in 0..3 {
        follower.round();
    }
    assert_eq!(host.lines(), [""; 0]);
}

#[test]
fn what_is_left_is_read_at_the_end() {
    let host = Host::new();
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    for number in 0..20_000 {
        host.append(&format!("[2s] {number}\n"));
    }
    host.append("torn");
    follower.finish();
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    host.outbox.take(&mut facts, &mut coverage);
    let kept = facts.log_lines.len() as u64;
    assert!(kept > 1_000);
    assert_eq!(kept + coverage.lost_rows, 20_000, "what the outbox cannot hold is counted");
    assert_eq!(facts.log_lines[0].text, "[2s] 0");
}

/// A log is rotated to this number and then to those of `missed` before it is looked at again.
fn notes_of_an_end_after(missed: &[u32], last_of_before: u32) -> Vec<String> {
    let host = Host::new();
    symlink("/", host.root.path().join("7/root")).unwrap();
    // Of a rotation before: as old as it is.
    host.append("[1s] old\n");
    host.rotate(0);
    host.append(OLD);
    host.open(4);
    let mut follower = host.follower();
    follower.round();
    host.append("[2s] last\n");
    let at = File::open(host.log()).unwrap().metadata().unwrap().modified().unwrap();
    host.rotate(last_of_before);
    for number in missed {
        host.append("[3s] missed\n");
        let file = fs::OpenOptions::new().append(true).open(host.log()).unwrap();
        file.set_modified(at + Duration::from_secs(1)).unwrap();
        host.rotate(*number);
    }
    host.append("[4s] present\n");
    follower.finish();
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    host.outbox.take(&mut facts, &mut coverage);
    assert!(facts.log_lines.iter().any(|it| it.text.contains("present")));
    coverage.notes.iter().map(|it| format!("{} {}", it.message, it.count)).collect()
}

#[test]
fn a_file_missed_before_the_last_one_is_told_at_the_end() {
    const TOLD: &str = "was rotated faster than it was read; lines are missing 1";
    assert_eq!(notes_of_an_end_after(&[], 1), [""; 0]);
    assert_eq!(notes_of_an_end_after(&[2], 1), [TOLD]);
    assert_eq!(notes_of_an_end_after(&[2, 3], 1), [TOLD]);
    // It begins again at 0, where an older file was.
    assert_eq!(notes_of_an_end_after(&[0], 4), [TOLD]);
}

#[test]
fn files_missed_between_two_rotations_show_in_their_numbers() {
    let archive = |text: &str| match text {
        "-" => Archive::Other,
        text => Archive::of(text),
    };
    for (before, next, missed) in [
        ("-", "/l/gc.log.7", false),
        ("/l/gc.log.1", "/l/gc.log.2", false),
        ("/l/gc.log.1", "/l/gc.log.3", true),
        ("/l/gc.log.2", "/l/gc.log.0", false),
        ("/l/gc.log.1", "/l/gc.log.0", true),
        ("/l/gc.log.2", "/l/gc.log.1", true),
        ("/l/gc.log.1", "/l/gc.log.1", false),
        ("/l/gc.log.1", "/l/gc.log.2 (deleted)", true),
        ("/l/gc.log.1", "/l/gc.log-20261121", false),
    ] {
        let highest = 2;
        let misses = archive(before).misses_some_before(archive(next), highest);
        assert_eq!(misses, missed, "{before} {next}");
    }
}

#[test]
fn without_a_log_the_source_is_missing() {
    let host = Host::new();
    host.follower().round();
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    host.outbox.take(&mut facts, &mut coverage);
    let missing = SourceState::Missing("the JVM writes no GC log to a file".into());
    assert_eq!(coverage.sources.get(&Source::GcLog), Some(&missing));
}
