//! Commands are read back by the shell of this machine: each word comes back as it went in.
use remedy::{Action, Command};
use std::{fs, process};

/// Names that others can choose, and what a shell would like to do with them.
const NAMES: [&str; 36] = [
    "plain",
    "",
    " ",
    "two words",
    " at the ends ",
    "job 7;curl http://x|sh",
    "a&&b",
    "a&b",
    "a|b",
    "a>b<c",
    "$(touch owned)",
    "`touch owned`",
    "$HOME",
    "${HOME}",
    "$'\\n'",
    "it's",
    "''",
    "'",
    "\"",
    "\"$(id)\"",
    "a\\b",
    "end\\",
    "\\\\'\\",
    "\\';id;'",
    "*",
    "[a-z]?",
    "{a,b}",
    "~root",
    "-rf",
    "--",
    "--help",
    "#comment",
    "!history",
    "=ls",
    "A=b",
    "größe.日本",
];

/// Control characters, marks that reorder text or have no width, and what stands for lost bytes.
const UNFIT: [&str; 16] = [
    "a\nid",
    "a\rb",
    "a\tb",
    "a\u{0}b",
    "\u{1b}[2J",
    "a\u{7f}",
    "a\u{85}b",
    "a\u{9b}31m",
    "a\u{a0}b",
    "a\u{ad}b",
    "a\u{200b}b",
    "a\u{202e}b",
    "a\u{2066}b",
    "a\u{2028}b",
    "a\u{feff}b",
    "a\u{fffd}b",
];

/// No shell takes this long for a line.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(300);

/// One word as it is typed.
fn quoted(word: &str) -> Option<String> {
    let line = Command::new("x").arg(word).typed()?;
    Some(line.strip_prefix("x ").expect("the program and a space").to_owned())
}

/// What a shell makes of a line: the arguments that a program would get.
fn words_in_a_shell(shell: &str, line: &str) -> Vec<String> {
    let script = format!("f() {{ printf '%s\\0' \"$@\"; }}\nf {line}\n");
    let mut command = spawn::command(shell);
    command.arg("-c").arg(script);
    let ran = spawn::run(command, PATIENCE).expect("a shell");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{shell}: {line}: {ran:?}");
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn every_word_comes_back_from_a_shell_as_it_went_in() {
    for shell in ["sh", "bash"] {
        for name in NAMES {
            let command = Command::new("program").arg(name).arg(format!("of={name}"));
            let line = command.typed().expect("it can be copied");
            assert_eq!(words_in_a_shell(shell, &line), command.argv(), "{line}");
            assert_eq!(Action::run([command]).to_string(), line);
        }
        let all = Action::flags(NAMES);
        assert_eq!(words_in_a_shell(shell, &all.to_string()), all.jvm_flags());
    }
}

#[test]
fn every_character_comes_back_from_a_shell_or_makes_no_command() {
    let all: Vec<char> = (1..=0x2_ffff).filter_map(char::from_u32).collect();
    let (fit, unfit): (Vec<char>, Vec<char>) =
        all.iter().partition(|c| quoted(&c.to_string()).is_some());
    assert!(unfit.contains(&'\n') && unfit.contains(&'\u{2066}') && fit.contains(&'\\'));
    // A system takes no argument above 128 KiB.
    for some in fit.chunks(16_000) {
        let word: String = some.iter().collect();
        assert_eq!(words_in_a_shell("sh", &quoted(&word).expect("fit")), [word]);
    }
}

#[test]
fn words_of_safe_characters_stay_bare() {
    let check = |word: &str, expected: &str| assert_eq!(quoted(word).as_deref(), Some(expected));
    check("/var/log/gc-%p.log", "/var/log/gc-%p.log");
    check("output_options=filecount=2,filesize=8m", "output_options=filecount=2,filesize=8m");
    check("-XX:+UseG1GC", "-XX:+UseG1GC");
    check("gc*", "'gc*'");
    check("it's", r"'it'\''s'");
    check("", "''");
}

/// One word as fish reads it: between single quotes it knows `\'` and `\\`.
fn word_in_fish(text: &str) -> String {
    let (mut word, mut quoted, mut rest) = (String::new(), false, text.chars());
    while let Some(c) = rest.next() {
        let next = rest.as_str().chars().next();
        match c {
            '\'' => quoted = !quoted,
            '\\' if !quoted || matches!(next, Some('\'' | '\\')) => word.extend(rest.next()),
            c => {
                assert!(quoted || c.is_alphanumeric() || "/._-=,:+%".contains(c), "{text}: {c}");
                word.push(c);
            }
        }
    }
    assert!(!quoted, "{text}: open at its end");
    word
}

#[test]
fn every_word_comes_back_where_backslashes_count_between_quotes() {
    for name in NAMES {
        assert_eq!(word_in_fish(&quoted(name).expect("fit")), name);
    }
    assert_eq!(word_in_fish(r"'it'\''s'"), "it's");
}

#[test]
fn a_value_arrives_in_the_file_and_nothing_else_happens() {
    let folder = std::env::temp_dir().join(format!("whypause-action-{}", process::id()));
    fs::create_dir(&folder).expect("a folder");
    for (value, name) in
        NAMES.iter().map(|it| ("100000", it)).chain(NAMES.iter().map(|it| (*it, &"x")))
    {
        let path = folder.join(format!("cpu.max{name}").replace('/', "_"));
        let action = Action::write(value, path.to_str().expect("UTF-8"));
        let mut shell = spawn::command("sh");
        shell.arg("-c").arg(action.to_string()).current_dir(&folder);
        let ran = spawn::run(shell, PATIENCE).expect("a shell");
        assert!(ran.status.success() && ran.stdout.is_empty() && ran.stderr.is_empty(), "{action}");
        assert_eq!(fs::read_to_string(&path).expect("written"), format!("{value}\n"), "{action}");
        fs::remove_file(&path).expect("removed");
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 0, "{action}");
    }
    fs::remove_dir(&folder).expect("removed");
}

#[test]
fn what_cannot_be_copied_is_reported_in_one_line_and_makes_no_command() {
    for name in UNFIT {
        let actions = [
            Action::run([Command::new("cat").arg("fine"), Command::new("cat").arg(name)]),
            Action::write("0", format!("/sys/fs/cgroup/{name}/cpu.max")),
            Action::write(name, "/sys/fs/cgroup/cpu.max"),
            Action::flags(["-Xlog:async", name]),
        ];
        for action in actions {
            let text = action.to_string();
            assert!(action.is_said() && action.commands().is_empty(), "{text}");
            assert!(action.jvm_flags().is_empty() && action.setting().is_none(), "{text}");
            assert!(quoted(&text).is_some(), "{text:?}");
            assert!(text.starts_with("No ") && text.contains(r"\u{"), "{text}");
        }
        assert!(quoted(&Action::say(name).to_string()).is_some());
        assert_eq!(Command::new("cat").arg(name).typed(), None);
    }
}

/// `’` becomes `'` there, and would end the quotes.
#[test]
fn a_screen_for_ascii_gets_no_command_with_other_characters() {
    let action = Action::run([Command::new("cat").arg("x’;id;’")]);
    assert_eq!(action.to_string(), "cat 'x’;id;’'");
    let text = action.in_ascii().to_string();
    assert!(action.in_ascii().is_said() && text.is_ascii() && !text.contains("x'"), "{text}");
    let plain = Action::run([Command::new("cat").arg("x;id")]);
    assert_eq!(plain.in_ascii(), plain);
}

#[test]
fn a_path_is_no_option_and_a_filter_follows() {
    let typed = |command: Command| command.typed().expect("it can be copied");
    assert_eq!(typed(Command::new("cat").path("-rf")), "cat ./-rf");
    assert_eq!(typed(Command::new("cat").path("/a b")), "cat '/a b'");
    assert_eq!(typed(Command::new("cat").arg("a").through(&["grep", "maps"])), "cat a | grep maps");
}
