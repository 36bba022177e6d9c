//! What a keeper promises: a log in, its copy out.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod disk;
mod killed;
mod restart;
mod rotation;
mod running;
mod safety;

use keeper::{Compression, Event, Keeper, KeeperError, Options, Round};
use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};
use testing::{PATIENCE, is_root, until};

/// A log in memory and a place for its copies.
struct Bench {
    directory: tempfile::TempDir,
    compression: Compression,
}

impl Bench {
    fn new() -> Bench {
        Bench::in_directory(Path::new("/dev/shm"))
    }

    fn in_directory(path: &Path) -> Bench {
        let directory = tempfile::tempdir_in(path).unwrap();
        fs::create_dir(directory.path().join("from")).unwrap();
        fs::create_dir(directory.path().join("to")).unwrap();
        Bench { directory, compression: Compression::Zstd }
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("from/gc.log")
    }

    fn rotated(&self, what: &str) -> PathBuf {
        self.directory.path().join(format!("from/gc.log.{what}"))
    }

    fn to(&self) -> PathBuf {
        self.directory.path().join("to")
    }

    fn options(&self) -> Options {
        let period = Duration::from_millis(20);
        let compression = self.compression;
        Options { period, compression, ..Options::new(self.log(), self.to()) }
    }

    fn keeper(&self) -> Keeper {
        self.keeper_with(&self.options())
    }

    fn keeper_with(&self, options: &Options) -> Keeper {
        Keeper::open(options).unwrap()
    }

    fn copy(&self, number: u32) -> PathBuf {
        let number = if number > 1 { format!(".{number}") } else { String::new() };
        self.to().join(format!("gc.log{number}.{}", self.compression.suffix()))
    }

    /// All copies one after the other, unpacked.
    fn text(&self) -> String {
        text(&self.to(), self.compression)
    }

    /// Names and sizes of the copies.
    fn copies(&self) -> Vec<(String, u64)> {
        copies(&self.to(), self.compression.suffix())
            .into_iter()
            .map(|it| (it.file_name().unwrap().to_str().unwrap().to_owned(), size(&it)))
            .collect()
    }
}

/// The copies in a directory, in their order.
fn copies(to: &Path, suffix: &str) -> Vec<PathBuf> {
    let number = |path: &Path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let middle = name.strip_suffix(&format!(".{suffix}"))?.strip_prefix("gc.log")?.to_owned();
        if middle.is_empty() { Some(1) } else { middle.strip_prefix('.')?.parse::<u32>().ok() }
    };
    let entries = fs::read_dir(to).unwrap().map(|it| it.unwrap().path());
    let mut copies: Vec<(u32, PathBuf)> =
        entries.filter_map(|it| Some((number(&it)?, it))).collect();
    copies.sort();
    copies.into_iter().map(|(_, path)| path).collect()
}

fn text(to: &Path, compression: Compression) -> String {
    let packed: Vec<Vec<u8>> =
        copies(to, compression.suffix()).iter().map(|it| fs::read(it).unwrap()).collect();
    let packed = packed.concat();
    let mut text = Vec::new();
    if !packed.is_empty() {
        match compression {
            Compression::Zstd => zstd::Decoder::new(&*packed).unwrap().read_to_end(&mut text),
            Compression::Gzip => {
                flate2::bufread::MultiGzDecoder::new(&*packed).read_to_end(&mut text)
            }
        }
        .unwrap_or_else(|it| panic!("{it} after {} bytes", text.len()));
    }
    String::from_utf8(text).unwrap()
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

fn append(path: &Path, text: &str) {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Some lines of a log, and no others with the same numbers.
fn lines(from: usize, count: usize) -> String {
    (from..from + count)
        .map(|n| format!("[{}.{:03}s][info][gc] GC({n}) Pause Young {}M\n", n / 9, n % 1000, n * 7))
        .collect()
}

/// Text that cannot be packed to much less than its size.
fn noise(seed: u64, bytes: usize) -> String {
    let mut random = Random(seed);
    let letter = |_| char::from(b' ' + u8::try_from(random.below(90)).unwrap());
    (0..bytes).map(letter).collect()
}

/// The same numbers for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A round that must succeed, and its messages.
fn round(keeper: &mut Keeper) -> (Round, Vec<String>) {
    let round = keeper.round().unwrap();
    (round, said(keeper))
}

/// What was reported, without the directories of the tests.
fn said(keeper: &mut Keeper) -> Vec<String> {
    keeper.events().iter().map(plain).collect()
}

fn plain(event: &Event) -> String {
    short(&event.to_string())
}

fn short(text: &str) -> String {
    let parts = text.split('`').map(|it| if it.starts_with('/') { last(it) } else { it });
    parts.collect::<Vec<_>>().join("`")
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn error<T>(result: Result<T, KeeperError>) -> String {
    short(&result.err().expect("it should not work").to_string())
}
