//! Which of the JVM's open files is its GC log.
//!
//! The flags say what the log is called, the descriptors say which file is really written: the
//! path behind a descriptor is the truth, also after a rename or when the name in the flags was
//! relative or full of `%p` and `%t`.
use super::{files::regular_file, maps::DELETED, process::ProcessDir};
use recording::{FileKey, LogOption, LogTarget};
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read},
};

mod search;

pub(crate) use search::Search;

/// The GC log of a JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GcLogFile {
    /// Descriptor of the JVM.
    pub(crate) fd: u32,
    /// Path behind the descriptor, as the kernel names it.
    pub(crate) path: String,
    pub(crate) key: FileKey,
}

/// One output of the JVM's logging, as configured by flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogOutput {
    /// File name with `%p` and the like; `None` for standard output.
    pub(crate) name: Option<String>,
}

/// Outputs that get GC or safepoint lines, the most useful first: one with both, then one with
/// GC lines. Of equals the later one.
pub(crate) fn outputs(flags: &[String]) -> Vec<LogOutput> {
    let options = recording::gc_log_options(flags).into_iter();
    let output = |it: LogOption<'_>| {
        let name = match it.output {
            LogTarget::Stdout => None,
            LogTarget::Stderr => return None,
            LogTarget::File(name) => Some(name.to_owned()),
        };
        Some(LogOutput { name })
    };
    options.filter_map(output).collect()
}

/// Flags of JDK 8 that print to the file of `-Xloggc`, or to standard output where there is none;
/// later JDKs take the first three for `-Xlog:gc` (`Arguments::process_argument` of `arguments.cpp`).
const PRINTS: [&str; 5] = [
    "-verbose:gc",
    "-XX:+PrintGC",
    "-XX:+PrintGCDetails",
    "-XX:+PrintGCApplicationStoppedTime",
    "-XX:+PrintSafepointStatistics",
];

/// The standard streams that the flags send GC or safepoint lines to: 1, 2, both, or none. What was
/// changed in the running JVM (`jcmd PID VM.log`) is not in the flags.
pub(crate) fn standard_streams(flags: &[String]) -> Vec<u32> {
    let has_file = flags.iter().any(|it| it.starts_with("-Xloggc:"));
    let mut streams = Vec::new();
    for flag in flags {
        match flag.as_str() {
            // It turns off what was turned on before, and nothing after it.
            "-Xlog:disable" => streams.clear(),
            print if PRINTS.contains(&print) && !has_file => streams.push(1),
            _ => streams.extend(standard_stream(flag)),
        }
    }
    streams.sort_unstable();
    streams.dedup();
    streams
}

fn standard_stream(flag: &str) -> Option<u32> {
    let option = LogOption::of(flag)?;
    let stream = match option.output {
        LogTarget::Stdout => 1,
        LogTarget::Stderr => 2,
        LogTarget::File(_) => return None,
    };
    (option.selects("gc") || option.selects("safepoint")).then_some(stream)
}

/// Descriptors looked at. The JVM opens its log early, so the log's descriptor is a low number.
const MAX_DESCRIPTORS: usize = 4096;
/// Of those, files whose beginning is read where no name fits.
const MAX_CONTENTS: usize = 64;
const BEGINNING_BYTES: u64 = 4096;
/// Longest name that is compared. No path has more than 4096 bytes, and a placeholder (`%hn`) may
/// be three times as long as what it stands for.
const MAX_NAME: usize = 3 * 4096;

/// Finds the GC log among the open files of the process: by the names in the flags, else by what
/// the file begins with (a log switched on with `jcmd`, or renamed by a rotation).
///
/// Reads the beginnings of files: not for the sampling thread.
pub(crate) fn find(dir: &ProcessDir, flags: &[String]) -> Search {
    find_again(dir, flags, &mut Others::default())
}

/// Files that are no GC log by what they begin with, and how long they were when that was read: for who
/// searches again and again.
pub(crate) type Others = BTreeMap<FileKey, u64>;

/// The same, but of a file of `others` is not read again what cannot be another beginning.
pub(crate) fn find_again(dir: &ProcessDir, flags: &[String], others: &mut Others) -> Search {
    let descriptors = match dir.descriptors() {
        Ok(descriptors) => descriptors,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Search::Denied(1),
        Err(_) => return Search::None,
    };
    let open: Vec<(u32, String)> = descriptors
        .into_iter()
        .take(MAX_DESCRIPTORS)
        .filter(|(_, path)| may_be_log(path))
        .collect();
    let cwd = dir.link("cwd").unwrap_or_default();
    // One that was asked for is there for this recording alone.
    let asked = open.iter().filter(|(_, path)| path.contains(SAFEPOINT_LOG_MARK));
    if let Some(found) = asked.filter_map(|it| file_of(dir, it)).next() {
        return Search::Found(found);
    }
    for output in outputs(flags) {
        let fits = |rank: fn(&str, &str, &str) -> bool| {
            let name = output.name.as_deref();
            let found = open.iter().filter(|(fd, path)| match name {
                Some(name) => rank(name, &cwd, path),
                None => *fd == 1,
            });
            found.filter_map(|it| file_of(dir, it)).next()
        };
        if let Some(found) = fits(is_path).or_else(|| fits(is_file_name)) {
            return Search::Found(found);
        }
    }
    let mut denied = 0;
    for it in open.iter().filter_map(|it| file_of(dir, it)).take(MAX_CONTENTS) {
        let length = dir.behind(&format!("fd/{}", it.fd)).map_or(0, |it| it.bytes);
        if others.get(&it.key).is_some_and(|before| begins_as_before(*before, length)) {
            continue;
        }
        match begins_like_gc_log(dir, it.fd) {
            Ok(true) => return Search::Found(it),
            Ok(false) => drop(others.insert(it.key, length)),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => denied += 1,
            Err(_) => {}
        }
    }
    if denied > 0 { Search::Denied(denied) } else { Search::None }
}

/// Whether a path may be a log's: not a socket, pipe, device or memory file.
fn may_be_log(path: &str) -> bool {
    let device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    path.starts_with('/') && !device && !path.starts_with("/memfd:") && !path.ends_with(".jar")
}

fn file_of(dir: &ProcessDir, (fd, path): &(u32, String)) -> Option<GcLogFile> {
    let info = dir.text(&format!("fdinfo/{fd}"), 4096).ok()?;
    if !opened_for_writing(&info) {
        return None;
    }
    let key = regular_file(dir, *fd).ok()??;
    Some(GcLogFile { fd: *fd, path: path.clone(), key })
}

/// Reads the access mode in the octal `flags:` of fdinfo.
pub(crate) fn opened_for_writing(fdinfo: &str) -> bool {
    let flags = fdinfo.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|it| u32::from_str_radix(it.trim(), 8).ok());
    flags.is_some_and(|it| it & 0o3 != 0)
}

/// Whether a configured name is this very path.
pub(crate) fn is_path(name: &str, cwd: &str, path: &str) -> bool {
    let relative = name.strip_prefix("./").unwrap_or(name);
    match name.starts_with('/') {
        true => matches(name, path),
        false => matches(&format!("{cwd}/{relative}"), path),
    }
}

/// Whether the last parts agree; the directories may be reached through links.
pub(crate) fn is_file_name(name: &str, _cwd: &str, path: &str) -> bool {
    let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
    matches(&last(name), &last(path))
}

/// Whether `path` is `name` with `%p`, `%t` and `%hn` standing for anything but a `/`; perhaps
/// with what rotation appends (`.3`, `.0.current`) or the kernel does.
fn matches(name: &str, path: &str) -> bool {
    if name.len() > MAX_NAME {
        return false;
    }
    let path = path.strip_suffix(DELETED).unwrap_or(path);
    let name = name.replace("%hn", "\0").replace("%p", "\0").replace("%t", "\0");
    let pieces: Vec<&str> = name.split('\0').collect();
    let suffix = |rest: &str| {
        let rest = rest.strip_suffix(".current").unwrap_or(rest);
        let number =
            rest.strip_prefix('.').is_some_and(|it| it.bytes().all(|b| b.is_ascii_digit()));
        rest.is_empty() || number
    };
    follows(&pieces, path, &suffix)
}

/// A loop, because a name may have as many pieces as a command line has room for.
fn follows(pieces: &[&str], path: &str, suffix: &dyn Fn(&str) -> bool) -> bool {
    let mut rest = path;
    for (number, piece) in pieces.iter().enumerate() {
        let Some(behind) = rest.strip_prefix(piece) else { return false };
        let Some(next) = pieces.get(number + 1) else { return suffix(behind) };
        // What the placeholder stands for ends where the next piece begins; a piece that occurs
        // in it too is not worth trying every split for.
        let until = behind.find('/').unwrap_or(behind.len());
        let at = if next.is_empty() { Some(until) } else { behind.find(next) };
        let Some(at) = at.filter(|at| *at <= until) else { return false };
        rest = &behind[at..];
    }
    suffix(rest)
}

fn begins_like_gc_log(dir: &ProcessDir, fd: u32) -> io::Result<bool> {
    let mut bytes = Vec::new();
    dir.open_fd(fd)?.take(BEGINNING_BYTES).read_to_end(&mut bytes)?;
    Ok(looks_like_gc_log(&String::from_utf8_lossy(&bytes)))
}

/// Whether a file with these sizes, before and now, begins as it did: logs are written at their ends.
fn begins_as_before(before: u64, now: u64) -> bool {
    now == before || now > before && before >= BEGINNING_BYTES
}

/// A rough look at the first lines: unified lines with a tag `gc` or `safepoint`, the JVM's first
/// line (`Using G1`), or the old form (`[GC (`, `[Full GC`). The reader of logs decides for good.
fn looks_like_gc_log(text: &str) -> bool {
    const UNIFIED: [&str; 5] = ["[gc]", "[gc,", "[gc ", "[safepoint", " Using "];
    const LEGACY: [&str; 4] =
        ["[GC (", "[GC pause", "[Full GC", "application threads were stopped"];
    text.lines().take(20).any(|line| {
        let unified = line.starts_with('[') && UNIFIED.iter().any(|it| line.contains(it));
        unified || LEGACY.iter().any(|it| line.contains(it))
    })
}

/// In the directory's name, so that the log is known among the JVM's open files.
pub(crate) const SAFEPOINT_LOG_MARK: &str = "whypause-safepoints-";

#[cfg(test)]
mod tests;
