//! Which processes use CPU time.
//!
//! `utime` and `stime` of `/proc/PID/stat` are the sums of all threads of a process, and to read them takes
//! no lock that a process keeps for long (`do_task_stat` of `fs/proc/array.c`). Where the scheduler's events
//! are seen they tell exactly who had which CPU; this tells it of a second as a whole, and what those
//! processes are.
use super::{
    Roots, cgroup, command_line,
    process::{DIRECTORY, ProcessDir, READ, Stat, pids},
    status::Status,
};
use recording::{CpuUserFact, Interval, MonoTime};
use rustix::{
    fd::OwnedFd,
    fs::{Mode, openat},
    io::read,
};
use std::{cmp::Reverse, collections::HashMap, time::Duration};

/// Those with most CPU time that are reported each time.
const TOP: usize = 12;
/// A process that uses less than one part in this number of one CPU is negligible.
const LEAST_PART: u32 = 20;
/// Processes remembered from one look to the next.
const MAX_PROCESSES: usize = 32 * 1024;
/// A kernel writes no longer `stat`.
const STAT_BYTES: usize = 1024;

/// What was read of a process.
#[derive(Debug)]
struct Known {
    start_ticks: u64,
    cpu_ticks: u64,
    /// Once it has been reported: its name, and other details.
    details: Option<(String, Details)>,
}

#[derive(Clone, Debug, Default)]
struct Details {
    command_line: String,
    cgroup: String,
    cpus_allowed: String,
}

/// Looks at all processes again and again.
#[derive(Debug)]
pub(crate) struct CpuUsers {
    roots: Roots,
    /// `/proc`.
    proc: Option<OwnedFd>,
    known: HashMap<u32, Known>,
    scanned: Option<MonoTime>,
    /// Clock ticks a second.
    hertz: u64,
}

impl CpuUsers {
    pub(crate) fn new(roots: &Roots) -> CpuUsers {
        let proc = rustix::fs::open(&roots.proc, DIRECTORY, Mode::empty()).ok();
        let hertz = rustix::param::clock_ticks_per_second().max(1);
        CpuUsers { roots: roots.clone(), proc, known: HashMap::new(), scanned: None, hertz }
    }

    /// Those that used most CPU time since the last sample. The first time there is nothing to compare with
    /// and no process is reported.
    pub(crate) fn scan(&mut self, at: MonoTime) -> Vec<CpuUserFact> {
        let mut before = std::mem::take(&mut self.known);
        let mut used: Vec<(Duration, u32, String)> = Vec::new();
        let interval = self.scanned.map(|since| Interval::new(since, at));
        for pid in pids(&self.roots).unwrap_or_default().into_iter().take(MAX_PROCESSES) {
            let Some(stat) = self.stat(pid) else { continue };
            let known = before.remove(&pid).filter(|it| it.start_ticks == stat.start_ticks);
            let had = known.as_ref().map_or(0, |it| it.cpu_ticks);
            used.push((self.time(stat.cpu_ticks.saturating_sub(had)), pid, stat.name));
            let details = known.and_then(|it| it.details);
            let (start_ticks, cpu_ticks) = (stat.start_ticks, stat.cpu_ticks);
            self.known.insert(pid, Known { start_ticks, cpu_ticks, details });
        }
        self.scanned = Some(at);
        let Some(interval) = interval else { return Vec::new() };
        used.retain(|it| it.0 >= interval.duration() / LEAST_PART && !it.0.is_zero());
        used.sort_by_key(|it| (Reverse(it.0), it.1));
        used.truncate(TOP);
        used.into_iter().map(|(used, pid, name)| self.fact(interval, used, pid, name)).collect()
    }

    fn time(&self, ticks: u64) -> Duration {
        Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / self.hertz))
    }

    fn stat(&self, pid: u32) -> Option<Stat> {
        let file = openat(self.proc.as_ref()?, format!("{pid}/stat"), READ, Mode::empty()).ok()?;
        let mut text = [0; STAT_BYTES];
        let length = read(file, &mut text).ok()?;
        Stat::parse(&String::from_utf8_lossy(&text[..length]))
    }

    fn fact(&mut self, interval: Interval, used: Duration, pid: u32, name: String) -> CpuUserFact {
        let roots = &self.roots;
        let known = self.known.get_mut(&pid).map(|it| &mut it.details);
        let details = match known {
            // One that has a new name is another program.
            Some(Some((of, details))) if *of == name => details.clone(),
            Some(known) => known.insert((name.clone(), details(roots, pid))).1.clone(),
            None => Details::default(),
        };
        let Details { command_line, cgroup, cpus_allowed } = details;
        CpuUserFact { interval, pid, name, command_line, cgroup, cpu: None, used, cpus_allowed }
    }
}

fn details(roots: &Roots, pid: u32) -> Details {
    let Ok(dir) = ProcessDir::open(roots, pid) else { return Details::default() };
    Details {
        command_line: command_line::of(&dir),
        cgroup: cgroup::path_of(&dir, "cpu").map(|it| it.path).unwrap_or_default(),
        cpus_allowed: cpus_allowed(&dir),
    }
}

/// The CPUs on which the main thread of a process may run, as the kernel lists them: `0-3,8`. Empty where
/// that cannot be read.
pub(crate) fn cpus_allowed(dir: &ProcessDir) -> String {
    let status = dir.text("status", Status::LIMIT_BYTES).unwrap_or_default();
    Status(&status).field("Cpus_allowed_list").unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Host(tempfile::TempDir);

    impl Host {
        fn set(&self, pid: u32, name: &str, start: u64, user: u64, kernel: u64) {
            let dir = self.0.path().join(pid.to_string());
            fs::create_dir_all(&dir).unwrap();
            let stat = format!(
                "{pid} ({name}) R 1 1 1 0 -1 0 0 0 0 0 {user} {kernel} 9 9 20 0 1 0 {start} 0 0\n"
            );
            fs::write(dir.join("stat"), stat).unwrap();
            fs::write(dir.join("cmdline"), format!("/bin/{name}\0-x\0")).unwrap();
            fs::write(dir.join("cgroup"), "4:cpu,cpuacct:/batch\n0::/\n").unwrap();
            fs::write(dir.join("status"), "Name:\tp\nCpus_allowed_list:\t0-1\n").unwrap();
        }

        fn users(&self) -> CpuUsers {
            let roots = Roots { proc: self.0.path().into(), sys: self.0.path().into() };
            CpuUsers { hertz: 100, ..CpuUsers::new(&roots) }
        }
    }

    fn at(seconds: u64) -> MonoTime {
        MonoTime(seconds * 1_000_000_000)
    }

    fn used(facts: &[CpuUserFact]) -> Vec<(u32, u128)> {
        facts.iter().map(|it| (it.pid, it.used.as_millis())).collect()
    }

    #[test]
    fn who_used_most_is_reported_first_with_what_it_is() {
        let host = Host(tempfile::tempdir().unwrap());
        host.set(7, "rustc", 5, 100, 10);
        host.set(8, "a) b", 5, 100, 10);
        let mut users = host.users();
        assert_eq!(users.scan(at(1)), []);
        host.set(7, "rustc", 5, 130, 20);
        host.set(8, "a) b", 5, 160, 10);
        let facts = users.scan(at(2));
        assert_eq!(used(&facts), [(8, 600), (7, 400)]);
        let expected = CpuUserFact {
            interval: Interval::new(at(1), at(2)),
            pid: 7,
            name: "rustc".into(),
            command_line: "/bin/rustc".into(),
            cgroup: "/batch".into(),
            cpu: None,
            used: Duration::from_millis(400),
            cpus_allowed: "0-1".into(),
        };
        assert_eq!(facts[1], expected);
    }

    #[test]
    fn who_uses_less_than_a_twentieth_of_a_cpu_is_not() {
        let host = Host(tempfile::tempdir().unwrap());
        host.set(7, "a", 5, 100, 0);
        host.set(8, "b", 5, 100, 0);
        let mut users = host.users();
        users.scan(at(1));
        host.set(7, "a", 5, 105, 0);
        host.set(8, "b", 5, 104, 0);
        assert_eq!(used(&users.scan(at(2))), [(7, 50)]);
    }

    #[test]
    fn a_new_process_has_used_all_its_time_and_a_pid_may_have_a_new_owner() {
        let host = Host(tempfile::tempdir().unwrap());
        host.set(7, "old", 5, 100, 0);
        let mut users = host.users();
        users.scan(at(1));
        host.set(7, "new", 110, 30, 0);
        host.set(9, "cc", 120, 60, 0);
        assert_eq!(used(&users.scan(at(2))), [(9, 600), (7, 300)]);
    }

    #[test]
    fn this_process_is_one_of_them() {
        let mut users = CpuUsers::new(&Roots::default());
        let now = super::super::clocks::now;
        let first = now();
        users.scan(first);
        while super::super::clocks::thread_cpu() < Duration::from_millis(200) {
            std::hint::black_box(0);
        }
        let own = std::process::id();
        // However long that took, its share may be small beside others.
        let until = MonoTime(first.0 + 1_000_000_000);
        let facts = users.scan(until);
        assert!(facts.len() == TOP || facts.iter().any(|it| it.pid == own), "{facts:?}");
    }
}
