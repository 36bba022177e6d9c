//! Where a background thread leaves its facts until the session takes them.
//!
//! The lock is only ever held to move rows, never while something is read, so taking is quick
//! even when the thread behind it waits for a dead disk.
use recording::{
    CgroupFact, ClockOffset, Coverage, CpuUserFact, Facts, FileFact, HostFact, JvmFact, LogLine,
    MemoryFact, OutputFact, OutputReaderFact, PerfCounterFact, Sample, Source, SourceState,
    WriterFact,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One row of any table that a background thread fills.
#[derive(Debug)]
pub(crate) enum Row {
    Jvm(Box<JvmFact>),
    Host(Box<HostFact>),
    Clock(ClockOffset),
    File(FileFact),
    Line(LogLine),
    Sample(Sample),
    Writer(WriterFact),
    Cgroup(Box<CgroupFact>),
    Memory(MemoryFact),
    CpuUser(CpuUserFact),
    Counter(PerfCounterFact),
    Output(OutputFact),
    OutputReader(OutputReaderFact),
}

impl Row {
    /// Roughly what it occupies.
    fn bytes(&self) -> usize {
        let text = match self {
            Row::Jvm(_) | Row::Host(_) | Row::Clock(_) | Row::Cgroup(_) => 0,
            Row::File(it) => it.path.len() + it.mount_point.len(),
            Row::Line(it) => it.text.len(),
            Row::Sample(it) => it.counter.len(),
            Row::Writer(it) => it.command_line.len() + it.cgroup.len() + it.path.len(),
            Row::Memory(it) => it.command_line.len() + it.cgroup.len() + it.name.len(),
            Row::CpuUser(it) => it.command_line.len() + it.cgroup.len() + it.name.len(),
            Row::Counter(it) => it.name.len(),
            Row::Output(it) => it.name.len() + it.hidden.len(),
            Row::OutputReader(it) => it.name.len() + it.command_line.len() + it.cgroup.len(),
        };
        text + size_of::<Row>()
    }
}

/// Facts, states of sources and notes of one thread, bounded in size.
#[derive(Debug)]
pub(crate) struct Outbox {
    limit_bytes: usize,
    content: Mutex<Content>,
}

#[derive(Debug, Default)]
struct Content {
    facts: Facts,
    bytes: usize,
    coverage: Coverage,
}

impl Outbox {
    pub(crate) fn new(limit_bytes: usize) -> Outbox {
        Outbox { limit_bytes, content: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Content> {
        // A thread that panicked while it moved rows left at worst a row too few.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves rows. What does not fit any more is dropped and counted under `item`.
    pub(crate) fn push(&self, item: &str, rows: impl IntoIterator<Item = Row>) {
        let mut content = self.lock();
        let mut dropped = 0;
        for row in rows {
            let bytes = row.bytes();
            if content.bytes + bytes > self.limit_bytes {
                dropped += 1;
                continue;
            }
            content.bytes += bytes;
            let facts = &mut content.facts;
            match row {
                Row::Jvm(it) => facts.jvm = Some(*it),
                Row::Host(it) => facts.host = Some(*it),
                Row::Clock(it) => facts.clocks.push(it),
                Row::File(it) => facts.files.push(it),
                Row::Line(it) => facts.log_lines.push(it),
                Row::Sample(it) => facts.samples.push(it),
                Row::Writer(it) => facts.writers.push(it),
                Row::Cgroup(it) => facts.cgroup = Some(*it),
                Row::Memory(it) => facts.memory.push(it),
                Row::CpuUser(it) => facts.cpu_users.push(it),
                Row::Counter(it) => facts.perf_counters.push(it),
                Row::Output(it) => facts.outputs.push(it),
                Row::OutputReader(it) => facts.output_readers.push(it),
            }
        }
        if dropped > 0 {
            content.coverage.lost_rows += dropped;
            content.coverage.note(item, "dropped, because they were not taken in time", dropped);
        }
    }

    /// Says whether a source runs.
    pub(crate) fn state(&self, source: Source, state: SourceState) {
        self.lock().coverage.sources.insert(source, state);
    }

    /// Counts something worth saying.
    pub(crate) fn note(&self, item: &str, message: &str, count: u64) {
        self.lock().coverage.note(item, message, count);
    }

    /// Moves everything into `facts` and `coverage`.
    pub(crate) fn take(&self, facts: &mut Facts, coverage: &mut Coverage) {
        let content = std::mem::take(&mut *self.lock());
        facts.append(content.facts);
        coverage.sources.extend(content.coverage.sources);
        coverage.lost_rows += content.coverage.lost_rows;
        for note in content.coverage.notes {
            coverage.note(&note.item, &note.message, note.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::MonoTime;

    fn line(text: &str) -> Row {
        Row::Line(LogLine { read: MonoTime(1), offset: 0, text: text.into() })
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let outbox = Outbox::new(2 * size_of::<Row>() + 4);
        outbox.push("gc log lines", [line("ab"), line("cd"), line("ef")]);
        let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
        outbox.take(&mut facts, &mut coverage);
        assert_eq!(facts.log_lines.len(), 2);
        assert_eq!(coverage.lost_rows, 1);

        outbox.push("gc log lines", [line("ef")]);
        outbox.take(&mut facts, &mut coverage);
        assert_eq!(facts.log_lines.len(), 3, "room again after taking");
    }
}
