//! What is around a line: the line in, what was inside out.
use super::*;

#[track_caller]
fn check(line: &str, wanted: &str) {
    let is_of_jvm = |text: &[u8]| text.starts_with(b"[0.003s]") || text.starts_with(b"1.234: [GC");
    let inside = inside_of(line.as_bytes(), is_of_jvm).map(Cow::into_owned);
    let text = inside.map_or("none".into(), |it| String::from_utf8_lossy(&it).into_owned());
    assert_eq!(text, wanted, "{line}");
}

#[test]
fn what_puts_something_before_a_line() {
    let line = "[0.003s][info][gc] Using G1";
    check(&format!("2024-01-01T00:00:00.000000000Z stdout F {line}"), line);
    check(&format!("2024-01-01T00:00:00.000000000+02:00 stderr F {line}"), line);
    check(&format!("2024-01-01T00:00:00.000000000Z {line}"), line);
    check(&format!("web_1  | {line}"), line);
    check(&format!("web-1 | {line}"), line);
    check(&format!("[pod/app-7d/jvm] {line}"), line);
    check(&format!("[pod/app-7d/jvm] 2024-01-01T00:00:00.000000000Z {line}"), line);
    check(&format!("Jan 01 00:00:00 host java[123]: {line}"), line);
    check(&format!("Jan  1 00:00:00.123456 host app.service: {line}"), line);
    check(&format!("2024-01-01T00:00:00+0000 host java[123]: {line}"), line);
    check("Jan 01 00:00:00 host java[123]: 1.234: [GC 1K", "1.234: [GC 1K");
    check(&format!("INFO   | jvm 1    | 2024/01/01 00:00:00 | {line}"), line);
    check(&format!("logs/gc.log:12:{line}"), line);
}

#[test]
fn json_is_unescaped() {
    check(
        r#"{"log":"[0.003s][info][gc] GC(0) 3M-\u003e2M\n","stream":"stdout","time":"2024"}"#,
        "[0.003s][info][gc] GC(0) 3M->2M",
    );
    check(r#"{"level":"info","message":"[0.003s] x \"a\" \\"}"#, "[0.003s] x \"a\" \\");
    check(r#"{ "log" : "[0.003s] \"a\"" }"#, "[0.003s] \"a\"");
    check(r#"{"log":"[0.003s] cut"#, "none");
    check(r#"{"log":"[0.003s] cut\u00"#, "none");
}

#[test]
fn rows_double_their_quotes() {
    check(r#"12;"[0.003s] Safepoint ""a"": b""#, "[0.003s] Safepoint \"a\": b");
    check(r#""2024","[0.003s] ""a"", b","""#, "[0.003s] \"a\", b");
}

#[test]
fn lines_in_an_array_are_each_a_line() {
    let (one, two) = ("[0.003s] a", "[0.004s] \\\"b\\\"");
    let both = "[0.003s] a\n[0.004s] \"b\"";
    check(&format!(r#"[{{"message":"{one}"}},{{"message":"{two}"}}]"#), both);
    check(&format!(r#"["{one}","{two}"]"#), both);
    check(
        &format!(r#"{{"values":[["17","{one}"],["18","{two}"]]}}"#),
        "17\n[0.003s] a\n18\n[0.004s] \"b\"",
    );
}

#[test]
fn fields_escape_their_quotes() {
    check(r#"level=info msg="[0.003s] Safepoint \"a\", b""#, "[0.003s] Safepoint \"a\", b");
}

#[test]
fn times_of_build_servers() {
    check("[2024-01-01T00:00:00.123Z] [0.003s][info][gc] Using G1", "[0.003s][info][gc] Using G1");
    check("[2024-01-01T00:00:00.123Z] 2024-01-01T00:00:00.123+0000: 1.234: [GC 1K", "none");
    check("[2024-01-01T00:00:00.123Z] 1.234: [GC 1K", "1.234: [GC 1K");
    check("[2024-01-01T00:00:00.123Z] GC(0) Pause", "none");
}

#[test]
fn what_grep_found() {
    let check_found = |line: &str| {
        let is_of_jvm = |text: &[u8]| text.starts_with(b"GC(");
        let inside = inside_of(line.as_bytes(), is_of_jvm).map(Cow::into_owned);
        inside.map(|it| String::from_utf8_lossy(&it).into_owned())
    };
    let line = "GC(0) Pause Remark 1M->1M(2M) 0.5ms";
    for before in ["gc.log:", "12:", "logs/gc.log.0:12:"] {
        assert_eq!(check_found(&format!("{before}{line}")), Some(line.into()), "{before}");
    }
    assert_eq!(check_found(&format!("host: {line}")), None);
}

#[test]
fn times_of_a_legacy_line_are_its_own() {
    let line = "2024-01-01T00:00:00.123+0000: 1.234: [GC 1K->1K(2K)";
    let before = "2026-01-02T03:04:05.123Z ";
    let wrapped = format!("{before}{line}");
    let has_record = |text: &[u8]| memmem::find(text, b"[GC").is_some();
    let inside = inside_of(wrapped.as_bytes(), has_record).expect("it is wrapped");
    assert_eq!(String::from_utf8_lossy(&inside), line);
}

#[test]
fn a_line_that_is_known_by_what_stands_within_it_is_unwrapped_whole() {
    let line = "pod/a 2024-01-01T00:00:00.123Z 1.0: [threads: 1 2 3]";
    let line = format!("[{}", line.replacen(' ', "] ", 1));
    let within = |text: &[u8]| memmem::find(text, b"[threads:").is_some();
    let inside = inside_of(line.as_bytes(), within).expect("it is wrapped");
    assert_eq!(inside.as_ref(), b"1.0: [threads: 1 2 3]");
}

#[test]
fn other_lines_are_not_wrapped() {
    check("[0.003s][info][gc] a | b", "none");
    check("2024-01-01T00:00:00.123+0000: 1.234: [GC 1K", "none");
    check("Exception in thread main: [GC", "none");
    check("1.234: [GC 1K", "none");
    let line = "2024-01-01T00:00:00.123+0000: 1.234: [GC";
    let dated = inside_of(line.as_bytes(), |text| text.starts_with(b"["));
    assert_eq!(dated, None);
    check("", "none");
}

#[test]
fn once_told_every_line_is_unwrapped() {
    let mut wrapping = Wrapping::default();
    let mut unwrap = |line: &str| {
        let inside = wrapping.unwrap(line.as_bytes(), |text| text.starts_with(b"[0"));
        String::from_utf8_lossy(&inside).into_owned()
    };
    assert_eq!(unwrap("web_1 | hello"), "web_1 | hello", "it is not known yet");
    assert_eq!(unwrap("web_1 | [0.1s] x"), "[0.1s] x");
    assert_eq!(unwrap("web_1 | hello"), "hello");
    assert_eq!(unwrap("foreign"), "foreign");
}
