//! What a recorder that is talked into something may do then: after the attach, little more than read.
use crate::own_jdk::OwnJvm;
use recorder::{Duties, Options, Roots, SampledSession, Session, Step};
use recording::{Coverage, Facts};
use std::{
    fs,
    time::{Duration, Instant},
};
use testing::PATIENCE;

/// Where set, this test process is the recorder of the JVM with this id.
const RECORD: &str = "RECORD_WITH_THE_RIGHTS_LEFT";
/// By which way, and with or without all rights.
const HOW: &str = "RECORD_HOW";
/// The background readings have found all that there is by then.
const LONG: Duration = Duration::from_secs(4);

/// `CAP_DAC_READ_SEARCH`, `CAP_FOWNER`, `CAP_SETGID`, `CAP_SETUID`, `CAP_SYS_PTRACE`.
const READING: u64 = 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7 | 1 << 19;
/// `CAP_BPF`, without which some kernels do not let what is attached be read.
const BPF: u64 = 1 << 39;

#[test]
fn a_recording_gives_up_what_only_the_attach_needs_and_misses_nothing() {
    if let Ok(pid) = std::env::var(RECORD) {
        return record(pid.parse().unwrap());
    }
    let Some(nobody) = OwnJvm::start() else { return };
    for way in ["probes", "samples"] {
        let reported = |how: &str| {
            let name = "rights::a_recording_gives_up_what_only_the_attach_needs_and_misses_nothing";
            let mut command = spawn::command(std::env::current_exe().unwrap());
            command.args(["--exact", name, "--nocapture"]);
            command.env(RECORD, nobody.child.id().to_string()).env(HOW, format!("{way} {how}"));
            let reported = spawn::run(command, PATIENCE).unwrap();
            String::from_utf8(reported.stdout).unwrap()
        };
        let lines = |reported: &str, start: &str| -> Vec<String> {
            let lines = reported.lines().filter_map(|it| it.strip_prefix(start));
            lines.map(str::to_owned).collect()
        };
        let (all, less) = (reported("with all rights"), reported("with what is left"));
        let (had, has) = (lines(&all, "recorded: "), lines(&less, "recorded: "));
        assert!(had.len() > 5, "{way}: {all}");
        assert_eq!(had, has, "{way}: {less}");
        assert_eq!(lines(&less, "log: "), ["read"], "{way}: {less}");
        assert_eq!(lines(&all, "first to go: "), ["0"], "{way}");
        assert_eq!(lines(&less, "first to go: "), ["1000"], "{way}");
        let threads = lines(&less, "thread: ");
        assert!(threads.len() >= 4, "{way}: {less}");
        for thread in threads {
            let mut words = thread.split(' ');
            let mut rights = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
            let sets = [rights(), rights(), rights()];
            for set in sets {
                assert!(set == READING || set == READING | BPF, "{way}: {thread}");
            }
            assert_eq!(words.next(), Some("1"), "{way}: {thread}");
        }
    }
}

/// Records with the rights that are wanted, and tells what it could and may do.
fn record(pid: u32) {
    let how = std::env::var(HOW).unwrap();
    let duties_after = how.ends_with("left").then(Duties::default);
    let options = Options { duties_after, ..Options::default() };
    let jvm = recorder::jvm(&Roots::default(), pid).unwrap();
    let facts = if how.starts_with("probes") {
        let mut session = Session::attach(&jvm, options).unwrap();
        let mut facts = steps(|| session.step());
        facts.append(session.finish());
        facts
    } else {
        let mut session = SampledSession::start(&jvm, options).unwrap();
        let mut facts = steps(|| session.step());
        facts.append(session.finish());
        facts
    };
    println!("\nlog: {}", if facts.log_lines.is_empty() { "not read" } else { "read" });
    let coverage: Coverage = facts.coverage.unwrap();
    for (source, _) in coverage.sources.iter().filter(|it| coverage.has(*it.0)) {
        println!("recorded: {}", source.id());
    }
    println!("{:?}", coverage.notes);
}

fn steps(mut step: impl FnMut() -> Step) -> Facts {
    let (begun, mut facts) = (Instant::now(), Facts::default());
    // A busy machine takes longer to find the log.
    while begun.elapsed() < LONG || (facts.log_lines.is_empty() && begun.elapsed() < PATIENCE / 2) {
        facts.append(step().facts);
    }
    print_rights();
    facts
}

/// Of this thread and of those that the recording has started; others are the test's own.
fn print_rights() {
    let adjusted = fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    println!("\nfirst to go: {}", adjusted.trim());
    let own = fs::read_link("/proc/thread-self").unwrap();
    for task in fs::read_dir("/proc/self/task").unwrap().flatten() {
        let name = fs::read_to_string(task.path().join("comm")).unwrap();
        let is_own = Some(task.file_name().as_os_str()) == own.file_name();
        if !is_own && !["gc-log", "processes", "counters"].contains(&name.trim()) {
            continue;
        }
        let status = fs::read_to_string(task.path().join("status")).unwrap();
        let of = |field: &str| {
            let line = status.lines().find_map(|it| it.strip_prefix(field));
            line.unwrap().trim().to_owned()
        };
        let sets = ["CapPrm:", "CapEff:", "CapBnd:", "NoNewPrivs:"].map(of);
        println!("thread: {} {}", sets.join(" "), name.trim());
    }
}
