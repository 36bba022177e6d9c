//! `Pause …` lines: the message in, what it says out.
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
        expect!["young | G1 Evacuation Pause | Some((3, 2, Some(6291456))) | 1ms failed pinned"],
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
    let line = b"Pause Full (System.gc()) Metaspace: 81364K->81363K(1126400K) 826M->741M(1024M) \
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
    check("Pause Final Update Refs 0.1ms", expect!["final-update-references | - | None | 100µs"]);
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
    assert_eq!((read.user, read.real), (Duration::from_millis(1250), Duration::from_millis(310)));
    assert_eq!(parse_cpu(b"User=1.25s Sys=0.00s Real=0.3"), None);
    assert_eq!(parse_cpu(b"User=1.25s"), None);
}
