//! `explain --all-pauses`: every pause is listed, and memory does not grow with their number, in any
//! format and from any kind of input. Reading any input takes at most 256 MiB.
use crate::run::{PATIENCE, ran, run, whypause};
use flate2::{Compression, Crc, write::GzEncoder};
use memchr::{memchr_iter, memmem::Finder};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
    process::Command,
    thread,
};

const FORMATS: [&str; 4] = ["text", "json", "markdown", "csv"];
/// What may be taken at most.
const MOST_KIB: u64 = 256 * 1024;
/// What may be taken for this many pauses: with all of them in memory it was twice as much.
const PAUSES: u64 = 300_000;
const MOST_OF_THESE_KIB: u64 = 80 * 1024;

/// Lines of `count` pauses, from number `first` on. Few are of one length.
fn lines(first: u64, count: u64, out: &mut dyn Write) {
    let mut out = BufWriter::new(out);
    for n in first..first + count {
        let (ms, us) = (n * 10, 1_000 + n * 7_919 % 8_999);
        let at = format!("[{}.{:03}s][info][gc]", ms / 1_000, ms % 1_000);
        let length = format!("{}.{:03}ms", us / 1_000, us % 1_000);
        writeln!(
            out,
            "{at} GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 2M->1M(4M) {length}"
        )
        .expect("written");
    }
    out.flush().expect("written");
}

fn log(path: &Path, first: u64, count: u64) {
    lines(first, count, &mut File::create(path).expect("a file"));
}

/// What a run took and printed.
struct Took {
    peak_kib: u64,
    lines: u64,
    /// Of JSON, the pauses.
    starts: u64,
    stderr: String,
}

/// Reads the output piece by piece, and how much memory the program has had by then.
fn took(mut command: Command) -> Took {
    let ((mut stdout, out), (mut stderr, err)) = (pipe(), pipe());
    command.stdout(out).stderr(err);
    let mut child = spawn::Running::start(command).expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut piece = vec![0; 1 << 16];
    let mut took = Took { peak_kib: 0, lines: 0, starts: 0, stderr: String::new() };
    let start = Finder::new(b"\n      \"start_ns\":");
    // the end of what was read before, in which another start may begin
    let mut text = Vec::new();
    loop {
        let read = stdout.read(&mut piece).expect("it is readable");
        // After the end it may be gone, so the last time is before that.
        let status = fs::read_to_string(&status).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok());
        took.peak_kib = took.peak_kib.max(peak.unwrap_or(0));
        if read == 0 {
            break;
        }
        took.lines += memchr_iter(b'\n', &piece[..read]).count() as u64;
        text.extend_from_slice(&piece[..read]);
        took.starts += start.find_iter(&text).count() as u64;
        text.drain(..text.len().saturating_sub(start.needle().len() - 1));
    }
    stderr.read_to_string(&mut took.stderr).expect("UTF-8");
    assert_eq!(child.wait(PATIENCE).expect("it ends").code(), Some(0), "{}", took.stderr);
    took
}

fn pipe() -> (io::PipeReader, io::PipeWriter) {
    io::pipe().expect("a pipe")
}

fn explain(input: &str, format: &str) -> Command {
    whypause(&["explain", "--all-pauses", "--format", format, input])
}

/// All pauses are listed, within the memory for these. How an input is read does not depend on the format:
/// all formats are tried with a file and with a pipe, and the others with one.
fn check(input: &Path, what: &str, formats: &[&str]) {
    for format in formats {
        let took = took(explain(input.to_str().expect("UTF-8"), format));
        all_listed(&took, PAUSES, format, what);
        assert!(took.peak_kib < MOST_OF_THESE_KIB, "{what} as {format}: {} KiB", took.peak_kib);
    }
}

fn all_listed(took: &Took, pauses: u64, format: &str, what: &str) {
    let listed = match format {
        "json" => took.starts == pauses,
        "csv" => took.lines == pauses + 1,
        // Some more for what is around the list.
        _ => (pauses + 1..pauses + 100).contains(&took.lines),
    };
    assert!(listed, "{what} as {format}: {} lines, {} starts", took.lines, took.starts);
    assert!(took.peak_kib > 0, "{what} as {format}");
    assert_eq!(took.stderr, "", "{what} as {format}");
}

fn directory() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("gc.log");
    (dir, path)
}

#[test]
fn of_a_file() {
    let (_dir, path) = directory();
    log(&path, 0, PAUSES);
    check(&path, "a file", &FORMATS);
}

#[test]
fn of_a_rotated_set_in_a_directory_and_by_a_pattern() {
    let (dir, path) = directory();
    let part = PAUSES / 3;
    log(&dir.path().join("gc.log.0"), 0, part);
    log(&dir.path().join("gc.log.1"), part, part);
    log(&path, 2 * part, PAUSES - 2 * part);
    check(dir.path(), "a directory", &["json"]);
    check(&dir.path().join("gc.log*"), "a pattern", &["csv"]);
}

#[test]
fn of_packed_files() {
    let (dir, _) = directory();
    let path = dir.path().join("gc.log.gz");
    let mut gzip = GzEncoder::new(File::create(&path).expect("a file"), Compression::fast());
    lines(0, PAUSES, &mut gzip);
    gzip.finish().expect("written");
    check(&path, "gzip", &["text"]);
    let path = dir.path().join("other.log.zst");
    let mut zstd = zstd::Encoder::new(File::create(&path).expect("a file"), 1).expect("a level");
    lines(0, PAUSES, &mut zstd);
    zstd.finish().expect("written");
    check(&path, "zstd", &["markdown"]);
}

/// An archive of one file that is not compressed.
fn zip(text: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("small").to_le_bytes();
    let mut crc = Crc::new();
    crc.update(text);
    let sum = crc.sum().to_le_bytes();
    let name = b"gc.log";
    let common: Vec<u8> =
        [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sum[..], &length, &length, &[6, 0, 0, 0]].concat();
    let local = [b"PK\x03\x04", &common[..], name, text].concat();
    let table = [b"PK\x01\x02\x14\0", &common[..], &[0; 14], name].concat();
    let sizes = [table.len(), local.len()].map(|it| u32::try_from(it).expect("small"));
    let [size, at] = sizes.map(u32::to_le_bytes);
    [&local, &table, &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &size, &at, &[0, 0]].concat()
}

#[test]
fn of_an_archive() {
    let (dir, _) = directory();
    let mut text = Vec::new();
    lines(0, PAUSES, &mut text);
    let path = dir.path().join("logs.zip");
    fs::write(&path, zip(&text)).expect("written");
    drop(text);
    check(&path, "zip", &["json"]);
}

/// The program with a pipe for a log of this many pauses.
fn through_a_pipe(pauses: u64, format: &str) -> Took {
    let (from, mut to) = pipe();
    let mut command = explain("-", format);
    command.stdin(from);
    let writer = thread::spawn(move || lines(0, pauses, &mut to));
    let took = took(command);
    writer.join().expect("all was read");
    took
}

#[test]
fn of_a_pipe() {
    for format in FORMATS {
        let took = through_a_pipe(PAUSES, format);
        all_listed(&took, PAUSES, format, "a pipe");
        assert!(took.peak_kib < MOST_OF_THESE_KIB, "a pipe as {format}: {} KiB", took.peak_kib);
    }
}

/// More than are sorted at once: the file is read again, and of a pipe the shortest are left out.
#[test]
fn more_than_memory_holds() {
    const MANY: u64 = 2_000_000;
    let (dir, _) = directory();
    let path = dir.path().join("gc.log.gz");
    let mut gzip = GzEncoder::new(File::create(&path).expect("a file"), Compression::fast());
    lines(0, MANY, &mut gzip);
    gzip.finish().expect("written");
    let of_file = took(explain(path.to_str().expect("UTF-8"), "json"));
    all_listed(&of_file, MANY, "json", "a large log");
    assert!(of_file.peak_kib < MOST_KIB, "{} KiB", of_file.peak_kib);
    let of_pipe = through_a_pipe(MANY, "text");
    let said = "pauses are left out: more than memory holds\nhint: give a file and not a pipe";
    assert!(of_pipe.stderr.contains(said), "{}", of_pipe.stderr);
    assert!((MANY / 4..MANY).contains(&of_pipe.lines), "{} pauses", of_pipe.lines);
    assert!(of_pipe.peak_kib < MOST_KIB, "a pipe: {} KiB", of_pipe.peak_kib);
    let csv = through_a_pipe(MANY, "csv");
    all_listed(&csv, MANY, "csv", "a pipe");
    assert!(csv.peak_kib < MOST_OF_THESE_KIB, "{} KiB", csv.peak_kib);
}

#[test]
fn of_a_recording() {
    let (_parent, path) = crate::crafted::many_stops();
    let path = path.to_str().expect("UTF-8");
    let json = run(&["explain", "--format", "json", path]).stdout;
    let answer: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let pauses = answer["pauses"]["count"].as_u64().expect("a count");
    assert!(pauses > 60_000, "{pauses}");
    for format in FORMATS {
        let took = took(explain(path, format));
        all_listed(&took, pauses, format, "a recording");
        assert!(took.peak_kib < MOST_KIB, "a recording as {format}: {} KiB", took.peak_kib);
    }
}

/// Explains a log as text, and changes it as soon as its rows are being written. No more than the
/// pipe and what is read ahead can have been read by then.
fn changed_meanwhile(change: impl FnOnce(&Path)) -> (u64, String) {
    const MANY: u64 = 150_000;
    let (_dir, path) = directory();
    log(&path, 0, MANY);
    let ((mut stdout, out), (mut stderr, err)) = (pipe(), pipe());
    let mut command = explain(path.to_str().expect("UTF-8"), "text");
    command.stdout(out).stderr(err);
    let mut child = spawn::Running::start(command).expect("it starts");
    stdout.read_exact(&mut [0; 5]).expect("it begins");
    change(&path);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("UTF-8");
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("UTF-8");
    assert_eq!(child.wait(PATIENCE).expect("it ends").code(), Some(0));
    let rows = rest.lines().filter(|it| it.contains(" ms GC work")).count();
    (rows as u64, said)
}

#[test]
fn a_log_that_grows_meanwhile_is_listed_as_it_was() {
    let (rows, stderr) = changed_meanwhile(|path| {
        let mut file = File::options().append(true).open(path).expect("a file");
        lines(150_000, 1_000, &mut file);
    });
    assert_eq!((rows, &stderr[..]), (150_000, ""));
}

#[test]
fn a_log_that_is_emptied_meanwhile_is_said_to_have_changed() {
    let (rows, stderr) = changed_meanwhile(|path| {
        File::options().write(true).truncate(true).open(path).expect("a file");
    });
    assert!(rows < 150_000, "{rows}");
    assert!(stderr.starts_with("note: the log changed while it was read"), "{stderr}");
}

/// What a pipe and a file say of one log is the same but for the name.
#[test]
fn a_pipe_and_a_file_list_the_same() {
    let (dir, path) = directory();
    log(&path, 0, 5_000);
    let said = |command: Command| {
        let text = ran(command).stdout;
        text.replace("\\-", "-").replace("gc.log", "-")
    };
    for format in FORMATS {
        let mut of_file = explain("gc.log", format);
        of_file.current_dir(dir.path());
        let mut of_pipe = explain("-", format);
        of_pipe.stdin(File::open(&path).expect("readable"));
        let (of_file, of_pipe) = (said(of_file), said(of_pipe));
        assert!(of_file.lines().count() > 5_000, "{format}: {of_file}");
        let differ = of_file.lines().zip(of_pipe.lines()).find(|(file, pipe)| file != pipe);
        assert_eq!((differ, of_file.len()), (None, of_pipe.len()), "{format}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly_and_soon() {
    let (_dir, path) = directory();
    log(&path, 0, 50_000);
    for format in FORMATS {
        let ((mut stdout, out), (mut stderr, err)) = (pipe(), pipe());
        let mut command = explain(path.to_str().expect("UTF-8"), format);
        command.stdout(out).stderr(err);
        let mut child = spawn::Running::start(command).expect("it starts");
        stdout.read_exact(&mut [0; 5]).expect("it begins");
        drop(stdout);
        let mut said = String::new();
        stderr.read_to_string(&mut said).expect("UTF-8");
        let code = child.wait(PATIENCE).expect("it ends").code();
        assert_eq!((code, &said[..]), (Some(0), ""), "{format}");
    }
}
