//! Copies of some files, each damaged in a way of its own.
//!
//! They are below `damaged/`, one folder for each, so that the rest of the fleet stays whole and each of them can be
//! explained alone or together with it.
use crate::{
    Options,
    random::Random,
    truth::{Damaged, HostTruth},
};
use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use parquet::{
    basic::Type, data_type::Int64Type, file::writer::SerializedFileWriter,
    schema::types::Type as SchemaType,
};
use std::{
    fs::{self, File},
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What is drawn here is drawn from a sequence of its own.
const STREAM: u64 = u64::MAX;
/// Bytes that a foreign file has behind its head.
const FOREIGN_BYTES: usize = 4096;
/// A log is read up to here for a copy that has one line of it only.
const HEAD_BYTES: u64 = 64 << 10;
/// The begin of a PNG file: its signature and the header of an image of 16 by 16 pixels.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa";
/// The begin of an ELF file: 64 bits, little endian, for x86-64.
const ELF: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0";

/// A way to damage.
#[derive(Clone, Copy)]
enum Way {
    /// Makes a damaged log, of the bytes of a whole one.
    Log(fn(&Work<'_>, &Path) -> Result<()>),
    /// Damages the copy of a recording.
    Recording(fn(&Path) -> Result<()>),
}

/// In turn.
const WAYS: [(&str, Way); 9] = [
    ("cut-line", Way::Log(cut_line)),
    ("damaged-part", Way::Recording(damage_part)),
    ("empty", Way::Log(|_, to| write(to, b""))),
    ("missing-table", Way::Recording(remove_table)),
    ("png", Way::Log(|work, to| foreign(PNG, work, to))),
    ("foreign-parquet", Way::Recording(foreign_parquet)),
    ("elf", Way::Log(|work, to| foreign(ELF, work, to))),
    ("long-line", Way::Log(long_line)),
    ("cut-gzip", Way::Log(cut_gzip)),
];

/// What a damaged log is made of.
struct Work<'a> {
    whole: &'a Path,
    line_bytes: u64,
    salt: u64,
}

impl Work<'_> {
    /// The text of the whole log, up to this number of bytes.
    fn text(&self, most: u64) -> Result<Vec<u8>> {
        let failed = || format!("cannot read `{}`", self.whole.display());
        let file = File::open(self.whole).with_context(failed)?;
        let mut text = Vec::new();
        match self.whole.extension().is_some_and(|it| it == "gz") {
            true => flate2::read::GzDecoder::new(file).take(most).read_to_end(&mut text),
            false => file.take(most).read_to_end(&mut text),
        }
        .with_context(failed)?;
        Ok(text)
    }
}

/// Makes as many copies as the share of all logs and recordings is, at least one where there is a share.
pub(crate) fn make(options: &Options, hosts: &[HostTruth]) -> Result<Vec<Damaged>> {
    let recordings: Vec<&str> =
        hosts.iter().flat_map(|it| &it.recordings).map(|it| it.path.as_str()).collect();
    let logs: Vec<String> = hosts.iter().map(last_file).collect();
    let files = (logs.len() + recordings.len()) as u64;
    let copies = (files * options.damage_millionths).div_ceil(1_000_000);
    let mut random = Random::new(options.seed, STREAM);
    let mut ways = WAYS.iter().cycle().filter(|(_, way)| match way {
        Way::Log(_) => true,
        Way::Recording(_) => !recordings.is_empty(),
    });
    let mut made = Vec::new();
    for number in 1..=copies {
        let Some((kind, way)) = ways.next() else { break };
        let below = PathBuf::from(format!("damaged/host={number:03}-{kind}"));
        let place = options.directory.join(&below);
        let (path, copy_of) = match way {
            Way::Log(damage) => {
                let whole = logs[random.index(logs.len())].as_str();
                let name = if *kind == "cut-gzip" { "gc.log.gz" } else { "gc.log" };
                let from = options.directory.join(whole);
                let salt = random.below(u64::MAX);
                let work = Work { whole: &from, line_bytes: options.long_line_bytes, salt };
                create(&place)?;
                damage(&work, &place.join(name))?;
                (below.join(name), whole)
            }
            Way::Recording(damage) => {
                let whole = recordings[random.index(recordings.len())];
                let name = Path::new(whole).file_name().unwrap_or_default();
                let copy = place.join(name);
                copy_recording(&options.directory.join(whole), &copy)?;
                damage(&copy)?;
                (below.join(name), whole)
            }
        };
        made.push(Damaged { path: path.display().to_string(), kind, copy_of: copy_of.to_owned() });
    }
    Ok(made)
}

/// The file of a log that it ends with.
fn last_file(host: &HostTruth) -> String {
    match host.form {
        crate::log::Form::Rotated => format!("{}/gc.log", host.log),
        _ => host.log.clone(),
    }
}

fn create(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create `{}`", directory.display()))
}

fn write(to: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(to, bytes).with_context(|| format!("cannot write `{}`", to.display()))
}

/// Ends in the middle of a line.
fn cut_line(work: &Work<'_>, to: &Path) -> Result<()> {
    let text = work.text(u64::MAX)?;
    let two_thirds = &text[..text.len() / 3 * 2];
    let line = two_thirds.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    // Behind the date, within the decorations or the message.
    write(to, &text[..(line + 45).min(text.len())])
}

fn foreign(head: &[u8], work: &Work<'_>, to: &Path) -> Result<()> {
    let mut random = Random::new(work.salt, 0);
    let noise = (0..FOREIGN_BYTES).map(|_| u8::try_from(random.below(256)).unwrap_or(0));
    write(to, &head.iter().copied().chain(noise).collect::<Vec<u8>>())
}

/// One line that is longer than any that a JVM writes.
fn long_line(work: &Work<'_>, to: &Path) -> Result<()> {
    let text = work.text(HEAD_BYTES)?;
    let end = text.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    let failed = || format!("cannot write `{}`", to.display());
    let mut file = BufWriter::new(File::create_new(to).with_context(failed)?);
    file.write_all(&text[..end]).with_context(failed)?;
    std::io::copy(&mut std::io::repeat(b'x').take(work.line_bytes), &mut file)
        .with_context(failed)?;
    file.write_all(b"\n").and_then(|()| file.write_all(&text[..end])).with_context(failed)?;
    file.flush().with_context(failed)
}

/// A compressed log that lacks its second half.
fn cut_gzip(work: &Work<'_>, to: &Path) -> Result<()> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&work.text(u64::MAX)?).context("cannot compress in memory")?;
    let bytes = packed.finish().context("cannot compress in memory")?;
    write(to, &bytes[..bytes.len() / 2])
}

fn copy_recording(from: &Path, to: &Path) -> Result<()> {
    create(to)?;
    for (name, path) in parts(from)? {
        fs::copy(&path, to.join(name))
            .with_context(|| format!("cannot copy `{}`", path.display()))?;
    }
    Ok(())
}

/// Names and paths of the files of a recording.
fn parts(recording: &Path) -> Result<Vec<(String, PathBuf)>> {
    let failed = || format!("cannot list `{}`", recording.display());
    let mut parts = Vec::new();
    for entry in fs::read_dir(recording).with_context(failed)? {
        let entry = entry.with_context(failed)?;
        parts.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    parts.sort();
    Ok(parts)
}

/// The part of this table.
fn part(recording: &Path, table: &str) -> Result<PathBuf> {
    let mut parts = parts(recording)?.into_iter();
    let found = parts.find(|(name, _)| name.split('-').next() == Some(table));
    Ok(found.with_context(|| format!("no `{table}` in `{}`", recording.display()))?.1)
}

/// Changes bytes in the middle of the part with the threads' states.
fn damage_part(recording: &Path) -> Result<()> {
    let path = part(recording, "slices")?;
    let mut bytes = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let middle = bytes.len() / 2;
    bytes.iter_mut().skip(middle).take(16).for_each(|it| *it = !*it);
    write(&path, &bytes)
}

/// Removes the part with the stops.
fn remove_table(recording: &Path) -> Result<()> {
    let path = part(recording, "safepoints")?;
    fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))
}

/// Puts a Parquet file of something else in the place of a part.
fn foreign_parquet(recording: &Path) -> Result<()> {
    let path = part(recording, "safepoints")?;
    let amount = SchemaType::primitive_type_builder("amount_cents", Type::INT64).build()?;
    let fields = vec![Arc::new(amount)];
    let schema = SchemaType::group_type_builder("invoices").with_fields(fields).build()?;
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default())?;
    let mut rows = file.next_row_group()?;
    if let Some(mut column) = rows.next_column()? {
        column.typed::<Int64Type>().write_batch(&[1999, 4999, 250], Some(&[1, 1, 1]), None)?;
        column.close()?;
    }
    rows.close()?;
    write(&path, &file.into_inner()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damaged(way: fn(&Work<'_>, &Path) -> Result<()>) -> Vec<u8> {
        let directory = tempfile::tempdir().expect("a directory");
        let (whole, to) = (directory.path().join("whole.log"), directory.path().join("gc.log"));
        let line = "[2026-11-20T00:00:00.005+0000][0.005s][info][gc] Using G1\n";
        fs::write(&whole, line.repeat(30)).expect("written");
        way(&Work { whole: &whole, line_bytes: 5000, salt: 1 }, &to).expect("damaged");
        fs::read(&to).expect("read")
    }

    #[test]
    fn a_cut_log_ends_in_the_middle_of_a_line() {
        let text = damaged(cut_line);
        assert!(text.len() > 300 && text.last() != Some(&b'\n'));
    }

    #[test]
    fn a_long_line_is_between_whole_ones() {
        let text = String::from_utf8(damaged(long_line)).expect("text");
        let longest = text.lines().map(str::len).max();
        assert_eq!((longest, text.lines().count()), (Some(5000), 61));
    }

    #[test]
    fn a_cut_gzip_file_begins_as_one_and_ends_early() {
        let mut text = Vec::new();
        let bytes = damaged(cut_gzip);
        assert!(flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut text).is_err());
        assert!(bytes.starts_with(b"\x1f\x8b"));
    }

    #[test]
    fn foreign_files_begin_as_what_they_are() {
        assert!(damaged(|work, to| foreign(PNG, work, to)).starts_with(b"\x89PNG\r\n"));
        assert!(damaged(|work, to| foreign(ELF, work, to)).starts_with(b"\x7fELF"));
    }
}
