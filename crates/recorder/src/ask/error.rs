//! Why a JVM could not be asked.
use std::{fmt, io};

/// Why a JVM could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskError {
    /// It has no handler for SIGQUIT: the signal would end it.
    Deaf,
    /// It did not begin to listen (`-XX:+DisableAttachMechanism`, or it belongs to another user).
    Silent,
    /// Whether it lets itself be asked is not known, so it was not signalled.
    Unsure(String),
    /// The process has ended, or another one has its id.
    Gone,
    /// Somebody else answers where the JVM should.
    Impostor(String),
    /// It did not answer within five seconds.
    Late,
    /// Somebody wanted an end before it had answered.
    Interrupted,
    /// The question was refused.
    Refused(String),
    /// The connection failed.
    Broken(String),
}

impl std::error::Error for AskError {}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Deaf => f.write_str(
                "the JVM has no handler for SIGQUIT and cannot be \
                                           attached to",
            ),
            AskError::Silent => f.write_str("the JVM does not accept attach requests"),
            AskError::Unsure(why) => {
                write!(f, "whether the JVM accepts attach requests is not known: {why}")
            }
            AskError::Gone => f.write_str("the JVM has ended"),
            AskError::Impostor(why) => write!(
                f,
                "another process would answer the attach request: \
                                                  {why}"
            ),
            AskError::Late => f.write_str("the JVM did not answer within 5 s"),
            AskError::Interrupted => f.write_str("interrupted before the JVM answered"),
            AskError::Refused(why) => write!(f, "the JVM refused to answer: {why}"),
            AskError::Broken(why) => write!(f, "the attach request failed: {why}"),
        }
    }
}

impl From<io::Error> for AskError {
    fn from(error: io::Error) -> AskError {
        AskError::Broken(error.to_string())
    }
}
