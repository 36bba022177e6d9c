//! `whypause watch`: each long pause and each long stall of threads as it ends, with its cause.
//!
//! The same session and the same diagnosis as `record` and `explain`, over a sliding window.
mod alerts;
mod all;
mod black_box;
mod events;
mod keep_now;
mod live;
mod next;
mod printer;
mod published;
mod rows;
mod stops;

use super::attached::{self, Announcement, Attached};
use crate::{
    Exit, Failure,
    args::{Part, WatchArgs},
    console::Console,
    interrupt::{Interrupt, Wishes},
    target,
};
use alerts::Alerts;
use black_box::BlackBox;
use events::Events;
use printer::{Printer, Subscribers};
use published::Published;
use recorder::{Duties, Jvm, Options, Roots, SafepointLog};
use report::Redactor;
use rows::RowWriter;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use stops::Stopped;

/// A stop that has lasted this long is reported while it goes on: the user may be waiting for it.
const STILL: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &WatchArgs, console: &Console) -> Result<Exit, Failure> {
    if args.kept.keep_now {
        return keep_now::run(console);
    }
    let (interrupt, wishes) = (Interrupt::listen()?, Wishes::listen()?);
    let stopped = Stopped::default();
    // Of a watch in parts the one that watches keeps; that nothing can be kept is said at once.
    let (black_box, rows) = match args.part {
        None if args.wait => (black_box::store(&args.kept)?.and(None), rows::check(args)?),
        None | Some(Part::One) => (
            BlackBox::open(&args.kept, &stopped, console)?,
            RowWriter::open(args, &stopped, console)?,
        ),
        Some(Part::Find) => (None, None),
    };
    let watch = Watch {
        black_box,
        rows,
        stopped,
        wishes,
        args,
        console,
        alerts: Alerts::start(args, console)?,
        published: Published::start(args, console)?,
        attaching: Mutex::default(),
        closed: AtomicBool::default(),
        interrupt,
        until: args.duration.map(|it| Instant::now() + it),
    };
    let ended = match args.part {
        None if args.all => all::watch_all(&watch),
        None if args.wait => next::watch_each(&watch),
        Some(Part::Find) => next::find(&watch),
        None | Some(Part::One) => watch.the_one(),
    };
    watch.alerts.finish(console);
    let kept = watch.black_box.and_then(BlackBox::finish);
    let written = watch.rows.and_then(RowWriter::finish);
    kept.iter().chain(&written).for_each(|it| console.say(it));
    ended
}

/// Why the watch of one JVM ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    OutputClosed,
    JvmExited,
    Interrupted,
    TimeOver,
    /// Of `watch --all`: there are too many JVMs, and most of them are this one's user's.
    MadeRoom,
}

impl End {
    fn why(self) -> &'static str {
        match self {
            End::OutputClosed => "output closed",
            End::JvmExited => "the JVM exited",
            End::Interrupted => "interrupted",
            End::TimeOver => "duration elapsed",
            End::MadeRoom => "it made room for a JVM of another user",
        }
    }
}

struct Watch<'a> {
    args: &'a WatchArgs,
    console: &'a Console,
    /// What other programs may read.
    published: Published,
    /// What is sent to other programs.
    alerts: Alerts,
    /// Held while a JVM is attached to: of many, one after the other.
    attaching: Mutex<()>,
    /// Whether no process reads what is printed, as another thread has found.
    closed: AtomicBool,
    interrupt: Interrupt,
    /// How often a person wanted the last seconds to be kept.
    wishes: Wishes,
    /// Where pauses are kept, if they are.
    black_box: Option<BlackBox>,
    /// Where rows are written, if they are.
    rows: Option<RowWriter>,
    /// Which JVMs are stopped now.
    stopped: Stopped,
    until: Option<Instant>,
}

impl Watch<'_> {
    /// Whether an interrupt, or the clock, ends it.
    fn end(&self) -> Option<End> {
        if self.interrupt.came() {
            return Some(End::Interrupted);
        }
        if self.closed.load(Ordering::Relaxed) {
            return Some(End::OutputClosed);
        }
        self.until.filter(|it| Instant::now() >= *it).map(|_| End::TimeOver)
    }

    /// Whether the process that started this one waits for another JVM then.
    fn others_follow(&self, end: End) -> bool {
        self.args.part.is_some() && end == End::JvmExited
    }

    /// The JVM that is there.
    fn the_one(&self) -> Result<Exit, Failure> {
        let (args, console) = (self.args, self.console);
        attached::undo_leftovers(&self.interrupt, console);
        let host = recorder::host_fact(&Roots::default()).name;
        let mut redactor = Redactor::new(args.redact, Some(&host));
        let jvm = target::running(&args.jvm, |it| console.say(it))?;
        let begun = Instant::now();
        let (end, why) = self.one(&jvm, &mut redactor, &AtomicBool::default())?;
        let watched = report::duration(begun.elapsed());
        console.say(&format!("watched for {watched}: {why}"));
        Ok(if self.others_follow(end) { Exit::NextJvm } else { Exit::Fine })
    }

    /// Attaches to a JVM, if it is not to `stop` before its turn comes.
    fn attach(
        &self,
        jvm: &Jvm,
        stop: &AtomicBool,
    ) -> Result<Option<(Attached, Option<SafepointLog>)>, Failure> {
        let _turn = self.attaching.lock().unwrap_or_else(PoisonError::into_inner);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // What is not printed need not be known in detail.
        let options = Options {
            detail_over: self.args.over,
            detail_budget_per_s: 0,
            stalls_over: self.args.stalls_over,
            one_of_many: self.args.all,
            duties_after: Some(Duties::default()),
            ..Options::default()
        };
        let (args, console) = (self.args, self.console);
        attached::attach(jvm, options, args.collect, &self.interrupt, console).map(Some)
    }

    /// The page, where one is served, is of what has this title from now on.
    fn begin_page(&self, title: String) {
        if let Some(live) = self.published.live() {
            let options = self.console.options_in(self.args.zone.of(None));
            live.begin(title, self.args.over, options);
        }
    }

    /// The thread that diagnoses and prints what is seen of a JVM of this name, and what it hands that to.
    fn printer(&self, jvm: &Jvm, main: &str, redactor: &mut Redactor) -> Result<Printer, Failure> {
        let subscribers = Subscribers {
            label: self.args.all.then(|| attached::name(main, jvm.pid)),
            metrics: self.published.jvm(main, (jvm.pid, jvm.uid), redactor),
            live: self.published.live().cloned(),
            keeping: self.black_box.as_ref().map(|it| it.of(main)),
            rows: self.rows.as_ref().map(|it| it.of(&attached::name(main, jvm.pid))),
            events: Events::new(self.args, self.alerts.clone()),
        };
        Printer::start(self.args.over, self.args.zone.clone(), *self.console, subscribers)
    }

    /// Watches one JVM until it exits, it is to `stop`, or the watch ends; with what was seen and why it
    /// ended, for people.
    fn one(
        &self,
        jvm: &Jvm,
        redactor: &mut Redactor,
        stop: &AtomicBool,
    ) -> Result<(End, String), Failure> {
        let (args, console) = (self.args, self.console);
        let mut wishes = self.wishes.count();
        // The log is switched off last.
        let Some((mut session, _log)) = self.attach(jvm, stop)? else {
            return Ok((End::MadeRoom, End::MadeRoom.why().to_owned()));
        };
        let over = report::duration(args.over);
        let main = redactor.main(&jvm.main);
        let name = attached::name(&main, jvm.pid);
        console.say(&format!("watching {name}, pauses of {over} or more"));
        let mut announcement = Announcement::new(args.all);
        if !args.all {
            self.begin_page(name);
        }
        let mut printer = self.printer(jvm, &main, redactor)?;
        let mut hung = None;
        let mut stops = self.stopped.of_one();
        let end = loop {
            let mut step = session.step();
            redactor.facts(&mut step.facts);
            announcement.say_when_known(&step.facts, console);
            printer.send(step.facts);
            let since = session.stopped_since();
            stops.set(since.is_some());
            if std::mem::replace(&mut wishes, self.wishes.count()) != wishes {
                printer.keep_now();
            }
            if since != hung
                && let Some(mut facts) = session.under_way(STILL.max(args.over))
            {
                redactor.facts(&mut facts);
                // Once of each stop: its end is reported as that of any.
                hung = since;
                printer.send_under_way(facts);
            }
            if printer.has_ended() {
                break End::OutputClosed;
            } else if step.exited {
                break End::JvmExited;
            } else if stop.load(Ordering::Relaxed) {
                break End::MadeRoom;
            } else if let Some(end) = self.end() {
                break end;
            }
        };
        let mut last = session.finish();
        redactor.facts(&mut last);
        let mut why = end.why().to_owned();
        if let Some(coverage) = &last.coverage {
            announcement.say(coverage, console);
            if end == End::JvmExited {
                why.clone_from(&coverage.end);
            }
        }
        let reported = printer.finish(last)?;
        if let Some(live) = self.published.live().filter(|_| !args.all) {
            live.end(&why, self.others_follow(end));
        }
        Ok((end, format!("{}; {why}", reported.sentence())))
    }
}
