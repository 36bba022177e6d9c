//! Which of a JVM's mappings matter: its file of counters, and deleted files.
use crate::host::{
    counters_file::{addresses, is_counters},
    maps::{self, Mapping},
    process::ProcessDir,
};
use recording::FileKey;
use std::{collections::BTreeMap, io, ops::ControlFlow};

/// Deleted files that are distinguished; of more, those that come later are left out.
const MAX_DELETED: usize = 4096;
/// Those that are reported, the largest.
const TOP: usize = 16;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    /// The file of counters.
    pub(super) counters: Option<Mapping>,
    deleted: BTreeMap<FileKey, Deleted>,
}

/// The mappings of one deleted file.
#[derive(Debug, Default)]
struct Deleted {
    first: Mapping,
    bytes: u64,
    is_code: bool,
}

impl Mapped {
    /// Reads all mappings. What was found until an error counts.
    pub(super) fn read(&mut self, dir: &ProcessDir) -> io::Result<()> {
        maps::each(dir, &mut |mapping| {
            self.see(mapping);
            ControlFlow::Continue(())
        })
    }

    fn see(&mut self, mapping: Mapping) {
        if self.counters.is_none() && is_counters(&mapping.path) {
            self.counters = Some(mapping);
            return;
        }
        let key = mapping.key();
        if !mapping.deleted || self.deleted.len() >= MAX_DELETED && !self.deleted.contains_key(&key)
        {
            return;
        }
        let bytes = addresses(&mapping.range).map_or(0, |(from, to)| to.saturating_sub(from));
        let file = self.deleted.entry(key).or_default();
        file.bytes = file.bytes.saturating_add(bytes);
        file.is_code |= mapping.executable;
        if file.first.path.is_empty() {
            file.first = mapping;
        }
    }

    /// The largest deleted files with the bytes mapped of each. No library and nothing of the JDK: an
    /// update replaces these, and the JVM keeps them until it exits.
    pub(super) fn deleted(&self, java_home: &str) -> Vec<(&Mapping, u64)> {
        let of_jdk = |it: &Mapping| !java_home.is_empty() && it.path.starts_with(java_home);
        let data = self.deleted.values().filter(|it| !it.is_code && !of_jdk(&it.first));
        let mut all: Vec<_> = data.map(|it| (&it.first, it.bytes)).collect();
        all.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        all.truncate(TOP);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(lines: &str) -> Mapped {
        let mut found = Mapped::default();
        lines
            .lines()
            .filter_map(|it| maps::parse(it.trim().as_bytes()))
            .for_each(|it| found.see(it));
        found
    }

    const MAPS: &str = "
        1000-3000 rw-s 00000000 08:11 77 /data/segment.1 (deleted)
        3000-4000 rw-s 00002000 08:11 77 /data/segment.1 (deleted)
        5000-9000 r--s 00000000 08:11 78 /data/segment.2 (deleted)
        a000-b000 r--s 00000000 08:11 79 /data/segment.3
        b000-c000 r--p 00000000 08:11 80 /usr/lib/libc.so.6 (deleted)
        c000-d000 r-xp 00001000 08:11 80 /usr/lib/libc.so.6 (deleted)
        d000-e000 r--s 00000000 08:11 81 /opt/jdk/lib/modules (deleted)
        f000-ff00 rw-s 00000000 08:11 82 /tmp/hsperfdata_app/42";

    #[test]
    fn deleted_data_is_reported_with_its_size_and_code_is_not() {
        let found = mapped(MAPS);
        let reported: Vec<String> = found
            .deleted("/opt/jdk")
            .iter()
            .map(|(it, bytes)| format!("{} {bytes:#x}", it.path))
            .collect();
        assert_eq!(reported, ["/data/segment.2 0x4000", "/data/segment.1 0x3000"]);
    }

    #[test]
    fn the_file_of_counters_is_known_by_its_name() {
        assert_eq!(mapped(MAPS).counters.unwrap().inode, 82);
        assert!(mapped("").counters.is_none());
    }

    #[test]
    fn a_crowd_of_deleted_files_is_bounded() {
        let line = |n: usize| format!("1000-2000 rw-s 0 08:11 {n} /d/{n} (deleted)\n");
        let found = mapped(&(1..=MAX_DELETED + 9).map(line).collect::<String>());
        assert_eq!((found.deleted.len(), found.deleted("").len()), (MAX_DELETED, TOP));
    }
}
