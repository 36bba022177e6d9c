//! Which rows a watch writes, and where.
use super::{OriginArgs, duration, size};
use clap::Args;
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// Which rows a watch writes, and where.
#[derive(Clone, Debug, Args)]
pub struct RowsOptions {
    /// Write a row of every pause, also of those that --over does not print, of every stall, and sums by hour as Parquet
    /// below this directory, one of your own: DIR/pauses/date=YYYY-MM-DD/host=NAME/part-….parquet, and stalls and hours
    /// likewise, for `whypause fleet DIR`, DuckDB and Spark
    #[arg(long, value_name = "DIR")]
    pub rows: Option<PathBuf>,
    /// How often a file of them is completed, from 1s to 1h: what a killed watch loses at most
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_every, requires = "rows")]
    pub rows_every: Duration,
    /// Bytes that all of them of this host may take, at least 16M: the oldest go first
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size, requires = "rows")]
    pub rows_size: u64,
    /// How old they may become, from 1h to 3650d
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = parse_age, requires = "rows")]
    pub rows_age: Duration,
    /// Which host.
    #[command(flatten)]
    pub origin: OriginArgs,
}

impl RowsOptions {
    /// The same as arguments, for a part of this program.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let Some(directory) = &self.rows else { return Vec::new() };
        let mut rows = OsString::from("--rows=");
        rows.push(directory);
        let mut words = vec![rows];
        let (every, age) = (self.rows_every.as_millis(), self.rows_age.as_millis());
        let origin = &self.origin;
        let numbers = [
            format!("--rows-every={every}ms"),
            format!("--rows-size={}B", self.rows_size),
            format!("--rows-age={age}ms"),
        ];
        words.extend(numbers.map(OsString::from));
        words.extend(origin.host.iter().map(|it| format!("--host={it}").into()));
        words.extend(origin.cluster.iter().map(|it| format!("--cluster={it}").into()));
        let label = |(key, value): &(String, String)| format!("--label={key}={value}").into();
        words.extend(origin.labels.iter().map(label));
        words
    }
}

fn parse_every(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(1)..=Duration::from_secs(3600)))
}

fn parse_age(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_secs(3600)..=Duration::from_secs(3650 * 86_400)))
}

fn parse_size(text: &str) -> Result<u64, String> {
    let least = recording::PartitionStore::LEAST_BYTES;
    let bytes = size::parse(text)?;
    if bytes < least { Err(format!("must be at least {}M", least >> 20)) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        rows: RowsOptions,
    }

    fn read(words: &[&str]) -> Result<RowsOptions, String> {
        let words = ["watch"].iter().chain(words);
        Command::try_parse_from(words).map(|it| it.rows).map_err(|it| it.to_string())
    }

    #[test]
    fn a_part_of_a_watch_writes_what_the_watch_was_told_to() {
        let asked = [
            "--rows",
            "a b",
            "--rows-every",
            "90s",
            "--rows-size",
            "50M",
            "--rows-age",
            "2d",
            "--host",
            "web 1",
            "--cluster=-x",
            "--label",
            "rack=r7",
            "--label",
            "a=b=c",
        ];
        let given = read(&asked).expect("options");
        let words = given.words();
        let words: Vec<_> = words.iter().map(|it| it.to_str().expect("UTF-8")).collect();
        let again = read(&words).expect("options");
        let all = |it: &RowsOptions| {
            let numbers = (it.rows.clone(), it.rows_every, it.rows_size, it.rows_age);
            (numbers, it.origin.host.clone(), it.origin.cluster.clone(), it.origin.labels.clone())
        };
        assert_eq!(all(&again), all(&given));
        assert_eq!(read(&[]).expect("options").words(), Vec::<OsString>::new());
    }

    #[test]
    fn bounds_are_said() {
        let check = |words: &[&str], expected: &str| {
            let said = read(words).expect_err("an error");
            assert!(said.contains(expected), "{said}");
        };
        check(&["--rows", "d", "--rows-size", "15M"], "must be at least 16M");
        check(&["--rows", "d", "--rows-age", "59m"], "must be from");
        check(&["--rows", "d", "--rows-every", "999ms"], "must be from 1.00 s to");
        check(&["--rows", "d", "--rows-every", "61m"], "must be from 1.00 s to");
        check(&["--rows-every", "1s"], "--rows <DIR>");
        assert!(read(&["--rows", "d", "--rows-size", "16M", "--rows-age", "1h"]).is_ok());
        assert!(read(&["--rows", "d", "--rows-every", "1s", "--rows-age", "3650d"]).is_ok());
    }
}
