//! The wall clock is set while a JVM is recorded.
use crate::support::{Stage, check, record, said, wait, wait_until_it_records};
use recording::Recording;
use rustix::time::{ClockId, Timespec, clock_gettime, clock_settime};
use std::{thread, time::Duration};

const HOUR: i64 = 3600;
/// How long the clock is wrong: it is that of the whole machine.
const WRONG: Duration = Duration::from_millis(30);

/// Puts the clock forth or back, by what the monotonic one says right again when dropped.
struct Wrong {
    at: Timespec,
    right: Timespec,
}

impl Wrong {
    fn set(by_seconds: i64) -> rustix::io::Result<Wrong> {
        let (at, right) = (clock_gettime(ClockId::Monotonic), clock_gettime(ClockId::Realtime));
        let wrong = Timespec { tv_sec: right.tv_sec + by_seconds, ..right };
        clock_settime(ClockId::Realtime, wrong).map(|()| Wrong { at, right })
    }
}

impl Drop for Wrong {
    fn drop(&mut self) {
        let now = self.right + (clock_gettime(ClockId::Monotonic) - self.at);
        let _ = clock_settime(ClockId::Realtime, now);
    }
}

#[test]
fn clock_changes_of_an_hour_affect_only_the_time_of_day() {
    if !std::env::var("WHYPAUSE_FAULTS_CLOCK").is_ok_and(|it| it == "1") {
        println!("SKIPPED: the clock is the whole machine's: only with WHYPAUSE_FAULTS_CLOCK=1");
        return;
    }
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    for by_seconds in [HOUR, -HOUR] {
        let directory = stage.directory(&format!("rec{by_seconds}"));
        let mut recorder = record(&directory, &["-p", &jvm.pid(), "-d", "3s"]);
        wait_until_it_records(&directory, &mut recorder);
        match Wrong::set(by_seconds) {
            Ok(_until_here) => thread::sleep(WRONG),
            Err(error) => println!("SKIPPED: the clock cannot be set: {error}"),
        }
        assert!(wait(&mut recorder).success(), "{}", said(&directory));
        said(&directory);
        let coverage = check(&directory).expect("a recording");
        assert_eq!(coverage.end, "duration elapsed");
        let facts = Recording::open(&directory).unwrap().facts;
        let longest = facts.safepoints.iter().map(|it| it.end_probe.since(it.begin)).max();
        assert!(longest.unwrap() < Duration::from_secs(HOUR as u64 / 2), "{longest:?}");
    }
}
