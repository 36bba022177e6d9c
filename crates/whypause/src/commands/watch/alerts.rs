//! Alerts: pauses and stalls sent to a command or a webhook. Another receiver is a [`Delivery`] here.
//!
//! Each receiver has a thread of its own, without any rights, and room for one event that waits: the longest since
//! the last alert. So nothing of a receiver, be it slow, dead or hostile, reaches the threads that record and
//! print: to offer an event is to hold a lock for as long as a comparison takes.
mod exec;
mod pace;
mod webhook;

use crate::{
    Failure,
    args::{Part, WatchArgs},
    console::Console,
};
use exec::Exec;
use pace::{Counts, Pace, Turn};
use report::Event;
use std::{
    io,
    process::Command,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use webhook::Webhook;

/// Least time between two alerts to one receiver, unless another is given.
const EVERY: Duration = Duration::from_secs(10);
/// How long a receiver may take for one alert.
const TIME_FOR_ONE: Duration = Duration::from_secs(10);
/// The same at the end, while the process waits to exit.
const TIME_FOR_LAST: Duration = Duration::from_millis(700);
/// How long all receivers are waited for at the end.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// How an event gets to a receiver.
trait Delivery: Send {
    /// Hands it over, `left_out` others having been left out since the last one; gives up when nothing is left of `limit`.
    fn deliver(&mut self, event: &Event, left_out: u64, limit: &Limit<'_>) -> Result<(), Refused>;
}

/// Why an event was not handed over.
struct Refused {
    why: String,
    /// How long to wait before it is tried again, after that many failures in a row; `None` where it is not.
    again_after: Option<Duration>,
}

/// Until when a receiver may take its time.
struct Limit<'a> {
    until: Instant,
    shared: &'a Shared,
}

impl Limit<'_> {
    fn left(&self) -> Duration {
        let ending = self.shared.lock().ending;
        let until = ending.map_or(self.until, |it| self.until.min(it + TIME_FOR_LAST));
        until.saturating_duration_since(Instant::now())
    }
}

/// A receiver, as the threads that offer events and the one that hands them over share it.
struct Shared {
    /// `--exec`, or where the webhook is.
    name: String,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    pace: Pace<Event>,
    /// Since when the watch is ending.
    ending: Option<Instant>,
    /// Whether its thread is.
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where events are offered.
#[derive(Clone, Default)]
pub(super) struct Alerts {
    receivers: Vec<Arc<Shared>>,
    over: Duration,
}

impl std::fmt::Debug for Alerts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.receivers.iter().map(|it| &it.name);
        out.debug_list().entries(names).finish()
    }
}

impl Alerts {
    /// Starts what the arguments ask for, which is refused where it cannot work. Of a watch in parts only the one
    /// that watches a JVM sends anything.
    pub(super) fn start(args: &WatchArgs, console: &Console) -> Result<Alerts, Failure> {
        if args.part == Some(Part::Find) {
            return Ok(Alerts::default());
        }
        let given = &args.alerts;
        let mut receivers: Vec<(String, Box<dyn Delivery>)> = Vec::new();
        if let Some(command) = &given.exec {
            let exec = Exec::of(command)?;
            receivers.push((format!("`{}`", exec.name()), Box::new(exec)));
        }
        if let Some(webhook) = Webhook::of(given)? {
            receivers.push((webhook.name(), Box::new(webhook)));
        }
        let over = given.alert_over.unwrap_or(args.over);
        if receivers.is_empty() {
            return refuse_without_receiver(args).map(|()| Alerts::default());
        }
        if over < args.over {
            return Err(Failure::input(
                "`--alert-over` is less than `--over`",
                "shorter pauses are not looked at: give a smaller `--over`, too",
            ));
        }
        let every = given.alert_every.unwrap_or(EVERY);
        if args.part.is_none() {
            let names: Vec<&str> = receivers.iter().map(|it| &*it.0).collect();
            let (names, over, every) =
                (names.join(" and "), report::duration(over), report::duration(every));
            let rate = format!("pauses and stalls of {over} or more, at most one in {every}");
            console.say(&format!("alerts to {names}: {rate}"));
        }
        if args.wait && args.part.is_none() {
            // Its parts send them.
            return Ok(Alerts::default());
        }
        let say = *console;
        let started = receivers
            .into_iter()
            .map(|(name, delivery)| begin(name, every, delivery, move |line: &str| say.say(line)));
        let receivers = started.collect::<io::Result<_>>().map_err(|error| {
            Failure::input(format!("cannot start a thread for alerts: {error}"), "")
        })?;
        Ok(Alerts { receivers, over })
    }

    /// Gives a part of a watch what is too secret for its arguments, and the other one nothing of it.
    pub(super) fn give(args: &WatchArgs, part: Part, command: &mut Command) {
        webhook::give(&args.alerts, part, command);
    }

    /// Offers what `make` makes of a pause or stall that was this long. Never waits.
    pub(super) fn offer(&self, length: Duration, make: impl Fn() -> Event) {
        if length < self.over {
            return;
        }
        for it in &self.receivers {
            it.lock().pace.offer(length, &make);
            it.changed.notify_all();
        }
    }

    /// Sends what still waits, for a second at most, and says what has become of all.
    pub(super) fn finish(&self, console: &Console) {
        let begun = Instant::now();
        for it in &self.receivers {
            it.lock().ending = Some(begun);
            it.changed.notify_all();
        }
        for it in &self.receivers {
            let mut state = it.lock();
            while !state.ended {
                let left = TIME_TO_END.saturating_sub(begun.elapsed());
                if left.is_zero() {
                    break;
                }
                let waited = it.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let counts = state.pace.end();
            drop(state);
            if counts != Counts::default() {
                console.say(&format!("alerts to {}: {}", it.name, words(&counts)));
            }
        }
    }
}

/// `12 sent, 3 failed, 85 left out by --alert-every`.
fn words(counts: &Counts) -> String {
    let Counts { sent, failed, left_out } = counts;
    format!("{sent} sent, {failed} failed, {left_out} left out by --alert-every")
}

fn refuse_without_receiver(args: &WatchArgs) -> Result<(), Failure> {
    let given = &args.alerts;
    let options = [
        ("--webhook-format", given.webhook_format.is_some()),
        ("--alert-every", given.alert_every.is_some()),
        ("--alert-over", given.alert_over.is_some()),
    ];
    match options.iter().find(|it| it.1) {
        None => Ok(()),
        Some((name, _)) => Err(Failure::input(
            format!("`{name}` is about alerts, and no receiver of alerts is given"),
            "give `--exec CMD` or `--webhook URL`",
        )),
    }
}

/// Starts the thread of a receiver.
fn begin(
    name: String,
    every: Duration,
    mut delivery: Box<dyn Delivery>,
    mut say: impl FnMut(&str) + Send + 'static,
) -> io::Result<Arc<Shared>> {
    let state = State { pace: Pace::new(every), ending: None, ended: false };
    let shared = Arc::new(Shared { name, state: Mutex::new(state), changed: Condvar::new() });
    let theirs = shared.clone();
    thread::Builder::new().name("whypause-alert".into()).spawn(move || {
        match spawn::without_rights() {
            Ok(()) => work(&theirs, &mut *delivery, &mut say),
            Err(error) => say(&format!("no alerts to {}: {error}", theirs.name)),
        }
        theirs.lock().ended = true;
        theirs.changed.notify_all();
    })?;
    Ok(shared)
}

/// Hands over one event after the other until the watch ends, and then the one that waits.
fn work(shared: &Shared, delivery: &mut dyn Delivery, say: &mut dyn FnMut(&str)) {
    let mut failures = 0_u32;
    while let Some(turn) = next(shared) {
        let limit = Limit { until: Instant::now() + TIME_FOR_ONE, shared };
        match delivery.deliver(&turn.item, turn.left_out, &limit) {
            Ok(()) => {
                shared.lock().pace.sent();
                if std::mem::take(&mut failures) > 0 {
                    say(&format!("alerts to {} work again", shared.name));
                }
            }
            Err(refused) => {
                shared.lock().pace.failed(turn, Instant::now(), refused.again_after);
                if failures == 0 {
                    say(&format!("an alert to {} failed: {}", shared.name, refused.why));
                }
                failures = failures.saturating_add(1);
            }
        }
    }
}

/// The next event to hand over, when it is due; the one that waits, where the watch ends; and none after that.
fn next(shared: &Shared) -> Option<Turn<Event>> {
    let mut state = shared.lock();
    loop {
        let now = Instant::now();
        if let Some(ending) = state.ending {
            return if now < ending + TIME_FOR_LAST { state.pace.last() } else { None };
        }
        if let Some(turn) = state.pace.take(now) {
            return Some(turn);
        }
        // Without an event that waits it is woken up by the next one.
        let wait = state.pace.due().map_or(Duration::MAX, |it| it.saturating_duration_since(now));
        let woken = shared.changed.wait_timeout(state, wait.min(Duration::from_secs(3_600)));
        state = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[cfg(test)]
mod tests;
