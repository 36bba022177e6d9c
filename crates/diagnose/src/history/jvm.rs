//! The JVM as its log shows it.
use gclog::{Collector, GcEvent, InitFact};
use recording::{JvmFact as Jvm, VmFlags};

/// Flags are kept up to this many; a command line with more is no command line.
const MOST_FLAGS: usize = 512;

/// Facts from the head of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogJvm {
    pub(crate) collector: Option<Collector>,
    pub(crate) version: Box<str>,
    pub(crate) flags: Vec<String>,
    pub(crate) parallel_workers: u32,
    pub(crate) cpus: Option<u32>,
    /// CPUs of the host.
    pub(crate) host_cpus: Option<u32>,
    /// Whether all pages of the heap were touched at the start.
    pub(crate) is_pre_touched: Option<bool>,
    /// Whether it asks for transparent huge pages.
    pub(crate) asks_for_huge_pages: Option<bool>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) concurrent_workers: Option<u32>,
    pub(crate) max_heap_bytes: Option<u64>,
    pub(crate) swap: Option<(u64, u64)>,
    /// Whether the log has the form that JDK 8 and older write.
    pub(crate) is_legacy: bool,
    region_size_bytes: Option<u64>,
}

impl LogJvm {
    pub(crate) fn fact(&mut self, fact: &InitFact) {
        match fact {
            InitFact::Version(version) => self.version = version.clone(),
            InitFact::Collector(collector) => self.collector = Some(*collector),
            InitFact::Cpus { total, available } => {
                (self.host_cpus, self.cpus) = (Some(*total), Some(*available));
            }
            InitFact::PreTouch(is_on) => self.is_pre_touched = Some(*is_on),
            InitFact::TransparentHugePages(is_on) => self.asks_for_huge_pages = Some(*is_on),
            InitFact::ParallelWorkers(workers) => self.parallel_workers = *workers,
            InitFact::RegionSizeBytes(bytes) => self.region_size_bytes = Some(*bytes),
            InitFact::MaxHeapBytes(bytes) => self.max_heap_bytes = Some(*bytes),
            InitFact::Flags(flags) => self.set_flags(flags),
            InitFact::Swap { total_bytes, free_bytes } => {
                self.swap = Some((*total_bytes, *free_bytes));
            }
            InitFact::MemoryBytes(bytes) => self.memory_bytes = Some(*bytes),
            InitFact::ConcurrentWorkers(workers) => self.concurrent_workers = Some(*workers),
        }
    }

    /// A collection may name a collector that the head of the log, which may be missing, did not.
    pub(crate) fn seen(&mut self, gc: &GcEvent) {
        self.collector = self.collector.or(gc.collector);
    }

    /// How many of its GC threads can run at once; 0 where the log does not say.
    pub(crate) fn at_once(&self) -> u32 {
        self.parallel_workers.min(self.cpus.unwrap_or(u32::MAX))
    }

    /// Size of a G1 region: as the log says, or as the flags do.
    pub(crate) fn region_size_bytes(&self) -> Option<u64> {
        self.region_size_bytes
    }

    fn set_flags(&mut self, flags: &str) {
        self.flags = flags.split_whitespace().take(MOST_FLAGS).map(str::to_owned).collect();
        let given = VmFlags(&self.flags);
        self.region_size_bytes = self.region_size_bytes.or(given.number("G1HeapRegionSize"));
        self.max_heap_bytes = self.max_heap_bytes.or(given.max_heap());
        if self.parallel_workers == 0
            && let Some(workers) = given.number("ParallelGCThreads")
        {
            self.parallel_workers = u32::try_from(workers).unwrap_or(u32::MAX);
        }
    }

    /// As the JVM of a recording, for what asks about versions and flags. Its pid is 0: unknown.
    pub(crate) fn as_fact(&self) -> Jvm {
        Jvm {
            version: self.version.to_string(),
            collector: self.collector.map_or_else(String::new, |it| it.id().to_owned()),
            gc_threads: self.parallel_workers,
            flags: self.flags.clone(),
            ..Jvm::default()
        }
    }
}
