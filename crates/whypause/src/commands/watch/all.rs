//! `watch --all`: every JVM of this host, as they come and go.
//!
//! One process: a thread searches, with few rights, and for each JVM that it finds another one attaches
//! and gives up its rights then. The thread that starts them keeps its rights and reads no file.
mod places;

use super::{End, Watch};
use crate::{Exit, Failure, commands::attached, target::is_of_user};
use places::{Guest, Places};
use recorder::{Jvm, Roots, account_of};
use report::Redactor;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, Scope, ScopedJoinHandle},
    time::{Duration, Instant},
};

/// Number of those left out that are named,
const MOST_NAMES: usize = 5;
/// and so often at most.
const LEFT_OUT_INTERVAL: Duration = Duration::from_secs(60);
/// How often JVMs are searched.
const SEARCH_EVERY: Duration = Duration::from_secs(2);
/// How often the interrupt is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// A JVM that is younger may be a compiler, or print its version, and be gone before it is attached to.
const SETTLED: Duration = Duration::from_secs(2);

/// A process for good: its id, and when it started.
type Key = (u32, u64);

fn key(jvm: &Jvm) -> Key {
    (jvm.pid, jvm.start_ticks)
}

/// A JVM that was tried.
#[derive(Debug)]
struct One<'scope> {
    /// Watches it, if any does.
    thread: Option<ScopedJoinHandle<'scope, ()>>,
    /// Whether it is to give up its place.
    stop: Arc<AtomicBool>,
}

impl One<'_> {
    fn runs(&self) -> bool {
        self.thread.as_ref().is_some_and(|it| !it.is_finished())
    }
}

/// JVMs that were tried.
#[derive(Debug, Default)]
struct Tried<'scope> {
    jvms: BTreeMap<Key, One<'scope>>,
    /// Of those that are watched.
    places: Places,
    /// Those that were left out for lack of room at the last report, and its time.
    said: Option<(Vec<Key>, Instant)>,
}

pub(super) fn watch_all(watch: &Watch<'_>) -> Result<Exit, Failure> {
    attached::undo_leftovers(&watch.interrupt, watch.console);
    allow_descriptors();
    let over = report::duration(watch.args.over);
    let name = watch.args.jvm.matching.as_ref();
    let named = name.map_or(String::new(), |it| format!(" with `{it}` in their names"));
    let user = watch.args.jvm.whose.user.as_ref();
    let named = named + &user.map_or(String::new(), |it| format!(" of user `{}`", it.given));
    watch.console.say(&format!("watching all JVMs{named}, pauses of {over} or more"));
    watch.begin_page(format!("all JVMs{named}"));
    let begun = Instant::now();
    let (sender, found) = sync_channel(1);
    let end = thread::scope(|scope| {
        scope.spawn(|| search(watch, sender));
        let mut tried = Tried::default();
        loop {
            if let Some(end) = watch.end() {
                break end;
            }
            if let Ok(jvms) = found.recv_timeout(POLL_INTERVAL) {
                tried.watch_new(watch, scope, jvms);
            }
        }
    });
    let watched = report::duration(begun.elapsed());
    watch.console.say(&format!("watched for {watched}: {}", end.why()));
    if let Some(live) = watch.published.live() {
        live.end(end.why(), false);
    }
    Ok(Exit::Fine)
}

/// Each recording has some three hundred descriptors, and a process may mostly have 1,024 at first.
fn allow_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    // Without it a JVM that has no room is not watched, and that is said.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Hands over all JVMs, again and again.
fn search(watch: &Watch<'_>, sender: SyncSender<Vec<Jvm>>) {
    if let Err(error) = recorder::keep_search_rights() {
        watch.console.say(&format!("the search for JVMs could not give up its rights: {error}"));
    }
    let roots = Roots::default();
    let mut next = Instant::now();
    while watch.end().is_none() {
        if Instant::now() < next {
            thread::sleep(POLL_INTERVAL);
            continue;
        }
        next = Instant::now() + SEARCH_EVERY;
        let mut jvms = recorder::find_jvms(&roots).jvms;
        if let Some(name) = &watch.args.jvm.matching {
            jvms.retain(|it| it.main.contains(name.as_str()));
        }
        if let Some(user) = &watch.args.jvm.whose.user {
            jvms.retain(|it| is_of_user(user, it));
        }
        // Where the other thread still attaches to the last ones, these are found again later.
        let _ = sender.try_send(jvms);
    }
}

impl<'scope> Tried<'scope> {
    /// Watches those that are new, as many as there are places for.
    fn watch_new<'env>(
        &mut self,
        watch: &'env Watch<'env>,
        scope: &'scope Scope<'scope, 'env>,
        jvms: Vec<Jvm>,
    ) where
        'env: 'scope,
    {
        let now = recorder::now();
        self.forget(&jvms.iter().map(key).collect());
        let is_new =
            |it: &Jvm| !self.jvms.contains_key(&key(it)) && now.since(it.started) >= SETTLED;
        let new: Vec<Jvm> = jvms.into_iter().filter(is_new).collect();
        let guest = |it| Guest { jvm: key(it), account: account_of(&Roots::default(), it) };
        let wanted: Vec<Guest> = new.iter().map(guest).collect();
        let given = self.places.give(&wanted);
        for jvm in &given.stop {
            if let Some(one) = self.jvms.get(jvm) {
                one.stop.store(true, Ordering::Relaxed);
            }
        }
        let has_place = |it: &Jvm| given.watch.contains(&key(it));
        let (watched, left_out): (Vec<Jvm>, Vec<Jvm>) = new.into_iter().partition(has_place);
        for jvm in watched {
            let (key, stop) = (key(&jvm), Arc::new(AtomicBool::new(false)));
            let thread = thread::Builder::new().name("whypause-watch".into());
            let asked = stop.clone();
            let started = thread.spawn_scoped(scope, move || one(watch, &jvm, &asked));
            self.jvms.insert(key, One { thread: started.ok(), stop });
        }
        watch.published.left_out(left_out.len());
        self.say_left_out(watch, &left_out);
    }

    /// Frees the places of those that are watched no more. One that could not be attached to is not tried
    /// again while it is `there`; one that has made room is.
    fn forget(&mut self, there: &BTreeSet<Key>) {
        let places = &mut self.places;
        self.jvms.retain(|jvm, it| {
            if it.runs() {
                return true;
            }
            places.free(*jvm);
            there.contains(jvm) && !it.stop.load(Ordering::Relaxed)
        });
    }

    /// Says which JVMs are left out, when that has changed.
    fn say_left_out(&mut self, watch: &Watch<'_>, left_out: &[Jvm]) {
        let keys: Vec<Key> = left_out.iter().map(key).collect();
        let is_news = match &self.said {
            None => !keys.is_empty(),
            Some((said, at)) => *said != keys && at.elapsed() >= LEFT_OUT_INTERVAL,
        };
        if !is_news {
            return;
        }
        watch.console.say(&words_of(left_out));
        self.said = (!keys.is_empty()).then(|| (keys, Instant::now()));
    }
}

fn words_of(left_out: &[Jvm]) -> String {
    if left_out.is_empty() {
        return "there is room for all JVMs again".into();
    }
    let named = left_out.iter().take(MOST_NAMES).map(|it| attached::name(&it.main, it.pid));
    let named: Vec<String> = named.collect();
    let more = match left_out.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("too many JVMs, these are left out: {}{more}", named.join(", "))
}

/// Watches one of them to its end, or until it is to make room; that it cannot be watched ends nothing else.
fn one(watch: &Watch<'_>, jvm: &Jvm, stop: &AtomicBool) {
    let name = attached::name(&jvm.main, jvm.pid);
    match watch.one(jvm, &mut Redactor::new(false, None), stop) {
        Ok((End::OutputClosed, _)) | Err(Failure::OutputClosed) => {
            watch.closed.store(true, Ordering::Relaxed);
        }
        Ok((End::JvmExited | End::MadeRoom, why)) => {
            watch.console.say(&format!("{name}: {why}"));
        }
        Ok(_) => {}
        Err(Failure::Said { message, .. }) => {
            watch.console.say(&format!("{name} is left out: {message}"));
        }
    }
}
