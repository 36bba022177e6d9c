//! What is reported of a process's command line: the program, and at most the script or the main class
//! that it runs. Arguments hold secrets, and are not needed to find a process again.
use super::{launch, process::ProcessDir};
use recording::{masked, runs_scripts};

/// Read of a command line: Java's main class comes after its flags.
const READ_BYTES: u64 = 4096;
/// Kept of it.
const KEPT_BYTES: usize = 256;

/// Options of interpreters that have no value and may stand before the script.
const SIMPLE_OPTIONS: [&str; 9] = ["-u", "-x", "-w", "-B", "-E", "-O", "-s", "-l", "--"];

/// Reads it of one process; empty where it is gone or has none, as threads of the kernel.
pub(crate) fn of(dir: &ProcessDir) -> String {
    kept(&dir.bytes("cmdline", READ_BYTES).unwrap_or_default())
}

/// Of `/proc/PID/cmdline` the first word, and the script's or main class's name.
pub(crate) fn kept(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut arguments = text.split('\0');
    // What has changed its own title has put all of it into the first argument.
    let first = arguments.next().unwrap_or_default();
    let program = first.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    let arguments: Vec<String> = arguments.filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let script = match name {
        "java" => launch::parse(&arguments, &mut |_| None).main,
        name if runs_scripts(name) => script(&arguments),
        _ => String::new(),
    };
    let reported =
        if script.is_empty() { program.to_owned() } else { format!("{program} {script}") };
    cut(masked(&reported), KEPT_BYTES)
}

/// The file's name alone. What is no plain word is a program in an argument, or a secret.
fn script(arguments: &[String]) -> String {
    // `--max-old-space-size=4096` has its value in it.
    let is_option = |it: &&String| {
        SIMPLE_OPTIONS.contains(&it.as_str()) || (it.starts_with("--") && it.contains('='))
    };
    let mut rest = arguments.iter().skip_while(is_option).peekable();
    let module = rest.next_if(|it| *it == "-m").is_some();
    let plain = |it: &&String| {
        !it.starts_with('-')
            && !it.contains(|c: char| c.is_whitespace() || "=;|&$(){}<>@".contains(c))
    };
    let path = rest.next().filter(plain).map_or("", String::as_str);
    let name = path.rsplit('/').next().unwrap_or_default();
    if module && !name.is_empty() { format!("-m {name}") } else { name.to_owned() }
}

/// Cuts a text at a number of bytes, at a character's border.
pub(crate) fn cut(mut text: String, limit_bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(limit_bytes));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: &str) {
        assert_eq!(kept(arguments.replace('|', "\0").as_bytes()), expected);
    }

    #[test]
    fn of_a_program_its_name_is_kept() {
        check("dd|if=/dev/zero|of=/data/big|", "dd");
        check("/usr/bin/mysqldump|-phunter2|--all|", "/usr/bin/mysqldump");
        check("nginx: worker --token hunter2", "nginx:");
        check("", "");
    }

    #[test]
    fn of_an_interpreter_the_scripts_name_is_kept_too() {
        check("/bin/sh|/etc/cron.daily/backup|hunter2|", "/bin/sh backup");
        check("python3.11|-u|./load.py|--token|hunter2|", "python3.11 load.py");
        check("perl|--|a.pl|hunter2", "perl a.pl");
        check("python3|-u|-m|http.server|8000", "python3 -m http.server");
        check("node|--max-old-space-size=4096|/srv/app.js|hunter2", "node app.js");
    }

    #[test]
    fn a_program_in_an_argument_is_not_kept() {
        check("bash|-c|curl -u joe:hunter2 host|", "bash");
        check("sh|-x|curl hunter2|", "sh");
        check("python3|-W|hunter2|x.py|", "python3");
        check("node|TOKEN=hunter2|", "node");
        check("node|--token=hunter2|", "node");
        check("python3|-m|", "python3");
    }

    #[test]
    fn of_another_jvm_the_main_class_or_jar_is_kept() {
        check("java|-Ddb.password=hunter2|-cp|/a|org.Main|--token|hunter2|", "java org.Main");
        check("/j/bin/java|-jar|/opt/orders.jar|hunter2|", "/j/bin/java orders.jar");
        check("java|@/etc/opts|", "java");
    }

    #[test]
    fn it_is_short_whatever_a_process_calls_itself() {
        check(&"é".repeat(4_000), &"é".repeat(128));
    }
}
