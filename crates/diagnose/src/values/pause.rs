//! A pause.
use recording::{Clock, Cut};
use std::{borrow::Cow, time::Duration};

/// What kind of stop a pause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PauseKind {
    /// All application threads were stopped at a safepoint.
    Safepoint,
    /// A collection pause from a log that has no safepoint lines: the stop lasted at least this.
    Gc,
    /// No safepoint at all, and yet the application did not run.
    Hiccup,
    /// One thread alone did not run: it is in [`Stalls`](crate::Stalls), and among no pauses.
    Stall,
}

impl PauseKind {
    /// `safepoint`, `gc`, `hiccup` or `stall`: its name for programs.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            PauseKind::Safepoint => "safepoint",
            PauseKind::Gc => "gc",
            PauseKind::Hiccup => "hiccup",
            PauseKind::Stall => "stall",
        }
    }
}

/// What is known of when a pause was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// The diagnosis' clock says it.
    #[default]
    Known,
    /// The date in the log has no zone: it is that of some clock, and is shown as it stands.
    NoZone,
    /// The line in the log has no time at all: where the pause is among the others is known alone.
    None,
}

/// An interval in which application threads did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Kind.
    pub kind: PauseKind,
    /// Start, in nanoseconds on [`Diagnosis::clock`](crate::Diagnosis::clock).
    pub start_ns: u64,
    /// Start in nanoseconds since 1970-01-01 UTC, where the input tells.
    pub start_wall_ns: Option<i64>,
    /// What is known of the two.
    pub times: Times,
    /// How long application threads were stopped.
    pub duration: Duration,
    /// The part until all application threads had stopped (time to safepoint).
    pub reaching: Duration,
    /// HotSpot's name of the VM operation, or the collection's name; empty where unknown.
    pub operation: Cow<'static, str>,
    /// Length of the collection inside, as the GC log gives it; `None` where there was none or
    /// no log.
    pub collection: Option<Duration>,
    /// Whether the threads' slices were kept, so that the account is measured. Otherwise the
    /// parts come from totals or from a log.
    pub detailed: bool,
    /// Which of its ends was not recorded: it was then longer than `duration`, which is that of the
    /// part that was seen.
    pub cut: Cut,
}

impl Pause {
    /// When it began, in nanoseconds since 1970-01-01 UTC, where the input tells; `clock` is that of
    /// [`start_ns`](Pause::start_ns). Without a zone it is taken in UTC.
    #[must_use]
    pub fn wall_ns(&self, clock: Clock) -> Option<i64> {
        if self.times == Times::None {
            return None;
        }
        let on_wall = || i64::try_from(self.start_ns).ok().filter(|_| clock == Clock::Wall);
        self.start_wall_ns.or_else(on_wall)
    }
}
