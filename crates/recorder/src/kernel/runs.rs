//! Who else had a CPU in stops, until the stop is over and it is known whether a thread waited for one.
use super::record::Run;
use recording::{CpuUserFact, Interval, MonoTime, ThreadSlice, ThreadState};
use std::{collections::VecDeque, time::Duration};

/// Runs kept at most, 1 MiB of them: the kernel side sends fewer the longer a stop lasts.
const MOST: usize = 16 * 1024;
/// Shorter waits for a CPU name no culprit: `LONG_NS` of the kernel side.
const LONG_WAIT: Duration = Duration::from_millis(1);

/// A [`Run`] of its own.
#[derive(Clone, Debug)]
struct Kept {
    pid: u32,
    cpu: u16,
    interval: Interval,
    name: Box<str>,
}

/// A bounded buffer of runs, in the order they came: by their end, roughly.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: VecDeque<Kept>,
    /// The CPUs on which the JVM may run; of others nothing is kept. Empty where that is not known.
    allowed: Vec<i32>,
    lost: u64,
}

impl Runs {
    /// For a JVM that may run on these CPUs.
    pub(crate) fn on(allowed: &[i32]) -> Runs {
        Runs { allowed: allowed.to_vec(), ..Runs::default() }
    }

    pub(crate) fn push(&mut self, run: &Run<'_>) {
        let elsewhere = !self.allowed.is_empty() && !self.allowed.contains(&i32::from(run.cpu));
        if elsewhere {
            return;
        }
        if self.runs.len() >= MOST {
            self.lost += 1;
            return;
        }
        let Run { pid, cpu, interval, name } = *run;
        self.runs.push_back(Kept { pid, cpu, interval, name: name.into() });
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Of the runs in the stop `window` those during which one of its `slices` waited long for a CPU.
    pub(crate) fn in_waits(&self, window: Interval, slices: &[ThreadSlice]) -> Vec<CpuUserFact> {
        let waits = waits(window, slices);
        let is_in_wait = |it: &Interval| {
            let first = waits.partition_point(|wait| wait.end <= it.start);
            waits.get(first).is_some_and(|wait| wait.start < it.end)
        };
        let runs = self.runs.iter().filter(|it| is_in_wait(&it.interval));
        runs.map(Kept::fact).collect()
    }

    /// Forgets what ended before `oldest`, or everything where nothing is under way.
    pub(crate) fn forget(&mut self, oldest: Option<MonoTime>) {
        match oldest {
            Some(oldest) => self.runs.retain(|it| it.interval.end > oldest),
            None => self.runs = VecDeque::new(),
        }
    }
}

impl Kept {
    fn fact(&self) -> CpuUserFact {
        CpuUserFact {
            interval: self.interval,
            pid: self.pid,
            name: self.name.to_string(),
            command_line: String::new(),
            cgroup: String::new(),
            cpu: Some(self.cpu.into()),
            used: self.interval.duration(),
            cpus_allowed: String::new(),
        }
    }
}

/// When any of the threads waited long for a CPU in the stop: in order, none overlapping another.
fn waits(window: Interval, slices: &[ThreadSlice]) -> Vec<Interval> {
    let long = |it: &&ThreadSlice| {
        it.state == ThreadState::Runnable && it.interval.duration() >= LONG_WAIT
    };
    let long = slices.iter().filter(long);
    let mut all: Vec<Interval> = long.filter_map(|it| it.interval.intersect(window)).collect();
    all.sort_unstable();
    let mut waits: Vec<Interval> = Vec::new();
    for it in all {
        match waits.last_mut().filter(|last| it.start <= last.end) {
            Some(last) => last.end = last.end.max(it.end),
            None => waits.push(it),
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Resolved, Slice, thread_slices};

    fn interval(start: u64, end: u64) -> Interval {
        Interval::new(MonoTime(start * 1_000_000), MonoTime(end * 1_000_000))
    }

    fn run(pid: u32, cpu: u16, start: u64, end: u64) -> Run<'static> {
        Run { pid, cpu, interval: interval(start, end), name: "rustc" }
    }

    /// A thread that was preempted and waited until it had a CPU again.
    fn waited(start: u64, end: u64) -> ThreadSlice {
        let [off, on] = [start, end].map(|ms| ms * 1_000_000);
        let preempted = Slice { tid: 7, off, on, ..Slice::default() };
        thread_slices(&preempted, Resolved::default()).remove(0)
    }

    /// Who is reported of a stop from 10 to 100 ms whose threads waited so.
    #[track_caller]
    fn check(runs: &[Run<'_>], waits: &[ThreadSlice], expected: &[u32]) {
        let mut all = Runs::on(&[0, 1]);
        runs.iter().for_each(|it| all.push(it));
        let reported = all.in_waits(interval(10, 100), waits);
        assert_eq!(reported.iter().map(|it| it.pid).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn who_had_any_cpu_while_a_thread_waited_is_reported() {
        let runs = [run(1, 0, 10, 20), run(2, 1, 15, 40), run(3, 1, 60, 70)];
        check(&runs, &[waited(20, 60)], &[2]);
        check(&runs, &[waited(19, 61)], &[1, 2, 3]);
        check(&runs, &[waited(20, 30), waited(25, 61)], &[2, 3]);
    }

    #[test]
    fn of_short_waits_and_of_waits_outside_of_the_stop_nothing_is_kept() {
        let mut short = waited(20, 21);
        check(&[run(1, 0, 10, 90)], &[short.clone()], &[1]);
        short.interval.end.0 -= 1;
        check(&[run(1, 0, 10, 90)], &[short], &[]);
        check(&[run(1, 0, 10, 90)], &[waited(100, 200)], &[]);
        check(
            &[run(1, 0, 10, 90)],
            &[ThreadSlice { state: ThreadState::OnCpu, ..waited(20, 60) }],
            &[],
        );
    }

    #[test]
    fn a_cpu_on_which_the_jvm_may_not_run_is_no_loss() {
        check(&[run(1, 2, 10, 90), run(2, 1, 10, 90)], &[waited(20, 60)], &[2]);
    }

    #[test]
    fn runs_are_bounded_and_what_is_over_is_forgotten() {
        let mut all = Runs::default();
        (0..MOST + 2).for_each(|_| all.push(&run(1, 0, 10, 20)));
        assert_eq!((all.runs.len(), all.lost()), (MOST, 2));
        all.forget(Some(MonoTime(20_000_000 - 1)));
        assert_eq!(all.runs.len(), MOST);
        all.forget(Some(MonoTime(20_000_000)));
        assert_eq!(all.runs.len(), 0);
    }
}
