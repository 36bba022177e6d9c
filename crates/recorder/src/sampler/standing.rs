//! What each thread does at one moment: the end or the begin of a recording that cuts a stop. A thread
//! that did the same from there on has left its CPU nowhere, so that the kernel reported nothing.
use super::{
    task::Task,
    text::Counted,
    track::{Seen, Why},
};
use crate::{
    host::{ProcessDir, now},
    kernel::Threads,
};
use recording::{MonoTime, ThreadRole, ThreadState};
use std::{collections::BTreeMap, thread, time::Duration};

/// More threads are not looked at; those that work in stops come first in any case.
const MAX_THREADS: usize = 4096;
/// How long all samples together may take.
const LONGEST_SAMPLE: Duration = Duration::from_millis(100);
/// The kernel books the time of a thread that runs once in a tick.
const TICK: Duration = Duration::from_millis(12);
/// Bytes of a kernel stack as text, as far as it matters.
const STACK_BYTES: u64 = 8 * 1024;

/// What a thread was found doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) state: ThreadState,
    pub(crate) why: Why,
    /// The kernel's functions that it waits in, innermost first; empty where that is not shown.
    pub(crate) stack: Vec<String>,
    /// How often it had got a CPU by then.
    pub(crate) turns: Option<u64>,
}

/// All threads at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) at: MonoTime,
    pub(crate) threads: BTreeMap<u32, Standing>,
}

/// Samples every thread once; those that want a CPU twice, to see which of them have one. Threads
/// of the application that sleep are left out: a stop waits for none of them.
pub(crate) fn sample(dir: &ProcessDir, roles: &mut Threads) -> Snapshot {
    let begun = now();
    let mut threads = BTreeMap::new();
    let mut wanting: Vec<(Task, Option<Counted>)> = Vec::new();
    for tid in in_order(dir, roles) {
        if now().since(begun) > LONGEST_SAMPLE {
            break;
        }
        let Some(mut task) = Task::open(dir, tid) else { continue };
        let role = roles.role(tid, begun);
        let works = matches!(role, ThreadRole::VmThread | ThreadRole::GcWorker);
        let counted = task.counted();
        let standing = match task.seen(dir, works) {
            Some(Seen::Wants) => {
                wanting.push((task, counted));
                continue;
            }
            Some(Seen::Blocked(why)) => blocked(dir, tid, ThreadState::Blocked, why),
            Some(Seen::Stopped(why)) => blocked(dir, tid, ThreadState::Stopped, why),
            Some(Seen::Sleeps) if works => {
                let why = Why { function: None, ..task.why(dir) };
                Standing { state: ThreadState::Blocked, why, stack: Vec::new(), turns: None }
            }
            Some(Seen::Sleeps) | None => continue,
        };
        let turns = counted.map(|it| it.turns);
        threads.insert(tid, Standing { turns, ..standing });
    }
    if !wanting.is_empty() {
        thread::sleep(TICK);
    }
    for (task, before) in wanting {
        let ran = |it: Option<Counted>| it.map(|it| it.ran_ns);
        let has_one = ran(task.counted()) != ran(before);
        let state = if has_one { ThreadState::OnCpu } else { ThreadState::Runnable };
        let (why, turns) = (Why::default(), before.map(|it| it.turns));
        threads.insert(task.tid, Standing { state, why, stack: Vec::new(), turns });
    }
    Snapshot { at: begun, threads }
}

/// Those that work in stops first.
fn in_order(dir: &ProcessDir, roles: &mut Threads) -> Vec<u32> {
    let at = now();
    let mut tids = dir.numbers("task").unwrap_or_default();
    tids.sort_by_key(|tid| match roles.role(*tid, at) {
        ThreadRole::VmThread => 0,
        ThreadRole::GcWorker => 1,
        _ => 2,
    });
    tids.truncate(MAX_THREADS);
    tids
}

fn blocked(dir: &ProcessDir, tid: u32, state: ThreadState, why: Why) -> Standing {
    let text = dir.text(&format!("task/{tid}/stack"), STACK_BYTES).unwrap_or_default();
    let mut stack: Vec<String> = text.lines().filter_map(frame).collect();
    if stack.is_empty() {
        stack.extend(why.function.clone());
    }
    Standing { state, why, stack, turns: None }
}

/// `[<0>] folio_wait_bit_common+0x13b/0x2e0`.
fn frame(line: &str) -> Option<String> {
    let name = line.split_whitespace().nth(1)?.split(['+', '.']).next()?;
    (!name.is_empty() && !name.starts_with("0x")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_kernel_stack_is_a_function() {
        assert_eq!(frame("[<0>] folio_wait_bit+0x13b/0x2e0").as_deref(), Some("folio_wait_bit"));
        assert_eq!(frame("[<0>] do_fault.constprop.0+0x1/0x2").as_deref(), Some("do_fault"));
        assert_eq!(frame("[<0>] 0xffffffffffffffff"), None);
        assert_eq!(frame(""), None);
    }
}
