//! `watch --keep-now`: the watches that run here are asked to keep the last seconds.
use crate::{Exit, Failure, console::Console};
use rustix::{
    fs::{Stat, stat},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

/// Asks all that this user may send signals to.
pub(super) fn run(console: &Console) -> Result<Exit, Failure> {
    let own = stat("/proc/self/exe").map_err(std::io::Error::from)?;
    let mut asked = 0;
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|it| it.parse().ok()) else { continue };
        if let Some(directory) = ask(pid, &own) {
            asked += 1;
            let whom = format!("asked the watch with process id {pid} to keep the last seconds");
            console.say(&format!("{whom} in {directory}"));
        }
    }
    match asked {
        0 => Err(Failure::input(
            "no watch of yours with `--keep` runs here",
            "start one: `whypause watch --all --keep DIR`; one of another user takes root",
        )),
        _ => Ok(Exit::Fine),
    }
}

/// Sends the signal to a process if it is a watch that keeps; the directory that it was given.
fn ask(pid: u32, own: &Stat) -> Option<String> {
    let process = Pid::from_raw(pid.try_into().ok()?)?;
    // From here on the id cannot come to mean another process.
    let handle = pidfd_open(process, PidfdFlags::empty()).ok()?;
    let program = stat(format!("/proc/{pid}/exe")).ok()?;
    if (program.st_dev, program.st_ino) != (own.st_dev, own.st_ino) {
        return None;
    }
    let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let directory = keeps_in(&arguments)?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // What a watch has started looks the same, and is asked by it.
    if is_started_by_one(&status, own) || !takes_it(&status) {
        return None;
    }
    pidfd_send_signal(&handle, Signal::USR1).ok()?;
    Some(directory)
}

fn is_started_by_one(status: &str, own: &Stat) -> bool {
    let parent = status.lines().find_map(|it| it.strip_prefix("PPid:"));
    let Some(parent) = parent.map(|it| format!("/proc/{}", it.trim())) else { return false };
    let is_ours = stat(format!("{parent}/exe"))
        .is_ok_and(|it| (it.st_dev, it.st_ino) == (own.st_dev, own.st_ino));
    is_ours && fs::read(format!("{parent}/cmdline")).is_ok_and(|it| keeps_in(&it).is_some())
}

/// Whether the signal is a request to it, and not its end: `SigCgt` of `/proc/PID/status` has a bit for each signal that
/// is caught.
fn takes_it(status: &str) -> bool {
    let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or(0);
    caught & (1 << (Signal::USR1.as_raw() - 1)) != 0
}

/// The directory of `--keep` in the arguments of a watch, and not of a part of one: that is asked by the watch.
fn keeps_in(arguments: &[u8]) -> Option<String> {
    let words: Vec<&[u8]> = arguments.split(|it| *it == 0).collect();
    let is_part = words.iter().any(|it| it.starts_with(b"--part"));
    if is_part || !words.contains(&&b"watch"[..]) {
        return None;
    }
    let given =
        words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(b"--keep") {
            Some(b"") => words.get(at + 1).copied(),
            Some(rest) => rest.strip_prefix(b"="),
            None => None,
        })?;
    Some(OsStr::from_bytes(given).to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_the_signal_would_end_is_not_sent_it() {
        assert!(takes_it("Name:\twhypause\nSigCgt:\t0000000000000200\n"));
        assert!(!takes_it("Name:\twhypause\nSigCgt:\t0000000000000100\n"));
        assert!(!takes_it("Name:\twhypause\n"));
    }

    #[test]
    fn a_watch_that_keeps_is_known_by_its_arguments() {
        let check = |words: &str, expected: Option<&str>| {
            let arguments = words.replace(' ', "\0") + "\0";
            assert_eq!(keeps_in(arguments.as_bytes()).as_deref(), expected, "{words}");
        };
        check("whypause watch --all --keep /var/lib/kept", Some("/var/lib/kept"));
        check("whypause --color never watch -p 7 --keep=kept --keep-size 1G", Some("kept"));
        check("whypause watch --all --keep-size 1G", None);
        check("whypause watch --all", None);
        check("whypause watch --keep-now", None);
        check("whypause explain --keep x", None);
        check("whypause watch --part one --keep=kept", None);
    }
}
