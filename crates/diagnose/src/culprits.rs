//! Who did it: evidence of who used what a thread waited for, who of them is named, and in which words.
//!
//! One rule for all of them: no culprit is better than a wrong one. A process that is named used
//! that resource,
//! while or just before it was waited for, and enough of it to be the reason.
mod cpu;
mod memory;
mod place;
mod process;
mod quota;
mod readers;
pub(crate) mod stalled;
mod writers;

pub use self::{
    cpu::brief,
    place::{container_and_pod, container_or_unit},
};
pub(crate) use self::{
    memory::memory_takers,
    quota::cgroup_quota,
    readers::culprits as readers,
    writers::{Waited, fillers, own_writes, writers},
};
