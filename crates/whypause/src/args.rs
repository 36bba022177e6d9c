//! What can be typed: a new option is a field here or in `args/`. Help, man pages and completions are made from
//! these definitions.
mod alerts;
pub mod at;
mod bare_pid;
mod compared;
mod doctor;
pub mod duration;
mod examples;
mod fix;
mod fleet;
mod json_flag;
mod keep;
mod lab;
mod origin;
mod pages;
mod rows;
pub mod size;
mod which;
mod zone;

pub use alerts::{AlertArgs, Secret, WebhookFormat};
pub use compared::{CheckArgs, CheckFormat, CompareArgs};
pub use doctor::{AcceptArgs, DoctorArgs, DoctorFormat};
pub use fix::FixArgs;
pub use fleet::{FleetArgs, FleetFormat};
pub use json_flag::JsonFlag;
pub(crate) use json_flag::other_format;
pub use keep::KeepOptions;
pub use lab::{
    LabArgs, LabCommand, LabDemoArgs, LabDiskArgs, LabHoldArgs, LabListArgs, LabMatrixArgs,
    LabReproduceArgs, LabRunArgs, LabSweepArgs, Rights, Where,
};
pub use origin::OriginArgs;
pub use pages::{CauseArgs, CompletionsArgs, ManArgs, SchemaArgs, SchemaOf};
pub use rows::RowsOptions;
pub use which::{User, WhichJvm, WhoseJvm};
pub use zone::ZoneArgs;

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// Finds why a HotSpot JVM was paused, and what to do about it
///
/// Records a running JVM on Linux, accounts for every millisecond of every stop-the-world pause,
/// names the cause (often in the operating system) and the remedy.
#[derive(Debug, Parser)]
#[command(name = "whypause", version, after_help = examples::WHYPAUSE)]
pub struct Cli {
    /// When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set
    #[arg(
        long = "color",
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        hide_possible_values = true,
        display_order = 900
    )]
    pub colour: Colour,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Record a running JVM and why it pauses
    #[command(after_help = examples::RECORD)]
    Record(RecordArgs),
    /// Explain the pauses of a recording or a GC log
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Print each long pause of a running JVM as it ends, with its cause
    #[command(after_help = examples::WATCH)]
    Watch(Box<WatchArgs>),
    /// Find what may stop a JVM before it happens, from its flags, files, limits and the kernel's settings
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// Compare two runs, and separate changes from noise
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArgs),
    /// Find what many hosts have in common, and what changed on which of them
    #[command(after_help = examples::FLEET)]
    Fleet(FleetArgs),
    /// Fail where a run breaks a limit, for CI
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Apply a remedy, verify it, undo it
    #[command(after_help = examples::FIX)]
    Fix(FixArgs),
    /// List the JVMs of this host
    #[command(after_help = examples::PS)]
    Ps(PsArgs),
    /// Show the page of a cause of pauses
    #[command(after_help = examples::CAUSE)]
    Cause(CauseArgs),
    /// Print the JSON Schema of `explain --format json`, or of `watch --json`
    #[command(after_help = examples::SCHEMA)]
    Schema(SchemaArgs),
    /// Make a pause happen on purpose, diagnose it, fix it, compare
    #[command(after_help = examples::LAB)]
    Lab(LabArgs),
    /// Copy a log, as `fix` has it started; not for people
    #[command(hide = true)]
    Keep(KeepArgs),
    /// Print the completions of a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print a man page, or write all generated files
    #[command(after_help = examples::MAN, hide = true)]
    Man(ManArgs),
}

/// Where windows of pauses come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Windows {
    /// The best that this JVM has
    #[default]
    Auto,
    /// USDT probes of libjvm
    Usdt,
    /// Functions in libjvm's symbol table
    Symbols,
}

/// `whypause record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Process id of the JVM, as with -p
    #[arg(value_name = "PID", group = "jvm", value_parser = bare_pid::parse)]
    pub bare_pid: Option<String>,
    /// Which.
    #[command(flatten)]
    pub jvm: WhichJvm,
    /// How long to record, from 100ms to 7d [default: 60s; with a command, until it ends]
    #[arg(short, long, value_name = "TIME", value_parser = parse_recording_time)]
    pub duration: Option<Duration>,
    /// Directory to write to; must be new or empty [default: a new one in memory, on tmpfs]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Keep every thread's activity for pauses of at least this, from 0s to 1m; totals for all others
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = parse_detail)]
    pub detail_over: Duration,
    /// Report threads that cannot run on for at least this while the JVM is not stopped, from 1ms to 1m; or none
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = parse_stalls)]
    pub stalls_over: Duration,
    /// Keep the recording below this, at least 1M (K, M, G: powers of 1024); detail goes first
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = size::parse_recording)]
    pub max_size: u64,
    /// Also write a page to look at: a new HTML file, as `explain --format html` does
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Let the kernel measure what recording costs it (adds about 50 ns to each event)
    #[arg(long)]
    pub self_cost: bool,
    /// How the beginning and end of a pause are seen
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    pub windows: Windows,
    /// Record path-1, host-1, … instead of paths, arguments, and names of hosts, users and control
    /// groups; of the GC log only the lines that are used
    #[arg(long)]
    pub redact: bool,
    /// How facts are collected.
    #[command(flatten)]
    pub collect: CollectOptions,
    /// Start this command and record the JVM that it starts
    #[arg(last = true, value_name = "COMMAND", group = "jvm")]
    pub command: Vec<OsString>,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs; the schema only grows
    Json,
    /// For tickets and post-mortems
    Markdown,
    /// To look at: one file, which opens in a browser
    Html,
    /// One row per number
    Csv,
}

/// How a list is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// How an answer is written: as a report, or as rows for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// A report.
    Report(report::Format),
    /// Rows.
    Rows(RowsFormat),
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFormat {
    /// A file to keep.
    Parquet,
    /// A stream, for a pipe.
    Arrow,
}

impl RowsFormat {
    const ALL: [RowsFormat; 2] = [RowsFormat::Parquet, RowsFormat::Arrow];

    pub(crate) fn id(self) -> &'static str {
        match self {
            RowsFormat::Parquet => "parquet",
            RowsFormat::Arrow => "arrow",
        }
    }

    fn about(self) -> &'static str {
        match self {
            RowsFormat::Parquet => "Rows as a Parquet file, for DuckDB, Spark, pandas and the like",
            RowsFormat::Arrow => "The same rows as a stream of Arrow IPC, for a pipe",
        }
    }
}

/// The formats of an answer, by their names.
fn answer_formats() -> impl TypedValueParser<Value = AnswerFormat> {
    let reports = report::Format::ALL.iter().map(|it| (it.id(), it.about()));
    let rows = RowsFormat::ALL.iter().map(|it| (it.id(), it.about()));
    let value = |(id, about): (&'static str, &'static str)| PossibleValue::new(id).help(about);
    PossibleValuesParser::new(reports.chain(rows).map(value)).map(|id| {
        let rows = RowsFormat::ALL.into_iter().find(|it| it.id() == id).map(AnswerFormat::Rows);
        let report = || report::Format::find(&id).map(AnswerFormat::Report);
        rows.or_else(report).expect("it is one of them")
    })
}

/// The tables of rows, by their names.
fn tables() -> impl TypedValueParser<Value = table::Table> {
    let value = |it: table::Table| PossibleValue::new(it.id()).help(it.about());
    PossibleValuesParser::new(table::Table::ALL.into_iter().map(value)).map(|id| {
        let found = table::Table::ALL.into_iter().find(|it| it.id() == id);
        found.expect("it is one of them")
    })
}

/// `whypause explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// GC logs (also packed, rotated, directories and patterns), recordings, `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Of the recordings that `whypause watch --keep DIR` has kept, explain that of this time: 04:12, 04:12:33,
    /// 2026-11-30 04:12, 2026-11-30
    #[arg(long, value_name = "TIME", value_parser = at::parse)]
    pub at: Option<at::TimeOfDay>,
    /// How to write the answer; of several inputs JSON is one document, and CSV and rows are one table; of a directory
    /// of kept recordings HTML shows all on one time line
    #[arg(
        long,
        default_value = "text",
        default_value_if("json", "true", "json"),
        value_name = "FORMAT",
        value_parser = answer_formats()
    )]
    pub format: AnswerFormat,
    /// The short form of `--format json`.
    #[command(flatten)]
    pub json: JsonFlag,
    /// Which rows --format parquet and --format arrow write [default: pauses]
    #[arg(long, value_name = "TABLE", value_parser = tables())]
    pub table: Option<table::Table>,
    /// What rows say of the host.
    #[command(flatten)]
    pub origin: OriginArgs,
    /// Everything that is known, and not only what fits a screen
    #[arg(long)]
    pub full: bool,
    /// List every pause, and not only the longest: a log is read again for that, and of a pipe the
    /// longest million or so are listed
    #[arg(long)]
    pub all_pauses: bool,
    /// List pauses of at least this, from 0s to 7d [default: 50ms; all that a watch has kept]
    #[arg(long, value_name = "TIME", value_parser = parse_over)]
    pub over: Option<Duration>,
    /// Zone.
    #[command(flatten)]
    pub zone: ZoneArgs,
    /// Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …
    #[arg(long)]
    pub redact: bool,
}

/// `whypause watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Process id of the JVM, as with -p
    #[arg(value_name = "PID", group = "jvm", value_parser = bare_pid::parse)]
    pub bare_pid: Option<String>,
    /// Which.
    #[command(flatten)]
    pub jvm: WhichJvm,
    /// Wait until one JVM has this name, and for the next one when it exits: for a service
    #[arg(long)]
    pub wait: bool,
    /// Watch all JVMs of this host, or those that --match names, as they come and go: up to 64
    #[arg(long, conflicts_with_all = ["pid", "bare_pid", "service", "wait", "redact", "ask_jvm", "log_safepoints"])]
    pub all: bool,
    /// Print pauses, and stalls of threads while the JVM runs, of at least this, from 1ms to 7d
    #[arg(long, value_name = "TIME", default_value = "50ms", value_parser = parse_watch_over)]
    pub over: Duration,
    /// Report threads that cannot run on for at least this while the JVM is not stopped, from 1ms to 1m; or none
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = parse_stalls)]
    pub stalls_over: Duration,
    /// Zone.
    #[command(flatten)]
    pub zone: ZoneArgs,
    /// How long to watch, from 100ms to 7d [default: until Ctrl-C]
    #[arg(short, long, value_name = "TIME", value_parser = parse_recording_time)]
    pub duration: Option<Duration>,
    /// Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …
    #[arg(long)]
    pub redact: bool,
    /// Serve a page that shows each pause as it ends, at an address that is printed and cannot be
    /// guessed; a PORT alone is one of 127.0.0.1, 0 any that is free. With --wait it stays the same,
    /// with --all it is one page of all JVMs
    #[arg(long, value_name = "[ADDRESS:]PORT")]
    pub serve: Option<serve::Address>,
    /// Let Prometheus read numbers of all stops from http://ADDRESS:PORT/metrics: seconds stopped by
    /// cause, a histogram; a PORT alone is one of 127.0.0.1
    #[arg(long, value_name = "[ADDRESS:]PORT")]
    pub metrics: Option<serve::Address>,
    /// Send the same numbers to an OpenTelemetry collector every 15 s, by OTLP over HTTP without TLS:
    /// `http://HOST[:4318][/v1/metrics]`
    #[arg(long, value_name = "URL")]
    pub otlp: Option<serve::Target>,
    /// What is kept.
    #[command(flatten)]
    pub kept: KeepOptions,
    /// Rows.
    #[command(flatten)]
    pub rows: RowsOptions,
    /// How to print each pause and each stall as it ends: a line of text, or a JSON object on a line
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
    /// Alerts.
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// How facts are collected.
    #[command(flatten)]
    pub collect: CollectOptions,
    /// What this process does of a watch that waits; not for people.
    #[arg(long, hide = true, value_enum)]
    pub part: Option<Part>,
}

/// What one process does of a watch that waits for one JVM after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Waits for a JVM, with few rights, and prints its process id
    Find,
    /// Watches one JVM, and tells by its exit code whether that has ended
    One,
}

/// How facts of a JVM are collected while it is recorded or watched.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct CollectOptions {
    /// Sample the threads from /proc as a user without privileges must: causes are only inferred
    #[arg(long)]
    pub without_ebpf: bool,
    /// Attach to the JVM, which stops for that at the beginning, for the full names of its threads;
    /// with eBPF and JDK 9 or later also for the code that late threads run; if any was late,
    /// `record` requests a thread dump at the end, and the JVM stops until the late thread has stopped; where
    /// threads stall for a second and more, one is requested meanwhile, at most every 5 s
    #[arg(long)]
    pub ask_jvm: bool,
    /// Have the JVM (JDK 9 or later) log its safepoints, in memory, while it is recorded
    #[arg(long)]
    pub log_safepoints: bool,
}

/// `whypause ps`.
#[derive(Debug, Args)]
pub struct PsArgs {
    /// How to write the list
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
    /// Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …
    #[arg(long)]
    pub redact: bool,
}

/// `whypause keep`.
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// The log's name in the working directory; it is copied to the directory behind standard output
    #[arg(value_name = "NAME")]
    pub file: String,
    /// How often, in milliseconds
    #[arg(long, value_name = "MS", default_value = "5000")]
    pub period_ms: u64,
    /// End when this process has ended: its id and start in ticks
    #[arg(long, value_name = "PID:TICKS")]
    pub jvm: Option<String>,
    /// To whom the log belongs
    #[arg(long, value_name = "UID")]
    pub source_uid: Option<u32>,
    /// Run as this user and group, with no other rights than the JVM
    #[arg(long, value_name = "UID:GID")]
    pub run_as: Option<String>,
    /// What the directory of the copies is called in messages
    #[arg(long, value_name = "DIR", default_value = "standard output")]
    pub to: String,
    /// Copy once and end
    #[arg(long)]
    pub once: bool,
}

const WEEK: Duration = Duration::from_secs(7 * 86_400);

fn parse_recording_time(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_millis(100)..=WEEK))
}

fn parse_detail(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::ZERO..=Duration::from_secs(60)))
}

fn parse_stalls(text: &str) -> Result<Duration, String> {
    match text {
        "none" => Ok(Duration::ZERO),
        _ => duration::parse_within(text, &(Duration::from_millis(1)..=Duration::from_secs(60))),
    }
}

fn parse_over(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::ZERO..=WEEK))
}

fn parse_watch_over(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_millis(1)..=WEEK))
}
