//! Reading a GC log from wherever it comes, in bounded memory.
use crate::{Failure, console::Console};
use diagnose::{Diagnosis, LogReader};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    fs::{File, Metadata},
    io::{self, Read},
    os::unix::fs::FileTypeExt,
    path::Path,
};

/// So much is read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// Logs below this are read before a progress bar could be seen.
const PROGRESS_FROM_BYTES: u64 = 128 << 20;

/// Files that are no text, by their first bytes, and how to read them all the same.
const KNOWN: [(&[u8], &str, &str); 6] = [
    (b"\x1f\x8b", "is compressed with gzip", "zcat FILE | whypause explain -"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "zstdcat FILE | whypause explain -"),
    (b"BZh", "is compressed with bzip2", "bzcat FILE | whypause explain -"),
    (b"\xfd7zXZ", "is compressed with xz", "xzcat FILE | whypause explain -"),
    (b"PAR1", "is one table of a recording", "give the directory that it is in"),
    (b"FLR\0", "is a JFR recording", "give the JVM's GC log, or a recording of `whypause record`"),
];

pub(super) fn open_log(
    path: &Path,
    metadata: &Metadata,
    console: &Console,
) -> Result<Diagnosis, Failure> {
    let name = path.display().to_string();
    let kind = metadata.file_type();
    if kind.is_char_device() || kind.is_block_device() || kind.is_socket() {
        return Err(Failure::input(
            format!("`{name}` is a device or a socket"),
            "give a GC log, a recording, or `-` for standard input",
        ));
    }
    let mut file = File::open(path).map_err(|error| Failure::file(path, &error))?;
    let size = Some(metadata.len()).filter(|_| kind.is_file());
    read_log(&mut file, &name, size, console)
}

pub(super) fn read_log(
    from: &mut dyn Read,
    name: &str,
    size: Option<u64>,
    console: &Console,
) -> Result<Diagnosis, Failure> {
    let shown = if name == "-" { "standard input" } else { name };
    let bar = progress(size, console);
    let mut reader = LogReader::new(name, diagnose::Keep::Longest(1_000));
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut bytes: u64 = 0;
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::file(Path::new(shown), &error)),
        };
        if bytes == 0 {
            refuse_known(&chunk[..read], shown)?;
        }
        reader.push(&chunk[..read]);
        bytes += read as u64;
        bar.set_position(bytes);
    }
    bar.finish_and_clear();
    check(reader.finish(), shown)
}

fn progress(size: Option<u64>, console: &Console) -> ProgressBar {
    let size = size.filter(|size| *size >= PROGRESS_FROM_BYTES && console.shows_progress());
    let Some(size) = size else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:30} {percent} %  {bytes_per_sec}  {eta} left");
    ProgressBar::new(size).with_style(style.expect("the template is valid; a test draws it"))
}

fn refuse_known(start: &[u8], shown: &str) -> Result<(), Failure> {
    for (magic, what, hint) in KNOWN {
        if start.starts_with(magic) {
            return Err(Failure::input(format!("`{shown}` {what}"), hint));
        }
    }
    Ok(())
}

/// A file without a single line of a GC log is a wrong file, not a log without pauses.
fn check(diagnosis: Diagnosis, shown: &str) -> Result<Diagnosis, Failure> {
    let input = diagnosis.inputs.first().cloned().unwrap_or_default();
    let hint = "give a log written with `-Xlog:gc*,safepoint:file=PATH`, \
                or a recording made by `whypause record`";
    if input.bytes == 0 {
        return Err(Failure::input(format!("`{shown}` is empty"), hint));
    }
    let told_nothing = diagnosis.pauses.is_empty()
        && diagnosis.jvm.collector.is_empty()
        && diagnosis.jvm.version.is_empty();
    // Blank lines and the like are no lines of a log either, though nobody would call them wrong.
    if told_nothing && input.lines_unrecognised * 2 >= input.lines {
        let lines = match (input.lines, input.lines_unrecognised) {
            (1, _) => "its only line is not understood".to_owned(),
            (all, not) if all == not => format!("not one of its {all} lines is understood"),
            (all, not) => format!("{not} of its {all} lines are not understood"),
        };
        return Err(Failure::input(format!("`{shown}` is not a GC log: {lines}"), hint));
    }
    Ok(diagnosis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_can_be_drawn() {
        let console = Console::new(crate::args::Colour::Never);
        progress(Some(PROGRESS_FROM_BYTES), &console).tick();
        assert!(
            ProgressStyle::with_template("{bar:30} {percent} %  {bytes_per_sec}  {eta} left")
                .is_ok()
        );
    }
}
