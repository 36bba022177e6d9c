//! No space left while a JVM is recorded.
//!
//! That each write of all is once the first to fail is a test of the crate `recording`; here the
//! whole program runs into it.
use crate::support::{Random, Stage, check, record, said, times, wait, wait_until_it_records};
use testing::Disk;

const BYTES: u64 = 8 << 20;

#[test]
fn a_disk_that_fills_up_leaves_a_recording_that_says_what_it_lacks() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let mut random = Random::new();
    let all = times(2, 60);
    let mut lost = 0;
    for number in 0..all {
        let small = if number % 2 == 1 { Disk::ext4(BYTES) } else { Disk::in_memory(BYTES) };
        let Some(small) = small else { return };
        let directory = small.path().join("rec");
        let mut recorder = record(&directory, &["-p", &jvm.pid(), "-d", "3s"]);
        wait_until_it_records(&directory, &mut recorder);
        small.fill(random.below(64) * 4096);
        let status = wait(&mut recorder);
        let said = said(&directory);
        assert!(status.success(), "{said}");
        let coverage = check(&directory).expect("a recording");
        assert_eq!(coverage.end, "duration elapsed", "{said}");
        if coverage.lost_rows > 0 {
            lost += 1;
            let reported = "rows left out, writing failed: no space left; the rest can be read";
            assert!(said.contains(reported), "{said}");
        }
    }
    println!("{lost} of {all} recordings lost rows on a full disk");
}

#[test]
fn a_disk_that_is_full_from_the_begin_is_reported_and_left_as_it_was() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let Some(small) = Disk::in_memory(BYTES) else { return };
    small.fill(64 << 10);
    let directory = small.path().join("rec");
    let status = wait(&mut record(&directory, &["-p", &jvm.pid(), "-d", "1s"]));
    let said = said(&directory);
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("cannot reserve space for"), "{said}");
    assert!(!directory.exists());
}
