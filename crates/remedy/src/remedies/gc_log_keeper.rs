//! # Keep a copy of a log that is in memory
//!
//! ## What it changes
//! A process copies what was appended to the log to a directory on a disk, every 5 s, packed: `zstdcat` and `whypause explain` read it.
//! It follows rotation, and where it was killed it goes on where it ended: nothing is lost or copied twice.
//! The JVM never waits for it.
//!
//! ## What it costs
//! At most 1 GiB on the disk for each log: the oldest copies are removed.
//! What was written in the last 5 s is lost where the host goes down.
//!
//! ## How to see that it helped
//! `zstdcat` of the copy ends with the last lines of the log.
//!
//! ## How to undo it
//! `whypause fix --undo gc-log-keeper`: it copies the rest and ends.
//!
//! ## References
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, approach 4.
use crate::{
    Action, Advice, Change, Command, Keep, KeptLog, Plan, Refusal, Remedy, Target, Works, live_log,
};
use diagnose::{Detail, Finding, Situation};
use std::{fs, os::unix::fs::MetadataExt, path::Path};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-log-keeper",
    title: "Keep a copy of a log that is in memory",
    summary: "A process copies a log from memory to a disk, and no thread of the JVM waits for \
              that.",
    page: diagnose::page!("gc_log_keeper.rs"),
    advise,
    plan: Some(plan),
    works: Works::Keeper,
    takes_files: true,
};

/// For a log that goes to memory when the JVM starts the next time; one that is moved while the JVM
/// runs is copied by that.
fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let moves_at_start = situation.feature().is_some_and(|it| it < 17);
    if !moves_at_start || matches!(finding.detail, Detail::Stream(_)) {
        return Vec::new();
    }
    let keeper = Command::new("whypause").args(["fix", "gc-log-keeper"]);
    let keeper = keeper.arg("/dev/shm/gc-PID.log").arg("/var/log").arg("--apply");
    vec![Advice::at_next_start(
        Action::run([keeper]),
        "after the start, with the JVM's process id: copies the log to a disk every 5 s",
    )]
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let [from, to] = target.wishes.paths.as_slice() else {
        return Err(Refusal::new(
            "a log and a directory are to be given",
            "whypause fix gc-log-keeper /dev/shm/gc.log /var/log/kafka --apply",
        ));
    };
    let [from, to] = [absolute(from)?, absolute(to)?];
    let (directory, file) = from.rsplit_once('/').unwrap_or(("", &from));
    let directory = if directory.is_empty() { "/" } else { directory };
    let about = fs::symlink_metadata(&from)
        .map_err(|error| Refusal::new(format!("`{from}`: {error}"), "name the log as it is now"))?;
    if !about.is_file() {
        return Err(Refusal::new(format!("`{from}` is no file"), "a link is not followed"));
    }
    if !fs::metadata(&to).is_ok_and(|it| it.is_dir()) {
        return Err(Refusal::new(format!("`{to}` is no directory"), "make it first"));
    }
    let period = target.wishes.period.unwrap_or(live_log::PERIOD);
    Ok(Plan::new(REMEDY.id)
        .note("it goes on until it is taken back, and is not there after a boot: packaging has a unit for that")
        .change(Change::Keep(Keep {
            log: KeptLog::Here { directory: directory.to_owned(), uid: about.uid() },
            file: file.to_owned(),
            to,
            period_ms: live_log::millis(period),
        })))
}

fn absolute(path: &Path) -> Result<String, Refusal> {
    let absolute = std::path::absolute(path).ok();
    absolute.and_then(|it| it.to_str().map(str::to_owned)).ok_or_else(|| {
        Refusal::new(format!("`{}` cannot be used", path.display()), "give a path in UTF-8")
    })
}
