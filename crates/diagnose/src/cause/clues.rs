//! What a log shows of time that it cannot explain, and how a cause weighs that.
use crate::{
    account::tally::{Exhibit, Tally},
    case::LogPart,
    facts::{feature_version::feature_version, index::Index},
};
use recording::VmFlags;
use std::{f64::consts::TAU, time::Duration};

/// A wait is rare when it is in no more than one of this number of collections or stops,
const RARE: u64 = 4;

/// and frequent when it is in one of this number.
const OFTEN: u64 = 2;

/// Of fewer nothing is rare or usual.
const ENOUGH: u64 = 8;

/// Waits are uneven from this ratio of standard deviation to mean on.
const UNEVEN: f64 = 0.25;

/// Waits shorter than this on average are short.
const SHORT: Duration = Duration::from_millis(150);

/// Number of the longest pauses that are tested for a grid,
const GRID: usize = 32;

/// and their ends are on one if their mean direction has at least this length.
const ON_GRID: f64 = 0.7;

/// How suspicious a cause is, and why.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspicion {
    pub(crate) weight: i32,
    pub(crate) test: &'static str,
    pub(crate) speaks_for: Vec<(i32, String)>,
    pub(crate) speaks_against: Vec<(i32, String)>,
}

impl Suspicion {
    /// What it weighs before anything of the log is looked at: how often it is the cause of such time.
    /// `test` is what shows within a minute whether it is the cause.
    pub(crate) fn new(weight: i32, test: &'static str) -> Suspicion {
        Suspicion { weight, test, ..Suspicion::default() }
    }

    /// Something speaks for it, where the log shows it.
    pub(crate) fn pro(mut self, weight: i32, what: Option<String>) -> Suspicion {
        if let Some(what) = what {
            self.weight += weight;
            self.speaks_for.push((weight, what));
        }
        self
    }

    /// Something speaks against it, where the log shows it.
    pub(crate) fn con(mut self, weight: i32, what: Option<String>) -> Suspicion {
        if let Some(what) = what {
            self.weight -= weight;
            self.speaks_against.push((weight, what));
        }
        self
    }
}

/// What a log shows of the time that one of its symptoms stands for.
pub(crate) struct Clues<'a> {
    /// Which part of the pauses it is.
    pub(crate) part: LogPart,
    pub(crate) tally: &'a Tally,
    /// How many collections, or stops, could have had it.
    pub(crate) of: u64,
    /// The time of all symptoms of the log together.
    pub(crate) all_symptoms: Duration,
    pub(crate) index: &'a Index<'a>,
}

impl Clues<'_> {
    /// Whether few collections or stops have it: `21 of 112 collections waited, and the others took
    /// their usual time`.
    pub(crate) fn rare(&self) -> Option<String> {
        let is_rare = self.of >= ENOUGH && self.tally.pauses * RARE <= self.of;
        is_rare.then(|| format!("only {} of {} {} waited", self.tally.pauses, self.of, self.unit()))
    }

    /// Whether most of them have it: `59 of 79 collections waited`.
    pub(crate) fn usual(&self) -> Option<String> {
        let is_usual = self.tally.pauses >= ENOUGH && self.tally.pauses * OFTEN >= self.of;
        is_usual.then(|| format!("{} of {} {} waited", self.tally.pauses, self.of, self.unit()))
    }

    /// Whether nearly all of them have it, and each for another time, as with others on the CPUs:
    /// `59 of 61 collections waited, each for another time`.
    pub(crate) fn nearly_all_unevenly(&self) -> Option<String> {
        let are_nearly_all = self.tally.pauses >= ENOUGH && self.tally.pauses * 10 >= self.of * 9;
        (are_nearly_all && self.variation() >= UNEVEN).then(|| {
            let (waited, of) = (self.tally.pauses, self.of);
            format!("{waited} of {of} {} waited, each for another time", self.unit())
        })
    }

    /// The standard deviation of the waits, divided by their mean.
    fn variation(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a spread")]
        let count = self.tally.pauses as f64;
        let time = self.tally.time.as_secs_f64();
        if time <= 0.0 {
            return 0.0;
        }
        (self.tally.squares * count / (time * time) - 1.0).max(0.0).sqrt()
    }

    /// `up to 1.96 s in one`, from this length on.
    pub(crate) fn longest_from(&self, least: Duration) -> Option<String> {
        let longest = self.tally.longest;
        (longest >= least).then(|| format!("up to {} in one", crate::text::duration(longest)))
    }

    /// Whether there are many waits, and all are short: `31 waits of 54 ms on average, none over 61 ms`.
    /// What a busy disk delays takes longer, now and then.
    pub(crate) fn many_short(&self) -> Option<String> {
        let (time, longest) = (self.tally.time, self.tally.longest);
        let mean = u32::try_from(self.tally.pauses).ok().and_then(|n| time.checked_div(n))?;
        let are_short = mean < SHORT && longest < SHORT * 3;
        (self.tally.pauses >= ENOUGH && are_short).then(|| {
            format!(
                "{} waits of {} on average, none over {}",
                self.tally.pauses,
                crate::text::duration(mean),
                crate::text::duration(longest)
            )
        })
    }

    /// Whether the pauses end at the same place of a period, as those do that a quota ends: `they end
    /// on a grid of 100 ms`.
    ///
    /// The mean direction of the ends on a circle of one period (Mardia and Jupp, Directional
    /// Statistics): 0 where they are anywhere, 1 where they are all at one place.
    pub(crate) fn on_a_grid(&self, period: Duration) -> Option<String> {
        let ends = self.tally.longest_windows(GRID);
        if ends.len() < usize::try_from(ENOUGH).unwrap_or(usize::MAX) {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a direction on a circle")]
        let angle = |ns: u64| (ns % nanos(period)) as f64 / nanos(period) as f64 * TAU;
        let (mut x, mut y) = (0.0, 0.0);
        for it in &ends {
            x += angle(it.end.0).cos();
            y += angle(it.end.0).sin();
        }
        #[expect(clippy::cast_precision_loss, reason = "at most as many as are looked at")]
        let length = f64::hypot(x, y) / ends.len() as f64;
        (length >= ON_GRID)
            .then(|| format!("they end on a grid of {}", crate::text::duration(period)))
    }

    /// How the longest goes on without a CPU: `1.96 s without a CPU`.
    pub(crate) fn longest_without_cpu(&self, least: Duration) -> Option<String> {
        let longest = self.tally.longest;
        (longest >= least).then(|| format!("{} without a CPU", crate::text::duration(longest)))
    }

    /// The kernel's share of the CPU time of the collections concerned, if at least this percentage and
    /// no small part of the time: `sys is 40 % of their CPU time`.
    pub(crate) fn busy_in_kernel(&self, percent: u32) -> Option<String> {
        let (user, sys) = self.tally.cpu;
        let part = sys.as_nanos() * 100 / (user + sys).as_nanos().max(1);
        let is_much = sys * 5 >= self.tally.time && part >= u128::from(percent);
        is_much.then(|| format!("sys is {part} % of their CPU time"))
    }

    /// Where hardly anything was done in the kernel: `sys=0.01 of real=11.45 in the longest`.
    pub(crate) fn idle_in_kernel(&self) -> Option<String> {
        let cpu = self.worst_cpu()?;
        let is_idle = cpu.sys * 20 <= self.tally.longest;
        is_idle.then(|| {
            let [sys, real] = [cpu.sys, cpu.real].map(|it| it.as_secs_f64());
            format!("sys={sys:.2} of real={real:.2} in the longest: the kernel did next to nothing")
        })
    }

    /// Whether more than half of the time is in full collections, which touch the whole heap.
    pub(crate) fn in_full_collections(&self) -> Option<String> {
        let full = self.tally.in_full;
        (full * 2 > self.tally.time).then(|| {
            format!(
                "{} of it in full collections, which touch the whole heap",
                crate::text::duration(full)
            )
        })
    }

    /// Whether other parts of the log's pauses waited too, longer than this one.
    pub(crate) fn waits_elsewhere(&self) -> Option<String> {
        let other = self.all_symptoms.saturating_sub(self.tally.time);
        (other * 2 >= self.tally.time && !other.is_zero()).then(|| {
            format!("{} of waiting elsewhere in the pauses too", crate::text::duration(other))
        })
    }

    /// What a flag is set to; `None` where the log does not tell.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        VmFlags(self.flags()).switch(name)
    }

    /// The flags of the JVM, as far as the log tells.
    pub(crate) fn flags(&self) -> &[String] {
        self.index.jvm.map_or(&[], |it| &it.flags)
    }

    /// Whether the JVM is known to be older than this feature version.
    pub(crate) fn is_before(&self, feature: u32) -> bool {
        let version = self.index.jvm.and_then(|it| feature_version(&it.version));
        let is_legacy = self.index.log.is_some_and(|it| it.jvm.is_legacy);
        version.map_or(is_legacy, |it| it < feature)
    }

    /// GC threads and the CPUs that the JVM saw, where there are more threads than CPUs:
    /// `8 GC threads on 2 CPUs`.
    pub(crate) fn more_threads_than_cpus(&self) -> Option<String> {
        let threads = self.index.jvm.map_or(0, |it| it.gc_threads);
        let cpus = self.index.log.and_then(|it| it.jvm.cpus)?;
        (threads > cpus).then(|| format!("{threads} GC threads on {cpus} CPUs"))
    }

    /// Whether the JVM may use fewer CPUs than the host has, as in a container with a limit:
    /// `2 of 12 CPUs for the JVM, as a container's limit gives`.
    pub(crate) fn few_of_the_cpus(&self) -> Option<String> {
        let jvm = &self.index.log?.jvm;
        let (cpus, host) = jvm.cpus.zip(jvm.host_cpus)?;
        (cpus < host)
            .then(|| format!("{cpus} of {host} CPUs for the JVM, as a container's limit gives"))
    }

    /// Whether all pages of the heap were touched when the JVM started; `None` where the log does not
    /// tell.
    pub(crate) fn is_pre_touched(&self) -> Option<bool> {
        self.switch("AlwaysPreTouch").or(self.index.log?.jvm.is_pre_touched)
    }

    /// A heap that has all its pages since the start needs none in a pause.
    pub(crate) fn pre_touched(&self) -> Option<String> {
        (self.is_pre_touched() == Some(true))
            .then(|| "-XX:+AlwaysPreTouch: the heap has its pages since the start".to_owned())
    }

    /// One that has not takes them from the kernel in pauses.
    pub(crate) fn not_pre_touched(&self) -> Option<String> {
        (self.is_pre_touched() == Some(false))
            .then(|| "no -XX:+AlwaysPreTouch: the heap takes its pages in collections".to_owned())
    }

    /// Whether the JVM asks for transparent huge pages; `None` where the log does not tell.
    pub(crate) fn asks_for_huge_pages(&self) -> Option<bool> {
        self.switch("UseTransparentHugePages").or(self.index.log?.jvm.asks_for_huge_pages)
    }

    fn worst(&self) -> Option<&Exhibit> {
        self.tally.worst.as_deref()
    }

    fn worst_cpu(&self) -> Option<gclog::CpuTimes> {
        self.worst()?.collection.as_ref()?.gc.cpu
    }

    fn unit(&self) -> &'static str {
        match self.part {
            LogPart::Reaching | LogPart::Around => "stops",
            LogPart::Hiccup | LogPart::Unresolved => "pauses",
            _ => "collections",
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1)
}
