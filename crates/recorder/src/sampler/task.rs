//! One thread's files, held open, so that a look at it is one read.
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

    /// In which state it is now, and why. Costs several reads where that says something.
    pub(crate) fn seen(&mut self, dir: &ProcessDir) -> Option<Seen> {
        let mut bytes = [0; BYTES];
        if self.stat.is_none() {
            self.stat = dir.file(&format!("task/{}/stat", self.tid)).ok();
        }
        let letter = text::state(read(self.stat.as_ref()?, &mut bytes)?)?;
        Some(match letter {
            b'R' => Seen::Wants,
            b'D' => Seen::Blocked(self.why(dir)),
            b'T' | b't' => Seen::Stopped(self.why(dir)),
            _ => Seen::Sleeps,
        })
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
