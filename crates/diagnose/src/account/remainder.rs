//! Stopped time that no cause claimed, by what was seen.
use crate::{
    Unexplained,
    case::{LogPart, Segment},
    facts::{index::Index, syscalls},
};
use recording::ThreadState;
use std::{borrow::Cow, collections::BTreeMap, time::Duration};

/// How many unexplained things are listed.
const MOST: usize = 10;

/// Stopped time that no cause claimed, by what was seen.
#[derive(Debug, Default)]
pub(crate) struct Remainder {
    by_what: BTreeMap<Cow<'static, str>, Duration>,
}

impl Remainder {
    /// Adds a piece.
    pub(crate) fn add(&mut self, segment: &Segment<'_>, index: &Index<'_>, time: Duration) {
        *self.by_what.entry(what(segment, index)).or_default() += time;
    }

    /// Most time first.
    pub(crate) fn finish(self) -> Vec<Unexplained> {
        let mut list: Vec<_> = self
            .by_what
            .into_iter()
            .map(|(what, time)| Unexplained { what: what.into_owned(), time })
            .collect();
        list.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.what.cmp(&b.what)));
        list.truncate(MOST);
        list
    }
}

fn what(segment: &Segment<'_>, index: &Index<'_>) -> Cow<'static, str> {
    if let Some(part) = segment.log_part() {
        return Cow::Borrowed(in_log(part));
    }
    let thread = index.thread_name(segment.tid);
    Cow::Owned(match segment.state() {
        None => format!("{thread} was not seen"),
        Some(ThreadState::OnCpu) => format!("{thread} ran"),
        Some(ThreadState::Runnable) => format!("{thread} waited for a CPU"),
        Some(ThreadState::Throttled) => format!("{thread} was throttled by its CPU quota"),
        Some(ThreadState::Stopped) => {
            format!("{thread} was stopped by a signal, a debugger or the freezer")
        }
        Some(ThreadState::Blocked) if segment.is_idle() => {
            format!("{thread} waited; what for was not recorded")
        }
        Some(ThreadState::Blocked) => blocked(segment, &thread, index),
    })
}

/// What a log shows of time that it does not explain.
fn in_log(part: LogPart) -> &'static str {
    match part {
        LogPart::Reaching => "application threads took long to stop; a log does not show why",
        LogPart::Kernel => {
            "a collection's threads were busy in the kernel; a log does not show with what"
        }
        LogPart::Waiting => "a collection took longer than its CPU time; a log does not show why",
        LogPart::Beyond => {
            "a collection took far longer than the others of its log; a log does not show why"
        }
        LogPart::Around => "the stop went on without a collection; a log does not show why",
        LogPart::Hiccup => {
            "the application did not run, and no collection was counted; its log does not show why"
        }
        LogPart::Unresolved => "the application did not run; its log does not show collections",
        LogPart::References | LogPart::Collecting => "a log does not show what happened",
    }
}

fn blocked(segment: &Segment<'_>, thread: &str, index: &Index<'_>) -> String {
    let frames: Vec<_> = index
        .frames(segment.slice().and_then(|it| it.stack))
        .iter()
        .take(6)
        .map(String::as_str)
        .collect();
    let stack = if frames.is_empty() { String::new() } else { format!(": {}", frames.join(" < ")) };
    let call = syscalls::call(index.architecture(), segment.entered());
    format!("{thread} blocked in {call}{stack}")
}
