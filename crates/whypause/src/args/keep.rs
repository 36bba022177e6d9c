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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        kept: KeepOptions,
    }

    fn read(words: &[&str]) -> Result<KeepOptions, String> {
        let words = ["watch"].iter().chain(words);
        Command::try_parse_from(words).map(|it| it.kept).map_err(|it| it.to_string())
    }

    #[test]
    fn a_part_of_a_watch_keeps_what_the_watch_was_told_to() {
        let asked =
            ["--keep", "a b", "--keep-size", "50M", "--keep-age", "90m", "--keep-worst", "7"];
        let given = read(&asked).expect("options");
        let words = given.words();
        let words: Vec<_> = words.iter().map(|it| it.to_str().expect("UTF-8")).collect();
        let again = read(&words).expect("options");
        let all = |it: &KeepOptions| (it.keep.clone(), it.keep_size, it.keep_age, it.keep_worst);
        assert_eq!(all(&again), all(&given));
        assert_eq!(read(&[]).expect("options").words(), Vec::<OsString>::new());
    }

    #[test]
    fn bounds_are_said() {
        let check = |words: &[&str], expected: &str| {
            let said = read(words).expect_err("an error");
            assert!(said.contains(expected), "{said}");
        };
        check(&["--keep", "d", "--keep-size", "15M"], "must be at least 16M");
        check(&["--keep", "d", "--keep-age", "1s"], "must be from 60 s to 365 d");
        check(&["--keep", "d", "--keep-worst", "0"], "0 is not in 1..=10000");
        check(&["--keep-worst", "3"], "--keep <DIR>");
        check(&["--keep-now", "--keep", "d"], "cannot be used with");
    }
}
