//! How long each job took here the last time, so that people know what is to come.
use crate::job::Done;
use anyhow::Context;
use std::{collections::BTreeMap, fmt::Write, fs, time::Duration};

/// Where it is kept: a line for each job, its name and seconds with a tab between them.
pub(crate) const FILE: &str = "target/test-times.tsv";

/// By name of job or step.
#[derive(Debug, Default)]
pub(crate) struct Times(BTreeMap<String, Duration>);

impl Times {
    /// What is known; nothing where there is no such file.
    pub(crate) fn load(file: &str) -> Times {
        Times::read(&fs::read_to_string(file).unwrap_or_default())
    }

    fn read(text: &str) -> Times {
        let line = |line: &str| {
            let (name, seconds) = line.split_once('\t')?;
            Some((name.to_owned(), Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?))
        };
        Times(text.lines().filter_map(line).collect())
    }

    fn write(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, (name, time)| {
            let _ = writeln!(text, "{name}\t{:.1}", time.as_secs_f64());
            text
        })
    }

    /// How long it took the last time, if that is known.
    pub(crate) fn of(&self, name: &str) -> Option<Duration> {
        self.0.get(name).copied()
    }

    /// Keeps how long it took.
    pub(crate) fn took(&mut self, name: &str, time: Duration) {
        self.0.insert(name.to_owned(), time);
    }

    /// Keeps what the jobs took that passed, for the next time.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub(crate) fn keep(&mut self, done: &[Done]) -> anyhow::Result<()> {
        for it in done.iter().filter(|it| it.passed() && !it.took.is_zero()) {
            self.took(&it.job.name, it.took);
        }
        fs::write(FILE, self.write()).with_context(|| format!("cannot write `{FILE}`"))
    }
}

/// `0.3 s`, `42 s`, `3 min 5 s`.
pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        whole @ 10..120 => format!("{whole} s"),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_and_what_is_not_one_is_left_out() {
        let mut times = Times::read("lab\t41.5\nx\nrecorder hostile\t-1\npage\tnan\n");
        times.took("lab it", Duration::from_millis(1234));
        assert_eq!(times.write(), "lab\t41.5\nlab it\t1.2\n");
        assert_eq!(Times::read(&times.write()).of("lab"), Some(Duration::from_millis(41_500)));
    }

    #[test]
    fn a_time_is_short() {
        let check = |ms, wanted| assert_eq!(seconds(Duration::from_millis(ms)), wanted);
        check(340, "0.3 s");
        check(42_900, "42 s");
        check(119_999, "119 s");
        check(185_000, "3 min 5 s");
    }
}
