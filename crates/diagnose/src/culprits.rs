//! Who did it: evidence of who used what a thread waited for, who of them is named, and in which words.
//!
//! One rule for all of them: an innocent is worse than nobody. Who is named used that resource, while or
//! just before it was waited for, and enough of it to be the reason.
mod cpu;
mod memory;
mod place;
mod process;
mod quota;
mod writers;

pub use self::place::container_or_unit;
pub(crate) use self::{
    cpu::CpuUse,
    memory::memory_takers,
    process::{Process, named},
    quota::cgroup_quota,
    writers::{Waited, fillers, own_writes, writers},
};

/// How many culprits are named.
const MOST: usize = 3;

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
