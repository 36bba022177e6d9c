//! Names that an attacker chose so that root runs them: of a control group, a file, a log, a program, a
//! thread. They are put into real recordings, and the answer is read as a shell would read it.
use diagnose::{Diagnosis, diagnose_facts};
use recording::{Facts, Recording};
use report::{Options, Style, json, line, markdown, terminal};
use serde_json::Value;
use std::{fs, path::Path};

/// To be seen where a line begins, or outside of quotes: then it would be run.
const OWNED: &str = "OWNED";

/// They can stand in a command, if it is quoted.
const TO_QUOTE: [&str; 8] = [
    "job 7;OWNED http://x|sh",
    "$(OWNED)",
    "`OWNED`",
    "it's;OWNED;'",
    "a\";OWNED",
    "-rf --OWNED",
    "a\\';OWNED;\\",
    "x’;OWNED;’",
];

/// They can stand in none.
const UNQUOTABLE: [&str; 6] = [
    "a\nOWNED now",
    "a\r\n- fix, now: OWNED\n\n      OWNED",
    "a\u{1b}[2K\u{1b}[1GOWNED",
    "a\u{85}OWNED",
    "a\u{202e}OWNED",
    "a\u{2066}OWNED\u{fffd}",
];

/// The facts of each recording of a fault.
fn recordings() -> Vec<(String, Facts)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recordings");
    let entries =
        fs::read_dir(folder).expect("the folder is there").map(|it| it.expect("an entry"));
    let folders = entries.map(|it| it.path()).filter(|it| it.is_dir());
    let mut found: Vec<(String, Facts)> = folders
        .map(|it| {
            let recording = Recording::open(&it.join("recording")).expect("it opens");
            (it.display().to_string(), recording.facts)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The facts where all that a user of the host can name has this in its name.
fn named(facts: &Facts, name: &str) -> Facts {
    let mut facts = facts.clone();
    let put = |text: &mut String| *text = format!("/{name}{text}");
    if let Some(jvm) = &mut facts.jvm {
        put(&mut jvm.gc_log);
        put(&mut jvm.libjvm);
        jvm.main = name.to_owned();
        jvm.cgroup = format!("/{name}");
        jvm.pid_in_namespace = jvm.pid + 1;
        jvm.flags.push(format!("-Xlog:gc,{name}:file=/{name}:{name}"));
        jvm.flags.push(format!("-Xlog:gc,{name}:stdout:{name}"));
    }
    if let Some(cgroup) = &mut facts.cgroup {
        put(&mut cgroup.cpu_path);
        put(&mut cgroup.memory_path);
    }
    for file in &mut facts.files {
        put(&mut file.path);
        name.clone_into(&mut file.device_name);
    }
    facts.threads.iter_mut().for_each(|it| it.name = format!("{} {name}", it.name));
    for writer in &mut facts.writers {
        name.clone_into(&mut writer.name);
        name.clone_into(&mut writer.command_line);
        put(&mut writer.path);
    }
    for user in &mut facts.memory {
        name.clone_into(&mut user.name);
        name.clone_into(&mut user.command_line);
    }
    for reader in &mut facts.output_readers {
        name.clone_into(&mut reader.name);
        name.clone_into(&mut reader.command_line);
    }
    facts.outputs.iter_mut().for_each(|it| put(&mut it.name));
    facts.code.iter_mut().for_each(|it| it.method = name.to_owned());
    facts
}

fn remedies(diagnosis: &Diagnosis) -> Vec<Value> {
    let mut out = Vec::new();
    json::write(diagnosis, &mut &diagnosis.pauses[..], &Options::default(), &mut out)
        .expect("a Vec takes all");
    let answer: Value = serde_json::from_slice(&out).expect("JSON");
    let causes = answer["causes"].as_array().expect("causes");
    causes.iter().flat_map(|it| it["remedies"].as_array().expect("remedies").clone()).collect()
}

fn words(value: &Value) -> Vec<String> {
    let words = value.as_array().expect("words").iter();
    words.map(|it| it.as_str().expect("text").to_owned()).collect()
}

/// The words that a program gets from a line. Where the line were more than words, something else
/// would run here, fail, and be seen.
fn words_in_a_shell(line: &str) -> Vec<String> {
    // The filter is a constant of `find-who-stops`, and no program is found here.
    let line =
        line.strip_suffix(" | grep -E 'freezes|freezer.state|cgroup.freeze'").unwrap_or(line);
    let script = format!("f() {{ printf '%s\\0' \"$@\"; }}; f {line}");
    let mut command = spawn::command("/bin/sh");
    command.arg("-c").arg(script).env("PATH", "");
    let ran = spawn::run(command, std::time::Duration::from_secs(600)).expect("a shell");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{line}: {ran:?}");
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// What is behind `fix` is what JSON has as words. Tells how many commands and settings have the
/// name in them.
fn check_words(remedy: &Value) -> usize {
    let action = remedy["action"].as_str().expect("text");
    let commands: Vec<Vec<String>> =
        remedy["commands"].as_array().expect("commands").iter().map(words).collect();
    let flags = words(&remedy["flags"]);
    if let Some(path) = remedy["setting"]["path"].as_str() {
        let (echo, file) = action.split_once(" > ").expect("a redirection");
        assert_eq!(
            words_in_a_shell(echo),
            ["echo", remedy["setting"]["value"].as_str().expect("text")]
        );
        assert_eq!(words_in_a_shell(file), [path]);
        return usize::from(path.contains(OWNED));
    }
    if !flags.is_empty() {
        assert_eq!(words_in_a_shell(action), flags);
    }
    if !commands.is_empty() {
        let lines = action.lines().map(|it| it.trim_end_matches(" | grep maps"));
        assert_eq!(lines.map(words_in_a_shell).collect::<Vec<_>>(), commands);
    }
    commands.iter().chain([&flags]).filter(|it| it.iter().any(|it| it.contains(OWNED))).count()
}

/// No line that could be copied begins with what was smuggled in, and nothing steers the terminal.
fn check_lines(diagnosis: &Diagnosis) {
    let plain = Options { full: true, ..Options::default() };
    let ascii = Options { style: Style { unicode: false, ..Style::PLAIN }, ..plain.clone() };
    for text in [terminal::render(diagnosis, &plain), terminal::render(diagnosis, &ascii)] {
        no_control(&text);
        // Only there nothing is wrapped but sentences.
        let fixes = text.split("\n   fix    ").skip(1);
        fixes.for_each(|it| no_line_of_theirs(it.split("\n   more").next().unwrap_or(it)));
    }
    let text = markdown::render(diagnosis, &plain);
    no_control(&text);
    no_line_of_theirs(&text);
    for pause in diagnosis.pauses.iter().take(3) {
        no_control(&line::render(diagnosis, pause, &plain));
    }
}

fn no_control(text: &str) {
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[track_caller]
fn no_line_of_theirs(text: &str) {
    for line in text.lines() {
        let bare = line.trim_start_matches([' ', '-', '>', '*']);
        assert!(
            !bare.starts_with(OWNED) && !bare.starts_with("fix, now: OWNED"),
            "{line}\nin\n{text}"
        );
    }
}

#[test]
fn a_name_with_signs_of_a_shell_stays_one_word() {
    for name in TO_QUOTE {
        let mut seen = 0;
        for (_, facts) in recordings() {
            let diagnosis = diagnose_facts(&named(&facts, name));
            seen += remedies(&diagnosis).iter().map(check_words).sum::<usize>();
            check_lines(&diagnosis);
        }
        assert!(seen >= 4, "{name} was in {seen} commands");
    }
}

#[test]
fn a_name_with_control_characters_is_reported_and_makes_no_command() {
    for name in UNQUOTABLE {
        let mut reported = 0;
        for (_, facts) in recordings() {
            let diagnosis = diagnose_facts(&named(&facts, name));
            let remedies = remedies(&diagnosis);
            assert_eq!(remedies.iter().map(check_words).sum::<usize>(), 0, "{name:?}");
            let actions = remedies.iter().map(|it| it["action"].as_str().expect("text"));
            reported += actions.filter(|it| it.starts_with("No ") && it.contains(r"\u{")).count();
            check_lines(&diagnosis);
        }
        assert!(reported >= 4, "{name:?} was told {reported} times");
    }
}

/// A sign that is quoted well in Unicode must not become a quote where there is only ASCII.
#[test]
fn a_typographic_quote_opens_none_on_a_screen_for_ascii() {
    let ascii = Options {
        style: Style { unicode: false, ..Style::PLAIN },
        full: true,
        ..Options::default()
    };
    let mut refused = 0;
    for (_, facts) in recordings() {
        let diagnosis = diagnose_facts(&named(&facts, "x’;OWNED;’"));
        let text = terminal::render(&diagnosis, &ascii);
        let commands = text.lines().filter(|it| it.contains("echo ") || it.contains("VM.log "));
        for line in commands.filter(|it| it.contains(OWNED)) {
            assert!(line.contains("No ") || line.contains('`'), "{line}");
        }
        refused += text.matches("No command is given").count();
    }
    assert!(refused >= 3, "{refused}");
}

/// Every character that a command may have is shown as it is.
#[test]
fn what_may_stand_in_a_command_is_not_changed_on_its_way_to_the_screen() {
    for c in (0..=0x3_ffff).filter_map(char::from_u32) {
        if let Some(text) = remedy::Command::new("cat").arg(c).typed() {
            assert_eq!(report::text::clean(&text), text);
        }
    }
}
