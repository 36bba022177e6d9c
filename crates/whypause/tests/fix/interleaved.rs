//! Two runs, an undo and kills at any moment, and again and again: a log flows all the time, the notes can be
//! read, and the end is as the begin.
//!
//! `WHYPAUSE_TEST_ROUNDS` makes more of it than a suite has time for: `make nightly` does.
use crate::jvm::{Bench, command, done, jdk, said as said_by, whypause};
use std::{fs, time::Duration};
use testing::{PATIENCE, until};

/// Number of rounds by default.
const ROUNDS: u64 = 20;

fn rounds() -> u64 {
    let asked = std::env::var("WHYPAUSE_TEST_ROUNDS").ok();
    asked.map_or(ROUNDS, |it| it.parse().expect("WHYPAUSE_TEST_ROUNDS is a number"))
}

/// A long run says how far it has come, and what it shows holds as far as that if it is cut.
const BETWEEN: u64 = 500;

/// Numbers that are the same in every run (xorshift64, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn moment(&mut self) -> Duration {
        Duration::from_millis(self.below(150))
    }
}

/// Starts it at one moment, and kills it at another where that is said. What it said.
fn run(arguments: &[&str], starts: Duration, killed: Option<Duration>) -> String {
    std::thread::sleep(starts);
    let mut running = spawn::Running::start_heard(command(arguments, 0)).unwrap();
    if let Some(after) = killed {
        std::thread::sleep(after);
        running.kill();
    }
    let status = running.wait(PATIENCE).unwrap();
    format!("{arguments:?}, {status}: {}", String::from_utf8_lossy(&running.stderr()))
}

#[test]
fn two_runs_an_undo_and_kills_in_any_order_end_as_they_began() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    let apply = ["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"];
    let other = ["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply", "--period", "1s"];
    let mut numbers = Numbers(0x5eed);
    for n in 0..rounds() {
        let plan: Vec<(&[&str], Duration, Option<Duration>)> =
            [&apply[..], &other[..], &["fix", "--undo"]]
                .into_iter()
                .map(|it| {
                    let killed = (numbers.below(3) == 0).then(|| numbers.moment());
                    (it, numbers.moment(), killed)
                })
                .collect();
        let said: Vec<String> = std::thread::scope(|scope| {
            let all: Vec<_> = plan.iter().map(|it| scope.spawn(|| run(it.0, it.1, it.2))).collect();
            all.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let why = format!("round {n}: {plan:?}\n{}", said.join("\n"));
        let logs = bench.open_logs();
        assert!(!logs.is_empty(), "no log is written any more, {why}");
        let size = || logs.iter().filter_map(|it| Some(fs::metadata(it).ok()?.len())).sum::<u64>();
        let had = size();
        until("the log flows", || size() > had);
        let undo = whypause(&["fix", "--undo"]);
        assert!(undo.status.success(), "{}\nafter {why}", said_by(&undo));
        assert_eq!(bench.outputs(), before, "{why}");
        until("the keepers end", || bench.keepers().is_empty());
        assert!(bench.left_in_memory().is_empty(), "{why}");
    }
    assert!(done(&["fix", "--undo"]).contains("nothing to undo"));
}

/// What a process has open, and what there is of mounts, processes and files in memory.
#[derive(Debug, PartialEq, Eq)]
struct There {
    descriptors: usize,
    mounts: usize,
    keepers: Vec<u32>,
    in_memory: Vec<String>,
    notes: u64,
    hidden: Vec<String>,
}

fn there(bench: &Bench) -> There {
    let count = |path: &str| fs::read_dir(path).map_or(0, Iterator::count);
    let notes = recording::default_directory().unwrap().path.join("fix/changes");
    let logs = fs::read_dir(bench.logs.path()).unwrap().flatten();
    let names = logs.map(|it| it.file_name().to_string_lossy().into_owned());
    There {
        descriptors: count(&format!("/proc/{}/fd", bench.pid())),
        mounts: fs::read_to_string("/proc/self/mountinfo").unwrap().lines().count(),
        keepers: bench.keepers(),
        in_memory: bench.left_in_memory(),
        notes: fs::metadata(notes).map_or(0, |it| it.len()),
        hidden: names.filter(|it| it.starts_with('.')).collect(),
    }
}

#[test]
fn applied_and_undone_again_and_again_it_leaves_nothing() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let pid = bench.pid();
    let once = || {
        let apply = whypause(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
        assert!(apply.status.success(), "{}", said_by(&apply));
        done(&["fix", "--undo"]);
    };
    once();
    let (before, outputs) = (there(&bench), bench.outputs());
    let rounds = rounds();
    for n in 1..=rounds {
        once();
        if n % BETWEEN == 0 || n == rounds {
            assert_eq!((&there(&bench), &bench.outputs()), (&before, &outputs), "after {n}");
            println!("{n} of {rounds}: nothing is left");
        }
    }
}
