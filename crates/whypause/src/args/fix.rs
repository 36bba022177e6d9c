//! The arguments of `fix`.
use super::{ListFormat, WhichJvm, duration, size};
use clap::Args;
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// `whypause fix`.
#[derive(Debug, Args)]
pub struct FixArgs {
    /// The remedy [default: record the JVM, and list what would help]
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// Files and directories of the remedy: gc-log-keeper FROM TO, gc-log-off-stdout [TO]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Which.
    #[command(flatten)]
    pub jvm: WhichJvm,
    /// Do what the plan says; what was there before is kept first
    #[arg(long, requires = "id")]
    pub apply: bool,
    /// Record for so long before and so long after, and compare, from 1s to 1h
    #[arg(long, value_name = "TIME", requires = "apply", value_parser = parse_verify)]
    pub verify: Option<Duration>,
    /// Take back what was applied: that remedy, or all
    #[arg(long, conflicts_with_all = ["apply", "from"])]
    pub undo: bool,
    /// Print the commands that take everything back, and change nothing
    #[arg(long, requires = "undo")]
    pub print: bool,
    /// List what would help by this recording or GC log
    #[arg(long, value_name = "PATH", conflicts_with = "apply")]
    pub from: Option<PathBuf>,
    /// How long to record for the list, from 1s to 1h
    #[arg(short, long, value_name = "TIME", default_value = "30s", value_parser = parse_verify)]
    pub duration: Duration,
    /// background-io: the process to bound [default: who writes most to the disk of the GC log]
    #[arg(long, value_name = "PID", conflicts_with = "unit")]
    pub process: Option<u32>,
    /// background-io: the systemd unit to bound
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// background-io: so much a second is left to it (K, M, G: powers of 1024) [default: half]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_rate)]
    pub limit: Option<u64>,
    /// gc-log-keeper, gc-log-to-tmpfs: how often the log is copied, from 100ms to 1h [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_period)]
    pub period: Option<Duration>,
    /// gc-log-keeper: copy here until it is ended, for a service
    #[arg(long, requires = "apply")]
    pub foreground: bool,
    /// How to write the list or plan
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ListFormat,
    /// With a flag for the next start: start this command twice, without it and with it, and compare
    #[arg(last = true, value_name = "COMMAND", requires = "verify")]
    pub command: Vec<OsString>,
}

fn parse_verify(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(1)..=Duration::from_secs(3_600)))
}

fn parse_period(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_millis(100)..=Duration::from_secs(3_600)))
}
