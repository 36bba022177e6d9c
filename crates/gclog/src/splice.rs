//! Reading one log by several threads, with the same result as by one.
//!
//! A thread that begins in the middle of a log guesses what is known there ([`Parser::guess`]) and
//! reads on. Whoever reads from the begin reads into the same lines until both parsers agree
//! ([`Parser::agrees_with`]); from there on they would read the same, whatever comes, and the
//! guess is taken over ([`Parser::take_over`]). What the guess gave out before that is dropped.
use crate::{LineCounts, Parser, jvm::Jvm};

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

    /// Whether both would read all that may follow in the same way. What they have counted does
    /// not matter, nor do the numbers of collections that the log itself does not number.
    #[must_use]
    pub fn agrees_with(&self, other: &Parser) -> bool {
        let mut this = self.clone();
        this.counts = other.counts;
        this.legacy.number_as(&other.legacy);
        this == *other
    }

    /// Goes on where `other` is, which has read the same lines since both agreed, and which had
    /// counted `then` at that point.
    pub fn take_over(&mut self, other: Parser, then: &LineCounts) {
        let counts = self.counts.plus(&other.counts.less(then));
        *self = other;
        self.counts = counts;
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
        assert!(!whole.agrees_with(&guess), "a collection waits for its CPU times");
        read(&mut whole, &LOG[2..3]);
        read(&mut guess, &LOG[2..3]);
        assert!(!whole.agrees_with(&guess), "only one knows how far ids have come");
        read(&mut whole, &LOG[3..4]);
        read(&mut guess, &LOG[3..4]);
        assert!(whole.agrees_with(&guess));
        let then = guess.counts();
        assert_eq!(read(&mut guess, &LOG[4..]), 1);
        whole.take_over(guess, &then);
        let mut alone = Parser::new();
        read(&mut alone, &LOG);
        assert_eq!(whole.counts(), alone.counts());
        assert!(whole.agrees_with(&alone));
    }

    #[test]
    fn without_what_the_begin_of_the_log_said_there_is_no_agreement() {
        let mut whole = Parser::new();
        read(&mut whole, &LOG[..1]);
        assert!(!whole.agrees_with(&Parser::new()));
        assert!(whole.agrees_with(&whole.guess()));
    }
}
