//! `whypause watch`: each long pause as it ends, with its cause.
//!
//! The same session and the same diagnosis as `record` and `explain`, over a sliding window.
mod window;

use super::attached::{self, Announcement};
use crate::{Exit, Failure, args::WatchArgs, console::Console, interrupt::Interrupt, target};
use recorder::Options;
use report::line;
use std::time::{Duration, Instant};
use window::Window;

pub(crate) fn run(args: &WatchArgs, console: &Console) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    let jvm = target::running(&args.jvm)?;
    // What is not printed need not be known in detail.
    let options = Options { detail_over: args.over, detail_budget_per_s: 0, ..Options::default() };
    let mut session = attached::attach(&jvm, options)?;
    let over = report::duration(args.over);
    console.say(&format!("watching {}, pauses of {over} or more", attached::name(&jvm)));
    let mut announcement = Announcement::new();
    let mut window = Window::new(args.over);
    let begun = Instant::now();
    let end = loop {
        let step = session.step();
        announcement.look(&step.facts, console);
        window.add(step.facts, begun.elapsed());
        print(&mut window, begun.elapsed(), console)?;
        if step.exited {
            break "the jvm exited";
        } else if interrupt.came() {
            break "interrupted";
        } else if args.duration.is_some_and(|it| begun.elapsed() >= it) {
            break "the time given is over";
        }
    };
    window.add(session.finish(), begun.elapsed());
    print(&mut window, Duration::MAX, console)?;
    console.say(end);
    Ok(Exit::Fine)
}

fn print(window: &mut Window, now: Duration, console: &Console) -> Result<(), Failure> {
    for diagnosis in window.ended(now) {
        let options = console.options();
        for attribution in &diagnosis.pauses {
            console.print(&line::render(&diagnosis, attribution, &options))?;
        }
    }
    Ok(())
}
