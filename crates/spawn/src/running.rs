//! A child that was started.
use crate::{Error, child_side};
use rustix::{
    fs::MemfdFlags,
    process::{Pid, Signal, WaitId, WaitIdOptions},
};
use std::{
    fs::File,
    io::{self, Seek, Write},
    os::unix::{fs::FileExt, process::CommandExt},
    process::{Child, ChildStdin, Command, ExitStatus},
    time::{Duration, Instant},
};

/// How long a killed process is waited for. One that is blocked in the kernel ends only when that
/// ends; it is then left to its reaper.
const REAP_PATIENCE: Duration = Duration::from_secs(5);

/// How often a child is polled. Its end is noticed this much later, at most.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What ends together with a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// All of its process group, and with the value.
    Group,
    /// All of its process group, and only when that is asked for.
    Outliving,
}

/// A child of this process. It is killed with this value, and so is what it started, unless it was
/// started to [outlive](Running::start_outliving) it.
#[derive(Debug)]
pub struct Running {
    name: String,
    child: Child,
    reach: Reach,
    /// Where standard output and error go, if they are kept in memory.
    heard: Option<[File; 2]>,
    status: Option<ExitStatus>,
    /// It was killed and waited for in vain.
    given_up: bool,
}

impl Running {
    /// Starts `command` with the standard input, output and error that it has.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn start(mut command: Command) -> Result<Running, Error> {
        command.process_group(0);
        child_side::die_with_parent(&mut command);
        Running::spawn(command, Reach::Group, None)
    }

    /// The same with its standard output and error kept in memory, to be read at any time. Neither
    /// can be full, and a process that still holds them delays no thread.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn start_heard(mut command: Command) -> Result<Running, Error> {
        let heard = (|| {
            let files = [memory_file()?, memory_file()?];
            command.stdout(files[0].try_clone()?).stderr(files[1].try_clone()?);
            Ok(files)
        })();
        let heard = heard.map_err(|source| Error::Start { program: name(&command), source })?;
        command.process_group(0);
        child_side::die_with_parent(&mut command);
        Running::spawn(command, Reach::Group, Some(heard))
    }

    /// The same with only its standard output kept in memory; its standard error is what `command` has.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn start_answering(mut command: Command) -> Result<Running, Error> {
        let heard = memory_file().and_then(|file| {
            command.stdout(file.try_clone()?);
            Ok([file, memory_file()?])
        });
        let heard = heard.map_err(|source| Error::Start { program: name(&command), source })?;
        command.process_group(0);
        child_side::die_with_parent(&mut command);
        Running::spawn(command, Reach::Group, Some(heard))
    }

    /// The same with these bytes as its standard input, from a file in memory: what never reads them delays
    /// no thread.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn start_fed(mut command: Command, input: &[u8]) -> Result<Running, Error> {
        let fed = (|| {
            let mut file = memory_file()?;
            file.write_all(input)?;
            file.rewind()?;
            command.stdin(file);
            Ok(())
        })();
        fed.map_err(|source| Error::Start { program: name(&command), source })?;
        Running::start(command)
    }

    /// Starts `command` in a session of its own, in which neither the end of this process nor a
    /// signal to its process group reaches it. It is not killed with this value.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn start_outliving(mut command: Command) -> Result<Running, Error> {
        child_side::begin_session(&mut command);
        Running::spawn(command, Reach::Outliving, None)
    }

    #[allow(clippy::disallowed_methods, reason = "this is the place")]
    fn spawn(
        mut command: Command,
        reach: Reach,
        heard: Option<[File; 2]>,
    ) -> Result<Running, Error> {
        child_side::close_others(&mut command);
        let name = name(&command);
        match command.spawn() {
            Ok(child) => Ok(Running { name, child, reach, heard, status: None, given_up: false }),
            Err(source) => Err(Error::Start { program: name, source }),
        }
    }

    /// Process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its program, as it was called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its standard input can be written to, if that is a pipe; for the first who asks.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// What it has written so far to its standard output, if that is kept in memory.
    #[must_use]
    pub fn stdout(&self) -> Vec<u8> {
        self.heard.as_ref().map(|it| whole(&it[0])).unwrap_or_default()
    }

    /// What it has written so far to its standard error, if that is kept in memory.
    #[must_use]
    pub fn stderr(&self) -> Vec<u8> {
        self.heard.as_ref().map(|it| whole(&it[1])).unwrap_or_default()
    }

    /// How it ended, if it has ended. What else is in its process group is killed then.
    ///
    /// # Errors
    /// [`Error::Wait`] where the kernel does not say.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.poll_exit().map_err(|source| Error::Wait { program: self.name.clone(), source })
    }

    fn poll_exit(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_some() {
            return Ok(self.status);
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let id = Pid::from_child(&self.child);
        let waited =
            rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(id), options));
        if waited?.is_none() {
            return Ok(None);
        }
        if self.reach == Reach::Group {
            // before it is reaped: until then the number of the group is nobody else's
            self.signal(Signal::KILL);
        }
        self.status = self.child.try_wait()?;
        Ok(self.status)
    }

    /// Waits for its end. Where that does not come within `limit`, it is killed.
    ///
    /// # Errors
    /// [`Error::Late`] then, and [`Error::Wait`] where the kernel does not say.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus, Error> {
        match self.ends_within(limit)? {
            Some(status) => Ok(status),
            None => Err(self.late("end", limit)),
        }
    }

    /// How it ended, if it ends within `limit`.
    ///
    /// # Errors
    /// [`Error::Wait`] where the kernel does not say.
    pub fn ends_within(&mut self, limit: Duration) -> Result<Option<ExitStatus>, Error> {
        let until = Instant::now() + limit;
        loop {
            let ended = self.ended()?;
            if ended.is_some() || Instant::now() >= until {
                return Ok(ended);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until a line of its standard output, which is kept in memory, has this in it, and
    /// returns the line. Where none has within `limit`, the child is killed.
    ///
    /// # Errors
    /// [`Error::Late`] then; [`Error::Ended`] where it ends before.
    pub fn says(&mut self, words: &str, limit: Duration) -> Result<String, Error> {
        let until = Instant::now() + limit;
        let what = || format!("say `{words}`");
        loop {
            // in this order: its last words come before its end
            let ended = self.ended()?;
            let text = String::from_utf8_lossy(&self.stdout()).into_owned();
            let mut lines = text.split_inclusive('\n').filter_map(|it| it.strip_suffix('\n'));
            if let Some(line) = lines.find(|it| it.contains(words)) {
                return Ok(line.to_owned());
            }
            if let Some(status) = ended {
                let said = String::from_utf8_lossy(&self.stderr()).into_owned();
                return Err(Error::Ended {
                    program: self.name.clone(),
                    what: what(),
                    status,
                    said,
                });
            }
            if Instant::now() >= until {
                return Err(self.late(&what(), limit));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn late(&mut self, what: &str, limit: Duration) -> Error {
        self.kill();
        Error::Late { program: self.name.clone(), what: what.to_owned(), limit }
    }

    /// Asks the child, and it alone, to end (SIGTERM).
    pub fn terminate(&mut self) {
        self.signal_it_alone(Signal::TERM);
    }

    /// Sends the child, and it alone, a signal whose meaning is its own (SIGUSR1).
    pub fn wish(&mut self) {
        self.signal_it_alone(Signal::USR1);
    }

    fn signal_it_alone(&mut self, signal: Signal) {
        if matches!(self.poll_exit(), Ok(None)) {
            // not reaped yet, so the id is still this child's
            let _ = rustix::process::kill_process(Pid::from_child(&self.child), signal);
        }
    }

    /// Asks it to end (SIGTERM) and kills it after `patience`. How it ended; `None` where even a
    /// kill did not end it within `patience` more.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.terminate();
        match self.ends_within(patience) {
            Ok(Some(status)) => Some(status),
            _ => self.kill_within(patience),
        }
    }

    /// Kills it and, where it has a process group of its own, all of that, and waits for its end
    /// for a few seconds at most. How it ended; `None` where it is blocked in the kernel.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        self.kill_within(REAP_PATIENCE)
    }

    fn kill_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        if !matches!(self.poll_exit(), Ok(None)) {
            return self.status;
        }
        self.signal(Signal::KILL);
        let status = self.ends_within(patience).ok().flatten();
        self.given_up = status.is_none();
        status
    }

    /// Sends a signal to all that end together with the child, which is not reaped yet.
    fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        let _ = match self.reach {
            Reach::Group | Reach::Outliving => rustix::process::kill_process_group(id, signal),
        };
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reach != Reach::Outliving && !self.given_up {
            self.kill();
        }
    }
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// A file that is in memory alone, and is no program: some hosts allow no other ones.
fn memory_file() -> io::Result<File> {
    let name = c"streams of a child";
    let flags = MemfdFlags::CLOEXEC;
    // not known before Linux 6.3
    let file = rustix::fs::memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL);
    Ok(file.or_else(|_| rustix::fs::memfd_create(name, flags))?.into())
}

/// All of a file; the child, which has the same open file, goes on where it was.
fn whole(file: &File) -> Vec<u8> {
    let mut bytes = vec![0; file.metadata().map_or(0, |it| usize::try_from(it.len()).unwrap_or(0))];
    let mut read = 0;
    while let Ok(more @ 1..) = file.read_at(&mut bytes[read..], read as u64) {
        read += more;
    }
    bytes.truncate(read);
    bytes
}

#[cfg(test)]
mod tests;
