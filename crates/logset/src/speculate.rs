//! Several threads parse pieces of one log, with the result of one.
//!
//! A thread that gets a piece does not know what state the parser is in at its begin. It guesses
//! that nothing is under way, parses, and keeps copies of its parser at some points. Meanwhile the
//! piece before is finished. Its parser reads on into this piece until it agrees with one of the
//! copies, which is mostly after one collection; from there on both would do the same, so what the
//! thread has parsed is taken over. Where they never agree, the piece is parsed again, and nothing
//! but time is lost.
use crate::{
    Error, LogFile, Summary,
    blocks::{Block, Blocks},
    events::{parse, with_counts},
};
use gclog::{Event, LineCounts, Parser};
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
};

/// Where copies of the parser are kept, in bytes from the begin of a piece. The first is after
/// what a collection usually writes; the later ones are for logs with much detail.
const POINTS: [usize; 5] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10];

/// Pieces that wait for one thread, and results that wait to be taken from it.
const WAITING: usize = 1;

/// A piece to be parsed, and the state to begin in.
type Job = Result<(Block, Parser), Error>;

/// A parser in the middle of a piece.
struct Point {
    at: usize,
    /// Events given out before.
    events: usize,
    too_long: u64,
    parser: Parser,
}

/// A piece, and what a thread made of it.
struct Guess {
    block: Block,
    events: Vec<Event>,
    points: Vec<Point>,
    end: Parser,
    too_long: u64,
}

/// Gives every event of the files to `on_event`, in order.
pub(crate) fn events(
    files: &[LogFile],
    threads: usize,
    on_progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    on_event: &mut dyn FnMut(Event),
) -> Result<Summary, Error> {
    let (mut blocks, mut first) = (Blocks::of(files), Block::default());
    let mut reading = Reading { parser: Parser::new(), too_long: 0 };
    // The first piece says what the guesses for all others need: which collector it is, and more.
    if blocks.next(&mut first)? {
        reading.too_long += parse(&mut reading.parser, first.text(), &mut |event| on_event(event));
        if on_progress(first.packed_bytes).is_break() {
            return Ok(with_counts(blocks.summary(), &reading.parser, reading.too_long));
        }
    }
    let known = Mutex::new(reading.parser.guess());
    let (give_back, returned) = channel();
    // The reader ends when this is over or nobody takes its pieces any more.
    let summary = thread::scope(|scope| {
        let (mut jobs, mut results) = (Vec::new(), Vec::new());
        for _ in 0..threads {
            let (job_to, job_from) = sync_channel(WAITING);
            let (result_to, result_from) = sync_channel(WAITING);
            jobs.push(job_to);
            results.push(result_from);
            scope.spawn(move || work(&job_from, &result_to));
        }
        let known = &known;
        let reader = scope.spawn(move || read(blocks, &jobs, &returned, known));
        merge(results, &mut reading, &give_back, known, on_progress, on_event)?;
        Ok(reader.join().unwrap_or_default())
    })?;
    reading.parser.finish(&mut |event| on_event(event));
    Ok(with_counts(summary, &reading.parser, reading.too_long))
}

/// Cuts the files into pieces and gives each thread one in turn.
fn read(
    mut blocks: Blocks<'_>,
    jobs: &[SyncSender<Job>],
    returned: &Receiver<Block>,
    known: &Mutex<Parser>,
) -> Summary {
    for to in jobs.iter().cycle() {
        let mut block = returned.try_recv().unwrap_or_default();
        let job = match blocks.next(&mut block) {
            Ok(true) => Ok((block, known.lock().unwrap_or_else(PoisonError::into_inner).clone())),
            Ok(false) => break,
            Err(error) => Err(error),
        };
        let failed = job.is_err();
        if to.send(job).is_err() || failed {
            break;
        }
    }
    blocks.summary()
}

fn work(jobs: &Receiver<Job>, results: &SyncSender<Result<Guess, Error>>) {
    for job in jobs {
        let result = job.map(|(block, parser)| guess(block, parser));
        if results.send(result).is_err() {
            break;
        }
    }
}

/// Parses a piece from a guessed state.
fn guess(block: Block, mut parser: Parser) -> Guess {
    let (mut events, mut points, mut too_long) = (Vec::new(), Vec::new(), 0);
    let (text, mut at) = (block.text(), 0);
    for wanted in POINTS {
        if wanted >= text.len() {
            break;
        }
        let next = memchr::memchr(b'\n', &text[wanted..]).map_or(text.len(), |it| wanted + it + 1);
        if next > at {
            too_long += parse(&mut parser, &text[at..next], &mut |event| events.push(event));
            at = next;
            points.push(Point { at, events: events.len(), too_long, parser: parser.clone() });
        }
    }
    too_long += parse(&mut parser, &text[at..], &mut |event| events.push(event));
    Guess { block, events, points, end: parser, too_long }
}

/// The one true parser.
struct Reading {
    parser: Parser,
    too_long: u64,
}

fn merge(
    results: Vec<Receiver<Result<Guess, Error>>>,
    reading: &mut Reading,
    give_back: &Sender<Block>,
    known: &Mutex<Parser>,
    on_progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    on_event: &mut dyn FnMut(Event),
) -> Result<(), Error> {
    // Each thread is asked in the order in which the pieces were given out, so the first that has
    // none left is the end.
    for from in results.iter().cycle() {
        let Ok(result) = from.recv() else { break };
        let mut guess = result?;
        reading.take(&mut guess, on_event);
        if on_progress(guess.block.packed_bytes).is_break() {
            // The threads end, as nobody takes what they have.
            break;
        }
        *known.lock().unwrap_or_else(PoisonError::into_inner) = reading.parser.guess();
        // That the reader has ended is no matter.
        let _ = give_back.send(guess.block);
    }
    Ok(())
}

impl Reading {
    /// Reads into the piece until the guess proves right, and takes over the rest of it.
    fn take(&mut self, guess: &mut Guess, on_event: &mut dyn FnMut(Event)) {
        let (text, mut at) = (guess.block.text(), 0);
        for point in &guess.points {
            self.parse(&text[at..point.at], on_event);
            at = point.at;
            if let Some(renumber) = self.parser.agrees_with(&point.parser) {
                let then: LineCounts = point.parser.counts();
                self.parser.take_over(std::mem::take(&mut guess.end), &then, renumber);
                self.too_long += guess.too_long - point.too_long;
                for mut event in guess.events.drain(..).skip(point.events) {
                    renumber.event(&mut event);
                    on_event(event);
                }
                return;
            }
        }
        self.parse(&text[at..], on_event);
    }

    fn parse(&mut self, text: &[u8], on_event: &mut dyn FnMut(Event)) {
        self.too_long += parse(&mut self.parser, text, &mut |event| on_event(event));
    }
}

#[cfg(test)]
mod tests;
