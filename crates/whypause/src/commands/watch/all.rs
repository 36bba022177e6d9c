//! `watch --all`: every JVM of this host, as they come and go.
//!
//! One process: a thread searches, with few rights, and for each JVM that it finds another one attaches
//! and gives up its rights then. The thread that starts them keeps its rights and reads no file.
use super::{End, Watch};
use crate::{Exit, Failure, commands::attached};
use recorder::{Jvm, Roots};
use report::Redactor;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    collections::BTreeMap,
    sync::{
        atomic::Ordering,
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, Scope, ScopedJoinHandle},
    time::{Duration, Instant},
};

/// JVMs that are watched at once: each has programs in the kernel of its own, which look at each switch of
/// every thread of the host (`scripts/bench-watch-all.sh` measures what fifty take).
const MOST_JVMS: usize = 64;
/// How often JVMs are searched.
const SEARCH_EVERY: Duration = Duration::from_secs(2);
/// How often it is looked whether somebody wants an end.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A JVM that is younger may be a compiler, or print its version, and be gone before it is attached to.
const SETTLED: Duration = Duration::from_secs(2);

/// A process for good: its id, and when it started.
type Key = (u32, u64);

/// JVMs that were tried, each with the thread that watches it, if any does.
#[derive(Debug, Default)]
struct Tried<'scope> {
    threads: BTreeMap<Key, Option<ScopedJoinHandle<'scope, ()>>>,
    /// Whether it was said that there are too many.
    said_full: bool,
}

pub(super) fn watch_all(watch: &Watch<'_>) -> Result<Exit, Failure> {
    attached::undo_leftovers(&watch.interrupt, watch.console);
    allow_descriptors();
    let over = report::duration(watch.args.over);
    let name = watch.args.jvm.matching.as_ref();
    let named = name.map_or(String::new(), |it| format!(" with `{it}` in their names"));
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
            if let Ok(jvms) = found.recv_timeout(LOOK_EVERY) {
                tried.look(watch, scope, jvms);
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
    if let Err(error) = recorder::keep_only_looking() {
        watch.console.say(&format!("the search for JVMs could not give up its rights: {error}"));
    }
    let roots = Roots::default();
    let mut next = Instant::now();
    while watch.end().is_none() {
        if Instant::now() < next {
            thread::sleep(LOOK_EVERY);
            continue;
        }
        next = Instant::now() + SEARCH_EVERY;
        let mut jvms = recorder::find_jvms(&roots).jvms;
        if let Some(name) = &watch.args.jvm.matching {
            jvms.retain(|it| it.main.contains(name.as_str()));
        }
        // Where the other thread still attaches to the last ones, these are found again later.
        let _ = sender.try_send(jvms);
    }
}

impl<'scope> Tried<'scope> {
    /// Watches those that are new, and forgets those that have gone.
    fn look<'env>(
        &mut self,
        watch: &'env Watch<'env>,
        scope: &'scope Scope<'scope, 'env>,
        jvms: Vec<Jvm>,
    ) where
        'env: 'scope,
    {
        let key = |jvm: &Jvm| (jvm.pid, jvm.start_ticks);
        let now = recorder::now();
        self.threads.retain(|tried, thread| {
            let runs = thread.as_ref().is_some_and(|it| !it.is_finished());
            runs || jvms.iter().any(|it| key(it) == *tried)
        });
        for jvm in jvms {
            let key = key(&jvm);
            if self.threads.contains_key(&key) || now.since(jvm.started) < SETTLED {
                continue;
            }
            if self.running() >= MOST_JVMS {
                if !std::mem::replace(&mut self.said_full, true) {
                    watch
                        .console
                        .say(&format!("more than {MOST_JVMS} JVMs: the others are left out"));
                }
                return;
            }
            let thread = thread::Builder::new().name("whypause-watch".into());
            let started = thread.spawn_scoped(scope, move || one(watch, &jvm));
            self.threads.insert(key, started.ok());
        }
    }

    fn running(&self) -> usize {
        self.threads.values().flatten().filter(|it| !it.is_finished()).count()
    }
}

/// Watches one of them to its end; that it cannot be watched ends nothing else.
fn one(watch: &Watch<'_>, jvm: &Jvm) {
    let name = attached::name(&jvm.main, jvm.pid);
    match watch.one(jvm, &mut Redactor::new(false, None)) {
        Ok((End::OutputClosed, _)) | Err(Failure::OutputClosed) => {
            watch.closed.store(true, Ordering::Relaxed);
        }
        Ok((End::JvmExited, why)) => watch.console.say(&format!("{name}: {why}")),
        Ok(_) => {}
        Err(Failure::Said { message, .. }) => {
            watch.console.say(&format!("{name} is left out: {message}"));
        }
    }
}
