//! Holds on to one process, so that another one with the same id is never taken for it, nor another
//! program that it becomes.
use crate::{
    AttachError, Roots,
    host::{Jvm, ProcessDir, each_mapping},
};
use recording::{Coverage, FileKey};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use std::{
    fs,
    ops::ControlFlow,
    path::Path,
    time::{Duration, Instant},
};

/// `PROC_PID_INIT_INO` of `include/linux/proc_ns.h`.
const INITIAL_PID_NAMESPACE: &str = "pid:[4026531836]";

/// How often it is looked whether it is still the same program.
const PROGRAM_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// More than any `/proc/PID/stat` has.
const STAT_LIMIT_BYTES: u64 = 4096;

/// A descriptor of the process itself. It stays with it even when its id is given to another.
#[derive(Debug)]
pub(crate) struct Process {
    descriptor: OwnedFd,
    dir: ProcessDir,
    program: Program,
    next_check: Instant,
}

/// Why there is no JVM any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The process has ended.
    Exited,
    /// The process goes on as another program (`execve`).
    Replaced,
}

impl Gone {
    /// Says so where people read why a recording ended, and what it does not cover.
    pub(crate) fn note_in(self, coverage: &mut Coverage) {
        coverage.end = match self {
            Gone::Exited => "the JVM exited",
            Gone::Replaced => "the JVM's process became another program",
        }
        .into();
        if self == Gone::Replaced {
            let what = "its process became another program, which is not recorded; \
                        up to a second before the end may be of that";
            coverage.note("jvm", what, 1);
        }
    }
}

/// What `execve` changes of a process, as far as it may be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Program {
    file: Option<FileKey>,
    /// Where its code and its first stack begin: by chance, so that they differ for each run of the
    /// same program, too.
    code: Option<u64>,
    stack: Option<u64>,
}

impl Program {
    fn of(dir: &ProcessDir) -> Program {
        let stat = dir.text("stat", STAT_LIMIT_BYTES).unwrap_or_default();
        // 0 or 1 stands for what must not be known (`do_task_stat` of `fs/proc/array.c`).
        let known = |field| field_of(&stat, field).filter(|it| *it > 1);
        let file = dir.behind("exe").ok();
        Program { file: file.and_then(|it| it.regular()), code: known(26), stack: known(28) }
    }

    /// Whether what is known of both differs.
    fn differs(self, other: Program) -> bool {
        fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        differ(self.file, other.file)
            || differ(self.code, other.code)
            || differ(self.stack, other.stack)
    }
}

impl Process {
    /// Takes hold of the process that `jvm` was read from.
    ///
    /// # Errors
    ///
    /// Where it has ended since, or has become another program.
    pub(crate) fn hold(roots: &Roots, jvm: &Jvm) -> Result<Process, AttachError> {
        let gone = || AttachError::NoSuchProcess { pid: jvm.pid };
        let pid = i32::try_from(jvm.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
        let descriptor = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => descriptor,
            Err(rustix::io::Errno::SRCH) => return Err(gone()),
            Err(error) => {
                return Err(AttachError::Kernel { pid: jvm.pid, reason: error.to_string() });
            }
        };
        // The descriptor may be that of a successor with the same id: its start tells.
        let dir = ProcessDir::open(roots, jvm.pid).map_err(|_| gone())?;
        let stat = dir.text("stat", STAT_LIMIT_BYTES).map_err(|_| gone())?;
        if field_of(&stat, 22) != Some(jvm.start_ticks) {
            return Err(gone());
        }
        // From here on another program is noticed; what was it until now tells its memory.
        let program = Program::of(&dir);
        if !maps_libjvm(&dir, jvm) {
            return Err(AttachError::Exited { pid: jvm.pid });
        }
        Ok(Process {
            descriptor,
            dir,
            program,
            next_check: Instant::now() + PROGRAM_CHECK_INTERVAL,
        })
    }

    /// Its directory in `/proc`.
    pub(crate) fn dir(&self) -> &ProcessDir {
        &self.dir
    }

    /// Waits for at most `time`, or until the JVM is gone. That the process is another program by now
    /// is seen within a second.
    pub(crate) fn gone_within(&mut self, time: Duration) -> Option<Gone> {
        if self.has_ended_within(time) {
            return Some(Gone::Exited);
        }
        if Instant::now() < self.next_check {
            return None;
        }
        self.next_check = Instant::now() + PROGRAM_CHECK_INTERVAL;
        self.gone()
    }

    /// Whether the JVM is gone by now.
    pub(crate) fn gone(&self) -> Option<Gone> {
        let now = Program::of(&self.dir);
        // Of one that has ended nothing is known, or what is left.
        match self.has_ended_within(Duration::ZERO) {
            true => Some(Gone::Exited),
            false => now.differs(self.program).then_some(Gone::Replaced),
        }
    }

    /// Sends a signal to this very process.
    pub(crate) fn signal(&self, signal: Signal) -> std::io::Result<()> {
        Ok(pidfd_send_signal(&self.descriptor, signal)?)
    }

    /// Waits for at most `time`; true as soon as the process has ended.
    pub(crate) fn has_ended_within(&self, time: Duration) -> bool {
        let mut fds = [PollFd::new(&self.descriptor, PollFlags::IN)];
        let timeout = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        // An interrupted wait is only a shorter one.
        matches!(poll(&mut fds, Some(&timeout)), Ok(ready) if ready > 0)
    }
}

/// Whether the process still has the library mapped that `jvm` was found by; true where that must not
/// be known.
fn maps_libjvm(dir: &ProcessDir, jvm: &Jvm) -> bool {
    let wanted = (jvm.libjvm_mapping.device, jvm.libjvm_mapping.inode);
    let mut found = false;
    let read = each_mapping(dir, &mut |it| {
        found |= (it.device, it.inode) == wanted;
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found || read.is_err()
}

/// A field of `/proc/PID/stat`, by its number in proc_pid_stat(5), from 4 on.
fn field_of(stat: &str, number: usize) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

/// Whether `/proc` shows the process ids that the kernel's programs see. True where it cannot
/// be known.
pub(crate) fn in_initial_pid_namespace(proc: &Path) -> bool {
    let link = fs::read_link(proc.join("self/ns/pid"));
    link.map_or(true, |it| it.as_os_str() == INITIAL_PID_NAMESPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let stat = "1 (a ) (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(field_of(stat, 22), Some(777));
        assert_eq!(field_of(stat, 4), Some(1));
        assert_eq!(field_of("1 (x) S", 22), None);
    }

    fn program(inode: u64, code: u64, stack: u64) -> Program {
        let known = |it: u64| (it > 0).then_some(it);
        Program {
            file: known(inode).map(|inode| FileKey { device: 1, inode }),
            code: known(code),
            stack: known(stack),
        }
    }

    #[test]
    fn program_differs_by_file_or_run_but_not_by_unknown_fields() {
        let first = program(1, 2, 3);
        for (other, differs) in [
            (first, false),
            (program(9, 2, 3), true),
            (program(1, 9, 3), true),
            (program(1, 2, 9), true),
            (program(0, 0, 0), false),
            (program(1, 0, 0), false),
            (program(0, 9, 0), true),
        ] {
            assert_eq!(first.differs(other), differs, "{other:?}");
            assert_eq!(other.differs(first), differs, "{other:?}");
        }
    }

    #[test]
    fn a_process_goes_on_being_what_it_is_until_it_becomes_another_program() {
        let dir = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
        let own = Program::of(&dir);
        assert!(own.file.is_some() && own.code.is_some() && own.stack.is_some(), "{own:?}");
        assert!(!own.differs(Program::of(&dir)));
    }

    #[test]
    fn a_directory_without_namespaces_is_taken_as_it_is() {
        assert!(in_initial_pid_namespace(Path::new("/nowhere")));
    }
}
