//! A log of safepoints for as long as a recording lasts, for a JVM that keeps none.
use super::{
    error::AskError,
    journal::{self, Entry, Journal, Log},
    socket::Asked,
    until::Until,
};
use crate::{
    Jvm, Roots,
    host::{By, ProcessDir, Rights},
};
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat},
};
use std::{fs::File, io, os::fd::AsRawFd, sync::atomic::AtomicBool};

/// In the directory's name, so that the log is known among the JVM's open files.
pub(crate) const MARK: &str = "whypause-safepoints-";
const DIRECTORY: &str = "dev/shm";
const FILE: &str = "safepoint.log";
/// The file that is written, and the one before it: 16 MiB of memory at most.
const ROTATION: &str = "filecount=1,filesize=8m";
const LEFT: [&str; 2] = [FILE, "safepoint.log.0"];
/// Files in memory (`include/uapi/linux/magic.h`).
const TMPFS_MAGIC: u32 = 0x0102_1994;

/// A log in memory that the JVM writes at our request. Switched off and removed when dropped; where
/// that fails, or nobody lives to do it, by the next recorder ([`Journal::undo`]).
#[derive(Debug)]
pub struct SafepointLog {
    asked: Asked,
    /// Not there once it has been left to the next recorder, or removed.
    entry: Option<Entry>,
    shm: OwnedFd,
    rights: Rights,
    /// Below `/dev/shm` of the JVM.
    name: String,
}

impl SafepointLog {
    /// Switches it on (`VM.log`, JDK 9 and later), in a directory in memory that belongs to the
    /// JVM's user alone. Waits for five seconds at most, or until `interrupt` is raised.
    ///
    /// # Errors
    /// Where the JVM cannot be asked, has no `/dev/shm` in memory, or another recorder has switched
    /// one on; and where nothing could be kept in the journal.
    pub fn switch_on(
        roots: &Roots,
        jvm: &Jvm,
        journal: &Journal,
        interrupt: &AtomicBool,
    ) -> Result<SafepointLog, AskError> {
        let until = Until::new(interrupt);
        let asked = Asked::open(roots, jvm, &until)?;
        let dir = ProcessDir::open(roots, jvm.pid)?;
        let (shm, rights) = until.run(move || Ok((in_memory(&dir)?, Rights::of(&dir)?)))?;
        // The start makes it another name for another process with the same id.
        let name = format!("{MARK}{}-{}", jvm.pid_in_namespace, jvm.start_ticks);
        let (uid, gid) = rights.ids();
        let entry = journal.enter(&Log {
            boot: journal::boot(roots),
            pid: jvm.pid,
            start_ticks: jvm.start_ticks,
            uid,
            gid,
            name: name.clone(),
        })?;
        make_directory(&shm, &name, &rights).inspect_err(|_| {
            // Nothing of ours is there.
            entry.remove();
        })?;
        let log = SafepointLog { asked, entry: Some(entry), shm, rights, name };
        let rotation = format!("output_options=\"{ROTATION}\"");
        log.asked.command(&set(&log.name, "safepoint*=info,gc*=info", &rotation), &until)?;
        Ok(log)
    }
}

/// The command that says what goes into the log.
fn set(name: &str, what: &str, options: &str) -> String {
    let path = format!("/{DIRECTORY}/{name}/{FILE}");
    let decorators = "tn,time,uptime,level,tags";
    format!("VM.log output=\"file={path}\" what=\"{what}\" decorators=\"{decorators}\" {options}")
}

fn switch_off(asked: &Asked, name: &str, interrupt: &AtomicBool) -> Result<(), AskError> {
    asked.command(&set(name, "all=off", ""), &Until::new(interrupt)).map(|_| ())
}

impl Drop for SafepointLog {
    fn drop(&mut self) {
        let never = AtomicBool::new(false);
        let off = switch_off(&self.asked, &self.name, &never);
        // A JVM that has ended writes no more; what it left is removed all the same.
        if matches!(off, Ok(()) | Err(AskError::Gone))
            && let Some(entry) = self.entry.take()
        {
            remove(&self.shm, &self.name, &self.rights);
            entry.remove();
        }
    }
}

/// Switches off the log of a JVM whose recorder was killed, and removes it.
pub(super) fn undo(
    roots: &Roots,
    jvm: &Jvm,
    name: &str,
    interrupt: &AtomicBool,
) -> Result<(), AskError> {
    let until = Until::new(interrupt);
    let dir = ProcessDir::open(roots, jvm.pid)?;
    let (shm, rights) = until.run(move || Ok((in_memory(&dir)?, Rights::of(&dir)?)))?;
    switch_off(&Asked::again(roots, jvm, &until)?, name, interrupt)?;
    remove(&shm, name, &rights);
    Ok(())
}

/// Removes what a JVM that is gone has left in our own `/dev/shm`, as its user.
pub(super) fn remove_here(name: &str, rights: &Rights) {
    if let Ok(shm) = File::open(format!("/{DIRECTORY}")) {
        remove(&shm.into(), name, rights);
    }
}

/// Whether it is a name as [`SafepointLog::switch_on`] makes them.
pub(super) fn is_name(name: &str) -> bool {
    let number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let numbers = name.strip_prefix(MARK).and_then(|it| it.split_once('-'));
    numbers.is_some_and(|(pid, start)| number(pid) && number(start))
}

/// The directory, if its files are in memory: a log must not wait for a disk.
fn in_memory(dir: &ProcessDir) -> Result<OwnedFd, AskError> {
    let directory = dir.directory_inside(&format!("/{DIRECTORY}"))?;
    let about = rustix::fs::fstatfs(&directory).map_err(io::Error::from)?;
    match u32::try_from(about.f_type) {
        Ok(TMPFS_MAGIC) => Ok(directory),
        _ => Err(AskError::Broken(format!("`/{DIRECTORY}` of the jvm is not in memory"))),
    }
}

/// Never one that is there: somebody may have planted links in it.
fn make_directory(shm: &OwnedFd, name: &str, rights: &Rights) -> io::Result<()> {
    let (shm, name, uid) = (shm.try_clone()?, name.to_owned(), rights.uid());
    rights.run(&[shm.as_raw_fd()], |by| {
        // In one of ours the JVM could not write.
        if by == By::Us && rustix::process::geteuid().as_raw() != uid {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(mkdirat(&shm, &name, Mode::RWXU)?)
    })
}

/// Removes the directory with what the JVM writes there.
fn remove(shm: &OwnedFd, name: &str, rights: &Rights) {
    let Ok(shm) = shm.try_clone() else { return };
    let name = name.to_owned();
    let _ = rights.run(&[shm.as_raw_fd()], |_| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = openat(&shm, &name, flags, Mode::empty())?;
        for file in LEFT {
            let _ = unlinkat(&directory, file, AtFlags::empty());
        }
        Ok(unlinkat(&shm, &name, AtFlags::REMOVEDIR)?)
    });
}
