//! Kernel stacks: from addresses to function names, each once.
use super::symbols::Symbols;
use recording::StackFact;
use std::{collections::HashMap, sync::Arc};

/// Number of innermost frames among which are those of our own program and of the scheduler.
const OWN_FRAMES: usize = 10;
/// Where they begin with one of these they say nothing but "it did not run".
const OWN: &[&str] = &[
    "bpf_",
    "__bpf_",
    "__traceiter_",
    "__schedule",
    "schedule",
    "preempt_schedule",
    "__cond_resched",
    "dynamic_cond_resched",
];
/// `filemap_fault` and those built on it: the fault waits for a page of the file that
/// `mm_filemap_fault` named last.
const FILE_FAULT: &str = "filemap_fault";

/// The stacks seen so far. The kernel's id of a stack is its key in the recording as well: the
/// kernel keeps the first stack of a bucket and never replaces it.
#[derive(Debug)]
pub(crate) struct Stacks {
    symbols: Arc<Symbols>,
    /// Whether the stack is one of a fault in a mapped file. `None` where it could not be read.
    known: HashMap<u32, Option<bool>>,
}

impl Stacks {
    pub(crate) fn new(symbols: Arc<Symbols>) -> Stacks {
        Stacks { symbols, known: HashMap::new() }
    }

    /// The key of the stack with the kernel's `id`, and whether it is a file fault. The first
    /// time, `addresses` is asked for it and its fact is added to `facts`.
    pub(crate) fn resolve(
        &mut self,
        id: i32,
        addresses: impl FnOnce(u32) -> Option<Vec<u64>>,
        facts: &mut Vec<StackFact>,
    ) -> Option<(u32, bool)> {
        let id = u32::try_from(id).ok()?;
        if let Some(known) = self.known.get(&id) {
            return known.map(|file_fault| (id, file_fault));
        }
        let frames = addresses(id).map(|it| self.frames(&it)).filter(|it| !it.is_empty());
        let file_fault =
            frames.as_ref().map(|it| it.iter().any(|frame| frame.ends_with(FILE_FAULT)));
        self.known.insert(id, file_fault);
        facts.extend(frames.map(|frames| StackFact { id, frames }));
        file_fault.map(|file_fault| (id, file_fault))
    }

    /// Names, innermost first, without the frames in which the kernel put the thread aside.
    fn frames(&self, addresses: &[u64]) -> Vec<String> {
        let addresses = addresses.iter().take_while(|it| **it != 0);
        let names: Vec<&str> = addresses.map(|it| self.symbols.name(*it).unwrap_or("?")).collect();
        // The innermost frames lie in our own program, which has no symbol of its own: whatever
        // name stands there goes with the others.
        let own = names.iter().take(OWN_FRAMES).rposition(|name| is_own(name));
        let from = own.map_or(0, |last| last + 1);
        names[from..].iter().map(|it| (*it).to_owned()).collect()
    }
}

fn is_own(name: &str) -> bool {
    // `schedule_timeout` and its like are callers, and say more than `schedule`.
    OWN.iter().any(|own| match *own {
        "schedule" | "__schedule" => name == *own,
        own => name.starts_with(own),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves the stack made of the functions of `stack`, `?` standing for an address of our
    /// own program.
    fn check(stack: &str, expected: &str, file_fault: bool) {
        let names: Vec<&str> = stack.split_whitespace().collect();
        let kallsyms: String = names
            .iter()
            .enumerate()
            .map(|(n, name)| format!("{:x} t {name}\n", 0x1000 + n * 16))
            .collect();
        let mut stacks = Stacks::new(Arc::new(Symbols::for_test(&kallsyms)));
        let addresses: Vec<u64> =
            (0..names.len()).map(|n| 0x1000 + n as u64 * 16 + 5).chain([0, 0]).collect();
        let mut facts = Vec::new();
        let found = stacks.resolve(7, |_| Some(addresses), &mut facts);
        assert_eq!(found, Some((7, file_fault)));
        assert_eq!(facts[0].frames.join(" "), expected);
        assert_eq!(stacks.resolve(7, |_| None, &mut facts), found);
        assert_eq!(facts.len(), 1);
    }

    #[test]
    fn the_frames_of_the_tracepoint_and_the_scheduler_are_left_out() {
        check(
            "nonsense bpf_trace_run4 __traceiter_sched_switch __schedule schedule io_schedule vfs_write",
            "io_schedule vfs_write",
            false,
        );
        check(
            "x __traceiter_sched_switch __schedule schedule schedule_timeout f",
            "schedule_timeout f",
            false,
        );
        check("x __traceiter_sched_switch __schedule preempt_schedule_common f", "f", false);
        check("vfs_write ksys_write", "vfs_write ksys_write", false);
    }

    #[test]
    fn file_faults_are_distinguished_from_others() {
        check(
            "schedule folio_wait_bit_common filemap_fault __do_fault",
            "folio_wait_bit_common filemap_fault __do_fault",
            true,
        );
        check("schedule xfs_filemap_fault", "xfs_filemap_fault", true);
        check("schedule do_swap_page", "do_swap_page", false);
    }

    #[test]
    fn a_stack_that_cannot_be_read_is_none() {
        let mut stacks = Stacks::new(Arc::default());
        let mut facts = Vec::new();
        assert_eq!(stacks.resolve(3, |_| None, &mut facts), None);
        assert_eq!(stacks.resolve(-17, |_| Some(vec![1]), &mut facts), None);
        assert_eq!(facts, []);
    }
}
