//! Unified logging (`-Xlog`, JDK 9 and later): from a message to what it says.
//!
//! `decorations` splits a line; this module looks at the first bytes of the message to reject what
//! is of no interest ([`HEADS`]), and hands the rest to the file of its family. Another collector is one more
//! file here and its line in [`HEADS`], in [`GENERATIONS`], in the names of pauses, or in [`cycle`].
mod cms;
pub(crate) mod decorations;
mod detail;
mod durations;
mod epsilon;
mod g1;
mod heads;
mod init;
mod native_image;
mod parallel;
mod pause;
mod phases;
mod safepoint;
mod serial;
mod shenandoah;
mod texts;
mod zgc;

pub(crate) use detail::Detail;
pub(crate) use pause::{PauseEnd, PauseLine};
pub(crate) use safepoint::{STOPPED, STOPPING, parse_stopped};
pub use safepoint::{SafepointError, parse_safepoint};
pub(crate) use texts::is_known_text;

use crate::{
    Collector, CpuTimes, CycleScope, Extent, Generation, InitFact, Space, Transition, Unrecognised,
    heap::{byte_generations, regions_transition},
    scan::{behind_blanks, integer},
};
use heads::Heads;
use memchr::memchr;
use std::time::Duration;

/// Names, and what each means.
type Names<T> = &'static [(&'static [u8], T)];

/// How messages begin that more than one collector writes.
const BEGINS: Names<()> = &[(b"Pause ", ()), (b"User=", ()), (b"Concurrent ", ()), (b"Phase ", ())];

/// How each message with an id begins that is read, and some that are not.
static HEADS: Heads = Heads::new()
    .with(BEGINS)
    .with(&zgc::CYCLES)
    .with(g1::REQUESTS)
    .with(METASPACE)
    .with(g1::REGIONS)
    .with(parallel::GENERATIONS)
    .with(cms::GENERATIONS)
    .with(serial::GENERATIONS)
    .with(detail::BEGINS)
    .with(phases::YOUNG)
    .with(phases::FULL_OR_REMARK);

/// What one message says.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// One with an id, `GC(n) `.
    Gc(u64, GcMessage<'a>),
    /// The whole stop in one line, for [`parse_safepoint`]: read, it is several times larger than
    /// any other message.
    Stop(&'a [u8]),
    /// The stop of JDK 9 to 12, without its operation, for [`parse_stopped`].
    Stopped(&'a [u8]),
    /// `Entering safepoint region: X`.
    Entering(&'a [u8]),
    /// Duration of the cleanup inside a stop.
    Cleanup(Duration),
    /// About the JVM.
    Jvm(InitFact),
    /// A thread of this name waited for memory, and how long.
    AllocationStall(&'a [u8], Duration),
    /// Size of a humongous object that was requested, in bytes.
    HumongousBytes(u64),
    /// Number of messages that the JVM dropped (`-Xlog:async`).
    Dropped(u64),
}

/// What a message with an id says.
#[derive(Debug)]
pub(crate) enum GcMessage<'a> {
    Pause(PauseLine<'a>),
    Cpu(CpuTimes),
    Generations(GenerationLine<'a>),
    Detail(Detail),
    Cycle(CycleLine<'a>),
    HumongousBytes(u64),
    /// Some concurrent phase: the last pause of this id is over, and so are its lines.
    Concurrent,
}

/// What a line says of a concurrent cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CycleLine<'a> {
    pub(crate) step: CycleStep,
    pub(crate) scope: Option<CycleScope>,
    pub(crate) cause: Option<&'a [u8]>,
    pub(crate) heap: Option<Transition>,
    /// Of what the line is about: the cycle, or the phase that begins or ends it.
    pub(crate) duration: Option<Duration>,
}

impl CycleLine<'_> {
    pub(crate) fn of(step: CycleStep) -> CycleLine<'static> {
        CycleLine { step, scope: None, cause: None, heap: None, duration: None }
    }
}

/// Where in a cycle a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CycleStep {
    /// The cycle begins.
    Begin,
    /// It ends.
    End,
    /// The first phase of a cycle of Shenandoah, begun or ended.
    Reset,
    /// A phase that is the last of a cycle of Shenandoah if references were updated before.
    Cleanup,
    /// The last phase of a cycle of CMS has ended.
    CmsReset,
}

/// Reads a message. `Ok(None)` where it is of no interest.
pub(crate) fn read(message: &[u8]) -> Result<Option<Message<'_>>, Unrecognised> {
    match message {
        [b'G', b'C', b'(', ..] => with_id(message),
        [b'S', b'a', b'f', b'e', b'p', b'o', b'i', b'n', b't', b' ', b'"', ..] => {
            Ok(Some(Message::Stop(message)))
        }
        // With quotes that somebody changed.
        [b'S', b'a', b'f', b'e', ..] if safepoint::is_stop(message) => Err(Unrecognised::Malformed),
        [b'T', b'o', ..] if message.starts_with(STOPPED) => Ok(Some(Message::Stopped(message))),
        [b'E', ..] => {
            let operation = message.strip_prefix(b"Entering safepoint region: ");
            Ok(operation.map(Message::Entering))
        }
        [b's', b'a', ..] => Ok(safepoint::parse_cleanup(message).map(Message::Cleanup)),
        [b'U' | b'V' | b'C' | b'M' | b'P' | b'L' | b'H' | b'j', ..] => {
            Ok(init::parse(message).map(Message::Jvm))
        }
        [b'A', b'l', ..] => {
            let stall = zgc::parse_stall(message);
            Ok(stall.map(|(thread, duration)| Message::AllocationStall(thread, duration)))
        }
        [b'A', b't', ..] | [b'R', b'e', b'q', ..] | [b'D', b'o', ..] => {
            Ok(g1::humongous_request_bytes(message).map(Message::HumongousBytes))
        }
        [b' ' | b'0'..=b'9', .., b'g'] => Ok(dropped(message).map(Message::Dropped)),
        _ => Ok(None),
    }
}

/// `    12 messages dropped due to async logging`, which has no tags.
///
/// # Source
///
/// `AsyncLogWriter::write` in `src/hotspot/share/logging/logAsyncWriter.cpp`.
fn dropped(message: &[u8]) -> Option<u64> {
    let (count, rest) = integer(message.trim_ascii_start())?;
    (rest == b" messages dropped due to async logging").then_some(count)
}

/// Reads a message that begins with `GC(n) `.
fn with_id(message: &[u8]) -> Result<Option<Message<'_>>, Unrecognised> {
    let (id, rest) = integer(&message[3..]).ok_or(Unrecognised::Malformed)?;
    let text = rest.strip_prefix(b") ").ok_or(Unrecognised::Malformed)?;
    let text = zgc::without_generation(text).unwrap_or(text);
    let read = match text {
        // A line of a table.
        [b' ', ..] if HEADS.may_begin(behind_blanks(text)) => {
            detail::parse(text).map(GcMessage::Detail)
        }
        [b' ', ..] => None,
        _ if !HEADS.may_begin(text) => None,
        [b'P', b'a', b'u', b's', b'e', b' ', ..] => Some(GcMessage::Pause(pause::parse(text)?)),
        [b'U', b's', b'e', b'r', b'=', ..] => {
            Some(GcMessage::Cpu(pause::parse_cpu(text).ok_or(Unrecognised::Malformed)?))
        }
        [b'C', b'o', b'n', b'c', ..] => Some(concurrent(text)),
        [b'G', ..] | [b'M', b'i' | b'a', ..] => {
            zgc::parse_cycle(text).map(GcMessage::Cycle).or_else(|| other(text))
        }
        [b'A', b't', ..] | [b'R', b'e', b'q', ..] | [b'D', b'o', ..] => {
            g1::humongous_request_bytes(text).map(GcMessage::HumongousBytes)
        }
        [b'U', ..] => None,
        _ => other(text),
    };
    Ok(read.map(|it| Message::Gc(id, it)))
}

/// A message that begins with `Conc`.
fn concurrent(text: &[u8]) -> GcMessage<'_> {
    if text == cms::CONCURRENT_MODE_FAILURE {
        return detail::parse(text).map_or(GcMessage::Concurrent, GcMessage::Detail);
    }
    cycle(text).map_or(GcMessage::Concurrent, GcMessage::Cycle)
}

/// What a concurrent phase says of its cycle.
fn cycle(text: &[u8]) -> Option<CycleLine<'_>> {
    let cms = || {
        let duration = Some(cms::ends_cycle(text)?);
        Some(CycleLine { duration, ..CycleLine::of(CycleStep::CmsReset) })
    };
    g1::parse_cycle(text).or_else(|| shenandoah::parse_cycle(text)).or_else(cms)
}

fn other(text: &[u8]) -> Option<GcMessage<'_>> {
    let generations = GenerationLine::parse(text).map(GcMessage::Generations);
    generations.or_else(|| detail::parse(text).map(GcMessage::Detail))
}

/// What a name means.
fn named<T: Copy>(names: Names<T>, name: &[u8]) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

/// Every collector has it.
const METASPACE: Names<Space> = &[(b"Metaspace", Space::Metaspace)];

/// The generations of each collector.
const GENERATIONS: [(Names<Space>, Option<Collector>); 5] = [
    (METASPACE, None),
    (g1::REGIONS, Some(Collector::G1)),
    (parallel::GENERATIONS, Some(Collector::Parallel)),
    (cms::GENERATIONS, Some(Collector::Cms)),
    (serial::GENERATIONS, Some(Collector::Serial)),
];

/// A line with the sizes of one generation and perhaps its parts.
#[derive(Debug)]
pub(crate) struct GenerationLine<'a> {
    /// Who writes such a line; `None` where several do.
    pub(crate) collector: Option<Collector>,
    space: Space,
    sizes: &'a [u8],
}

impl<'a> GenerationLine<'a> {
    /// Recognises it by its name.
    fn parse(text: &'a [u8]) -> Option<GenerationLine<'a>> {
        let colon = memchr(b':', text)?;
        let (name, sizes) = (&text[..colon], text[colon + 1..].strip_prefix(b" ")?);
        // ZGC says how much metaspace is used, and CMS where a large block lies.
        if sizes.ends_with(b" reserved") || !sizes.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let known = GENERATIONS.iter();
        let mut known = known.filter_map(|(names, of)| Some((*of, named(names, name)?)));
        let (collector, space) = known.next()?;
        Some(GenerationLine { collector, space, sizes })
    }

    /// Reads the sizes.
    pub(crate) fn each(&self, mut each: impl FnMut(Generation)) -> Result<(), Unrecognised> {
        let read = if self.collector == Some(Collector::G1) {
            regions_transition(self.sizes).map(|(regions, _)| {
                each(Generation { space: self.space, extent: Extent::Regions(regions) });
            })
        } else {
            byte_generations(self.sizes, self.space, each)
        };
        read.ok_or(Unrecognised::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let mut text = String::new();
        match read(message.as_bytes()) {
            Ok(Some(Message::Gc(_, GcMessage::Generations(line)))) => {
                let read = line.each(|it| text += &format!("{it}, "));
                let collector = line.collector.map_or("any", Collector::id);
                text += &format!("{collector} {read:?}");
            }
            other => text = format!("{other:?}"),
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn generations_of_each_collector() {
        check("GC(0) Eden regions: 30->0(26)", expect!["eden 30->0(26), g1 Ok(())"]);
        check("GC(0) Humongous regions: 2->1", expect!["humongous 2->1, g1 Ok(())"]);
        check(
            "GC(0) DefNew: 163840K(184320K)->20480K(184320K) Eden: 163840K(163840K)->0K(163840K) \
             From: 0K(20480K)->20480K(20480K)",
            expect![
                "young 163840K->20480K(184320K), eden 163840K->0K(163840K), survivor 0K->20480K(20480K), serial Ok(())"
            ],
        );
        check(
            "GC(0) ParOldGen: 0K->13114K(409600K)",
            expect!["old 0K->13114K(409600K), parallel Ok(())"],
        );
        check(
            "GC(0) Metaspace: 100K(320K)->100K(320K) NonClass: 92K(192K)->92K(192K)",
            expect!["metaspace 100K->100K(320K), any Ok(())"],
        );
        check("GC(0) DefNew: 163840K->", expect!["serial Err(Malformed)"]);
    }

    #[test]
    fn messages_of_no_interest() {
        check("GC(0) Using 2 workers of 2 for evacuation", expect!["Ok(None)"]);
        check("GC(0)   Humongous Register: 0.15ms", expect!["Ok(None)"]);
        check("GC(0) Metaspace: 60M used, 60M committed, 1080M reserved", expect!["Ok(None)"]);
        check("GC(0) Y: Using tenuring threshold: 1 (Computed)", expect!["Ok(None)"]);
        check("Application time: 0.0652486 seconds", expect!["Ok(None)"]);
        check("", expect!["Ok(None)"]);
    }

    #[test]
    fn messages_that_the_jvm_dropped() {
        check("   123 messages dropped due to async logging", expect!["Ok(Some(Dropped(123)))"]);
        check("123 messages dropped due to async logg", expect!["Ok(None)"]);
    }

    #[test]
    fn an_id_that_cannot_be_read() {
        check("GC(", expect!["Err(Malformed)"]);
        check("GC(99999999999999999999) Pause Full", expect!["Err(Malformed)"]);
    }
}
