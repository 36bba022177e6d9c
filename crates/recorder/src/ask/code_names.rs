//! Which methods late threads were in.
//!
//! JDK 25 has an event for this (`jdk.SafepointLatency`). It tells where a thread stopped at last,
//! which is after the loop that kept it, and JFR has to be started for it: several stops of the
//! JVM, seconds where threads come late. An address taken while the thread is late, and the JVM's
//! own list of compiled methods, tell the loop itself, and stop nobody.
use super::{code_list::CodeList, socket::Asked};
use crate::{Jvm, Roots, host::now};
use recording::{CodeFact, Facts, MonoTime};
use std::{
    collections::BTreeSet,
    io,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::Duration,
};

/// Least time between two questions: the answer holds up the JVM's compilers while it is made.
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(10);
/// Code moves: a list is believed for so long.
const FRESH: Duration = Duration::from_secs(60);
/// At the end of the recording, the JVM is waited for so long.
const PATIENCE: Duration = Duration::from_secs(3);
/// Facts that wait for an answer at most.
const MAX_WAITING: usize = 65_536;
/// Late threads remembered at most.
const MAX_LATE: usize = 64;

/// Names the code of late threads.
#[derive(Debug)]
pub struct CodeNames {
    questions: SyncSender<()>,
    answers: Receiver<Option<CodeList>>,
    list: CodeList,
    /// When the list was asked for.
    listed: MonoTime,
    /// When the JVM was asked last.
    asked: Option<MonoTime>,
    is_asked: bool,
    /// The JVM has not answered, and is not asked again.
    given_up: bool,
    waiting: Vec<CodeFact>,
    late: BTreeSet<u32>,
}

impl CodeNames {
    /// Gets ready to ask. The JVM is asked only when a thread was late, and not by the caller's
    /// thread.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(roots: &Roots, jvm: &Jvm) -> io::Result<CodeNames> {
        let (questions, asked) = sync_channel(1);
        let (answer, answers) = sync_channel(1);
        let (proc, pid, inside) = (roots.proc.clone(), jvm.pid, jvm.pid_in_namespace);
        let list = move || {
            let jvm = Asked::open(&proc, pid, inside).ok()?;
            Some(CodeList::parse(&jvm.command("Compiler.codelist").ok()?))
        };
        let answering = move || {
            while asked.recv().is_ok() && answer.send(list()).is_ok() {}
        };
        thread::Builder::new().name("code-names".into()).spawn(answering)?;
        Ok(CodeNames::new(questions, answers))
    }

    fn new(questions: SyncSender<()>, answers: Receiver<Option<CodeList>>) -> CodeNames {
        CodeNames {
            questions,
            answers,
            list: CodeList::default(),
            listed: MonoTime::default(),
            asked: None,
            is_asked: false,
            given_up: false,
            waiting: Vec::new(),
            late: BTreeSet::new(),
        }
    }

    /// Takes the code facts of `facts` and puts back those, of these and earlier ones, of which
    /// all is known that will be.
    pub fn apply(&mut self, facts: &mut Facts) {
        for fact in &facts.code {
            if self.late.len() < MAX_LATE {
                self.late.insert(fact.tid);
            }
        }
        self.waiting.append(&mut facts.code);
        if let Ok(answer) = self.answers.try_recv() {
            self.take(answer);
        }
        self.hand_over(now(), BETWEEN_QUESTIONS, facts);
    }

    /// The threads that were late so far, 64 at most.
    #[must_use]
    pub fn late_threads(&self) -> &BTreeSet<u32> {
        &self.late
    }

    /// The same as [`apply`](CodeNames::apply) for the last time: waits for an answer, three seconds at most.
    pub fn finish(mut self, facts: &mut Facts) {
        self.apply(facts);
        self.hand_over(now(), Duration::ZERO, facts);
        if self.is_asked {
            let answer = self.answers.recv_timeout(PATIENCE).ok().flatten();
            self.take(answer);
        }
        self.given_up = true;
        self.hand_over(now(), Duration::ZERO, facts);
    }

    fn take(&mut self, answer: Option<CodeList>) {
        self.is_asked = false;
        match (answer, self.asked) {
            (Some(list), Some(asked)) => (self.list, self.listed) = (list, asked),
            _ => self.given_up = true,
        }
    }

    /// Hands over what is known, and asks for the rest if the last question was that long ago.
    fn hand_over(&mut self, at: MonoTime, between_questions: Duration, facts: &mut Facts) {
        let is_fresh = at.since(self.listed) < FRESH;
        let too_many = self.waiting.len() > MAX_WAITING;
        for mut fact in std::mem::take(&mut self.waiting) {
            let found = self.list.method(fact.address).filter(|_| is_fresh || self.given_up);
            // a list that is younger than the fact has its code, if any has
            if found.is_some() || self.listed > fact.at || self.given_up || too_many {
                fact.method = found.unwrap_or_default().to_owned();
                facts.code.push(fact);
            } else {
                self.waiting.push(fact);
            }
        }
        let may_ask = self.asked.is_none_or(|it| at.since(it) >= between_questions);
        if !self.waiting.is_empty() && may_ask && !self.is_asked {
            self.is_asked = self.questions.try_send(()).is_ok();
            self.asked = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "1 4 0 a.B.sum()V [0x100, 0x100 - 0x200]";

    fn at(ms: u64) -> MonoTime {
        MonoTime(ms * 1_000_000)
    }

    fn late(ms: u64, address: u64) -> CodeFact {
        CodeFact { tid: 7, at: at(ms), address, method: String::new() }
    }

    /// One that is asked through the first and answered through the second.
    fn names() -> (CodeNames, Receiver<()>, SyncSender<Option<CodeList>>) {
        let (questions, asked) = sync_channel(1);
        let (answer, answers) = sync_channel(1);
        (CodeNames::new(questions, answers), asked, answer)
    }

    /// What is handed over at this time, as `address method`.
    fn told(names: &mut CodeNames, ms: u64, facts: Vec<CodeFact>) -> Vec<String> {
        names.waiting.extend(facts);
        let mut told = Facts::default();
        names.hand_over(at(ms), BETWEEN_QUESTIONS, &mut told);
        told.code.iter().map(|it| format!("{:#x} {}", it.address, it.method)).collect()
    }

    #[test]
    fn a_fact_waits_for_the_answer_that_names_it() {
        let (mut names, asked, _) = names();
        assert!(told(&mut names, 20, vec![late(10, 0x100), late(11, 0x200)]).is_empty());
        assert_eq!(asked.try_recv(), Ok(()));
        names.take(Some(CodeList::parse(LIST)));
        assert_eq!(told(&mut names, 30, vec![]), ["0x100 a.B.sum()V", "0x200 "]);
        assert!(names.waiting.is_empty());
    }

    #[test]
    fn the_jvm_is_asked_once_in_ten_seconds_at_most() {
        let (mut names, asked, _) = names();
        told(&mut names, 20, vec![late(10, 0x100)]);
        asked.recv().unwrap();
        names.take(Some(CodeList::parse(LIST)));
        told(&mut names, 10_019, vec![late(10_000, 0x300)]);
        assert!(asked.try_recv().is_err());
        told(&mut names, 10_020, vec![]);
        assert!(asked.try_recv().is_ok());
    }

    #[test]
    fn an_old_list_is_not_believed() {
        let (mut names, asked, _) = names();
        told(&mut names, 20, vec![late(10, 0x100)]);
        asked.recv().unwrap();
        names.take(Some(CodeList::parse(LIST)));
        assert_eq!(told(&mut names, 60_019, vec![late(60_000, 0x100)]).len(), 2);
        assert!(told(&mut names, 60_020, vec![late(60_001, 0x100)]).is_empty());
        assert!(asked.try_recv().is_ok());
    }

    #[test]
    fn a_jvm_that_does_not_answer_is_not_asked_again() {
        let (mut names, asked, _) = names();
        told(&mut names, 20, vec![late(10, 0x100)]);
        asked.recv().unwrap();
        names.take(None);
        assert_eq!(told(&mut names, 30, vec![]), ["0x100 "]);
        assert_eq!(told(&mut names, 90_000, vec![late(80_000, 0x100)]), ["0x100 "]);
        assert!(asked.try_recv().is_err());
    }

    #[test]
    fn at_the_end_nothing_is_kept_back() {
        let (names, asked, answer) = names();
        let jvm = thread::spawn(move || {
            asked.recv().unwrap();
            answer.send(Some(CodeList::parse(LIST))).unwrap();
        });
        let mut facts = Facts { code: vec![late(1, 0x100), late(2, 0x900)], ..Facts::default() };
        names.finish(&mut facts);
        jvm.join().unwrap();
        let methods: Vec<_> = facts.code.iter().map(|it| it.method.as_str()).collect();
        assert_eq!(methods, ["a.B.sum()V", ""]);
    }
}
