//! Which processes use memory, and which take more of it.
//!
//! `VmRSS` and `VmSwap` of `/proc/PID/status` cost no lock of the process. Its command line does
//! (`mmap_lock`): not for the sampling thread.
use super::{
    Roots, cgroup, command_line,
    process::{ProcessDir, pids},
    status::Status,
};
use recording::{MemoryFact, MonoTime};
use std::{cmp::Reverse, collections::HashMap};

/// The largest ones told each time.
const TOP: usize = 10;
/// Who grows by less from one look to the next is told only if it is one of the largest.
const GROWN_BYTES: u64 = 16 * 1024 * 1024;
/// At most so many that grew.
const MAX_GROWN: usize = 16;
/// Smaller ones are not told, however few there are.
const MIN_BYTES: u64 = 1024 * 1024;
/// Processes remembered from one look to the next.
const MAX_PROCESSES: usize = 32 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Usage {
    name: String,
    resident_bytes: u64,
    swapped_bytes: u64,
}

impl Usage {
    /// From the text of `status`; `None` for a thread of the kernel, which has no memory.
    fn parse(status: &str) -> Option<Usage> {
        let status = Status(status);
        Some(Usage {
            name: status.field("Name")?.into(),
            resident_bytes: status.bytes("VmRSS")?,
            // Not there in a kernel without swap.
            swapped_bytes: status.bytes("VmSwap").unwrap_or(0),
        })
    }

    fn bytes(&self) -> u64 {
        self.resident_bytes.saturating_add(self.swapped_bytes)
    }
}

/// The memory of one process, and how much of it is locked (`VmLck`), in bytes.
pub(crate) fn of(
    roots: &Roots,
    dir: &ProcessDir,
    at: MonoTime,
) -> (Option<MemoryFact>, Option<u64>) {
    let status = dir.text("status", Status::LIMIT_BYTES).unwrap_or_default();
    let fact = Usage::parse(&status).and_then(|it| Memory::new(roots).fact(at, dir.pid(), it));
    (fact, Status(&status).bytes("VmLck"))
}

/// Looks at all processes again and again.
#[derive(Debug)]
pub(crate) struct Memory {
    roots: Roots,
    /// What each process had at the last look.
    known: HashMap<u32, u64>,
}

impl Memory {
    pub(crate) fn new(roots: &Roots) -> Memory {
        Memory { roots: roots.clone(), known: HashMap::new() }
    }

    /// The largest processes, and those that have grown since the last look.
    pub(crate) fn look(&mut self, at: MonoTime) -> Vec<MemoryFact> {
        let mut found: Vec<(u32, Usage)> = Vec::new();
        let mut known = HashMap::new();
        for pid in pids(&self.roots).unwrap_or_default().into_iter().take(MAX_PROCESSES) {
            let Some(usage) = self.usage(pid) else { continue };
            known.insert(pid, usage.bytes());
            if usage.bytes() >= MIN_BYTES {
                found.push((pid, usage));
            }
        }
        let before = std::mem::replace(&mut self.known, known);
        found.sort_by_key(|(pid, usage)| (Reverse(usage.bytes()), *pid));
        let rest = found.split_off(found.len().min(TOP));
        let has_grown = |(pid, usage): &(u32, Usage)| {
            // At the first look nobody has grown, at a later one whoever is new has.
            let had = before.get(pid).copied().unwrap_or(0);
            !before.is_empty() && usage.bytes().saturating_sub(had) > GROWN_BYTES
        };
        found.extend(rest.into_iter().filter(has_grown).take(MAX_GROWN));
        found.into_iter().filter_map(|(pid, usage)| self.fact(at, pid, usage)).collect()
    }

    fn usage(&self, pid: u32) -> Option<Usage> {
        Usage::parse(&ProcessDir::open(&self.roots, pid).ok()?.text("status", 4096).ok()?)
    }

    fn fact(&self, at: MonoTime, pid: u32, usage: Usage) -> Option<MemoryFact> {
        let dir = ProcessDir::open(&self.roots, pid).ok()?;
        Some(MemoryFact {
            at,
            pid,
            name: usage.name,
            command_line: command_line::of(&dir),
            cgroup: cgroup::place(&dir, "memory").map(|it| it.path).unwrap_or_default(),
            resident_bytes: usage.resident_bytes,
            swapped_bytes: usage.swapped_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const MIB_KIB: u64 = 1024;

    struct Host(tempfile::TempDir);

    impl Host {
        fn set(&self, pid: u32, resident_kib: u64, swapped_kib: u64) {
            let dir = self.0.path().join(pid.to_string());
            fs::create_dir_all(&dir).unwrap();
            let status = format!(
                "Name:\tp{pid}\nVmPeak:\t 1 kB\nVmRSS:\t{resident_kib} kB\nVmSwap:\t{swapped_kib} kB\n"
            );
            fs::write(dir.join("status"), status).unwrap();
            fs::write(dir.join("cmdline"), "/bin/p\0-x\0").unwrap();
            fs::write(dir.join("cgroup"), "4:memory:/pods/a\n0::/\n").unwrap();
        }

        fn memory(&self) -> Memory {
            Memory::new(&Roots { proc: self.0.path().into(), sys: self.0.path().into() })
        }
    }

    fn pids_of(facts: &[MemoryFact]) -> Vec<u32> {
        facts.iter().map(|it| it.pid).collect()
    }

    #[test]
    fn the_largest_are_told_first_and_swap_counts() {
        let host = Host(tempfile::tempdir().unwrap());
        host.set(1, 30 * MIB_KIB, 0);
        host.set(2, 10 * MIB_KIB, 90 * MIB_KIB);
        host.set(3, MIB_KIB - 1, 0);
        let facts = host.memory().look(MonoTime(5));
        assert_eq!(pids_of(&facts), [2, 1]);
        let expected = MemoryFact {
            at: MonoTime(5),
            pid: 2,
            name: "p2".into(),
            command_line: "/bin/p".into(),
            cgroup: "/pods/a".into(),
            resident_bytes: 10 << 20,
            swapped_bytes: 90 << 20,
        };
        assert_eq!(facts[0], expected);
    }

    #[test]
    fn one_that_grows_is_told_however_small() {
        let host = Host(tempfile::tempdir().unwrap());
        for pid in 1..=10 {
            host.set(pid, 500 * MIB_KIB, 0);
        }
        host.set(20, 30 * MIB_KIB, 0);
        host.set(21, 30 * MIB_KIB, 0);
        let mut memory = host.memory();
        assert_eq!(memory.look(MonoTime(1)).len(), 10);
        host.set(20, 46 * MIB_KIB, 0);
        host.set(21, 46 * MIB_KIB + 1, 0);
        host.set(22, 16 * MIB_KIB + 1, 0);
        assert_eq!(pids_of(&memory.look(MonoTime(2)))[10..], [21, 22]);
        assert_eq!(memory.look(MonoTime(3)).len(), 10);
    }

    #[test]
    fn threads_of_the_kernel_and_nonsense_use_nothing() {
        assert_eq!(Usage::parse("Name:\tkthreadd\nThreads:\t1\n"), None);
        assert_eq!(Usage::parse("Name:\tx\nVmRSS:\t-1 kB\n"), None);
        assert_eq!(Usage::parse(""), None);
        let without_swap = Usage::parse("Name:\tx\nVmRSS:\t 4 kB\n");
        assert_eq!(without_swap.map(|it| it.bytes()), Some(4096));
    }

    #[test]
    fn this_process_uses_memory() {
        let own = Memory::new(&Roots::default()).usage(std::process::id());
        assert!(own.is_some_and(|it| it.resident_bytes > 1 << 20));
    }
}
