//! Which methods late threads were in.
//!
//! JDK 25 has an event for this (`jdk.SafepointLatency`). It tells where a thread stopped at last,
//! which is after the loop that kept it, and JFR has to be started for it, which takes several stops
//! more of a JVM whose threads come late. An address taken while the thread is late, and the JVM's
//! own list of compiled methods, tell the loop itself. The list is written by a thread of the JVM
//! that cannot stop meanwhile, so it is requested rarely, and if possible not while a stop is under way.
use super::{
    code_list::{CodeKind, CodeList},
    error::ConnectionError,
    java_stacks::JavaStacks,
    socket::Connection,
    until::Until,
};
use crate::{
    Jvm, Roots,
    host::{ProcessDir, anonymous_code, now},
};
use recording::{CodeFact, Facts, MonoTime};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

/// Least time between two requests.
const BETWEEN_REQUESTS: Duration = Duration::from_secs(10);
/// Nor are they closer than this many times what the last one took.
const REST: u32 = 200;
/// Code moves: a list is valid for this time.
const FRESH: Duration = Duration::from_secs(60);
/// If no thread was late for this time, no stop waits for one.
const QUIET: Duration = Duration::from_millis(100);
/// Where threads come late without end, how long a request waits for that.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// How long the JVM is waited for at the end of the recording.
const PATIENCE: Duration = Duration::from_secs(2);
/// Facts that wait for an answer at most.
const MAX_WAITING: usize = 65_536;
/// Threads remembered at most, and samples from which on a thread is late: a tenth of a second in all.
const MAX_LATE: usize = 1024;
const LATE_SAMPLES: u32 = 20;

type Answer = Result<CodeList, ConnectionError>;

/// Names the code of late threads.
#[derive(Debug)]
pub struct CodeNames {
    roots: Roots,
    jvm: Jvm,
    requests: SyncSender<()>,
    answers: Receiver<Answer>,
    list: CodeList,
    /// When the list was requested.
    listed: MonoTime,
    requested: Option<MonoTime>,
    is_requested: bool,
    between_requests: Duration,
    /// The JVM will not answer, and gets no further request.
    given_up: bool,
    waiting: Vec<CodeFact>,
    /// Samples by thread.
    late: BTreeMap<u32, u32>,
    /// Samples that stay without a name.
    unnamed: u64,
    /// Raised when no answer is awaited any more.
    over: Arc<AtomicBool>,
}

impl CodeNames {
    /// Gets ready for requests to a JVM that was attached to before, and so listens. There is one only
    /// when a thread was late, and not by the caller's thread.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(roots: &Roots, jvm: &Jvm) -> io::Result<CodeNames> {
        let (requests, requested) = sync_channel(1);
        let (answer, answers) = sync_channel(1);
        let names = CodeNames::new(roots.clone(), jvm.clone(), requests, answers);
        let (roots, jvm) = (roots.clone(), jvm.clone());
        let over = names.over.clone();
        let answering = move || {
            while requested.recv().is_ok() && answer.send(list(&roots, &jvm, &over)).is_ok() {}
        };
        thread::Builder::new().name("code-names".into()).spawn(answering)?;
        Ok(names)
    }

    fn new(
        roots: Roots,
        jvm: Jvm,
        requests: SyncSender<()>,
        answers: Receiver<Answer>,
    ) -> CodeNames {
        CodeNames {
            roots,
            jvm,
            requests,
            answers,
            list: CodeList::default(),
            listed: MonoTime::default(),
            requested: None,
            is_requested: false,
            between_requests: BETWEEN_REQUESTS,
            given_up: false,
            waiting: Vec::new(),
            late: BTreeMap::new(),
            unnamed: 0,
            over: Arc::default(),
        }
    }

    /// Takes the code facts of `facts` and puts back those, of these and earlier ones, of which
    /// is known what they are. What is no Java code is left out.
    pub fn apply(&mut self, facts: &mut Facts) {
        self.waiting.append(&mut facts.code);
        let at = now();
        if let Ok(answer) = self.answers.try_recv() {
            self.take(answer, at);
        }
        self.hand_over(at, facts);
        if self.may_request(at) {
            self.request(at);
        }
    }

    /// The same as [`apply`](CodeNames::apply) for the last time: waits for an answer, two seconds
    /// at most. What stays without a name is left out, and counted in the coverage of `facts`.
    pub fn finish(mut self, facts: &mut Facts) {
        self.apply(facts);
        if !self.waiting.is_empty() && !self.is_requested && !self.given_up {
            self.request(now());
        }
        if self.is_requested
            && let Ok(answer) = self.answers.recv_timeout(PATIENCE)
        {
            self.take(answer, now());
        }
        self.given_up = true;
        self.hand_over(now(), facts);
        if let Some(coverage) = facts.coverage.as_mut().filter(|_| self.unnamed > 0) {
            let what = "samples of late threads, whose code the JVM did not report";
            coverage.note("late-code", what, self.unnamed);
        }
    }

    /// Requests the Java stacks of the threads that were seen late for a tenth of a second in all.
    /// `None` where there are none of these, and where no thread can be started for it.
    #[must_use]
    pub fn request_stacks(&self) -> Option<JavaStacks> {
        let late = self.late_threads();
        if late.is_empty() { None } else { JavaStacks::request(&self.roots, &self.jvm, late).ok() }
    }

    fn late_threads(&self) -> BTreeSet<u32> {
        self.late.iter().filter(|(_, samples)| **samples >= LATE_SAMPLES).map(|it| *it.0).collect()
    }

    fn take(&mut self, answer: Answer, at: MonoTime) {
        self.is_requested = false;
        let requested = self.requested.unwrap_or_default();
        self.between_requests = BETWEEN_REQUESTS.max(at.since(requested) * REST);
        match answer {
            Ok(list) => (self.list, self.listed) = (list, requested),
            // It may be stopped, or busy.
            Err(ConnectionError::Broken(_) | ConnectionError::Late) => {}
            Err(_) => self.given_up = true,
        }
    }

    fn hand_over(&mut self, at: MonoTime, facts: &mut Facts) {
        let is_fresh = at.since(self.listed) < FRESH;
        for mut fact in std::mem::take(&mut self.waiting) {
            // a list that is younger than the fact has its code, if any has
            let is_listed = self.listed > fact.at;
            match self.list.kind_at(fact.address) {
                CodeKind::Method(method) if is_fresh || is_listed => {
                    method.clone_into(&mut fact.method)
                }
                CodeKind::Intrinsic if is_listed => {}
                CodeKind::Native if is_listed => continue,
                _ if self.given_up || self.waiting.len() >= MAX_WAITING => {
                    self.unnamed += 1;
                    continue;
                }
                _ => {
                    self.waiting.push(fact);
                    continue;
                }
            }
            if self.late.len() < MAX_LATE || self.late.contains_key(&fact.tid) {
                *self.late.entry(fact.tid).or_default() += 1;
            }
            facts.code.push(fact);
        }
    }

    fn may_request(&self, at: MonoTime) -> bool {
        let rested = self.requested.is_none_or(|it| at.since(it) >= self.between_requests);
        let since = |it: Option<&CodeFact>| it.map_or(Duration::ZERO, |it| at.since(it.at));
        let quiet =
            since(self.waiting.last()) >= QUIET || since(self.waiting.first()) >= LONGEST_WAIT;
        quiet && rested && !self.is_requested && !self.given_up
    }

    fn request(&mut self, at: MonoTime) {
        self.is_requested = self.requests.try_send(()).is_ok();
        self.requested = Some(at);
    }
}

impl Drop for CodeNames {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

fn list(roots: &Roots, jvm: &Jvm, over: &AtomicBool) -> Answer {
    let until = Until::new(over);
    let memory = anonymous_code(&ProcessDir::open(roots, jvm.pid)?)?;
    let connection = Connection::again(roots, jvm, &until)?;
    let answer = connection.command("Compiler.codelist", &until)?;
    Ok(answer.read_as(|text| CodeList::parse(text, memory)))
}

#[cfg(test)]
mod tests;
