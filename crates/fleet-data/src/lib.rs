//! The data of a made-up fleet: logs and recordings of many hosts, with known faults in it.
//!
//! For tests and measurements of what is said of many hosts at once. Everything is made of real logs and real
//! recordings of `testdata/`: pieces of logs, whole stops and collections, are put together to a week of each host,
//! and recordings are moved to a host and a time. The longest stop of each recording is in the log of its host, too.
//!
//! Three sets of hosts have a fault each, by an attribute of `hosts.csv`; `truth.json` has which, and what is in each
//! recording. A new fault is a set in `plan`, a template in `recordings` or pieces in `log`, and an entry in
//! `faults` here.
pub mod amount;
mod clock;
mod damage;
mod log;
mod make;
mod plan;
mod random;
mod recordings;
mod truth;

pub use make::{Written, make};
use std::path::{Path, PathBuf};

/// What is to be made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory that is made; it must not exist.
    pub directory: PathBuf,
    /// Number of hosts.
    pub hosts: usize,
    /// Bytes of all logs together, as text.
    pub log_bytes: u64,
    /// Number of recordings of all hosts together.
    pub recordings: u64,
    /// How many of a million files have a damaged copy.
    pub damage_millionths: u64,
    /// Bytes of the line that is too long, in a damaged log.
    pub long_line_bytes: u64,
    /// What all that looks random depends on.
    pub seed: u64,
    /// Where the real logs and recordings are.
    pub testdata: PathBuf,
}

impl Default for Options {
    /// A small fleet, in the directory `fleet`: 12 hosts, 4 MiB of logs, 24 recordings, nothing damaged.
    fn default() -> Options {
        Options {
            directory: "fleet".into(),
            hosts: 12,
            log_bytes: 4 << 20,
            recordings: 24,
            damage_millionths: 0,
            long_line_bytes: 1 << 20,
            seed: 1,
            testdata: testdata(),
        }
    }
}

/// The directory `testdata` of the sources that this was built from.
#[must_use]
pub fn testdata() -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    sources.unwrap_or(Path::new(".")).join("testdata")
}
