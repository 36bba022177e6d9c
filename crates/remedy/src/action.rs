//! What to do about a cause, as data: nothing that a target chose becomes a command.
//!
//! Paths, flags and names come from untrusted processes, and root copies the text behind
//! `fix` into a shell. So a command is a list of words from the cause that advises it to the
//! screen. It becomes text here and nowhere else, every word through one function ([`quote`]); a
//! house rule keeps other code from writing commands as text.
mod quote;

use recording::{VmFlag, vm_size};
use std::fmt;

/// A command: the program and its arguments, each as the program is to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    argv: Vec<String>,
    /// Program and arguments that the output goes through; empty for none.
    filter: Vec<String>,
}

impl Command {
    /// A command without arguments. The program is never one that a target chose.
    #[must_use]
    pub fn new(program: &'static str) -> Command {
        Command { argv: vec![program.to_owned()], filter: Vec::new() }
    }

    /// One more argument, whatever is in it.
    #[must_use]
    pub fn arg(mut self, word: impl Into<String>) -> Command {
        self.argv.push(word.into());
        self
    }

    /// More arguments.
    #[must_use]
    pub fn args<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Command {
        self.argv.extend(words.into_iter().map(Into::into));
        self
    }

    /// A path as an argument of its own. One that begins with `-` gets `./` before it, so that the
    /// program takes it for no option.
    #[must_use]
    pub fn path(self, path: &str) -> Command {
        let before = if path.starts_with('-') { "./" } else { "" };
        self.arg(format!("{before}{path}"))
    }

    /// The output goes through another command, which no target has a word in.
    #[must_use]
    pub fn through(mut self, filter: &[&'static str]) -> Command {
        self.filter = filter.iter().map(|&it| it.to_owned()).collect();
        self
    }

    /// The program and its arguments.
    #[must_use]
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The command as it is typed into a POSIX shell; `None` where a word of it cannot be copied
    /// from a screen.
    #[must_use]
    pub fn typed(&self) -> Option<String> {
        self.argv.iter().all(|it| quote::can_be_copied(it)).then(|| self.rendered())
    }

    fn rendered(&self) -> String {
        match self.filter.as_slice() {
            [] => quote::line(&self.argv),
            filter => format!("{} | {}", quote::line(&self.argv), quote::line(filter)),
        }
    }
}

/// What to do: commands, flags, a setting of the kernel, or a phrase.
///
/// Its text ([`Display`](fmt::Display)) has a line for each command, to be typed into a POSIX shell.
/// Where a word of it cannot be copied from a screen, as it has a control character in it or a mark
/// that reorders text, there is no command at all, and a sentence tells why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Said(String),
    Flags(Vec<String>),
    Commands(Vec<Command>),
    Write { value: String, path: String },
    File { text: String, path: String },
}

impl Action {
    /// A phrase or a sentence. Names in it are reported and not to be typed; what cannot be shown of
    /// them comes out as `\u{a}`.
    #[must_use]
    pub fn say(text: impl AsRef<str>) -> Action {
        Action(Kind::Said(quote::shown(text.as_ref())))
    }

    /// The sentence in place of a command that there is no way to write with this word in it.
    #[must_use]
    pub fn impossible(program: &'static str, word: &str) -> Action {
        let word = reported(word, quote::can_be_copied);
        Action(Kind::Said(format!("No command is given: {program} has no way to write {word}.")))
    }

    /// Flags for the JVM's command line, a word each.
    #[must_use]
    pub fn flags<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Action {
        Action(Kind::Flags(words.into_iter().map(Into::into).collect())).checked()
    }

    /// One flag for the JVM's command line.
    #[must_use]
    pub fn flag(word: impl Into<String>) -> Action {
        Action::flags([word])
    }

    /// Commands, one after the other.
    #[must_use]
    pub fn run(commands: impl IntoIterator<Item = Command>) -> Action {
        Action(Kind::Commands(commands.into_iter().collect())).checked()
    }

    /// A value to write to a file of the kernel.
    #[must_use]
    pub fn write(value: impl Into<String>, path: impl Into<String>) -> Action {
        Action(Kind::Write { value: value.into(), path: path.into() }).checked()
    }

    /// A text to put into a file, which is reported as text: there is no one line for it.
    #[must_use]
    pub fn file(text: impl Into<String>, path: impl Into<String>) -> Action {
        Action(Kind::File { text: text.into(), path: path.into() }).checked()
    }

    /// The commands; empty where it is something else.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        match &self.0 {
            Kind::Commands(commands) => commands,
            _ => &[],
        }
    }

    /// The flags; empty where it is something else.
    #[must_use]
    pub fn jvm_flags(&self) -> &[String] {
        match &self.0 {
            Kind::Flags(flags) => flags,
            _ => &[],
        }
    }

    /// The value to write and the file, where it is that.
    #[must_use]
    pub fn setting(&self) -> Option<(&str, &str)> {
        match &self.0 {
            Kind::Write { value, path } => Some((value, path)),
            _ => None,
        }
    }

    /// Whether it is said in words, and nothing to copy.
    #[must_use]
    pub fn is_said(&self) -> bool {
        matches!(self.0, Kind::Said(_))
    }

    /// The same for a screen that shows nothing but ASCII: a word that has other characters cannot
    /// be copied from there.
    #[must_use]
    pub fn in_ascii(&self) -> Action {
        self.refused(|word| word.is_ascii()).unwrap_or_else(|| self.clone())
    }

    fn checked(self) -> Action {
        self.refused(quote::can_be_copied).unwrap_or(self)
    }

    /// The sentence in its place where a word of it is not `fine`.
    fn refused(&self, fine: impl Fn(&str) -> bool) -> Option<Action> {
        let bad = |words: &[String]| words.iter().find(|it| !fine(it)).cloned();
        let (what, word) = match &self.0 {
            Kind::Said(_) => return None,
            Kind::Flags(flags) => ("No flag is given: it would be".to_owned(), bad(flags)?),
            Kind::Commands(commands) => {
                let (command, word) = commands.iter().find_map(|it| Some((it, bad(&it.argv)?)))?;
                (format!("No command is given: an argument of {} would be", command.argv[0]), word)
            }
            Kind::Write { value, path } if fine(value) => {
                let what = format!("No command is given: the file to write {value} to would be");
                (what, bad(std::slice::from_ref(path))?)
            }
            Kind::File { text, path } => {
                let line = text.lines().find(|it| !fine(it)).unwrap_or(path);
                let what = "No text is given: a line of the file, or its name, would be".to_owned();
                (what, bad(&[line.to_owned()])?)
            }
            Kind::Write { value, .. } => {
                ("No command is given: the value to write would be".to_owned(), value.clone())
            }
        };
        let text = format!(
            "{what} {}, which has control characters or others in it that cannot be copied from here.",
            reported(&word, &fine)
        );
        Some(Action(Kind::Said(text)))
    }
}

/// What a flag sets that has one value: `-Xmx` of `-Xmx1g`, `UseNUMA` of `-XX:+UseNUMA`.
pub(crate) fn flag_name(flag: &str) -> Option<&str> {
    let short = || flag.starts_with("-Xmx").then_some("-Xmx");
    VmFlag::of(flag).map(|it| it.name).or_else(short)
}

/// The number or size that a flag sets, in bytes where it is a size.
pub(crate) fn flag_number(flag: &str) -> Option<u64> {
    vm_size(VmFlag::of(flag).map_or_else(|| flag.strip_prefix("-Xmx"), VmFlag::value)?)
}

/// A word that is reported in a sentence: no line can be broken inside of it, so that no line begins
/// with text that another user chose.
fn reported(word: &str, fine: impl Fn(&str) -> bool) -> String {
    format!("`{}`", quote::escaped_unless(word, |c| c != " " && fine(c)))
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Said(text) => f.write_str(text),
            Kind::Flags(flags) => f.write_str(&quote::line(flags)),
            Kind::Commands(commands) => {
                let lines: Vec<String> = commands.iter().map(Command::rendered).collect();
                f.write_str(&lines.join("\n"))
            }
            Kind::Write { value, path } => {
                let print = if quote::every_echo_prints(value) { "echo" } else { r"printf '%s\n'" };
                write!(f, "{print} {} > {}", quote::quoted(value), quote::quoted(path))
            }
            Kind::File { text, path } => {
                write!(f, "{} with:", quote::quoted(path))?;
                text.lines().try_for_each(|line| write!(f, "\n    {line}"))
            }
        }
    }
}
