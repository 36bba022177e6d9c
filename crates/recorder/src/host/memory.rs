//! Which processes use memory, and which take more of it.
//!
//! `VmRSS` and `VmSwap` of `/proc/PID/status` cost no lock of the process. Its command line does
//! (`mmap_lock`): not for the sampling thread.
//! To write `status` takes the kernel many times as long as `statm`, which has all but what is in swap:
//! of a process whose `statm` is the same as before nothing has become swapped or resident.
use super::{
    Roots, cgroup, command_line,
    process::{DIRECTORY, ProcessDir, READ, pids},
    status::Status,
};
use recording::{MemoryFact, MonoTime};
use rustix::{
    fd::OwnedFd,
    fs::{Mode, openat},
    io::read,
};
use std::{
    cmp::Reverse,
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Number of the largest ones that are reported each time.
const TOP: usize = 10;
/// Who grows by less from one look to the next is reported only if it is one of the largest.
const GROWN_BYTES: u64 = 16 * 1024 * 1024;
/// Number of grown ones that are reported at most.
const MAX_GROWN: usize = 16;
/// Smaller ones are not reported, however few there are.
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

/// What a process had at the last look.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Of its `statm`: a process of a large host is remembered in few bytes.
    hash: u64,
    bytes: u64,
}

/// Looks at all processes again and again.
#[derive(Debug)]
pub(crate) struct Memory {
    roots: Roots,
    /// `/proc`.
    proc: Option<OwnedFd>,
    known: HashMap<u32, Known>,
}

impl Memory {
    pub(crate) fn new(roots: &Roots) -> Memory {
        let proc = rustix::fs::open(&roots.proc, DIRECTORY, Mode::empty()).ok();
        Memory { roots: roots.clone(), proc, known: HashMap::new() }
    }

    /// The largest processes, and those that have grown since the last look.
    pub(crate) fn scan(&mut self, at: MonoTime) -> Vec<MemoryFact> {
        let mut found: Vec<(u32, u64)> = Vec::new();
        let mut known = HashMap::new();
        for pid in pids(&self.roots).unwrap_or_default().into_iter().take(MAX_PROCESSES) {
            let Some(now) = self.now(pid) else { continue };
            known.insert(pid, now);
            if now.bytes >= MIN_BYTES {
                found.push((pid, now.bytes));
            }
        }
        let before = std::mem::replace(&mut self.known, known);
        found.sort_by_key(|(pid, bytes)| (Reverse(*bytes), *pid));
        let rest = found.split_off(found.len().min(TOP));
        let has_grown = |(pid, bytes): &(u32, u64)| {
            // At the first look nobody has grown, at a later one whoever is new has.
            let had = before.get(pid).map_or(0, |it| it.bytes);
            !before.is_empty() && bytes.saturating_sub(had) > GROWN_BYTES
        };
        found.extend(rest.into_iter().filter(has_grown).take(MAX_GROWN));
        found.into_iter().filter_map(|(pid, _)| self.fact(at, pid, self.usage(pid)?)).collect()
    }

    /// What a process has now; `None` of one that is gone, or a thread of the kernel.
    fn now(&self, pid: u32) -> Option<Known> {
        let hash = match self.statm(pid) {
            Some((_, 0)) => return None,
            read => read.map(|it| it.0),
        };
        let known = self.known.get(&pid).filter(|it| Some(it.hash) == hash);
        known
            .copied()
            .or_else(|| Some(Known { hash: hash.unwrap_or(0), bytes: self.usage(pid)?.bytes() }))
    }

    /// What stands for its `statm`, and the first number of that: 0 of a thread of the kernel.
    fn statm(&self, pid: u32) -> Option<(u64, u64)> {
        let path = format!("{pid}/statm");
        let file = openat(self.proc.as_ref()?, path, READ, Mode::empty()).ok()?;
        let mut text = [0; 128];
        let length = read(file, &mut text).ok()?;
        let mut hasher = DefaultHasher::new();
        text[..length].hash(&mut hasher);
        let pages = std::str::from_utf8(&text[..length]).ok()?.split(' ').next()?;
        Some((hasher.finish(), pages.parse().ok()?))
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
            cgroup: cgroup::path_of(&dir, "memory").map(|it| it.path).unwrap_or_default(),
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
    fn the_largest_are_reported_first_and_swap_counts() {
        let host = Host(tempfile::tempdir().unwrap());
        host.set(1, 30 * MIB_KIB, 0);
        host.set(2, 10 * MIB_KIB, 90 * MIB_KIB);
        host.set(3, MIB_KIB - 1, 0);
        let facts = host.memory().scan(MonoTime(5));
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
    fn one_that_grows_is_reported_however_small() {
        let host = Host(tempfile::tempdir().unwrap());
        for pid in 1..=10 {
            host.set(pid, 500 * MIB_KIB, 0);
        }
        host.set(20, 30 * MIB_KIB, 0);
        host.set(21, 30 * MIB_KIB, 0);
        let mut memory = host.memory();
        assert_eq!(memory.scan(MonoTime(1)).len(), 10);
        host.set(20, 46 * MIB_KIB, 0);
        host.set(21, 46 * MIB_KIB + 1, 0);
        host.set(22, 16 * MIB_KIB + 1, 0);
        assert_eq!(pids_of(&memory.scan(MonoTime(2)))[10..], [21, 22]);
        assert_eq!(memory.scan(MonoTime(3)).len(), 10);
    }

    #[test]
    fn one_that_has_not_changed_is_not_read_again_unless_it_is_reported() {
        let host = Host(tempfile::tempdir().unwrap());
        for pid in 1..=10 {
            host.set(pid, 500 * MIB_KIB, 0);
        }
        let statm = |text| fs::write(host.0.path().join("20/statm"), text).unwrap();
        host.set(20, 30 * MIB_KIB, 0);
        statm("9000 7680 100 1 0 2000 0\n");
        let mut memory = host.memory();
        assert_eq!(memory.scan(MonoTime(1)).len(), 10);
        host.set(20, 30 * MIB_KIB, 40 * MIB_KIB);
        assert_eq!(memory.scan(MonoTime(2)).len(), 10);
        statm("9000 7679 100 1 0 2000 0\n");
        assert_eq!(pids_of(&memory.scan(MonoTime(3)))[10..], [20]);
        // What is reported is as it is now.
        host.set(1, 400 * MIB_KIB, 7);
        assert!(
            memory.scan(MonoTime(4)).iter().any(|it| it.pid == 1 && it.swapped_bytes == 7 << 10)
        );
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
