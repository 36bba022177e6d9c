//! Switches huge pages off while they cost more than they give, and on again: the loop of the remedy
//! `thp-tuner`.
//!
//! Every period it looks at the memory ([`MemorySample`]), decides ([`rules`]), and changes settings as
//! every other remedy does: through [`Store`], which has what was there before written down. When it
//! ends, in whatever way it can, it takes everything back. Where it is killed, its notes stay, and
//! the next tuner finds that no running one owns them ([`Seat`]).
//!
//! A setting that another process changes meanwhile belongs to that process from then on.
mod fitted;
mod rules;

pub use fitted::{footprint, value_when_on};
pub use rules::{Control, Measured};

use crate::{
    Change, ChangeError, Host, Places, Plan, Setting, Store, StoreError, Undone, Value, Which,
    store::{self, Locked},
};
use recorder::MemorySample;
use rules::Switch;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// The remedy's id.
pub const TUNER: &str = "thp-tuner";

/// How soon the end is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// How long it is waited for one that has just ended: a process that was forked meanwhile has its lock
/// until it becomes another program.
const SEAT_PATIENCE: Duration = Duration::from_millis(500);

/// The right to tune: one on each host.
#[derive(Debug)]
pub struct Seat {
    _lock: Locked,
}

impl Seat {
    /// Takes it; `None` where another tuner is at work.
    ///
    /// # Errors
    /// [`StoreError::Journal`], [`StoreError::Unsafe`].
    pub fn take(places: &Places) -> Result<Option<Seat>, StoreError> {
        // It makes the directory, and checks that no other process can write there.
        drop(Store::open(places)?);
        let path = places.memory.join("thp-tuner.lock");
        match store::lock(&path, SEAT_PATIENCE) {
            Ok(lock) => Ok(Some(Seat { _lock: lock })),
            Err(StoreError::Busy) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Takes back what a tuner has left that was killed. Nothing where one is at work.
///
/// # Errors
/// Those of [`Store::open`].
pub fn take_back_abandoned(places: &Places, host: &Host<'_>) -> Result<Undone, StoreError> {
    let left = Store::open(places)?.entries().any(|it| it.remedy == TUNER);
    match left.then(|| Seat::take(places)).transpose()?.flatten() {
        None => Ok(Undone::default()),
        Some(_seat) => Ok(Store::open(places)?.undo(Which::Of(TUNER), host)),
    }
}

/// What is to be tuned, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// What the JVM may need in all, in bytes.
    pub footprint_bytes: u64,
    /// How often it is decided.
    pub period: Duration,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// What was done with one switch, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// The switch.
    pub control: Control,
    /// Its value before.
    pub from: String,
    /// Its value since.
    pub to: String,
    /// Why: a phrase with numbers.
    pub why: String,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// What it rests on.
    pub measured: Measured,
    /// The value of each switch that is there, once it was decided. In a dry run what it would be.
    pub values: Vec<(Control, String)>,
    /// What was switched; in a dry run what would have been.
    pub switched: Vec<Switched>,
    /// Switches that another process has set, and their values: they are left alone from now on.
    pub lost: Vec<(Control, String)>,
    /// Why something could not be switched now; it is tried again.
    pub failed: Option<String>,
}

impl Round {
    fn new(measured: Measured) -> Round {
        let (values, switched, lost) = (Vec::new(), Vec::new(), Vec::new());
        Round { measured, values, switched, lost, failed: None }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Interrupted.
    Stopped,
    /// The JVM has ended.
    JvmEnded,
    /// Everything was taken back, with `whypause fix --undo`.
    TakenBack,
    /// Another process has set every switch.
    NothingLeft,
}

/// Why it did not begin.
#[derive(Debug, thiserror::Error)]
pub enum TunerError {
    /// Two would work against each other.
    #[error("another thp-tuner is running on this host")]
    Another,
    /// The administrator has disabled huge pages, and that is kept.
    #[error("huge pages are off on this host (`enabled` is `never`)")]
    Off,
    /// The notes of what is changed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// One switch and its values.
#[derive(Debug)]
struct Knob {
    control: Control,
    switch: Switch,
    on: String,
    /// Its value, unless another process has set it.
    value: String,
    is_lost: bool,
}

impl Knob {
    fn change(&self, to: &str) -> Change {
        Change::Setting(Setting { file: self.control.file(), to: to.to_owned() })
    }
}

/// The loop. What it has changed is taken back when it is dropped, at the latest.
#[derive(Debug)]
pub struct Tuner<'a> {
    host: Host<'a>,
    places: &'a Places,
    tuning: Tuning,
    knobs: Vec<Knob>,
    is_undone: bool,
    _seat: Option<Seat>,
}

impl<'a> Tuner<'a> {
    /// Begins: changes that an earlier tuner has left are taken back and reported through `report`; then `on`
    /// says which value each switch has while it is on, by the one that it has now. `None` leaves it alone.
    ///
    /// # Errors
    /// Where another one is at work, there is nothing to switch, or the notes cannot be read.
    pub fn start(
        host: Host<'a>,
        places: &'a Places,
        tuning: Tuning,
        on: impl Fn(Control, &str) -> Option<String>,
        report: &mut dyn FnMut(&Undone),
    ) -> Result<Tuner<'a>, TunerError> {
        let mut seat = None;
        if !tuning.dry_run {
            seat = Some(Seat::take(places)?.ok_or(TunerError::Another)?);
            report(&Store::open(places)?.undo(Which::Of(TUNER), &host));
        }
        let knob = |control: Control| {
            let value = read(control, &host).ok()?;
            let on = on(control, &value)?;
            let mut switch = Switch::new(control);
            if value == control.off() {
                switch.switched();
            }
            Some(Knob { control, switch, on, value, is_lost: false })
        };
        let knobs: Vec<Knob> = Control::ALL.iter().copied().filter_map(knob).collect();
        let is_first = knobs.first().is_some_and(|it| it.control == Control::Enabled);
        let off = read(Control::Enabled, &host).is_ok_and(|it| it == Control::Enabled.off());
        if knobs.is_empty() || !is_first && off {
            return Err(TunerError::Off);
        }
        Ok(Tuner { host, places, tuning, knobs, is_undone: tuning.dry_run, _seat: seat })
    }

    /// Decides every period and reports each decision through `report`, until interrupted or `sample` finds
    /// that the JVM has ended.
    ///
    /// # Errors
    /// Where a setting cannot be read.
    pub fn run(
        &mut self,
        sample: &mut dyn FnMut() -> Option<MemorySample>,
        report: &mut dyn FnMut(&Round),
    ) -> Result<Outcome, ChangeError> {
        let Some(mut before) = sample() else { return Ok(Outcome::JvmEnded) };
        let mut then = Instant::now();
        loop {
            if !self.wait(then) {
                return Ok(Outcome::Stopped);
            }
            let Some(after) = sample() else { return Ok(Outcome::JvmEnded) };
            let time = then.elapsed();
            then = Instant::now();
            let footprint = self.tuning.footprint_bytes;
            let round = self.round(Measured::between(&before, &after, time, footprint))?;
            before = after;
            let Some(round) = round else { return Ok(Outcome::TakenBack) };
            report(&round);
            if self.knobs.iter().all(|it| it.is_lost) {
                return Ok(Outcome::NothingLeft);
            }
        }
    }

    /// Waits until the period is over; false if interrupted.
    fn wait(&self, since: Instant) -> bool {
        loop {
            if self.host.interrupt.load(Ordering::Relaxed) {
                return false;
            }
            let left = self.tuning.period.saturating_sub(since.elapsed());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
    }

    /// One decision; `None` if everything has been taken back.
    fn round(&mut self, measured: Measured) -> Result<Option<Round>, ChangeError> {
        let mut round = Round::new(measured);
        if self.see_others(&mut round)? {
            return Ok(None);
        }
        for n in 0..self.knobs.len() {
            if let Err(error) = self.decide(n, &mut round) {
                round.failed = Some(error.to_string());
                break;
            }
            let Knob { control, value, .. } = &self.knobs[n];
            // Nothing finer matters once they are off.
            if *control == Control::Enabled && value == control.off() {
                break;
            }
        }
        round.values = self.knobs.iter().map(|it| (it.control, it.value.clone())).collect();
        Ok(Some(round))
    }

    /// Decides one switch.
    fn decide(&mut self, n: usize, round: &mut Round) -> Result<(), StoreError> {
        let Knob { control, switch, on, value, is_lost } = &mut self.knobs[n];
        let switched = switch.round(&round.measured).filter(|_| !*is_lost);
        let Some(to_off) = switched else { return Ok(()) };
        let to = if to_off { control.off().to_owned() } else { on.clone() };
        let (control, from) = (*control, value.clone());
        self.set(n, &to)?;
        self.knobs[n].switch.switched();
        self.knobs[n].value.clone_from(&to);
        let why = round.measured.why(control);
        round.switched.push(Switched { control, from, to, why });
        Ok(())
    }

    /// Finds switches that another process has set. True where it was `whypause fix --undo`.
    fn see_others(&mut self, round: &mut Round) -> Result<bool, ChangeError> {
        if self.tuning.dry_run {
            return Ok(false);
        }
        for n in 0..self.knobs.len() {
            let knob = &self.knobs[n];
            let now = read(knob.control, &self.host)?;
            if knob.is_lost || now == knob.value {
                self.knobs[n].value = now;
                continue;
            }
            let was_ours = knob.value != knob.on || knob.switch.is_off();
            if was_ours && !self.is_noted(&knob.control.file()) {
                self.is_undone = true;
                return Ok(true);
            }
            self.knobs[n].is_lost = true;
            self.knobs[n].value.clone_from(&now);
            round.lost.push((self.knobs[n].control, now));
        }
        Ok(false)
    }

    fn is_noted(&self, file: &str) -> bool {
        // Where it cannot be read now it is taken to be there: nothing is given up for that.
        Store::open(self.places).map_or(true, |store| {
            store.entries().any(|it| it.remedy == TUNER && it.change.subject() == file)
        })
    }

    fn set(&self, n: usize, to: &str) -> Result<(), StoreError> {
        if self.tuning.dry_run {
            return Ok(());
        }
        let plan = Plan::new(TUNER).change(self.knobs[n].change(to));
        Store::open(self.places)?.apply(&plan, &self.host, &mut |_| {}).map(|_| ())
    }

    /// Ends it: takes back what it has changed.
    ///
    /// # Errors
    /// Where the notes cannot be read; they stay, and so do the changes.
    pub fn end(mut self) -> Result<Undone, StoreError> {
        self.undo()
    }

    fn undo(&mut self) -> Result<Undone, StoreError> {
        if self.is_undone {
            return Ok(Undone::default());
        }
        // Whoever wants an end wants this, too.
        let never = AtomicBool::new(false);
        let host = Host { interrupt: &never, ..self.host };
        let undone = Store::open(self.places)?.undo(Which::Of(TUNER), &host);
        self.is_undone = true;
        Ok(undone)
    }
}

impl Drop for Tuner<'_> {
    fn drop(&mut self) {
        // What fails here stays in mind for the next run.
        let _ = self.undo();
    }
}

fn read(control: Control, host: &Host<'_>) -> Result<String, ChangeError> {
    let setting = Change::Setting(Setting { file: control.file(), to: String::new() });
    setting.now(host).map(Value::unwrap_or_default)
}

/// The value of a switch now; `None` where this kernel has none.
#[must_use]
pub fn value(control: Control, host: &Host<'_>) -> Option<String> {
    read(control, host).ok()
}

#[cfg(test)]
mod tests;
