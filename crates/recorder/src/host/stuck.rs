//! What a process waits for that does not let itself be read.
//!
//! Nothing here takes the lock of its address space: `stat`, `comm`, `wchan` and `stack` need none.
use super::{
    Roots,
    locked::NotResponding,
    process::{ProcessDir, Stat},
    status::Status,
};
use crate::aside::functions;
use std::fmt;

/// Threads that are looked at.
const MAX_THREADS: usize = 4096;
/// Functions of a stack that are told.
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
    /// Whether the lock of its memory map was seen to be what others wait for.
    pub locked: bool,
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
    pub(crate) fn look(roots: &Roots, pid: u32, what: &NotResponding) -> Stuck {
        let mut stuck = Stuck { pid, locked: what.locked, ..Stuck::default() };
        let Ok(dir) = ProcessDir::open(roots, pid) else { return stuck };
        stuck.name = Stat::of(&dir).map(|it| it.name).unwrap_or_default();
        let status = dir.text("status", Status::LIMIT_BYTES).unwrap_or_default();
        stuck.uid = Status(&status).uid().unwrap_or_default();
        let tids = dir.numbers("task").unwrap_or_default().into_iter().take(MAX_THREADS);
        let mut waiting = tids.filter_map(|tid| StuckThread::look(&dir, tid));
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
    fn look(dir: &ProcessDir, tid: u32) -> Option<StuckThread> {
        let text = |name: &str| {
            let text = dir.text(&format!("task/{tid}/{name}"), STACK_BYTES);
            text.map(|it| it.trim().to_owned()).unwrap_or_default()
        };
        let stat = text("stat");
        let waits = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('D'));
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
        write!(f, "{}", NotResponding { locked: self.locked })?;
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
    fn look(threads: &[&str]) -> String {
        let root = tempfile::tempdir().unwrap();
        for thread in threads {
            let words: Vec<&str> = thread.split(' ').collect();
            let dir = root.path().join("7/task").join(words[0]);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("comm"), "main\n").unwrap();
            fs::write(dir.join("stat"), format!("{} (a) b) {} 1", words[0], words[1])).unwrap();
            fs::write(dir.join("wchan"), words[2]).unwrap();
            let stack: String =
                words[3..].iter().map(|it| format!("[<0>] {it}+0x1/0x2\n")).collect();
            fs::write(dir.join("stack"), stack).unwrap();
        }
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        Stuck::look(&roots, 7, &NotResponding { locked: true }).to_string()
    }

    #[test]
    fn the_thread_that_holds_the_lock_is_told_and_not_one_that_waits_for_it() {
        let holder = "9 D folio_wait_bit folio_wait_bit fuse_launder_folio fuse_file_mmap";
        let waiter = "8 D do_user_addr_fault rwsem_down_read_slowpath down_read";
        let told = "not responding: its memory map is locked; thread 9 `main` waits in the kernel \
                    in folio_wait_bit < fuse_launder_folio < fuse_file_mmap";
        assert_eq!(look(&["7 S futex_wait", waiter, holder]), told);
        assert_eq!(look(&["7 S futex_wait", holder]), told);
        assert!(look(&[waiter]).contains("thread 8"));
    }

    #[test]
    fn what_may_not_be_known_is_not_told() {
        assert_eq!(look(&["7 S 0"]), "not responding: its memory map is locked");
        let told = "not responding: its memory map is locked; thread 8 `main` waits in the kernel";
        assert_eq!(look(&["8 D 0"]), told);
        assert_eq!(look(&["8 D io_schedule"]), format!("{told} in io_schedule"));
    }
}
