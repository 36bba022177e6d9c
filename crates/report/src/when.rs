//! When a pause began, for people and for programs.
use diagnose::{Diagnosis, Pause};
use jiff::{Timestamp, Zoned, tz::TimeZone};
use recording::Clock;

/// Start of `pause` in wall-clock time, where the input tells.
pub(crate) fn wall(clock: Clock, pause: &Pause) -> Option<Timestamp> {
    let on_wall = || i64::try_from(pause.start_ns).ok().filter(|_| clock == Clock::Wall);
    let ns = pause.start_wall_ns.or_else(on_wall)?;
    Timestamp::from_nanosecond(i128::from(ns)).ok()
}

/// RFC 3339 in UTC with nanoseconds.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    format!("{at:.9}")
}

/// How the starts of the pauses of one input are written: all alike.
#[derive(Debug)]
pub(crate) struct Clockface {
    zone: TimeZone,
    /// What the column is called.
    pub(crate) title: String,
    with_date: bool,
}

impl Clockface {
    /// Chooses the form: time of day, with the date where the pauses lie on several days; the
    /// JVM's uptime, or the time since the first pause, where there is no wall clock.
    pub(crate) fn new(diagnosis: &Diagnosis, zone: &TimeZone) -> Clockface {
        let zoned = |pause| wall(diagnosis.clock, pause).map(|at| at.to_zoned(zone.clone()));
        let first = diagnosis.pauses.first().and_then(|it| zoned(&it.pause));
        let last = diagnosis.pauses.last().and_then(|it| zoned(&it.pause));
        let title = match (&first, diagnosis.clock) {
            (Some(first), _) => format!("at ({})", first.strftime("%Z")),
            (None, Clock::Uptime) => "uptime".to_owned(),
            (None, _) => "after the first".to_owned(),
        };
        let with_date = first.as_ref().map(Zoned::date) != last.as_ref().map(Zoned::date);
        Clockface { zone: zone.clone(), title, with_date }
    }

    pub(crate) fn show(&self, diagnosis: &Diagnosis, pause: &Pause) -> String {
        if let Some(at) = wall(diagnosis.clock, pause) {
            let form = if self.with_date { "%F %H:%M:%S.%3f" } else { "%H:%M:%S.%3f" };
            return at.to_zoned(self.zone.clone()).strftime(form).to_string();
        }
        let zero = match diagnosis.clock {
            Clock::Uptime => 0,
            _ => diagnosis.pauses.first().map_or(0, |it| it.pause.start_ns),
        };
        let ms = pause.start_ns.saturating_sub(zero) / 1_000_000;
        format!("{}.{:03} s", ms / 1_000, ms % 1_000)
    }
}
