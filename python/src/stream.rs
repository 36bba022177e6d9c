//! Batches of rows that threads make while they are taken, in the order of the inputs.
//!
//! Memory is bounded: a thread waits where the batches of its input are not taken, and no input is begun
//! that is too far ahead of the one whose batches are. What is taken is the same for any number of threads.
use crate::error::Error;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::{
    collections::VecDeque,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// How many batches of one input wait to be taken.
const MOST_WAITING: usize = 4;
/// How many inputs each thread may be ahead.
const AHEAD: usize = 2;

/// Takes a batch, and says whether more are wanted.
pub(crate) type OnBatch<'a> = &'a mut dyn FnMut(RecordBatch) -> ControlFlow<()>;

/// Makes the rows of one input.
pub(crate) trait Work: Send + Sync + 'static {
    /// How many inputs there are.
    fn count(&self) -> usize;

    /// Reads one of them.
    ///
    /// # Errors
    ///
    /// What it cannot be read for, where that is to end the stream.
    fn run(&self, index: usize, on_batch: OnBatch<'_>) -> Result<(), Error>;

    /// Nothing more is read.
    fn end(&self);
}

/// The batches of all inputs. What takes a stream may only want its schema: nothing is read before the first
/// batch is taken.
pub(crate) struct Batches {
    schema: SchemaRef,
    shared: Arc<Shared>,
    work: Arc<dyn Work>,
    /// How many are still to be started.
    threads: usize,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    ahead: usize,
    count: usize,
}

#[derive(Default)]
struct State {
    /// The input that is begun next.
    next: usize,
    /// The input whose batches are taken.
    taken: usize,
    /// Of that one and those after it that were begun.
    queues: VecDeque<Queue>,
    /// No more is wanted.
    stopped: bool,
}

#[derive(Default)]
struct Queue {
    batches: VecDeque<Result<RecordBatch, Error>>,
    is_done: bool,
}

impl Batches {
    /// Of what this number of threads reads, of which at least one is used.
    pub(crate) fn new(schema: SchemaRef, work: Arc<dyn Work>, threads: usize) -> Batches {
        let count = work.count();
        let threads = threads.min(count).max(1);
        let ahead = threads * AHEAD;
        let state = Mutex::default();
        let shared = Arc::new(Shared { state, changed: Condvar::new(), ahead, count });
        Batches { schema, shared, work, threads }
    }

    fn start(&mut self) {
        for _ in 0..std::mem::take(&mut self.threads) {
            let (shared, work) = (self.shared.clone(), self.work.clone());
            thread::spawn(move || shared.work(&*work));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// What one thread does: one input after the other.
    fn work(&self, work: &dyn Work) {
        while let Some(index) = self.begin_next() {
            let mut on_batch = |batch| self.hand_on(index, Ok(batch));
            let read = catch_unwind(AssertUnwindSafe(|| work.run(index, &mut on_batch)));
            let read = read.unwrap_or_else(|_| {
                Err(Error::new("a defect of whypause ended the reading of an input", ""))
            });
            if let Err(error) = read {
                let _ = self.hand_on(index, Err(error));
            }
            let mut state = self.lock();
            if let Some(queue) = state.queue(index) {
                queue.is_done = true;
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    fn begin_next(&self) -> Option<usize> {
        let mut state = self.lock();
        while !state.stopped && state.next < self.count && state.next >= state.taken + self.ahead {
            state = self.wait(state);
        }
        if state.stopped || state.next >= self.count {
            return None;
        }
        state.next += 1;
        state.queues.push_back(Queue::default());
        Some(state.next - 1)
    }

    fn hand_on(&self, index: usize, batch: Result<RecordBatch, Error>) -> ControlFlow<()> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return ControlFlow::Break(());
            }
            let Some(queue) = state.queue(index) else { return ControlFlow::Break(()) };
            if queue.batches.len() < MOST_WAITING {
                queue.batches.push_back(batch);
                drop(state);
                self.changed.notify_all();
                return ControlFlow::Continue(());
            }
            state = self.wait(state);
        }
    }

    fn take(&self) -> Option<Result<RecordBatch, Error>> {
        let mut state = self.lock();
        loop {
            if state.stopped || state.taken >= self.count {
                return None;
            }
            if let Some(queue) = state.queues.front_mut() {
                if let Some(batch) = queue.batches.pop_front() {
                    // The first error is the last that is taken.
                    state.stopped = batch.is_err();
                    drop(state);
                    self.changed.notify_all();
                    return Some(batch);
                }
                if queue.is_done {
                    state.queues.pop_front();
                    state.taken += 1;
                    self.changed.notify_all();
                    continue;
                }
            }
            state = self.wait(state);
        }
    }
}

impl State {
    fn queue(&mut self, index: usize) -> Option<&mut Queue> {
        self.queues.get_mut(index.checked_sub(self.taken)?)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.start();
        let batch = self.shared.take();
        if batch.is_none() {
            self.work.end();
        }
        Some(batch?.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The threads end by themselves, at the next batch that they would hand on: who drops this may hold Python's lock,
/// and is not made to wait for them.
impl Drop for Batches {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        self.work.end();
    }
}
