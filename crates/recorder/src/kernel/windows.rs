//! Puts safepoints together from what the probes fired.
//!
//! A safepoint is not complete at its end probe: JDK 11 wakes the Java threads after it
//! (`SafepointSynchronize::end` calls `post_safepoint_end_event` first), JDK 17 to 25 before it
//! (`disarm_safepoint` first). So it is held back for two more drains.
use super::{
    OpenStop,
    record::{End, Record},
};
use recording::{
    Cut, Interval, MonoTime, SafepointFact, SafepointTotals, ThreadRole, VmOperationFact,
};
use std::{collections::VecDeque, time::Duration};

/// Drains between an end probe and the safepoint being complete. One is not enough: it may come
/// a microsecond after the probe.
const DRAINS_HELD: u8 = 2;
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
    /// When the recording began.
    started: MonoTime,
}

impl Windows {
    /// Takes note of a record, in the order of the ring buffer. Those of other kinds are ignored.
    pub(crate) fn receive(&mut self, record: &Record<'_>) {
        match *record {
            Record::Begin { vm_tid, at } => self.begin(vm_tid, at),
            Record::Operation { interval, name } => self.operation(interval, name),
            Record::Wake { tid, at } => self.wake(tid, at),
            Record::End(end) => self.end(end),
            Record::Slice(_) | Record::Work(_) | Record::Code { .. } | Record::Writer { .. } => {}
        }
    }

    /// The recording begins now, that of stops whose begin nobody saw as well.
    pub(crate) fn start(&mut self, at: MonoTime) {
        self.started = at;
    }

    /// The JVM was in a stop when the recording began.
    pub(crate) fn begun_before(&mut self, vm_tid: u32) {
        let window = Window { begun_before: true, ..Window::new(self.started, vm_tid) };
        // What began since comes after it.
        self.windows.push_front(window);
    }

    /// It was over before this could be known for sure.
    pub(crate) fn retract(&mut self) {
        self.windows.pop_front_if(|it| it.begun_before && it.end.is_none());
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
        if end.end <= self.started {
            return;
        }
        if self.open().is_none() {
            let window = Window { begun_before: true, ..Window::new(self.started, end.vm_tid) };
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

    /// The stop that is not over was told, as the end of the recording cut it.
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
        let end = window.end?;
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

/// Sets the totals to nothing, where the scheduler was not watched.
pub(crate) fn without_totals(mut fact: SafepointFact) -> SafepointFact {
    fact.reaching = SafepointTotals::default();
    fact.operating = SafepointTotals::default();
    fact
}

#[cfg(test)]
mod tests {
    use super::*;

    const VM: u32 = 2;
    const WORKER: u32 = 3;
    const JAVA: u32 = 9;

    fn role(tid: u32) -> ThreadRole {
        if tid == WORKER { ThreadRole::GcWorker } else { ThreadRole::Java }
    }

    /// Plays `events` (`begin 10`, `op 12 15 Name`, `wake 9 16`, `end 10 20`, `drain`) and tells
    /// `begin..resumed/end operations` of each safepoint that became complete.
    fn check(events: &str, expected: &str) {
        let mut windows = Windows::default();
        windows.start(MonoTime(5));
        let mut found = Vec::new();
        for event in events.split(',').map(str::trim) {
            let words: Vec<&str> = event.split_whitespace().collect();
            let number = |n: usize| words[n].parse::<u64>().unwrap();
            match words[0] {
                "begin" => windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(number(1)) }),
                "op" => windows.receive(&Record::Operation {
                    interval: Interval::new(MonoTime(number(1)), MonoTime(number(2))),
                    name: words[3],
                }),
                "wake" => windows.receive(&Record::Wake {
                    tid: u32::try_from(number(1)).unwrap(),
                    at: MonoTime(number(2)),
                }),
                "end" => windows.receive(&Record::End(End {
                    vm_tid: VM,
                    begin: MonoTime(number(1)),
                    end: MonoTime(number(2)),
                    ..End::default()
                })),
                "assume" => windows.begun_before(VM),
                _ => found.extend(windows.complete(false, role)),
            }
        }
        let text = |it: &SafepointFact| {
            let cut = if it.cut.begin { "<" } else { "" };
            let names: Vec<&str> = it.operations.iter().map(|op| op.name.as_str()).collect();
            let resumed = it.resumed.map_or("-".into(), |at| at.0.to_string());
            format!("{cut}{}..{resumed}/{} {}", it.begin.0, it.end_probe.0, names.join("+"))
        };
        assert_eq!(found.iter().map(text).collect::<Vec<_>>().join("; "), expected, "{events}");
    }

    #[test]
    fn a_safepoint_is_complete_two_drains_after_the_one_that_brought_its_end() {
        check("begin 10, op 12 15 A, end 10 20, drain, drain", "");
        check("begin 10, op 12 15 A, end 10 20, drain, drain, drain", "10..-/20 A");
    }

    #[test]
    fn the_stop_ends_with_the_first_java_thread_woken() {
        let done = "drain, drain, drain";
        check(
            &format!("begin 10, op 12 15 A, wake 3 16, wake 9 17, wake 9 18, end 10 20, {done}"),
            "10..17/20 A",
        );
        check(&format!("begin 10, op 12 15 A, wake 3 16, end 10 20, {done}"), "10..-/20 A");
        check(
            &format!("begin 10, op 12 15 A, wake 9 16, op 17 18 B, wake 9 19, end 10 20, {done}"),
            "10..19/20 A+B",
        );
    }

    #[test]
    fn jdk_11_wakes_after_its_end_probe() {
        check("begin 10, op 12 15 A, end 10 20, drain, wake 9 21, drain, drain", "10..21/20 A");
    }

    #[test]
    fn a_jvm_that_wakes_before_its_end_probe_does_not_do_so_after_it() {
        check(
            "begin 10, op 12 15 A, wake 9 16, end 10 20, begin 30, op 31 32 B, end 30 40, wake 9 44, drain, drain, drain",
            "10..16/20 A; 30..-/40 B",
        );
    }

    #[test]
    fn a_lost_begin_or_end_loses_one_safepoint_at_most() {
        check("end 10 20, drain, drain, drain", "10..-/20 ");
        check("begin 10, begin 30, end 30 40, drain, drain, drain", "30..-/40 ");
    }

    #[test]
    fn a_stop_that_had_begun_before_is_told_from_the_begin_of_the_recording_on() {
        check("end 0 20, drain, drain, drain", "<5..-/20 ");
        check("assume, op 5 15 A, wake 9 16, end 5 20, drain, drain, drain", "<5..16/20 A");
        // This kernel could not be told of it.
        check("assume, end 0 20, drain, drain, drain", "<5..-/20 ");
        // It was over before the recording began.
        check(
            "end 0 4, drain, drain, drain, begin 10, end 10 20, drain, drain, drain",
            "10..-/20 ",
        );
    }

    #[test]
    fn a_stop_that_is_not_over_is_told_as_far_as_it_came() {
        let mut windows = Windows::default();
        windows.start(MonoTime(5));
        windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(7) });
        let operation =
            VmOperationFact { name: "A".into(), interval: Interval::new(MonoTime(9), MonoTime(9)) };
        let open = OpenStop {
            begin: MonoTime(7),
            vm_tid: VM,
            operation: Some(operation),
            ..OpenStop::default()
        };
        let fact = windows.under_way(MonoTime(30), Some(&open)).unwrap();
        assert_eq!((fact.begin, fact.end_probe), (MonoTime(7), MonoTime(30)));
        assert_eq!(fact.cut, Cut { begin: false, end: true });
        assert_eq!(fact.operations[0].interval, Interval::new(MonoTime(9), MonoTime(30)));
        // What the kernel side says is of another stop.
        let other = OpenStop { begin: MonoTime(1), ..open };
        assert_eq!(windows.under_way(MonoTime(30), Some(&other)).unwrap().operations, []);
        windows.receive(&Record::End(End {
            begin: MonoTime(7),
            end: MonoTime(31),
            ..End::default()
        }));
        assert_eq!(windows.under_way(MonoTime(40), None), None);
    }

    #[test]
    fn an_open_safepoint_keeps_what_belongs_to_it() {
        let mut windows = Windows::default();
        windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(7) });
        assert_eq!(windows.complete(true, role), []);
        assert_eq!(windows.oldest_begin(), Some(MonoTime(7)));
        assert_eq!(JAVA, 9);
    }
}
