//! Threads that stood still while the JVM was not stopped: what is said of them.
use crate::{Cause, Certainty, Finding, MechanismShare, Pause, WaitLocation};
use recording::Interval;
use std::{collections::BTreeMap, time::Duration};

/// All stalls of an input: each is one thread that could not go on though it wanted to, outside of stops.
/// They are in no pause and in no sum of pauses. Who waited for such a thread is in `waiting` and in no other sum:
/// the kernel does not show whether for a lock that it had or, idle, for work from it.
#[derive(Clone, Debug, Default)]
pub struct Stalls {
    /// From how long on a thread that stands counts.
    pub over: Duration,
    /// How many stalls there were, each of one thread.
    pub count: u64,
    /// How many threads had one.
    pub threads: u64,
    /// How long they are together: threads by time.
    pub time: Duration,
    /// The longest.
    pub longest: Duration,
    /// Who waited for those threads; `threads` of it stood at no time by themselves.
    pub waiting: Extent,
    /// What no cause could claim of `time`.
    pub unattributed: Duration,
    /// How many episodes there were, also those that are not in `episodes`.
    pub episode_count: u64,
    /// Threads that stood for the same reason at the same time, in order of time: as many of those with most
    /// time as are kept.
    pub episodes: Vec<Episode>,
    /// The threads of `episodes` by their ids, and those that they waited for.
    pub named: BTreeMap<u32, StalledThread>,
    /// Causes of stalls, most time first: `pauses` counts stalls, and `time` is threads by time.
    pub findings: Vec<Finding>,
}

impl Episode {
    /// How long its threads stood or waited for such, together: what it is ranked by.
    #[must_use]
    pub fn weight(&self) -> Duration {
        self.time + self.waiting.time
    }

    /// Of the threads that stood; of those that waited where none is in it that stood.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let Episode { stalls, threads, time, longest, waiting, .. } = *self;
        if stalls == 0 { waiting } else { Extent { stalls, threads, time, longest } }
    }

    /// The longest that one of its threads stood, or waited where none did.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.extent().longest
    }
}

impl Stalls {
    /// Whether threads stood for this.
    #[must_use]
    pub fn has(&self, cause: &Cause) -> bool {
        self.findings.iter().any(|it| it.cause.id == cause.id)
    }
}

/// How often, how many and how long threads stood, or waited for one that stood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How often one did.
    pub stalls: u64,
    /// How many threads.
    pub threads: u64,
    /// How long together: threads by time.
    pub time: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Extent {
    /// Adds one of a thread, which is counted apart.
    pub(crate) fn add(&mut self, length: Duration) {
        self.stalls += 1;
        self.time += length;
        self.longest = self.longest.max(length);
    }
}

/// Threads that stood for the same reason at the same time. Of one that goes on after it was reported all may be in
/// `waiting`: the thread that they waited for is in the episode before.
#[derive(Clone, Debug)]
pub struct Episode {
    /// From the begin of its first stall to the end of its last.
    pub interval: Pause,
    /// How many stalls it has.
    pub stalls: u64,
    /// How many threads stood.
    pub threads: u64,
    /// How long they stood together: threads by time.
    pub time: Duration,
    /// The longest stall.
    pub longest: Duration,
    /// What no cause could claim of `time`.
    pub unattributed: Duration,
    /// Who waited for them.
    pub waiting: Extent,
    /// Threads with the same name but for its number, most time first, and who waited for them.
    pub pools: Vec<Pool>,
    /// What they waited for; `None` where no cause could claim most of it.
    pub cause: Option<&'static Cause>,
    /// Whether that was measured.
    pub certainty: Certainty,
    /// How exactly, most time first.
    pub mechanisms: Vec<MechanismShare>,
    /// Where the longest stood.
    pub place: WaitLocation,
    /// What the stack of `place` shows that it waited for.
    pub proof: Option<Proof>,
    /// The thread that others of it waited for.
    pub holder: Option<Holder>,
    /// Its stalls, one by one, in order of their begin.
    pub members: Vec<StallMember>,
}

/// One stall of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StallMember {
    /// The thread.
    pub tid: u32,
    /// The thread whose stall it is: another one where this one only waited for that.
    pub holder: u32,
    /// When it stood.
    pub interval: Interval,
    /// How much of that was in no stop of the JVM.
    pub length: Duration,
}

/// A thread whose stall others waited out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// How many threads waited for it.
    pub waiting: u64,
    /// How long they did together.
    pub time: Duration,
}

/// What a stack shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The function that shows it, by its place in the stack.
    pub frame: usize,
    /// What was waited for: `a journal commit`.
    pub phrase: &'static str,
}

/// A thread that stood, or that others waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StalledThread {
    /// Its name.
    pub name: String,
    /// Its name with `*` for its number, as in [`Pool`].
    pub pool: String,
}

/// Threads with the same name but for its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The name, with `*` for the number.
    pub name: String,
    /// How many of its threads stood.
    pub threads: u64,
    /// How long they stood together.
    pub time: Duration,
    /// The longest stall of one.
    pub longest: Duration,
    /// Those of its threads that waited for one that stood.
    pub waiting: Extent,
}
