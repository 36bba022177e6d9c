//! What is said of a cause: how well it is known, who did it, what proves it, and what its remedies need to
//! know.
use crate::{Certainty, HumongousStatistics, what_if::WhatIf};
use recording::{OutputFact, Source};
use std::time::Duration;

/// One fact that speaks for a finding, with its numbers, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Where the fact comes from.
    pub source: Source,
    /// How well it is known.
    pub certainty: Certainty,
    /// One sentence with numbers and units, without a full stop.
    pub statement: String,
    /// How much of the pauses it accounts for.
    pub time: Duration,
}

/// What a cause found that its remedies need to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Detail {
    /// Nothing but its time and place.
    #[default]
    None,
    /// How long collections took, and nothing that shows whether they worked or waited.
    LengthAlone,
    /// The log is written to this standard stream.
    Stream(Box<OutputFact>),
    /// What other limits of CPU time would have made of it, where the recording tells.
    Quota(Option<Box<WhatIf>>),
    /// The JVM itself wrote most of what was seen written to the disk that a thread waited for.
    OwnWrites,
    /// Who had the CPUs that threads waited for.
    CpuHolders {
        /// Whether others had enough of them to be the reason.
        others: bool,
        /// Whether the JVM itself had more threads to run than CPUs.
        own: bool,
    },
    /// Who took a CPU away.
    CpuTaken {
        /// Whether the hypervisor is known to have done it.
        by_hypervisor: bool,
    },
    /// What a late thread ran.
    LateCode {
        /// The method in which it was seen most often: `demo.Orders.sum`.
        method: Option<String>,
        /// How often it was looked.
        samples: usize,
    },
    /// The old generation when survivors found no place in it.
    OldGeneration {
        /// Whether it had room for what is usually promoted: then it is fragmented, or more than ever
        /// before survived.
        had_room: Option<bool>,
    },
    /// Whose memory was used up; neither where that is not known.
    MemoryShort {
        /// The control group's.
        of_group: bool,
        /// The host's.
        of_host: bool,
    },
    /// Pages that were on their way.
    PageMoves {
        /// To another NUMA node.
        between_nodes: bool,
    },
    /// What stopped the process.
    StoppedBy(StoppedBy),
    /// Eden as it had been.
    EdenShrunk {
        /// Its size before, in bytes.
        from_bytes: u64,
    },
    /// The longest remark.
    Remark {
        /// Whether references took the largest part of it, as far as the log tells.
        references: Option<bool>,
    },
    /// Collections that were requested explicitly.
    Explicit {
        /// For a heap dump or histogram, which collects whatever the flags say.
        by_inspection: bool,
    },
    /// Objects of more than half a region.
    Humongous(Option<HumongousStatistics>),
    /// A file that was deleted and still in use.
    DeletedFile {
        /// Its path; empty where unknown.
        path: String,
    },
}

/// What keeps a process from running at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoppedBy {
    /// A signal such as `SIGSTOP`.
    Signal,
    /// A debugger or tracer.
    Tracer,
    /// The freezer of its control group.
    Freezer,
    /// One of these.
    Unknown,
}

/// What kind of thing a cause is: the colour of a picture, and what is as good as right where the very
/// mechanism cannot be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The collector's own work, its settings, or the heap.
    Collector,
    /// Another operation of the VM thread.
    VmOperation,
    /// A disk, the file system on it, or who reads what the JVM writes.
    Disk,
    /// A limit of CPU time.
    CpuQuota,
    /// Others had the CPU.
    CpuContention,
    /// Too little memory, or memory in pieces.
    Memory,
    /// A lock of the kernel that threads of the JVM share.
    KernelLock,
    /// A thread of the application.
    LateThread,
    /// The process was stopped.
    Stopped,
}

/// What it means when a cause strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nature {
    /// Something is wrong and can be mended: in the surroundings, the settings or the code.
    Fault,
    /// Something is wrong, and the input shows that but not what. Its time stays unattributed: a
    /// name for a question is no answer.
    Symptom,
    /// The ordinary cost of a collection or operation.
    Ordinary,
}

impl Nature {
    /// `fault`, `symptom` or `ordinary`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Nature::Fault => "fault",
            Nature::Symptom => "symptom",
            Nature::Ordinary => "ordinary",
        }
    }
}

/// What kind of thing is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CulpritKind {
    /// A process on this host.
    Process,
    /// A thread of the JVM.
    Thread,
    /// A cgroup and its limits.
    Cgroup,
    /// A file and its device.
    File,
    /// A compiled method of Java.
    Method,
}

impl CulpritKind {
    /// `process`, `thread`, `cgroup`, `file`, `method`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            CulpritKind::Process => "process",
            CulpritKind::Thread => "thread",
            CulpritKind::Cgroup => "cgroup",
            CulpritKind::File => "file",
            CulpritKind::Method => "method",
        }
    }
}

/// Who did it, as far as the facts allow. Blames nothing that was not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// Kind.
    pub kind: CulpritKind,
    /// Its name: process name, thread name, path.
    pub name: String,
    /// Process or thread id, where it has one.
    pub pid: Option<u32>,
    /// One sentence with numbers, without a full stop:
    /// `dd (pid 991, dd if=/dev/zero …) wrote 412 MB to loop1 in the 10 s before`.
    pub statement: String,
}

/// What is known of a cause over a whole input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It struck; there is a finding.
    Present,
    /// It was watched for and did not strike.
    Absent,
    /// It could not be checked: these sources were not recorded.
    Unknown(Vec<Source>),
}
