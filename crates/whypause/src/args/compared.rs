//! The arguments of `compare` and `check`.
use super::{AcceptArgs, Format, JsonFlag, ZoneArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `whypause compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The run to compare with: a GC log, a recording, or `-` for a GC log on standard input
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The run to compare
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// How to write the answer
    #[arg(
        long,
        value_enum,
        default_value = "text",
        default_value_if("json", "true", "json"),
        value_name = "FORMAT"
    )]
    pub format: Format,
    /// The short form of `--format json`.
    #[command(flatten)]
    pub json: JsonFlag,
    /// Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …
    #[arg(long)]
    pub redact: bool,
}

/// The format in which gates are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// For programs; the schema only grows
    Json,
    /// For CI servers: JUnit XML
    Junit,
    /// For GitHub Actions: an annotation for each gate that failed or cannot be judged
    Github,
}

/// `whypause check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// GC logs, recordings, or `-` for a GC log on standard input; each is judged by every gate
    #[arg(required = true, value_name = "INPUT")]
    pub paths: Vec<PathBuf>,
    /// Fail where this is true, such as 'p99>200ms'; can be given several times
    #[arg(long, required = true, value_name = "EXPR")]
    pub fail_if: Vec<String>,
    /// How to write the answer
    #[arg(
        long,
        value_enum,
        default_value = "text",
        default_value_if("json", "true", "json"),
        value_name = "FORMAT"
    )]
    pub format: CheckFormat,
    /// The short form of `--format json`.
    #[command(flatten)]
    pub json: JsonFlag,
    /// Write JUnit XML to this file as well
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Exit with 0 whatever became of the gates; input that cannot be read is an error all the same
    #[arg(long)]
    pub exit_zero: bool,
    /// Zone.
    #[command(flatten)]
    pub zone: ZoneArgs,
    /// What is accepted: a failed gate on such a cause passes.
    #[command(flatten)]
    pub accepted: AcceptArgs,
    /// Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …
    #[arg(long)]
    pub redact: bool,
}
