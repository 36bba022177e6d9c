//! What a JVM says about itself at its start (tags `gc` and `gc,init`).
use crate::{
    Collector, InitFact,
    scan::{integer, name, size_bytes},
};
use memchr::{memchr, memmem};

/// What follows `Using `.
const COLLECTORS: [(&[u8], Collector); 7] = [
    (b"Serial", Collector::Serial),
    (b"Parallel", Collector::Parallel),
    (b"Concurrent Mark Sweep", Collector::Cms),
    (b"G1", Collector::G1),
    (b"Shenandoah", Collector::Shenandoah),
    (b"The Z Garbage Collector", Collector::Zgc),
    (b"Epsilon", Collector::Epsilon),
];

/// The longest list of flags that is kept, in bytes.
const MAX_FLAGS: usize = 16_384;

/// Reads one fact; `None` for any other message.
///
/// # Source
///
/// `src/hotspot/share/gc/shared/gcInitLogger.cpp`, and `CollectedHeap::initialize` for `Using`.
pub(crate) fn parse(message: &[u8]) -> Option<InitFact> {
    if let Some(collector) = message.strip_prefix(b"Using ") {
        let known = COLLECTORS.iter().find(|(name, _)| *name == collector)?;
        return Some(InitFact::Collector(known.1));
    }
    // Names of facts have one colon, and a search for one byte needs no preparation.
    let colon = memchr(b':', message).filter(|at| message.get(at + 1) == Some(&b' '))?;
    let (key, value) = (&message[..colon], &message[colon + 2..]);
    match key {
        b"Version" => Some(InitFact::Version(version(value))),
        b"CPUs" => cpus(value),
        b"Memory" => whole_size(value).map(InitFact::MemoryBytes).or_else(|| swap(value)),
        b"Parallel Workers" => whole_number(value).map(InitFact::ParallelWorkers),
        b"Concurrent Workers" => whole_number(value).map(InitFact::ConcurrentWorkers),
        b"Heap Region Size" | b"Heap region size" => {
            whole_size(value).map(InitFact::RegionSizeBytes)
        }
        // The second is that of ZGC.
        b"Heap Max Capacity" | b"Max Capacity" => whole_size(value).map(InitFact::MaxHeapBytes),
        b"Pre-touch" => switch(value).map(InitFact::PreTouch),
        // Explicit ones are taken at the start, and never made in a pause.
        b"Large Page Support" => {
            let is_asked_for = value == b"Enabled (Transparent)";
            (is_asked_for || switch(value).is_some() || value == b"Enabled (Explicit)")
                .then_some(InitFact::TransparentHugePages(is_asked_for))
        }
        b"CommandLine flags" | b"jvm_args" => Some(InitFact::Flags(flags(value))),
        _ => None,
    }
}

/// `17.0.15+6-LTS (release)`, without the kind of build.
fn version(text: &[u8]) -> Box<str> {
    let end = memmem::find(text, b" (").unwrap_or(text.len());
    name(&text[..end])
}

/// The command line, bounded: it has the size of a program's arguments.
fn flags(text: &[u8]) -> Box<str> {
    String::from_utf8_lossy(&text[..text.len().min(MAX_FLAGS)]).trim_end().into()
}

/// `4k page, physical 24680000k(1234k free), swap 2097148k(2097140k free)` (tag `os`).
fn swap(text: &[u8]) -> Option<InitFact> {
    let at = memmem::find(text, b", swap ")?;
    let (total_k, rest) = integer(&text[at + b", swap ".len()..])?;
    let (free_k, rest) = integer(rest.strip_prefix(b"k(")?)?;
    rest.starts_with(b"k free)").then_some(())?;
    let bytes = |kilobytes: u64| kilobytes.checked_mul(1024);
    Some(InitFact::Swap { total_bytes: bytes(total_k)?, free_bytes: bytes(free_k)? })
}

/// `2 total, 2 available`.
fn cpus(text: &[u8]) -> Option<InitFact> {
    let (total, rest) = integer(text)?;
    let (available, rest) = integer(rest.strip_prefix(b" total, ")?)?;
    rest.starts_with(b" available").then_some(())?;
    let narrow = |count| u32::try_from(count).ok();
    Some(InitFact::Cpus { total: narrow(total)?, available: narrow(available)? })
}

fn switch(text: &[u8]) -> Option<bool> {
    match text {
        b"Enabled" => Some(true),
        b"Disabled" => Some(false),
        _ => None,
    }
}

fn whole_size(text: &[u8]) -> Option<u64> {
    size_bytes(text).filter(|(_, rest)| rest.is_empty()).map(|(size, _)| size)
}

fn whole_number(text: &[u8]) -> Option<u32> {
    let (number, _) = integer(text).filter(|(_, rest)| rest.is_empty())?;
    u32::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts() {
        let read = |text: &str| parse(text.as_bytes());
        assert_eq!(read("Using G1"), Some(InitFact::Collector(Collector::G1)));
        assert_eq!(read("Using 2 workers of 2"), None);
        assert_eq!(
            read("Version: 17.0.15+6-Debian-1deb12u1 (release)"),
            Some(InitFact::Version("17.0.15+6-Debian-1deb12u1".into()))
        );
        assert_eq!(
            read("CPUs: 12 total, 2 available"),
            Some(InitFact::Cpus { total: 12, available: 2 })
        );
        assert_eq!(read("Memory: 24103M"), Some(InitFact::MemoryBytes(24_103 << 20)));
        assert_eq!(read("Parallel Workers: 2"), Some(InitFact::ParallelWorkers(2)));
        assert_eq!(read("Heap region size: 1M"), Some(InitFact::RegionSizeBytes(1 << 20)));
        assert_eq!(read("Memory: 24103"), None, "cut short");
        assert_eq!(read("Pre-touch: Enabled"), Some(InitFact::PreTouch(true)));
        assert_eq!(read("Pre-touch: Disabled"), Some(InitFact::PreTouch(false)));
        assert_eq!(read("Pre-touch: Perhaps"), None);
        let asks = |it| read(it) == Some(InitFact::TransparentHugePages(true));
        let asks_not = |it| read(it) == Some(InitFact::TransparentHugePages(false));
        assert!(asks("Large Page Support: Enabled (Transparent)"));
        assert!(asks_not("Large Page Support: Enabled (Explicit)"));
        assert!(asks_not("Large Page Support: Disabled"));
        assert_eq!(read("NUMA Support: Disabled"), None);
        assert_eq!(read("Max Capacity: 64M"), Some(InitFact::MaxHeapBytes(64 << 20)));
        assert_eq!(
            read("CommandLine flags: -XX:+UseG1GC -XX:MaxHeapSize=33554432 "),
            Some(InitFact::Flags("-XX:+UseG1GC -XX:MaxHeapSize=33554432".into()))
        );
        assert_eq!(
            read("Memory: 4k page, physical 2k(1k free), swap 2097148k(2097140k free)"),
            Some(InitFact::Swap { total_bytes: 2_097_148 << 10, free_bytes: 2_097_140 << 10 })
        );
    }
}
