//! Where the ring buffer's records go: cheap for those that may be thrown away unread.
use super::{
    record::{End, Record},
    runs::Runs,
    slices::RawRecords,
    windows::Windows,
};
use recording::{CodeFact, MonoTime};

/// Exited writers kept until the session takes them; a fork bomb of them must not fill memory.
const MAX_WRITERS: usize = 4096;
/// Likewise of the code of late threads: some minutes of one.
const MAX_CODE: usize = 65_536;

/// A process that had written at least 1 MiB when it exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExitedWriter {
    /// When it exited.
    pub(crate) at: MonoTime,
    /// Its id.
    pub(crate) pid: u32,
    /// The parent process, which gets its SIGCHLD.
    pub(crate) parent: u32,
    /// Its name (`comm`).
    pub(crate) name: String,
    /// Bytes it had sent towards storage over its whole life: `write_bytes` less
    /// `cancelled_write_bytes` of `/proc/PID/io`.
    pub(crate) bytes: u64,
}

/// What came and was not dealt with yet.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    pub(crate) windows: Windows,
    pub(crate) raw: RawRecords,
    pub(crate) runs: Runs,
    pub(crate) writers: Vec<ExitedWriter>,
    pub(crate) code: Vec<CodeFact>,
    /// The thread that fired the probes last.
    pub(crate) vm_tid: u32,
    /// Records that were not understood or did not fit.
    lost: u64,
}

impl Inbox {
    /// For a JVM that may run on these CPUs.
    pub(crate) fn of(cpus: &[i32]) -> Inbox {
        Inbox { runs: Runs::on(cpus), ..Inbox::default() }
    }

    /// Takes one record from the ring buffer.
    pub(crate) fn receive(&mut self, data: &[u8]) {
        let Some(record) = Record::parse(data) else {
            self.lost += 1;
            return;
        };
        match record {
            Record::Slice(bytes) | Record::Work(bytes) => self.raw.push(bytes),
            Record::Writer { pid, parent, at, bytes, name } => {
                if self.writers.len() < MAX_WRITERS {
                    self.writers.push(ExitedWriter { at, pid, parent, name: name.into(), bytes });
                } else {
                    self.lost += 1;
                }
            }
            Record::Code { tid, at, address } => {
                if self.code.len() < MAX_CODE {
                    self.code.push(CodeFact { tid, at, address, method: String::new() });
                } else {
                    self.lost += 1;
                }
            }
            Record::Run(run) => self.runs.push(&run),
            Record::Begin { vm_tid, .. } | Record::End(End { vm_tid, .. }) => {
                self.vm_tid = vm_tid;
                self.windows.receive(&record);
            }
            Record::Operation { .. } | Record::Wake { .. } => self.windows.receive(&record),
        }
    }

    /// Records lost on this side of the ring buffer.
    pub(crate) fn lost(&self) -> u64 {
        self.lost + self.raw.lost() + self.runs.lost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_records_are_counted_as_lost() {
        let mut inbox = Inbox::default();
        inbox.receive(&[]);
        inbox.receive(&[0xff; 500]);
        assert_eq!(inbox.lost(), 2);
    }

    #[test]
    fn writers_are_bounded() {
        let mut record = vec![0; 48];
        record[..2].copy_from_slice(&7u16.to_ne_bytes());
        let mut inbox = Inbox::default();
        for _ in 0..MAX_WRITERS + 2 {
            inbox.receive(&record);
        }
        assert_eq!((inbox.writers.len(), inbox.lost()), (MAX_WRITERS, 2));
    }
}
