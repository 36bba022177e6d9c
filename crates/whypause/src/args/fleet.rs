//! The arguments of `fleet`.
use super::{JsonFlag, ZoneArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How an answer about many hosts is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FleetFormat {
    /// For people
    #[default]
    Text,
    /// For programs; the schema only grows
    Json,
    /// To look at: one file, which opens in a browser
    Html,
    /// For tables; of an answer to `--sql`
    Csv,
}

/// `whypause fleet`.
#[derive(Debug, Args)]
pub struct FleetArgs {
    /// Directories of GC logs, recordings and rows of many hosts, and single files of them; a directory
    /// host=NAME on the way, or else the first one below PATH, names the host
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// A CSV file of what is known of the hosts: a column `host`, and others such as `cluster`, `kernel`,
    /// `rack` or `deploy`, by which hosts are compared
    #[arg(long, value_name = "FILE")]
    pub inventory: Option<PathBuf>,
    /// Answer this query in SQL: tables pauses, hours and stalls, and views such as worst_hosts, by DuckDB (takes
    /// Python with `pip install 'whypause[fleet]'`)
    #[arg(long, value_name = "QUERY")]
    pub sql: Option<String>,
    /// The Python that answers --sql
    #[arg(long, value_name = "PROGRAM", default_value = "python3", requires = "sql")]
    pub python: PathBuf,
    /// How to write the answer
    #[arg(
        long,
        value_enum,
        default_value = "text",
        default_value_if("json", "true", "json"),
        value_name = "FORMAT"
    )]
    pub format: FleetFormat,
    /// The short form of `--format json`.
    #[command(flatten)]
    pub json: JsonFlag,
    /// Everything that is known, and not only what fits a screen
    #[arg(long)]
    pub full: bool,
    /// Zone.
    #[command(flatten)]
    pub zone: ZoneArgs,
}
