//! Names and roles of the JVM's threads.
use super::roles::{role_of, works_only_in_stops};
use recording::{MonoTime, ThreadFact, ThreadRole};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
};

/// Threads kept by name; those of a JVM that starts ever new ones are forgotten beyond it.
const MAX_THREADS: usize = 64 * 1024;
/// A name that is still the process's is read again so often: threads name themselves after
/// their start.
const RENAMES: u8 = 3;

#[derive(Debug)]
struct Known {
    role: ThreadRole,
    /// Whether it sleeps while the application runs.
    only_in_stops: bool,
    first_seen: MonoTime,
    /// How often its name may still be read again.
    rereads: u8,
}

/// The threads seen so far.
#[derive(Debug)]
pub(crate) struct Threads {
    /// Its `task`, below the directory that is held: no name is that of a process with the same id
    /// that came later.
    tasks: PathBuf,
    _held: Option<File>,
    /// The name a thread has before it is given its own.
    process_name: String,
    known: BTreeMap<u32, Known>,
    vm_tid: u32,
    /// Those that are new since they were last taken, by their ids.
    facts: BTreeMap<u32, ThreadFact>,
}

impl Threads {
    pub(crate) fn new(proc: &Path, pid: u32) -> Threads {
        let path = proc.join(pid.to_string());
        let held = File::open(&path).ok();
        let process = held
            .as_ref()
            .map_or(path, |it| PathBuf::from(format!("/proc/self/fd/{}", it.as_raw_fd())));
        Threads {
            _held: held,
            process_name: read_name(&process).unwrap_or_default(),
            tasks: process.join("task"),
            known: BTreeMap::new(),
            vm_tid: 0,
            facts: BTreeMap::new(),
        }
    }

    /// Reads the names of all threads there are now.
    pub(crate) fn read_all(&mut self, now: MonoTime) {
        let tids = fs::read_dir(&self.tasks).into_iter().flatten().flatten();
        let mut tids: Vec<u32> =
            tids.filter_map(|it| it.file_name().to_str()?.parse().ok()).collect();
        tids.sort_unstable();
        for tid in tids {
            self.role(tid, now);
        }
    }

    /// How many are known.
    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }

    /// The threads read so far are watched from `at` on: their state before is unknown.
    pub(crate) fn watched_since(&mut self, at: MonoTime) {
        self.known.values_mut().for_each(|it| it.first_seen = at);
        self.facts.values_mut().for_each(|it| it.first_seen = at);
    }

    /// What the thread is for. Reads its name where it is new.
    pub(crate) fn role(&mut self, tid: u32, now: MonoTime) -> ThreadRole {
        match self.known.get_mut(&tid) {
            Some(known) if known.rereads == 0 => return known.role,
            Some(known) => known.rereads -= 1,
            None => {
                if self.known.len() >= MAX_THREADS {
                    self.known.clear();
                }
                let (role, only_in_stops) = (ThreadRole::Java, false);
                let known = Known { role, only_in_stops, first_seen: now, rereads: RENAMES };
                self.known.insert(tid, known);
                let name = String::new();
                self.note(ThreadFact { tid, name, role, first_seen: now });
            }
        }
        self.read(tid, now)
    }

    /// The VM thread, by its name or because it fired a probe.
    pub(crate) fn vm_thread(&self) -> Option<u32> {
        let mut all = self.known.iter();
        all.find(|(_, it)| it.role == ThreadRole::VmThread).map(|it| *it.0)
    }

    /// Whether the thread sleeps while the application runs, by its name as last read.
    pub(crate) fn only_in_stops(&self, tid: u32) -> bool {
        self.known.get(&tid).is_some_and(|it| it.only_in_stops)
    }

    fn read(&mut self, tid: u32, now: MonoTime) -> ThreadRole {
        let name = read_name(&self.tasks.join(tid.to_string()));
        let role = self.role_by(tid, name.as_deref().unwrap_or_default());
        let named = name.as_ref().is_none_or(|name| *name != self.process_name);
        let mut first_seen = now;
        if let Some(known) = self.known.get_mut(&tid) {
            known.role = role;
            known.only_in_stops = name.as_deref().is_some_and(works_only_in_stops);
            first_seen = known.first_seen;
            if named {
                known.rereads = 0;
            }
        }
        if let Some(name) = name {
            self.note(ThreadFact { tid, name, role, first_seen });
        }
        role
    }

    /// Replaces the fact of this thread that is still here.
    fn note(&mut self, fact: ThreadFact) {
        self.facts.insert(fact.tid, fact);
    }

    fn role_by(&self, tid: u32, name: &str) -> ThreadRole {
        if tid == self.vm_tid { ThreadRole::VmThread } else { role_of(name) }
    }

    /// The thread that fires the probes is the VM thread, whatever its name.
    pub(crate) fn is_vm_thread(&mut self, tid: u32, now: MonoTime) {
        if self.vm_tid != tid {
            self.vm_tid = tid;
            self.known.remove(&tid);
            self.role(tid, now);
        }
    }

    /// Facts since the last call.
    pub(crate) fn take_facts(&mut self) -> Vec<ThreadFact> {
        std::mem::take(&mut self.facts).into_values().collect()
    }
}

/// The first line of `comm` in a directory of `/proc`. `None` where the thread is gone.
fn read_name(directory: &Path) -> Option<String> {
    let mut bytes = [0; 64];
    let len = File::open(directory.join("comm")).ok()?.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..len]).trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const NOW: MonoTime = MonoTime(5);

    fn name(root: &Path, tid: u32, name: &str) {
        let directory = root.join(format!("7/task/{tid}"));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("comm"), format!("{name}\n")).unwrap();
    }

    fn proc() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        name(root.path(), 7, "java");
        name(root.path(), 8, "VM Thread");
        fs::write(root.path().join("7/comm"), "java\n").unwrap();
        root
    }

    fn names(threads: &mut Threads) -> String {
        let facts = threads.take_facts();
        let text = |it: &ThreadFact| format!("{} {} {}", it.tid, it.name, it.role.id());
        facts.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn all_threads_are_known_from_the_start() {
        let root = proc();
        let mut threads = Threads::new(root.path(), 7);
        threads.read_all(NOW);
        assert_eq!(names(&mut threads), "7 java java, 8 VM Thread vm-thread");
        assert_eq!(names(&mut threads), "");
    }

    #[test]
    fn a_thread_that_names_itself_later_is_read_again() {
        let root = proc();
        name(root.path(), 9, "java");
        let mut threads = Threads::new(root.path(), 7);
        assert_eq!(threads.role(9, NOW), ThreadRole::Java);
        name(root.path(), 9, "GC Thread#1");
        assert_eq!(threads.role(9, NOW), ThreadRole::GcWorker);
        name(root.path(), 9, "other");
        assert_eq!(threads.role(9, NOW), ThreadRole::GcWorker);
    }

    #[test]
    fn the_thread_that_fires_the_probes_is_the_vm_thread() {
        let root = proc();
        let mut threads = Threads::new(root.path(), 7);
        assert_eq!(threads.role(7, NOW), ThreadRole::Java);
        threads.is_vm_thread(7, NOW);
        assert_eq!(threads.role(7, NOW), ThreadRole::VmThread);
        assert_eq!(names(&mut threads), "7 java vm-thread");
    }

    /// The CPU time it takes to note this many threads, each of them twice; the shortest of some tries.
    fn time_to_note(count: u32) -> Duration {
        let fact =
            |tid| ThreadFact { tid, name: String::new(), role: ThreadRole::Java, first_seen: NOW };
        let tries = (0..5).map(|_| {
            let mut threads = Threads::new(Path::new("/nowhere"), 7);
            let begun = crate::host::thread_cpu();
            (0..count).for_each(|tid| {
                threads.note(fact(tid));
                threads.note(fact(tid));
            });
            crate::host::thread_cpu().saturating_sub(begun)
        });
        tries.min().expect("some tries")
    }

    #[test]
    fn the_time_to_attach_grows_with_the_threads_and_not_with_their_square() {
        let (few, many) = (time_to_note(1_000), time_to_note(16_000));
        // As the square it would be 256 times as long, and 19 as it is.
        assert!(many < few * 90, "{few:?} for 1,000 threads, {many:?} for 16,000");
    }

    #[test]
    fn a_thread_that_is_gone_has_no_name() {
        let root = proc();
        let mut threads = Threads::new(root.path(), 7);
        assert_eq!(threads.role(99, NOW), ThreadRole::Java);
        assert_eq!(names(&mut threads), "99  java");
    }
}
