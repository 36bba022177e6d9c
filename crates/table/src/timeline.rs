//! What recordings say about a host over time: a log says nothing of the kernel beneath it.
use crate::{Origin, Who};

/// Kernel and boot of a host, by when recordings began that say so.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// In order of time; of two that follow each other something differs.
    known: Vec<(i64, Option<String>, Option<String>)>,
}

/// What is known for some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    kernel: Option<String>,
    boot: Option<String>,
    from: i64,
    until: i64,
}

impl Known {
    /// Whether that time is part of it.
    pub(crate) fn holds(&self, at: i64) -> bool {
        (self.from..self.until).contains(&at)
    }

    /// Adds it to what is known of the host.
    pub(crate) fn fill(&self, origin: &mut Origin) {
        if self.kernel.is_some() {
            origin.kernel.clone_from(&self.kernel);
        }
        if self.boot.is_some() {
            origin.boot.clone_from(&self.boot);
        }
    }
}

impl Timeline {
    /// A recording that began then tells this of the host.
    pub(crate) fn add(&mut self, at: i64, who: &Who) {
        let (kernel, boot) = (who.origin.kernel.clone(), who.origin.boot.clone());
        let place = self.known.partition_point(|it| it.0 <= at);
        self.known.insert(place, (at, kernel, boot));
    }

    /// What is known of that time: what the last recording said that had begun by then, and before the first one
    /// what that said. From one that says something else on, that holds.
    pub(crate) fn at(&self, at: Option<i64>) -> Known {
        let whole = Known { from: i64::MIN, until: i64::MAX, ..Known::default() };
        let (Some(at), Some(first)) = (at, self.known.first()) else { return whole };
        let place = self.known.partition_point(|it| it.0 <= at).saturating_sub(1);
        let it = &self.known[place];
        let differs =
            |other: &&(i64, Option<String>, Option<String>)| (&other.1, &other.2) != (&it.1, &it.2);
        let before = self.known[..place].iter().rev().position(|it| differs(&it));
        // The first that said the same as this one.
        let from = before.map(|back| self.known[place - back].0);
        let until = self.known[place..].iter().find(differs).map(|it| it.0);
        debug_assert!(first.0 <= it.0);
        Known {
            kernel: it.1.clone(),
            boot: it.2.clone(),
            from: from.unwrap_or(i64::MIN),
            until: until.unwrap_or(i64::MAX),
        }
    }

    /// The time from `first` to `last` in pieces for which the same is known.
    pub(crate) fn pieces(&self, first: i64, last: i64) -> Vec<(i64, i64, Known)> {
        let mut pieces = Vec::new();
        let mut from = first;
        while from < last {
            let known = self.at(Some(from));
            let until = known.until.min(last);
            pieces.push((from, until, known));
            from = until;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn timeline(entries: &[(i64, &str)]) -> Timeline {
        let mut timeline = Timeline::default();
        for (at, kernel) in entries {
            let origin = Origin { kernel: Some((*kernel).to_owned()), ..Origin::default() };
            timeline.add(*at, &Who { origin: Arc::new(origin), ..Who::default() });
        }
        timeline
    }

    fn pieces(entries: &[(i64, &str)], first: i64, last: i64) -> Vec<(i64, i64, String)> {
        let of = |(from, until, known): (i64, i64, Known)| {
            (from, until, known.kernel.unwrap_or_default())
        };
        timeline(entries).pieces(first, last).into_iter().map(of).collect()
    }

    #[test]
    fn a_kernel_holds_until_a_recording_says_another() {
        let entries = [(30, "b"), (10, "a"), (20, "a"), (40, "b")];
        let expected = [(0, 30, "a".to_owned()), (30, 100, "b".to_owned())];
        assert_eq!(pieces(&entries, 0, 100), expected);
        assert_eq!(pieces(&entries, 31, 35), [(31, 35, "b".to_owned())]);
        assert!(
            timeline(&entries).at(Some(29)).holds(10) && !timeline(&entries).at(Some(29)).holds(30)
        );
    }

    #[test]
    fn without_recordings_nothing_is_known() {
        assert_eq!(pieces(&[], 5, 9), [(5, 9, String::new())]);
        assert!(timeline(&[]).at(None).holds(7));
    }
}
