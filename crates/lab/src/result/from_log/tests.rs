//! Text in, judgement out: a pause as the recording knows it, and as the log shows it.
use super::*;

const MS: u64 = 1_000_000;

/// An answer of one pause: `START LENGTH CAUSE=TIME… [symptom S] [likely CAUSE]… [unlikely CAUSE]…
/// [absent CAUSE]… [wall T] [cut] [hiccup]`, with times in milliseconds; what is left of the length
/// is unexplained.
fn answer(text: &str) -> Explained {
    let words: Vec<_> = text.split(' ').collect();
    let after = |key: &str| {
        let pairs = words.windows(2).filter(|it| it[0] == key);
        pairs.map(|it| it[1].to_owned()).collect::<Vec<_>>()
    };
    let parts: Vec<_> = words.iter().filter_map(|it| it.split_once('=')).collect();
    let ns = |text: &str| (text.parse::<f64>().unwrap() * 1e6).round() as u64;
    let duration = ns(words[1]);
    let in_parts: u64 = parts.iter().map(|it| ns(it.1)).sum();
    let nature = |id: &str| if id.ends_with("-work") { "ordinary" } else { "fault" };
    let mut causes: Vec<_> =
        parts.iter().map(|it| serde_json::json!({ "id": it.0, "nature": nature(it.0) })).collect();
    let suspect =
        |unlikely| move |it: &String| serde_json::json!({ "cause": it, "unlikely": unlikely });
    let suspects: Vec<_> = after("likely").iter().map(suspect(false)).collect();
    let unlikely: Vec<_> = after("unlikely").iter().map(suspect(true)).collect();
    let symptom = after("symptom").pop();
    let suspects = [suspects, unlikely].concat();
    causes.push(
        serde_json::json!({ "id": "system-time", "nature": "symptom", "suspects": suspects }),
    );
    let watched = after("absent");
    let watched = watched.iter().map(|it| serde_json::json!({ "cause": it, "verdict": "absent" }));
    let part = |it: &(&str, &str)| serde_json::json!({ "cause": it.0, "time_ns": ns(it.1) });
    let wall = after("wall").pop();
    let json = serde_json::json!({
        "clock": if wall.is_some() { "uptime" } else { "monotonic" },
        "causes": causes,
        "watched": watched.collect::<Vec<_>>(),
        "longest": [{
            "kind": if words.contains(&"hiccup") { "hiccup" } else { "safepoint" },
            "start_ns": ns(words[0]),
            "start_wall": wall,
            "duration_ns": duration,
            "parts": parts.iter().map(part).collect::<Vec<_>>(),
            "unattributed_ns": duration - in_parts,
            "symptom": symptom,
            "cut": words.contains(&"cut").then_some("end"),
        }],
    });
    Explained::parse(&json.to_string()).unwrap()
}

fn judge(recorded: &str, log: &str) -> FromLog {
    FromLog::judge(&answer(recorded), &answer(log))
}

fn judged(recorded: &str, log: &str) -> Judged {
    judge(recorded, log).judged.pop().unwrap()
}

/// How many are judged, ordinary, not found, cut; hiccups apart.
fn counts(recorded: &str, log: &str) -> [u64; 4] {
    let it = judge(recorded, log);
    [it.judged.len() as u64, it.ordinary, it.not_found, it.cut]
}

#[test]
fn a_pause_is_found_by_its_start_and_length() {
    let recorded = "1000 100 swap-in=100";
    let check = |log: &str, found: bool| {
        let expected = if found { [1, 0, 0, 0] } else { [0, 0, 1, 0] };
        assert_eq!(counts(recorded, log), expected, "{log}");
    };
    check("1030 100", true);
    check("970 100", true);
    check("1030.001 100", false);
    check("969.999 100", false);
    check("1000 115", true);
    check("1000 85", true);
    check("1000 115.001", false);
    check("1000 84.999", false);
}

#[test]
fn nearest_of_several_log_pauses_is_matched() {
    let mut log = answer("1020 90 symptom system-time likely swap-in");
    log.longest.extend(answer("995 101 symptom none").longest);
    log.longest.extend(answer("1010 100 symptom none").longest);
    let it = FromLog::judge(&answer("1000 100 swap-in=100"), &log).judged.pop().unwrap();
    assert_eq!(it.unexplained_ns, 101 * MS);
}

#[test]
fn where_one_has_no_monotonic_clock_dates_are_compared() {
    let recorded = "1000 100 swap-in=100 wall 2026-11-26T05:17:12.500Z";
    let check = |log: &str, expected| assert_eq!(counts(recorded, log), expected, "{log}");
    check("7 100 wall 2026-11-26T06:17:12.530+01:00", [1, 0, 0, 0]);
    check("1000 100 wall 2026-11-26T05:17:12.531Z", [0, 0, 1, 0]);
    check("1000 100", [0, 0, 1, 0]);
}

#[test]
fn only_long_whole_stops_with_a_known_cause_are_judged() {
    let log = "1000 100";
    assert_eq!(counts("1000 100 swap-in=60 gc-work=40", log), [1, 0, 0, 0]);
    assert_eq!(counts("1000 100 swap-in=40 gc-work=60", log), [0, 1, 0, 0]);
    assert_eq!(counts("1000 100 swap-in=40", log), [0, 1, 0, 0]);
    assert_eq!(counts("1000 100 swap-in=60 cut", log), [0, 0, 0, 1]);
    assert_eq!(counts("1000 100 swap-in=60 hiccup", log), [0; 4]);
    assert_eq!(judge("1000 50 swap-in=50 hiccup", log).hiccups, 1);
    assert_eq!(judge("1000 49.999 swap-in=40 hiccup", log).hiccups, 0);
    assert_eq!(counts("1000 50 swap-in=50", "1000 50"), [1, 0, 0, 0]);
    assert_eq!(counts("1000 49.999 swap-in=40", "1000 50"), [0; 4]);
}

#[test]
fn a_cause_is_refuted_where_the_log_denies_it() {
    let check = |log: &str, expected| {
        let it = judged("1000 100 swap-in=90 gc-work=10", &format!("1000 100 {log}"));
        assert_eq!(it.refuted, expected, "{log}");
    };
    check("symptom system-time likely late-java-thread unlikely frozen-or-traced", None);
    check("symptom system-time unlikely swap-in", Some(Refuted::Unlikely));
    check("symptom other unlikely swap-in", None);
    check("absent swap-in", Some(Refuted::Absent));
    check("absent direct-reclaim", None);
    check("late-java-thread=51", Some(Refuted::OtherFault));
    check("late-java-thread=49", None);
    check("direct-reclaim=51", None);
    check("full-gc=51", Some(Refuted::OtherFault));
    check("gc-work=90", None);
}

#[test]
fn the_first_two_likely_suspects_are_read() {
    let check = |log: &str, expected: bool| {
        let log = format!("1000 100 symptom system-time {log}");
        let it = judged("1000 100 swap-in=90 gc-work=10", &log);
        assert_eq!(it.right_class(), expected, "{log}");
    };
    check("likely late-java-thread likely direct-reclaim", true);
    check("likely late-java-thread likely cfs-throttling likely swap-in", false);
    check("unlikely late-java-thread unlikely cfs-throttling likely swap-in", true);
    check("unlikely direct-reclaim likely late-java-thread", false);
    check("", false);
    // a fault that is named is suspected before all others
    check("direct-reclaim=60", true);
    check("late-java-thread=60 likely cfs-throttling likely swap-in", false);
}

#[test]
fn unexplained_time_of_the_log_matches_the_wait_within_a_tenth() {
    let check = |log: &str, expected: bool| {
        let it = judged("1000 100 swap-in=80 gc-work=20", &format!("1000 100 {log}"));
        assert_eq!((it.wait_ns, it.right_wait()), (80 * MS, expected), "{log}");
    };
    check("gc-work=10", true);
    check("gc-work=9.999", false);
    check("gc-work=30", true);
    check("gc-work=30.001", false);
    // a fault of the surroundings is a wait, one of the collection is work
    check("swap-in=70 gc-work=20", true);
    check("mmap-lock-contention=70 gc-work=20", true);
    check("full-gc=30 late-java-thread=50", true);
    check("full-gc=30.001 late-java-thread=50", false);
}

#[test]
fn a_judgement_is_read_again_as_it_was_written() {
    let mut it = judge("1000 100 swap-in=90", "1000 100 symptom system-time unlikely swap-in");
    it.failed = Some("no".into());
    let json = serde_json::to_string(&it).unwrap();
    assert!(json.contains(r#""refuted":"unlikely""#), "{json}");
    assert_eq!(serde_json::from_str::<FromLog>(&json).unwrap(), it);
    assert_eq!(serde_json::from_str::<FromLog>("{}").unwrap(), FromLog::default());
}
