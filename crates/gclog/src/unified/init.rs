//! What a JVM says about itself at its start (tags `gc` and `gc,init`).
use crate::{
    Collector, JvmFact,
    scan::{integer, name, size_bytes},
};
use memchr::memmem;

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

/// Reads one fact; `None` for any other message.
///
/// # Source
///
/// `src/hotspot/share/gc/shared/gcInitLogger.cpp`, and `CollectedHeap::initialize` for `Using`.
pub(crate) fn parse(message: &[u8]) -> Option<JvmFact> {
    if let Some(collector) = message.strip_prefix(b"Using ") {
        let known = COLLECTORS.iter().find(|(name, _)| *name == collector)?;
        return Some(JvmFact::Collector(known.1));
    }
    let colon = memmem::find(message, b": ")?;
    let (key, value) = (&message[..colon], &message[colon + 2..]);
    match key {
        b"Version" => Some(JvmFact::Version(version(value))),
        b"CPUs" => cpus(value),
        b"Memory" => whole_size(value).map(JvmFact::MemoryBytes),
        b"Parallel Workers" => whole_number(value).map(JvmFact::ParallelWorkers),
        b"Concurrent Workers" => whole_number(value).map(JvmFact::ConcurrentWorkers),
        b"Heap Region Size" | b"Heap region size" => {
            whole_size(value).map(JvmFact::RegionSizeBytes)
        }
        b"Heap Max Capacity" => whole_size(value).map(JvmFact::MaxHeapBytes),
        _ => None,
    }
}

/// `17.0.15+6-LTS (release)`, without the kind of build.
fn version(text: &[u8]) -> Box<str> {
    let end = memmem::find(text, b" (").unwrap_or(text.len());
    name(&text[..end])
}

/// `2 total, 2 available`.
fn cpus(text: &[u8]) -> Option<JvmFact> {
    let (total, rest) = integer(text)?;
    let (available, rest) = integer(rest.strip_prefix(b" total, ")?)?;
    rest.starts_with(b" available").then_some(())?;
    let narrow = |count| u32::try_from(count).ok();
    Some(JvmFact::Cpus { total: narrow(total)?, available: narrow(available)? })
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
        assert_eq!(read("Using G1"), Some(JvmFact::Collector(Collector::G1)));
        assert_eq!(read("Using 2 workers of 2"), None);
        assert_eq!(
            read("Version: 17.0.15+6-Debian-1deb12u1 (release)"),
            Some(JvmFact::Version("17.0.15+6-Debian-1deb12u1".into()))
        );
        assert_eq!(
            read("CPUs: 12 total, 2 available"),
            Some(JvmFact::Cpus { total: 12, available: 2 })
        );
        assert_eq!(read("Memory: 24103M"), Some(JvmFact::MemoryBytes(24_103 << 20)));
        assert_eq!(read("Parallel Workers: 2"), Some(JvmFact::ParallelWorkers(2)));
        assert_eq!(read("Heap region size: 1M"), Some(JvmFact::RegionSizeBytes(1 << 20)));
        assert_eq!(read("Memory: 24103"), None, "cut short");
        assert_eq!(read("NUMA Support: Disabled"), None);
    }
}
