//! What is packed comes out as it went in, and what does not fit is the shortest.
use super::*;

/// A pause as logs have them, that begins at `start_ns`.
pub(crate) fn attribution(start_ns: u64, duration: Duration) -> Attribution {
    let pause = Pause {
        kind: PauseKind::Gc,
        start_ns,
        start_wall_ns: None,
        times: Times::Known,
        duration,
        reaching: Duration::ZERO,
        operation: "Pause young".into(),
        collection: Some(duration),
        detailed: false,
        cut: Cut::WHOLE,
    };
    let part =
        Part { cause: diagnose::causes()[0], time: duration, certainty: Certainty::Inferred };
    let symptom = diagnose::causes().last().copied();
    Attribution { pause, parts: vec![part], unattributed: Duration::ZERO, symptom, collected: None }
}

fn reported(it: &Attribution) -> String {
    let parts: Vec<_> = it.parts.iter().map(|it| (it.cause.id, it.time, it.certainty)).collect();
    let rest = (it.unattributed, it.symptom, it.collected);
    format!("{:?} {parts:?} {rest:?}", it.pause)
}

/// It comes out as it went in.
fn check(it: &Attribution) {
    let mut packed = PackedPauses::new(1 << 20);
    packed.add(it);
    let out: Vec<_> = packed.in_order().map(|it| reported(&it)).collect();
    assert_eq!(out, [reported(it)]);
}

#[test]
fn nothing_is_lost_by_packing() {
    let plain = attribution(0, Duration::ZERO);
    check(&plain);
    for number in [1, 127, 128, u64::MAX / 2, u64::MAX] {
        check(&attribution(number, Duration::from_nanos(number)));
        check(&attribution(number, Duration::new(number, 999_999_999)));
    }
    for kind in [PauseKind::Safepoint, PauseKind::Gc, PauseKind::Hiccup] {
        for wall in [None, Some(0), Some(-1), Some(i64::MIN), Some(i64::MAX)] {
            for [detailed, begin, end] in (0..8).map(|bits| [1, 2, 4].map(|bit| bits & bit != 0)) {
                let pause = Pause {
                    kind,
                    start_wall_ns: wall,
                    times: Times::Known,
                    operation: if end { "Größe\0".into() } else { "".into() },
                    collection: begin.then_some(Duration::from_micros(7)),
                    detailed,
                    cut: Cut { begin, end },
                    ..plain.pause.clone()
                };
                check(&Attribution { pause, ..plain.clone() });
            }
        }
    }
    for collected in Collected::ALL {
        check(&Attribution { collected: Some(collected), ..plain.clone() });
    }
    let part = |cause, certainty| Part { cause, time: Duration::from_millis(3), certainty };
    let all = diagnose::causes().iter();
    let parts = all.flat_map(|it| [Certainty::Measured, Certainty::Inferred].map(|c| part(it, c)));
    check(&Attribution { parts: parts.collect(), unattributed: Duration::MAX, ..plain });
}

#[test]
fn what_does_not_fit_is_the_shortest_and_is_counted() {
    const BYTES: usize = 4_000;
    let lengths: Vec<u64> = (0..1_000).map(|it| it * 7919 % 1_009).collect();
    let mut packed = PackedPauses::new(BYTES);
    for (&ms, at) in lengths.iter().zip(0..) {
        packed.add(&attribution(at, Duration::from_millis(ms)));
        assert!(packed.size() <= BYTES, "{} bytes", packed.size());
    }
    let kept: Vec<_> = packed.in_order().map(|it| it.pause).collect();
    assert!(kept.len() > 20 && kept.is_sorted_by_key(|it| it.start_ns), "{kept:?}");
    assert_eq!(kept.len() as u64 + packed.left_out(), 1_000);
    let shortest = kept.iter().map(|it| it.duration).min().expect("some are kept");
    let as_long = lengths.iter().filter(|&&ms| Duration::from_millis(ms) >= shortest).count();
    assert_eq!(kept.len(), as_long, "no longer one was left out");
}

#[test]
fn a_usual_pause_takes_few_bytes() {
    let mut packed = PackedPauses::new(1 << 20);
    let wall = 1_700_000_000_000_000_000_i64;
    let mut it = attribution(12_345_678_900_000, Duration::from_micros(8_123));
    it.pause.start_wall_ns = Some(wall);
    packed.add(&it);
    assert!(packed.size() <= 72, "{} bytes", packed.size());
}
