//! The page of a watch: its browsers receive each pause and each stall as it ends, once a second what was read of
//! the heap and the host, and the last hour when they connect.
mod found;
mod reader;

use diagnose::{Diagnosis, Episode};
use found::Causes;
pub(super) use reader::Reader;
use report::{
    Options,
    html::{
        live::{self, Watched},
        readings::{Around, Read, Readings},
    },
};
use serve::{EventSender, Response, events};
use std::{
    collections::VecDeque,
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// How long a pause is kept,
const KEPT: Duration = Duration::from_secs(3_600);
/// and the size of all of them: an hour with one a second, and then some.
const MOST_BYTES: usize = 8 << 20;
/// Number of pauses whose threads are kept: the longest.
const MOST_WHOLE: usize = 24;
/// Of a pause with more than this the threads are left out.
const MOST_OF_ONE: usize = 512 << 10;
/// Number of browsers served at once; a further one is answered to retry after [`WHEN_FULL`].
const MOST_READERS: usize = 8;
const WHEN_FULL: Duration = Duration::from_secs(60);
/// How often what was read is sent: counters are read once a second, and come a little early or late.
const READINGS_EVERY: Duration = Duration::from_millis(900);
/// Events that may wait for a browser beyond those of the last hour.
const WAITING: usize = 256;

/// What is on the page. Shared by the thread that diagnoses and the one that serves.
#[derive(Clone, Debug, Default)]
pub(super) struct Live(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    watched: Option<(Watched, Options)>,
    kept: VecDeque<Kept>,
    /// What tells the events of this watch from those of an earlier one.
    generation: u64,
    /// How many are kept no more: the number of the first that is.
    gone: usize,
    /// The numbers of those of which more is kept than the brief event, in order.
    whole: VecDeque<usize>,
    bytes: usize,
    /// The heap and the host, and when what is new of them was last sent.
    readings: Readings,
    sent: Option<Instant>,
    /// What the pauses that are kept are due to.
    causes: Causes,
    readers: Vec<EventSender>,
    ended: Option<String>,
}

/// The events of one pause, or of one episode of stalled threads.
#[derive(Debug)]
struct Kept {
    /// What a browser calls it.
    event: &'static str,
    at: Instant,
    length: Duration,
    /// Without what the threads did.
    brief: String,
    whole: Option<String>,
    /// Its causes, each with its time.
    parts: Vec<found::Part>,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.brief.len() + self.whole.as_ref().map_or(0, String::len)
    }

    fn data(&self) -> &str {
        self.whole.as_ref().unwrap_or(&self.brief)
    }
}

impl Live {
    /// A JVM is watched from now on, or all of them are. What was kept of another one goes.
    pub(super) fn begin(&self, title: String, limit: Duration, options: Options) {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let watched = Watched {
            title,
            limit,
            since_wall_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            kept: KEPT,
            opened: MOST_WHOLE,
        };
        self.change(|state| {
            *state = State {
                watched: Some((watched, options)),
                generation: u64::try_from(since.as_nanos()).unwrap_or(0),
                readers: std::mem::take(&mut state.readers),
                ..State::default()
            };
            if let Some(hello) = state.hello() {
                state.readers.retain(|it| it.send("hello", &hello));
            }
        });
    }

    /// The pause at `at` in a diagnosis of it alone has ended. `jvm`: whose it is, where there are several.
    pub(super) fn pause(
        &self,
        diagnosis: &Diagnosis,
        at: usize,
        jvm: Option<&str>,
        options: &Options,
    ) {
        let Some(attribution) = diagnosis.pauses.get(at) else { return };
        let Some(event) = live::pause(diagnosis, at, jvm, options) else { return };
        let kept = Kept {
            event: "pause",
            at: Instant::now(),
            length: attribution.pause.duration,
            brief: event.brief,
            whole: event.whole.filter(|it| it.len() <= MOST_OF_ONE),
            parts: found::parts(attribution),
        };
        self.change(|state| {
            state.causes.devices(diagnosis);
            state.add(kept);
        });
    }

    /// An episode of stalled threads has ended, of which a diagnosis of it alone tells.
    pub(super) fn stall(
        &self,
        diagnosis: &Diagnosis,
        episode: &Episode,
        jvm: Option<&str>,
        options: &Options,
    ) {
        let Some(brief) = live::stall(diagnosis, episode, jvm, options) else { return };
        let at = Instant::now();
        let length = episode.longest();
        let kept = Kept { event: "stall", at, length, brief, whole: None, parts: Vec::new() };
        self.change(|state| state.add(kept));
    }

    /// What was read of the heap and the host. `jvm`: by which watch, where there are several.
    pub(super) fn readings(&self, read: Read, jvm: Option<&str>) {
        self.change(|state| state.take(read, jvm, Instant::now()));
    }

    /// The watch is over; or that of this JVM, or there was none yet, and the `next` one is awaited.
    pub(super) fn end(&self, why: &str, next: bool) {
        self.change(|state| {
            let end = live::end(why, next);
            // Their streams end with it, and the server need not wait for them.
            for reader in state.readers.drain(..) {
                let _ = reader.send("end", &end);
            }
            state.ended = Some(end);
        });
    }

    /// A browser that wants the events; `last` is the id of the last event that it had, if it had some.
    pub(super) fn reader(&self, last: Option<&str>) -> Response {
        let mut response = Response::NotFound;
        self.change(|state| response = state.reader(last));
        response
    }

    /// The page itself.
    pub(super) fn page(&self) -> Response {
        let mut title = "a JVM that is awaited".to_owned();
        self.change(|state| {
            if let Some((watched, _)) = &state.watched {
                title.clone_from(&watched.title);
            }
        });
        Response::Bytes { content_type: "text/html; charset=utf-8", body: live::page(&title) }
    }

    /// A thread that has panicked has left nothing half done: each change ends with whole events.
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl State {
    /// Nothing as long as no JVM is watched: a browser that connects this early gets it when one is.
    fn hello(&self) -> Option<String> {
        self.watched.as_ref().map(|(watched, options)| live::hello(watched, options))
    }

    fn add(&mut self, kept: Kept) {
        let number = self.gone + self.kept.len();
        let id = self.id(number);
        self.readers.retain(|it| it.send_with_id(kept.event, &id, kept.data()));
        self.bytes += kept.bytes();
        self.causes.add(&kept.parts);
        if kept.whole.is_some() {
            self.whole.push_back(number);
        }
        self.kept.push_back(kept);
        if self.whole.len() > MOST_WHOLE {
            self.shorten();
        }
        let is_old = |it: &Kept| it.at.elapsed() > KEPT;
        while self.bytes > MOST_BYTES || self.kept.front().is_some_and(is_old) {
            let Some(first) = self.kept.pop_front() else { break };
            self.bytes -= first.bytes();
            self.causes.remove(&first.parts);
            if self.whole.front() == Some(&self.gone) {
                self.whole.pop_front();
            }
            self.gone += 1;
        }
    }

    /// Keeps what was read, and sends what is new of it where that is due.
    fn take(&mut self, read: Read, jvm: Option<&str>, now: Instant) {
        self.readings.take(read, jvm, KEPT);
        if self.sent.is_none_or(|it| now.duration_since(it) >= READINGS_EVERY) {
            self.sent = Some(now);
            self.send_readings();
        }
    }

    /// Sends what was read since the last time.
    fn send_readings(&mut self) {
        if self.readers.is_empty() {
            return self.readings.sent();
        }
        let Some((watched, _)) = &self.watched else { return };
        let found = self.causes.ranked();
        let around = Around { found: &found, since_wall_ms: watched.since_wall_ms };
        if let Some(event) = self.readings.news(around) {
            self.readers.retain(|it| it.send("readings", &event));
        }
    }

    /// All that was read and is kept, for a browser that connects.
    fn all_readings(&self) -> Option<String> {
        let (watched, _) = self.watched.as_ref()?;
        let found = self.causes.ranked();
        self.readings.all(Around { found: &found, since_wall_ms: watched.since_wall_ms })
    }

    /// Keeps no more than the brief event of the shortest pause of which more is kept.
    fn shorten(&mut self) {
        let of = |number: &usize| number - self.gone;
        let lengths = self.whole.iter().map(|it| self.kept[of(it)].length);
        let shortest = lengths.enumerate().min_by_key(|(_, length)| *length);
        let number = shortest.and_then(|(place, _)| self.whole.remove(place));
        if let Some(number) = number {
            let whole = self.kept[number - self.gone].whole.take();
            self.bytes -= whole.map_or(0, |it| it.len());
        }
    }

    /// What the pause with this number is called.
    fn id(&self, number: usize) -> String {
        format!("{:x}-{number}", self.generation)
    }

    /// The number of the pause behind the one with this id, where that is one of this watch.
    fn behind(&self, id: &str) -> Option<usize> {
        let (generation, number) = id.split_once('-')?;
        let is_of_this = u64::from_str_radix(generation, 16).ok()? == self.generation;
        let next = number.parse::<usize>().ok()?.checked_add(1)?;
        (is_of_this && self.watched.is_some() && next <= self.gone + self.kept.len())
            .then_some(next)
    }

    fn reader(&mut self, last: Option<&str>) -> Response {
        self.readers.retain(|it| !it.is_closed());
        if self.readers.len() >= MOST_READERS {
            return Response::Busy(WHEN_FULL);
        }
        let (sender, receiver) = events(self.kept.len() + WAITING);
        // Who was only cut off has the rest already.
        let behind = last.and_then(|it| self.behind(it));
        let mut takes = match behind {
            Some(_) => true,
            None => self.hello().iter().all(|it| sender.send("hello", it)),
        };
        let first = behind.unwrap_or(0).saturating_sub(self.gone);
        for (place, kept) in self.kept.iter().enumerate().skip(first) {
            takes &= sender.send_with_id(kept.event, &self.id(self.gone + place), kept.data());
        }
        // What comes after it is new to all.
        self.send_readings();
        takes &= self.all_readings().iter().all(|it| sender.send("readings", it));
        takes &= self.ended.iter().all(|it| sender.send("end", it));
        if takes && self.ended.is_none() {
            self.readers.push(sender);
        }
        if takes { Response::Events(receiver) } else { Response::NotFound }
    }
}

/// The part of a page's address that makes it unguessable: 128 bits, in hexadecimal digits.
pub(super) fn token() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = &mut bytes[filled..];
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    let mut token = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(length_ms: u64, bytes: usize) -> Kept {
        Kept {
            event: "pause",
            at: Instant::now(),
            length: Duration::from_millis(length_ms),
            brief: "b".repeat(100),
            whole: Some("w".repeat(bytes)),
            parts: Vec::new(),
        }
    }

    #[test]
    fn a_day_with_a_pause_each_second_takes_no_more_memory_than_an_hour() {
        let mut state = State::default();
        for n in 0..86_400 {
            state.add(kept(n % 1_000, 3_000));
            assert!(state.bytes <= MOST_BYTES);
        }
        let of_all: usize = state.kept.iter().map(Kept::bytes).sum();
        assert_eq!(state.bytes, of_all);
        assert_eq!(state.gone + state.kept.len(), 86_400);
        assert_eq!(state.kept.iter().filter(|it| it.whole.is_some()).count(), MOST_WHOLE);
    }

    #[test]
    fn of_the_longest_the_threads_are_kept() {
        let mut state = State::default();
        (0..100).for_each(|n| state.add(kept(100 - n, 10)));
        let whole = state.kept.iter().filter(|it| it.whole.is_some());
        let shortest = whole.map(|it| it.length).min();
        assert_eq!(shortest, Some(Duration::from_millis(100 - MOST_WHOLE as u64 + 1)));
    }

    fn read(second: u64) -> Read {
        let points = vec![(second * 1_000_000_000, second)];
        let kind = diagnose::HostLineKind::SwapIn;
        let host = vec![diagnose::HostLine { kind, name: String::new(), points }];
        Read { host, wall_offset_ns: Some(0), ..Read::default() }
    }

    #[test]
    fn both_sides_of_how_often_readings_are_sent() {
        let live = Live::default();
        live.begin("orders (pid 4242)".into(), Duration::from_millis(50), Options::default());
        let Response::Events(_receiver) = live.reader(None) else { panic!("it is told") };
        let first = Instant::now();
        live.change(|state| {
            state.take(read(1), None, first);
            assert_eq!(state.sent, Some(first));
            state.take(read(2), None, first + READINGS_EVERY - Duration::from_nanos(1));
            assert_eq!(state.sent, Some(first));
            state.take(read(3), None, first + READINGS_EVERY);
            assert_eq!(state.sent, Some(first + READINGS_EVERY));
        });
    }

    #[test]
    fn a_late_browser_gets_what_was_read_while_there_was_none() {
        let live = Live::default();
        live.begin("orders (pid 4242)".into(), Duration::from_millis(50), Options::default());
        live.change(|state| {
            assert_eq!(state.all_readings(), None);
            (1..4).for_each(|it| state.take(read(it), None, Instant::now()));
            let all = state.all_readings().unwrap();
            assert!(all.contains("\"value\":[1,2,3]"), "{all}");
        });
        // What was read of another JVM's time goes with it.
        live.begin("billing (pid 4711)".into(), Duration::from_millis(50), Options::default());
        live.change(|state| assert_eq!(state.all_readings(), None));
    }

    #[test]
    fn a_browser_that_does_not_read_is_given_up() {
        let live = Live::default();
        let Response::Events(_receiver) = live.reader(None) else { panic!("it is told") };
        live.change(|state| (0..=WAITING).for_each(|_| state.add(kept(1, 1))));
        live.change(|state| assert_eq!(state.readers.len(), 0));
    }

    /// They threw each other out, each time with all of the last hour.
    #[test]
    fn the_ninth_browser_waits_and_throws_nobody_out() {
        let live = Live::default();
        let mut eight: Vec<Response> = (0..MOST_READERS).map(|_| live.reader(None)).collect();
        assert!(eight.iter().all(|it| matches!(it, Response::Events(_))));
        assert!(matches!(live.reader(None), Response::Busy(it) if it == WHEN_FULL));
        // A place is free as soon as one has gone.
        eight.pop();
        assert!(matches!(live.reader(None), Response::Events(_)));
    }

    #[test]
    fn reconnecting_browser_gets_only_the_rest() {
        let live = Live::default();
        live.begin("orders (pid 4242)".into(), Duration::from_millis(50), Options::default());
        live.change(|state| (0..5).for_each(|_| state.add(kept(1, 1))));
        let mut ids = Vec::new();
        live.change(|state| ids = vec![state.id(2), state.id(4), state.id(5)]);
        let check = |last: &str, behind: Option<usize>| {
            live.change(|state| assert_eq!(state.behind(last), behind, "{last}"));
        };
        check(&ids[0], Some(3));
        check(&ids[1], Some(5));
        // One that there was not yet is of another watch, as is one of another beginning.
        check(&ids[2], None);
        check("1-2", None);
        check("x", None);
        check("", None);
    }

    #[test]
    fn who_comes_before_the_jvm_is_told_of_it_once() {
        let live = Live::default();
        let Response::Events(_receiver) = live.reader(None) else { panic!("it is told") };
        live.change(|state| {
            assert!(state.hello().is_none());
            assert_eq!(state.readers.len(), 1);
        });
        live.begin("orders (pid 4242)".into(), Duration::from_millis(50), Options::default());
        live.change(|state| assert!(state.hello().is_some_and(|it| it.contains("4242"))));
    }

    #[test]
    fn a_token_is_128_bits_and_another_each_time() {
        let [a, b] = [token().unwrap(), token().unwrap()];
        assert_eq!((a.len(), b.len()), (32, 32));
        assert_ne!(a, b);
    }
}
