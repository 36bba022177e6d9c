//! One thread's files, held open, so thin a sample at it is one read.
use super::{
    text::{self, Counted},
    track::{Seen, Why},
};
use crate::host::ProcessDir;
use rustix::io::pread;
use std::fs::File;

/// More than any of these files is long as far as it matters.
const BYTES: usize = 512;

/// A thread of the JVM.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) tid: u32,
    counted: File,
    /// Opened when it is first wanted.
    stat: Option<File>,
}

impl Task {
    /// `None` where the thread is gone.
    pub(crate) fn open(dir: &ProcessDir, tid: u32) -> Option<Task> {
        let counted = dir.file(&format!("task/{tid}/schedstat")).ok()?;
        Some(Task { tid, counted, stat: None })
    }

    /// What the scheduler has counted so far. `None` where the thread is gone.
    pub(crate) fn counted(&self) -> Option<Counted> {
        let mut bytes = [0; BYTES];
        Counted::parse(read(&self.counted, &mut bytes)?)
    }

    /// In which state it is now, and why. Costs several reads where that says something. `asks`
    /// whether a thread that sleeps does so in a write: one more read of each that sleeps.
    pub(crate) fn seen(&mut self, dir: &ProcessDir, asks: bool) -> Option<Seen> {
        let mut bytes = [0; BYTES];
        if self.stat.is_none() {
            self.stat = dir.file(&format!("task/{}/stat", self.tid)).ok();
        }
        let letter = text::state(read(self.stat.as_ref()?, &mut bytes)?)?;
        Some(match letter {
            b'R' => Seen::Wants,
            b'D' => Seen::Blocked(self.why(dir)),
            b'T' | b't' => Seen::Stopped(self.why(dir)),
            b'S' if asks && self.sleeps_in_write(dir) => match self.why(dir) {
                why if text::waits_for_reader(why.entered) => Seen::Blocked(why),
                _ => Seen::Sleeps,
            },
            _ => Seen::Sleeps,
        })
    }

    /// A full pipe, terminal or socket is waited for in a sleep that a signal ends, as work is.
    fn sleeps_in_write(&self, dir: &ProcessDir) -> bool {
        let mut bytes = [0; BYTES];
        let wchan = dir.file(&format!("task/{}/wchan", self.tid)).ok();
        let function = wchan.and_then(|it| text::function(read(&it, &mut bytes)?));
        function.is_some_and(|it| text::WRITES.contains(&it.as_str()))
    }

    /// What it is blocked in, as far as one may know: `syscall` needs the rights of a tracer,
    /// `wchan` those of a reader.
    pub(crate) fn why(&self, dir: &ProcessDir) -> Why {
        let mut bytes = [0; BYTES];
        let mut of = |name: &str| {
            let file = dir.file(&format!("task/{}/{name}", self.tid)).ok()?;
            let length = read(&file, &mut bytes)?.len();
            Some(bytes[..length].to_vec())
        };
        let entered = of("syscall").and_then(|it| text::entered(&it));
        let function = of("wchan").and_then(|it| text::function(&it));
        Why {
            entered: entered.map(|it| it.0),
            first: entered.and_then(|it| it.1),
            function,
            frozen: false,
        }
    }
}

/// What a file says now. `None` where the thread is gone.
fn read<'a>(file: &File, bytes: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = pread(file, &mut *bytes, 0).ok()?;
    Some(&bytes[..length])
}
