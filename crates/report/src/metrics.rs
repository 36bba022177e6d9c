//! Seconds stopped, by cause, for a monitoring system: what `watch` counts of all stops and stalls. Another number is
//! counted in `numbers.rs`, and written in `exposition.rs` and in `otlp.rs`, which know nothing of each other.
//!
//! [`Metrics`] holds the numbers of all JVMs that are watched, [`JvmMetrics`] is where those of one of
//! them are counted, [`Metrics::text`] is what is scraped and [`Metrics::otlp`] what is pushed. A label
//! never holds the process id of a JVM, and what a JVM chose of one is cleaned and bounded; so is the
//! number of series, whatever comes and goes.
//!
//! Times become floating-point seconds here and nowhere before, as both formats want them.
mod exposition;
mod numbers;
mod otlp;

pub use exposition::Exposition;
pub use otlp::CONTENT_TYPE as OTLP_CONTENT_TYPE;

use crate::text::clean_name;
use diagnose::{Attribution, Episode};
use numbers::Numbers;
use recording::Coverage;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

/// JVMs that have series of their own; the numbers of further ones are under [`OTHERS`].
const MOST_JVMS: usize = 128;
/// The label of JVMs for which there is no room.
const OTHERS: &str = "other";
/// How long the numbers of a JVM stay after it has ended, so that its last stops are scraped too.
const AFTERWARDS: Duration = Duration::from_secs(120);
/// Characters of a label's value.
const MOST_LABEL: usize = 80;

/// The numbers of all JVMs that are watched.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Mutex<All>>);

#[derive(Clone, Debug)]
struct All {
    /// Stops of at least this are over the limit.
    limit: Duration,
    began: SystemTime,
    jvms: BTreeMap<Label, Series>,
    /// JVMs that are left out, as there are too many.
    left_out: u64,
    recorder: Recorder,
}

/// What distinguishes series. A user who can start a process can give it the main class of another one, but
/// not its user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    /// The main class.
    jvm: String,
    /// Whose it is.
    user: String,
    /// Pod, container or unit; empty where it is in none.
    place: String,
}

impl Label {
    fn others() -> Label {
        Label { jvm: OTHERS.into(), user: OTHERS.into(), place: String::new() }
    }

    /// The labels of a series of it.
    fn own(&self) -> Vec<(&str, &str)> {
        let labels = [("jvm", &self.jvm), ("user", &self.user), ("place", &self.place)];
        let labels = labels.into_iter().map(|(name, value)| (name, value.as_str()));
        labels.filter(|it| !it.1.is_empty()).collect()
    }

    /// The same and one more.
    fn and<'a>(&'a self, name: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
        let mut labels = self.own();
        labels.push((name, value));
        labels
    }
}

/// The numbers under one label, and how many JVMs count there.
#[derive(Clone, Debug)]
struct Series {
    numbers: Numbers,
    jvms: u64,
    /// Since when they are counted.
    since: SystemTime,
    /// Since when none of them runs.
    ended: Option<SystemTime>,
}

/// What the recorder costs, all JVMs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Recorder {
    cpu: Duration,
    peak_bytes: u64,
}

impl Metrics {
    /// None yet, at `began`. A stop of `limit` or more is one that exceeds it.
    #[must_use]
    pub fn new(limit: Duration, began: SystemTime) -> Metrics {
        let (jvms, left_out, recorder) = (BTreeMap::new(), 0, Recorder::default());
        Metrics(Arc::new(Mutex::new(All { limit, began, jvms, left_out, recorder })))
    }

    /// Sets the number of JVMs left out because there are too many.
    pub fn left_out(&self, jvms: usize) {
        self.all().left_out = jvms as u64;
    }

    /// Where stops of a JVM with this main class, of this user, are counted from `now` on; `place` is its pod,
    /// container or unit, or empty. JVMs of one user and place with the same main class are counted together; the series stay for two minutes after the last of them
    /// has gone.
    #[must_use]
    pub fn jvm(&self, main: &str, user: &str, place: &str, now: SystemTime) -> JvmMetrics {
        let main = clean_name(if main.is_empty() { "java" } else { main }, MOST_LABEL);
        let [user, place] = [user, place].map(|it| clean_name(it, MOST_LABEL));
        let own = Label { jvm: main, user, place };
        let mut all = self.all();
        all.drop_ended(now);
        if all.jvms.len() >= MOST_JVMS {
            all.jvms.retain(|_, it| it.jvms > 0);
        }
        let has_room = all.jvms.len() < MOST_JVMS || all.jvms.contains_key(&own);
        let label = if has_room { own } else { Label::others() };
        let first = || Series { numbers: Numbers::default(), jvms: 0, since: now, ended: None };
        let series = all.jvms.entry(label.clone()).or_insert_with(first);
        series.jvms += 1;
        series.ended = None;
        drop(all);
        JvmMetrics { metrics: self.clone(), label, lost: 0 }
    }

    /// What is scraped `now`, in this format.
    #[must_use]
    pub fn text(&self, format: Exposition, now: SystemTime) -> String {
        // A copy: who counts does not wait for who formats.
        let all = self.copy(now);
        exposition::text(&all, format, now)
    }

    /// What is pushed `now`, as an OTLP request for metrics in protobuf, which is
    /// [`OTLP_CONTENT_TYPE`]. `host` is the name of this host.
    #[must_use]
    pub fn otlp(&self, host: &str, now: SystemTime) -> Vec<u8> {
        let all = self.copy(now);
        otlp::message(&all, host, now)
    }

    fn copy(&self, now: SystemTime) -> All {
        let mut all = self.all();
        all.drop_ended(now);
        all.clone()
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// Lets go of what belongs to JVMs that ended a while ago.
    fn drop_ended(&mut self, now: SystemTime) {
        self.jvms.retain(|_, it| {
            if it.jvms > 0 {
                return true;
            }
            let ended = *it.ended.get_or_insert(now);
            now.duration_since(ended).unwrap_or_default() < AFTERWARDS
        });
    }
}

/// Where what is seen of one JVM is counted, until it is dropped.
#[derive(Debug)]
pub struct JvmMetrics {
    metrics: Metrics,
    label: Label,
    /// What was lost of it, as far as that is counted.
    lost: u64,
}

impl JvmMetrics {
    /// Counts a stop that became known `now`.
    pub fn add(&self, stop: &Attribution, now: SystemTime) {
        self.change(|numbers, limit| numbers.add(stop, limit, now));
    }

    /// Counts an episode of threads that stood while the JVM ran.
    pub fn add_stalls(&self, it: &Episode) {
        self.change(|numbers, _| numbers.stalls.get_or_insert_default().add(it));
    }

    /// Counts what was lost and what it cost, of a coverage that is that of all of the recording so far.
    pub fn add_coverage(&mut self, coverage: &Coverage) {
        let lost = coverage.lost_events + coverage.lost_rows;
        let more = lost.saturating_sub(self.lost);
        self.lost = self.lost.max(lost);
        self.change(|numbers, _| {
            numbers.dropped_events += more;
            if coverage.stalls_over.is_some() {
                numbers.stalls.get_or_insert_default();
            }
        });
        let mut all = self.metrics.all();
        // Each is that of the whole process.
        all.recorder.cpu = all.recorder.cpu.max(coverage.recorder_cpu);
        all.recorder.peak_bytes = all.recorder.peak_bytes.max(coverage.recorder_rss_bytes);
    }

    fn change(&self, change: impl FnOnce(&mut Numbers, Duration)) {
        let mut all = self.metrics.all();
        let limit = all.limit;
        if let Some(series) = all.jvms.get_mut(&self.label) {
            change(&mut series.numbers, limit);
        }
    }
}

impl Drop for JvmMetrics {
    fn drop(&mut self) {
        let mut all = self.metrics.all();
        if let Some(series) = all.jvms.get_mut(&self.label) {
            series.jvms = series.jvms.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests;
