//! The thread that diagnoses and prints.
//!
//! The thread that drains the kernel's events must neither wait for a terminal that stands still
//! nor compute: this one does both, and leaves the CPU to everybody else first.
use super::window::Window;
use crate::{Failure, console::Console};
use recording::Facts;
use report::line;
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Batches that may wait, a few seconds of them. Beyond that the thread stands still, and detail
/// is let go.
const QUEUE_BATCHES: usize = 64;
/// How often pauses that wait for their evidence are looked at when nothing new comes.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The nice value that takes the CPU only where nobody else wants it.
const NICE: i32 = 19;

/// What is handed over.
#[derive(Debug)]
enum Batch {
    /// What became final.
    Final(Facts),
    /// What is known of the stop under way.
    UnderWay(Facts),
}

/// The sending end.
#[derive(Debug)]
pub(crate) struct Teller {
    sender: SyncSender<Batch>,
    thread: JoinHandle<Result<(), Failure>>,
    /// What the thread must get to understand later batches, while it stands still.
    kept: Facts,
}

impl Teller {
    pub(crate) fn start(over: Duration, console: Console) -> Result<Teller, Failure> {
        let (sender, receiver) = sync_channel(QUEUE_BATCHES);
        let thread = thread::Builder::new()
            .name("whypause-tell".into())
            .spawn(move || work(&receiver, over, console))?;
        Ok(Teller { sender, thread, kept: Facts::default() })
    }

    /// Hands over and never waits.
    pub(crate) fn send(&mut self, facts: Facts) {
        let mut batch = std::mem::take(&mut self.kept);
        batch.append(facts);
        if let Err(TrySendError::Full(Batch::Final(batch))) =
            self.sender.try_send(Batch::Final(batch))
        {
            let Facts { jvm, host, clocks, threads, stacks, files, coverage, .. } = batch;
            let kept =
                Facts { jvm, host, clocks, threads, stacks, files, coverage, ..Facts::default() };
            self.kept = super::window::bounded(kept);
        }
    }

    /// Hands over what is known of the stop under way, and never waits: a thread that stands still has
    /// nobody who reads it.
    pub(crate) fn send_under_way(&mut self, facts: Facts) {
        let _ = self.sender.try_send(Batch::UnderWay(facts));
    }

    /// Whether the thread has ended, because nobody reads what it prints.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Hands over the last facts and waits until all is told.
    pub(crate) fn finish(self, last: Facts) -> Result<(), Failure> {
        let mut rest = self.kept;
        rest.append(last);
        // The thread may have ended; then its result says why.
        let _ = self.sender.send(Batch::Final(rest));
        drop(self.sender);
        match self.thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn work(receiver: &Receiver<Batch>, over: Duration, console: Console) -> Result<(), Failure> {
    // On Linux this is the calling thread's own. Without it all works, only less politely.
    let _ = rustix::process::setpriority_process(None, NICE);
    let begun = Instant::now();
    let mut window = Window::new(over);
    loop {
        let end = match receiver.recv_timeout(LOOK_EVERY) {
            Ok(Batch::Final(facts)) => {
                window.add(facts, begun.elapsed());
                false
            }
            Ok(Batch::UnderWay(facts)) => {
                let diagnosis = window.under_way(facts);
                for it in diagnosis.pauses.iter().filter(|it| it.pause.cut.end) {
                    let line = line::render_under_way(&diagnosis, it, &console.options());
                    console.print(&line)?;
                }
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        let now = if end { Duration::MAX } else { begun.elapsed() };
        for diagnosis in window.ended(now) {
            let options = console.options();
            for attribution in &diagnosis.pauses {
                console.print(&line::render(&diagnosis, attribution, &options))?;
            }
        }
        if end {
            return Ok(());
        }
    }
}
