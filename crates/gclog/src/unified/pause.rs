//! `Pause …` lines: the form that all collectors share.
use super::{
    cms,
    durations::{at_ms, first_ms, ms},
    g1, native_image, shenandoah, zgc,
};
use crate::{
    Collector, CpuTimes, Failures, GcKind, Transition, Unrecognised, YoungKind,
    heap::bytes_transition,
    scan::{SECOND_NS, decimal_ns, parenthesised},
};
use memchr::memmem;
use std::time::Duration;

/// What a `Pause …` message says, id already removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PauseLine<'a> {
    /// It begins (tag `gc,start`).
    Start,
    /// It has ended.
    End(PauseEnd<'a>),
    /// A part of a pause began or ended.
    Part,
}

/// The closing line of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PauseEnd<'a> {
    pub(crate) kind: GcKind,
    /// Whose it is, where its name or its cause tells.
    pub(crate) collector: Option<Collector>,
    pub(crate) cause: Option<&'a [u8]>,
    pub(crate) failures: Failures,
    pub(crate) heap: Option<Transition>,
    pub(crate) duration: Duration,
    /// Where they stand in the same line.
    pub(crate) cpu: Option<CpuTimes>,
}

/// Names that may follow `Pause `, and whose they are.
type Names = (&'static [(&'static [u8], GcKind)], Option<Collector>);

/// The most frequent first.
const NAMES: [Names; 7] = [
    (&[(b"Young", GcKind::Young(YoungKind::Normal))], None),
    (&native_image::PAUSES, Some(Collector::NativeImage)),
    (&[(b"Full", GcKind::Full)], None),
    (&g1::PAUSES, None),
    (&cms::PAUSES, Some(Collector::Cms)),
    (&zgc::PAUSES, Some(Collector::Zgc)),
    (&shenandoah::PAUSES, Some(Collector::Shenandoah)),
];

/// Reads a message such as `Pause Young (Normal) (G1 Evacuation Pause) 31M->28M(600M) 18.693ms`.
///
/// The duration is the first word that is one; what stands between the heap and it, or was put behind it,
/// is skipped. Without anything after the parentheses it is the line that opens the pause. A pause of a
/// name not known is one of [`GcKind::Other`] if it has a duration.
///
/// Tools that put the lines of a collection into one write the sizes of metaspace before those of the
/// heap, and the CPU times behind the duration.
pub(crate) fn parse(message: &[u8]) -> Result<PauseLine<'_>, Unrecognised> {
    let text = message.strip_prefix(b"Pause ").ok_or(Unrecognised::Malformed)?;
    let Some((kind, collector, rest)) = named(text) else {
        if zgc::is_part(text) {
            return Ok(PauseLine::Part);
        }
        let duration = first_ms(text).ok_or(Unrecognised::UnknownPause)?;
        return Ok(PauseLine::End(PauseEnd { duration, ..ending(GcKind::Other) }));
    };
    let mut end = PauseEnd { collector, ..ending(kind) };
    let rest = read_parentheses(rest, &mut end);
    if rest.is_empty() {
        return Ok(PauseLine::Start);
    }
    if kind == GcKind::InitialMark && end.cause.is_some() {
        end.kind = GcKind::Young(YoungKind::ConcurrentStart);
        end.collector = Some(Collector::G1);
    }
    let sizes = rest.strip_prefix(b" ").ok_or(Unrecognised::Malformed)?;
    let behind;
    (end.heap, end.duration, behind) =
        usual(sizes).or_else(|| unusual(sizes)).ok_or(Unrecognised::Malformed)?;
    if !behind.is_empty() {
        end.cpu = parse_cpu(behind.trim_ascii_start());
    }
    Ok(PauseLine::End(end))
}

/// `31M->28M(600M) 18.693ms` or `0.005ms`: the sizes of the heap and the duration, and what follows them.
fn usual(text: &[u8]) -> Option<(Option<Transition>, Duration, &[u8])> {
    if let Some((duration, behind)) = ms(text) {
        return Some((None, duration, behind));
    }
    let (heap, rest) = bytes_transition(text)?;
    let (duration, behind) = ms(rest.strip_prefix(b" ")?)?;
    Some((Some(heap), duration, behind))
}

/// The same with something before, between or instead of the sizes.
fn unusual(text: &[u8]) -> Option<(Option<Transition>, Duration, &[u8])> {
    let (sizes, duration, behind) = at_ms(text)?;
    Some((heap(sizes), duration, behind))
}

/// The sizes of the heap: the first that no name and colon stand before.
fn heap(text: &[u8]) -> Option<Transition> {
    let mut named = false;
    text.split(|&byte| byte == b' ').find_map(|word| {
        let is_named = std::mem::replace(&mut named, word.ends_with(b":"));
        if is_named { None } else { bytes_transition(word).map(|(heap, _)| heap) }
    })
}

/// What the name says, and what follows it.
fn named(text: &[u8]) -> Option<(GcKind, Option<Collector>, &[u8])> {
    NAMES.iter().find_map(|(names, collector)| {
        names.iter().find_map(|(name, kind)| {
            let rest = text.strip_prefix(*name)?;
            matches!(rest.first(), None | Some(b' ')).then_some((*kind, *collector, rest))
        })
    })
}

fn ending<'a>(kind: GcKind) -> PauseEnd<'a> {
    PauseEnd {
        kind,
        collector: None,
        cause: None,
        failures: Failures::default(),
        heap: None,
        duration: Duration::ZERO,
        cpu: None,
    }
}

/// The subkind, the cause and the outcome, each in parentheses; what follows them.
fn read_parentheses<'a>(mut rest: &'a [u8], end: &mut PauseEnd<'a>) -> &'a [u8] {
    while let Some((inside, after)) = rest.strip_prefix(b" ").and_then(parenthesised) {
        if let Some(what) = inside.strip_prefix(b"Evacuation Failure") {
            end.failures.pinned = memmem::find(what, b"Pinned").is_some();
            end.failures.evacuation = what != b": Pinned";
        } else if let (GcKind::Young(_), Some(kind)) = (end.kind, g1::young_kind(inside)) {
            end.kind = GcKind::Young(kind);
            end.collector = Some(Collector::G1);
        } else if end.kind == GcKind::Degenerated || (end.cause.is_none() && has_cause(end)) {
            end.cause = Some(inside);
        }
        rest = after;
    }
    if end.cause.is_some_and(|cause| cause.starts_with(b"G1 ")) {
        end.collector = Some(Collector::G1);
    }
    rest
}

/// Whether the parentheses after its name tell why it came. Those of Shenandoah's and ZGC's pauses
/// tell what it does beside (`unload classes`) or to which generation.
fn has_cause(end: &PauseEnd<'_>) -> bool {
    match end.kind {
        GcKind::Young(_) | GcKind::Full => true,
        // That of G1 in JDK 9 and 10; CMS has none.
        GcKind::InitialMark => end.collector == Some(Collector::Cms),
        _ => false,
    }
}

/// Reads `User=0.01s Sys=0.00s Real=0.01s` (tag `gc,cpu`).
///
/// # Source
///
/// `GCTraceCPUTime` in `src/hotspot/share/gc/shared/gcTraceTime.cpp`.
pub(crate) fn parse_cpu(message: &[u8]) -> Option<CpuTimes> {
    let (user, rest) = cpu_field(message, b"User=")?;
    let (sys, rest) = cpu_field(rest, b" Sys=")?;
    let (real, _) = cpu_field(rest, b" Real=")?;
    Some(CpuTimes { user, sys, real })
}

fn cpu_field<'a>(text: &'a [u8], key: &[u8]) -> Option<(Duration, &'a [u8])> {
    let (ns, rest) = decimal_ns(text.strip_prefix(key)?, SECOND_NS)?;
    Some((Duration::from_nanos(ns), rest.strip_prefix(b"s")?))
}

#[cfg(test)]
mod tests;
