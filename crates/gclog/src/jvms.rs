//! Which JVM wrote a line, where several write to one place.
//!
//! They are distinguished by the `pid` decorator. A number without a unit is a process or a thread;
//! of two, HotSpot prints the process first. A lone one is that of the process if the thread that
//! said at the start which collector is used has the same number as one that collects: the main
//! thread never does that.
use crate::{Event, InitFact, jvm::Jvm, unified::Message, unified::decorations::lone_numbers};
use std::time::Duration;

/// JVMs that may write to one place at once. The one that wrote first is forgotten for another.
const MAX_JVMS: usize = 16;

/// What the numbers among the decorations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Numbers {
    /// No line with decorations was read yet.
    #[default]
    Unread,
    /// There are none, or they are threads.
    NoProcess,
    /// One, of which it is not clear what it is.
    Unclear,
    /// The first is the process.
    Process,
}

/// The JVMs of one log.
#[derive(Debug)]
pub(crate) struct Jvms {
    numbers: Numbers,
    /// With their process ids where those are known; never empty.
    jvms: Vec<(Option<u64>, Jvm)>,
    current: usize,
    forgotten: usize,
    turns: u64,
    /// Pauses of forgotten ones that did not end, and the most that the steps of one took.
    unfinished: (u64, Duration),
}

impl Default for Jvms {
    fn default() -> Jvms {
        let jvms = vec![(None, Jvm::default())];
        Jvms {
            numbers: Numbers::default(),
            jvms,
            current: 0,
            forgotten: 0,
            turns: 0,
            unfinished: (0, Duration::ZERO),
        }
    }
}

impl Jvms {
    /// The JVM that wrote the last line that was used.
    pub(crate) fn current(&self) -> &Jvm {
        &self.jvms[self.current].1
    }

    /// How many there were, each run of one by itself.
    pub(crate) fn count(&self) -> usize {
        let runs = self.jvms.iter().map(|(_, jvm)| 1 + jvm.earlier_runs);
        self.forgotten + runs.sum::<usize>()
    }

    /// How often one of them wrote again after another.
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// Pauses of all of them whose end is not in the log so far, and the most that the steps of one took.
    pub(crate) fn unfinished(&self) -> (u64, Duration) {
        self.jvms.iter().fold(self.unfinished, |sum, (_, jvm)| and(sum, jvm.unfinished()))
    }

    /// Each of them.
    pub(crate) fn each(&mut self) -> impl Iterator<Item = &mut Jvm> {
        self.jvms.iter_mut().map(|(_, jvm)| jvm)
    }

    /// The JVM that wrote this message. What a forgotten one has held goes to `out`.
    pub(crate) fn of(
        &mut self,
        decorations: &[u8],
        message: &Message<'_>,
        out: &mut impl FnMut(Event),
    ) -> &mut Jvm {
        let says_collector = matches!(message, Message::Jvm(InitFact::Collector(_)));
        if self.numbers != Numbers::NoProcess || says_collector {
            self.choose(decorations, message, says_collector, out);
        }
        &mut self.jvms[self.current].1
    }

    fn choose(
        &mut self,
        decorations: &[u8],
        message: &Message<'_>,
        says_collector: bool,
        out: &mut impl FnMut(Event),
    ) {
        let (numbers, count) = lone_numbers(decorations);
        match (self.numbers, count) {
            // Decorations are the same in all lines of a log, but logs are put one after another.
            (_, 0) if decorations.is_empty() => return,
            (_, 0) => self.numbers = Numbers::NoProcess,
            (_, 2) => self.numbers = Numbers::Process,
            (Numbers::Unread | Numbers::NoProcess, _) if says_collector => {
                self.numbers = Numbers::Unclear;
            }
            (Numbers::Unclear, _) => self.prove(numbers[0], message),
            (Numbers::Unread, _) => self.numbers = Numbers::NoProcess,
            _ => {}
        }
        if self.numbers == Numbers::Process || (self.numbers == Numbers::Unclear && says_collector)
        {
            self.switch_to(numbers[0], out);
        }
    }

    /// Any message but a fact about the JVM is written by a thread that is not the main one.
    fn prove(&mut self, number: u64, message: &Message<'_>) {
        if matches!(message, Message::Jvm(_)) {
            return;
        }
        let known = self.jvms.iter().any(|(id, _)| *id == Some(number));
        self.numbers = if known { Numbers::Process } else { Numbers::NoProcess };
    }

    fn switch_to(&mut self, id: u64, out: &mut impl FnMut(Event)) {
        if self.jvms[self.current].0 == Some(id) {
            return;
        }
        let known = self.jvms.iter().position(|(known, _)| *known == Some(id));
        self.turns += u64::from(known.is_some());
        self.current = known.unwrap_or_else(|| self.add(id, out));
    }

    /// Makes room for another, and takes the first whose number was not known yet for it.
    fn add(&mut self, id: u64, out: &mut impl FnMut(Event)) -> usize {
        if let [(unnamed @ None, _)] = &mut self.jvms[..] {
            *unnamed = Some(id);
            return 0;
        }
        if self.jvms.len() == MAX_JVMS {
            let (_, mut jvm) = self.jvms.remove(0);
            jvm.end(out);
            self.forgotten += 1 + jvm.earlier_runs;
            self.unfinished = and(self.unfinished, jvm.unfinished());
        }
        self.jvms.push((Some(id), Jvm::default()));
        self.jvms.len() - 1
    }
}

fn and(sum: (u64, Duration), more: (u64, Duration)) -> (u64, Duration) {
    (sum.0 + more.0, sum.1.max(more.1))
}
