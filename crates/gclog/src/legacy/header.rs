//! The first lines of a log: version, memory and flags of the JVM.
use super::{Legacy, Out, find::find};
use crate::{
    Collector, Event, InitFact, JvmEvent, Stamp,
    scan::{integer, name},
};
use memchr::memchr;

/// The longest list of flags kept, in bytes.
const MAX_FLAGS: usize = 8 << 10;

/// Flags that say which collector it is. `-XX:+UseParNewGC` alone is Serial with several threads.
const COLLECTORS: [(&[u8], Collector); 6] = [
    (b"+UseG1GC", Collector::G1),
    (b"+UseConcMarkSweepGC", Collector::Cms),
    (b"+UseParallelGC", Collector::Parallel),
    (b"+UseParallelOldGC", Collector::Parallel),
    (b"+UseSerialGC", Collector::Serial),
    (b"+UseShenandoahGC", Collector::Shenandoah),
];

impl Legacy {
    /// Reads a line of the header, if it is one.
    pub(super) fn header(&mut self, line: &[u8], out: Out<'_>) -> bool {
        match line.first() {
            Some(b'J' | b'O') => self.version(line, out),
            Some(b'M') => memory(line, &mut |fact| self.fact(fact, out)).is_some(),
            Some(b'C') => self.flags(line, out),
            _ => false,
        }
    }

    fn fact(&mut self, fact: InitFact, out: Out<'_>) {
        self.active = true;
        self.emit(Event::Jvm(JvmEvent { stamp: Stamp::default(), fact }), out);
    }

    /// A JVM starts, or a rotated log begins. Logs are rotated between records, but a concurrent
    /// cycle may go on.
    fn version(&mut self, line: &[u8], out: Out<'_>) -> bool {
        let Some(version) = version(line) else { return false };
        self.abandon();
        self.release_held(out);
        self.collector = None;
        self.fact(InitFact::Version(version), out);
        true
    }

    fn flags(&mut self, line: &[u8], out: Out<'_>) -> bool {
        let Some(flags) = line.strip_prefix(b"CommandLine flags: ") else { return false };
        let flags = flags.trim_ascii();
        let kept = String::from_utf8_lossy(&flags[..flags.len().min(MAX_FLAGS)]);
        self.fact(InitFact::Flags(kept.into_owned().into_boxed_str()), out);
        for flag in flags.split(|&byte| byte == b' ') {
            let flag = flag.strip_prefix(b"-XX:").unwrap_or(flag);
            if let Some((_, collector)) = COLLECTORS.iter().find(|(name, _)| *name == flag) {
                self.collector = Some(*collector);
                self.fact(InitFact::Collector(*collector), out);
            }
            if let Some(fact) = number(flag) {
                self.fact(fact, out);
            }
        }
        true
    }
}

/// `Java HotSpot(TM) 64-Bit Server VM (25.40-b25) for linux-amd64 JRE (1.8.0_40-b26), built on …`.
///
/// # Source
///
/// `gcLogFileStream::dump_loggc_header` in HotSpot `utilities/ostream.cpp`, for all three lines.
fn version(line: &[u8]) -> Option<Box<str>> {
    find(line, b" VM (")?;
    let start = find(line, b" JRE (")? + 6;
    let end = memchr(b')', &line[start..])?;
    Some(name(&line[start..start + end]))
}

/// `Memory: 4k page, physical 16336452k(10933564k free), swap 10485752k(10465616k free)`.
fn memory(line: &[u8], each: &mut dyn FnMut(InitFact)) -> Option<()> {
    line.strip_prefix(b"Memory: ")?;
    let after = |key: &[u8]| Some(&line[find(line, key)? + key.len()..]);
    let (physical, _) = kilobytes(after(b" physical ")?)?;
    each(InitFact::MemoryBytes(physical));
    if let Some((total_bytes, rest)) = after(b" swap ").and_then(kilobytes)
        && let Some((free_bytes, _)) = rest.strip_prefix(b"(").and_then(kilobytes)
    {
        each(InitFact::Swap { total_bytes, free_bytes });
    }
    Some(())
}

fn kilobytes(text: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = integer(text)?;
    Some((number.checked_mul(1 << 10)?, rest.strip_prefix(b"k")?))
}

/// Flags with a number that an event has a place for.
fn number(flag: &[u8]) -> Option<InitFact> {
    let equals = memchr(b'=', flag)?;
    let (number, b"") = integer(&flag[equals + 1..])? else { return None };
    let narrow = || u32::try_from(number).ok();
    match &flag[..equals] {
        b"MaxHeapSize" => Some(InitFact::MaxHeapBytes(number)),
        b"G1HeapRegionSize" => Some(InitFact::RegionSizeBytes(number)),
        b"ParallelGCThreads" => narrow().map(InitFact::ParallelWorkers),
        b"ConcGCThreads" => narrow().map(InitFact::ConcurrentWorkers),
        _ => None,
    }
}
