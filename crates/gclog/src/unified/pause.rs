//! `Pause …` lines: the form that all collectors share.
use super::{cms, g1, native_image, shenandoah, zgc};
use crate::{
    Collector, CpuTimes, Failures, GcKind, Transition, Unrecognised, YoungKind,
    heap::bytes_transition,
    scan::{MILLISECOND_NS, SECOND_NS, decimal_ns, parenthesised},
};
use memchr::{memchr, memmem};
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

/// The first word of a message that is a duration in milliseconds.
pub(crate) fn first_ms(text: &[u8]) -> Option<Duration> {
    at_ms(text).map(|(_, duration, _)| duration)
}

/// The word that the text begins with, if it is one of milliseconds, and what follows it.
fn ms(text: &[u8]) -> Option<(Duration, &[u8])> {
    match decimal_ns(text, MILLISECOND_NS)? {
        (ns, [b'm', b's', rest @ ..]) => {
            let is_word = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
            is_word.then_some((Duration::from_nanos(ns), rest))
        }
        _ => None,
    }
}

/// What stands before the first word that is a duration in milliseconds, that duration, and what follows
/// it.
///
/// What follows a unit may be anything that cannot be a part of the word, as where a quote or a comma was
/// left there.
pub(crate) fn at_ms(text: &[u8]) -> Option<(&[u8], Duration, &[u8])> {
    let mut at = 0;
    loop {
        if text.get(at)?.is_ascii_digit()
            && let Some((duration, rest)) = ms(&text[at..])
        {
            return Some((&text[..at.saturating_sub(1)], duration, rest));
        }
        at += memchr(b' ', &text[at..])? + 1;
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
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let text = match parse(message.as_bytes()) {
            Ok(PauseLine::Start) => "start".to_owned(),
            Ok(PauseLine::Part) => "part".to_owned(),
            Ok(PauseLine::End(end)) => {
                let cause = end.cause.map_or("-".into(), String::from_utf8_lossy);
                let heap = end.heap.map(|it| (it.before >> 20, it.after >> 20, it.capacity));
                let Failures { evacuation, pinned, .. } = end.failures;
                let failed = if evacuation { " failed" } else { "" };
                let failed = if pinned { format!("{failed} pinned") } else { failed.to_owned() };
                format!("{} | {cause} | {heap:?} | {:?}{failed}", end.kind.id(), end.duration)
            }
            Err(why) => format!("{why:?}"),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn one_of_each_kind() {
        check(
            "Pause Young (Normal) (G1 Evacuation Pause) 31M->28M(600M) 18.693ms",
            expect!["young | G1 Evacuation Pause | Some((31, 28, Some(629145600))) | 18.693ms"],
        );
        check(
            "Pause Young (Concurrent Start) (G1 Humongous Allocation) 31M->28M(600M) 18.693ms",
            expect![[
                r"young-concurrent-start | G1 Humongous Allocation | Some((31, 28, Some(629145600))) | 18.693ms"
            ]],
        );
        check(
            "Pause Full (System.gc()) 3M->2M(6M) 1.5ms",
            expect!["full | System.gc() | Some((3, 2, Some(6291456))) | 1.5ms"],
        );
        check(
            "Pause Remark 3M->2M(6M) 1.500ms",
            expect!["remark | - | Some((3, 2, Some(6291456))) | 1.5ms"],
        );
        check(
            "Pause Cleanup 3M->2M(6M) 0.064ms",
            expect!["cleanup | - | Some((3, 2, Some(6291456))) | 64µs"],
        );
    }

    #[test]
    fn forms_of_jdk_9_and_10() {
        check(
            "Pause Mixed (G1 Evacuation Pause) 3M->2M(6M) 1.5ms",
            expect!["young-mixed | G1 Evacuation Pause | Some((3, 2, Some(6291456))) | 1.5ms"],
        );
        check(
            "Pause Initial Mark (G1 Humongous Allocation) 3M->2M(6M) 1.5ms",
            expect![[
                r"young-concurrent-start | G1 Humongous Allocation | Some((3, 2, Some(6291456))) | 1.5ms"
            ]],
        );
        check(
            "Pause Initial Mark 3M->2M(6M) 1.5ms",
            expect!["initial-mark | - | Some((3, 2, Some(6291456))) | 1.5ms"],
        );
    }

    #[test]
    fn evacuation_failure_of_jdk_22() {
        check(
            "Pause Young (Mixed) (G1 Evacuation Pause) (Evacuation Failure: Allocation) 3M->2M(6M) 1ms",
            expect!["young-mixed | G1 Evacuation Pause | Some((3, 2, Some(6291456))) | 1ms failed"],
        );
    }

    #[test]
    fn pinned_regions_were_said_to_be_a_lack_of_free_ones() {
        let check_end = |why: &str, expected: Expect| {
            let text = format!(
                "Pause Young (Normal) (G1 Evacuation Pause) (Evacuation Failure: {why}) 3M->2M(6M) 1ms"
            );
            check(&text, expected);
        };
        check_end(
            "Pinned",
            expect!["young | G1 Evacuation Pause | Some((3, 2, Some(6291456))) | 1ms pinned"],
        );
        check_end(
            "Allocation / Pinned",
            expect![
                "young | G1 Evacuation Pause | Some((3, 2, Some(6291456))) | 1ms failed pinned"
            ],
        );
    }

    #[test]
    fn collections_of_a_native_image() {
        check(
            "Pause Incremental GC (Collect on allocation) 54.50M->9.50M 3.346ms",
            expect!["young | Collect on allocation | Some((54, 9, None)) | 3.346ms"],
        );
        check(
            "Pause Full GC (Collect on allocation) 53.50M->9.00M 23.244ms",
            expect!["full | Collect on allocation | Some((53, 9, None)) | 23.244ms"],
        );
    }

    #[test]
    fn without_sizes_and_with_words_not_known() {
        check(
            "Pause Young (Allocation Failure) 1.5ms",
            expect!["young | Allocation Failure | None | 1.5ms"],
        );
        check(
            "Pause Young (G1 Evacuation Pause) 1M->1M(2M) unexpected 0.774ms",
            expect!["young | G1 Evacuation Pause | Some((1, 1, Some(2097152))) | 774µs"],
        );
    }

    #[test]
    fn opening_lines() {
        check("Pause Young (Normal) (G1 Evacuation Pause)", expect!["start"]);
        check("Pause Remark", expect!["start"]);
    }

    #[test]
    fn what_stands_behind_the_duration_takes_nothing_away() {
        for behind in
            ["\"", ",", " | host=web-1", "\" 5ms", " User=0.01s Sys=0.00s Real=0.00s", "}", ";x"]
        {
            check(
                &format!("Pause Full (System.gc()) 3M->2M(6M) 1.5ms{behind}"),
                expect!["full | System.gc() | Some((3, 2, Some(6291456))) | 1.5ms"],
            );
        }
        check("Pause Full (System.gc()) 3M->2M(6M) 1.5msx", expect!["Malformed"]);
    }

    #[test]
    fn all_lines_of_a_collection_in_one() {
        let line =
            b"Pause Full (System.gc()) Metaspace: 81364K->81363K(1126400K) 826M->741M(1024M) \
                     870.722ms User=2.01s Sys=0.02s Real=0.87s";
        let Ok(PauseLine::End(end)) = parse(line) else { panic!("it has ended") };
        assert_eq!(end.heap.map(|it| (it.before >> 20, it.after >> 20)), Some((826, 741)));
        assert_eq!(end.duration, Duration::from_micros(870_722));
        assert_eq!(end.cpu.map(|it| it.user), Some(Duration::from_millis(2_010)));
    }

    #[test]
    fn cut_at_any_byte_it_is_never_another_pause() {
        let whole = "Pause Young (Normal) (G1 Evacuation Pause) 31M->28M(600M) 18.693ms";
        for end in 0..whole.len() {
            let cut = parse(&whole.as_bytes()[..end]);
            assert!(!matches!(cut, Ok(PauseLine::End(_))), "{}", &whole[..end]);
        }
    }

    #[test]
    fn pauses_of_zgc_and_shenandoah_have_no_cause() {
        check("Pause Mark Start (Major) 0.012ms", expect!["mark-start | - | None | 12µs"]);
        check("Pause Relocate Start 0.012ms", expect!["relocate-start | - | None | 12µs"]);
        check("Pause Init Mark (unload classes) 0.1ms", expect!["initial-mark | - | None | 100µs"]);
        check(
            "Pause Final Update Refs 0.1ms",
            expect!["final-update-references | - | None | 100µs"],
        );
        check(
            "Pause Degenerated GC (Young) (Outside of Cycle) 19M->5M(24M) 1.500ms",
            expect!["degenerated | Outside of Cycle | Some((19, 5, Some(25165824))) | 1.5ms"],
        );
    }

    #[test]
    fn a_pause_of_a_name_not_known_is_not_lost() {
        check("Pause Verify 0.012ms", expect!["other | - | None | 12µs"]);
        check("Pause Youngest 0.012ms", expect!["other | - | None | 12µs"]);
        check("Pause Youngest", expect!["UnknownPause"]);
        check("Pause Roots Threads (ZWorker#0) 0.012ms", expect!["part"]);
        check("Pause Young unknown event", expect!["Malformed"]);
    }

    #[test]
    fn cpu_times() {
        let read = parse_cpu(b"User=1.25s Sys=0.00s Real=0.31s").expect("well-formed");
        assert_eq!(
            (read.user, read.real),
            (Duration::from_millis(1250), Duration::from_millis(310))
        );
        assert_eq!(parse_cpu(b"User=1.25s Sys=0.00s Real=0.3"), None);
        assert_eq!(parse_cpu(b"User=1.25s"), None);
    }
}
