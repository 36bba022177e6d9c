//! The list of pauses, written while they come.
use super::{
    count::ns,
    schema_pause::{Part, Pause},
};
use crate::{Pauses, when};
use diagnose::Attribution;
use recording::Clock;
use serde::{
    Serialize, Serializer,
    ser::{Error, SerializeSeq},
};
use std::{cell::RefCell, cmp::Reverse, fmt, io};

/// Pauses, longest first. Can be written once.
pub(super) struct Longest<'a> {
    clock: Clock,
    pauses: RefCell<Which<'a>>,
}

enum Which<'a> {
    Few(Vec<&'a Attribution>),
    All(&'a mut dyn Pauses),
}

impl fmt::Debug for Longest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Longest").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl<'a> Longest<'a> {
    /// The `most` longest of those that are in memory.
    pub(super) fn few(clock: Clock, pauses: &'a [Attribution], most: usize) -> Longest<'a> {
        let mut few: Vec<&Attribution> = pauses.iter().collect();
        few.sort_by_key(|it| Reverse(it.pause.duration));
        few.truncate(most);
        Longest { clock, pauses: RefCell::new(Which::Few(few)) }
    }

    /// All that there are.
    pub(super) fn all(clock: Clock, pauses: &'a mut dyn Pauses) -> Longest<'a> {
        Longest { clock, pauses: RefCell::new(Which::All(pauses)) }
    }
}

impl Serialize for Longest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        match &mut *self.pauses.borrow_mut() {
            Which::Few(few) => {
                few.iter().try_for_each(|it| list.serialize_element(&pause(self.clock, it)))?
            }
            Which::All(pauses) => {
                // The writer's own error says more than what passes through the list of pauses.
                let mut failed = None;
                let ended = pauses.longest_first(&mut |it| {
                    list.serialize_element(&pause(self.clock, it)).map_err(|error| {
                        failed = Some(error);
                        io::Error::other("not written")
                    })
                });
                if let Some(error) = failed {
                    return Err(error);
                }
                ended.map_err(Error::custom)?;
            }
        }
        list.end()
    }
}

pub(super) fn pause(clock: Clock, it: &Attribution) -> Pause<'_> {
    let part = |part: &diagnose::Part| Part {
        cause: part.cause.id,
        time_ns: ns(part.time),
        certainty: part.certainty.id(),
    };
    Pause {
        start_ns: it.pause.start_ns,
        start_wall: when::rfc3339(clock, &it.pause),
        duration_ns: ns(it.pause.duration),
        time_to_safepoint_ns: ns(it.pause.reaching),
        collection_ns: it.pause.collection.map(ns),
        kind: it.pause.kind.id(),
        operation: &it.pause.operation,
        detailed: it.pause.detailed,
        cut: match (it.pause.cut.begin, it.pause.cut.end) {
            (false, false) => None,
            (true, false) => Some("begin"),
            (false, true) => Some("end"),
            (true, true) => Some("both"),
        },
        parts: it.parts.iter().map(part).collect(),
        unattributed_ns: ns(it.unattributed),
        symptom: it.symptom.map(|it| it.id),
    }
}
