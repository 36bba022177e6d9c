//! What `record` and `watch` say about what they are attached to.
use crate::{Failure, console::Console};
use recorder::{AttachError, Jvm, Options, Session};
use recording::{Coverage, Facts, Source, SourceState};
use std::time::{Duration, Instant};

/// The background readings have found the GC log by then, or never will.
const TIME_TO_FIND_ALL: Duration = Duration::from_millis(900);

pub(crate) fn attach(jvm: &Jvm, options: Options) -> Result<Session, Failure> {
    Session::attach(jvm, options)
        .map_err(|error: AttachError| Failure::input(error.to_string(), error.hint()))
}

/// `orders (pid 4242)`.
pub(crate) fn name(jvm: &Jvm) -> String {
    let main = if jvm.main.is_empty() { "java" } else { &jvm.main };
    format!("{main} (pid {})", jvm.pid)
}

/// Says once what is not watched, as soon as that is known.
#[derive(Debug)]
pub(crate) struct Announcement {
    since: Instant,
    done: bool,
}

impl Announcement {
    pub(crate) fn new() -> Announcement {
        Announcement { since: Instant::now(), done: false }
    }

    pub(crate) fn look(&mut self, facts: &Facts, console: &Console) {
        if let Some(coverage) = &facts.coverage
            && self.since.elapsed() >= TIME_TO_FIND_ALL
        {
            self.say(coverage, console);
        }
    }

    /// Says it now if it was not said yet, as at the end of a short recording.
    pub(crate) fn say(&mut self, coverage: &Coverage, console: &Console) {
        if std::mem::replace(&mut self.done, true) {
            return;
        }
        for line in missing(coverage) {
            console.say(&line);
        }
    }
}

/// One line per source that does not run. USDT and symbols stand for each other, so one of them
/// is enough.
fn missing(coverage: &Coverage) -> Vec<String> {
    let windows = [Source::SafepointProbes, Source::SafepointSymbols];
    let seen = windows.iter().any(|source| coverage.has(*source));
    let mut lines: Vec<String> = coverage
        .sources
        .iter()
        .filter(|(source, _)| !(seen && windows.contains(source)))
        .filter_map(|(source, state)| match state {
            SourceState::Missing(reason) => Some(format!("not watched: {}: {reason}", source.id())),
            SourceState::Recorded => None,
        })
        .collect();
    if !seen {
        lines.push(
            "the beginning and end of pauses come from the GC log alone: causes are inferred"
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_to_see_a_pause_is_enough() {
        let mut coverage = Coverage::default();
        coverage.sources.insert(Source::SafepointProbes, SourceState::Missing("no probes".into()));
        coverage.sources.insert(Source::SafepointSymbols, SourceState::Recorded);
        assert!(missing(&coverage).is_empty());
        coverage.sources.insert(Source::SafepointSymbols, SourceState::Missing("none".into()));
        let lines = missing(&coverage);
        assert_eq!(lines[0], "not watched: safepoint-probes: no probes");
        assert!(lines[2].contains("GC log alone"));
    }
}
