//! What was watched, what was written, what was lost, what could not be read. A new kind of observation is a
//! [`Source`] here.
use std::{collections::BTreeMap, time::Duration};

/// One kind of observation. A cause names the sources it needs; without them it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::VariantArray)]
pub enum Source {
    /// USDT probes `hs_private:safepoint__begin/end` and `hotspot:vmops__begin/end` in libjvm.
    SafepointProbes,
    /// Uprobes on HotSpot functions found in libjvm's symbol table, where it has no USDT.
    SafepointSymbols,
    /// The JVM's GC and safepoint log, tailed while recording or read from a file.
    GcLog,
    /// `sched_switch` and `sched_waking`: what each thread of the JVM did, to the nanosecond.
    Scheduler,
    /// Kernel stacks where a thread blocked in something other than waiting for work.
    KernelStacks,
    /// Pairs of direct-reclaim tracepoints.
    Reclaim,
    /// Pairs of memory-compaction tracepoints.
    Compaction,
    /// Throttled flag of the task and throttled time of its cgroup.
    CpuThrottling,
    /// Which file a page fault waits for: `filemap:mm_filemap_fault`, or the entry of `filemap_fault`
    /// where the kernel lacks it.
    FileFaults,
    /// Bytes written per process, from `/proc/PID/io` and at process exit.
    Writers,
    /// Files behind descriptors and mappings, with their device and file system.
    Files,
    /// Host counters: pressure stall information, disk statistics, memory statistics.
    HostCounters,
    /// State of the JVM's threads, read from `/proc` every few milliseconds: the fallback where
    /// eBPF is not available.
    ThreadSamples,
    /// Page faults on the JVM's file of performance counters, where that is on a disk.
    CounterFaults,
    /// Memory of the processes that use most of it.
    MemoryUsers,
    /// Limits of the JVM's control groups.
    CgroupLimits,
    /// Stops as the JVM itself counts them in its file of performance counters: how long each was,
    /// and within a few milliseconds when.
    SafepointCounters,
    /// The code that threads ran which stopped late, looked at every few milliseconds.
    LateCode,
    /// Whether the JVM was being stopped when the recording began and when it ended, read from its
    /// own memory.
    StopState,
    /// CPU time of the processes that use most of it.
    CpuUsers,
    /// How late a sleeping thread of the recorder is woken that does not wait for a CPU: the host, or its
    /// CPU, stood still.
    Sleeper,
}

impl Source {
    /// All sources, in the order of reports.
    pub const ALL: &'static [Source] = <Source as strum::VariantArray>::VARIANTS;

    /// The name used in tables and in JSON. Never changes once released.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Source::SafepointProbes => "safepoint-probes",
            Source::SafepointSymbols => "safepoint-symbols",
            Source::GcLog => "gc-log",
            Source::Scheduler => "scheduler",
            Source::KernelStacks => "kernel-stacks",
            Source::Reclaim => "reclaim",
            Source::Compaction => "compaction",
            Source::CpuThrottling => "cpu-throttling",
            Source::FileFaults => "file-faults",
            Source::Writers => "writers",
            Source::Files => "files",
            Source::HostCounters => "host-counters",
            Source::ThreadSamples => "thread-samples",
            Source::CounterFaults => "counter-faults",
            Source::MemoryUsers => "memory-users",
            Source::CgroupLimits => "cgroup-limits",
            Source::SafepointCounters => "safepoint-counters",
            Source::LateCode => "late-code",
            Source::StopState => "stop-state",
            Source::CpuUsers => "cpu-users",
            Source::Sleeper => "sleeper",
        }
    }

    /// What it is, for people: a few words for the middle of a sentence.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Source::SafepointProbes => "safepoint probes of the JVM (USDT)",
            Source::SafepointSymbols => "safepoint functions of the JVM (uprobes)",
            Source::GcLog => "the GC log",
            Source::Scheduler => "the kernel's scheduler events (eBPF)",
            Source::KernelStacks => "kernel stacks (eBPF)",
            Source::Reclaim => "the kernel's reclaim tracepoints (eBPF)",
            Source::Compaction => "the kernel's compaction tracepoints (eBPF)",
            Source::CpuThrottling => "CFS throttling of the control group",
            Source::FileFaults => "files of page faults (eBPF)",
            Source::Writers => "bytes written by each process",
            Source::Files => "open and mapped files",
            Source::HostCounters => "counters of the host",
            Source::ThreadSamples => "samples of the threads (/proc)",
            Source::CounterFaults => "page faults on hsperfdata (eBPF)",
            Source::MemoryUsers => "memory of other processes",
            Source::CgroupLimits => "limits of the control groups",
            Source::SafepointCounters => "the JVM's own counters of stops (hsperfdata)",
            Source::LateCode => "code of late threads",
            Source::StopState => "the JVM's safepoint state",
            Source::CpuUsers => "CPU time of other processes",
            Source::Sleeper => "late wake-ups of the recorder",
        }
    }

    /// The source with this [`id`](Source::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<Source> {
        Source::ALL.iter().copied().find(|source| source.id() == id)
    }
}

/// Whether a source ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// It ran for the whole recording.
    Recorded,
    /// It did not run, or stopped early. The reason is one lower-case line.
    Missing(String),
    /// It ran, and part of what it recorded is damaged, lost or gone: what is left may be used, and
    /// what is not there says nothing. The reason is one lower-case line. Found on reading, never
    /// written.
    Partial(String),
}

/// Something a reader of the recording should know: a loss, a doubt, a part left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// What was read or done, such as a file, table or step.
    pub item: String,
    /// What happened to it; lower case, one line.
    pub message: String,
    /// How often.
    pub count: u64,
}

/// The message of a note that there were more stalls of threads than there was room for.
pub const DROPPED_STALLS: &str = "stalls of threads dropped: over budget";

/// Which sources ran, what was lost, what could not be read, and what the recorder itself cost.
///
/// Counters are sums over the whole recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// State of each source that was asked for. A source that is not here was not asked for.
    pub sources: BTreeMap<Source, SourceState>,
    /// Events the kernel could not hand over (ring buffer full).
    pub lost_events: u64,
    /// Kernel stacks that could not be taken (hash collision, map full).
    pub lost_stacks: u64,
    /// Rows the writer had to drop because it could not keep up or the recording was full.
    pub lost_rows: u64,
    /// Context switches of the JVM that were seen.
    pub switches: u64,
    /// In-kernel run time of the recorder's programs, where the kernel measures it
    /// (`kernel.bpf_stats_enabled` or the file-descriptor scoped switch).
    pub kernel_time: Option<Duration>,
    /// CPU time of the recorder's own process.
    pub recorder_cpu: Duration,
    /// Largest resident memory of the recorder's own process, in bytes.
    pub recorder_rss_bytes: u64,
    /// CPU time of the JVM while it was recorded.
    pub jvm_cpu: Duration,
    /// How long was recorded.
    pub recorded: Duration,
    /// From how long on the stalls of threads were recorded; `None` where they were not.
    pub stalls_over: Option<Duration>,
    /// Why the recording ended, for people: `duration elapsed`, `the JVM exited`, …
    /// Empty where the recorder was killed.
    pub end: String,
    /// Everything else worth saying.
    pub notes: Vec<Note>,
    /// How many rows each table had when this was written; set by the writer, and taken out by
    /// [`Recording::open`](crate::Recording::open) when it has compared them with what is there.
    pub manifest: Option<Manifest>,
}

impl Coverage {
    /// How many stalls of threads were not recorded, for want of room.
    #[must_use]
    pub fn dropped_stalls(&self) -> u64 {
        self.notes.iter().filter(|it| it.message == DROPPED_STALLS).map(|it| it.count).sum()
    }

    /// Whether `source` ran for the whole recording.
    #[must_use]
    pub fn has(&self, source: Source) -> bool {
        matches!(self.sources.get(&source), Some(SourceState::Recorded))
    }

    /// Whether `source` ran, even where part of what it recorded is gone.
    #[must_use]
    pub fn ran(&self, source: Source) -> bool {
        self.has(source) || matches!(self.sources.get(&source), Some(SourceState::Partial(_)))
    }

    /// Why part of what was recorded is not there; `None` where all of it is, as far as is known.
    #[must_use]
    pub fn incomplete(&self) -> Option<&str> {
        self.sources.values().find_map(|state| match state {
            SourceState::Partial(why) => Some(why.as_str()),
            _ => None,
        })
    }

    /// Adds `count` to the note with this item and message, creating it where there is none.
    pub fn note(&mut self, item: &str, message: &str, count: u64) {
        match self.notes.iter_mut().find(|note| note.item == item && note.message == message) {
            Some(note) => note.count += count,
            None => self.notes.push(Note { item: item.into(), message: message.into(), count }),
        }
    }
}

/// Rows of one table, as its writer counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRows {
    /// Rows written.
    pub rows: u64,
    /// Rows that could not be written: the recording was full, or the system refused.
    pub lost: u64,
    /// Number of the part with the first row.
    pub first_part: u32,
    /// Number of the part with the last row.
    pub last_part: u32,
}

impl TableRows {
    /// Counts rows that were written into the part of this number.
    pub(crate) fn add(&mut self, rows: u64, part: u32) {
        if self.rows == 0 {
            self.first_part = part;
        }
        self.rows += rows;
        self.last_part = part;
    }
}

/// Rows of each table that has any, by the table's name.
pub type Manifest = BTreeMap<&'static str, TableRows>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_finds_its_source() {
        for &source in Source::ALL {
            assert_eq!(Source::from_id(source.id()), Some(source));
        }
        assert_eq!(Source::from_id("moon-phase"), None);
    }

    #[test]
    fn a_source_not_asked_for_is_not_recorded() {
        assert!(!Coverage::default().has(Source::GcLog));
    }
}
