//! `whypause watch`: each long pause as it ends, with its cause.
//!
//! The same session and the same diagnosis as `record` and `explain`, over a sliding window.
mod teller;
mod window;

use super::attached::{self, Announcement};
use crate::{Exit, Failure, args::WatchArgs, console::Console, interrupt::Interrupt, target};
use recorder::{Jvm, Options};
use std::time::{Duration, Instant};
use teller::Teller;

/// A stop that has lasted so long is told while it goes on: who looks may be waiting for it.
const STILL: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &WatchArgs, console: &Console) -> Result<Exit, Failure> {
    let watch = Watch {
        args,
        console,
        interrupt: Interrupt::listen()?,
        until: args.duration.map(|it| Instant::now() + it),
    };
    while let Some(jvm) = watch.find()? {
        let begun = Instant::now();
        let end = watch.one(&jvm)?;
        let watched = report::duration(begun.elapsed());
        console.say(&format!("watched for {watched}: {}", end.why()));
        if !args.wait || end != End::JvmExited {
            break;
        }
    }
    Ok(Exit::Fine)
}

/// Why the watch of one JVM ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    OutputClosed,
    JvmExited,
    Interrupted,
    TimeOver,
}

impl End {
    fn why(self) -> &'static str {
        match self {
            End::OutputClosed => "nobody reads any more",
            End::JvmExited => "the jvm exited",
            End::Interrupted => "interrupted",
            End::TimeOver => "the time given is over",
        }
    }
}

struct Watch<'a> {
    args: &'a WatchArgs,
    console: &'a Console,
    interrupt: Interrupt,
    until: Option<Instant>,
}

impl Watch<'_> {
    /// The JVM that is meant; with `--wait` `None` where the wait ended before there was one.
    fn find(&self) -> Result<Option<Jvm>, Failure> {
        if !self.args.wait {
            return target::running(&self.args.jvm).map(Some);
        }
        target::awaited(&self.args.jvm, || self.end().is_some(), |it| self.console.say(it))
    }

    /// Whether somebody, or the clock, ends it.
    fn end(&self) -> Option<End> {
        if self.interrupt.came() {
            return Some(End::Interrupted);
        }
        self.until.filter(|it| Instant::now() >= *it).map(|_| End::TimeOver)
    }

    /// Watches one JVM until it exits, or the watch ends.
    fn one(&self, jvm: &Jvm) -> Result<End, Failure> {
        let (args, console) = (self.args, self.console);
        // What is not printed need not be known in detail.
        let options =
            Options { detail_over: args.over, detail_budget_per_s: 0, ..Options::default() };
        let mut session = attached::attach(jvm, options, args.means, console)?;
        let over = report::duration(args.over);
        console.say(&format!("watching {}, pauses of {over} or more", attached::name(jvm)));
        let mut announcement = Announcement::new();
        let mut teller = Teller::start(args.over, *console)?;
        let mut hung = None;
        let end = loop {
            let step = session.step();
            announcement.look(&step.facts, console);
            teller.send(step.facts);
            let since = session.stopped_since();
            if since != hung
                && let Some(facts) = session.under_way(STILL.max(args.over))
            {
                // Once of each stop: its end is told as that of any.
                hung = since;
                teller.send_under_way(facts);
            }
            if teller.has_ended() {
                break End::OutputClosed;
            } else if step.exited {
                break End::JvmExited;
            } else if let Some(end) = self.end() {
                break end;
            }
        };
        let last = session.finish();
        if let Some(coverage) = &last.coverage {
            announcement.say(coverage, console);
        }
        teller.finish(last)?;
        Ok(end)
    }
}
