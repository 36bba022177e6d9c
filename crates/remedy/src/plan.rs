//! What a remedy would change on this host, before it does.
use crate::Change;
use diagnose::{Diagnosis, Situation, what_if::CpuLimits};
use recorder::{Jvm, Roots};
use recording::{FileFact, WriterFact};
use std::{path::PathBuf, sync::atomic::AtomicBool, time::Duration};

/// A remedy, fitted to one JVM or host: what is changed, in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The remedy's id.
    pub remedy: &'static str,
    /// What is changed. It is taken back in the opposite order.
    pub changes: Vec<Change>,
    /// What else to know before it is done: sentences.
    pub notes: Vec<String>,
    /// Whether it takes effect only when the JVM starts the next time.
    pub at_next_start: bool,
}

impl Plan {
    pub(crate) fn new(remedy: &'static str) -> Plan {
        Plan { remedy, changes: Vec::new(), notes: Vec::new(), at_next_start: false }
    }

    pub(crate) fn change(mut self, change: Change) -> Plan {
        self.changes.push(change);
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Plan {
        self.notes.push(note.into());
        self
    }
}

/// Why a remedy cannot be applied here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// One lower-case line.
    pub message: String,
    /// What to do instead; may be empty.
    pub hint: String,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), hint: hint.into() }
    }
}

/// What was asked for in addition to the remedy's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// A process to bound.
    pub process: Option<u32>,
    /// A unit of systemd to bound.
    pub unit: Option<String>,
    /// Bytes per second that are left to it.
    pub bytes_per_second: Option<u64>,
    /// Files or directories that were named, in their order.
    pub paths: Vec<PathBuf>,
    /// How often a log is copied, or memory looked at.
    pub period: Option<Duration>,
    /// What a JVM may need in all, in bytes.
    pub footprint_bytes: Option<u64>,
    /// Limits of CPU time that were chosen.
    pub cpu_limits: Option<CpuLimits>,
    /// The limit that the JVM's memory group is to have, in bytes.
    pub group_limit_bytes: Option<u64>,
    /// Whether memory is kept at any price (`memory.min`).
    pub hard: bool,
}

/// The JVM and host that a remedy is to be applied to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// What is known of them.
    pub situation: &'a Situation,
    /// The JVM, where one was named.
    pub jvm: Option<&'a Jvm>,
    /// The file of its GC log, where one was found.
    pub log: Option<&'a FileFact>,
    /// Who wrote in the last seconds, and where to, as far as it was looked.
    pub writers: &'a [WriterFact],
    /// What a recording of it showed, where one was made for that.
    pub diagnosis: Option<&'a Diagnosis>,
    /// What was asked for.
    pub wishes: &'a Wishes,
    /// Where the kernel's file systems are.
    pub roots: &'a Roots,
    /// Set to stop, for example by Ctrl-C.
    pub interrupt: &'a AtomicBool,
}

impl Target<'_> {
    /// The JVM.
    pub(crate) fn the_jvm(&self) -> Result<&Jvm, Refusal> {
        self.jvm.ok_or_else(|| {
            Refusal::new("no JVM named", "name it: -p PID, or a part of its main class")
        })
    }
}
