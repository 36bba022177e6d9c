//! Which recordings a watch keeps.
use super::{duration, size};
use clap::Args;
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// Which recordings a watch keeps.
#[derive(Clone, Debug, Args)]
pub struct KeepOptions {
    /// Keep the worst pauses and stalls as recordings of the 15 s before, the pause and a second after, in this
    /// directory, one of your own: `whypause explain DIR` lists them
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Bytes that all of them may take, at least 16M
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size, requires = "keep")]
    pub keep_size: u64,
    /// How old they may become, from 1m to 365d
    #[arg(long, value_name = "TIME", default_value = "14d", value_parser = parse_age, requires = "keep")]
    pub keep_age: Duration,
    /// How many pauses, and how many stalls, of one JVM in an hour: the longest, and beside them the longest of each
    /// cause
    #[arg(long, value_name = "NUMBER", default_value = "20", value_parser = clap::value_parser!(u16).range(1..=10_000), requires = "keep")]
    pub keep_worst: u16,
    /// Have the watches with --keep that run here keep the last 15 s now, as SIGUSR1 does
    #[arg(long, exclusive = true)]
    pub keep_now: bool,
}

impl KeepOptions {
    /// The same as arguments, for a part of this program.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let Some(directory) = &self.keep else { return Vec::new() };
        let mut keep = OsString::from("--keep=");
        keep.push(directory);
        let age = format!("--keep-age={}ms", self.keep_age.as_millis());
        let size = format!("--keep-size={}B", self.keep_size);
        let worst = format!("--keep-worst={}", self.keep_worst);
        vec![keep, size.into(), age.into(), worst.into()]
    }
}

fn parse_age(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(60)..=Duration::from_secs(365 * 86_400)))
}

fn parse_size(text: &str) -> Result<u64, String> {
    let least = recording::KeptStore::LEAST_BYTES;
    let bytes = size::parse(text)?;
    if bytes < least { Err(format!("must be at least {}M", least >> 20)) } else { Ok(bytes) }
}
