//! A command is a list of words and never text: `remedy::Command`, rendered in one file.
use super::{ask_of_all, blank};
use crate::tree::rust_files;

/// Where words become text.
const RENDERER: &str = "crates/remedy/src/action";

/// The crates that say something to people who may copy it.
const SPEAKING: [&str; 5] = ["diagnose", "logset", "recorder", "report", "whypause"];

/// Programs that are advised.
const PROGRAMS: [&str; 19] = [
    "asprof", "bash", "bpftrace", "cat", "cp", "dd", "echo", "grep", "jcmd", "kill", "mount",
    "mpstat", "nsenter", "printf", "rm", "sh", "sudo", "sysctl", "whypause",
];

/// What takes one word.
const ONE_WORD: [&str; 2] = ["Command::new(", "Action::flag("];

/// Complains of commands that are put together as text, of several words where one is taken, and of
/// quotes for a shell, outside of the renderer.
fn commands_as_text(path: &str, text: &str) -> Vec<String> {
    let literals = blank::product_literals(text);
    let complaints = literals.iter().flat_map(|&(at, literal)| {
        let before = text[..at].trim_end();
        let line = text[..at].lines().count().max(1);
        let complaint = move |what: &str| format!("{path}:{line}: {what}: \"{literal}\"");
        let mut found = Vec::new();
        if parts(literal).any(|it| is_filled_in(it) && begins_as_command(it)) {
            found.push(complaint("a command as text, use `remedy::Command`"));
        }
        if before.ends_with("Action::say(") && begins_as_command(literal) {
            found.push(complaint("a command as a phrase, use `Action::run`"));
        }
        if is_filled_in(literal) && (literal.contains(" > /") || literal.contains(" > {")) {
            found.push(complaint("a redirection as text, use `Action::write`"));
        }
        if ONE_WORD.iter().any(|it| before.ends_with(it)) && literal.contains(' ') {
            found.push(complaint("several words where one is taken"));
        }
        if literal.contains(r"'\''") || literal.contains(r"'\\''") {
            found.push(complaint("quotes for a shell, which `remedy::Command` writes"));
        }
        found
    });
    complaints.collect()
}

/// Whether something is put into it: a brace that is neither doubled nor a shell's.
fn is_filled_in(literal: &str) -> bool {
    literal.replace("{{", "").replace("${", "").contains('{')
}

/// What could be a command of its own: the text, and what follows a mark in it.
fn parts(literal: &str) -> impl Iterator<Item = &str> {
    literal.split(['`', ';', '|', ':', '(', '&', '\n']).flat_map(|it| it.split("\\n"))
}

/// Whether it begins with a program and an argument.
fn begins_as_command(text: &str) -> bool {
    let Some((first, rest)) = text.trim_start().split_once(' ') else { return false };
    let program = first.rsplit('/').next().unwrap_or(first);
    PROGRAMS.contains(&program) && !rest.is_empty()
}

mod tests {
    use super::*;

    #[test]
    fn no_command_is_put_together_as_text() {
        let ours = rust_files().into_iter().filter(|file| {
            file.path.starts_with("crates/")
                && SPEAKING.contains(&file.crate_name())
                && !file.path.starts_with(RENDERER)
                && !file.path.contains("/tests/")
                && file.stem() != "tests"
        });
        ask_of_all(&ours.collect::<Vec<_>>(), |file| commands_as_text(&file.path, &file.text));
    }

    #[track_caller]
    fn check(text: &str, wanted: usize) {
        let found = commands_as_text("a.rs", text);
        assert_eq!(found.len(), wanted, "{text}: {found:?}");
    }

    #[test]
    fn commands_with_something_in_them_are_found() {
        check(r#"format!("jcmd {pid} VM.log")"#, 1);
        check(r#"format!("sudo whypause record -p {pid}")"#, 1);
        check(r#"say(&format!("next: whypause explain {}", path))"#, 1);
        check(r#"format!("try `cat {path}`")"#, 1);
        check("format!(\"x\\njcmd {pid} GC.run\")", 1);
        check(r#"format!("/opt/bin/jcmd {pid}")"#, 1);
        check(r#"let a = "echo {quota} > {path}";"#, 2);
        check(r#"format!("{value} > /sys/fs/cgroup{path}")"#, 1);
        check(r#"Action::say("sysctl vm.swappiness=1")"#, 1);
    }

    #[test]
    fn several_words_are_found_where_one_is_taken() {
        check(r#"Command::new("jcmd 42")"#, 1);
        check(r#"Action::flag("-XX:+A -XX:+B")"#, 1);
        check(r#"Action::flag("-XX:+A")"#, 0);
        check(r#"Command::new("bpftrace").arg("a script")"#, 0);
    }

    #[test]
    fn a_second_way_to_quote_is_found() {
        check(r##"word.replace('\'', "'\\''")"##, 1);
        check(r##"word.replace('\'', r"'\''")"##, 1);
    }

    #[test]
    fn words_and_prose_are_fine() {
        check(r#"Command::new("jcmd").arg(pid.to_string()).arg("VM.log")"#, 0);
        check(r#"format!("raise the memory limit of {path}")"#, 0);
        check(r#"Action::say(format!("let {method} poll"))"#, 0);
        check(r#"("bzcat FILE | whypause explain -", "cat FILE")"#, 0);
        check(r#"format!("did you mean `{near}`? `whypause cause` lists all")"#, 0);
        check(r#"format!("{gap}==> {} <==")"#, 0);
        check(r#"const HELP: &str = "whypause man > ${HOME}/man";"#, 0);
        check(r#"format!("the echo of {name}, and {{cat}}")"#, 0);
        check(
            "// format!(\"jcmd {pid} x\")\n#[cfg(test)]\nmod t { fn f() { g(\"jcmd {pid} x\") } }",
            0,
        );
    }
}
