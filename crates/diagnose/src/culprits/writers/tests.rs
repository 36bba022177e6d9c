//! Who is named: what was waited for and who wrote where in, culprits out.
use super::*;
use crate::as_text::facts::diagnose;
use recording::MonoTime;

/// The VM thread waits 100 ms for the journal in a write to the GC log, which is on sdb1 (device 7).
const LOG: &str = "
    jvm 17.0.15 g1 log gc.log
    thread 1 vm-thread VM Thread
    safepoint 0ms 110ms op G1CollectForAllocation 1ms 109ms vm 1
    1 on-cpu 0ms 5ms
    1 blocked 5ms 105ms write gc.log stack io_schedule jbd2_log_wait_commit
    1 on-cpu 105ms 110ms";

/// A Java thread waits 100 ms for a page of a file on sdb1 to be read.
const READ: &str = "
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java reader
    safepoint 0ms 110ms op G1CollectForAllocation 105ms 109ms vm 1
    1 waiting 0ms 105ms
    1 on-cpu 105ms 110ms
    7 on-cpu 0ms 1ms
    7 blocked 1ms 101ms fault index.bin stack io_schedule folio_wait_bit_common filemap_fault
    7 runnable 101ms 102ms";

/// What the host counted of a disk over the second around.
fn disk(name: &str, io_ms: u32, write_ms: u32, read_ms: u32) -> String {
    let counter = |what: &str, value: u32| {
        format!("sample disk.{name}.{what} 0ms 0\nsample disk.{name}.{what} 1000ms {value}\n")
    };
    [counter("io_ms", io_ms), counter("write_ms", write_ms), counter("read_ms", read_ms)].concat()
}

#[track_caller]
fn check(wait: &str, facts: &[&str], expected: &[&str]) {
    let diagnosis = diagnose(&[&[wait], facts].concat().join("\n"));
    let found = diagnosis.findings.iter().find(|it| it.cause.is_fault());
    let culprits = &found.expect("a cause").culprits;
    let names: Vec<_> = culprits.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, expected, "{culprits:?}");
}

#[track_caller]
fn says(wait: &str, facts: &[&str], expected: &str) {
    let diagnosis = diagnose(&[&[wait], facts].concat().join("\n"));
    let found = diagnosis.findings.iter().find(|it| it.cause.is_fault()).expect("a cause");
    assert_eq!(found.culprits[0].statement, expected);
}

#[test]
fn heavy_writer_to_another_disk_is_not_named() {
    let dd = "writer 9 dd 0ms 100ms 40 device 7 on sdb1,sdb";
    let python = "writer 8 python3 0ms 100ms 400 device 8 on sdc1,sdc";
    check(LOG, &[dd, python], &["dd"]);
    check(LOG, &[python], &[]);
    says(LOG, &[dd], "dd (pid 9) wrote 40 MB to sdb1 during this stop and in the 10 s before");
}

#[test]
fn nobody_is_named_of_whom_it_is_not_known_where_he_wrote() {
    check(LOG, &["writer 9 python3 0ms 100ms 376"], &[]);
    check(READ, &["writer 9 python3 0ms 100ms 376", &disk("sdb1", 900, 900, 0)], &[]);
}

#[test]
fn writer_to_a_busy_underlying_disk_is_named() {
    // Another partition of the same disk, a loop device whose file is on it, the disk itself.
    for on in ["sdb2,sdb", "loop3,sdb2,sdb", "sdb"] {
        let dd = format!("writer 9 dd 0ms 100ms 40 device 9 on {on}");
        check(LOG, &[&dd, &disk("sdb", 500, 1, 0)], &["dd"]);
        check(LOG, &[&dd, &disk("sdb", 499, 1, 0)], &[]);
        check(LOG, &[&dd], &[]);
    }
    says(
        LOG,
        &["writer 9 dd 0ms 100ms 40 device 9 on loop3,sdb2,sdb", &disk("sdb", 900, 1, 0)],
        "dd (pid 9) wrote 40 MB to loop3, on the same disk (sdb), during this stop \
         and in the 10 s before",
    );
}

#[test]
fn a_subvolume_with_a_number_of_its_own_is_on_the_same_device() {
    check(LOG, &["writer 9 dd 0ms 100ms 40 device 99 on sdb1,sdb"], &["dd"]);
}

#[test]
fn tiny_writer_is_not_named_beside_the_others() {
    let dd = "writer 9 dd 0ms 100ms 40 device 7";
    check(LOG, &[dd, "writer 8 cp 0ms 100ms 4 device 7"], &["dd", "cp"]);
    check(LOG, &[dd, "writer 8 cp 0ms 100ms 3 device 7"], &["dd"]);
}

#[test]
fn the_jvm_is_named_as_itself() {
    check(LOG, &["writer 4242 java 0ms 100ms 40 device 7"], &["the JVM itself"]);
}

#[test]
fn read_wait_names_writers_where_the_queue_had_more_writes() {
    let dd = "writer 9 dd 0ms 100ms 376 device 7 on sdb1,sdb";
    check(READ, &[dd, &disk("sdb1", 900, 500, 500)], &["dd"]);
    check(READ, &[dd, &disk("sdb1", 900, 499, 500)], &[]);
    check(READ, &[dd], &[]);
}

#[test]
fn read_wait_names_others_that_read_a_third_of_the_jvms_bytes() {
    let jvm = "writer 4242 java 0ms 100ms 0 read 150 device 7 on sdb1,sdb";
    let fio = |mb: u32| format!("writer 9 fio 0ms 100ms 0 read {mb} device 7 on sdb1,sdb");
    check(READ, &[jvm, &fio(50)], &["fio"]);
    check(READ, &[jvm, &fio(49)], &[]);
    check(READ, &[&fio(1)], &["fio"]);
    check(READ, &[&fio(0)], &[]);
    check(LOG, &[&fio(900)], &[]);
    says(
        READ,
        &[&fio(50)],
        "fio (pid 9) read 50 MB from sdb1 during this stop and in the 10 s before",
    );
}

#[test]
fn writers_long_before_the_stop_did_not_delay_it() {
    let late =
        LOG.replace("0ms 110ms op", "20000ms 20110ms op").replace(" 1ms 109ms", " 20001ms 20109ms");
    let late = late
        .replace("0ms 5ms", "20000ms 20005ms")
        .replace("5ms 105ms write", "20005ms 20105ms write");
    let late = late.replace("105ms 110ms", "20105ms 20110ms");
    check(&late, &["writer 9 dd 9000ms 10001ms 40 device 7"], &["dd"]);
    check(&late, &["writer 9 dd 9000ms 10000ms 40 device 7"], &[]);
}

fn row(pid: u32, device: Option<u64>, mb: u64) -> WriterFact {
    WriterFact {
        interval: Interval::new(MonoTime(0), MonoTime(1)),
        pid,
        name: "dd".into(),
        command_line: String::new(),
        cgroup: String::new(),
        bytes: mb * 1_000_000,
        read_bytes: 0,
        device,
        path: String::new(),
        devices: Vec::new(),
    }
}

/// What counts of processes of one name that each wrote 9 MB to one of these devices, of which 7 was
/// waited for, and whether one was seen to write there.
#[track_caller]
fn counts(devices: &[Option<u64>], expected: (u64, bool)) {
    let rows: Vec<_> = devices.iter().map(|device| row(1, *device, 9)).collect();
    let disk = Disk { number: 7, devices: vec!["sdb1"], name: "sdb1", busy: BTreeSet::new() };
    let users = Users::new("dd".into(), rows.iter().collect(), Some(&disk));
    assert_eq!((users.written / 1_000_000, users.proven.is_some()), expected, "{devices:?}");
}

#[test]
fn short_lived_writers_count_with_others_of_their_name() {
    counts(&[Some(8), Some(8)], (0, false));
    counts(&[None, None], (18, false));
    counts(&[None, Some(7)], (18, true));
    counts(&[Some(8), None], (0, false));
    counts(&[Some(8), Some(7)], (9, true));
}

#[test]
fn jvm_is_named_for_its_own_writes_only_if_they_are_most() {
    let most = |rows: &[WriterFact]| wrote_most(rows.iter(), Some(7), Some(1));
    assert!(most(&[row(1, Some(7), 32), row(2, Some(7), 32)]));
    assert!(!most(&[row(1, Some(7), 32), row(2, Some(7), 33)]));
    assert!(!most(&[row(1, Some(7), 31)]), "little");
    assert!(!most(&[row(1, None, 900)]) && !most(&[row(1, Some(8), 900)]), "elsewhere");
    assert!(!wrote_most([row(1, None, 900)].iter(), None, Some(1)), "no device");
}
