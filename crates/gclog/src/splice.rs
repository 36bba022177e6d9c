//! Reading one log by several threads, with the same result as by one.
//!
//! A thread that begins in the middle of a log guesses what is known there ([`Parser::guess`]) and
//! reads on. Whoever reads from the begin reads into the same lines until both parsers agree
//! ([`Parser::agrees_with`]); from there on they would read the same, whatever comes, and the
//! guess is taken over ([`Parser::take_over`]). What the guess gave out before that is dropped.
use crate::{Event, LineCounts, Parser, jvm::Jvm};

/// Where a log does not number its collections (JDK 8 and before, mostly) the parser does, and one
/// that began in the middle began at another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renumber(u64);

impl Renumber {
    /// Gives an event the number that it has in the whole log.
    pub fn event(self, event: &mut Event) {
        event.shift_number(self.0);
    }
}

impl Parser {
    /// A parser that knows what this one knows of the JVM, and is in the middle of nothing. It has
    /// counted no lines.
    #[must_use]
    pub fn guess(&self) -> Parser {
        let mut guess = self.clone();
        guess.jvms.each().for_each(Jvm::lose_track);
        guess.legacy.release(&mut |_| {});
        guess.counts = LineCounts::default();
        guess
    }

    /// Whether both would read all that may follow in the same way, and if so, what is to be made
    /// of the events that `other` gives out from here on. What they have counted does not matter.
    #[must_use]
    pub fn agrees_with(&self, other: &Parser) -> Option<Renumber> {
        let mut other = other.clone();
        let by = other.legacy.number_as(&self.legacy);
        other.counts = self.counts;
        (*self == other).then_some(Renumber(by))
    }

    /// Goes on where `other` is, which has read the same lines since both agreed, and which had
    /// counted `then` at that point; `renumber` is what [`agrees_with`](Parser::agrees_with) said.
    pub fn take_over(&mut self, other: Parser, then: &LineCounts, renumber: Renumber) {
        let counts = self.counts.plus(&other.counts.less(then));
        *self = other;
        self.legacy.shift_numbers(renumber.0);
        self.counts = counts;
    }
}

impl Event {
    /// Adds to the number of the collection, modulo 2^64.
    pub(crate) fn shift_number(&mut self, by: u64) {
        match self {
            Event::Gc(it) => it.gc_id = it.gc_id.wrapping_add(by),
            Event::ConcurrentCycle(it) => it.gc_id = it.gc_id.wrapping_add(by),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: [&str; 5] = [
        "[0.001s][info][gc] Using G1",
        "[0.3s][info][gc    ] GC(7) Pause Remark 31M->28M(600M) 1.250ms",
        "[0.3s][info][gc,cpu] GC(7) User=0.01s Sys=0.00s Real=0.00s",
        "[0.4s][info][gc    ] GC(8) Pause Remark 31M->28M(600M) 1.250ms",
        "[0.4s][info][gc,cpu] GC(8) User=0.01s Sys=0.00s Real=0.00s",
    ];

    fn read(parser: &mut Parser, lines: &[&str]) -> u64 {
        let before = parser.counts().events;
        lines.iter().for_each(|line| parser.line(line.as_bytes(), &mut |_| {}));
        parser.counts().events - before
    }

    #[test]
    fn a_guess_agrees_after_the_collection_that_was_cut() {
        let mut whole = Parser::new();
        read(&mut whole, &LOG[..1]);
        let mut guess = whole.guess();
        read(&mut whole, &LOG[1..2]);
        assert!(whole.agrees_with(&guess).is_none(), "a collection waits for its CPU times");
        read(&mut whole, &LOG[2..3]);
        read(&mut guess, &LOG[2..3]);
        assert!(whole.agrees_with(&guess).is_none(), "only one knows how far ids have come");
        read(&mut whole, &LOG[3..4]);
        read(&mut guess, &LOG[3..4]);
        let renumber = whole.agrees_with(&guess).expect("they agree");
        let then = guess.counts();
        assert_eq!(read(&mut guess, &LOG[4..]), 1);
        whole.take_over(guess, &then, renumber);
        let mut alone = Parser::new();
        read(&mut alone, &LOG);
        assert_eq!(whole.counts(), alone.counts());
        assert!(whole.agrees_with(&alone).is_some());
    }

    #[test]
    fn without_what_the_begin_of_the_log_said_there_is_no_agreement() {
        let mut whole = Parser::new();
        read(&mut whole, &LOG[..1]);
        assert!(whole.agrees_with(&Parser::new()).is_none());
        assert!(whole.agrees_with(&whole.guess()).is_some());
    }
}
