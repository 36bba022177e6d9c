//! What a cause claimed over a whole input, summed as the pauses go by.
use crate::{
    Certainty, MechanismShare, Pause, PauseKind, WaitLocation,
    account::cpu_use::CpuUse,
    case::{Case, Segment},
    facts::index::Index,
    history::{Collection, is_full},
    mechanisms,
    values::linear_map::LinearMap,
    wait::outputs,
};
use recording::{FileKey, Interval, OffCpuCause, OutputFact};
use std::{collections::BTreeMap, time::Duration};

/// How many of the longest pauses of a cause are kept, to look for writers around them.
const WINDOWS: usize = 64;

/// Number of operations that are distinguished; more names can only come from a damaged log.
const MOST_OPERATIONS: usize = 256;

/// What all others are called.
const OTHERS: &str = "others";

/// Where a piece of time was spent: thread, how it entered the kernel, descriptor and file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockSite {
    pub(crate) tid: u32,
    pub(crate) entered: Option<OffCpuCause>,
    pub(crate) fd: Option<u32>,
    pub(crate) file: Option<FileKey>,
}

/// Sums over everything one cause claimed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) pauses: u64,
    /// How many of these are hiccups.
    pub(crate) hiccups: u64,
    /// How many are stalls of one thread each: all or none.
    pub(crate) stalls: u64,
    pub(crate) time: Duration,
    /// How much of it is in hiccups.
    pub(crate) in_hiccups: Duration,
    pub(crate) inferred: Duration,
    pub(crate) longest: Duration,
    /// Of a log: how much of it is in stops with a full collection.
    pub(crate) in_full: Duration,
    /// Of a log: the CPU time of the collections in its pauses, in user mode and in the kernel.
    pub(crate) cpu: (Duration, Duration),
    /// Sum of the squares of what it claimed of each pause, in seconds squared.
    pub(crate) squares: f64,
    /// Time and a stack by site.
    pub(crate) sites: BTreeMap<BlockSite, (Duration, Option<u32>)>,
    /// Time by mechanism id.
    pub(crate) mechanisms: BTreeMap<&'static str, Duration>,
    /// Who had the CPUs that it waited for.
    pub(crate) cpu_use: CpuUse,
    /// Time by offset in the JVM's file of counters.
    pub(crate) offsets: BTreeMap<u64, Duration>,
    /// Pauses and time by operation.
    pub(crate) operations: LinearMap<String, (u64, Duration)>,
    /// The pauses with the largest parts: part and window, in no order.
    pub(crate) windows: Vec<(Duration, Interval)>,
    /// Smaller parts are not kept in `windows`.
    least_window: Duration,
    /// The pause with the largest part.
    pub(crate) worst: Option<Box<Exhibit>>,
}

/// One pause kept to show.
#[derive(Clone, Debug)]
pub(crate) struct Exhibit {
    /// What the cause claimed of it.
    pub(crate) part: Duration,
    pub(crate) pause: Pause,
    /// The longest collection inside, with its circumstances.
    pub(crate) collection: Option<Collection>,
}

impl Tally {
    /// Adds the segments that the cause claimed of one pause: how long they are together, and how
    /// much of that is inferred.
    pub(crate) fn add(
        &mut self,
        case: &Case<'_>,
        claimed: &[usize],
        time: Duration,
        inferred: Duration,
    ) {
        self.pauses += 1;
        if case.pause.kind == PauseKind::Hiccup {
            self.hiccups += 1;
            self.in_hiccups += time;
        }
        self.stalls += u64::from(case.pause.kind == PauseKind::Stall);
        self.time += time;
        self.inferred += inferred;
        self.longest = self.longest.max(time);
        self.squares += time.as_secs_f64().powi(2);
        self.add_operation(&case.pause.operation, time);
        if case.collections.iter().any(|it| is_full(&it.gc)) {
            self.in_full += time;
        }
        for cpu in case.collections.iter().filter_map(|it| it.gc.cpu) {
            self.cpu.0 += cpu.user;
            self.cpu.1 += cpu.sys;
        }
        // A log knows of no threads, stacks or holders.
        let measured = claimed.iter().map(|&place| &case.segments[place]);
        for segment in measured.filter(|it| it.log_part().is_none()) {
            self.add_segment(case.index, segment, segment.interval.duration());
            self.cpu_use.add(case, segment);
        }
        self.keep_window(time, case.interval);
        self.keep_worst(case, time);
    }

    /// Where one stall was spent, without what else is summed.
    pub(crate) fn add_places(&mut self, case: &Case<'_>) {
        for segment in &case.segments {
            self.add_segment(case.index, segment, segment.interval.duration());
        }
    }

    /// Of one place alone.
    pub(crate) fn of_site(site: BlockSite, time: Duration, stack: Option<u32>) -> Tally {
        Tally { sites: BTreeMap::from([(site, (time, stack))]), ..Tally::default() }
    }

    /// The mechanisms of another one, with their times.
    pub(crate) fn add_mechanisms(&mut self, other: &[(&'static str, Duration)]) {
        for (id, time) in other {
            *self.mechanisms.entry(id).or_default() += *time;
        }
    }

    fn add_operation(&mut self, name: &str, time: Duration) {
        if let Some((count, sum)) = self.operations.get_mut(name) {
            *count += 1;
            *sum += time;
        } else if self.operations.len() < MOST_OPERATIONS || name == OTHERS {
            self.operations.insert(name.to_owned(), (1, time));
        } else {
            self.add_operation(OTHERS, time);
        }
    }

    fn keep_worst(&mut self, case: &Case<'_>, part: Duration) {
        if self.worst.as_ref().is_some_and(|it| it.part >= part) {
            return;
        }
        let collection = case.collections.iter().max_by_key(|it| it.gc.duration).cloned();
        self.worst = Some(Box::new(Exhibit { part, pause: case.pause.clone(), collection }));
    }

    fn add_segment(&mut self, index: &Index<'_>, segment: &Segment<'_>, time: Duration) {
        let slice = segment.slice();
        let site = BlockSite {
            tid: segment.tid,
            entered: segment.entered(),
            fd: slice.and_then(|it| it.fd),
            file: slice.and_then(|it| it.file),
        };
        let at = self.sites.entry(site).or_default();
        at.0 += time;
        at.1 = at.1.or(slice.and_then(|it| it.stack));
        if let Some(mechanism) = segment.mechanism(index) {
            *self.mechanisms.entry(mechanism.id).or_default() += time;
        }
        if let Some(offset) = slice.and_then(|it| it.fault_offset) {
            *self.offsets.entry(offset).or_default() += time;
        }
    }

    fn keep_window(&mut self, time: Duration, window: Interval) {
        if time < self.least_window {
            return;
        }
        self.windows.push((time, window));
        if self.windows.len() > 2 * WINDOWS {
            self.windows.sort_by(|a, b| b.cmp(a));
            self.windows.truncate(WINDOWS);
            self.least_window = self.windows.last().map_or(Duration::ZERO, |it| it.0);
        }
    }

    /// The pauses with the largest parts, at most `most`, largest first.
    pub(crate) fn longest_windows(&self, most: usize) -> Vec<Interval> {
        let mut windows = self.windows.clone();
        windows.sort_unstable_by(|a, b| b.cmp(a));
        windows.into_iter().take(most).map(|it| it.1).collect()
    }

    /// What its pauses are called, all together.
    pub(crate) fn noun(&self) -> &'static str {
        match (self.stalls, self.hiccups) {
            (1.., _) => "stalls",
            (0, 0) => "stops",
            (0, _) => "pauses",
        }
    }

    /// The same after a preposition: `these stops`, or `this stop` where it is one.
    pub(crate) fn these(&self) -> &'static str {
        match (self.noun(), self.pauses) {
            ("stalls", 1) => "this stall",
            ("stalls", _) => "these stalls",
            ("stops", 1) => "this stop",
            ("stops", _) => "these stops",
            (_, 1) => "this pause",
            _ => "these pauses",
        }
    }

    /// `Measured` where at most a tenth was inferred.
    pub(crate) fn certainty(&self) -> Certainty {
        if self.time.is_zero() {
            Certainty::Inferred
        } else {
            Certainty::of(self.inferred, self.time)
        }
    }

    /// The site with the most time.
    pub(crate) fn main_site(&self) -> Option<(&BlockSite, Duration, Option<u32>)> {
        let largest = self.sites.iter().max_by_key(|(_, (time, _))| *time)?;
        Some((largest.0, largest.1.0, largest.1.1))
    }

    /// Mechanisms, most time first.
    pub(crate) fn mechanism_shares(&self) -> Vec<MechanismShare> {
        let mut shares: Vec<_> = mechanisms::all()
            .filter_map(|it| {
                let time = *self.mechanisms.get(it.id)?;
                Some(MechanismShare { id: it.id, phrase: it.phrase, time })
            })
            .collect();
        shares.sort_by_key(|it| std::cmp::Reverse(it.time));
        shares
    }

    /// The standard stream in which most of the time was spent, where it was in one that is no file.
    pub(crate) fn stream<'a>(&self, index: &Index<'a>) -> Option<&'a OutputFact> {
        let (site, _, stack) = self.main_site()?;
        match site.fd {
            _ if site.file.is_some() => None,
            // A wait that had begun before the recording has no stack.
            Some(fd) if stack.is_none() => outputs::of_fd(index, fd),
            _ if !mechanisms::is_pipe_full(index, stack) => None,
            Some(fd) => outputs::of_fd(index, fd),
            // A sample may know the function of the kernel and not the descriptor.
            None => outputs::of_gc_log(index),
        }
    }

    fn place_of_stream(&self, index: &Index<'_>) -> Option<WaitLocation> {
        let (site, _, stack) = self.main_site()?;
        let output = self.stream(index)?;
        let call = crate::facts::syscalls::call(index.architecture(), site.entered);
        Some(WaitLocation {
            thread: index.thread_name(site.tid),
            call: if call.is_empty() { "write()".into() } else { call },
            path: outputs::name(output.fd)?.into(),
            file_system: outputs::kind(output).into(),
            device: String::new(),
            stack: index.frames(stack).to_vec(),
        })
    }

    /// Where most of the time was spent, for people. `None` where only a log speaks.
    pub(crate) fn place(&self, index: &Index<'_>) -> Option<WaitLocation> {
        let (site, _, stack) = self.main_site()?;
        if site.tid == 0 {
            return None;
        }
        let file = site.file.and_then(|key| index.file(key));
        if let Some(place) = self.place_of_stream(index) {
            return Some(place);
        }
        Some(WaitLocation {
            thread: index.thread_name(site.tid),
            call: crate::facts::syscalls::call(index.architecture(), site.entered),
            path: file.map_or_else(
                || site.fd.map_or_else(String::new, |fd| format!("fd {fd}")),
                |it| it.path.clone(),
            ),
            file_system: file.map_or_else(String::new, |it| it.file_system.clone()),
            device: file.map_or_else(String::new, |it| it.device_name.clone()),
            stack: index.frames(stack).to_vec(),
        })
    }
}

/// Sums by cause, by its place in `causes::ALL`.
pub(crate) type Tallies = BTreeMap<usize, Tally>;
