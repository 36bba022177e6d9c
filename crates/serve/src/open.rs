//! The connections that are open, and which of them ends where all places are taken and another one wants
//! one.
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{task::AbortHandle, time::Instant};

/// Where all places are taken a request has to be there by then, or the place is another's.
const TIME_TO_BEGIN: Duration = Duration::from_millis(100);
/// How long an answer may take to be read. All places must have been taken for the same time, as
/// many requests that come at once are answered in their turn.
const TIME_TO_FINISH: Duration = Duration::from_secs(1);
/// How soon it is looked again for a place.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// Connections that have to end some time: streams of events are none of them.
#[derive(Debug, Default)]
pub(crate) struct Open(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    connections: Vec<Connection>,
    /// Since when no place is free.
    full: Option<Instant>,
}

#[derive(Debug)]
struct Connection {
    id: u64,
    came: Instant,
    /// When it had asked for something.
    asked: Option<Instant>,
    task: AbortHandle,
}

impl Connection {
    /// From when on its place may be another's, where none is free since `full`.
    fn ends(&self, full: Instant) -> Instant {
        match self.asked {
            None => self.came + TIME_TO_BEGIN,
            Some(asked) => asked.max(full) + TIME_TO_FINISH,
        }
    }
}

impl Open {
    /// Those that have not ended by themselves.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.connections.retain(|it| !it.task.is_finished());
        state
    }

    /// One has come, which `task` answers.
    pub(crate) fn add(&self, id: u64, task: AbortHandle) {
        let one = Connection { id, came: Instant::now(), asked: None, task };
        self.state().connections.push(one);
    }

    /// It has asked for something: for events, which `lasts`, or for what it takes at once.
    pub(crate) fn has_asked(&self, id: u64, lasts: bool) {
        let mut state = self.state();
        if lasts {
            state.connections.retain(|it| it.id != id);
        } else if let Some(it) = state.connections.iter_mut().find(|it| it.id == id) {
            it.asked = Some(Instant::now());
        }
    }

    /// Where no place is free, ends the connection that is first past its time, if any: a client that only
    /// connects, or reads nothing of an answer, must not keep others out. Returns how long to wait until
    /// the next try; `None` where no connection has a limit.
    pub(crate) fn make_room(&self, free: usize) -> Option<Duration> {
        let mut state = self.state();
        if free > 0 {
            state.full = None;
            return None;
        }
        let now = Instant::now();
        let full = *state.full.get_or_insert(now);
        let ends = state.connections.iter().map(|it| it.ends(full));
        let (at, end) = ends.enumerate().min_by_key(|(_, end)| *end)?;
        let left = end.saturating_duration_since(now);
        if left.is_zero() {
            state.connections.remove(at).task.abort();
        }
        Some(left.max(RETRY_INTERVAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::sleep;

    const SECOND: Duration = Duration::from_secs(1);

    /// Runs it in a time that goes on only while nothing else does.
    fn paused(test: impl Future<Output = ()>) {
        let builder = &mut tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    /// A client that is answered for ever.
    fn client(open: &Open, id: u64) -> AbortHandle {
        let task = tokio::spawn(std::future::pending::<()>()).abort_handle();
        open.add(id, task.clone());
        task
    }

    /// They kept others out until the last of them had taken its answer.
    #[test]
    fn slow_reader_is_evicted_but_an_event_stream_is_not() {
        paused(async {
            let open = Open::default();
            let clients = [0, 1, 2].map(|id| client(&open, id));
            let ended = async || {
                tokio::task::yield_now().await;
                clients.each_ref().map(AbortHandle::is_finished)
            };
            open.has_asked(0, true);
            open.has_asked(1, false);
            sleep(3 * SECOND).await;
            open.has_asked(2, false);
            assert_eq!(open.make_room(1), None, "there is room");
            assert_eq!(open.make_room(0), Some(SECOND), "they may be many that came at once");
            sleep(SECOND / 2).await;
            assert!(open.make_room(0).is_some_and(|it| it <= SECOND / 2));
            assert_eq!(ended().await, [false; 3]);
            sleep(SECOND / 2).await;
            assert_eq!(open.make_room(0), Some(RETRY_INTERVAL));
            assert_eq!(ended().await, [false, true, false], "the first to ask");
            assert_eq!(open.make_room(0), Some(RETRY_INTERVAL));
            assert_eq!(ended().await, [false, true, true]);
            assert_eq!(open.make_room(0), None, "the events go on");
        });
    }

    #[test]
    fn who_has_just_asked_has_its_time_though_it_is_full_for_long() {
        paused(async {
            let open = Open::default();
            let silent = client(&open, 0);
            assert_eq!(open.make_room(0), Some(TIME_TO_BEGIN));
            sleep(3 * SECOND).await;
            let asked = client(&open, 1);
            open.has_asked(1, false);
            assert_eq!(open.make_room(0), Some(RETRY_INTERVAL));
            tokio::task::yield_now().await;
            assert!(silent.is_finished() && !asked.is_finished());
            assert_eq!(open.make_room(0), Some(SECOND));
            // Once there was room it is as it was at first.
            assert_eq!(open.make_room(1), None);
            sleep(3 * SECOND).await;
            assert_eq!(open.make_room(0), Some(SECOND));
        });
    }
}
