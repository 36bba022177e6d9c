//! The stories of `stories.rs` among hundreds of ordinary collections: the verdict stays, and the first
//! screen says what to do next.
use crate::{
    run::{ran, whypause},
    stories::testdata,
};
use diagnose::{Keep, log_text};
use std::fs;

/// When something was written to a log of JDK 8: `2020-10-29T17:07:57.508+0800: 871.963: `.
struct Stamp<'a> {
    day: &'a str,
    ms_of_day: u64,
    zone: &'a str,
    uptime_ms: u64,
}

impl<'a> Stamp<'a> {
    fn first_of(log: &'a str) -> Stamp<'a> {
        let line = log.lines().find(|it| it.starts_with("20")).expect("a line with a date");
        let (date, rest) = line.split_once(": ").expect("an uptime");
        let (day, time) = date.split_once('T').expect("a time");
        let number = |from: usize, to: usize| time[from..to].parse::<u64>().expect("a number");
        let of_hours = (number(0, 2) * 60 + number(3, 5)) * 60 + number(6, 8);
        let uptime: String = rest.chars().take_while(|it| *it != ':').collect();
        let uptime_ms = uptime.replace('.', "").parse().expect("an uptime with milliseconds");
        Stamp { day, ms_of_day: of_hours * 1000 + number(9, 12), zone: &time[12..], uptime_ms }
    }

    /// The one that is `by_ms` earlier, as it is written.
    fn earlier(&self, by_ms: u64) -> String {
        let (ms, uptime) = (self.ms_of_day - by_ms, self.uptime_ms - by_ms);
        let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        format!(
            "{}T{hours:02}:{minutes:02}:{seconds:02}.{:03}{}: {}.{:03}: ",
            self.day,
            ms % 1000,
            self.zone,
            uptime / 1000,
            uptime % 1000
        )
    }
}

/// What an ordinary collection of the story's JVM looks like.
#[derive(Clone, Copy)]
enum Ordinary {
    ParNew,
    Parallel,
    G1,
}

impl Ordinary {
    fn text(self, at: &str, after: &str) -> String {
        let uptime = at.split(": ").nth(1).expect("an uptime");
        match self {
            Ordinary::ParNew => format!(
                "{at}[GC (Allocation Failure) {uptime}: [ParNew: 508096K->3782K(508096K), 0.0142796 secs] 1336653K->835675K(4190400K), 0.0150000 secs] [Times: user=0.03 sys=0.00, real=0.02 secs]\n"
            ),
            Ordinary::Parallel => format!(
                "{at}[GC [PSYoungGen: 421888K->3782K(508096K)] 836653K->418547K(2090400K), 0.0150000 secs] [Times: user=0.05 sys=0.00, real=0.02 secs]\n{after}Total time for which application threads were stopped: 0.0153000 seconds\n"
            ),
            Ordinary::G1 => format!(
                "{at}[GC pause (G1 Evacuation Pause) (young), 0.0150000 secs]\n   [Eden: 2048.0M(2048.0M)->0.0B(2048.0M) Survivors: 64.0M->64.0M Heap: 3300.0M(8192.0M)->1310.0M(8192.0M)]\n [Times: user=0.06 sys=0.00, real=0.02 secs] \n{after}Total time for which application threads were stopped: 0.0153000 seconds, Stopping threads took: 0.0001000 seconds\n"
            ),
        }
    }

    /// 200 of them between the head of the log and the story.
    fn before(self, story: &str) -> String {
        const COUNT: u64 = 200;
        let first = Stamp::first_of(story);
        let each_ms = (first.uptime_ms.min(first.ms_of_day) / (COUNT + 40)).min(20_000);
        let ordinary = (0..COUNT).map(|n| {
            let by_ms = (COUNT - n + 30) * each_ms;
            self.text(&first.earlier(by_ms), &first.earlier(by_ms - 15))
        });
        let (head, rest): (Vec<&str>, Vec<&str>) = {
            let lines: Vec<&str> = story.lines().collect();
            let begin = lines.iter().position(|it| it.starts_with("20")).expect("a date");
            (lines[..begin].to_vec(), lines[begin..].to_vec())
        };
        let lines = |them: Vec<&str>| them.iter().map(|it| format!("{it}\n")).collect::<String>();
        lines(head) + &ordinary.collect::<String>() + &lines(rest)
    }
}

#[test]
fn two_hundred_ordinary_collections_around_a_story_change_nothing_of_it() {
    let a_disk = ["GC log write blocked", "start with the GC log in /dev/shm"];
    let late = ["took long until all threads had stopped", "-XX:+PerfDisableSharedMem"];
    for (name, ordinary, expected) in [
        ("a08-stopping-threads", Ordinary::G1, late),
        ("a09-log-in-memory", Ordinary::G1, late),
        ("a13-blocked-collection", Ordinary::G1, a_disk),
        ("a14-every-two-hours", Ordinary::G1, ["every 2 h 00 min", "-XX:+PerfDisableSharedMem"]),
        (
            "a16-cpu-bound-collection",
            Ordinary::ParNew,
            ["neither a disk nor the size of the heap", "next start"],
        ),
        ("a26-one-stop-of-51-seconds", Ordinary::Parallel, ["full", "next start"]),
        ("a28-cfs-throttling", Ordinary::G1, a_disk),
        ("a28-hsperfdata", Ordinary::ParNew, a_disk),
        ("a28-paper-parnew", Ordinary::ParNew, a_disk),
        ("a28-paper-write", Ordinary::G1, a_disk),
    ] {
        let story = fs::read_to_string(testdata("stories").join(name).join("gc.log"));
        let log = ordinary.before(&story.expect("it is readable"));
        let answer = log_text::read(&log, Keep::All);
        let notes = &answer.coverage.notes;
        assert!(notes.is_empty(), "{name}: {notes:?}");
        let said = first_screen(&log);
        let in_one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in expected {
            assert!(in_one_line.contains(part), "{name}: {part:?} is not in {said}");
        }
        assert!(said.lines().count() <= 24, "{name}: {said}");
        assert!(answer.findings.iter().all(|it| it.cause.id != "heap-pressure"), "{name}");
    }
}

/// What is said of a log on a terminal.
fn first_screen(log: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gc.log"), log).expect("it is writable");
    let mut command = whypause(&["explain", "gc.log"]);
    command.current_dir(folder.path());
    ran(command).stdout
}

#[test]
fn pauses_of_a_monitor_among_collections_that_explain_none_of_them() {
    let monitor = fs::read_to_string(testdata("stories/a22-pause-without-gc/gc.log"));
    let collections: String = (0..200_u64)
        .map(|n| {
            let (minute, second) = (19 + n / 60, n % 60);
            format!(
                "[2023-08-25T08:{minute:02}:{second:02}.000+0000][{}.000s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 1512M->310M(2048M) 12.500ms\n[2023-08-25T08:{minute:02}:{second:02}.000+0000][{}.000s][info][gc,cpu] GC({n}) User=0.02s Sys=0.00s Real=0.01s\n",
                1000 + n,
                1000 + n
            )
        })
        .collect();
    let said = first_screen(&(collections + &monitor.expect("it is readable")));
    let in_one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "the application did not run, and the collector is not the cause";
    assert!(in_one_line.contains(expected), "{said}");
    assert!(said.contains("6 hiccups") && said.contains("whypause record -p PID"), "{said}");
}
