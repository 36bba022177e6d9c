//! What the suite is asked for.
use anyhow::{Context, bail};
use std::time::Duration;

/// How long a single test may take where nothing is said: several times what the longest takes on
/// two loaded CPUs.
const TEST_LIMIT: Duration = Duration::from_secs(20 * 60);

/// What to run, and how.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Only jobs whose name has one of these in it; all where there is none.
    pub(crate) only: Vec<String>,
    /// How often each of them is run.
    pub(crate) times: u32,
    /// What cargo is given, such as `--no-default-features`.
    pub(crate) features: Vec<String>,
    /// Whether programs can be run as root through sudo, by a user who is not root.
    pub(crate) sudo: bool,
    /// How long a single test may take. What neither prints nor computes for half of that is taken to hang.
    pub(crate) test_limit: Duration,
}

impl Arguments {
    /// Whether a job of this name is to be run.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|it| name.contains(it))
    }

    /// How long a job may show no sign of life.
    pub(crate) fn patience(&self) -> Duration {
        self.test_limit / 2
    }
}

/// Reads `[--only WORD]... [--times N] [--sudo] [--limit MINUTES|SECONDSs] [-- FEATURES...]`.
///
/// # Errors
/// What is wrong with them, for people.
pub(crate) fn parse(words: impl Iterator<Item = String>) -> anyhow::Result<Arguments> {
    let mut words = words;
    let mut found = Arguments {
        only: Vec::new(),
        times: 1,
        features: Vec::new(),
        sudo: false,
        test_limit: TEST_LIMIT,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--only" => found.only.push(value()?),
            "--times" => found.times = count(&value()?)?,
            "--limit" => found.test_limit = limit(&value()?)?,
            "--sudo" => found.sudo = true,
            "--" => found.features.extend(words.by_ref()),
            _ => bail!("what is `{word}`? (scripts/test.sh [--only WORD]... [--times N])"),
        }
    }
    Ok(found)
}

fn count(text: &str) -> anyhow::Result<u32> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => bail!("`{text}` is no number of times"),
    }
}

/// A number of minutes, or of seconds as `90s`.
fn limit(text: &str) -> anyhow::Result<Duration> {
    let (number, unit) = match text.strip_suffix('s') {
        Some(seconds) => (seconds, 1),
        None => (text, 60),
    };
    match number.parse::<u32>() {
        Ok(number @ 1..) => Ok(Duration::from_secs(u64::from(number) * unit)),
        _ => bail!("WHYPAUSE_TEST_LIMIT is `{text}`: a number of minutes, or of seconds as `90s`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str) -> Result<Arguments, String> {
        parse(words.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string())
    }

    #[test]
    fn everything_is_run_once_where_nothing_is_said() {
        let all = check("").unwrap();
        assert!(all.takes("anything"));
        assert_eq!((all.times, all.test_limit, all.patience()), (1, TEST_LIMIT, TEST_LIMIT / 2));
    }

    #[test]
    fn some_are_run_often() {
        let some = check("--only lab --only java --times 20 -- --no-default-features").unwrap();
        assert!(some.takes("lab") && some.takes("java") && !some.takes("page"));
        assert_eq!((some.times, &*some.features), (20, &["--no-default-features".to_owned()][..]));
    }

    #[test]
    fn a_limit_is_minutes_or_seconds() {
        assert_eq!(check("--limit 3").unwrap().test_limit, Duration::from_secs(180));
        assert_eq!(check("--limit 90s").unwrap().test_limit, Duration::from_secs(90));
        for wrong in ["0", "s", "-1", "x"] {
            assert!(check(&format!("--limit {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        assert_eq!(check("--only").unwrap_err(), "`--only` needs a value");
        assert_eq!(check("--times 0").unwrap_err(), "`0` is no number of times");
        assert!(check("test").unwrap_err().starts_with("what is `test`?"));
    }
}
