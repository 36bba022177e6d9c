//! The arguments of `fix`.
use super::{JsonFlag, ListFormat, WhichJvm, duration, size};
use clap::Args;
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// `whypause fix`.
#[derive(Debug, Args)]
pub struct FixArgs {
    /// The remedy [default: record the JVM, and list what would help]; a process id lists, too
    #[arg(value_name = "ID|PID")]
    pub id: Option<String>,
    /// Process id of the JVM; for gc-log-keeper FROM TO, for gc-log-off-stdout [TO]
    #[arg(value_name = "PID|PATH")]
    pub paths: Vec<PathBuf>,
    /// Which.
    #[command(flatten)]
    pub jvm: WhichJvm,
    /// Apply the plan; previous values are saved first
    #[arg(long, requires = "id")]
    pub apply: bool,
    /// Record this long before and after, and compare, from 1s to 1h
    #[arg(long, value_name = "TIME", requires = "apply", value_parser = parse_verify)]
    pub verify: Option<Duration>,
    /// Undo what was applied: this remedy, or all
    #[arg(long, conflicts_with_all = ["apply", "from"])]
    pub undo: bool,
    /// cfs-advice: what this quota would do, in CPUs such as 1.4
    #[arg(long, value_name = "CPUS", value_parser = parse_cpus)]
    pub quota: Option<u64>,
    /// cfs-advice: what this burst would do
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub burst: Option<Duration>,
    /// cfs-advice: what this number of stop-the-world GC threads would do
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub gc_threads: Option<u32>,
    /// thp-tuner: only print what it would do, until stopped
    #[arg(long, requires = "id", conflicts_with_all = ["apply", "undo"])]
    pub dry_run: bool,
    /// Print the commands that would undo everything, without running them
    #[arg(long, requires = "undo")]
    pub print: bool,
    /// Do not record: list what would help by this recording or GC log; also for cfs-advice (a
    /// recording) and g1-advice
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// How long to record for the list, cfs-advice and g1-advice, from 1s to 1h
    #[arg(short, long, value_name = "TIME", default_value = "30s", value_parser = parse_verify)]
    pub duration: Duration,
    /// background-io: the process to limit [default: the one that writes most to the GC log's disk]
    #[arg(long, value_name = "PID", conflicts_with = "unit")]
    pub process: Option<u32>,
    /// background-io: the systemd unit to limit
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// background-io: write limit per second (K, M, G: powers of 1024) [default: half of what it writes]
    #[arg(long, value_name = "SIZE", value_parser = size::parse_rate)]
    pub limit: Option<u64>,
    /// thp-tuner, heap-residency: memory that the JVM may need in total [default: its largest heap and
    /// a quarter of it]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub footprint: Option<u64>,
    /// heap-residency: raise the memory limit of the JVM's control group to this
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub group_limit: Option<u64>,
    /// heap-residency: memory.min in place of memory.low, at the risk of the OOM killer
    #[arg(long)]
    pub hard: bool,
    /// How often a log is copied [default: 5s], or memory checked by thp-tuner [default: 2s];
    /// from 100ms to 1h
    #[arg(long, value_name = "TIME", value_parser = parse_period)]
    pub period: Option<Duration>,
    /// gc-log-keeper: copy in this process until stopped, for a service
    #[arg(long, requires = "apply")]
    pub foreground: bool,
    /// How to write the list or plan
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
    /// For a flag of the next start: run this command twice, without and with the flag, and compare
    #[arg(last = true, value_name = "COMMAND", requires = "verify")]
    pub command: Vec<OsString>,
}

/// CPUs, as thousandths of one.
fn parse_cpus(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no number of CPUs such as 1.4");
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 3 || whole.len() > 5 {
        return Err(wrong());
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| wrong())? };
    let fraction: u64 = format!("{fraction:0<3}").parse().map_err(|_| wrong())?;
    let milli = whole * 1000 + fraction;
    if milli < 10 { Err("must be at least 0.01".to_owned()) } else { Ok(milli) }
}

fn parse_verify(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(1)..=Duration::from_secs(3_600)))
}

fn parse_period(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_millis(100)..=Duration::from_secs(3_600)))
}

#[cfg(test)]
mod tests {
    use super::parse_cpus;

    #[test]
    fn cpus_are_whole_or_have_up_to_three_digits() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(parse_cpus(text).ok(), expected, "{text}");
        };
        check("1.4", Some(1400));
        check("2", Some(2000));
        check(".25", Some(250));
        check("0.01", Some(10));
        check("0.009", None);
        check("1.2345", None);
        check("-1", None);
        check("1e3", None);
        check("", None);
    }
}
