//! Pauses and stalls as objects: the lines of `--json`, and what alerts are.
use super::alerts::Alerts;
use crate::args::{ListFormat, WatchArgs};
use diagnose::{Attribution, Diagnosis, Episode};
use recorder::Roots;
use report::Event;

/// Who wants objects of what has ended.
#[derive(Debug)]
pub(super) struct Events {
    /// Whether they are printed in place of text.
    prints: bool,
    /// Of this host, as it may be shown.
    host: String,
    alerts: Alerts,
}

impl Events {
    pub(super) fn new(args: &WatchArgs, alerts: Alerts) -> Events {
        let host = || recorder::host_fact(&Roots::default()).name;
        let host = if args.redact { "host-1".to_owned() } else { host() };
        Events { prints: args.format == ListFormat::Json, host, alerts }
    }

    /// Whether objects are printed in place of text.
    pub(super) fn are_printed(&self) -> bool {
        self.prints
    }

    /// Offers a pause as an alert; with the line to print, where objects are printed.
    pub(super) fn pause(&self, of: &Diagnosis, it: &Attribution) -> Option<String> {
        let event = || Event::pause(of, it, &self.host);
        self.alerts.offer(it.pause.duration, event);
        self.prints.then(|| event().line())
    }

    /// The same of an episode of stalled threads.
    pub(super) fn stall(&self, of: &Diagnosis, it: &Episode) -> Option<String> {
        let event = || Event::stall(of, it, &self.host);
        self.alerts.offer(it.longest(), event);
        self.prints.then(|| event().line())
    }
}
