//! The arguments of `lab`.
use super::{JsonFlag, ListFormat, duration, examples, size};
use clap::{Args, Subcommand, ValueEnum};
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// `whypause lab`.
#[derive(Debug, Args)]
pub struct LabArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: LabCommand,
}

/// What the lab can do.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the scenarios, and what this host lacks for each
    #[command(after_help = examples::LAB_LIST)]
    List(LabListArgs),
    /// Make two pauses happen, explain them, and make them go away (about three minutes)
    #[command(after_help = examples::LAB_DEMO)]
    Demo(LabDemoArgs),
    /// Run a scenario: baseline, fault and fixes, side by side
    #[command(after_help = examples::LAB_RUN)]
    Run(LabRunArgs),
    /// Keep a fault going, so that something can be tried on it
    #[command(after_help = examples::LAB_HOLD)]
    Hold(LabHoldArgs),
    /// Run a command with a slow disk of its own, and remove the disk when it has ended
    #[command(after_help = examples::LAB_DISK)]
    Disk(LabDiskArgs),
    /// Run all scenarios with all JDKs, and count how often the answers are right
    #[command(after_help = examples::LAB_MATRIX)]
    Matrix(LabMatrixArgs),
    /// Run a load under CPU quotas with several numbers of GC threads, and print the tables
    #[command(after_help = examples::LAB_SWEEP)]
    Sweep(LabSweepArgs),
    /// Make the figures and tables of the documents behind this program again, on this host
    #[command(after_help = examples::LAB_REPRODUCE)]
    Reproduce(LabReproduceArgs),
    /// Undo what a killed run left behind
    #[command(after_help = examples::LAB_CLEAN)]
    Clean,
    /// Leave memory free in small pieces only; a run of the lab starts this by itself
    #[command(hide = true)]
    Fragment {
        /// How much memory to take, in MiB
        mib: u64,
    },
    /// Undo what a run has changed once it is killed; a run of the lab starts this by itself
    #[command(hide = true)]
    Guard {
        /// The directory of the journal; standard input is a descriptor of the lab's process
        dir: PathBuf,
    },
    /// Serve the file behind a slow disk; a run of the lab starts this by itself
    #[command(hide = true)]
    ServeDisk {
        /// The directory of the file
        dir: PathBuf,
        /// Size of the file, in bytes
        bytes: u64,
        /// Process id of the lab
        lab: u32,
        /// Keep contents in memory, up to this number of MiB, and not on disk
        #[arg(long, value_name = "MIB")]
        in_memory: Option<u32>,
    },
}

/// `whypause lab list`.
#[derive(Clone, Debug, Args)]
pub struct LabListArgs {
    /// Print the page of this scenario: what it does, what it needs, what you see [default: list all]
    #[arg(value_name = "ID")]
    pub scenario: Option<String>,
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
}

/// Where the lab may run.
#[derive(Clone, Copy, Debug, Args)]
pub struct Where {
    /// Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory
    /// from them, and changes settings of the whole host for a while
    #[arg(long)]
    pub on_this_host: bool,
}

/// `whypause lab demo`.
#[derive(Debug, Args)]
pub struct LabDemoArgs {
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
    /// Keep recordings, logs and answers here; new or empty [default: a new one in memory, on tmpfs]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// `whypause lab run`.
#[derive(Debug, Args)]
pub struct LabRunArgs {
    /// The scenario; `whypause lab list` names them
    #[arg(value_name = "ID")]
    pub scenario: String,
    /// Only these variants, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// JDKs by feature release or home, separated by commas [default: 17, or the newest]
    #[arg(long, value_name = "JDKS", value_delimiter = ',')]
    pub jdk: Vec<String>,
    /// The collector: g1, parallel or serial [default: the scenario's first]
    #[arg(long, value_name = "NAME")]
    pub collector: Option<String>,
    /// Record with no more rights than the JVM has itself, thus without eBPF
    #[arg(long)]
    pub unprivileged: bool,
    /// How long each variant is recorded, from 1s to 1h [default: the scenario's own time]
    #[arg(short, long, value_name = "TIME", value_parser = parse_lab_time)]
    pub duration: Option<Duration>,
    /// How often to run each variant, from 1 to 1000
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Keep recordings, logs and answers in this directory
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// How to write the results
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
    /// Also measure blocked writes to the GC log in another way, and compare
    #[arg(long)]
    pub verify_writes: bool,
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
}

/// `whypause lab hold`.
#[derive(Debug, Args)]
pub struct LabHoldArgs {
    /// The scenario; `whypause lab list` names them
    #[arg(value_name = "ID")]
    pub scenario: String,
    /// Which of its variants
    #[arg(long, value_name = "NAME", default_value = "fault")]
    pub variant: String,
    /// The JDK by feature release or home [default: 17, or the newest]
    #[arg(long, value_name = "JDK")]
    pub jdk: Option<String>,
    /// The collector: g1, parallel or serial [default: the scenario's first]
    #[arg(long, value_name = "NAME")]
    pub collector: Option<String>,
    /// For how long, from 1s to 1h [default: until Ctrl-C, or until the command ends]
    #[arg(short, long, value_name = "TIME", value_parser = parse_lab_time)]
    pub duration: Option<Duration>,
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
    /// What to run meanwhile; %pid stands for the process id of the JVM, and %java for its command
    /// line
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `whypause lab disk`.
#[derive(Debug, Args)]
pub struct LabDiskArgs {
    /// How much the disk writes in a second, from 4K on
    #[arg(long, value_name = "SIZE", default_value = "5M", value_parser = size::parse_rate)]
    pub write_limit: u64,
    /// How large it is, from 64M on; what is not zero on it is held in memory
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size::parse)]
    pub size: u64,
    /// Have another process write to it as fast as it can
    #[arg(long)]
    pub busy: bool,
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
    /// What to run; %dir stands for the directory on the disk
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `whypause lab matrix`.
#[derive(Debug, Args)]
pub struct LabMatrixArgs {
    /// Only these scenarios [default: all that can run here]
    #[arg(value_name = "ID")]
    pub scenarios: Vec<String>,
    /// JDKs by feature release or home, separated by commas [default: all found]
    #[arg(long, value_name = "JDKS", value_delimiter = ',')]
    pub jdk: Vec<String>,
    /// Only these variants, separated by commas [default: all, or those of --short]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Of the collectors that make sense only these, separated by commas: g1, parallel, and serial,
    /// which runs only on request
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub collectors: Vec<String>,
    /// Record only with these rights [default: with both at the same time]
    #[arg(long, value_enum, value_name = "RIGHTS")]
    pub rights: Option<Rights>,
    /// How long each variant is recorded, from 1s to 1h [default: the scenario's own time]
    #[arg(short, long, value_name = "TIME", value_parser = parse_lab_time)]
    pub duration: Option<Duration>,
    /// How often to run each variant, from 1 to 1000
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// One JDK and collector, baseline and fault only, a few seconds each
    #[arg(long)]
    pub short: bool,
    /// Add each run to this file as it ends, and do not repeat those that it has
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Begin no run that would not end within this, from 1m to 24h; start it again to go on
    #[arg(long = "for", value_name = "TIME", value_parser = parse_piece, requires = "results")]
    pub within: Option<Duration>,
    /// Keep recordings, logs and answers in this directory
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// How to write the results; the text is Markdown
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
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
}

/// `whypause lab sweep`.
#[derive(Debug, Args)]
pub struct LabSweepArgs {
    /// Fewer quotas and numbers of threads, for half as long: a minute instead of five
    #[arg(long)]
    pub quick: bool,
    /// The JDK by feature release or home [default: 17, or the newest]
    #[arg(long, value_name = "JDK")]
    pub jdk: Option<String>,
    /// How long the load runs for each pair, in whole seconds [default: 8s, or 4s if quick]
    #[arg(short, long, value_name = "TIME", value_parser = parse_lab_time)]
    pub duration: Option<Duration>,
    /// How to write the results
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
    /// Also draw four pictures into this directory
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
}

/// `whypause lab reproduce`.
#[derive(Debug, Args)]
pub struct LabReproduceArgs {
    /// Only these parts; an id that does not exist lists them [default: all]
    #[arg(value_name = "ID")]
    pub parts: Vec<String>,
    /// Shorter runs, and fewer of them: six minutes instead of 25
    #[arg(long)]
    pub quick: bool,
    /// The JDK by feature release or home, from 9 on [default: 17, or the newest]
    #[arg(long, value_name = "JDK")]
    pub jdk: Option<String>,
    /// Where the page, the figures (SVG) and the numbers (JSON) go; what is there of other parts stays
    #[arg(short, long, value_name = "DIR", default_value = "reproduced")]
    pub output: PathBuf,
    /// Where it may run.
    #[command(flatten)]
    pub place: Where,
}

/// With which rights a JVM of the lab is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rights {
    /// Those of the lab, which may use eBPF
    Privileged,
    /// No more than the JVM has itself
    Unprivileged,
}

fn parse_piece(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(60)..=Duration::from_secs(86_400)))
}

fn parse_lab_time(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(1)..=Duration::from_secs(3_600)))
}
