//! Why no connection to a JVM could be made, or a command on it failed.
use std::{fmt, io};

/// Why no connection to a JVM could be made, or a command on it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionError {
    /// It has no handler for SIGQUIT: the signal would end it.
    NoSigquitHandler,
    /// It did not begin to listen (`-XX:+DisableAttachMechanism`, or it belongs to another user).
    NotResponding,
    /// Whether it accepts attach requests is not known, so it was not signalled.
    Unsure(String),
    /// The process has ended, or another one has its id.
    Gone,
    /// Another process answers where the JVM should.
    Impostor(String),
    /// It did not answer within five seconds.
    Late,
    /// The recorder was interrupted before it had answered.
    Interrupted,
    /// The command was refused.
    Refused(String),
    /// The connection failed.
    Broken(String),
}

impl std::error::Error for ConnectionError {}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectionError::NoSigquitHandler => f.write_str(
                "the JVM has no handler for SIGQUIT and cannot be \
                                           attached to",
            ),
            ConnectionError::NotResponding => {
                f.write_str("the JVM does not accept attach requests")
            }
            ConnectionError::Unsure(why) => {
                write!(f, "whether the JVM accepts attach requests is not known: {why}")
            }
            ConnectionError::Gone => f.write_str("the JVM has ended"),
            ConnectionError::Impostor(why) => write!(
                f,
                "another process would answer the attach request: \
                                                  {why}"
            ),
            ConnectionError::Late => f.write_str("the JVM did not answer within 5 s"),
            ConnectionError::Interrupted => f.write_str("interrupted before the JVM answered"),
            ConnectionError::Refused(why) => write!(f, "the JVM refused to answer: {why}"),
            ConnectionError::Broken(why) => write!(f, "the attach request failed: {why}"),
        }
    }
}

impl From<io::Error> for ConnectionError {
    fn from(error: io::Error) -> ConnectionError {
        ConnectionError::Broken(error.to_string())
    }
}
