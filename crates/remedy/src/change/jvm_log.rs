//! The log of a running JVM: what goes to which output, and a directory in memory for it.
use super::{ChangeError, Host, Kind, Needs, PRESENT, Process, Value};
use crate::{Action, log_output};
use recorder::{LogOutput, MemoryDirectory};
use serde::{Deserialize, Serialize};
use std::{
    hash::{BuildHasher, RandomState},
    io,
};

/// One output of the log of a JVM (JDK 9 and later).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmLog {
    /// The JVM.
    pub process: Process,
    /// The user of the JVM.
    pub uid: u32,
    /// `stdout`, `stderr`, or `file=` and the file's name, as the JVM sees it.
    pub output: String,
    /// What is to go there, with decorators and options: `all=off,gc*=info time,tags filecount=2`.
    /// `None` for nothing; a file is then closed.
    pub to: Value,
}

/// An output and its value, from the text that stands for it.
fn output(name: &str, value: &Value) -> LogOutput {
    let value = value.as_deref().unwrap_or("all=off");
    let mut words = value.split(' ').map(str::to_owned);
    LogOutput {
        name: name.to_owned(),
        what: words.next().unwrap_or_default(),
        decorators: words.next().unwrap_or_default(),
        options: words.next().unwrap_or_default(),
    }
}

/// The text that stands for what goes to an output.
pub(crate) fn value(it: &LogOutput) -> Value {
    let text = format!("{} {} {}", it.what, it.decorators, it.options);
    (!it.is_off()).then(|| text.trim_end().to_owned())
}

/// The options with which a log is opened again so that nothing of it is lost: a JVM empties the
/// file of a log without rotation that it opens, and moves that of one with rotation out of the way
/// (HotSpot `logging/logFileOutput.cpp`, `initialize`). What `VM.log list` tells beside rotation is
/// no option of `VM.log`, and it writes bytes as `0B`.
fn careful(options: &str) -> String {
    let mut count = None;
    let mut size = None;
    for option in options.split(',') {
        match option.split_once('=') {
            Some(("filecount", it)) => count = it.parse::<u32>().ok(),
            Some(("filesize", it)) => size = Some(it.trim_end_matches('B').to_owned()),
            _ => {}
        }
    }
    match (count, size) {
        (None, _) => String::new(),
        (Some(0), _) => "filecount=1000,filesize=0".into(),
        (Some(count), size) => format!("filecount={count},filesize={}", size.unwrap_or_default()),
    }
}

/// The same options with the size in bytes: `8m` is reported as `8192K` (HotSpot
/// `utilities/globalDefinitions.hpp`,
/// `EXACTFMT`).
fn in_bytes(options: &str) -> String {
    let Some((rest, size)) = options.rsplit_once("filesize=") else { return options.to_owned() };
    let digits = size.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let shift = match size[digits.len()..].to_ascii_lowercase().as_str() {
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => 0,
    };
    match digits.parse::<u64>() {
        Ok(number) => format!("{rest}filesize={}", number << shift),
        Err(_) => options.to_owned(),
    }
}

impl Kind for JvmLog {
    fn subject(&self) -> String {
        format!("log output {} of {}", self.output, self.process)
    }

    fn process(&self) -> Option<&Process> {
        Some(&self.process)
    }

    /// A file that we had the JVM open is in the directory that we made, and is copied.
    fn uses_the_earlier(&self) -> bool {
        self.to.is_some()
    }

    fn wanted(&self) -> Value {
        self.to.clone()
    }

    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        let jvm = self.process.jvm(host)?;
        let outputs = recorder::log_outputs(host.roots, &jvm, host.interrupt)?;
        Ok(outputs.iter().find(|it| it.name == self.output).and_then(value))
    }

    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        let jvm = self.process.jvm(host)?;
        let mut output = output(&self.output, value);
        output.options = careful(&output.options);
        Ok(recorder::set_log_output(host.roots, &jvm, &output, host.interrupt)?)
    }

    fn by_hand(&self, value: &Value) -> Action {
        let mut output = output(&self.output, value);
        output.options = careful(&output.options);
        log_output::set(self.process.pid, &output)
    }

    /// A log that was opened again has the rotation that it was opened with, in other words.
    fn are_same(&self, a: &Value, b: &Value) -> bool {
        let read = |it: &Value| {
            let output = output(&self.output, it);
            LogOutput { options: in_bytes(&careful(&output.options)), ..output }
        };
        read(a) == read(b)
    }

    /// HotSpot `logging/logFileOutput.cpp`, `initialize`.
    fn leaves(&self) -> Option<String> {
        let file = self.output.strip_prefix("file=").filter(|_| self.to.is_none())?;
        Some(format!("{file}.N, the log until the change: a JVM that opens a log again renames it"))
    }

    /// Compares with the JVM's own report, which shows how it parsed the options.
    fn reads_as_set(&self) -> bool {
        false
    }

    fn needs(&self) -> Needs {
        Needs::TheJvmsUser(self.uid)
    }
}

/// A directory below `/dev/shm` of a JVM that belongs to its user alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogDirectory {
    /// The JVM.
    pub process: Process,
    /// Its name.
    pub name: String,
    /// The files that the JVM writes in it.
    pub files: Vec<String>,
    /// Whether what is in them is copied elsewhere, so that they can be removed.
    pub is_copied: bool,
    /// User and group of the JVM.
    pub owner: (u32, u32),
}

impl LogDirectory {
    /// A new, unused name for a remedy's directory for a JVM. If it were predictable, any user
    /// could put something there first; and of two users who move the same log each has an output
    /// of their own.
    pub(crate) fn new_name(remedy: &str, jvm: &recorder::Jvm) -> String {
        let name = format!("whypause-{remedy}-{}-{}", jvm.pid_in_namespace, jvm.start_ticks);
        format!("{name}-{:016x}", RandomState::new().hash_one(&name))
    }

    fn directory(&self, host: &Host<'_>) -> Result<MemoryDirectory, ChangeError> {
        match self.process.jvm(host) {
            Ok(jvm) => {
                Ok(MemoryDirectory::of(host.roots, &jvm, self.name.as_str(), host.interrupt)?)
            }
            // Its `/dev/shm` can be reached only where it is ours.
            Err(ChangeError::Gone(_)) => {
                let (uid, gid) = self.owner;
                MemoryDirectory::left_by(self.name.as_str(), uid, gid)
                    .map_err(ChangeError::file("/dev/shm"))
            }
            Err(error) => Err(error),
        }
    }
}

impl Kind for LogDirectory {
    fn subject(&self) -> String {
        format!("/dev/shm/{} of {}", self.name, self.process)
    }

    fn process(&self) -> Option<&Process> {
        Some(&self.process)
    }

    fn wanted(&self) -> Value {
        Some(PRESENT.into())
    }

    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        let directory = self.directory(host)?;
        let is_there = directory.is_there().map_err(ChangeError::file(directory.path()))?;
        Ok(is_there.then(|| PRESENT.into()))
    }

    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        let directory = self.directory(host)?;
        let done = match value {
            Some(_) => directory.make(),
            None => directory.remove(&self.files),
        };
        done.map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty => ChangeError::InUse(
                "it holds files that are not of whypause: its user can remove it".into(),
            ),
            _ => ChangeError::file(directory.path())(error),
        })
    }

    fn by_hand(&self, value: &Value) -> Action {
        let path = format!("/dev/shm/{}", self.name);
        log_output::directory(&self.owner, &path, value.is_some())
    }

    fn stays(&self, host: &Host<'_>) -> Option<String> {
        let directory = self.directory(host).ok()?;
        let has_log = !self.is_copied && directory.is_there().ok()?;
        has_log.then(|| "it holds the log written since; copy it, then remove it".into())
    }

    fn needs(&self) -> Needs {
        Needs::TheJvmsUser(self.owner.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_it_was_written() {
        let text =
            Some("all=off,gc*=info time,tags filecount=5,filesize=20480K,async=false".into());
        assert_eq!(value(&output("file=/a b", &text)), text);
        let stream = Some("all=warning uptime,level,tags".to_owned());
        assert_eq!(value(&output("stdout", &stream)), stream);
        assert_eq!(value(&output("stdout", &None)), None);
        assert!(output("stdout", &None).is_off());
    }

    #[test]
    fn a_log_that_was_opened_again_is_the_same_in_other_words() {
        let process = Process { pid: 1, start_ticks: 1, name: "x".into() };
        let log = JvmLog { process, uid: 0, output: "file=/a".into(), to: None };
        let value = |options: &str| Some(format!("all=off,gc*=info time {options}"));
        let check = |a: &str, b: &str, same: bool| {
            assert_eq!(log.are_same(&value(a), &value(b)), same, "{a} {b}");
        };
        check("filecount=2,filesize=8m", "filecount=2,filesize=8192K,async=false", true);
        check("filecount=2,filesize=8m", "filecount=2,filesize=8388608", true);
        check("filecount=2,filesize=8m", "filecount=2,filesize=8191K", false);
        check("filecount=2,filesize=8m", "filecount=3,filesize=8m", false);
    }

    #[test]
    fn a_log_without_rotation_is_never_emptied_when_it_is_opened_again() {
        assert_eq!(careful("filecount=0,filesize=20480K"), "filecount=1000,filesize=0");
        assert_eq!(
            careful("filecount=5,filesize=20480K,async=false"),
            "filecount=5,filesize=20480K"
        );
        assert_eq!(careful("filecount=1000,filesize=0B"), "filecount=1000,filesize=0");
        assert_eq!(careful("foldmultilines=false"), "");
        assert_eq!(careful(""), "");
    }
}
