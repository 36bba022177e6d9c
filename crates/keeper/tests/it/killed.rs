//! A keeper that is killed again and again beside a JVM that logs as fast as it can.
use super::*;
use std::{
    collections::BTreeMap, os::unix::fs::MetadataExt, sync::atomic::AtomicBool, time::Instant,
};

/// The log and the directory for which the program of the tests is to be a keeper.
const LOG: &str = "WHYPAUSE_KEEPER_TEST_LOG";
const TO: &str = "WHYPAUSE_KEEPER_TEST_TO";

/// What it says once it is about to copy.
const OPEN: &str = "it is open";

const KILLS: u64 = 200;
const PERIOD: Duration = Duration::from_millis(10);

/// Not a test of its own: the keeper of the other tests, when the variables say so.
#[test]
fn keeper_of_the_tests() {
    let (Some(log), Some(to)) = (std::env::var_os(LOG), std::env::var_os(TO)) else { return };
    let options = Options { period: PERIOD, max_file_bytes: 2 << 20, ..Options::new(log, to) };
    let mut keeper = Keeper::open(&options).unwrap();
    println!("{OPEN}");
    keeper.run(&AtomicBool::new(false), &mut |event| println!("{}", plain(&event)));
}

fn keeper(bench: &Bench, to: &Path) -> spawn::Running {
    let mut command = spawn::command(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "killed::keeper_of_the_tests"]);
    command.env(LOG, bench.log()).env(TO, to);
    spawn::Running::start_heard(command).unwrap()
}

/// Two logs of one JVM: one is rotated, the other is not. The ring has room for all that it writes here, as
/// the host keeps that in memory anyway: a keeper that is killed as soon as it has begun may fall behind.
fn jvm(bench: &Bench, pause: u32) -> Option<spawn::Running> {
    let mut command = spawn::command("java");
    command.args(["-XX:+UseSerialGC", "-Xmx16m", "-Xmn1m", "-XX:TieredStopAtLevel=1"]);
    for (name, rotation) in [("gc.log", "filecount=400,filesize=2m"), ("whole.log", "filecount=0")]
    {
        let file = bench.log().with_file_name(name);
        let what = format!("gc*=trace,safepoint*=trace:file={}", file.display());
        command.arg(format!("-Xlog:{what}:uptimenanos,level,tags:{rotation}"));
    }
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Log.java"));
    command.arg(pause.to_string());
    let started = spawn::Running::start_heard(command).and_then(|mut jvm| {
        jvm.says("ready", PATIENCE)?;
        Ok(jvm)
    });
    started.map_err(|error| println!("SKIPPED: no JVM that logs: {error}")).ok()
}

/// Every file that the rotated log ever had, held open in the order in which they came.
#[derive(Default)]
struct Held(Vec<(u64, File)>);

impl Held {
    fn hold_new(&mut self, bench: &Bench) {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(bench.log().parent().unwrap()).unwrap().flatten() {
            let is_rotated = entry.file_name().to_str().unwrap().starts_with("gc.log");
            let Some(file) = is_rotated.then(|| File::open(entry.path()).ok()).flatten() else {
                continue;
            };
            found.insert(file.metadata().unwrap().ino(), file);
        }
        // Of a file system in memory, later files have larger numbers.
        let last = self.0.last().map_or(0, |it| it.0);
        self.0.extend(found.into_iter().filter(|it| it.0 > last));
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|it| it.1.metadata().unwrap().len()).sum()
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        for (_, file) in &mut self.0 {
            file.read_to_string(&mut text).unwrap();
        }
        text
    }
}

/// As much as can be unpacked.
fn unpacked(to: &Path) -> Vec<u8> {
    let packed: Vec<Vec<u8>> = copies(to, "zst").iter().map(|it| fs::read(it).unwrap()).collect();
    let mut text = Vec::new();
    let _ = zstd::Decoder::new(&*packed.concat()).unwrap().read_to_end(&mut text);
    text
}

/// Watches the log for as long as this.
fn watch(held: &mut Held, bench: &Bench, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        held.hold_new(bench);
        std::thread::sleep(Duration::from_millis(5).min(time));
    }
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn copy_matches_the_log_after_200_kills() {
    let bench = Bench::new();
    // On a disk, where an entry takes as long as it does.
    let disk = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(mut jvm) = jvm(&bench, 600) else { return };
    let (begin, mut held, mut random) = (Instant::now(), Held::default(), Random(7));
    let (mut reported, mut rounds) = (Vec::new(), 0);
    for n in 0..KILLS {
        let mut keeper = keeper(&bench, disk.path());
        // Every other one is killed anywhere in its start, too; were it all of them, none would come to copy
        // anything on a host where a start takes as long as they live.
        if n % 2 == 1 {
            keeper.says(OPEN, PATIENCE).unwrap();
        }
        let time = Duration::from_millis(20 + random.below(100));
        watch(&mut held, &bench, time);
        rounds += 1;
        let last = n + 1 == KILLS;
        let before = held.bytes();
        if last {
            // While it runs, and not only at its end.
            until("what was there is copied", || {
                held.hold_new(&bench);
                unpacked(disk.path()).len() as u64 >= before
            });
        }
        keeper.kill();
        reported.extend(String::from_utf8(keeper.stdout()).unwrap().lines().map(str::to_owned));
        if last {
            held.hold_new(&bench);
            let written = held.bytes();
            let copied = unpacked(disk.path()).len() as u64;
            println!(
                "after the last kill {} bytes are missing of {written}",
                written.saturating_sub(copied)
            );
            assert!(copied >= before, "copied {copied} of {before} that were copied before");
        }
    }
    let seconds = begin.elapsed().as_secs();
    jvm.end(PATIENCE).unwrap();
    held.hold_new(&bench);
    let options = Options { max_file_bytes: 2 << 20, ..Options::new(bench.log(), disk.path()) };
    bench.keeper_with(&options).round().unwrap();
    let (copy, log) = (text(disk.path(), Compression::Zstd), held.text());
    let count = |words: &str| reported.iter().filter(|it| it.contains(words)).count();
    println!(
        "{rounds} kills in {seconds} s, {} bytes in {} files, copied to {}, {} torn entries",
        log.len(),
        held.0.len(),
        copies(disk.path(), "zst").len(),
        count("incomplete entry")
    );
    for trouble in ["rotated away", "not copied", "replaced", "panicked"] {
        assert_eq!(count(trouble), 0, "{reported:?}");
    }
    assert!(held.0.len() > 3, "it was rotated {} times", held.0.len());
    let same = copy.bytes().zip(log.bytes()).take_while(|(a, b)| a == b).count();
    assert!(copy == log, "{} and {} bytes, {same} of them the same", copy.len(), log.len());
    // Threads may have written their lines to the two logs in different orders.
    let whole = fs::read_to_string(bench.log().with_file_name("whole.log")).unwrap();
    assert!(sorted(&copy) == sorted(&whole), "{} and {} bytes", copy.len(), whole.len());
}
