//! Text of HotSpot that carries nothing this crate reports: known, so that it is distinguished from
//! the text of an application.
use super::{find::has, stamps::body_start};

/// How lines begin, spaces before them left out; in the order of their bytes.
///
/// They come from `-XX:+PrintHeapAtGC` and the heap at exit, `-XX:+PrintTenuringDistribution`,
/// `-XX:+PrintAdaptiveSizePolicy`, class histograms, the statistics of CMS (`PrintFLSStatistics`,
/// `PrintCMSStatistics`, `PrintCMSInitiationStatistics`), `-XX:+PrintTLAB`,
/// `-XX:+PrintSafepointStatistics`, `-XX:+PrintGCTaskTimeStamps`, G1's long form and summaries,
/// and Shenandoah's details.
const BEGINS: &[&[u8]] = &[
    b"\"(G)\"",
    b"\"(N)\"",
    b"\"a\" is",
    b"\"lvls\"",
    b"# SafepointSynchronize",
    b"###",
    b"(CMS-concurrent-",
    b"(Survivor:",
    b"(cardTable: ",
    b"(num = ",
    b"(plab_sz = ",
    b"- age ",
    b"- locked <0x",
    b"- parking to wait for ",
    b"- waiting on <0x",
    b"- waiting to lock <0x",
    b"---------------------",
    b"/proc/meminfo",
    b"ALL PAUSES",
    b"ALLOCATION TRACING",
    b"Adaptive CSet Selection",
    b"AdaptiveSize",
    b"After GC RS summary",
    b"After GC:",
    b"All times are ",
    b"Application time: ",
    b"Av.  Block  Size: ",
    b"Avg:",
    b"Before GC RS summary",
    b"Before GC:",
    b"CMS: Large Block",
    b"CMS: Large block",
    b"CMS: Unable",
    b"CMS: abort preclean",
    b"CMSAdaptiveSize",
    b"CMSCollector",
    b"Cancelling concurrent GC",
    b"Capacity: ",
    b"Collectable Garbage:",
    b"Concurrent RS processed",
    b"Concurrent RS threads times",
    b"Concurrent marking:",
    b"Concurrent sampling threads",
    b"Cumulative RS summary",
    b"Current rem set statistics",
    b"Dumping heap to ",
    b"EVACUATION PAUSES",
    b"Evacuation Reserve:",
    b"Final counting total time",
    b"Free headroom",
    b"Free: ",
    b"Full thread dump ",
    b"G1HR ",
    b"GC STATISTICS",
    b"GC locker: ",
    b"GC statistics",
    b"GC task",
    b"GC-Thread",
    b"Heap after ",
    b"Heap before ",
    b"JNI global references",
    b"Java HotSpot(TM) 64-Bit Server VM warning",
    b"MISC",
    b"Max   Chunk Size: ",
    b"Maximum sync time",
    b"Maximum vm operation time",
    b"Metaspace",
    b"Min: ",
    b"Mixed GC Pauses:",
    b"No shared spaces configured",
    b"Number of Blocks: ",
    b"OpenJDK 64-Bit Server VM warning",
    b"PSAdaptiveSize",
    b"PSOldGen",
    b"PSPermGen",
    b"PSYoungGen",
    b"Pacer for ",
    b"ParOldGen",
    b"Periodic GC triggered",
    b"Polling page always armed",
    b"RS scrub total time",
    b"Recent concurrent",
    b"Region with largest",
    b"Reserved region",
    b"Shenandoah Heap",
    b"Static structures",
    b"Statistics for ",
    b"Status: ",
    b"Sum:",
    b"TLAB totals: ",
    b"TLAB: ",
    b"Total  ",
    b"Total Free Space: ",
    b"Total Pauses",
    b"Total concurrent time",
    b"Total heap region code root",
    b"Total per region rem sets",
    b"Total size in ",
    b"Total stop_world time",
    b"Tree      Height: ",
    b"Trigger (",
    b"Trigger: ",
    b"Uncommitted ",
    b"Under allocation pressure",
    b"VM operations coalesced",
    b"VM-Thread",
    b"VerifyAfterGC:",
    b"VerifyBeforeGC:",
    b"Young GC Pauses:",
    b"[Class Histogram",
    b"[Heap Dump",
    b"[Unloading class ",
    b"[Verifying ",
    b"[adjust roots",
    b"[compaction phase",
    b"[deferred updates",
    b"[marking phase",
    b"[par compact",
    b"[par mark",
    b"[post compact",
    b"[pre compact",
    b"[reference processing",
    b"[summary phase",
    b"adaptive size concurrent",
    b"adaptive size par new generation",
    b"adaptive-size concurrent-mark-sweep",
    b"adaptive-size par new generation",
    b"avg_survived_padded_avg",
    b"bailing out to foreground",
    b"class space",
    b"cms_allocation_rate=",
    b"compacting perm gen",
    b"concurrent mark-sweep",
    b"concurrent-mark-sweep",
    b"contiguous_available=",
    b"data space",
    b"def new generation",
    b"demand: ",
    b"eden space",
    b"free=",
    b"from space",
    b"from-space",
    b"garbage-first heap",
    b"initiatingOccupancy=",
    b"initiatingPermOccupancy=",
    b"java.lang.Thread.State: ",
    b"no vm operation",
    b"num     #instances",
    b"num   #instances",
    b"object space",
    b"occupancy=",
    b"par new generation",
    b"promotion_rate=",
    b"region size",
    b"ro space",
    b"rw space",
    b"size[",
    b"tenured generation",
    b"the space",
    b"time_until_cms_gen_full",
    b"to   space",
    b"to avoid Degenerated",
    b"to-space",
    b"tune GC heuristics",
    b"under stop-the-world pause",
    b"vmop  ",
    b"{Heap before",
    b"}",
];

/// For each byte, where those of [`BEGINS`] are that begin with it: up to where the next byte's are.
const STARTS: [usize; 257] = starts();

const fn starts() -> [usize; 257] {
    let (mut starts, mut byte, mut at) = ([0; 257], 0, 0);
    while byte < starts.len() {
        while at < BEGINS.len() && (BEGINS[at][0] as usize) < byte {
            at += 1;
        }
        starts[byte] = at;
        byte += 1;
    }
    starts
}

/// What stands within other lines of HotSpot.
const WITHIN: &[&[u8]] = &[
    b" GC log file ",
    b"GC log rotation request",
    b" VM operations coalesced during safepoint",
    b" (lvls, us = ",
    b" s  (avg = ",
    b" s (avg = ",
    b"%) by ",
    b"%) entries by ",
    b"%) elements by ",
    b"K regions",
    b" workers for ",
    b"  promoted: ",
    b" successful concurrent GCs",
    b" successful and ",
    b" user requested GCs",
    b"K committed, ",
    b" tid=0x",
];

/// How lines begin and end whose begin alone could be a line of any program.
const BETWEEN: &[(&[u8], &[u8])] = &[
    (b"Finished ", b" sec"),
    (b"Processed ", b" cards"),
    (b"Of ", b" completed buffers:"),
    (b"Did ", b" coarsenings."),
    (b"at ", b")"),
    (b"", b" occupied cards represented."),
    (b"", b" code roots represented."),
    // The end of a bracket that is none of a record, such as that of a class histogram.
    (b", 0.", b" secs]"),
];

/// Whether the line is such a text, behind its stamps if it has any.
pub(super) fn is_known(line: &[u8]) -> bool {
    let text = line[body_start(line)..].trim_ascii();
    let Some(first) = text.first() else { return true };
    let place = usize::from(*first);
    let same = &BEGINS[STARTS[place]..STARTS[place + 1]];
    text == b"Heap"
        || same.iter().any(|begin| text.starts_with(begin))
        || is_histogram_row(text)
        || text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b' ' | b']'))
        || BETWEEN.iter().any(|(begin, end)| text.starts_with(begin) && text.ends_with(end))
        || WITHIN.iter().any(|part| has(text, part))
}

/// `  12:     46521     1234567  [C`, a row of a class histogram. Its brackets do not pair.
pub(super) fn is_histogram_row(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0
        && text[digits..].starts_with(b": ")
        && text[digits + 1..].trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_are_in_order() {
        assert!(BEGINS.is_sorted());
    }

    #[test]
    fn text_of_hotspot_and_of_others() {
        let check =
            |text: &str, known: bool| assert_eq!(is_known(text.as_bytes()), known, "{text}");
        check("  eden space 2374656K,   5% used [0x0, 0x1, 0x2)", true);
        check("  12:     46521     1234567  [C", true);
        check("AdaptiveSizeStop: collection: 1", true);
        check("2016-10-18 01:50:54 GC log file created /gc.log", true);
        check("", true);
        check("12: 30 Uhr", true);
        check("12: Uhr", false);
        check("Heaps of things", false);
        check("INFO started", false);
    }
}
