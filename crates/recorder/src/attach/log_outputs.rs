//! Where a JVM writes its log, as it reports itself, and the command to change that.
use super::{ConnectionError, socket::Connection, until::Until};
use crate::{Jvm, Roots};
use std::{sync::atomic::AtomicBool, time::Duration};

/// Before it closes a file the JVM waits for the threads that write to it, which may be the very
/// write that a slow disk delays.
const PATIENCE: Duration = Duration::from_secs(60);

/// More outputs than any JVM has: its list is kept in memory, and need not be true.
const MOST_OUTPUTS: usize = 32;
/// The longest path (`PATH_MAX` of `include/uapi/linux/limits.h`), with `file=`.
const LONGEST_NAME: usize = 5 + 4096;
/// All tags with a level each are 5 KiB in JDK 25.
const LONGEST_WHAT: usize = 16 << 10;
/// All decorators, or all options.
const LONGEST_WORD: usize = 1 << 10;

/// What goes to an output that is off.
const OFF: &str = "all=off";

/// One output of the unified log (JDK 9 and later), as `VM.log list` tells it and `VM.log` takes it
/// (HotSpot `logging/logDiagnosticCommand.cpp`, `logging/logConfiguration.cpp`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOutput {
    /// `stdout`, `stderr`, or `file=` and the file's name, as the JVM sees it.
    pub name: String,
    /// What goes there: `all=warning,gc*=info`.
    pub what: String,
    /// What each line begins with: `time,uptime,tags`, or `none`.
    pub decorators: String,
    /// `filecount=5,filesize=20480K`; empty for a standard stream.
    pub options: String,
}

impl LogOutput {
    /// The same with nothing going there; of a file the JVM then closes it.
    #[must_use]
    pub fn off(&self) -> LogOutput {
        LogOutput { what: OFF.into(), ..self.clone() }
    }

    /// Whether nothing goes there.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.what == OFF
    }

    /// The file's name, where it is one.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.name.strip_prefix("file=")
    }

    /// The arguments of `VM.log` that set it, as `jcmd` takes them; what is empty is left out. The JVM
    /// gets them as one line and takes it apart at spaces, except between quotes around a whole value
    /// (HotSpot `services/diagnosticFramework.cpp`, `DCmdArgIter`). `None` where there is no way to
    /// write a value.
    #[must_use]
    pub fn arguments(&self) -> Option<Vec<String>> {
        let settings = [
            ("output", &self.name),
            ("what", &self.what),
            ("decorators", &self.decorators),
            ("output_options", &self.options),
        ];
        let settings = settings.into_iter().filter(|(_, value)| !value.is_empty());
        let setting = |(name, value): (&str, &String)| match value.contains([' ', '\'', '"']) {
            false => Some(format!("{name}={value}")),
            true if value.contains('"') || value.ends_with('\\') => None,
            true => Some(format!("{name}=\"{value}\"")),
        };
        settings.map(setting).collect()
    }

    /// The line that sets it.
    fn command(&self) -> Option<String> {
        let line = format!("VM.log {}", self.arguments()?.join(" "));
        (!line.contains(['\0', '\n', '\r'])).then_some(line)
    }

    /// A line of the list: ` #2: file=/var/log/gc.log all=off,gc=info time,tags filecount=5,… (reconfigured)`.
    /// The name may hold anything, so it is read from the end.
    fn parse(line: &str) -> Option<LogOutput> {
        let (number, rest) = line.trim_start().strip_prefix('#')?.split_once(": ")?;
        number.parse::<u32>().ok()?;
        let rest = rest.trim_end().trim_end_matches("(reconfigured)").trim_end();
        let (mut rest, mut last) = rest.rsplit_once(' ')?;
        let mut options = "";
        if last.contains('=') {
            options = last;
            (rest, last) = rest.rsplit_once(' ')?;
        }
        let (name, what) = rest.rsplit_once(' ')?;
        let lengths = [
            (name, LONGEST_NAME),
            (what, LONGEST_WHAT),
            (last, LONGEST_WORD),
            (options, LONGEST_WORD),
        ];
        let is_too_long = lengths.iter().any(|(text, most)| text.len() > *most);
        if !what.contains('=') || name.is_empty() || is_too_long {
            return None;
        }
        Some(LogOutput {
            name: name.into(),
            what: what.into(),
            decorators: last.into(),
            options: options.into(),
        })
    }
}

/// The outputs of a running JVM. It need not stop for the answer.
///
/// # Errors
/// Where it cannot be attached to, or is a JDK before 9.
pub fn log_outputs(
    roots: &Roots,
    jvm: &Jvm,
    interrupt: &AtomicBool,
) -> Result<Vec<LogOutput>, ConnectionError> {
    let until = Until::new(interrupt);
    let connection = Connection::open(roots, jvm, &until)?;
    connection.command("VM.log list", &until)?.read_as(read_list)
}

fn read_list(answer: &str) -> Result<Vec<LogOutput>, ConnectionError> {
    let lines = answer.split_once("Log output configuration:").map(|it| it.1);
    let unknown = || ConnectionError::Broken("its list of log outputs cannot be read".into());
    let lines = lines.ok_or_else(unknown)?.lines().filter(|it| !it.trim().is_empty());
    let outputs: Result<Vec<_>, _> =
        lines.take(MOST_OUTPUTS + 1).map(|it| LogOutput::parse(it).ok_or_else(unknown)).collect();
    outputs.and_then(|it| if it.len() <= MOST_OUTPUTS { Ok(it) } else { Err(unknown()) })
}

/// Has a running JVM write to an output with these options. Waits for a minute at most: the JVM waits for a
/// write that is under way. It need not stop for it.
///
/// # Errors
/// Where the JVM cannot be attached to, does not do it, or there is no way to write it.
pub fn set_log_output(
    roots: &Roots,
    jvm: &Jvm,
    output: &LogOutput,
    interrupt: &AtomicBool,
) -> Result<(), ConnectionError> {
    let command = output.command().ok_or_else(|| {
        ConnectionError::Broken("jcmd has no way to write the name of that log".into())
    })?;
    let until = Until::within(PATIENCE, interrupt);
    let connection = Connection::open(roots, jvm, &until)?;
    connection.command(&command, &until)?.nothing_else()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(name: &str, what: &str, decorators: &str, options: &str) -> LogOutput {
        let [name, what, decorators, options] =
            [name, what, decorators, options].map(str::to_owned);
        LogOutput { name, what, decorators, options }
    }

    #[test]
    fn the_list_of_every_jdk_is_read() {
        let of_17 = "Described tag sets:\n logging: x\nLog output configuration:\n\
            \u{20}#0: stdout all=warning uptime,level,tags\n\
            \u{20}#1: stderr all=off uptime,level,tags\n\
            \u{20}#2: file=/tmp/a b.log all=off,gc*=info,safepoint=debug time,tags filecount=0,filesize=20480K,async=false (reconfigured)\n";
        assert_eq!(
            read_list(of_17).unwrap(),
            [
                output("stdout", "all=warning", "uptime,level,tags", ""),
                output("stderr", "all=off", "uptime,level,tags", ""),
                output(
                    "file=/tmp/a b.log",
                    "all=off,gc*=info,safepoint=debug",
                    "time,tags",
                    "filecount=0,filesize=20480K,async=false"
                ),
            ]
        );
        let of_25 = "Log output configuration:\n #0: stdout all=warning uptime,level,tags foldmultilines=false\n";
        let stdout = output("stdout", "all=warning", "uptime,level,tags", "foldmultilines=false");
        assert_eq!(read_list(of_25).unwrap(), [stdout]);
    }

    #[test]
    fn half_a_list_is_no_list() {
        assert!(read_list("").is_err());
        assert!(read_list("Log output configuration:\n #0: stdout\n").is_err());
        assert!(read_list("Log output configuration:\n #x: stdout all=off none\n").is_err());
    }

    #[test]
    fn a_list_that_no_jvm_has_is_not_kept_in_mind() {
        let list = |lines: &[String]| format!("Log output configuration:\n{}", lines.concat());
        let line = |name: usize, what: usize| {
            let what = "x".repeat(what - 2);
            format!(" #2: file={} {what}=y time filecount=2\n", "n".repeat(name - 5))
        };
        let check = |lines: &[String], fine: bool| {
            assert_eq!(read_list(&list(lines)).is_ok(), fine);
        };
        check(&[line(LONGEST_NAME, LONGEST_WHAT)], true);
        check(&[line(LONGEST_NAME + 1, 10)], false);
        check(&[line(10, LONGEST_WHAT + 1)], false);
        check(&vec![line(10, 10); MOST_OUTPUTS], true);
        check(&vec![line(10, 10); MOST_OUTPUTS + 1], false);
    }

    #[test]
    fn a_name_cannot_become_another_setting() {
        let of = |name: &str| output(name, "gc", "", "").command();
        assert_eq!(of("file=/a b").as_deref(), Some("VM.log output=\"file=/a b\" what=gc"));
        assert_eq!(of("file=/a\" what=\"all"), None);
        assert_eq!(of("file=/a b\\"), None);
        assert_eq!(of("file=/a\nVM.log disable"), None);
    }
}
