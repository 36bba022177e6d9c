//! What the output of a job says: verdicts, what was skipped, which tests take long.
//!
//! All jobs speak as libtest does where they have more than one verdict: `test result: ok. 3 passed; 0
//! failed; …`, and `SKIPPED: why` for what could not be tried.
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

/// What was read so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// The verdicts of all `test result` lines.
    pub(crate) passed: u32,
    /// Of these, the bad ones.
    pub(crate) failed: u32,
    /// How many `test result` lines there were.
    pub(crate) results: u32,
    /// Tests that failed, by their names.
    pub(crate) failures: BTreeSet<String>,
    /// What was skipped, as the test that says so and why.
    pub(crate) skipped: BTreeSet<(String, String)>,
    /// Tests that run for more than a minute, and when that was said.
    slow: BTreeMap<String, Instant>,
    /// The last line that says something.
    pub(crate) last_line: String,
    section: Section,
    /// The test whose output is read.
    test: String,
    /// A line without its end.
    begun: String,
}

/// The part of libtest's output that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Running,
    /// The output of tests that passed.
    Successes,
    /// The output of tests that failed, or their names.
    Failures,
}

impl Output {
    /// Takes what was printed since the last time.
    pub(crate) fn read(&mut self, more: &str, now: Instant) {
        let text = std::mem::take(&mut self.begun) + more;
        let (whole, rest) = text.rsplit_once('\n').unwrap_or(("", &text));
        whole.lines().for_each(|line| self.line(line, now));
        rest.clone_into(&mut self.begun);
    }

    fn line(&mut self, line: &str, now: Instant) {
        if let Some(result) = line.split_once("test result: ").map(|it| it.1) {
            self.result(result);
        } else if let Some(reason) = line.split_once("SKIPPED: ").map(|it| it.1) {
            self.skipped.insert((self.test.clone(), reason.trim().to_owned()));
        } else if let Some(test) = line.strip_prefix("test ") {
            self.verdict(test, now);
        } else if let Some(name) = line.strip_prefix("FAIL  ") {
            self.failures.insert(name.to_owned());
        } else if let Some(name) = headed(line) {
            name.clone_into(&mut self.test);
        } else if line == "failures:" {
            self.section = Section::Failures;
        } else if line == "successes:" {
            self.section = Section::Successes;
        }
        if !line.trim().is_empty() {
            line.trim().clone_into(&mut self.last_line);
        }
    }

    /// `ok. 3 passed; 0 failed; 0 ignored; …`
    fn result(&mut self, result: &str) {
        let count = |what: &str| {
            let before = result.split(what).next()?;
            before.trim_end().rsplit([' ', '.']).next()?.parse::<u32>().ok()
        };
        self.passed += count("passed").unwrap_or(0);
        self.failed += count("failed").unwrap_or(0);
        self.results += 1;
        self.section = Section::Running;
        self.test.clear();
    }

    /// `name ... ok`, `name ... FAILED`, `name has been running for over 60 seconds`.
    fn verdict(&mut self, test: &str, now: Instant) {
        if let Some((name, _)) = test.split_once(" has been running for over") {
            self.slow.entry(name.to_owned()).or_insert(now);
        } else if let Some((name, verdict)) = test.split_once(" ... ")
            && self.section == Section::Running
        {
            self.slow.remove(name);
            if verdict.starts_with("FAILED") {
                self.failures.insert(name.to_owned());
            }
        }
    }

    /// Tests that have run for more than a minute and are not over, with the time since that was said.
    pub(crate) fn slow(&self, now: Instant) -> impl Iterator<Item = (&str, std::time::Duration)> {
        self.slow.iter().map(move |(name, since)| (name.as_str(), now - *since))
    }
}

/// `---- name stdout ----`
fn headed(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// The end of what test `name` printed, in the whole output of its program: at most `most` lines.
pub(crate) fn of_test<'a>(whole: &'a str, name: &str, most: usize) -> Vec<&'a str> {
    let lines = whole.lines().skip_while(|line| headed(line) != Some(name)).skip(1);
    let is_end =
        |line: &&str| headed(line).is_some() || matches!(*line, "failures:" | "successes:");
    last(lines.take_while(|line| !is_end(line)).filter(|it| !it.is_empty()), most)
}

/// The last lines of all.
pub(crate) fn last<'a>(lines: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let lines: Vec<_> = lines.collect();
    lines[lines.len().saturating_sub(most)..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const LIBTEST: &str = "
running 4 tests
test a::good ... ok
test b::bad ... FAILED
test c::needs_root ... ok
test d::long has been running for over 60 seconds

successes:

---- c::needs_root stdout ----
SKIPPED: not root
SKIPPED: not root

failures:

---- b::bad stdout ----
test x ... FAILED
first
second


failures:
    b::bad

test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    fn read(text: &str) -> Output {
        let mut output = Output::default();
        // in pieces, as they come
        let now = Instant::now();
        let (mut rest, mut piece) = (text, 1);
        while !rest.is_empty() {
            let (first, more) = rest.split_at(piece.min(rest.len()));
            output.read(first, now);
            (rest, piece) = (more, piece % 7 + 1);
        }
        output
    }

    #[test]
    fn libtest_says_what_passed_failed_and_was_skipped() {
        let output = read(LIBTEST);
        assert_eq!((output.passed, output.failed, output.results), (3, 1, 1));
        assert_eq!(output.failures, ["b::bad".to_owned()].into());
        assert_eq!(output.skipped, [("c::needs_root".to_owned(), "not root".to_owned())].into());
    }

    #[test]
    fn a_test_is_slow_from_when_that_is_said_until_its_verdict() {
        let now = Instant::now();
        let mut output = read(&LIBTEST[..LIBTEST.find("successes").unwrap()]);
        let later = now + Duration::from_secs(100);
        let slow: Vec<_> = output.slow(later).collect();
        assert_eq!(slow.len(), 1);
        assert!(slow[0].0 == "d::long" && slow[0].1 <= Duration::from_secs(100));
        output.read("test d::long ... ok\n", later);
        assert_eq!(output.slow(later).count(), 0);
    }

    #[test]
    fn scripts_say_it_in_the_same_words() {
        let output = read(
            "FAIL  types\nthe page: test result: FAILED. 20 passed; 1 failed; 0 ignored\n\
             SKIPPED: no node\nJava libraries with JDK 8: test result: ok. 7 passed; 0 failed; 0 ignored\n",
        );
        assert_eq!((output.passed, output.failed, output.results), (27, 1, 2));
        assert_eq!(output.failures, ["types".to_owned()].into());
        assert_eq!(output.skipped, [(String::new(), "no node".to_owned())].into());
        assert!(output.last_line.starts_with("Java libraries with JDK 8"));
    }

    #[test]
    fn the_output_of_one_test_is_found_again() {
        assert_eq!(of_test(LIBTEST, "b::bad", 9), ["test x ... FAILED", "first", "second"]);
        assert_eq!(of_test(LIBTEST, "b::bad", 1), ["second"]);
        assert_eq!(of_test(LIBTEST, "not::there", 9), [""; 0]);
    }
}
