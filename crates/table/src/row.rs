//! One pause as a row: plain values, as they are in every table.
use crate::bounds::{MOST_FILE_BYTES, MOST_NAME_BYTES, bounded, ns};
use diagnose::{Attribution, Seen};
use recording::Clock;
use std::borrow::Cow;

/// One pause, or hiccup. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseRow {
    /// When it began, since 1970-01-01 UTC; `None` where that is not known.
    pub start_ns: Option<i64>,
    /// Whether the zone of `start_ns` is known; otherwise it is taken for UTC.
    pub zone_known: bool,
    /// How long the application was stopped.
    pub duration_ns: i64,
    /// `safepoint`, `gc`, `hiccup`.
    pub kind: &'static str,
    /// HotSpot's name of the VM operation, or the collection's name; empty where unknown.
    pub operation: Cow<'static, str>,
    /// The number in `GC(n)`.
    pub gc_id: Option<i64>,
    /// The GC cause, as the log gives it: `G1 Evacuation Pause`.
    pub gc_cause: Option<Box<str>>,
    /// Time to safepoint.
    pub reaching_ns: i64,
    /// Length of the collection inside, as the log gives it.
    pub collection_ns: Option<i64>,
    /// Whether a part of it was not seen: it was longer than `duration_ns`.
    pub cut: bool,
    /// Whether each thread's activity was recorded, so that its parts are measured.
    pub detailed: bool,
    /// What it is divided into, largest first.
    pub parts: Vec<PartRow>,
    /// What no cause could claim.
    pub unexplained_ns: i64,
    /// Id of the symptom that most of that shows.
    pub symptom: Option<&'static str>,
    /// Who did it: kind and name.
    pub culprit: Option<(&'static str, Box<str>)>,
    /// The file that was waited for.
    pub file: Option<Box<str>>,
    /// The device of that file.
    pub device: Option<Box<str>>,
}

/// One cause's part of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartRow {
    /// Id of the cause.
    pub cause: &'static str,
    /// Id of the mechanism that has most of it.
    pub mechanism: Option<&'static str>,
    /// How much of the pause.
    pub ns: i64,
    /// `measured` or `inferred`.
    pub certainty: &'static str,
}

impl PauseRow {
    /// Of a pause that was just divided, with what is known from its own facts alone.
    #[must_use]
    pub fn of(seen: &Seen<'_>) -> PauseRow {
        let mut row = PauseRow::plain(seen.attribution, seen.clock);
        if let Some((id, cause)) = seen.collection() {
            row.gc_id = i64::try_from(id).ok();
            row.gc_cause = cause.map(|it| bounded(it, MOST_NAME_BYTES).into());
        }
        // A log knows no threads: there is nothing more to tell.
        if seen.attribution.pause.detailed {
            row.tell(seen);
        }
        row
    }

    fn plain(it: &Attribution, clock: Clock) -> PauseRow {
        let pause = &it.pause;
        let part = |it: &diagnose::Part| PartRow {
            cause: it.cause.id,
            mechanism: None,
            ns: ns(it.time),
            certainty: it.certainty.id(),
        };
        PauseRow {
            start_ns: pause.wall_ns(clock),
            zone_known: pause.times == diagnose::Times::Known,
            duration_ns: ns(pause.duration),
            kind: pause.kind.id(),
            operation: pause.operation.clone(),
            gc_id: None,
            gc_cause: None,
            reaching_ns: ns(pause.reaching),
            collection_ns: pause.collection.map(ns),
            cut: pause.cut.is_part(),
            detailed: pause.detailed,
            parts: it.parts.iter().map(part).collect(),
            unexplained_ns: ns(it.unattributed),
            symptom: it.symptom.map(|it| it.id),
            culprit: None,
            file: None,
            device: None,
        }
    }

    fn tell(&mut self, seen: &Seen<'_>) {
        for (part, mechanisms) in self.parts.iter_mut().zip(seen.mechanisms()) {
            part.mechanism = mechanisms.first().map(|it| it.id);
        }
        let told = seen.told();
        self.culprit = told
            .culprits
            .first()
            .map(|it| (it.kind.id(), bounded(&it.name, MOST_NAME_BYTES).into()));
        let some = |it: &str| (!it.is_empty()).then(|| bounded(it, MOST_FILE_BYTES).into());
        self.file = told.place.as_ref().and_then(|it| some(&it.path));
        self.device = told.place.as_ref().and_then(|it| some(&it.device));
    }

    /// When it ended, since 1970-01-01 UTC.
    #[must_use]
    pub fn end_ns(&self) -> Option<i64> {
        self.start_ns.map(|it| it.saturating_add(self.duration_ns))
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn held_bytes(&self) -> usize {
        let texts = [&self.gc_cause, &self.file, &self.device].into_iter().flatten();
        let culprit = self.culprit.iter().map(|it| it.1.len());
        let texts = texts.map(|it| it.len()).chain(culprit).chain([self.operation.len()]);
        let parts = self.parts.capacity() * size_of::<PartRow>();
        size_of::<PauseRow>() + parts + texts.sum::<usize>()
    }

    /// The cause of most of it.
    #[must_use]
    pub fn cause(&self) -> Option<&PartRow> {
        self.parts.first()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A stop of that start and length, in nanoseconds.
    pub(crate) fn row(start_ns: i64, duration_ns: i64) -> PauseRow {
        PauseRow {
            start_ns: Some(start_ns),
            zone_known: true,
            duration_ns,
            kind: "safepoint",
            operation: "Cleanup".into(),
            gc_id: None,
            gc_cause: None,
            reaching_ns: 0,
            collection_ns: None,
            cut: false,
            detailed: false,
            parts: Vec::new(),
            unexplained_ns: duration_ns,
            symptom: None,
            culprit: None,
            file: None,
            device: None,
        }
    }
}
