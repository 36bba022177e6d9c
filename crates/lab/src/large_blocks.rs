//! Takes the memory that is still free in blocks of a huge page and larger.
//!
//! The kernel must not make such blocks meanwhile: not for this process (`defrag` is `never`), and
//! not by itself ([`leave_in_pieces`]).
use crate::{Cleanup, LabError, Takes, Undo, mapping::Mapping};
use std::{io, path::Path};

/// Of a block of order 0.
const PAGE_KIB: u64 = 4;

/// Order of a huge page; the kernel's lists of free blocks go on to order 10.
const HUGE_ORDER: usize = 9;

const HUGE_MIB: u64 = 2;
const HUGE_BYTES: usize = 2 << 20;

/// What stays available to all others, in pieces: enough for the JVM of the experiment.
pub(crate) const LEFT_MIB: u64 = 3072;

/// Less than this is some 30 huge pages, and soon used up.
const WORTH_MIB: u64 = 64;

/// Blocks that were on the lists of a CPU come back meanwhile, so looking once is too few.
const ROUNDS: u32 = 4;

/// Says to which degree the kernel puts memory in order unasked, from Linux 5.9 on.
pub(crate) const PROACTIVENESS: &str = "/proc/sys/vm/compaction_proactiveness";

/// Forbids the kernel to put memory in order unasked, and promises to put the old value back.
/// Linux `mm/compaction.c` (`kcompactd`) would make a GiB of large blocks in a second.
///
/// # Errors
/// [`LabError::Step`] where the kernel refuses.
pub fn leave_in_pieces(cleanup: &mut Cleanup) -> Result<(), LabError> {
    const NEVER: &str = "0";
    cleanup.needs(&Takes::Setting { file: PROACTIVENESS.into(), to: NEVER })?;
    let file = Path::new(PROACTIVENESS);
    if !file.exists() {
        return Ok(());
    }
    let doing = || format!("set `{PROACTIVENESS}` to 0");
    let from = std::fs::read_to_string(file).map_err(LabError::step(doing()))?;
    let (from, to) = (from.trim().to_owned(), NEVER.to_owned());
    if from == to {
        return Ok(());
    }
    cleanup.promise(Undo::Knob { file: file.to_path_buf(), from, to: to.clone() })?;
    std::fs::write(file, to).map_err(LabError::step(doing()))
}

/// Takes them until few are left, for as long as the process lives.
///
/// # Errors
/// Where the kernel refuses the address space.
pub(crate) fn take() -> io::Result<()> {
    for _ in 0..ROUNDS {
        let mib = to_take(&read("/proc/buddyinfo"), &read("/proc/meminfo"));
        if mib < WORTH_MIB {
            break;
        }
        keep(mib)?;
    }
    Ok(())
}

fn read(file: &str) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

/// How many MiB to take, in whole huge pages: all large blocks, as far as enough memory is left.
fn to_take(buddyinfo: &str, meminfo: &str) -> u64 {
    let spare = available_mib(meminfo).saturating_sub(LEFT_MIB);
    free_mib(buddyinfo).min(spare) / HUGE_MIB * HUGE_MIB
}

/// What can be had without swapping, by `/proc/meminfo`, in MiB; 0 where it does not say.
pub(crate) fn available_mib(meminfo: &str) -> u64 {
    let line = meminfo.lines().find_map(|it| it.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) >> 10
}

/// What is free in blocks of a huge page and larger, by `/proc/buddyinfo`, in MiB. Zone `DMA` is
/// left out: the kernel keeps it for others.
fn free_mib(buddyinfo: &str) -> u64 {
    let zones = buddyinfo.lines().filter_map(|it| it.split_once("zone")?.1.trim().split_once(' '));
    let kib = zones.filter(|(name, _)| *name != "DMA").map(|(_, counts)| large_kib(counts));
    kib.fold(0, u64::saturating_add) >> 10
}

/// One number of free blocks for each order, from 0 on.
fn large_kib(counts: &str) -> u64 {
    let counts = counts.split_ascii_whitespace().map(|it| it.parse::<u64>().unwrap_or(0));
    let large = (0..u64::BITS).zip(counts).skip(HUGE_ORDER);
    large.fold(0, |sum, (order, count)| {
        let kib = count.saturating_mul(PAGE_KIB.saturating_mul(1 << order));
        sum.saturating_add(kib)
    })
}

/// Maps this many MiB and touches each huge page of it once. Where the kernel has no huge page left,
/// that takes one small page instead.
fn keep(mib: u64) -> io::Result<()> {
    let bytes = usize::try_from(mib << 20).map_err(io::Error::other)?;
    let memory = Mapping::huge(bytes + HUGE_BYTES)?;
    memory.pieces(HUGE_BYTES).for_each(|offset| memory.write(offset));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDDYINFO: &str = "\
Node 0, zone      DMA      0      0      0      0      0      0      0      0      1      1      3
Node 0, zone    DMA32    429    656    574    434    304    185     98     35     19     20    710
Node 0, zone   Normal  30123  10680   9265   4637   2487   1987   1272    832    505    247    853
";

    fn meminfo(mib: u64) -> String {
        format!("MemFree: 1 kB\nMemAvailable:   {} kB\n", mib << 10)
    }

    #[test]
    fn blocks_from_2_mib_on_count() {
        let in_dma32 = 20 * 2 + 710 * 4;
        let in_normal = 247 * 2 + 853 * 4;
        assert_eq!(free_mib(BUDDYINFO), in_dma32 + in_normal);
        assert_eq!(free_mib("Node 0, zone Normal 0 0 0 0 0 0 0 0 1000"), 0);
        assert_eq!(free_mib("Node 0, zone Normal 0 0 0 0 0 0 0 0 1000 1"), 2);
    }

    #[test]
    fn all_nodes_count() {
        let second = BUDDYINFO.replace("Node 0", "Node 1");
        assert_eq!(free_mib(&format!("{BUDDYINFO}{second}")), 2 * free_mib(BUDDYINFO));
    }

    #[test]
    fn nonsense_is_no_memory() {
        for text in ["", "zone", "Node 0, zone Normal", "zone Normal a b c d e f g h i j k"] {
            assert_eq!(free_mib(text), 0, "{text}");
        }
        let many = format!("zone Normal {}", format!("{} ", u64::MAX).repeat(100));
        assert_eq!(free_mib(&many), u64::MAX >> 10);
        assert_eq!(free_mib(&format!("{many}\n{many}")), u64::MAX >> 10);
    }

    #[test]
    fn enough_is_left_to_others() {
        let large = "Node 0, zone Normal 0 0 0 0 0 0 0 0 0 0 100";
        assert_eq!(to_take(large, &meminfo(LEFT_MIB + 400)), 400);
        assert_eq!(to_take(large, &meminfo(LEFT_MIB + 399)), 398);
        assert_eq!(to_take(large, &meminfo(LEFT_MIB + 401)), 400);
        assert_eq!(to_take(large, &meminfo(LEFT_MIB)), 0);
        assert_eq!(to_take(large, ""), 0);
    }
}
