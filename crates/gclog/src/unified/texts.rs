//! Messages without an id that carry nothing this crate reports.
//!
//! With decorations a line shows by them that HotSpot wrote it. In a log without (`-Xlog:…::none`)
//! these texts do, so that they are not taken for text of the application.
use super::epsilon;
use memchr::memmem;

/// How such messages begin, at the levels info and debug.
const BEGINS: [&[u8]; 101] = [
    // Stops.
    b"Leaving safepoint region",
    b"Application time: ",
    b"updating inline caches, ",
    b"resizing system dictionaries, ",
    b"purging class loader data graph, ",
    b"deflating idle monitors, ",
    b"deflating global idle monitors, ",
    b"compilation policy safepoint handler, ",
    b"rotating symbol table, ",
    b"rotating string table, ",
    b"VM Operation  ",
    b"VM operations coalesced during safepoint",
    b"Maximum sync time ",
    b"Maximum cleanup time ",
    b"Maximum vm operation time ",
    // The start.
    b"Initializing The ",
    b"Large Page Support: ",
    b"NUMA Support: ",
    b"NUMA Nodes: ",
    b"Compressed Oops: ",
    b"UseCompressedClassPointers ",
    b"Heap Min Capacity: ",
    b"Heap Initial Capacity: ",
    b"Pre-touch: ",
    b"Periodic GC: ",
    b"CardTable entry size: ",
    b"Card Set container configuration: ",
    b"CDS archive",
    b"CDS disabled",
    b"Compressed class space mapped at: ",
    b"Narrow klass ",
    b"Klass Range: ",
    b"Klass ID Range: ",
    b"Encoding Range: ",
    b"Protection zone: ",
    b"Heap address: ",
    b"Minimum heap ",
    b"Initial heap ",
    b"Maximum heap ",
    b"Min heap equals to max heap, ",
    b"Min Capacity: ",
    b"Initial Capacity: ",
    b"Soft Max Capacity: ",
    b"Address Space ",
    b"Heap Backing ",
    b"Heap Region Count: ",
    b"Available space on backing filesystem: ",
    b"Medium Page Size: ",
    b"Uncommit",
    b"Workers: ",
    b"GC Workers",
    b"Runtime Workers: ",
    b"ParallelGCThreads: ",
    b"ConcGCThreads: ",
    b"TLAB Size ",
    b"AlwaysPreTouch: ",
    b"Consider enabling -XX:",
    b"Consider setting -XX:",
    b"Heuristics ergonomically sets ",
    b"Shenandoah ",
    b"Reference processing: ",
    b"Regions: ",
    b"Humongous object threshold: ",
    b"Max TLAB size: ",
    b"Initialize mark stack with ",
    b"Initialize Shenandoah heap: ",
    // Collections and what is decided between them.
    b"Trigger",
    b"Free: ",
    b"Free headroom: ",
    b"Cancelling GC: ",
    b"Failed to allocate ",
    b"Pacer for ",
    b"Mutators: ",
    b"Expand the heap",
    b"Did not expand the heap",
    b"Attempt heap expansion ",
    b"Attempting full compaction",
    b"Attempting maximal full compaction",
    b"Shrink the heap",
    b"Heap resize triggers: ",
    b"Target occupancy update: ",
    b"Basic information ",
    b"Concurrent refinement ",
    b"Marking Stats, ",
    b"Mark stats cache hits ",
    b"GC request for ",
    b"GC Overhead Limit: ",
    b"Thread blocked to start GC",
    b"Relocation Stall (",
    b"G1 Service Thread ",
    b"Stopping ",
    b"- age ",
    b"Age table",
    b"Young regions: ",
    b"Accumulated ",
    b"Old generation allocation in the last ",
    // The statistics of Shenandoah at its end.
    b"GC STATISTICS:",
    b"All times are wall-clock times, ",
    b"all workers. Dividing the ",
    b"Allocation pacing accrued:",
    b"Under allocation pressure, ",
];

/// Whether HotSpot writes such a message.
pub(crate) fn is_known_text(message: &[u8]) -> bool {
    let begins = |texts: &[&[u8]]| texts.iter().any(|text| message.starts_with(text));
    message == b"Heap"
        || message.starts_with(b"GC(")
        || begins(&BEGINS)
        || begins(&epsilon::TEXTS)
        || is_statistic(message)
        || is_operation_statistic(message)
}

/// A row of Shenandoah's statistics: a name, spaces, a number of microseconds or seconds.
fn is_statistic(message: &[u8]) -> bool {
    let names: [&[u8]; 3] = [b"Concurrent ", b"Pause ", b"Pacing "];
    names.iter().any(|name| message.starts_with(name))
        && (memmem::find(message, b" us").is_some() || memmem::find(message, b" s (a = ").is_some())
}

/// A row of `safepoint+stats`: `ZMarkEndYoung                [             10               0 ][ …`.
fn is_operation_statistic(message: &[u8]) -> bool {
    let name = message.split(|&byte| byte == b' ').next().unwrap_or_default();
    let rest = message[name.len()..].trim_ascii_start();
    name.iter().all(u8::is_ascii_alphanumeric)
        && matches!(rest, [b'[', b' ', ..])
        && memmem::find(rest, b"][ ").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert!(is_known_text(b"NUMA Support: Disabled"));
        assert!(is_known_text(b"Pause Final Mark (G)                44 us"));
        assert!(is_known_text(b"ZMarkEndYoung    [     10       0 ][       4821      44 ]"));
        assert!(!is_known_text(b"Pause for thought"));
        assert!(!is_known_text(b"Started in 3 s"));
        assert!(!is_known_text(b""));
    }
}
