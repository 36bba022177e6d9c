//! Names that a watched process chose to do harm: no format obeys them.
use crate::fixtures::slow_log;
use diagnose::{Diagnosis, Gate, Unexplained};
use recording::{Note, SourceState};
use report::{Event, Options, Receiver, check, compare, csv, json, line, markdown, ps, terminal};
use std::time::Duration;

/// Moves the cursor, reorders, fakes lines, is markup, a link, a mention, a formula.
pub(crate) const EVIL: &str = "=cmd|' /C calc'!A0\u{1b}[2J\u{9b}31m\u{202e}gpj\u{2066}\u{e0041}\u{7f}\r\n\
                    | x | <img src=x> [a](http://evil.example) @root `b`";

/// The diagnosis with `name` in every place that a target can fill.
pub(crate) fn named(name: &str) -> Diagnosis {
    let mut it = slow_log();
    it.inputs[0].path = name.into();
    it.jvm.main = name.into();
    it.jvm.version = name.into();
    it.jvm.collector = name.into();
    for pause in &mut it.pauses {
        pause.pause.operation = name.to_owned().into();
    }
    let finding = &mut it.findings[0];
    finding.story = vec![name.into(); 3];
    finding.culprits[0].statement = name.into();
    finding.culprits[0].name = name.into();
    finding.evidence[0].statement = name.into();
    let place = finding.place.as_mut().expect("a place");
    for field in [
        &mut place.thread,
        &mut place.call,
        &mut place.path,
        &mut place.file_system,
        &mut place.device,
        &mut place.stack[0],
    ] {
        *field = name.into();
    }
    it.statistics.unattributed = Duration::from_secs(1);
    it.unexplained = vec![Unexplained { what: name.into(), time: Duration::from_secs(1) }];
    let missing = SourceState::Missing(name.into());
    it.coverage.sources.values_mut().for_each(|state| *state = missing.clone());
    it.coverage.notes.push(Note { item: name.into(), message: name.into(), count: 1 });
    it.coverage.end = name.into();
    it
}

fn bytes(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    struct Out(Vec<u8>);
    impl std::io::Write for Out {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut out = Out(Vec::new());
    write(&mut out).expect("a Vec takes all");
    String::from_utf8(out.0).expect("UTF-8")
}

/// Every answer about this diagnosis, each with what it is.
fn answers(it: &Diagnosis, name: &str) -> Vec<(&'static str, String)> {
    let options = Options { full: true, all_pauses: true, ..Options::default() };
    let other = slow_log();
    let compared = diagnose::compare(it, &other);
    let gates = [Gate::parse("max>50ms").expect("a gate")];
    let checked = check::judge(name, it, &gates, &[], &options);
    let event = || Event::pause(it, &it.pauses[0], name);
    let row = || ps::Row {
        stopped: Some(true),
        pid: 1,
        user: name.into(),
        version: name.into(),
        collector: name.into(),
        main: name.into(),
        heap: vec![name.into()],
        gc_log: name.into(),
    };
    let not_responding = || ps::NotResponding {
        pid: 2,
        user: name.into(),
        name: name.into(),
        reason: name.into(),
        memory_map_locked: true,
        in_execve: false,
        thread: Some(ps::WaitingThread {
            tid: 3,
            name: name.into(),
            wait_channel: name.into(),
            stack: vec![name.into()],
        }),
    };
    vec![
        ("text", terminal::render(it, &options)),
        ("line", line::render(it, &it.pauses[0], &options)),
        ("event", event().line()),
        ("alert for a chat", event().alert(Receiver::Slack, 1)),
        ("alert for a pager", event().alert(Receiver::PagerDuty("key"), 1)),
        ("markdown", markdown::render(it, &options)),
        ("csv", bytes(|out| csv::write(it, out))),
        ("json", bytes(|out| json::write(it, &mut &it.pauses[..], &options, out))),
        ("compare text", compare::terminal::render(&compared, &options)),
        ("compare markdown", compare::markdown::render(&compared)),
        ("compare csv", bytes(|out| compare::csv::write(&compared, out))),
        ("compare json", bytes(|out| compare::json::write(&compared, out))),
        ("check text", check::terminal::render(&checked, &options)),
        ("check json", bytes(|out| check::json::write(&checked, out))),
        ("check junit", bytes(|out| check::junit::write(&checked, out))),
        ("ps text", ps::text(&[row()], &[not_responding()], options.style)),
        ("ps json", ps::json(&[row()], &[not_responding()], 0)),
    ]
}

#[test]
fn no_name_moves_the_cursor_or_reorders_text() {
    for (what, text) in answers(&named(EVIL), EVIL) {
        let bad = |c: &char| {
            c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
                || *c >= '\u{e0000}'
        };
        let allowed = |c: char| c == '\n' || (c == '\r' && what.ends_with("csv"));
        let found: Vec<char> = text.chars().filter(|c| bad(c) && !allowed(*c)).collect();
        assert!(found.is_empty(), "{what}: {found:?} in {text}");
    }
}

/// Markdown without the characters that a backslash makes plain.
fn without_escaped(text: &str) -> String {
    let mut chars = text.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => _ = chars.next(),
            c => out.push(c),
        }
    }
    out
}

#[test]
fn no_name_becomes_markup_a_formula_or_another_line() {
    for (what, text) in answers(&named(EVIL), EVIL) {
        match what {
            "markdown" | "compare markdown" => {
                let text = without_escaped(&text);
                for bad in ["<img", "[a](", "http://", "@root", "| x |", " `b`"] {
                    assert!(!text.contains(bad), "{bad} in {text}");
                }
            }
            "csv" => {
                for line in text.split("\r\n").skip(1).filter(|it| !it.is_empty()) {
                    assert_eq!(line.matches(",'=cmd").count(), 1, "{line}");
                    assert!(!line.contains('\n'), "{line}");
                }
            }
            "json" | "ps json" | "compare json" | "check json" => {
                let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                assert_eq!(value["schema_version"], 1);
            }
            _ => {}
        }
    }
    let it = named(EVIL);
    let json = bytes(|out| json::write(&it, &mut &it.pauses[..], &Options::default(), out));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["jvm"]["main"], EVIL, "whoever parses it gets the name as it is");
}

#[test]
fn a_name_of_900_000_characters_neither_panics_nor_floods() {
    let name = "x".repeat(900_000);
    for (what, text) in answers(&named(&name), &name) {
        let longest = text.lines().map(|it| it.chars().count()).max().unwrap_or(0);
        // An object on one line has several strings, each of which is cut.
        let most =
            if what.starts_with("event") || what.ends_with("pager") { 100_000 } else { 20_000 };
        assert!(longest < most, "{what}: a line of {longest}");
        assert!(text.len() < 2_000_000, "{what}: {} bytes", text.len());
        assert!(
            text.contains('…') || what.starts_with("compare") || what == "check junit",
            "{what}"
        );
    }
}
