//! What a run takes of the host and changes on it: said before it begins.
//!
//! A scenario lists it as data, and whatever takes or changes something asks with the same data
//! whether it was announced ([`Cleanup::needs`](crate::Cleanup::needs)): what was not is not done.
use crate::disk::DiskOptions;
use std::{path::PathBuf, time::Duration};

/// One thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A file system in memory for recordings and output; every run has one.
    Recordings,
    /// Nearly all CPU time, where the JVM or its recorder want it; every run where it is possible.
    CpuWeight,
    /// A controller that is enabled for new groups of cgroup version 2.
    Controller {
        /// The file that it is written to.
        file: PathBuf,
        /// Its name.
        name: &'static str,
    },
    /// A JVM with a heap of at most this size.
    Heap {
        /// In MiB.
        mib: u32,
    },
    /// Another process that uses memory.
    Hog {
        /// In MiB.
        mib: u32,
    },
    /// Another JVM, which the JVM sends to over loopback.
    Peer {
        /// Its heap, in MiB.
        mib: u32,
    },
    /// A slow disk.
    Disk(DiskOptions),
    /// Slow swap space.
    Swap,
    /// Processes that do nothing but use CPUs.
    Loops {
        /// For each CPU of the host.
        per_cpu: u32,
    },
    /// A limit on the JVM's CPU time.
    Quota(Quota),
    /// Control groups with a limit on memory.
    MemoryGroups,
    /// A control group that is frozen now and then.
    Freezer,
    /// Nearly all memory, of which every other page is given back.
    Fragments,
    /// A setting of the kernel that holds for the whole host.
    Setting {
        /// The file of the setting.
        file: PathBuf,
        /// The new value.
        to: &'static str,
    },
    /// A mount over the place of performance counters, which the JVM alone sees.
    CountersMount,
    /// System calls of the JVM traced in an instance of the kernel's own.
    Trace,
}

impl Takes {
    /// Whether the user who accepted this has accepted `other`.
    pub(crate) fn covers(&self, other: &Takes) -> bool {
        match (self, other) {
            (Takes::Heap { mib: reported }, Takes::Heap { mib })
            | (Takes::Hog { mib: reported }, Takes::Hog { mib }) => reported >= mib,
            (Takes::Loops { per_cpu: reported }, Takes::Loops { per_cpu }) => reported >= per_cpu,
            _ => self == other,
        }
    }
}

/// How much CPU time a group may use: a time in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// CPU time, over all CPUs.
    pub time: Duration,
    /// In which period; 1 ms to 1 s.
    pub period: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cleanup, LabError, WorkDir};

    #[test]
    fn what_was_not_announced_is_not_done() {
        let parent = crate::test_dir::TestDir::new();
        let dir = WorkDir::open(&parent.path().join("lab")).unwrap();
        let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
        let check = |cleanup: &Cleanup, takes: Takes, is_announced: bool| {
            let result = cleanup.needs(&takes);
            assert_eq!(result.is_ok(), is_announced, "{takes:?}");
            assert!(result.is_ok() || matches!(result, Err(LabError::NotAnnounced(_))));
        };
        check(&cleanup, Takes::Swap, true);
        cleanup.announce(vec![Takes::Heap { mib: 600 }, Takes::Loops { per_cpu: 8 }]);
        check(&cleanup, Takes::Swap, false);
        check(&cleanup, Takes::Heap { mib: 600 }, true);
        check(&cleanup, Takes::Heap { mib: 601 }, false);
        check(&cleanup, Takes::Loops { per_cpu: 9 }, false);
        let mounted = crate::fast_disk::mount(&mut cleanup, &dir);
        assert!(matches!(mounted, Err(LabError::NotAnnounced(_))), "{mounted:?}");
        assert!(!dir.path().join("fast").exists());
    }
}
