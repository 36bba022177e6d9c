//! What the count of writers promises, on a made-up `/proc`.
use super::*;
use std::{fs, path::Path};

const MIB: u64 = 1024 * 1024;

fn write_io(root: &Path, pid: u32, bytes: u64) {
    let dir = root.join(pid.to_string());
    fs::create_dir_all(&dir).unwrap();
    let stat = format!("{pid} (p{pid}) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0");
    fs::write(dir.join("stat"), stat).unwrap();
    fs::write(dir.join("comm"), format!("p{pid}\n")).unwrap();
    fs::write(dir.join("cmdline"), format!("program\0{pid}\0")).unwrap();
    let text = format!("rchar: 1\nwrite_bytes: {bytes}\ncancelled_write_bytes: 0\n");
    fs::write(dir.join("io"), text).unwrap();
}

fn io(written: u64, read: u64) -> Option<Io> {
    Some(Io { written, read })
}

fn show(facts: &[WriterFact]) -> String {
    let shown: Vec<String> =
        facts.iter().map(|it| format!("{} {} {}", it.pid, it.name, it.bytes)).collect();
    shown.join("; ")
}

fn scan(writers: &mut Writers, second: u64) -> String {
    show(&writers.scan(MonoTime(second * 1_000_000_000)))
}

fn new_writers(root: &Path) -> Writers {
    Writers::new(&Roots { proc: root.into(), sys: root.into() })
}

#[test]
fn growth_is_counted_from_scan_to_scan() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 100 * MIB);
    let mut writers = new_writers(root.path());
    assert_eq!(scan(&mut writers, 1), "");
    write_io(root.path(), 5, 103 * MIB);
    assert_eq!(scan(&mut writers, 2), format!("5 p5 {}", 3 * MIB));
    assert_eq!(scan(&mut writers, 3), "");
}

#[test]
fn the_threshold_both_sides() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 0);
    write_io(root.path(), 6, 0);
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    write_io(root.path(), 5, MIN_BYTES - 1);
    write_io(root.path(), 6, MIN_BYTES);
    assert_eq!(scan(&mut writers, 2), format!("6 p6 {MIN_BYTES}"));
}

#[test]
fn a_process_born_between_scans_counts_from_its_birth() {
    let root = tempfile::tempdir().unwrap();
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    write_io(root.path(), 7, 2 * MIB);
    assert_eq!(scan(&mut writers, 2), format!("7 p7 {}", 2 * MIB));
}

#[test]
fn only_the_largest_are_named() {
    let root = tempfile::tempdir().unwrap();
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    for pid in 1..=10 {
        write_io(root.path(), pid, u64::from(pid) * MIB);
    }
    let facts = writers.scan(MonoTime(2_000_000_000));
    let pids: Vec<u32> = facts.iter().map(|it| it.pid).collect();
    assert_eq!(pids, [10, 9, 8, 7, 6, 5, 4, 3]);
}

#[test]
fn a_reused_pid_starts_from_nothing() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 50 * MIB);
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    write_io(root.path(), 5, 2 * MIB);
    assert_eq!(scan(&mut writers, 2), format!("5 p5 {}", 2 * MIB));
}

#[test]
fn kernel_threads_are_not_writers() {
    let root = tempfile::tempdir().unwrap();
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    write_io(root.path(), 2, 9 * MIB);
    let stat = "2 (kworker/u4:1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0";
    fs::write(root.path().join("2/stat"), stat).unwrap();
    assert_eq!(scan(&mut writers, 2), "");
    write_io(root.path(), 2, 20 * MIB);
    assert_eq!(scan(&mut writers, 3), "");
}

fn exit(writers: &mut Writers, second: u64, pid: u32, bytes: u64) -> String {
    child_exit(writers, second, pid, 1, bytes)
}

fn child_exit(writers: &mut Writers, second: u64, pid: u32, parent: u32, bytes: u64) -> String {
    let at = MonoTime(second * 1_000_000_000);
    let facts = writers.exited(Exited { at, pid, parent, name: "gone".into(), bytes });
    show(&facts.into_iter().collect::<Vec<_>>())
}

#[test]
fn a_parent_is_not_blamed_for_what_its_children_wrote() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 10 * MIB);
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    assert_eq!(child_exit(&mut writers, 2, 7, 5, 90 * MIB), format!("7 gone {}", 90 * MIB));
    assert_eq!(child_exit(&mut writers, 2, 8, 5, 30 * MIB), format!("8 gone {}", 30 * MIB));
    write_io(root.path(), 5, 103 * MIB);
    assert_eq!(scan(&mut writers, 2), "", "one was waited for");
    write_io(root.path(), 5, 135 * MIB);
    assert_eq!(scan(&mut writers, 3), format!("5 p5 {}", 5 * MIB), "and then the other");
}

#[test]
fn a_parent_that_ends_leaves_its_children_out() {
    let root = tempfile::tempdir().unwrap();
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    child_exit(&mut writers, 2, 7, 6, 90 * MIB);
    assert_eq!(child_exit(&mut writers, 2, 6, 5, 92 * MIB), format!("6 gone {}", 2 * MIB));
    write_io(root.path(), 5, 95 * MIB);
    assert_eq!(scan(&mut writers, 2), format!("5 p5 {}", 3 * MIB), "nor has the one before");
}

#[test]
fn a_child_that_is_not_waited_for_excuses_its_parent_for_a_while_only() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 0);
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    child_exit(&mut writers, 1, 7, 5, 90 * MIB);
    for second in 2..=CHILD_ROUNDS + 1 {
        assert_eq!(scan(&mut writers, second), "");
    }
    write_io(root.path(), 5, 20 * MIB);
    assert_eq!(scan(&mut writers, 9), format!("5 p5 {}", 20 * MIB));
}

#[test]
fn an_exit_counts_what_no_scan_has_counted() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 10 * MIB);
    let mut writers = new_writers(root.path());
    assert_eq!(exit(&mut writers, 1, 4, 90 * MIB), "", "before the first scan");
    scan(&mut writers, 1);
    assert_eq!(exit(&mut writers, 2, 5, 12 * MIB), format!("5 gone {}", 2 * MIB));
    assert_eq!(exit(&mut writers, 2, 6, 3 * MIB), format!("6 gone {}", 3 * MIB));
    assert_eq!(exit(&mut writers, 2, 8, MIN_BYTES - 1), "");
}

#[test]
fn an_exit_reported_after_the_scan_that_missed_it_is_not_counted_twice() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 10 * MIB);
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    fs::remove_dir_all(root.path().join("5")).unwrap();
    scan(&mut writers, 2);
    assert_eq!(exit(&mut writers, 2, 5, 12 * MIB), format!("5 gone {}", 2 * MIB));
}

#[test]
fn an_exit_that_several_recordings_report_is_one() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 10 * MIB);
    let mut writers = new_writers(root.path());
    scan(&mut writers, 1);
    let first = child_exit(&mut writers, 2, 7, 5, 12 * MIB);
    assert_eq!(child_exit(&mut writers, 2, 7, 5, 12 * MIB), first);
    write_io(root.path(), 5, 25 * MIB);
    assert_eq!(scan(&mut writers, 3), format!("5 p5 {}", 3 * MIB), "waited for once");
    let reused = child_exit(&mut writers, 4, 7, 5, 12 * MIB);
    assert_eq!(reused, first, "another process, with the same id");
    write_io(root.path(), 5, 40 * MIB);
    assert_eq!(scan(&mut writers, 5), format!("5 p5 {}", 3 * MIB));
}

#[test]
fn counters_that_cannot_be_read_are_no_counters() {
    assert_eq!(parse_io(b"write_bytes: 10\ncancelled_write_bytes: 4\n"), io(6, 0));
    assert_eq!(parse_io(b"write_bytes: 4\ncancelled_write_bytes: 10\n"), io(0, 0));
    assert_eq!(parse_io(b"read_bytes: 3\nwrite_bytes: 10\n"), io(10, 3));
    assert_eq!(parse_io(b"rchar: 10\n"), None);
    assert_eq!(parse_io(b"\xff"), None);
}

#[test]
fn reader_is_reported_from_its_second_round_on() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, 0);
    let read = |bytes: u64| {
        let text = format!("read_bytes: {bytes}\nwrite_bytes: 0\ncancelled_write_bytes: 0\n");
        fs::write(root.path().join("5/io"), text).unwrap();
    };
    let mut writers = new_writers(root.path());
    let mut scan = |second: u64| -> Vec<u64> {
        let facts = writers.scan(MonoTime(second * 1_000_000_000));
        facts.iter().map(|it| it.read_bytes).collect()
    };
    read(0);
    scan(1);
    read(900 * MIB);
    assert_eq!(scan(2), [0_u64; 0]);
    assert_eq!(scan(3), [0_u64; 0]);
    read(902 * MIB);
    assert_eq!(scan(4), [0_u64; 0]);
    read(904 * MIB);
    assert_eq!(scan(5), [2 * MIB]);
    read(904 * MIB + MIN_READ_BYTES);
    assert_eq!(scan(6), [MIN_READ_BYTES]);
    read(904 * MIB + 2 * MIN_READ_BYTES - 1);
    assert_eq!(scan(7), [0_u64; 0]);
}

#[test]
fn of_processes_that_cannot_be_read_it_is_said_which_and_why() {
    let root = tempfile::tempdir().unwrap();
    write_io(root.path(), 5, MIB);
    let unreadable = |pids: &[u32]| {
        for pid in pids {
            write_io(root.path(), *pid, MIB);
            fs::remove_file(root.path().join(format!("{pid}/io"))).unwrap();
            fs::create_dir(root.path().join(format!("{pid}/io"))).unwrap();
        }
        let mut writers = new_writers(root.path());
        scan(&mut writers, 1);
        writers.unreadable.message().unwrap_or_default()
    };
    assert_eq!(unreadable(&[]), "");
    let why = "Is a directory (os error 21)";
    assert_eq!(
        unreadable(&[7]),
        format!("what p7 (pid 7) writes is not known and it is never named: {why}")
    );
    assert_eq!(
        unreadable(&[8]),
        format!(
            "what 2 processes such as p7 (pid 7) write is not known and they are never named: {why}"
        )
    );
}
