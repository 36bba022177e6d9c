//! The host's side of a recording, with a real JVM where there is one.
use super::*;
use recording::FileKey;
use recording::{Coverage, Facts, JvmFact, Source};
use std::{
    collections::BTreeSet,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};
use testing::{JvmProcess, until};

/// A JVM that never ran.
pub(super) fn made_up_jvm(pid: u32, arguments: &[&str]) -> Jvm {
    Jvm {
        pid,
        start_ticks: 1,
        started: recording::MonoTime(1),
        uid: 0,
        pid_in_namespace: pid,
        main: "Main".into(),
        arguments: Some(Arguments {
            words: arguments.iter().map(|&it| it.to_owned()).collect(),
            cut: false,
        }),
        command_line: "java Main".into(),
        java_launcher: true,
        libjvm: "/j/lib/server/libjvm.so".into(),
        libjvm_deleted: false,
        libjvm_mapping: maps::Mapping::default(),
        java_home: "/j".into(),
    }
}

fn fixture() -> Roots {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/procfs/mixed");
    Roots { proc: root.join("proc"), sys: root.join("sys") }
}

fn check_fact(pid: u32, expected: &str) {
    let roots = fixture();
    check_fact_of(&jvm(&roots, pid).unwrap(), expected);
}

fn check_fact_of(jvm: &Jvm, expected: &str) {
    let fact = jvm_fact::jvm_fact_with_log(&fixture(), jvm, None).0;
    let shown = format!(
        "{} | {} | {} {} | {} | {}",
        fact.version,
        fact.vendor,
        fact.collector,
        fact.gc_threads,
        fact.flags.join(" "),
        fact.cgroup
    );
    assert_eq!(shown, expected);
}

#[test]
fn a_jvm_is_described_from_its_files_alone() {
    check_fact(
        100,
        "17.0.15+6-Debian-1deb12u1 | Debian | g1 3 | \
         -XX:ParallelGCThreads=3 -Xmx1g -XX:+UseG1GC | /system.slice/kafka.service",
    );
}

#[test]
fn in_a_list_no_file_of_flags_is_opened() {
    let roots = fixture();
    let fact = jvm_fact(&roots, &jvm(&roots, 100).unwrap());
    assert_eq!(fact.flags.join(" "), "-XX:ParallelGCThreads=3");
}

#[test]
fn without_a_release_file_the_mapped_library_tells_the_version() {
    let roots = fixture();
    let mut jvm = jvm(&roots, 200).unwrap();
    check_fact_of(&jvm, " |  | serial 1 |  | /kubepods/pod1/c1");
    // Only the very file that is mapped counts.
    let file = std::fs::File::open(roots.proc.join("200/root").join(&jvm.libjvm[1..])).unwrap();
    let FileKey { device, inode } = mapped::key_as_mapped(&file).unwrap();
    jvm.libjvm_mapping = maps::Mapping { device, inode, ..jvm.libjvm_mapping };
    check_fact_of(&jvm, "21.0.2+13 |  | serial 1 |  | /kubepods/pod1/c1");
}

#[test]
fn what_cannot_be_read_stays_empty() {
    check_fact(300, " |  |  0 | -Xmx1g | ");
}

/// Allocates for ever, so that there are collections, and tells when it is ready.
const PROGRAM: &str = "
public class Alloc {
    static Object[] kept = new Object[64];
    public static void main(String[] a) throws Exception {
        for (long i = 0; ; i++) {
            kept[(int) (i & 63)] = new byte[64 * 1024];
            if (i % 128 == 0) Thread.sleep(100);
        }
    }
}
";

struct Java {
    child: JvmProcess,
    dir: tempfile::TempDir,
}

impl Java {
    /// Starts a small program with a rotating GC log; `None` and a word where there is no JDK.
    fn start() -> Option<Java> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Alloc.java"), PROGRAM).unwrap();
        std::fs::write(dir.path().join("opts"), "-Xmx64m\n-Xmn8m # small\n").unwrap();
        let mut command = spawn::command("java");
        command
            .args(["@opts", "-XX:+UseG1GC", "-XX:-UsePerfData"])
            .arg("-Xlog:gc*,safepoint:file=gc-%p.log:tn,tags:filecount=3,filesize=8k")
            .arg("Alloc.java")
            .env("JAVA_TOOL_OPTIONS", "-XX:ParallelGCThreads=2")
            .current_dir(dir.path());
        let Ok(child) = spawn::Running::start(command) else {
            println!("SKIPPED: there is no `java` on the path");
            return None;
        };
        let child = JvmProcess::in_directory(child, dir.path());
        let mut java = Java { child, dir };
        if java.wait_for_log() {
            return Some(java);
        }
        println!("SKIPPED: `java` did not start the program (a jdk 11 or later is needed)");
        None
    }

    fn log(&self) -> std::path::PathBuf {
        self.dir.path().join(format!("gc-{}.log", self.child.id()))
    }

    /// Waits until the log has been rotated, so that collections go on.
    fn wait_for_log(&mut self) -> bool {
        let rotated = self.log().with_extension("log.0");
        let mut ended = false;
        until("the log is rotated", || {
            ended = self.child.ended().unwrap().is_some();
            ended || rotated.exists()
        });
        !ended
    }
}

/// Other processes, so that a scan of all processes costs what it costs on a real host.
struct Sleepers {
    _all: Vec<spawn::Running>,
}

impl Sleepers {
    fn start(count: u32) -> Sleepers {
        let start = |_| {
            let mut command = spawn::command("sleep");
            command.arg("120");
            spawn::Running::start(command).ok()
        };
        Sleepers { _all: (0..count).filter_map(start).collect() }
    }
}

/// Names of the threads of this process, as directories of `/proc/self/task`.
fn own_threads() -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    entries.filter_map(|it| it.file_name().into_string().ok()).collect()
}

/// CPU time of those of these threads that are background threads (`schedstat`, first number).
fn cpu_time(threads: &[String]) -> Duration {
    let read = |tid: &str, file: &str| {
        std::fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default()
    };
    let names = ["gc-log", "processes", "counters"];
    let of = |tid: &String| {
        let is_one = names.contains(&read(tid, "comm").trim());
        let time = read(tid, "schedstat").split(' ').next()?.parse::<u64>().ok()?;
        is_one.then_some(time)
    };
    Duration::from_nanos(threads.iter().filter_map(of).sum())
}

/// What was recorded of a live JVM in some seconds, or in more until it was enough.
fn record(java: &Java, time: Duration, enough: impl Fn(&Facts) -> bool) -> (Facts, Coverage, f64) {
    let roots = Roots::default();
    let jvm = jvm(&roots, java.child.id()).unwrap();
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    let before = own_threads();
    let mut sources = HostSources::start(&roots, &jvm);
    let threads: Vec<String> =
        own_threads().into_iter().filter(|it| !before.contains(it)).collect();
    let fd = (0..64).find(|fd| {
        let link = std::fs::read_link(format!("/proc/{}/fd/{fd}", jvm.pid));
        link.is_ok_and(|it| it == java.log())
    });
    assert!(fd.and_then(|fd| sources.files().by_fd(fd)).is_some(), "the log's descriptor");
    let mut run = |time: Duration| {
        let (since, before) = (Instant::now(), cpu_time(&threads));
        while since.elapsed() < time {
            sleep(Duration::from_millis(50));
            sources.take(&mut facts, &mut coverage);
        }
        cpu_time(&threads).saturating_sub(before).as_secs_f64() / since.elapsed().as_secs_f64()
    };
    let start = run(Duration::from_millis(2_500));
    let share = run(time);
    println!("background threads: {:.2} % of a core at the start", start * 100.0);
    until("enough is recorded", || {
        sources.take(&mut facts, &mut coverage);
        enough(&facts)
    });
    sources.stop(&mut facts, &mut coverage);
    (facts, coverage, share)
}

#[test]
fn a_live_jvm_is_found_described_and_its_rotating_log_followed() {
    let Some(java) = Java::start() else { return };
    let _others = Sleepers::start(60);
    let flags = ["-XX:ParallelGCThreads=2", "-Xmx64m", "-Xmn8m", "-XX:-UsePerfData"];
    let has_flags = |it: &JvmFact| flags.iter().all(|flag| it.flags.iter().any(|it| it == flag));
    // On a host where even a read of `/proc` takes long they are read at the last look.
    let enough = |it: &Facts| {
        let known = it.jvm.as_ref().is_some_and(has_flags);
        known && collections(it).len() > 20 && files(it) > 2
    };
    let (facts, coverage, share) = record(&java, Duration::from_secs(4), enough);
    println!("background threads: {:.2} % of a core later", share * 100.0);

    let fact = facts.jvm.clone().unwrap();
    assert_eq!(fact.main, "Alloc.java");
    assert_eq!((fact.collector.as_str(), fact.gc_threads), ("g1", 2));
    assert!(has_flags(&fact), "{:?}", fact.flags);
    assert!(!fact.version.is_empty());
    assert_eq!(Path::new(&fact.gc_log), java.log());
    assert!(facts.host.is_some() && !facts.clocks.is_empty());
    let described = facts.files.iter().find(|it| Some(it.key) == fact.gc_log_file);
    assert!(described.is_some_and(|it| !it.file_system.is_empty()), "{:?}", facts.files);
    for source in [Source::GcLog, Source::Files, Source::Writers, Source::HostCounters] {
        assert!(coverage.has(source), "{source:?} {coverage:?}");
    }
    check_log(&facts, &coverage);
    // The bar is 0.3 % in a release build on a quiet host; this is an unoptimised one.
    assert!(share < 0.02, "{share}");
}

/// Numbers of the collections in the log.
fn collections(facts: &Facts) -> BTreeSet<u32> {
    let number = |text: &str| text.split("GC(").nth(1)?.split(')').next()?.parse::<u32>().ok();
    facts.log_lines.iter().filter_map(|it| number(&it.text)).collect()
}

/// Files of the log that were read from their begin.
fn files(facts: &Facts) -> usize {
    facts.log_lines.iter().filter(|it| it.offset == 0).count()
}

/// Collections are numbered, and a file of 8 KB holds several of them: a lost file would show.
/// On a busy host the JVM may rotate faster than the tail may read; then that is said.
fn check_log(facts: &Facts, coverage: &Coverage) {
    let (numbers, files) = (collections(facts), files(facts));
    println!("{} log lines, {} collections, {files} files", facts.log_lines.len(), numbers.len());
    let (first, last) = (numbers.first().copied().unwrap(), numbers.last().copied().unwrap());
    let lost: Vec<u32> = (first..=last).filter(|it| !numbers.contains(it)).collect();
    let said = coverage.notes.iter().any(|it| it.message.contains("rotated faster"));
    assert!(lost.is_empty() || said, "lost {lost:?} without a word");
    // Wanted at most once: the head.
    assert!(facts.log_lines.iter().filter(|it| it.text.contains("Using G1")).count() <= 1);
}

#[test]
fn a_jvm_that_ends_is_no_trouble() {
    let Some(java) = Java::start() else { return };
    let roots = Roots::default();
    let jvm = jvm(&roots, java.child.id()).unwrap();
    let mut sources = HostSources::start(&roots, &jvm);
    drop(java);
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    assert_eq!(sources.files().by_fd(1), None);
    sources.exited_writer(now(), (jvm.pid, 1), "java", 1 << 30);
    sources.stop(&mut facts, &mut coverage);
    assert!(matches!(super::jvm(&roots, jvm.pid), Err(JvmError::NoSuchProcess { .. })));
}

#[test]
fn a_thread_that_waits_for_ever_is_left_behind() {
    let root = tempfile::tempdir().unwrap();
    let fifo = root.path().join("vmstat");
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    let sources = HostSources::start(&roots, &made_up_jvm(7, &[]));
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    // Nobody ever writes to the file.
    sources.stop(&mut facts, &mut coverage);
    let said = coverage.notes.iter().any(|it| it.message.contains("still waited"));
    assert!(said, "{:?}", coverage.notes);
}
