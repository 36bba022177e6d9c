//! Logs as people paste them: whatever was put around their lines, nothing of them is lost silently.
//!
//! Each log of `testdata/gclogs` is given every line end, prefix, suffix, colour, wrapper and encoding
//! below, and is cut at many bytes. The numbers must be those of the log itself, or the answer must say
//! that lines are missing. With `WHYPAUSE_CORPUS`, the same of the public logs.
use diagnose::{Count, Diagnosis, Doubt, InputSummary, Keep, LogDiagnosis};
use std::{
    fs,
    io::Cursor,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Duration,
};

/// Size of the part of each log that is used.
const MOST_BYTES: usize = 48 << 10;
/// How often each is cut.
const CUTS: u64 = 50;

/// What is done to a line.
type Line = fn(&str, usize) -> String;

const LINES: [(&str, Line); 37] = [
    ("a blank behind", |it, _| format!("{it} ")),
    ("tabs behind", |it, _| format!("{it}\t\t")),
    ("Windows", |it, _| format!("{it}\r")),
    ("returns", |it, _| format!("{it}\r\r")),
    ("a return and a blank", |it, _| format!("{it}\r ")),
    ("colours around", |it, _| format!("\x1b[32m{it}\x1b[0m")),
    ("a colour behind", |it, _| format!("{it}\x1b[K")),
    ("colours as syslog writes them", |it, _| format!("#033[32m{it}#033[0m")),
    ("a time", |it, n| format!("2026-01-02T03:04:{:02}.123456789Z {it}", n / 10 % 60)),
    ("CRI", |it, n| format!("2026-01-02T03:04:{:02}.123456789Z stdout F {it}", n / 10 % 60)),
    ("compose", |it, _| format!("web-1  | {it}")),
    ("kubectl", |it, _| format!("[pod/web-7c5d/app] {it}")),
    ("kubectl with times", |it, n| {
        format!("[pod/web-7c5d/app] 2026-01-02T03:04:{:02}.123456789Z {it}", n / 10 % 60)
    }),
    ("syslog", |it, n| format!("Jan  2 03:04:{:02} host-1 java[4711]: {it}", n / 10 % 60)),
    ("syslog with a time of its own", |it, n| {
        format!("2026-01-02T03:04:{:02}.123+00:00 host-1 java[4711]: {it}", n / 10 % 60)
    }),
    ("grep -H", |it, _| format!("gc.log:{it}")),
    ("grep -n", |it, n| format!("{n}:{it}")),
    ("Docker's objects", |it, _| {
        format!(
            r#"{{"log":{},"stream":"stdout","time":"2026-01-02T03:04:05.1Z"}}"#,
            quoted(&format!("{it}\n"))
        )
    }),
    ("objects with colours", |it, _| {
        format!(r#"{{"log":{}}}"#, quoted(&format!("\x1b[32m{it}\x1b[0m\r\n")))
    }),
    ("kubectl of a container whose lines are objects", |it, _| {
        format!(r#"[pod/web-7c5d/app] {{"level":"INFO","message":{}}}"#, quoted(it))
    }),
    ("Docker's objects around colours and a time", |it, _| {
        let inside = quoted(&format!("\x1b[1;32m2026-01-02T03:04:05.123Z\x1b[0m {it}\n"));
        format!(r#"{{"log":{inside},"stream":"stdout"}}"#)
    }),
    ("objects with blanks", |it, _| {
        format!(r#"{{ "time" : "2026-01-02T03:04:05.1Z", "log" : {} }}"#, quoted(it))
    }),
    ("textPayload", |it, _| {
        format!(
            r#"{{"insertId": "a1", "resource": {{"type": "k8s_container"}}, "textPayload": {}}}"#,
            quoted(it)
        )
    }),
    ("message", |it, _| {
        format!(r#"{{"@timestamp":"2026-01-02T03:04:05Z","message":{}}}"#, quoted(it))
    }),
    ("msg inside", |it, _| {
        format!(r#"{{"kubernetes":{{"pod":"a"}},"event":{{"msg":{}}}}}"#, quoted(it))
    }),
    ("@message", |it, _| format!(r#"{{"@message":{},"@logStream":"web"}}"#, quoted(it))),
    ("_raw", |it, _| format!(r#"{{"preview":false,"result":{{"_raw":{}}}}}"#, quoted(it))),
    ("line of Loki", |it, _| {
        format!(
            r#"{{"labels":{{"app":"web"}},"line":{},"timestamp":"2026-01-02T03:04:05.1Z"}}"#,
            quoted(it)
        )
    }),
    ("text of Loki", |it, n| {
        format!("2026-01-02T03:04:{:02}Z {{app=\"web\", pod=\"web-0\"}} {it}", n / 10 % 60)
    }),
    ("fluent-bit", |it, _| {
        format!(r#"[0] app.log: [[1767323045.123456789, {{}}], {{"log"=>{}}}]"#, quoted(it))
    }),
    ("a row", |it, n| format!("2026-01-02T03:04:{:02}Z,web-1,{}", n / 10 % 60, in_row(it))),
    ("a row, quoted", |it, n| {
        format!("\"2026-01-02T03:04:{:02}Z\",\"web-1\",{},\"\"", n / 10 % 60, in_row(it))
    }),
    ("a row with semicolons", |it, n| format!("{n};{}", in_row(it))),
    ("a quote behind", |it, _| format!("{it}\"")),
    ("a comma behind", |it, _| format!("{it},")),
    ("a field behind", |it, _| format!("{it} | host=web-1")),
    ("a mark of order", |it, n| if n == 0 { format!("\u{feff}{it}") } else { it.to_owned() }),
];

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

fn in_row(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// How the whole text is written.
type Encoding = fn(&str) -> Vec<u8>;

const ENCODINGS: [(&str, Encoding); 5] = [
    ("returns alone", |it| it.replace('\n', "\r").into_bytes()),
    ("UTF-8 with a mark", |it| format!("\u{feff}{it}").into_bytes()),
    ("UTF-16LE", |it| utf16(&format!("\u{feff}{it}"), u16::to_le_bytes)),
    ("UTF-16BE", |it| utf16(&format!("\u{feff}{it}"), u16::to_be_bytes)),
    ("UTF-16LE without a mark", |it| utf16(it, u16::to_le_bytes)),
];

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// What the program makes of a text.
fn answer(text: Vec<u8>) -> Result<Diagnosis, String> {
    let sets = logset::find(&["-"], Box::new(Cursor::new(text))).map_err(|it| it.to_string())?;
    let set = sets.first().expect("a set");
    let mut diagnosis = LogDiagnosis::new(Keep::All);
    let summary = set
        .events(&mut |_| ControlFlow::Continue(()), &mut |event| diagnosis.event(event))
        .map_err(|it| it.to_string())?;
    let input =
        InputSummary::of_log("-".into(), summary.bytes, &summary.counts, summary.lines_too_long);
    Ok(diagnosis.finish(InputSummary {
        wrapping: summary.wrapping,
        application_dates: summary.application_dates,
        ..input
    }))
}

/// What must not change: stops, collections.
type Numbers = (u64, Duration, Duration, Count);

fn numbers(of: &Diagnosis) -> Numbers {
    let all = of.statistics.all;
    (all.count, all.total, all.max, of.gc.as_ref().map(|it| it.pauses).unwrap_or_default())
}

/// What is wrong with the answer to a text that holds a log with these numbers, if anything.
fn wrong(text: Vec<u8>, wanted: &Numbers) -> Result<bool, String> {
    let of = answer(text)?;
    let found = numbers(&of);
    let verdict = report::verdict(&of);
    if wanted.0 > 0 && verdict.contains("No pause at all") {
        return Err(verdict);
    }
    if found == *wanted {
        return Ok(true);
    }
    match of.lost_of_log().is_some_and(Doubt::is_of_pauses) || of.cut_stop.is_some() {
        true => Ok(false),
        false => Err(format!("{found:?} in place of {wanted:?}")),
    }
}

fn logs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            logs(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The begin of each log that is read and reports pauses, with its numbers.
fn texts() -> Vec<(PathBuf, String, Numbers)> {
    let mut found = Vec::new();
    logs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/gclogs"), &mut found);
    if let Some(corpus) = std::env::var_os("WHYPAUSE_CORPUS") {
        logs(&PathBuf::from(corpus).join("logs"), &mut found);
    }
    found.sort();
    let text = |path: PathBuf| {
        let mut text = String::from_utf8(fs::read(&path).ok()?).ok()?;
        if text.len() > MOST_BYTES {
            let end = text.floor_char_boundary(MOST_BYTES);
            text.truncate(text[..end].rfind('\n')? + 1);
        }
        let numbers = numbers(&answer(text.clone().into_bytes()).ok()?);
        (numbers.0 > 0).then_some((path, text, numbers))
    };
    found.into_iter().filter_map(text).collect()
}

/// Says how many there were, and which are wrong.
fn judge(what: &str, results: Vec<Result<bool, String>>) {
    let all = results.len();
    let equal = results.iter().filter(|it| **it == Ok(true)).count();
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    #[expect(clippy::print_stdout, reason = "a test may")]
    {
        println!("{what}: {all}, of which {equal} equal, {} told", all - equal - wrong.len());
    }
    let shown = wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {all} are wrong:\n{shown}", wrong.len());
    assert!(equal * 100 >= all * 99, "a log that is whole is rarely told to lack lines");
}

#[test]
fn whatever_is_around_its_lines_a_log_keeps_its_numbers() {
    let mut results = Vec::new();
    for (path, text, numbers) in texts() {
        for (name, wrap) in LINES {
            let wrapped: String =
                text.lines().enumerate().map(|(n, it)| wrap(it, n) + "\n").collect();
            let result = wrong(wrapped.into_bytes(), &numbers);
            results.push(result.map_err(|it| format!("{} {name}: {it}", path.display())));
        }
        for (name, encode) in ENCODINGS {
            let result = wrong(encode(&text), &numbers);
            results.push(result.map_err(|it| format!("{} {name}: {it}", path.display())));
        }
    }
    judge("wrapped logs", results);
}

#[test]
fn a_log_that_was_cut_anywhere_tells_its_whole_lines_or_that_one_is_lost() {
    let mut results = Vec::new();
    for (path, text, _) in texts() {
        let mut random = text.len() as u64;
        for _ in 0..CUTS {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(random >> 33).expect("it fits") % text.len();
            let at = text.floor_char_boundary(at);
            let whole = text[..at].rfind('\n').map_or("", |end| &text[..=end]);
            let Ok(before) = answer(whole.as_bytes().to_vec()) else { continue };
            // With all of the line that was cut, if it can be read as it is.
            let after = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
            let after = answer(text.as_bytes()[..after].to_vec()).map(|it| numbers(&it));
            let cut = text.as_bytes()[..at].to_vec();
            let result = match wrong(cut.clone(), &numbers(&before)) {
                Err(_) if answer(cut).map(|it| numbers(&it)) == after => Ok(true),
                other => other,
            };
            results.push(result.map_err(|it| format!("{} cut at {at}: {it}", path.display())));
        }
    }
    judge("cut logs", results);
}
