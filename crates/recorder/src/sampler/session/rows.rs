//! What was seen of a thread, as rows.
use super::SampledSession;
use crate::sampler::{keep::Kept, text::WRITES};
use recording::{Architecture, Facts, OffCpuCause, StackFact, ThreadSlice};
use std::time::Duration;

/// Functions of the kernel that are remembered.
const MAX_FUNCTIONS: usize = 4096;

impl SampledSession {
    pub(super) fn slice(&mut self, kept: Kept, facts: &mut Facts) -> ThreadSlice {
        let Kept { tid, piece, .. } = kept;
        let fd = match piece.why.entered {
            Some(OffCpuCause::Syscall(number)) if Architecture::HERE.takes_descriptor(number) => {
                piece.why.first
            }
            _ => None,
        };
        let waits_for_reader = piece.why.function.as_deref().is_some_and(|it| WRITES.contains(&it));
        let files = self.host.files();
        let file = fd.and_then(|fd| match files.by_fd(fd) {
            None if waits_for_reader => files.socket_by_fd(fd),
            file => file,
        });
        ThreadSlice {
            tid,
            interval: piece.interval,
            state: piece.state,
            merged_wait: Duration::ZERO,
            entered: piece.why.entered,
            fd,
            file,
            fault_offset: None,
            frozen: piece.why.frozen,
            stack: piece.why.function.and_then(|it| self.stack(it, facts)),
            woken_by: None,
            released_by: None,
            cpu_holder: None,
            taken: Duration::ZERO,
            sampled: true,
        }
    }

    /// The key of a stack of this one function.
    fn stack(&mut self, function: String, facts: &mut Facts) -> Option<u32> {
        if let Some(id) = self.functions.get(&function) {
            return Some(*id);
        }
        if self.functions.len() >= MAX_FUNCTIONS {
            return None;
        }
        let id = u32::try_from(self.functions.len()).ok()?;
        facts.stacks.push(StackFact { id, frames: vec![function.clone()] });
        self.functions.insert(function, id);
        Some(id)
    }
}
