//! A log of safepoints for as long as a recording lasts, for a JVM that keeps none.
use super::{
    error::ConnectionError,
    journal::{self, Entry, Journal, Log},
    memory_directory::MemoryDirectory,
    socket::Connection,
    until::Until,
};
use crate::{
    Jvm, JvmError, Roots,
    host::{self, ProcessDir, gc_log::SAFEPOINT_LOG_MARK},
};
use std::{path::PathBuf, sync::atomic::AtomicBool};

const FILE: &str = "safepoint.log";
/// The file that is written, and the one before it: 16 MiB of memory at most.
const ROTATION: &str = "filecount=1,filesize=8m";
const LEFT: [&str; 2] = [FILE, "safepoint.log.0"];

/// A log in memory that the JVM writes at our request. Switched off and removed when dropped; where
/// that fails, or this process is killed, by the next recorder ([`Journal::undo`]).
#[derive(Debug)]
pub struct SafepointLog {
    connection: Connection,
    /// Not there once it has been left to the next recorder, or removed.
    entry: Option<Entry>,
    directory: MemoryDirectory,
}

impl SafepointLog {
    /// Switches it on (`VM.log`, JDK 9 and later), in a directory in memory that belongs to the
    /// JVM's user alone. Waits for five seconds at most, or until `interrupt` is raised.
    ///
    /// # Errors
    /// Where the JVM cannot be attached to, has no `/dev/shm` in memory, or another recorder has switched
    /// one on; and where nothing could be kept in the journal.
    pub fn switch_on(
        roots: &Roots,
        jvm: &Jvm,
        journal: &Journal,
        interrupt: &AtomicBool,
    ) -> Result<SafepointLog, ConnectionError> {
        let until = Until::new(interrupt);
        let connection = Connection::open(roots, jvm, &until)?;
        let dir = ProcessDir::open(roots, jvm.pid)?;
        // The start makes it another name for another process with the same id.
        let name = format!("{SAFEPOINT_LOG_MARK}{}-{}", jvm.pid_in_namespace, jvm.start_ticks);
        let directory = MemoryDirectory::below(dir, name.clone(), &until)?;
        let (uid, gid) = directory.owner();
        let entry = journal.enter(&Log {
            boot: journal::boot(roots),
            pid: jvm.pid,
            start_ticks: jvm.start_ticks,
            uid,
            gid,
            name,
        })?;
        directory.make().inspect_err(|_| {
            // Nothing of ours is there.
            entry.remove();
        })?;
        let log = SafepointLog { connection, entry: Some(entry), directory };
        let rotation = format!("output_options=\"{ROTATION}\"");
        log.connection
            .command(&set(&log.directory, "safepoint*=info,gc*=info", &rotation), &until)?;
        Ok(log)
    }
}

/// The command that says what goes into the log.
fn set(directory: &MemoryDirectory, what: &str, options: &str) -> String {
    let path = format!("{}/{FILE}", directory.path());
    let decorators = "tn,time,uptime,level,tags";
    format!("VM.log output=\"file={path}\" what=\"{what}\" decorators=\"{decorators}\" {options}")
}

fn switch_off(
    connection: &Connection,
    directory: &MemoryDirectory,
    interrupt: &AtomicBool,
) -> Result<(), ConnectionError> {
    connection.command(&set(directory, "all=off", ""), &Until::new(interrupt)).map(|_| ())
}

impl Drop for SafepointLog {
    fn drop(&mut self) {
        let never = AtomicBool::new(false);
        let off = switch_off(&self.connection, &self.directory, &never);
        // A JVM that has ended writes no more; what it left is removed all the same.
        if matches!(off, Ok(()) | Err(ConnectionError::Gone))
            && let Some(entry) = self.entry.take()
        {
            remove(&self.directory);
            entry.remove();
        }
    }
}

/// Switches off the log of a JVM whose recorder was killed, and removes it.
fn undo(
    roots: &Roots,
    jvm: &Jvm,
    name: &str,
    interrupt: &AtomicBool,
) -> Result<(), ConnectionError> {
    let until = Until::new(interrupt);
    let dir = ProcessDir::open(roots, jvm.pid)?;
    let directory = MemoryDirectory::below(dir, name.to_owned(), &until)?;
    switch_off(&Connection::again(roots, jvm, &until)?, &directory, interrupt)?;
    remove(&directory);
    Ok(())
}

/// Removes what a JVM that is gone has left in our own `/dev/shm`, as its user.
fn remove_here(name: &str, (uid, gid): (u32, u32)) {
    if let Ok(directory) = MemoryDirectory::left_by(name, uid, gid) {
        remove(&directory);
    }
}

/// Removes the directory with what the JVM writes there.
fn remove(directory: &MemoryDirectory) {
    // What is left of it is negligible, and the next recorder's to say.
    let _ = directory.remove(&LEFT.map(str::to_owned));
}

impl Journal {
    /// Switches off the logs whose recorders are gone, and removes what they left. Says what was
    /// done, and what could not be: that stays for the next time.
    pub fn undo(&self, roots: &Roots, interrupt: &AtomicBool) -> Vec<String> {
        let entries = self.entries().into_iter();
        entries.filter_map(|path| undo_entry(path, roots, interrupt)).collect()
    }
}

fn undo_entry(path: PathBuf, roots: &Roots, interrupt: &AtomicBool) -> Option<String> {
    let entry = Entry::open(path.clone()).ok()??;
    let Some(log) = entry.log() else {
        let path = path.display();
        return Some(format!("not undone, because it cannot be read: `{path}`"));
    };
    let what =
        format!("the safepoint log of process {}, left by a recorder that was killed", log.pid);
    match undo_log(&log, roots, interrupt) {
        Ok(said) => {
            entry.remove();
            said.then(|| format!("switched off: {what}"))
        }
        Err(error) => Some(format!("could not switch off {what}: {error}")),
    }
}

/// Says whether the JVM still wrote it.
fn undo_log(log: &Log, roots: &Roots, interrupt: &AtomicBool) -> Result<bool, ConnectionError> {
    if log.boot != journal::boot(roots) {
        return Ok(false);
    }
    match host::jvm(roots, log.pid) {
        Ok(jvm) if jvm.start_ticks == log.start_ticks => {
            undo(roots, &jvm, &log.name, interrupt)?;
            Ok(true)
        }
        Ok(_) | Err(JvmError::NoSuchProcess { .. } | JvmError::NotAJvm { .. }) => {
            // Its `/dev/shm` can be reached only where it is ours.
            remove_here(&log.name, (log.uid, log.gid));
            Ok(false)
        }
        Err(error) => Err(ConnectionError::Broken(error.to_string())),
    }
}
