//! What keeping a log costs: `cost SAMPLE TO SECONDS`. The sample is a log, which is written to
//! memory at several speeds; copies go to the directory TO. `scripts/bench-keeper.sh` runs it.
use keeper::{Compression, Keeper, Options};
use std::{
    env, fs,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

/// The argument that makes this program the keeper.
const KEEP: &str = "--keep";

/// Speeds in KB a second, and what to compress with.
const RUNS: [(u64, Compression); 5] = [
    (10, Compression::Zstd),
    (100, Compression::Zstd),
    (1_000, Compression::Zstd),
    (10_000, Compression::Zstd),
    (1_000, Compression::Gzip),
];

fn main() -> io::Result<()> {
    // cargo adds words of its own.
    let words: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [KEEP, from, to, suffix] => keep(from, to, suffix),
        [sample, to, seconds] => {
            let seconds = seconds.parse().map_err(io::Error::other)?;
            table(&fs::read(sample)?, Path::new(to), Duration::from_secs(seconds))
        }
        _ => Err(io::Error::other("which sample, to which directory, for how many seconds?")),
    }
}

fn compression(suffix: &str) -> Compression {
    if suffix == Compression::Gzip.suffix() { Compression::Gzip } else { Compression::Zstd }
}

/// Keeps a log until the end of standard input.
fn keep(from: &str, to: &str, suffix: &str) -> io::Result<()> {
    let compression = compression(suffix);
    let mut keeper = Keeper::open(&Options { compression, ..Options::new(from, to) })
        .map_err(io::Error::other)?;
    static STOP: AtomicBool = AtomicBool::new(false);
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        STOP.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    writeln!(io::stdout(), "ready")?;
    keeper.run(&STOP, &mut |_| {});
    Ok(())
}

fn table(sample: &[u8], to: &Path, time: Duration) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "| log | compression | CPU of one core | resident | ratio | on disk |")?;
    writeln!(out, "|---:|---|---:|---:|---:|---:|")?;
    for (speed, compression) in RUNS {
        let log = tempfile::tempdir_in("/dev/shm")?;
        let from = log.path().join("gc.log");
        let mut child = start(&from, to, compression)?;
        let proc = PathBuf::from(format!("/proc/{}", child.id()));
        // What it takes to begin is not what it costs to run.
        let before = cpu(&proc)?;
        let written = write_log(sample, &from, speed * 1000, time)?;
        // The last period is over then.
        std::thread::sleep(Duration::from_secs(6));
        let share = (cpu(&proc)? - before).as_secs_f64() / time.as_secs_f64() * 100.0;
        let resident = resident(&proc)?;
        drop(child.stdin());
        child.wait(Duration::from_secs(60)).map_err(io::Error::other)?;
        let copy = to.join("gc.log").with_extension(format!("log.{}", compression.suffix()));
        let packed = fs::metadata(&copy)?.len();
        fs::remove_file(copy)?;
        writeln!(
            out,
            "| {:.2} MB/s | {} | {share:.3} % | {:.1} MiB | {:.1} | {:.3} MB/s |",
            written as f64 / time.as_secs_f64() / 1e6,
            compression.suffix(),
            resident as f64 / 1024.0,
            written as f64 / packed as f64,
            packed as f64 / time.as_secs_f64() / 1e6,
        )?;
    }
    Ok(())
}

fn start(from: &Path, to: &Path, compression: Compression) -> io::Result<spawn::Running> {
    let mut command = spawn::command(env::current_exe()?);
    command.arg(KEEP).arg(from).arg(to).arg(compression.suffix());
    command.stdin(std::process::Stdio::piped());
    let mut child = spawn::Running::start_heard(command).map_err(io::Error::other)?;
    child.says("ready", Duration::from_secs(60)).map_err(io::Error::other)?;
    Ok(child)
}

/// Writes the sample again and again at this many bytes a second. How many it was.
fn write_log(sample: &[u8], to: &Path, speed: u64, time: Duration) -> io::Result<u64> {
    let mut file = File::create(to)?;
    let (begin, mut written) = (Instant::now(), 0);
    let mut rest = sample;
    while begin.elapsed() < time {
        let due = speed as u128 * begin.elapsed().as_millis() / 1000;
        let more = usize::try_from(due).unwrap_or(usize::MAX).saturating_sub(written);
        let (now, later) = rest.split_at(more.min(rest.len()));
        file.write_all(now)?;
        written += now.len();
        rest = if later.is_empty() { sample } else { later };
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(written as u64)
}

/// Time on a CPU of all threads.
fn cpu(proc: &Path) -> io::Result<Duration> {
    let mut all = Duration::ZERO;
    for task in fs::read_dir(proc.join("task"))? {
        let text = fs::read_to_string(task?.path().join("schedstat"))?;
        let first = text.split(' ').next().and_then(|it| it.parse().ok());
        all += Duration::from_nanos(first.unwrap_or(0));
    }
    Ok(all)
}

/// The most that was resident, in KiB.
fn resident(proc: &Path) -> io::Result<u64> {
    let status = fs::read_to_string(proc.join("status"))?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let number = line.and_then(|it| it.trim().split(' ').next()?.parse().ok());
    number.ok_or_else(|| io::Error::other("the kernel does not say what is resident"))
}
