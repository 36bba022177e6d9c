//! The thread that diagnoses and prints.
//!
//! The thread that drains the kernel's events must neither wait for a terminal that stands still
//! nor compute: this one does both, at the lowest priority.
use super::{
    black_box::Keeping,
    events::Events,
    live::{Live, Reader},
    rows::Rows,
};
use crate::{
    Failure,
    args::ZoneArgs,
    commands::window::{Ended, Window},
    console::Console,
};
use diagnose::{Counted, Diagnosis, Episode, Pause};
use input::log_offset_min;
use recording::{Facts, MonoTime};
use report::{Options, TimeZone, line, metrics::JvmMetrics};
use std::{
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, SystemTime},
};

/// Batches that may wait, a few seconds of them. Beyond that the thread stands still, and detail
/// is let go.
const QUEUE_BATCHES: usize = 64;
/// Rows that are kept while it stands still, a few megabytes: the threads of a large JVM among them.
const KEEP_ROWS: usize = 32 << 10;
/// The nice value that takes the CPU only where no other process wants it,
const NICE: i32 = 19;
/// and one that takes a tenth of a CPU beside one that wants all of it: a user may be watching the page.
const NICE_SERVED: i32 = 10;

/// Whether the heading of all JVMs was printed, where there are several.
static HEADED: Mutex<bool> = Mutex::new(false);

/// What is handed over.
#[derive(Debug)]
enum Batch {
    /// What became final.
    Final(Box<Facts>),
    /// What is known of the stop under way.
    UnderWay(Box<Facts>),
    /// The last seconds are to be kept.
    Keep,
}

/// Where else pauses and stalls are reported.
#[derive(Debug)]
pub(crate) struct Subscribers {
    /// Before each line, where there are several JVMs.
    pub(super) label: Option<String>,
    pub(super) metrics: Option<JvmMetrics>,
    pub(super) live: Option<Live>,
    pub(super) keeping: Option<Keeping>,
    pub(super) rows: Option<Rows>,
    pub(super) events: Events,
}

/// What was printed.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    pauses: Counted,
    /// Episodes of stalled threads,
    stalls: u64,
    /// and the longest stall.
    longest_stall: Duration,
}

/// The sending end.
#[derive(Debug)]
pub(crate) struct Printer {
    sender: SyncSender<Batch>,
    thread: JoinHandle<Result<Printed, Failure>>,
    /// What there was room for while it stands still.
    kept: Facts,
    /// Rows for which there was none.
    lost: u64,
}

impl Printer {
    pub(crate) fn start(
        over: Duration,
        zone: ZoneArgs,
        console: Console,
        subscribers: Subscribers,
    ) -> Result<Printer, Failure> {
        let (sender, receiver) = sync_channel(QUEUE_BATCHES);
        let mut form = Form::new(zone, console, subscribers.label.clone());
        form.objects = subscribers.events.are_printed();
        let thread = thread::Builder::new()
            .name("whypause-print".into())
            .spawn(move || work(&receiver, over, form, subscribers))?;
        Ok(Printer { sender, thread, kept: Facts::default(), lost: 0 })
    }

    /// Hands over and never waits.
    pub(crate) fn send(&mut self, facts: Facts) {
        let nothing = Facts::default();
        if facts == nothing && self.kept == nothing {
            // Most drains bring nothing: the thread sleeps on.
            return;
        }
        let mut batch = std::mem::take(&mut self.kept);
        batch.append(self.with_losses(facts));
        if let Err(TrySendError::Full(Batch::Final(mut batch))) =
            self.sender.try_send(Batch::Final(Box::new(batch)))
        {
            self.lost += batch.shed(KEEP_ROWS);
            self.kept = *batch;
        }
    }

    /// With what was lost here among the losses: nothing is ruled out then.
    fn with_losses(&self, mut facts: Facts) -> Facts {
        if let Some(coverage) = &mut facts.coverage {
            coverage.lost_rows += self.lost;
        }
        facts
    }

    /// Hands over what is known of the stop under way, and never waits: while the printing thread is blocked,
    /// its output is not read.
    pub(crate) fn send_under_way(&mut self, facts: Facts) {
        let _ = self.sender.try_send(Batch::UnderWay(Box::new(facts)));
    }

    /// Has the last seconds kept, where anything is.
    pub(crate) fn keep_now(&mut self) {
        let _ = self.sender.try_send(Batch::Keep);
    }

    /// Whether the thread has ended, because no process reads what it prints.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Hands over the last facts and waits until all is printed. What was printed in all.
    pub(crate) fn finish(mut self, last: Facts) -> Result<Printed, Failure> {
        let mut rest = std::mem::take(&mut self.kept);
        rest.append(self.with_losses(last));
        // The thread may have ended; then its result says why.
        let _ = self.sender.send(Batch::Final(Box::new(rest)));
        drop(self.sender);
        match self.thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// What the thread works with.
struct Work {
    over: Duration,
    form: Form,
    window: Window,
    printed: Printed,
    subscribers: Subscribers,
    /// Of the heap and the host, where there is a page.
    reader: Option<Reader>,
}

fn work(
    receiver: &Receiver<Batch>,
    over: Duration,
    form: Form,
    subscribers: Subscribers,
) -> Result<Printed, Failure> {
    // On Linux this is the calling thread's own. Without it all works, only less politely.
    let nice = if subscribers.live.is_some() { NICE_SERVED } else { NICE };
    let _ = rustix::process::setpriority_process(None, nice);
    // Numbers and rows are of all, also of what is not printed.
    let (counts, writes) = (subscribers.metrics.is_some(), subscribers.rows.is_some());
    let window = Window::new(over, counts || writes);
    let window = if subscribers.keeping.is_some() { window.with_history() } else { window };
    let window = if writes { window.with_rows() } else { window };
    let reader = subscribers.live.as_ref().map(|_| Reader::default());
    let mut work = Work { over, form, window, printed: Printed::default(), subscribers, reader };
    loop {
        let end = match next(receiver, work.due()) {
            Ok(batch) => {
                work.take(batch)?;
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        work.report(if end { MonoTime(u64::MAX) } else { recorder::now() })?;
        if end {
            return Ok(work.printed);
        }
    }
}

impl Work {
    /// When there is something to do even if nothing more comes.
    fn due(&self) -> Option<MonoTime> {
        let keeping = self.subscribers.keeping.as_ref().and_then(Keeping::due);
        self.window.due().into_iter().chain(keeping).min()
    }

    fn take(&mut self, batch: Batch) -> Result<(), Failure> {
        match batch {
            Batch::Final(facts) => {
                self.form.take_zone(&facts);
                let metrics = &mut self.subscribers.metrics;
                if let (Some(metrics), Some(coverage)) = (metrics, &facts.coverage) {
                    metrics.add_coverage(coverage);
                }
                self.add(*facts, recorder::now());
            }
            Batch::UnderWay(facts) => {
                self.form.take_zone(&facts);
                self.form.print_under_way(&self.window.under_way(*facts))?;
            }
            Batch::Keep => self.subscribers.keeping.iter().for_each(|it| it.ask(&self.window)),
        }
        Ok(())
    }

    fn add(&mut self, facts: Facts, now: MonoTime) {
        if let Some(reader) = &mut self.reader {
            reader.take(&facts, &self.window);
        }
        self.window.add(facts, now);
        let Subscribers { live, label, .. } = &self.subscribers;
        if let Some((reader, live)) = self.reader.as_mut().zip(live.as_ref()) {
            reader.publish(&self.window, now, live, label.as_deref());
        }
    }

    /// Reports what is known to have ended by `now`.
    fn report(&mut self, now: MonoTime) -> Result<(), Failure> {
        let (ended, short) = (self.window.ended(now), self.window.short(now));
        if let Some(metrics) = &self.subscribers.metrics {
            count(metrics, &ended, short.as_ref());
        }
        if let Some(rows) = &mut self.subscribers.rows {
            rows.take(&mut self.window, &ended);
        }
        for it in ended {
            match it {
                Ended::Pauses(diagnosis) => self.pauses(&diagnosis)?,
                Ended::Stall(episode, Some(diagnosis)) => self.stall(&episode, &diagnosis)?,
                Ended::Stall(_, None) => {}
            }
        }
        if let Some(keeping) = &mut self.subscribers.keeping {
            keeping.take(&self.window, now);
        }
        Ok(())
    }

    fn pauses(&mut self, diagnosis: &Diagnosis) -> Result<(), Failure> {
        let (over, it) = (self.over, &mut self.subscribers);
        let long = diagnosis.pauses.iter().enumerate();
        for (at, attribution) in long.filter(|it| it.1.pause.duration >= over) {
            let options = self.form.heading(diagnosis, &attribution.pause)?;
            if let Some(live) = &it.live {
                let options = Options { over, ..options.clone() };
                live.pause(diagnosis, at, it.label.as_deref(), &options);
            }
            let object = it.events.pause(diagnosis, attribution);
            self.form.print_or(object, || line::render(diagnosis, attribution, &options))?;
            self.printed.pauses.add(attribution);
            it.keeping.iter_mut().for_each(|it| it.pause(attribution));
        }
        Ok(())
    }

    fn stall(&mut self, episode: &Episode, diagnosis: &Diagnosis) -> Result<(), Failure> {
        let it = &mut self.subscribers;
        let options = self.form.heading(diagnosis, &episode.interval)?;
        let jvm = it.label.as_deref();
        it.live.iter().for_each(|it| it.stall(diagnosis, episode, jvm, &options));
        let object = it.events.stall(diagnosis, episode);
        self.form.print_or(object, || line::render_stall(diagnosis, episode, &options))?;
        self.printed.add_stall(episode);
        it.keeping.iter_mut().for_each(|it| it.stall(episode));
        Ok(())
    }
}

/// Counts what has ended for a monitoring system.
fn count(metrics: &JvmMetrics, ended: &[Ended], short: Option<&Diagnosis>) {
    let now = SystemTime::now();
    let pauses = |it: &Diagnosis| it.pauses.iter().for_each(|it| metrics.add(it, now));
    for it in ended {
        match it {
            Ended::Pauses(it) => pauses(it),
            Ended::Stall(it, _) => metrics.add_stalls(it),
        }
    }
    short.into_iter().for_each(pauses);
}

/// The next batch, if it comes by then.
fn next(receiver: &Receiver<Batch>, due: Option<MonoTime>) -> Result<Batch, RecvTimeoutError> {
    match due {
        Some(due) => receiver.recv_timeout(due.since(recorder::now())),
        None => Ok(receiver.recv()?),
    }
}

impl Printed {
    fn add_stall(&mut self, it: &Episode) {
        self.stalls += 1;
        self.longest_stall = self.longest_stall.max(it.longest());
    }

    /// `5 pauses, 7.20 s stopped, 7.10 s of it: GC log write blocked; 2 stalls, up to 3.12 s`.
    pub(crate) fn sentence(&self) -> String {
        let pauses = of_pauses(&self.pauses);
        let longest = report::duration(self.longest_stall);
        match self.stalls {
            0 => pauses,
            1 => format!("{pauses}; 1 stall, {longest}"),
            n => format!("{pauses}; {n} stalls, up to {longest}"),
        }
    }
}

fn of_pauses(printed: &Counted) -> String {
    let count = match printed.all.count {
        0 => return "no pause".to_owned(),
        1 => "1 pause".to_owned(),
        n => format!("{n} pauses"),
    };
    let most = printed
        .most()
        .map(|it| format!(", {} of it: {}", report::duration(it.parts.total), it.cause.short));
    let total = report::duration(printed.all.total);
    format!("{count}, {total} stopped{}", most.unwrap_or_default())
}

/// How lines are shown.
struct Form {
    console: Console,
    /// Whether objects are printed, and no text.
    objects: bool,
    /// The JVM, where there are others.
    label: Option<String>,
    zone: ZoneArgs,
    log_offset_min: Option<i16>,
    /// The zone that the line above all others says, once that is printed.
    chosen: Option<TimeZone>,
}

impl Form {
    fn new(zone: ZoneArgs, console: Console, label: Option<String>) -> Form {
        Form { console, objects: false, label, zone, log_offset_min: None, chosen: None }
    }

    /// Takes the zone of the GC log from its first date.
    fn take_zone(&mut self, facts: &Facts) {
        if self.chosen.is_none() && self.log_offset_min.is_none() {
            self.log_offset_min = log_offset_min(facts);
        }
    }

    /// How lines are shown from the first on, which the heading goes before: the form of the times is
    /// known with the first pause or stall.
    fn heading(&mut self, of: &Diagnosis, first: &Pause) -> Result<Options, Failure> {
        if let Some(zone) = &self.chosen {
            return Ok(self.console.options_in(zone.clone()));
        }
        let zone = self.zone.of(self.log_offset_min);
        let options = self.console.options_in(zone.clone());
        self.chosen = Some(zone);
        // Of many JVMs the first says it for all, before any other prints a line.
        let mut headed = HEADED.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.objects && (self.label.is_none() || !*headed) {
            self.console.print(&line::header(of, first, &options))?;
            *headed = true;
        }
        Ok(options)
    }

    /// Prints the stop that is not over, where text is printed.
    fn print_under_way(&mut self, diagnosis: &Diagnosis) -> Result<(), Failure> {
        for it in diagnosis.pauses.iter().filter(|it| it.pause.cut.end) {
            let options = self.heading(diagnosis, &it.pause)?;
            self.print_text(|| line::render_under_way(diagnosis, it, &options))?;
        }
        Ok(())
    }

    /// Prints an object where there is one, and text otherwise.
    fn print_or(
        &self,
        object: Option<String>,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match object {
            Some(object) => self.console.print(&object),
            None => self.print_text(text),
        }
    }

    /// Prints a line, with the JVM before it where there are others; nothing where objects are printed.
    fn print_text(&self, text: impl FnOnce() -> String) -> Result<(), Failure> {
        match &self.label {
            _ if self.objects => Ok(()),
            Some(label) => self.console.print(&format!("{label}  {}", text())),
            None => self.console.print(&text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{CgroupFact, CodeFact, Coverage, PerfCounterFact, Sample};

    /// A thread that takes nothing, and is never printed to.
    fn standing_still() -> (Printer, Receiver<Batch>) {
        let (sender, receiver) = sync_channel(0);
        let thread = thread::spawn(|| Ok(Printed::default()));
        (Printer { sender, thread, kept: Facts::default(), lost: 0 }, receiver)
    }

    #[test]
    fn what_later_batches_refer_to_is_kept_while_the_thread_stands_still() {
        let (mut printer, _receiver) = standing_still();
        let counter = PerfCounterFact { name: "sun.rt.x".into(), offset: 8, length: 8 };
        let facts = Facts {
            cgroup: Some(CgroupFact::default()),
            perf_counters: vec![counter],
            code: vec![CodeFact { tid: 1, at: MonoTime(1), address: 1, method: "a.b".into() }],
            ..Facts::default()
        };
        printer.send(facts.clone());
        assert_eq!(printer.kept, facts);
        let sample = Sample { at: MonoTime(1), counter: "vmstat.x".into(), value: 1 };
        printer.send(Facts { samples: vec![sample; KEEP_ROWS], ..Facts::default() });
        assert_eq!((&printer.kept, printer.lost), (&facts, KEEP_ROWS as u64));
    }

    #[test]
    fn what_is_lost_while_the_thread_stands_still_is_reported() {
        let (mut printer, _receiver) = standing_still();
        printer.lost = 5;
        printer.send(Facts { coverage: Some(Coverage::default()), ..Facts::default() });
        assert_eq!(printer.kept.coverage.map(|it| it.lost_rows), Some(5));
    }
}
