//! A bare number is a process id: `whypause record 4242` is `whypause record -p 4242`.
use super::{Command, DoctorArgs, FixArgs, WhichJvm};
use crate::Failure;
use std::path::Path;

/// Reads a process id that stands alone.
pub(super) fn parse(text: &str) -> Result<String, String> {
    if is_number(text) {
        return Ok(text.to_owned());
    }
    Err("not a process id: a name takes `-p`, a command that is to be started `--` before it"
        .into())
}

impl Command {
    /// The same with a bare number as `-p` has it.
    ///
    /// # Errors
    ///
    /// A number that could be a process id and something else.
    pub(crate) fn with_bare_pids(mut self) -> Result<Command, Failure> {
        match &mut self {
            Command::Record(args) => set(&mut args.jvm, args.bare_pid.take())?,
            Command::Watch(args) => set(&mut args.jvm, args.bare_pid.take())?,
            Command::Doctor(args) => doctor(args)?,
            Command::Fix(args) => fix(args)?,
            _ => {}
        }
        Ok(self)
    }
}

fn set(jvm: &mut WhichJvm, pid: Option<String>) -> Result<(), Failure> {
    if let (Some(pid), Some(other)) = (&pid, jvm.pattern()) {
        let message = format!("two JVMs are named: `{pid}` and `{other}`");
        return Err(Failure::input(message, "leave one of them out"));
    }
    if pid.is_some() {
        jvm.pid = pid;
    }
    Ok(())
}

/// A recording may have a number as its name, too.
fn doctor(args: &mut DoctorArgs) -> Result<(), Failure> {
    let Some(number) = args.recording.as_deref().and_then(number) else { return Ok(()) };
    if Path::new(&number).exists() {
        return Err(Failure::input(
            format!("`{number}` is a process id, and a file here has this name"),
            format!("write -p {number} for the process, ./{number} for the file"),
        ));
    }
    args.recording = None;
    set(&mut args.jvm, Some(number))
}

/// In place of the remedy, or behind one that takes no files.
fn fix(args: &mut FixArgs) -> Result<(), Failure> {
    if args.undo {
        return Ok(());
    }
    if let Some(pid) = args.id.take_if(|it| is_number(it)) {
        if args.apply || args.dry_run || !args.paths.is_empty() {
            return Err(Failure::input(
                format!("`{pid}` is no remedy"),
                format!("`fix {pid}` lists what would help; name a remedy before the process id"),
            ));
        }
        return set(&mut args.jvm, Some(pid));
    }
    let takes_files = args.id.as_deref().and_then(remedy::find).is_some_and(|it| it.takes_files);
    match (takes_files, args.paths.as_slice()) {
        (false, [path]) => match number(path) {
            Some(pid) => {
                args.paths.clear();
                set(&mut args.jvm, Some(pid))
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn number(path: &Path) -> Option<String> {
    path.to_str().filter(|it| is_number(it)).map(str::to_owned)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::Parser;

    /// The JVM that is meant; `none`, or what is wrong.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let words = ["whypause"].into_iter().chain(line.split(' '));
        let meant = match Cli::try_parse_from(words) {
            Err(error) => error.kind().to_string(),
            Ok(cli) => match cli.command.with_bare_pids() {
                Err(Failure::Said { message, .. }) => message,
                Err(Failure::OutputClosed) => "closed".into(),
                Ok(Command::Record(it)) => meant(&it.jvm),
                Ok(Command::Watch(it)) => meant(&it.jvm),
                Ok(Command::Doctor(it)) => meant(&it.jvm),
                Ok(Command::Fix(it)) => meant(&it.jvm),
                Ok(other) => format!("{other:?}"),
            },
        };
        assert_eq!(meant, expected, "{line}");
    }

    fn meant(jvm: &WhichJvm) -> String {
        jvm.pattern().unwrap_or("none").to_owned()
    }

    #[test]
    fn a_bare_number_is_a_process_id() {
        check("record 4242", "4242");
        check("record 4242 -d 1s", "4242");
        check("record -p 4242", "4242");
        check("record -- 4242", "none");
        check("watch 4242 --over 1s", "4242");
        check("doctor 4242", "4242");
        check("doctor ./4242", "none");
        check("doctor src", "none");
        check("fix 4242", "4242");
        check("fix gc-log-to-tmpfs 4242", "4242");
        check("fix gc-log-to-tmpfs 4242 --apply", "4242");
        check("fix gc-log-off-stdout 4242", "none");
        check("fix gc-log-keeper 1 2 --apply", "none");
        check("fix --undo 4242", "none");
    }

    #[test]
    fn what_could_be_two_things_is_refused() {
        check("record kafka", "invalid value for one of the arguments");
        check(
            "record 4242 -p 1",
            "an argument cannot be used with one or more of the other specified arguments",
        );
        check(
            "record 4242 -- java",
            "an argument cannot be used with one or more of the other specified arguments",
        );
        check(
            "watch 4242 --match x",
            "an argument cannot be used with one or more of the other specified arguments",
        );
        check("fix 4242 -p 1", "two JVMs are named: `4242` and `1`");
        check("fix 4242 --apply", "`4242` is no remedy");
        check("fix 4242 4243", "`4242` is no remedy");
    }
}
