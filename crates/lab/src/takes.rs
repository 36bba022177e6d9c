//! What a run takes of the host and changes on it: said before it begins.
//!
//! A scenario lists it as data, and whatever takes or changes something asks with the same data
//! whether it was announced ([`Cleanup::needs`](crate::Cleanup::needs)): what was not is not done.
use crate::{
    control_group::{Controller, OF_LAB},
    fast_disk, huge_pages,
    isolation::{self, Quota},
    large_blocks,
    slow_disk::DiskOptions,
    slow_swap,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

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
        /// Which.
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
    /// A setting of the kernel that holds for everybody.
    Setting {
        /// Which.
        file: PathBuf,
        /// To what.
        to: &'static str,
    },
    /// A mount over the place of performance counters, which the JVM alone sees.
    CountersMount,
    /// System calls of the JVM traced in an instance of the kernel's own.
    Trace,
}

/// In the order in which they are said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Memory,
    Cpus,
    Mounts,
    Swap,
    Settings,
    Groups,
    Tracing,
}

impl Kind {
    fn title(self) -> &'static str {
        match self {
            Kind::Memory => "memory",
            Kind::Cpus => "CPUs",
            Kind::Mounts => "mounts",
            Kind::Swap => "swap",
            Kind::Settings => "settings",
            Kind::Groups => "cgroups",
            Kind::Tracing => "tracing",
        }
    }
}

impl Takes {
    /// The settings of huge pages, and that of compaction, for memory that stays in pieces.
    pub(crate) fn settings_of_fragments(defrag: &[&'static str]) -> Vec<Takes> {
        let enabled = huge_pages::setting("enabled", "madvise");
        let defrag = defrag.iter().map(|to| huge_pages::setting("defrag", to));
        let none = Takes::Setting { file: large_blocks::PROACTIVENESS.into(), to: "0" };
        [none, enabled].into_iter().chain(defrag).collect()
    }

    /// Whether whoever was told of this was told of `other`.
    pub(crate) fn covers(&self, other: &Takes) -> bool {
        match (self, other) {
            (Takes::Heap { mib: reported }, Takes::Heap { mib })
            | (Takes::Hog { mib: reported }, Takes::Hog { mib }) => reported >= mib,
            (Takes::Loops { per_cpu: reported }, Takes::Loops { per_cpu }) => reported >= per_cpu,
            _ => self == other,
        }
    }

    /// In words, for a lab that works in `dir`.
    fn said(&self, dir: &Path) -> Vec<(Kind, String)> {
        let below = |name: &str| dir.join(name).display().to_string();
        let group = |name| (Kind::Groups, groups(name));
        match self {
            Takes::Recordings => vec![
                (Kind::Memory, format!("recordings of up to {} MiB", fast_disk::SIZE_MIB)),
                (Kind::Mounts, format!("`{}` (tmpfs)", below(fast_disk::NAME))),
            ],
            Takes::CpuWeight => cpu_weight_said().into_iter().chain([group("cpu")]).collect(),
            Takes::Controller { file, name } => {
                vec![(Kind::Settings, format!("`{}` gets +{name}", file.display()))]
            }
            Takes::Heap { mib } => vec![(Kind::Memory, format!("a Java heap of up to {mib} MiB"))],
            Takes::Hog { mib } => {
                vec![(Kind::Memory, format!("another process that uses {mib} MiB"))]
            }
            Takes::Disk(options) => vec![
                (Kind::Memory, format!("a slow disk of up to {} MiB", options.stored_mib)),
                (Kind::Mounts, format!("`{}` (FUSE)", below("slow.disk/served"))),
                (
                    Kind::Mounts,
                    format!("`{}` ({}, a loop device)", below("slow"), options.file_system.name()),
                ),
            ],
            Takes::Swap => slow_swap_said(dir),
            Takes::Loops { per_cpu } => {
                let cpus = crate::Host::cpus();
                let all = cpus.saturating_mul(*per_cpu);
                vec![(
                    Kind::Cpus,
                    format!("{all} endless loops, {per_cpu} for each of {cpus} CPUs"),
                )]
            }
            Takes::Quota(Quota { time, period }) => {
                let (time, period) = (time.as_millis(), period.as_millis());
                vec![(Kind::Cpus, format!("a quota of {time} ms in {period} ms for the JVM"))]
            }
            Takes::MemoryGroups => vec![group("memory")],
            Takes::Freezer => vec![group("freezer")],
            Takes::Fragments => {
                let left = large_blocks::LEFT_MIB;
                vec![(Kind::Memory, format!("all but {left} MiB, and what the page cache has"))]
            }
            Takes::Setting { file, to } => {
                vec![(Kind::Settings, format!("`{}` becomes {to}", file.display()))]
            }
            Takes::CountersMount => {
                let what = "`/tmp/hsperfdata_root`, which the JVM alone sees";
                vec![(Kind::Mounts, what.to_owned())]
            }
            Takes::Trace => {
                let what = "write system calls of the JVM, by a tracing instance of the kernel";
                let mount = format!("`{}` (tracefs)", below("tracing"));
                vec![(Kind::Mounts, mount), (Kind::Tracing, what.to_owned())]
            }
        }
    }
}

fn cpu_weight_said() -> Option<(Kind, String)> {
    let (file, weight, usual) = isolation::weight()?;
    let what = format!(
        "{file} {weight} for the JVM and its recorder while a fault is recorded, others have {usual}"
    );
    Some((Kind::Cpus, what))
}

fn slow_swap_said(dir: &Path) -> Vec<(Kind, String)> {
    let (mib, priority) = (slow_swap::SIZE_BYTES >> 20, slow_swap::PRIORITY);
    let file = dir.join(slow_swap::NAME).display().to_string();
    let swap = format!(
        "up to {mib} MiB in a file below `{file}`, used before any other (priority {priority})"
    );
    vec![(Kind::Swap, swap), (Kind::Mounts, format!("`{file}/served` (FUSE, a loop device)"))]
}

/// Where the lab makes groups with this controller.
fn groups(name: &str) -> String {
    let found = match name {
        "freezer" => Controller::freezer(),
        _ => Controller::find(name),
    };
    match found {
        Ok(Controller::V1(root) | Controller::V2(root)) => {
            format!("`{}` ({name})", root.join(OF_LAB.to_owned() + "-*").display())
        }
        Err(reason) => format!("{name}: {reason}"),
    }
}

/// All of it in lines, one for each kind; what another one covers is left out.
pub(crate) fn lines(takes: &[Takes], dir: &Path) -> Vec<String> {
    let mut kinds: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
    for (at, it) in takes.iter().enumerate() {
        let of_another = |(other_at, other): (usize, &Takes)| {
            other_at != at && other.covers(it) && (other_at < at || !it.covers(other))
        };
        if takes.iter().enumerate().any(of_another) {
            continue;
        }
        for (kind, text) in it.said(dir) {
            let texts = kinds.entry(kind).or_default();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let line =
        |(kind, texts): (Kind, Vec<String>)| format!("  {:10}{}", kind.title(), texts.join("; "));
    kinds.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cleanup, LabError, WorkDir, scenarios};

    const DIR: &str = "/var/tmp/whypause-lab-0";

    #[test]
    fn what_is_taken_is_said_once_and_at_its_largest() {
        let heap = |mib| Takes::Heap { mib };
        let setting = |to| Takes::Setting { file: "/proc/sys/vm/x".into(), to };
        let takes =
            [heap(600), Takes::Recordings, heap(896), heap(896), setting("0"), setting("1")];
        let expected = [
            "  memory    recordings of up to 1024 MiB; a Java heap of up to 896 MiB",
            "  mounts    `/var/tmp/whypause-lab-0/fast` (tmpfs)",
            "  settings  `/proc/sys/vm/x` becomes 0; `/proc/sys/vm/x` becomes 1",
        ];
        assert_eq!(lines(&takes, Path::new(DIR)), expected);
    }

    #[test]
    fn every_scenario_says_its_memory_and_what_it_does_to_everybody() {
        let said = |id: &str| {
            let takes = (scenarios::find(id).unwrap().takes)();
            lines(&takes, Path::new(DIR)).join("\n")
        };
        for scenario in scenarios::ALL {
            let text = said(scenario.id);
            assert!(text.starts_with("  memory "), "{}: {text}", scenario.id);
            assert!(text.contains("a Java heap of up to "), "{}: {text}", scenario.id);
        }
        let text = said("thp-compaction");
        for file in ["vm/compaction_proactiveness` becomes 0", "defrag` becomes madvise"] {
            assert!(text.contains(file), "{text}");
        }
        assert!(text.contains("all but 3072 MiB"), "{text}");
        assert!(said("cpu-contention").contains("endless loops, 8 for each of "));
        assert!(said("swap-in").contains("  swap      up to 3072 MiB"));
        assert!(said("mapped-file-fault").contains("slow` (ext4, a loop device)"));
    }

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
