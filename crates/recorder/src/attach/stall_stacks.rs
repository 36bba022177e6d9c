//! The Java stacks of threads that stand still, taken while they do.
//!
//! A thread that the kernel holds in a call is in native code and in the same Java frame all the while, and no
//! safepoint waits for it: a thread dump made meanwhile shows where it stands.
use super::java_stacks::{JavaStacks, take_stops};
use crate::{
    Jvm, Roots,
    host::{ProcessDir, now, thread_cpu},
    sampler::{Counted, Seen, Task},
};
use recording::{Facts, Interval, JavaStackFact, MonoTime};
use std::{collections::BTreeMap, io, time::Duration};

/// How often threads are looked at. One that is found in the same wait twice has stood for as long as this.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// Nor more often than this many times what a look takes of a CPU.
const LOOK_REST: u32 = 500;
/// Least time between two dumps: the JVM stops for each.
const BETWEEN_DUMPS: Duration = Duration::from_secs(5);
/// Nor are they closer than this many times what the last one took.
const DUMP_REST: u32 = 200;
/// Threads looked at, and those whose stacks are kept of one dump.
const MOST_THREADS: usize = 4096;
const MOST_STACKS: usize = 32;
/// How long after a dump its stop may still be reported.
const LATE_STOPS: Duration = Duration::from_secs(2);

/// Requests thread dumps while threads stand.
#[derive(Debug)]
pub struct StallStacks {
    roots: Roots,
    jvm: Jvm,
    dir: ProcessDir,
    next_look: MonoTime,
    next_dump: MonoTime,
    standing: BTreeMap<u32, Standing>,
    dump: Option<Dump>,
    /// When stops are those for a dump.
    ours: Option<Interval>,
    left_out: u64,
}

/// A thread that was found blocked in the kernel, and has not had a CPU since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    since: MonoTime,
    counted: Counted,
}

/// One that is under way.
#[derive(Debug)]
struct Dump {
    stacks: JavaStacks,
    requested: MonoTime,
    of: BTreeMap<u32, Standing>,
}

impl StallStacks {
    /// Gets ready for a JVM that was attached to before, and so listens.
    ///
    /// # Errors
    /// Where the process has ended.
    pub fn start(roots: &Roots, jvm: &Jvm) -> io::Result<StallStacks> {
        let dir = ProcessDir::open(roots, jvm.pid)?.trusted();
        Ok(StallStacks {
            roots: roots.clone(),
            jvm: jvm.clone(),
            dir,
            next_look: now() + BETWEEN_LOOKS,
            next_dump: MonoTime::default(),
            standing: BTreeMap::new(),
            dump: None,
            ours: None,
            left_out: 0,
        })
    }

    /// Looks for threads that stand where that is due and the JVM `is_stopped` not, and puts the stacks that have
    /// come into `facts`, from which it takes the stops that were made for them: these are the recorder's doing.
    pub fn apply(&mut self, facts: &mut Facts, is_stopped: bool) {
        let at = now();
        if let Some(dump) = self.dump.take_if(|it| it.stacks.is_finished()) {
            self.take(dump, at, facts);
        }
        self.leave_out_stops(at, facts);
        if at >= self.next_look && !is_stopped {
            self.look(at);
        }
    }

    /// The same for the last time: no dump is requested any more, and one under way is not waited for.
    pub fn finish(&mut self, facts: &mut Facts) {
        self.next_look = MonoTime(u64::MAX);
        self.apply(facts, false);
    }

    fn take(&mut self, dump: Dump, at: MonoTime, facts: &mut Facts) {
        let Dump { stacks, requested, of } = dump;
        self.ours = Some(Interval::new(requested, at + LATE_STOPS));
        self.next_dump = at + BETWEEN_DUMPS.max(at.since(requested) * DUMP_REST);
        for (tid, frames) in stacks.take() {
            let stood = of.get(&tid).filter(|it| self.counted(tid) == Some(it.counted));
            if let Some(it) = stood.filter(|_| !frames.is_empty()) {
                let reaching = Interval::new(it.since, at);
                facts.java_stacks.push(JavaStackFact { tid, reaching, frames });
            }
        }
    }

    fn leave_out_stops(&mut self, at: MonoTime, facts: &mut Facts) {
        let since = match (&self.dump, self.ours) {
            (Some(dump), _) => Some(dump.requested),
            (None, ours) => ours.filter(|it| at < it.end).map(|it| it.start),
        };
        if let Some(since) = since {
            self.left_out += take_stops(facts, since).len() as u64;
        }
        if let Some(coverage) = facts.coverage.as_mut().filter(|_| self.left_out > 0) {
            let what = "left out: they were for thread dumps while threads stood";
            coverage.note("safepoints", what, self.left_out);
        }
    }

    fn look(&mut self, at: MonoTime) {
        let begun = thread_cpu();
        let before = std::mem::take(&mut self.standing);
        for tid in self.dir.numbers("task").unwrap_or_default().into_iter().take(MOST_THREADS) {
            if let Some(counted) = self.blocked(tid) {
                let since = before.get(&tid).filter(|it| it.counted == counted);
                let since = since.map_or(at, |it| it.since);
                self.standing.insert(tid, Standing { since, counted });
            }
        }
        let of = long(&self.standing, at);
        if self.dump.is_none() && at >= self.next_dump && !of.is_empty() {
            let tids = of.keys().copied().collect();
            let stacks = JavaStacks::request(&self.roots, &self.jvm, tids).ok();
            self.dump = stacks.map(|stacks| Dump { stacks, requested: at, of });
        }
        let cost = thread_cpu().saturating_sub(begun) * LOOK_REST;
        self.next_look = at + cost.max(BETWEEN_LOOKS);
    }

    /// The counts of a thread that is blocked in the kernel.
    fn blocked(&self, tid: u32) -> Option<Counted> {
        let mut task = Task::open(&self.dir, tid)?;
        let counted = task.counted()?;
        matches!(task.seen(&self.dir, true), Some(Seen::Blocked(_))).then_some(counted)
    }

    fn counted(&self, tid: u32) -> Option<Counted> {
        Task::open(&self.dir, tid)?.counted()
    }
}

/// Those that have stood long enough, the longest first where they are many.
fn long(standing: &BTreeMap<u32, Standing>, at: MonoTime) -> BTreeMap<u32, Standing> {
    let mut long: Vec<_> = standing
        .iter()
        .filter(|it| at.since(it.1.since) >= BETWEEN_LOOKS)
        .map(|it| (*it.0, *it.1))
        .collect();
    long.sort_by_key(|it| it.1.since);
    long.truncate(MOST_STACKS);
    long.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_stood_for_a_second_are_taken_the_longest_first() {
        let s = |it: u64| MonoTime(it * 1_000_000_000);
        let standing = |since| Standing { since, counted: Counted::default() };
        let all = BTreeMap::from([(1, standing(s(9))), (2, standing(s(8))), (3, standing(s(7)))]);
        let tids = |at| long(&all, at).into_keys().collect::<Vec<_>>();
        assert_eq!(tids(s(9)), [2, 3]);
        assert_eq!(tids(MonoTime(s(9).0 - 1)), [3]);
        let many = (0..MOST_STACKS as u32 + 5).map(|it| (it, standing(s(u64::from(100 - it)))));
        let found = long(&many.collect(), s(200));
        assert_eq!(
            (found.len(), found.contains_key(&4), found.contains_key(&5)),
            (MOST_STACKS, false, true)
        );
    }
}
