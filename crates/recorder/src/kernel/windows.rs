//! Puts safepoints together from what the probes fired.
//!
//! A safepoint is not complete at its end probe: JDK 11 wakes the Java threads after it
//! (`SafepointSynchronize::end` calls `post_safepoint_end_event` first), JDK 17 to 25 before it
//! (`disarm_safepoint` first). So it is held back for one more drain, a tenth of a second.
use super::{
    OpenStop,
    record::{End, Record},
};
use recording::{
    Cut, Interval, MonoTime, SafepointFact, SafepointTotals, ThreadRole, VmOperationFact,
};
use std::{collections::VecDeque, time::Duration};

/// Drains after which the safepoint is complete: the one with its end may come a microsecond after
/// that, and the next one comes a tenth of a second later.
const DRAINS_HELD: u8 = 1;
/// JDK 11 to 14 run a few operations in one safepoint; a runaway must not fill the memory.
const MAX_OPERATIONS: usize = 64;
/// The kernel side sends 8 after each operation.
const MAX_WAKES: usize = 16;

/// One safepoint in the making.
#[derive(Debug)]
struct Window {
    begin: MonoTime,
    vm_tid: u32,
    operations: Vec<VmOperationFact>,
    wakes: Vec<(u32, MonoTime)>,
    end: Option<End>,
    drains: u8,
    /// It had begun before the recording, which began at `begin`.
    begun_before: bool,
}

impl Window {
    fn new(begin: MonoTime, vm_tid: u32) -> Window {
        Window {
            begin,
            vm_tid,
            operations: Vec::new(),
            wakes: Vec::new(),
            end: None,
            drains: 0,
            begun_before: false,
        }
    }
}

/// Safepoints that are open or not yet complete, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    windows: VecDeque<Window>,
    /// This JVM wakes Java threads before its end probe: a wake-up after it is another matter.
    resumes_before_end: bool,
    /// Safepoints whose end was lost.
    torn: u64,
    /// When the recording began, once it has.
    started: Option<MonoTime>,
    /// The JVM was seen to run then: a stop with an unseen begin was over.
    ran: bool,
}

impl Windows {
    /// Takes note of a record, in the order of the ring buffer. Those of other kinds are ignored.
    pub(crate) fn receive(&mut self, record: &Record<'_>) {
        match *record {
            Record::Begin { vm_tid, at } => self.begin(vm_tid, at),
            Record::Operation { interval, name } => self.operation(interval, name),
            Record::Wake { tid, at } => self.wake(tid, at),
            Record::End(end) => self.end(end),
            Record::Slice(_)
            | Record::Work(_)
            | Record::Code { .. }
            | Record::Writer { .. }
            | Record::Run(_) => {}
        }
    }

    /// The recording begins now, that of stops with an unseen begin as well. `runs` where the JVM
    /// was seen to run, so that it is in no stop that began before.
    pub(crate) fn start(&mut self, at: MonoTime, runs: bool) {
        self.started = Some(at);
        self.ran = runs;
    }

    /// The JVM was in a stop when the recording began.
    pub(crate) fn begun_before(&mut self, vm_tid: u32) {
        let started = self.started.unwrap_or_default();
        let window = Window { begun_before: true, ..Window::new(started, vm_tid) };
        // What began since comes after it.
        self.windows.push_front(window);
    }

    /// It was over before this could be known for sure.
    pub(crate) fn retract(&mut self) {
        self.windows.pop_front_if(|it| it.begun_before);
    }

    fn begin(&mut self, vm_tid: u32, at: MonoTime) {
        self.windows.push_back(Window::new(at, vm_tid));
    }

    fn open(&mut self) -> Option<&mut Window> {
        self.windows.back_mut().filter(|it| it.end.is_none())
    }

    fn operation(&mut self, interval: Interval, name: &str) {
        if let Some(window) = self.open()
            && window.operations.len() < MAX_OPERATIONS
        {
            window.wakes.clear();
            window.operations.push(VmOperationFact { name: name.into(), interval });
        }
    }

    fn wake(&mut self, tid: u32, at: MonoTime) {
        if let Some(window) = self.windows.back_mut()
            && window.wakes.len() < MAX_WAKES
        {
            window.wakes.push((tid, at));
        }
    }

    /// The end of a stop whose begin was before the programs ran.
    fn end_alone(&mut self, end: End) {
        // Until the recording begins no stop is part of it.
        let Some(started) = self.started.filter(|it| !self.ran && *it < end.end) else { return };
        if self.open().is_none() {
            let window = Window { begun_before: true, ..Window::new(started, end.vm_tid) };
            self.windows.push_back(window);
        }
        if let Some(window) = self.windows.back_mut() {
            window.end = Some(End { begin: window.begin, ..end });
        }
    }

    fn end(&mut self, end: End) {
        if end.begin == MonoTime(0) {
            return self.end_alone(end);
        }
        // Where the record of the begin was lost, this one knows it too.
        if self.open().is_none_or(|it| it.begin != end.begin) {
            self.windows.push_back(Window::new(end.begin, end.vm_tid));
        }
        if let Some(window) = self.windows.back_mut() {
            window.end = Some(end);
        }
    }

    /// The begin of the oldest safepoint that is not complete: what ended before it is of no use.
    pub(crate) fn oldest_begin(&self) -> Option<MonoTime> {
        self.windows.front().map(|it| it.begin)
    }

    /// The stop that is not over at `now`, with what the kernel side says of it.
    pub(crate) fn under_way(
        &self,
        now: MonoTime,
        open: Option<&OpenStop>,
    ) -> Option<SafepointFact> {
        let window = self.windows.back().filter(|it| it.end.is_none())?;
        let open = open.filter(|it| it.begin == window.begin);
        let mut operations = window.operations.clone();
        if let Some(operation) = open.and_then(|it| it.operation.clone()) {
            let start = operation.interval.start.max(window.begin);
            let interval = Interval::new(start, now.max(start));
            operations.push(VmOperationFact { interval, ..operation });
        }
        Some(SafepointFact {
            begin: window.begin,
            resumed: None,
            end_probe: now.max(window.begin),
            vm_tid: window.vm_tid,
            operations,
            detailed: false,
            reaching: open.map_or_else(SafepointTotals::default, |it| it.reaching),
            operating: open.map_or_else(SafepointTotals::default, |it| it.operating),
            cgroup_throttled: Duration::ZERO,
            cut: Cut { begin: window.begun_before, end: true },
        })
    }

    /// The stop that is not over was reported, as the end of the recording cut it.
    pub(crate) fn cut(&mut self) {
        self.windows.pop_back_if(|it| it.end.is_none());
    }

    /// Safepoints whose end the kernel could not hand over.
    pub(crate) fn torn(&self) -> u64 {
        self.torn
    }

    /// To be called once after each drain: returns the safepoints that became complete.
    /// `role` tells what a thread is for. With `all` nothing is held back.
    pub(crate) fn complete(
        &mut self,
        all: bool,
        mut role: impl FnMut(u32) -> ThreadRole,
    ) -> Vec<SafepointFact> {
        let mut facts = Vec::new();
        for window in &mut self.windows {
            window.drains = window.drains.saturating_add(u8::from(window.end.is_some()));
        }
        while let Some(window) = self.windows.front() {
            let torn = window.end.is_none() && self.windows.len() > 1;
            let held = window.end.is_none() || window.drains <= DRAINS_HELD;
            if torn {
                self.torn += 1;
                self.windows.pop_front();
                continue;
            }
            if held && !(all && window.end.is_some()) {
                break;
            }
            let Some(window) = self.windows.pop_front() else { break };
            facts.extend(self.fact(window, &mut role));
        }
        facts
    }

    fn fact(
        &mut self,
        window: Window,
        role: &mut impl FnMut(u32) -> ThreadRole,
    ) -> Option<SafepointFact> {
        // One that was over when the recording began is no part of it, even where all of it was seen.
        let end = window.end.filter(|it| self.started.is_none_or(|started| started < it.end))?;
        let from = window.operations.last().map_or(window.begin, |it| it.interval.end);
        let java = window
            .wakes
            .iter()
            .filter(|(_, at)| *at >= from)
            .find(|(tid, _)| *tid != window.vm_tid && role(*tid) == ThreadRole::Java)
            .map(|(_, at)| *at);
        self.resumes_before_end |= java.is_some_and(|at| at <= end.end);
        Some(SafepointFact {
            begin: window.begin,
            resumed: java.filter(|at| *at <= end.end || !self.resumes_before_end),
            end_probe: end.end,
            vm_tid: window.vm_tid,
            operations: window.operations,
            detailed: false,
            reaching: end.reaching,
            operating: end.operating,
            cgroup_throttled: end.cgroup_throttled,
            cut: Cut { begin: window.begun_before, end: false },
        })
    }
}

/// Sets the totals to nothing, where the scheduler was not recorded.
pub(crate) fn without_totals(mut fact: SafepointFact) -> SafepointFact {
    fact.reaching = SafepointTotals::default();
    fact.operating = SafepointTotals::default();
    fact
}

#[cfg(test)]
mod tests;
