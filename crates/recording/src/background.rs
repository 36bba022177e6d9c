//! The thread that writes, so that the one that samples never waits for a file system.
use crate::{Facts, RecordingError, Summary, Writer};
use std::{
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Batches that may wait.
const QUEUE_BATCHES: usize = 64;
/// Rows that may wait: about 5 MiB of slices.
const QUEUE_ROWS: u64 = 32 << 10;
/// Rows after which the thread writes before the time is over.
const WRITE_ROWS: usize = 4096;
/// Rows that are kept for the next batch where one has to be dropped.
const KEEP_ROWS: usize = 4096;

/// Hands batches to a thread that writes them.
///
/// Sending never waits. Where the thread cannot keep up, because the storage is slow or the CPUs
/// are taken, rows are given up and counted in [`Coverage::lost_rows`](crate::Coverage::lost_rows):
/// up to 4,096 are kept for the next batch, detail not among them where there are more
/// ([`Facts::shed`]).
///
/// Dropped without [`finish`](BackgroundWriter::finish), the thread writes what it has and leaves
/// the segments, which [`Recording::open`](crate::Recording::open) reads as they are.
#[derive(Debug)]
pub struct BackgroundWriter {
    sender: SyncSender<Order>,
    shared: Arc<Shared>,
    /// What a dropped batch left for the next one.
    kept: Facts,
    thread: JoinHandle<Result<Summary, RecordingError>>,
}

#[derive(Debug)]
enum Order {
    Write(Facts),
    Finish(Facts),
}

#[derive(Debug, Default)]
struct Shared {
    /// Rows in the channel.
    queued: AtomicU64,
    /// Rows dropped before the channel.
    dropped: AtomicU64,
    /// The last error of writing.
    trouble: Mutex<Option<String>>,
}

impl BackgroundWriter {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// [`RecordingError::Io`] where the system gives no thread.
    pub fn start(writer: Writer) -> Result<BackgroundWriter, RecordingError> {
        let path = writer.path().to_owned();
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        BackgroundWriter::spawn(shared, move |receiver| run(writer, &receiver, &theirs))
            .map_err(|error| RecordingError::io(path, "start a thread to write", error))
    }

    fn spawn(
        shared: Arc<Shared>,
        work: impl FnOnce(Receiver<Order>) -> Result<Summary, RecordingError> + Send + 'static,
    ) -> std::io::Result<BackgroundWriter> {
        let (sender, receiver) = sync_channel(QUEUE_BATCHES);
        let thread =
            thread::Builder::new().name("whypause-write".into()).spawn(move || work(receiver))?;
        Ok(BackgroundWriter { sender, shared, kept: Facts::default(), thread })
    }

    /// Hands over a batch and never waits. Whether all of it was taken.
    pub fn send(&mut self, facts: Facts) -> bool {
        let mut batch = mem::take(&mut self.kept);
        batch.append(facts);
        let rows = batch.rows() as u64;
        let queued = self.shared.queued.load(Relaxed);
        if queued > 0 && queued + rows > QUEUE_ROWS {
            self.keep(batch);
            return false;
        }
        // Counted before it is there: the thread may take it at once.
        self.shared.queued.fetch_add(rows, Relaxed);
        match self.sender.try_send(Order::Write(batch)) {
            Ok(()) => {
                if queued + rows >= WRITE_ROWS as u64 {
                    self.thread.thread().unpark();
                }
                true
            }
            Err(TrySendError::Full(Order::Write(batch) | Order::Finish(batch))) => {
                self.shared.queued.fetch_sub(rows, Relaxed);
                self.thread.thread().unpark();
                self.keep(batch);
                false
            }
            Err(TrySendError::Disconnected(_)) => {
                self.shared.dropped.fetch_add(rows, Relaxed);
                false
            }
        }
    }

    /// Keeps for the next batch what there is room for.
    fn keep(&mut self, mut batch: Facts) {
        self.shared.dropped.fetch_add(batch.shed(KEEP_ROWS), Relaxed);
        self.kept = batch;
    }

    /// Rows dropped so far because the thread could not keep up.
    #[cfg(test)]
    fn dropped_rows(&self) -> u64 {
        self.shared.dropped.load(Relaxed)
    }

    /// Why the last write failed, if one did; one line. The thread goes on and tries again.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes what is left and `last`, and seals the recording. Waits for the storage.
    ///
    /// # Errors
    ///
    /// As [`Writer::seal`]; [`RecordingError::WriterGone`] where the thread ended before.
    pub fn finish(mut self, last: Facts) -> Result<Summary, RecordingError> {
        let mut batch = mem::take(&mut self.kept);
        batch.append(last);
        // Where the thread is gone, joining it says why.
        let _ = self.sender.send(Order::Finish(batch));
        drop(self.sender);
        self.thread.thread().unpark();
        let gone = |_| RecordingError::WriterGone { why: "it panicked".into() };
        self.thread.join().map_err(gone)?
    }
}

/// The thread: gathers batches and writes them together.
fn run(
    mut writer: Writer,
    receiver: &Receiver<Order>,
    shared: &Shared,
) -> Result<Summary, RecordingError> {
    let flush_after = writer.limits().flush_after;
    let mut dropped = 0;
    loop {
        let (batch, next) = gather(receiver, flush_after, shared);
        let now = shared.dropped.load(Relaxed);
        writer.add_busy(now - mem::replace(&mut dropped, now));
        if let Err(error) = writer.write(&batch) {
            let mut trouble = shared.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            *trouble = Some(error.to_string());
        }
        match next {
            Next::Batch => {}
            Next::Seal => return writer.seal(),
            Next::Leave => {
                return Err(RecordingError::WriterGone { why: "not finished".into() });
            }
        }
    }
}

/// What to do after a batch was written.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Batch,
    Seal,
    /// The sender is gone and did not ask to seal.
    Leave,
}

/// Waits for rows and gathers more until `flush_after` has passed since the first or there are
/// enough. Those that come meanwhile wake no thread, which would cost more than to write them.
fn gather(receiver: &Receiver<Order>, flush_after: Duration, shared: &Shared) -> (Facts, Next) {
    let mut batch = Facts::default();
    let mut order = receiver.recv().map_err(|_| TryRecvError::Disconnected);
    let until = Instant::now() + flush_after;
    loop {
        match order {
            Ok(Order::Write(facts)) => {
                shared.queued.fetch_sub(facts.rows() as u64, Relaxed);
                batch.append(facts);
            }
            Ok(Order::Finish(facts)) => {
                batch.append(facts);
                return (batch, Next::Seal);
            }
            Err(TryRecvError::Disconnected) => return (batch, Next::Leave),
            Err(TryRecvError::Empty) => {
                let wait = until.saturating_duration_since(Instant::now());
                if wait.is_zero() {
                    return (batch, Next::Batch);
                }
                thread::park_timeout(wait);
            }
        }
        if batch.rows() >= WRITE_ROWS {
            return (batch, Next::Batch);
        }
        order = receiver.try_recv();
    }
}

#[cfg(test)]
mod tests;
