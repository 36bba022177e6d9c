//! Programs of the host that the lab runs to their end.
use crate::LabError;
use std::{process::Command, time::Duration};

/// How long a program of the host may take. Those that the lab runs take milliseconds, a file system
/// is made in seconds, and on a host with much load all of them take longer.
const TOOL_PATIENCE: Duration = Duration::from_secs(60);

/// Runs a program of the host to its end and returns what it printed. It is killed where it takes
/// longer than a minute, as one does that waits for a disk.
///
/// # Errors
/// [`LabError::Step`] where it cannot be started, [`LabError::Program`] with its last words where
/// it fails.
pub(crate) fn output(command: Command) -> Result<String, LabError> {
    output_within(command, TOOL_PATIENCE)
}

/// The same with a limit of its own.
///
/// # Errors
/// As [`output`].
pub(crate) fn output_within(command: Command, limit: Duration) -> Result<String, LabError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = spawn::run(command, limit)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let message = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("").trim();
    let message = if message.is_empty() { output.status.to_string() } else { message.to_owned() };
    Err(LabError::Program { program, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_program_is_quoted() {
        let mut command = spawn::command("ls");
        command.arg("/nonexistent/whypause");
        let said = output(command).unwrap_err().to_string();
        assert!(said.starts_with("`ls` failed: "), "{said}");
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_and_named() {
        let mut command = spawn::command("sleep");
        command.arg("600");
        let said = output_within(command, Duration::from_millis(10)).unwrap_err().to_string();
        assert_eq!(said, "`sleep` failed: not done within 10ms, it was killed");
    }
}
