//! The JVM's file of performance counters: `/tmp/hsperfdata_USER/PID`.
//!
//! HotSpot maps it with `MAP_SHARED` and writes to it all the time, also inside safepoints
//! (`src/hotspot/os/posix/perfMemory_posix.cpp`). It is found by its mapping, not by its name in
//! `/tmp`: where the JVM does not have it mapped it does not write to it.
use super::{
    Roots,
    maps::{self, Mapping},
    mounts::{self, Mounts},
    perf_layout,
    process::ProcessDir,
};
use recording::{FileKey, PerfCounterFact};
use std::{
    io::{ErrorKind, Read},
    ops::ControlFlow,
};

/// 32 KiB by default, 64 at most sizes that people set (`PerfDataMemorySize`); larger ones are cut.
const LIMIT_BYTES: u64 = 1024 * 1024;
/// File systems that never make a fault wait for a disk. (tmpfs may be swapped out: that is a
/// wait for swap, and has its own frames.)
pub(super) const IN_MEMORY: [&str; 3] = ["tmpfs", "ramfs", "hugetlbfs"];

/// The file that the JVM has mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountersFile {
    pub(crate) key: FileKey,
    /// Path as the JVM sees it.
    path: String,
    /// First address of the mapping, and its end.
    range: (u64, u64),
    /// Whether no fault on it can wait for a disk.
    in_memory: bool,
}

impl CountersFile {
    /// Looks through the mappings of the process. `None` where it has no such file mapped
    /// (`-XX:-UsePerfData`, `-XX:+PerfDisableSharedMem`) or cannot be inspected.
    pub(crate) fn find(roots: &Roots, pid: u32) -> Option<CountersFile> {
        let dir = ProcessDir::open(roots, pid).ok()?;
        let mut found = None;
        // What was found until an error counts.
        let _ = maps::each(&dir, &mut |mapping| match is_counters(&mapping.path) {
            true => {
                found = Some(mapping);
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        });
        let Mapping { range, device, inode, path, .. } = found?;
        let mounts = Mounts::parse(&dir.text("mountinfo", mounts::LIMIT_BYTES).unwrap_or_default());
        let mount = mounts.of_file(device, &path);
        let in_memory = mount.is_some_and(|it| IN_MEMORY.contains(&it.file_system.as_str()));
        let range = addresses(&range)?;
        Some(CountersFile { key: FileKey { device, inode }, path, range, in_memory })
    }

    /// Why no process reads the counters of this process, as one lower-case line: it keeps none, or what it
    /// keeps may not be looked at.
    pub(crate) fn why_not(found: Option<&CountersFile>, dir: &ProcessDir) -> String {
        let opened = match found {
            None => dir.bytes("maps", 1).map(|_| ()),
            Some(it) => dir.open_inside(&it.path).map(|_| ()),
        };
        let denied = opened.as_ref().is_err_and(|it| it.kind() == ErrorKind::PermissionDenied);
        match (found, opened) {
            (None, _) if denied => {
                "the mappings of this JVM may not be read: that needs CAP_SYS_PTRACE".into()
            }
            (None, Ok(())) => "this JVM keeps no counters in a file".into(),
            (None, Err(error)) => format!("the mappings of this JVM cannot be read: {error}"),
            (Some(_), _) if denied => {
                "the file in which this JVM counts its stops may not be read: that needs root or CAP_DAC_READ_SEARCH".into()
            }
            (Some(_), Ok(())) => "this JVM does not count its stops in its file of counters".into(),
            (Some(_), Err(error)) => {
                format!("the file in which this JVM counts its stops cannot be opened: {error}")
            }
        }
    }

    /// The addresses whose faults are worth watching: those of a file that is not in memory.
    pub(crate) fn watched(&self) -> Option<(u64, u64)> {
        (!self.in_memory).then_some(self.range)
    }

    /// Opens it for reading. Not for the sampling thread.
    pub(crate) fn open(&self, dir: &ProcessDir) -> Option<std::fs::File> {
        dir.open_inside(&self.path).ok()
    }

    /// Where each counter lies. Reads the file: not for the sampling thread.
    pub(crate) fn layout(&self, dir: &ProcessDir) -> Vec<PerfCounterFact> {
        let mut bytes = Vec::new();
        let file = dir.open_inside(&self.path);
        let read = file.and_then(|file| file.take(LIMIT_BYTES).read_to_end(&mut bytes));
        read.map_or_else(|_| Vec::new(), |_| perf_layout::parse(&bytes))
    }
}

/// `…/hsperfdata_USER/PID` (`get_user_tmp_dir`, `get_sharedmem_filename`).
pub(super) fn is_counters(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (file, directory) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    directory.starts_with("hsperfdata_")
        && !file.is_empty()
        && file.bytes().all(|it| it.is_ascii_digit())
}

/// `7f00-7f10`.
pub(super) fn addresses(range: &str) -> Option<(u64, u64)> {
    let (start, end) = range.split_once('-')?;
    let address = |text| u64::from_str_radix(text, 16).ok();
    Some((address(start)?, address(end)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ROOT: &str = "22 1 254:0 / / rw - ext4 /dev/vda rw\n";
    const TMP: &str = "30 22 0:40 / /tmp rw - tmpfs tmpfs rw\n";
    const LINE: &str = "7f0000-7f8000 rw-s 00000000 fe:00 12         /tmp/hsperfdata_kafka/7\n";

    /// What is watched in a process with these mappings and mounts.
    fn check(maps: &str, mounts: &str, expected: &str) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("7")).unwrap();
        fs::write(root.path().join("7/maps"), maps).unwrap();
        fs::write(root.path().join("7/mountinfo"), mounts).unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let found = CountersFile::find(&roots, 7);
        let shown = found.map_or("none".into(), |it| match it.watched() {
            Some((start, end)) => format!("{} {start:x}-{end:x}", it.path),
            None => format!("{} in memory", it.path),
        });
        assert_eq!(shown, expected, "{maps}{mounts}");
    }

    #[test]
    fn only_a_file_that_is_not_in_memory_is_watched() {
        check(LINE, ROOT, "/tmp/hsperfdata_kafka/7 7f0000-7f8000");
        check(LINE, "", "/tmp/hsperfdata_kafka/7 7f0000-7f8000");
        let line = LINE.replace("fe:00", "00:28");
        check(&line, &format!("{ROOT}{TMP}"), "/tmp/hsperfdata_kafka/7 in memory");
    }

    #[test]
    fn what_may_not_be_read_is_not_reported_as_not_there() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("7")).unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let why = || {
            let dir = ProcessDir::open(&roots, 7).unwrap();
            CountersFile::why_not(CountersFile::find(&roots, 7).as_ref(), &dir)
        };
        assert!(why().contains("cannot be read"), "{}", why());
        fs::write(root.path().join("7/maps"), "").unwrap();
        assert_eq!(why(), "this JVM keeps no counters in a file");
        fs::write(root.path().join("7/maps"), LINE).unwrap();
        assert!(why().contains("cannot be opened"), "{}", why());
    }

    #[test]
    fn other_mappings_are_not_taken_for_it() {
        check("", ROOT, "none");
        for path in ["/tmp/hsperfdata_kafka/7x", "/tmp/hsperfdata/7", "/hsperfdata_k/", "/tmp/7"] {
            check(&LINE.replace("/tmp/hsperfdata_kafka/7", path), ROOT, "none");
        }
    }

    #[test]
    fn a_process_that_is_gone_has_none() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        assert_eq!(CountersFile::find(&roots, 7), None);
    }
}
