//! How the program ends.
use std::process::ExitCode;

/// What the exit code says. The same for every command, and part of the man page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked. Also where Ctrl-C ended `record` or `watch`: that is how they end.
    Fine,
    /// A gate failed: of `check`, or a lab run did not show what it must show.
    Gate,
    /// The arguments or the input were wrong, or the host refused.
    Usage,
    /// The input is sound but cannot answer the question, or a part of a long run is left.
    NotEnough,
    /// Of a process of `watch --wait` alone: the JVM has ended, and the next one is waited for.
    NextJvm,
    /// Ctrl-C or a termination signal ended it before it was done.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Gate => 1,
            Exit::Usage => 2,
            Exit::NotEnough => 3,
            Exit::NextJvm => 4,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
