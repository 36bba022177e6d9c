//! Gates as workflow commands of GitHub Actions, which shows them as annotations of the run.
//!
//! A workflow command is a line `::error title=TITLE::MESSAGE`. What is in it comes from names of files
//! and from recordings, so it is encoded as GitHub documents it: nothing ends the line, a property or
//! the command, and no name begins another command.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
use super::Checked;
use crate::value;
use diagnose::Outcome;
use std::io::{self, Write};

/// Writes an error for each gate that failed, a warning for each that the input cannot judge, a notice
/// for each that is accepted, and a last line with the numbers of all.
///
/// # Errors
///
/// Those of `out`.
pub fn write(all: &[Checked], out: &mut dyn Write) -> io::Result<()> {
    for it in all {
        let Some((command, message)) = annotation(it) else { continue };
        let title = property(&format!("{}: {}", it.input, it.gate));
        writeln!(out, "::{command} title={title}::{}", data(&message))?;
    }
    let count = |outcome| all.iter().filter(|it| it.outcome == outcome).count();
    let [passed, failed, unknown] = [Outcome::Passed, Outcome::Failed, Outcome::Unknown].map(count);
    writeln!(out, "{passed} passed, {failed} failed, {unknown} unknown")
}

/// The command and its message; none for a gate that passed.
fn annotation(it: &Checked) -> Option<(&'static str, String)> {
    let is = || format!("{} is {}, limit {}", it.gate, it.actual(), value::shown(it.limit));
    match (it.outcome, &it.accepted) {
        (Outcome::Failed, _) => {
            let blame = it.blame.as_ref().map(|it| format!("\n{it}")).unwrap_or_default();
            Some(("error", is() + &blame))
        }
        (Outcome::Unknown, _) => Some(("warning", format!("not known: {}", it.missing))),
        (Outcome::Passed, Some(accepted)) => {
            let reason = Some(accepted.reason.as_str()).filter(|it| !it.is_empty());
            let reason = reason.map(|it| format!(" ({it})")).unwrap_or_default();
            Some(("notice", format!("{}; accepted: {}{reason}", is(), accepted.id)))
        }
        (Outcome::Passed, None) => None,
    }
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which also a colon and a comma end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_part_is_encoded() {
        assert_eq!(data("100 %25\r\nb: c, d"), "100 %2525%0D%0Ab: c, d");
        assert_eq!(property("100 %\nb: c, d"), "100 %25%0Ab%3A c%2C d");
    }
}
