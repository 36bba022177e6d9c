//! What a process waits for that does not let itself be read.
//!
//! `status` and `comm` are read without waiting. `wchan` and `stack` need no `mmap_lock`; of a
//! process that is in `execve` they are not read.
use super::{Roots, process::ProcessDir, status::Status};
use crate::aside::{Lock, NotResponding, functions};
use std::fmt;

/// Threads that are looked at.
const MAX_THREADS: usize = 4096;
/// Functions of a stack that are reported.
const MAX_FUNCTIONS: usize = 16;
const STACK_BYTES: u64 = 4096;

/// A process that does not let itself be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stuck {
    /// Its id.
    pub pid: u32,
    /// Its name (`comm`).
    pub name: String,
    /// Real user id.
    pub uid: u32,
    /// The lock that others were seen to wait for.
    pub lock: Option<Lock>,
    /// Its thread that waits in the kernel: most likely the one that holds the lock.
    pub thread: Option<StuckThread>,
}

/// A thread that waits in the kernel, uninterruptibly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StuckThread {
    /// Its id.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// Function of the kernel in which it sleeps (`wchan`); empty where that may not be known.
    pub wait_channel: String,
    /// Functions that led there, the innermost first; empty where they may not be known: only root
    /// may.
    pub stack: Vec<String>,
}

impl Stuck {
    /// Looks at process `pid`, of which `what` was found.
    pub(crate) fn inspect(roots: &Roots, pid: u32, what: &NotResponding) -> Stuck {
        let mut stuck = Stuck { pid, lock: what.lock, ..Stuck::default() };
        let Ok(dir) = ProcessDir::open(roots, pid) else { return stuck };
        let status = dir.text("status", Status::LIMIT_BYTES).unwrap_or_default();
        stuck.name = dir.text("comm", 64).map(|it| it.trim_end().to_owned()).unwrap_or_default();
        stuck.uid = Status(&status).uid().unwrap_or_default();
        let tids = dir.numbers("task").unwrap_or_default().into_iter().take(MAX_THREADS);
        let dir = if stuck.lock == Some(Lock::MemoryMap) { dir.trusted() } else { dir };
        let mut waiting = tids.filter_map(|tid| StuckThread::inspect(&dir, tid));
        let first = waiting.next();
        // Those that wait for the lock as well do not hold it.
        let holds = |it: &StuckThread| !it.waits_for_a_lock();
        stuck.thread = match first {
            Some(first) if !holds(&first) => waiting.find(holds).or(Some(first)),
            first => first,
        };
        stuck
    }
}

impl StuckThread {
    /// `None` where it does not wait uninterruptibly.
    fn inspect(dir: &ProcessDir, tid: u32) -> Option<StuckThread> {
        let text = |name: &str| {
            let text = dir.text(&format!("task/{tid}/{name}"), STACK_BYTES);
            text.map(|it| it.trim().to_owned()).unwrap_or_default()
        };
        let status = text("status");
        let waits = Status(&status).field("State").is_some_and(|it| it.starts_with('D'));
        waits.then(|| {
            let channel = text("wchan");
            let mut stack = functions(&text("stack"));
            stack.truncate(MAX_FUNCTIONS);
            // 0 where it has just gone on, or where that may not be known.
            let wait_channel = if channel == "0" { String::new() } else { channel };
            StuckThread { tid, name: text("comm"), wait_channel, stack }
        })
    }

    fn waits_for_a_lock(&self) -> bool {
        self.stack.iter().take(3).any(|it| it.starts_with("rwsem_") || it.starts_with("down_"))
    }
}

/// `not responding: its memory map is locked; thread 43 "main" waits in folio_wait_bit (fuse_launder_folio …)`
impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", NotResponding { lock: self.lock })?;
        let Some(thread) = &self.thread else { return Ok(()) };
        write!(f, "; thread {} `{}` waits in the kernel", thread.tid, thread.name)?;
        match (thread.stack.as_slice(), thread.wait_channel.as_str()) {
            ([], "") => Ok(()),
            ([], channel) => write!(f, " in {channel}"),
            (stack, _) => {
                let shown: Vec<&str> = stack.iter().take(8).map(String::as_str).collect();
                write!(f, " in {}", shown.join(" < "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Threads as `TID STATE WCHAN FUNCTION…`.
    fn inspected(threads: &[&str]) -> String {
        let root = tempfile::tempdir().unwrap();
        for thread in threads {
            let words: Vec<&str> = thread.split(' ').collect();
            let dir = root.path().join("7/task").join(words[0]);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("comm"), "main\n").unwrap();
            fs::write(dir.join("status"), format!("Name:\ta\nState:\t{} (x)\n", words[1])).unwrap();
            fs::write(dir.join("wchan"), words[2]).unwrap();
            let stack: String =
                words[3..].iter().map(|it| format!("[<0>] {it}+0x1/0x2\n")).collect();
            fs::write(dir.join("stack"), stack).unwrap();
        }
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        Stuck::inspect(&roots, 7, &NotResponding { lock: Some(Lock::MemoryMap) }).to_string()
    }

    #[test]
    fn stuck_process_reports_the_lock_holder_and_not_a_waiter() {
        let holder = "9 D folio_wait_bit folio_wait_bit fuse_launder_folio fuse_file_mmap";
        let waiter = "8 D do_user_addr_fault rwsem_down_read_slowpath down_read";
        let reported = "not responding: its memory map is locked; thread 9 `main` waits in the kernel \
                    in folio_wait_bit < fuse_launder_folio < fuse_file_mmap";
        assert_eq!(inspected(&["7 S futex_wait", waiter, holder]), reported);
        assert_eq!(inspected(&["7 S futex_wait", holder]), reported);
        assert!(inspected(&[waiter]).contains("thread 8"));
    }

    #[test]
    fn what_may_not_be_known_is_not_reported() {
        assert_eq!(inspected(&["7 S 0"]), "not responding: its memory map is locked");
        let reported =
            "not responding: its memory map is locked; thread 8 `main` waits in the kernel";
        assert_eq!(inspected(&["8 D 0"]), reported);
        assert_eq!(inspected(&["8 D io_schedule"]), format!("{reported} in io_schedule"));
    }
}
