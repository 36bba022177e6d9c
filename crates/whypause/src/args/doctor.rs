//! The arguments of `doctor`, and those by which hazards are accepted.
use super::{JsonFlag, WhichJvm};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The format in which hazards are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DoctorFormat {
    /// For people
    #[default]
    Text,
    /// For programs; the schema only grows
    Json,
    /// For servers that show findings of tools: SARIF 2.1.0
    Sarif,
}

/// What is known and accepted.
#[derive(Clone, Debug, Default, Args)]
pub struct AcceptArgs {
    /// Accept this hazard, or this cause with all its hazards; can be given several times
    #[arg(long, value_name = "ID")]
    pub accept: Vec<String>,
    /// Read accepted ids from this file, a line each: `ID # reason`
    /// [default: .whypause-accept here and /etc/whypause/accepted, where they are]
    #[arg(long, value_name = "FILE")]
    pub accept_file: Vec<PathBuf>,
}

/// `whypause doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Process id of the JVM, or a recording to inspect in its place
    #[arg(value_name = "PID|RECORDING", conflicts_with_all = ["which-jvm", "flags"])]
    pub recording: Option<PathBuf>,
    /// Which [default: all of this host].
    #[command(flatten)]
    pub jvm: WhichJvm,
    /// Check flags that no JVM has yet, in one argument: '-Xmx4g -Xlog:gc:file=gc.log'
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, conflicts_with = "which-jvm")]
    pub flags: Option<String>,
    /// The version of the JDK that will get them: 17, 1.8.0_412
    #[arg(long, value_name = "VERSION", requires = "flags")]
    pub jdk: Option<String>,
    /// How to write the answer
    #[arg(
        long,
        value_enum,
        default_value = "text",
        default_value_if("json", "true", "json"),
        value_name = "FORMAT"
    )]
    pub format: DoctorFormat,
    /// The short form of `--format json`.
    #[command(flatten)]
    pub json: JsonFlag,
    /// Exit with 1 where a hazard is found that is not accepted: any, likely, none, or ID,ID,…
    #[arg(long, value_name = "WHAT", default_value = "none")]
    pub fail_on: String,
    /// What is accepted.
    #[command(flatten)]
    pub accepted: AcceptArgs,
    /// Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …
    #[arg(long)]
    pub redact: bool,
}
