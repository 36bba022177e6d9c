//! The arguments of what prints pages: `cause`, `schema`, `completions` and `man`.
use super::{JsonFlag, ListFormat};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `whypause cause`.
#[derive(Debug, Args)]
pub struct CauseArgs {
    /// The cause's name, or that of a mechanism, which leads to its cause [default: list all]
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// How to write the list or the page
    #[arg(
        long,
        value_enum,
        default_value = "text",
        default_value_if("json", "true", "json"),
        value_name = "FORMAT"
    )]
    pub format: ListFormat,
    /// The short form of `--format json`.
    #[command(flatten)]
    pub json: JsonFlag,
}

/// `whypause schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Whose JSON
    #[arg(value_enum, default_value = "explain", value_name = "COMMAND")]
    pub of: SchemaOf,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The document of `explain --json`
    #[default]
    Explain,
    /// A line of `watch --json`, and what --exec and --webhook get
    Watch,
    /// The document of `fleet --json`
    Fleet,
}

/// `whypause completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `whypause man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command whose page is wanted [default: the program's own page]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// Write all man pages and completions below this directory instead
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub write: Option<PathBuf>,
}
