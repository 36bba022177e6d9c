//! Settings of the host, and of the control group of one process, for its memory.
use crate::host::{
    Roots,
    cgroup::{self, Version},
    process::ProcessDir,
};
use recording::{HostSettings, MemorySettings};
use std::{fs, path::Path};

/// Groups are rarely nested deeper.
const MAX_ANCESTORS: usize = 16;
/// Larger than any real limit; `max` is no number, and version 1 shows a larger one.
const NO_LIMIT_BYTES: u64 = 1 << 60;

/// Reads those of the host; what cannot be read stays empty.
pub(super) fn host(roots: &Roots) -> HostSettings {
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let pages = roots.sys.join("kernel/mm/transparent_hugepage");
    let number = |path: &str| text(&roots.proc.join(path)).trim().parse().ok();
    let huge_page_bytes = text(&pages.join("hpage_pmd_size")).trim().parse().ok();
    let word = |text: &str| chosen(text).unwrap_or_default().to_owned();
    let nodes = text(&roots.sys.join("devices/system/node/online"));
    HostSettings {
        huge_pages: word(&text(&pages.join("enabled"))),
        huge_pages_defrag: word(&text(&pages.join("defrag"))),
        huge_page_bytes,
        free_huge_bytes: huge_page_bytes.and_then(|size| {
            let page = u64::try_from(rustix::param::page_size()).ok()?;
            free_in_blocks(&text(&roots.proc.join("buddyinfo")), page, size)
        }),
        swappiness: number("sys/vm/swappiness"),
        swap_bytes: fs::read_to_string(roots.proc.join("swaps")).ok().map(|it| on_disks(&it)),
        zone_reclaim: number("sys/vm/zone_reclaim_mode"),
        nodes: Some(crate::host::host_facts::count_list(nodes.trim())).filter(|it| *it > 0),
        pressure: pressure(roots),
    }
}

/// A kernel that was built with it and booted with `psi=0` has the files, and refuses to read them.
fn pressure(roots: &Roots) -> Option<bool> {
    roots.proc.join("self").exists().then(|| fs::read(roots.proc.join("pressure/memory")).is_ok())
}

/// Swap space of `/proc/swaps` that is on disks, in bytes. What is in compressed memory (zram) comes back
/// in microseconds.
fn on_disks(swaps: &str) -> u64 {
    let bytes = |line: &str| -> Option<u64> {
        let mut words = line.split_ascii_whitespace();
        let name = words.next()?.rsplit('/').next()?;
        let kib: u64 = words.nth(1)?.parse().ok()?;
        (!name.starts_with("zram")).then(|| kib.saturating_mul(1024))
    };
    swaps.lines().skip(1).filter_map(bytes).fold(0, |sum: u64, it| sum.saturating_add(it))
}

/// The word of a setting of the kernel that is chosen: `madvise` of `always [madvise] never`. `None`
/// where the setting is no choice of words.
#[must_use]
pub fn chosen(text: &str) -> Option<&str> {
    text.split_once('[')?.1.split_once(']').map(|it| it.0)
}

/// Free memory in blocks of at least `size` bytes: `Node 0, zone Normal 4 3 2 …`, a column for each
/// power of two of pages. `None` where that cannot be read.
fn free_in_blocks(buddyinfo: &str, page: u64, size: u64) -> Option<u64> {
    let of_line = |line: &str| -> Option<u64> {
        let (_, counts) = line.split_once("zone")?;
        let counts = counts.split_ascii_whitespace().skip(1).enumerate();
        let block = |order: usize| page.checked_shl(u32::try_from(order).ok()?);
        let bytes = |(order, count): (usize, &str)| -> Option<u64> {
            let (bytes, count) = (block(order)?, count.parse::<u64>().ok()?);
            Some(if bytes >= size { bytes.saturating_mul(count) } else { 0 })
        };
        counts.map(bytes).sum()
    };
    let zones: Option<Vec<u64>> = buddyinfo.lines().map(of_line).collect();
    zones
        .filter(|it| !it.is_empty())
        .map(|it| it.iter().fold(0, |sum: u64, it| sum.saturating_add(*it)))
}

/// Reads those of a process whose `VmLck` is known.
pub(super) fn memory(roots: &Roots, dir: &ProcessDir, locked_bytes: Option<u64>) -> MemorySettings {
    let mut found = MemorySettings { locked_bytes, ..MemorySettings::default() };
    let Some(place) = cgroup::path_of(dir, "memory") else { return found };
    let groups = cgroup::groups(roots, dir, "memory").directories();
    let Some(own) = groups.first() else { return found };
    let number = |directory: &Path, name: &str| -> Option<u64> {
        let value = fs::read_to_string(directory.join(name)).ok()?.trim().parse().ok()?;
        Some(value).filter(|it| *it < NO_LIMIT_BYTES)
    };
    match place.version {
        Version::V1 => found.swappiness = number(own, "memory.swappiness"),
        Version::V2 => {
            let protected = ["memory.low", "memory.min"].map(|it| number(own, it));
            found.protected_bytes = protected.into_iter().flatten().max();
            let limits = groups.iter().take(MAX_ANCESTORS);
            found.swap_max_bytes = limits.filter_map(|it| number(it, "memory.swap.max")).min();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_brackets_is_chosen() {
        assert_eq!(chosen("always [madvise] never\n"), Some("madvise"));
        assert_eq!(chosen("always defer [defer+madvise] never\n"), Some("defer+madvise"));
        assert_eq!(chosen("[always] madvise never"), Some("always"));
        assert_eq!(chosen("always [never"), None);
        assert_eq!(chosen("1\n"), None);
    }

    #[test]
    fn large_blocks_are_those_of_a_huge_page_and_more() {
        let line = "Node 0, zone   Normal  9 8 7 6 5 4 3 2 1 3 2\n";
        let (page, huge) = (4096, 2 << 20);
        assert_eq!(free_in_blocks(line, page, huge), Some(3 * (2 << 20) + 2 * (4 << 20)));
        assert_eq!(free_in_blocks(&line.repeat(2), page, huge), Some(2 * ((6 << 20) + (8 << 20))));
        assert_eq!(free_in_blocks("", page, huge), None);
        assert_eq!(free_in_blocks("Node 0, zone Normal x", page, huge), None);
    }

    #[test]
    fn swap_in_compressed_memory_is_none_on_a_disk() {
        let swaps = "Filename Type Size Used Priority\n/dev/zram0 partition 4096 0 100\n/swapfile file 2048 0 -2\n/dev/sda2 partition 1024 8 -3\n";
        assert_eq!(on_disks(swaps), 3 << 20);
        assert_eq!(on_disks("Filename Type\n"), 0);
    }

    #[test]
    fn this_host_has_settings() {
        let host = host(&Roots::default());
        assert!(host.swappiness.is_some() && host.swap_bytes.is_some(), "{host:?}");
    }
}
