//! What is known of a JVM of which nothing tells the stops: no probes, no symbols, no counters.
//!
//! Its threads are looked at when the recording begins and when it ends. Where its VM thread has done
//! nothing all the time, that, what it waits for, and which Java threads ran meanwhile is worth more
//! than that nothing is known: it may be the middle of a stop.
use super::task::Task;
use crate::{
    aside::functions,
    host::{ProcessDir, now},
    kernel::Threads,
};
use recording::{Coverage, ThreadRole};
use std::collections::BTreeMap;

/// More threads are not looked at.
const MAX_THREADS: usize = 4096;
/// Java threads that are named.
const NAMED: usize = 3;
/// Functions of the kernel that are reported.
const MAX_FUNCTIONS: usize = 6;
const STACK_BYTES: u64 = 4096;

/// What the scheduler had counted of each thread at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Idle {
    /// The VM thread, and how often it had got a CPU.
    vm: Option<(u32, u64)>,
    /// CPU time of each Java thread in nanoseconds.
    java: BTreeMap<u32, u64>,
}

impl Idle {
    /// Samples all threads.
    pub(crate) fn sample(dir: &ProcessDir, roles: &mut Threads) -> Idle {
        let mut idle = Idle::default();
        let tids = dir.numbers("task").unwrap_or_default();
        for tid in tids.into_iter().take(MAX_THREADS) {
            let counted = Task::open(dir, tid).and_then(|it| it.counted());
            let Some(counted) = counted else { continue };
            match roles.role(tid, now()) {
                ThreadRole::VmThread => idle.vm = Some((tid, counted.turns)),
                ThreadRole::Java => drop(idle.java.insert(tid, counted.ran_ns)),
                _ => {}
            }
        }
        idle
    }

    /// Says in the coverage where the VM thread has done nothing from `self` until now.
    pub(crate) fn note_in(&self, dir: &ProcessDir, roles: &mut Threads, coverage: &mut Coverage) {
        let now = Idle::sample(dir, roles);
        let Some((vm, _)) = self.vm.filter(|it| now.vm == Some(*it)) else { return };
        let text = |tid: u32, name: &str| {
            let text = dir.text(&format!("task/{tid}/{name}"), STACK_BYTES);
            text.map(|it| it.trim().to_owned()).unwrap_or_default()
        };
        let mut waits = functions(&text(vm, "stack"));
        if waits.is_empty() {
            waits.extend(Some(text(vm, "wchan")).filter(|it| it.len() > 1));
        }
        let ran: Vec<String> = self.ran(&now).iter().map(|tid| text(*tid, "comm")).collect();
        coverage.note("safepoints", &reported(&waits, &ran), 1);
    }

    /// Java threads that had CPU time from `self` until `now`.
    fn ran(&self, now: &Idle) -> Vec<u32> {
        let before = |tid: &u32| self.java.get(tid).copied().unwrap_or(0);
        now.java.iter().filter(|(tid, ran)| **ran > before(tid)).map(|(tid, _)| *tid).collect()
    }
}

/// `all the time the VM thread only waited, in the kernel in futex_wait, and no Java thread ran: …`
fn reported(waits: &[String], ran: &[String]) -> String {
    let waits = match waits {
        [] => String::new(),
        functions => {
            let shown: Vec<&str> =
                functions.iter().take(MAX_FUNCTIONS).map(String::as_str).collect();
            format!(", in the kernel in {}", shown.join(" < "))
        }
    };
    let names =
        |few: &[String]| few.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let ran = match ran {
        [] => "no Java thread ran".to_owned(),
        few if few.len() <= NAMED => format!("of the Java threads only {} ran", names(few)),
        many => format!("{} Java threads ran", many.len()),
    };
    format!(
        "all the time the VM thread only waited{waits}, and {ran}: this may be a stop that no \
         source reports"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_vm_thread_waits_for_and_who_ran_is_reported() {
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let check = |waits: &str, ran: &str, expected: &str| {
            let reported = reported(&words(waits), &words(ran));
            let end = ": this may be a stop that no source reports";
            assert_eq!(reported.strip_suffix(end), Some(expected));
        };
        check(
            "jbd2_log_wait_commit ext4_sync",
            "",
            "all the time the VM thread only waited, in the kernel in \
             jbd2_log_wait_commit < ext4_sync, and no Java thread ran",
        );
        check(
            "",
            "counter",
            "all the time the VM thread only waited, and of the Java threads only `counter` ran",
        );
        check("", "a b c d", "all the time the VM thread only waited, and 4 Java threads ran");
    }

    #[test]
    fn only_java_threads_that_had_a_cpu_ran() {
        let idle = |java: &[(u32, u64)]| Idle { vm: None, java: java.iter().copied().collect() };
        let before = idle(&[(1, 10), (2, 20), (3, 5)]);
        assert_eq!(before.ran(&idle(&[(1, 10), (2, 21), (4, 1), (5, 0)])), [2, 4]);
    }
}
