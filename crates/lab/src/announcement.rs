//! What a run takes of the host and changes on it, in words.
use crate::{
    Takes, cleanup::OF_LAB, control_group::Controller, fast_disk, isolation, large_blocks,
    slow_swap, takes::Quota,
};
use std::{collections::BTreeMap, path::Path};

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
    /// In words, for a lab that works in `dir`.
    fn said(&self, dir: &Path) -> Vec<(Kind, String)> {
        let below = |name: &str| dir.join(name).display().to_string();
        let group = |name| (Kind::Groups, groups(name));
        let memory = |what: String| vec![(Kind::Memory, what)];
        match self {
            Takes::Recordings => vec![
                (Kind::Memory, format!("recordings of up to {} MiB", fast_disk::SIZE_MIB)),
                (Kind::Mounts, format!("`{}` (tmpfs)", below(fast_disk::NAME))),
            ],
            Takes::CpuWeight => cpu_weight_said().into_iter().chain([group("cpu")]).collect(),
            Takes::Controller { file, name } => {
                vec![(Kind::Settings, format!("`{}` gets +{name}", file.display()))]
            }
            Takes::Heap { mib } => memory(format!("a Java heap of up to {mib} MiB")),
            Takes::Hog { mib } => memory(format!("another process that uses {mib} MiB")),
            Takes::Peer { mib } => {
                memory(format!("a JVM of up to {mib} MiB that the first sends to"))
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
    use crate::scenarios;

    const DIR: &str = "/var/tmp/whypause-lab-0";

    #[test]
    fn announcement_names_each_resource_once_at_its_largest() {
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
}
