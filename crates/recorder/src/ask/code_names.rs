//! Which methods late threads were in.
//!
//! JDK 25 has an event for this (`jdk.SafepointLatency`). It tells where a thread stopped at last,
//! which is after the loop that kept it, and JFR has to be started for it, which takes several stops
//! more of a JVM whose threads come late. An address taken while the thread is late, and the JVM's
//! own list of compiled methods, tell the loop itself. The list is written by a thread of the JVM
//! that cannot stop meanwhile, so it is asked for rarely, and if possible not while a stop is under way.
use super::{
    code_list::{CodeList, Place},
    error::AskError,
    java_stacks::JavaStacks,
    socket::Asked,
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

/// Least time between two questions.
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(10);
/// Nor are they closer than so many times what the last one took.
const REST: u32 = 200;
/// Code moves: a list is believed for so long.
const FRESH: Duration = Duration::from_secs(60);
/// No thread was late for so long, so no stop waits for one.
const QUIET: Duration = Duration::from_millis(100);
/// Where threads come late without end, a look waits so long for that.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// At the end of the recording the JVM is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);
/// Facts that wait for an answer at most.
const MAX_WAITING: usize = 65_536;
/// Threads remembered at most, and looks from which on a thread is: a tenth of a second in all.
const MAX_LATE: usize = 1024;
const LATE_LOOKS: u32 = 20;

type Answer = Result<CodeList, AskError>;

/// Names the code of late threads.
#[derive(Debug)]
pub struct CodeNames {
    roots: Roots,
    jvm: Jvm,
    questions: SyncSender<()>,
    answers: Receiver<Answer>,
    list: CodeList,
    /// When the list was asked for.
    listed: MonoTime,
    asked: Option<MonoTime>,
    is_asked: bool,
    between_questions: Duration,
    /// The JVM will not answer, and is not asked again.
    given_up: bool,
    waiting: Vec<CodeFact>,
    /// Looks by thread.
    late: BTreeMap<u32, u32>,
    /// Looks that nobody will name.
    unnamed: u64,
    /// Raised when nobody waits for an answer any more.
    over: Arc<AtomicBool>,
}

impl CodeNames {
    /// Gets ready to ask a JVM that was asked before, and so listens. It is asked only when a
    /// thread was late, and not by the caller's thread.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(roots: &Roots, jvm: &Jvm) -> io::Result<CodeNames> {
        let (questions, asked) = sync_channel(1);
        let (answer, answers) = sync_channel(1);
        let names = CodeNames::new(roots.clone(), jvm.clone(), questions, answers);
        let (roots, jvm) = (roots.clone(), jvm.clone());
        let over = names.over.clone();
        let answering = move || {
            while asked.recv().is_ok() && answer.send(list(&roots, &jvm, &over)).is_ok() {}
        };
        thread::Builder::new().name("code-names".into()).spawn(answering)?;
        Ok(names)
    }

    fn new(
        roots: Roots,
        jvm: Jvm,
        questions: SyncSender<()>,
        answers: Receiver<Answer>,
    ) -> CodeNames {
        CodeNames {
            roots,
            jvm,
            questions,
            answers,
            list: CodeList::default(),
            listed: MonoTime::default(),
            asked: None,
            is_asked: false,
            between_questions: BETWEEN_QUESTIONS,
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
        if self.may_ask(at) {
            self.ask(at);
        }
    }

    /// The same as [`apply`](CodeNames::apply) for the last time: waits for an answer, two seconds
    /// at most. What nobody can name is left out, and counted in the coverage of `facts`.
    pub fn finish(mut self, facts: &mut Facts) {
        self.apply(facts);
        if !self.waiting.is_empty() && !self.is_asked && !self.given_up {
            self.ask(now());
        }
        if self.is_asked
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

    /// Asks for the Java stacks of the threads that were seen late for a tenth of a second in all.
    /// `None` where there are none of these, and where no thread can be started for it.
    #[must_use]
    pub fn ask_for_stacks(&self) -> Option<JavaStacks> {
        let late = self.late_threads();
        if late.is_empty() { None } else { JavaStacks::ask(&self.roots, &self.jvm, late).ok() }
    }

    fn late_threads(&self) -> BTreeSet<u32> {
        self.late.iter().filter(|(_, looks)| **looks >= LATE_LOOKS).map(|it| *it.0).collect()
    }

    fn take(&mut self, answer: Answer, at: MonoTime) {
        self.is_asked = false;
        let asked = self.asked.unwrap_or_default();
        self.between_questions = BETWEEN_QUESTIONS.max(at.since(asked) * REST);
        match answer {
            Ok(list) => (self.list, self.listed) = (list, asked),
            // It may be stopped, or busy.
            Err(AskError::Broken(_) | AskError::Late) => {}
            Err(_) => self.given_up = true,
        }
    }

    fn hand_over(&mut self, at: MonoTime, facts: &mut Facts) {
        let is_fresh = at.since(self.listed) < FRESH;
        for mut fact in std::mem::take(&mut self.waiting) {
            // a list that is younger than the fact has its code, if any has
            let is_listed = self.listed > fact.at;
            match self.list.place(fact.address) {
                Place::Method(method) if is_fresh || is_listed => {
                    method.clone_into(&mut fact.method)
                }
                Place::Intrinsic if is_listed => {}
                Place::Native if is_listed => continue,
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

    fn may_ask(&self, at: MonoTime) -> bool {
        let rested = self.asked.is_none_or(|it| at.since(it) >= self.between_questions);
        let since = |it: Option<&CodeFact>| it.map_or(Duration::ZERO, |it| at.since(it.at));
        let quiet =
            since(self.waiting.last()) >= QUIET || since(self.waiting.first()) >= LONGEST_WAIT;
        quiet && rested && !self.is_asked && !self.given_up
    }

    fn ask(&mut self, at: MonoTime) {
        self.is_asked = self.questions.try_send(()).is_ok();
        self.asked = Some(at);
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
    let asked = Asked::again(roots, jvm, &until)?;
    Ok(CodeList::parse(&asked.command("Compiler.codelist", &until)?, memory))
}

#[cfg(test)]
mod tests;
