//! `whypause watch`: each long pause as it ends, with its cause.
//!
//! The same session and the same diagnosis as `record` and `explain`, over a sliding window.
mod teller;
mod window;

use super::attached::{self, Announcement};
use crate::{Exit, Failure, args::WatchArgs, console::Console, interrupt::Interrupt, target};
use recorder::Options;
use std::time::Instant;
use teller::Teller;

pub(crate) fn run(args: &WatchArgs, console: &Console) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    let jvm = target::running(&args.jvm)?;
    // What is not printed need not be known in detail.
    let options = Options { detail_over: args.over, detail_budget_per_s: 0, ..Options::default() };
    let mut session = attached::attach(&jvm, options, args.means, console)?;
    let over = report::duration(args.over);
    console.say(&format!("watching {}, pauses of {over} or more", attached::name(&jvm)));
    let mut announcement = Announcement::new();
    let mut teller = Teller::start(args.over, *console)?;
    let begun = Instant::now();
    let end = loop {
        let step = session.step();
        announcement.look(&step.facts, console);
        teller.send(step.facts);
        if teller.has_ended() {
            break "nobody reads any more";
        } else if step.exited {
            break "the jvm exited";
        } else if interrupt.came() {
            break "interrupted";
        } else if args.duration.is_some_and(|it| begun.elapsed() >= it) {
            break "the time given is over";
        }
    };
    let last = session.finish();
    if let Some(coverage) = &last.coverage {
        announcement.say(coverage, console);
    }
    teller.finish(last)?;
    console.say(&format!("watched for {}: {end}", report::duration(begun.elapsed())));
    Ok(Exit::Fine)
}
