//! What a JVM's version and flags allow to be advised.
use crate::{Action, Command};
use recording::JvmFact;

/// The feature version: 17 of `17.0.15+6`, 8 of `1.8.0_412`.
pub(crate) fn feature_version(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        feature => Some(feature),
    }
}

/// Whether a flag was given exactly so.
pub(crate) fn has(jvm: &JvmFact, flag: &str) -> bool {
    jvm.flags.iter().any(|it| it == flag)
}

/// Whether the log is written asynchronously: `-Xlog:async`, or `-Xlog:async:drop` and
/// `-Xlog:async:stall` of later JDKs.
pub(crate) fn has_async_log(jvm: &JvmFact) -> bool {
    jvm.flags.iter().any(|it| it == "-Xlog:async" || it.starts_with("-Xlog:async:"))
}

/// The parts of the `-Xlog` option that writes to a file: what, decorators, options.
struct LogOption<'a> {
    what: &'a str,
    decorators: &'a str,
    options: &'a str,
}

/// The last `-Xlog` option with a file, as the JVM reads it: `-Xlog:what:output:decorators:options`.
/// A quoted file name may hold colons.
fn log_option(jvm: &JvmFact) -> LogOption<'_> {
    let fallback =
        LogOption { what: "gc*,safepoint", decorators: "time,uptime,level,tags", options: "" };
    let of_file = |flag: &'_ &String| {
        flag.strip_prefix("-Xlog:").and_then(|it| it.split_once(':')).is_some_and(|(_, output)| {
            let kind = output.split(':').next().unwrap_or_default();
            !kind.is_empty()
                && kind != "stdout"
                && kind != "stderr"
                && !flag.starts_with("-Xlog:async")
        })
    };
    let Some(flag) = jvm.flags.iter().rev().find(of_file) else { return fallback };
    let Some((what, output)) = flag["-Xlog:".len()..].split_once(':') else { return fallback };
    let rest = after_file(output);
    let (decorators, options) = rest.split_once(':').unwrap_or((rest, ""));
    LogOption {
        what: if what.is_empty() { fallback.what } else { what },
        decorators: if decorators.is_empty() { fallback.decorators } else { decorators },
        options,
    }
}

/// What follows the file name in `file=NAME:decorators:options` or `"file=NAME"…`.
fn after_file(output: &str) -> &str {
    let name = output.strip_prefix("file=").unwrap_or(output);
    match name.strip_prefix('"').and_then(|it| it.split_once('"')) {
        Some((_, rest)) => rest.strip_prefix(':').unwrap_or(rest),
        None => name.split_once(':').map_or("", |(_, rest)| rest),
    }
}

/// The name for a log in another directory: the one it has, unless the JVM would read more than a
/// name into it (`%t`, a colon, a quote) or refuse it (before JDK 9, anything else).
fn file_name(jvm: &JvmFact) -> String {
    let name = jvm.gc_log.rsplit('/').next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain) {
        return name.to_owned();
    }
    format!("gc-{}.log", jvm.pid_in_namespace)
}

/// A log in memory must be bounded, whatever it was on disk.
const BOUND: &str = "filecount=2,filesize=8m";

/// `jcmd` and the JVM's pid. Of a JVM in a container its own `jcmd`, run inside: the attach
/// mechanism asks for one user on both ends, and a user namespace makes even root another.
pub(crate) fn jcmd(jvm: &JvmFact) -> Command {
    let JvmFact { pid, pid_in_namespace: inside, .. } = jvm;
    if !is_contained(jvm) {
        return Command::new("jcmd").arg(pid.to_string());
    }
    // nsenter has the host's PATH.
    let home = jvm.libjvm.strip_suffix("/lib/server/libjvm.so");
    let program = home.map_or("jcmd".into(), |home| format!("{home}/bin/jcmd"));
    Command::new("nsenter")
        .arg("-t")
        .arg(pid.to_string())
        .arg("-a")
        .path(&program)
        .arg(inside.to_string())
}

fn is_contained(jvm: &JvmFact) -> bool {
    jvm.pid_in_namespace != 0 && jvm.pid_in_namespace != jvm.pid
}

/// What to know before [`jcmd`] is run: in a container it is a program of the image, with the rights
/// of the host's root.
pub(crate) fn whose_jcmd(jvm: &JvmFact) -> &'static str {
    if is_contained(jvm) {
        "; this runs a program of the container as root: where you do not trust its image, use docker exec or kubectl exec"
    } else {
        ""
    }
}

/// `VM.log` with these settings. The JVM gets them as one line and takes it apart at spaces, except
/// between quotes around a whole value (HotSpot `services/diagnosticFramework.cpp`, `DCmdArgIter`).
/// `None` where there is no way to write a value.
fn vm_log(jcmd: Command, settings: &[(&str, &str)]) -> Option<Command> {
    let setting = |(name, value): &(&str, &str)| match value.contains([' ', '\'', '"']) {
        false => Some(format!("{name}={value}")),
        true if value.contains('"') || value.ends_with('\\') => None,
        true => Some(format!("{name}=\"{value}\"")),
    };
    let settings: Option<Vec<String>> = settings.iter().map(setting).collect();
    Some(jcmd.arg("VM.log").args(settings?))
}

/// All of the commands, or a sentence where one cannot be written.
fn all_of<const N: usize>(commands: [Option<Command>; N], what: &str) -> Action {
    match commands.into_iter().collect::<Option<Vec<_>>>() {
        Some(commands) => Action::run(commands),
        None => Action::impossible("jcmd", what),
    }
}

/// The path under which the host finds a file of a JVM in a container.
pub(crate) fn path_here(jvm: Option<&JvmFact>, path: &str) -> String {
    match jvm.filter(|it| is_contained(it)) {
        Some(jvm) => format!("/proc/{}/root{path}", jvm.pid),
        None => path.to_owned(),
    }
}

/// The commands that move the log of a running JVM (JDK 9 and later) into `directory`: first the
/// new output, then the old one off. HotSpot `logging/logDiagnosticCommand.cpp` (`VM.log`).
pub(crate) fn move_log_commands(jvm: &JvmFact, directory: &str) -> Action {
    let option = log_option(jvm);
    let new = vm_log(
        jcmd(jvm),
        &[
            ("output", &format!("file={directory}/{}", file_name(jvm))),
            ("what", option.what),
            ("decorators", option.decorators),
            ("output_options", BOUND),
        ],
    );
    if jvm.gc_log.is_empty() {
        return all_of([new], option.what);
    }
    let old = format!("file={}", jvm.gc_log);
    let off = vm_log(jcmd(jvm), &[("output", &old), ("what", "all=off")]);
    all_of([new, off], &jvm.gc_log)
}

/// What a log on a standard stream selects, and with which decorators: of the last `-Xlog` option
/// without a file.
fn stream_option(jvm: &JvmFact) -> (&str, &str) {
    let fallback = ("gc*,safepoint", "time,uptime,level,tags");
    let option = |flag: &'_ String| -> Option<(usize, usize)> {
        let rest = flag.strip_prefix("-Xlog:")?;
        let mut parts = rest.splitn(4, ':');
        let (what, output) = (parts.next()?, parts.next().unwrap_or_default());
        let stream = matches!(output, "" | "stdout" | "stderr" | "#0" | "#1");
        let decorators = parts.next().unwrap_or_default();
        let plain = !matches!(what, "" | "async" | "disable" | "help");
        (stream && plain).then_some((what.len(), decorators.len()))
    };
    let Some((flag, (what, decorators))) =
        jvm.flags.iter().rev().find_map(|it| Some((it, option(it)?)))
    else {
        return fallback;
    };
    let rest = &flag["-Xlog:".len()..];
    let given = rest.split(':').nth(2).unwrap_or_default();
    (&rest[..what], if decorators == 0 { fallback.1 } else { given })
}

/// The commands that take the log of a running JVM (JDK 9 and later) off a standard stream: first a
/// file in `directory`, which also gets the warnings that the stream had, then the stream off.
pub(crate) fn leave_stream_commands(jvm: &JvmFact, stream: &str, directory: &str) -> Action {
    let (what, decorators) = stream_option(jvm);
    let jcmd = || Command::new("jcmd").arg(jvm.pid.to_string());
    let new = vm_log(
        jcmd(),
        &[
            ("output", &format!("file={directory}/gc-{}.log", jvm.pid_in_namespace)),
            ("what", &with_warnings(what)),
            ("decorators", decorators),
            ("output_options", BOUND),
        ],
    );
    let off = vm_log(jcmd(), &[("output", stream), ("what", "all=off")]);
    all_of([new, off], what)
}

/// The start flags that do the same. `-Xlog:disable` takes back what earlier flags turned on, and
/// the default warnings on standard output.
pub(crate) fn leave_stream_flags(jvm: &JvmFact, directory: &str) -> Action {
    if feature_version(&jvm.version).is_some_and(|it| it < 9) {
        let log = format!("-Xloggc:{directory}/gc-%p.log");
        let rotation =
            ["-XX:+UseGCLogFileRotation", "-XX:NumberOfGCLogFiles=2", "-XX:GCLogFileSize=8M"];
        return Action::flags(std::iter::once(log).chain(rotation.map(str::to_owned)));
    }
    let (what, decorators) = stream_option(jvm);
    let log =
        format!("-Xlog:{}:file={directory}/gc-%p.log:{decorators}:{BOUND}", with_warnings(what));
    Action::flags(["-Xlog:disable".to_owned(), log])
}

/// A later part of a selection overrides an earlier one for the tags that both name.
fn with_warnings(what: &str) -> String {
    format!("all=warning,{what}")
}

/// The start flag that writes the log into `directory`.
pub(crate) fn log_flag_in(jvm: &JvmFact, directory: &str) -> Action {
    let file = format!("{directory}/{}", file_name(jvm));
    if feature_version(&jvm.version).is_some_and(|it| it < 9) {
        return Action::flag(format!("-Xloggc:{file}"));
    }
    let option = log_option(jvm);
    let tail =
        if option.options.is_empty() { String::new() } else { format!(":{}", option.options) };
    Action::flag(format!("-Xlog:{}:file={file}:{}{tail}", option.what, option.decorators))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jvm(flags: &str, log: &str) -> JvmFact {
        JvmFact {
            pid: 42,
            version: "17.0.15+6".into(),
            flags: flags.split_whitespace().map(str::to_owned).collect(),
            gc_log: log.into(),
            ..JvmFact::default()
        }
    }

    #[test]
    fn feature_versions_of_all_ages() {
        assert_eq!(feature_version("17.0.15+6-Debian"), Some(17));
        assert_eq!(feature_version("1.8.0_412-b08"), Some(8));
        assert_eq!(feature_version("25+36"), Some(25));
        assert_eq!(feature_version(""), None);
    }

    #[test]
    fn asynchronous_in_every_spelling() {
        assert!(has_async_log(&jvm("-Xlog:async", "")));
        assert!(has_async_log(&jvm("-Xlog:async:stall", "")));
        assert!(!has_async_log(&jvm("-Xlog:gc:file=async.log", "")));
    }

    #[test]
    fn a_log_is_moved_with_its_selection_and_decorators() {
        let jvm = jvm(
            "-Xlog:gc*,safepoint:file=/var/log/gc.log:tn,tags:filecount=5,filesize=1m",
            "/var/log/gc.log",
        );
        assert_eq!(
            move_log_commands(&jvm, "/dev/shm").to_string(),
            "jcmd 42 VM.log output=file=/dev/shm/gc.log 'what=gc*,safepoint' decorators=tn,tags output_options=filecount=2,filesize=8m\n\
             jcmd 42 VM.log output=file=/var/log/gc.log what=all=off"
        );
    }

    #[test]
    fn a_jvm_in_a_container_is_asked_from_inside() {
        let jvm = |libjvm: &str, inside| JvmFact {
            libjvm: libjvm.into(),
            pid_in_namespace: inside,
            ..jvm("", "")
        };
        let check =
            |it: JvmFact, expected: &str| assert_eq!(jcmd(&it).typed().as_deref(), Some(expected));
        let library = "/opt/java/lib/server/libjvm.so";
        check(jvm(library, 42), "jcmd 42");
        check(jvm(library, 1), "nsenter -t 42 -a /opt/java/bin/jcmd 1");
        check(jvm("/a'b; c/lib/server/libjvm.so", 1), "nsenter -t 42 -a '/a'\\''b; c/bin/jcmd' 1");
        check(jvm("/opt/jre/lib/amd64/server/libjvm.so", 1), "nsenter -t 42 -a jcmd 1");
        check(jvm("-r/lib/server/libjvm.so", 1), "nsenter -t 42 -a ./-r/bin/jcmd 1");
        assert!(whose_jcmd(&jvm(library, 1)).contains("a program of the container as root"));
        assert_eq!(whose_jcmd(&jvm(library, 42)), "");
        assert_eq!(path_here(Some(&jvm(library, 1)), "/data/x"), "/proc/42/root/data/x");
        assert_eq!(path_here(Some(&jvm(library, 42)), "/data/x"), "/data/x");
        assert_eq!(path_here(None, "/data/x"), "/data/x");
    }

    /// What turns the log of this name off, and what the new one is called.
    #[track_caller]
    fn check_moved(log: &str, new: &str, off: &str) {
        let jvm = jvm("", log);
        let commands = move_log_commands(&jvm, "/dev/shm").to_string();
        let lines: Vec<&str> = commands.lines().collect();
        assert_eq!(lines.len(), 2, "{commands}");
        assert!(lines[0].contains(&format!(" output=file=/dev/shm/{new} ")), "{commands}");
        assert_eq!(lines[1], format!("jcmd 42 VM.log {off} what=all=off"));
        let old = JvmFact { version: "1.8.0_412".into(), ..jvm };
        assert_eq!(log_flag_in(&old, "/dev/shm").to_string(), format!("-Xloggc:/dev/shm/{new}"));
    }

    /// Tried with JDK 17: it is turned off by these names and by no others.
    #[test]
    fn a_name_that_means_something_to_a_shell_or_to_the_jvm_is_quoted() {
        check_moved("/var/log/gc.log", "gc.log", "output=file=/var/log/gc.log");
        check_moved("/var/log/a b'c.log", "gc-0.log", "'output=\"file=/var/log/a b'\\''c.log\"'");
        check_moved("/tmp/x what=all=trace", "gc-0.log", "'output=\"file=/tmp/x what=all=trace\"'");
        check_moved("/tmp/$(id).log", "gc-0.log", "'output=file=/tmp/$(id).log'");
        check_moved("/tmp/`id`;id", "gc-0.log", "'output=file=/tmp/`id`;id'");
        check_moved("/tmp/-rf", "gc-0.log", "output=file=/tmp/-rf");
        check_moved("/tmp/%t:a", "gc-0.log", "output=file=/tmp/%t:a");
    }

    #[test]
    fn a_name_that_cannot_be_written_is_told_and_makes_no_command() {
        let moved = |log: &str| move_log_commands(&jvm("", log), "/dev/shm");
        for log in ["/tmp/a\"b c", "/tmp/a b\\", "/tmp/a\njcmd 1 VM.stop", "/tmp/a\u{202e}b"] {
            assert!(moved(log).is_said() && moved(log).commands().is_empty(), "{log}");
            assert!(!moved(log).to_string().contains('\n'), "{log}");
        }
        assert_eq!(
            moved("/tmp/a\nid").to_string(),
            "No command is given: an argument of jcmd would be `output=file=/tmp/a\\u{a}id`, which has control characters or others in it that cannot be copied from here."
        );
    }

    #[test]
    fn a_log_on_standard_output_is_moved_with_its_selection_and_the_stream_is_turned_off() {
        let commands =
            |flags| leave_stream_commands(&jvm(flags, ""), "stdout", "/dev/shm").to_string();
        let moved = |what: &str, decorators: &str| {
            format!(
                "jcmd 42 VM.log output=file=/dev/shm/gc-0.log 'what=all=warning,{what}' decorators={decorators} output_options=filecount=2,filesize=8m\n\
                 jcmd 42 VM.log output=stdout what=all=off"
            )
        };
        let usual = "time,uptime,level,tags";
        assert_eq!(commands("-Xlog:gc*=debug:stdout:tn"), moved("gc*=debug", "tn"));
        assert_eq!(
            commands("-Xlog:gc*,safepoint=debug -Xlog:async"),
            moved("gc*,safepoint=debug", usual)
        );
        assert_eq!(commands("-Xlog:gc*:file=x.log:tn"), moved("gc*,safepoint", usual));
        assert_eq!(commands("-verbose:gc"), moved("gc*,safepoint", usual));
    }

    #[test]
    fn at_the_next_start_nothing_of_the_log_is_left_on_standard_output() {
        let flags = |given| leave_stream_flags(&jvm(given, ""), "/dev/shm").to_string();
        assert_eq!(
            flags("-Xlog:gc::tn"),
            "-Xlog:disable -Xlog:all=warning,gc:file=/dev/shm/gc-%p.log:tn:filecount=2,filesize=8m"
        );
        assert!(flags("-Xlog:gc;rm").starts_with("-Xlog:disable '-Xlog:all=warning,gc;rm:file="));
        let old = JvmFact { version: "1.8.0_412".into(), ..jvm("-verbose:gc", "") };
        let flags = leave_stream_flags(&old, "/dev/shm").to_string();
        assert!(flags.starts_with("-Xloggc:/dev/shm/gc-%p.log "));
    }

    #[test]
    fn java_8_has_its_own_flag() {
        let jvm = JvmFact {
            version: "1.8.0_412".into(),
            ..jvm("-Xloggc:/var/log/gc.log", "/var/log/gc.log")
        };
        assert_eq!(log_flag_in(&jvm, "/dev/shm").to_string(), "-Xloggc:/dev/shm/gc.log");
    }
}
