//! Where a JVM writes its log, and how to redirect it.
use crate::{Action, Command, jvm::jcmd};
use diagnose::feature_version;
use recorder::LogOutput;
use recording::{JvmFact, LogOption, gc_log_options};

/// The lines and decorators that a log elsewhere gets: those of the GC log's file, where the flags name one.
fn what_and_decorators<'a>(jvm: &'a JvmFact) -> (&'a str, &'a str) {
    let mut options = gc_log_options(&jvm.flags).into_iter();
    let option = options.find(|it| !it.is_legacy && it.file().is_some());
    let [what, decorators] = option.map_or([""; 2], |it| [it.what, it.decorators]);
    let or = |text: &'static str, given: &'a str| if given.is_empty() { text } else { given };
    (or("gc*,safepoint", what), or("time,uptime,level,tags", decorators))
}

/// The name for the log of a running JVM in a directory that it may share with others: two JVMs that
/// write to one name take each other's log away.
fn file_name(jvm: &JvmFact) -> String {
    format!("gc-{}.log", jvm.pid_in_namespace)
}

/// The same at a start, when only the JVM knows its process id. Every JDK expands `%p`.
const NAME: &str = "gc-%p.log";

/// A log in memory must be bounded, whatever it was on disk: the file that is written and two before
/// it, 24 MiB.
pub(crate) const BOUND: &str = "filecount=2,filesize=8m";

/// The command that sets an output; `None` where there is no way to write it.
fn vm_log(jcmd: Command, output: &LogOutput) -> Option<Command> {
    Some(jcmd.arg("VM.log").args(output.arguments()?))
}

/// All of the commands, or a sentence where one cannot be written.
fn all_of<const N: usize>(commands: [Option<Command>; N], what: &str) -> Action {
    match commands.into_iter().collect::<Option<Vec<_>>>() {
        Some(commands) => Action::run(commands),
        None => Action::impossible("jcmd", what),
    }
}

/// The commands that move the log of a running JVM (JDK 9 and later) into `directory`: first the
/// new output, then the old one off. HotSpot `logging/logDiagnosticCommand.cpp` (`VM.log`).
pub(crate) fn move_commands(jvm: &JvmFact, directory: &str) -> Action {
    let (what, decorators) = what_and_decorators(jvm);
    let new = LogOutput {
        name: format!("file={directory}/{}", file_name(jvm)),
        what: what.to_owned(),
        decorators: decorators.to_owned(),
        options: BOUND.to_owned(),
    };
    let new = vm_log(jcmd(jvm), &new);
    if jvm.gc_log.is_empty() {
        return all_of([new], what);
    }
    let off = vm_log(jcmd(jvm), &off(&format!("file={}", jvm.gc_log)));
    all_of([new, off], &jvm.gc_log)
}

/// An output that nothing goes to.
fn off(name: &str) -> LogOutput {
    let [decorators, options] = [String::new(), String::new()];
    LogOutput { name: name.to_owned(), what: "all=off".into(), decorators, options }
}

/// What [`JvmLog`](crate::JvmLog) does, by hand.
pub(crate) fn set(pid: u32, output: &LogOutput) -> Action {
    let output = if output.is_off() { off(&output.name) } else { output.clone() };
    all_of([vm_log(Command::new("jcmd").arg(pid.to_string()), &output)], &output.name)
}

/// To make a directory for a log of a JVM that runs as this user, or to remove it, by hand.
pub(crate) fn directory((uid, gid): &(u32, u32), path: &str, there: bool) -> Action {
    Action::run([match there {
        true => Command::new("install")
            .args(["-d", "-m", "0700", "-o"])
            .args([uid.to_string(), "-g".into(), gid.to_string()])
            .path(path),
        false => Command::new("rm").arg("-r").path(path),
    }])
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
    let new = LogOutput {
        name: format!("file={directory}/{}", file_name(jvm)),
        what: with_warnings(what),
        decorators: decorators.to_owned(),
        options: BOUND.to_owned(),
    };
    all_of([vm_log(jcmd(), &new), vm_log(jcmd(), &off(stream))], what)
}

/// The start flags that do the same. `-Xlog:disable` takes back what earlier flags turned on, and
/// the default warnings on standard output.
pub(crate) fn leave_stream_flags(jvm: &JvmFact, directory: &str) -> Action {
    if feature_version(&jvm.version).is_some_and(|it| it < 9) {
        return Action::flags(legacy_flags(jvm, directory));
    }
    let (what, decorators) = stream_option(jvm);
    let log = format!("-Xlog:{}:file={directory}/{NAME}:{decorators}:{BOUND}", with_warnings(what));
    Action::flags(["-Xlog:disable".to_owned(), log])
}

/// Before JDK 9. Without rotation the log grows without end, which would fill the memory.
fn legacy_flags(jvm: &JvmFact, directory: &str) -> Vec<String> {
    let rotation =
        ["-XX:+UseGCLogFileRotation", "-XX:NumberOfGCLogFiles=2", "-XX:GCLogFileSize=8M"];
    let log = format!("-Xloggc:{directory}/{NAME}");
    let given = |flag: &&str| !jvm.flags.iter().any(|it| it == flag);
    std::iter::once(log).chain(rotation.into_iter().filter(given).map(str::to_owned)).collect()
}

/// A later part of a selection overrides an earlier one for the tags that both name.
fn with_warnings(what: &str) -> String {
    format!("all=warning,{what}")
}

/// The start flags that write the log into `directory`, bounded.
pub(crate) fn flags_in(jvm: &JvmFact, directory: &str) -> Action {
    if feature_version(&jvm.version).is_some_and(|it| it < 9) {
        return Action::flags(legacy_flags(jvm, directory));
    }
    let (what, decorators) = what_and_decorators(jvm);
    let file = format!("{directory}/{NAME}");
    Action::flag(format!("-Xlog:{what}:file={file}:{decorators}:{BOUND}"))
}

/// The flag that these take the place of, as it was given.
pub(crate) fn replaced(jvm: &JvmFact) -> Option<&str> {
    let log = gc_log_options(&jvm.flags).into_iter().find(|it| it.file().is_some())?;
    let is_it = |it: &&String| LogOption::of(it) == Some(log);
    jvm.flags.iter().rev().find(is_it).map(String::as_str)
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
    fn a_log_is_moved_with_its_selection_and_decorators() {
        let jvm = jvm(
            "-Xlog:gc*,safepoint:file=/var/log/gc.log:tn,tags:filecount=5,filesize=1m",
            "/var/log/gc.log",
        );
        assert_eq!(
            move_commands(&jvm, "/dev/shm").to_string(),
            "jcmd 42 VM.log output=file=/dev/shm/gc-0.log 'what=gc*,safepoint' decorators=tn,tags output_options=filecount=2,filesize=8m\n\
             jcmd 42 VM.log output=file=/var/log/gc.log what=all=off"
        );
    }

    /// What turns the log of this name off.
    #[track_caller]
    fn check_moved(log: &str, off: &str) {
        let commands = move_commands(&jvm("", log), "/dev/shm").to_string();
        let lines: Vec<&str> = commands.lines().collect();
        assert_eq!(lines.len(), 2, "{commands}");
        assert!(lines[0].contains(" output=file=/dev/shm/gc-0.log "), "{commands}");
        assert_eq!(lines[1], format!("jcmd 42 VM.log {off} what=all=off"));
    }

    /// Tried with JDK 17: it is turned off by these names and by no others.
    #[test]
    fn a_name_that_means_something_to_a_shell_or_to_the_jvm_is_quoted() {
        check_moved("/var/log/gc.log", "output=file=/var/log/gc.log");
        check_moved("/var/log/a b'c.log", "'output=\"file=/var/log/a b'\\''c.log\"'");
        check_moved("/tmp/x what=all=trace", "'output=\"file=/tmp/x what=all=trace\"'");
        check_moved("/tmp/$(id).log", "'output=file=/tmp/$(id).log'");
        check_moved("/tmp/`id`;id", "'output=file=/tmp/`id`;id'");
        check_moved("/tmp/-rf", "output=file=/tmp/-rf");
        check_moved("/tmp/%t:a", "output=file=/tmp/%t:a");
    }

    #[test]
    fn two_jvms_never_share_a_log_in_memory() {
        let of = |pid| JvmFact { pid_in_namespace: pid, ..jvm("", "/var/log/gc.log") };
        let name = |pid| move_commands(&of(pid), "/dev/shm").to_string();
        assert!(name(1).contains("/dev/shm/gc-1.log") && name(2).contains("/dev/shm/gc-2.log"));
        assert!(flags_in(&of(1), "/dev/shm").to_string().contains("/dev/shm/gc-%p.log"));
        let old = JvmFact { version: "1.8.0_412".into(), ..of(1) };
        assert!(flags_in(&old, "/dev/shm").to_string().contains("/dev/shm/gc-%p.log"));
    }

    #[test]
    fn a_name_that_cannot_be_written_is_reported_and_makes_no_command() {
        let moved = |log: &str| move_commands(&jvm("", log), "/dev/shm");
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
    fn log_moved_off_stdout_keeps_its_selection() {
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
    fn a_log_of_java_8_in_memory_is_bounded() {
        let old = |flags: &str| JvmFact {
            version: "1.8.0_412".into(),
            ..jvm(&format!("-Xloggc:/var/log/gc.log {flags}"), "/var/log/gc.log")
        };
        let log = "-Xloggc:/dev/shm/gc-%p.log";
        let flags = |given: &str| flags_in(&old(given), "/dev/shm").to_string();
        assert_eq!(
            flags(""),
            format!(
                "{log} -XX:+UseGCLogFileRotation -XX:NumberOfGCLogFiles=2 -XX:GCLogFileSize=8M"
            )
        );
        let given = flags("-XX:+UseGCLogFileRotation");
        assert_eq!(given, format!("{log} -XX:NumberOfGCLogFiles=2 -XX:GCLogFileSize=8M"));
        assert_eq!(replaced(&old("")), Some("-Xloggc:/var/log/gc.log"));
        assert_eq!(replaced(&jvm("-Xlog:gc:stdout", "")), None);
        assert_eq!(replaced(&jvm("-Xlog:gc:a.log", "")), Some("-Xlog:gc:a.log"));
    }
}
