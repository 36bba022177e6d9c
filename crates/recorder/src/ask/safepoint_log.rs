//! A log of safepoints for as long as a recording lasts, for a JVM that keeps none.
use super::{error::AskError, socket::Asked, until::Until};
use crate::{Jvm, Roots};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::{
    fs::{self, File},
    io,
    path::Path,
    sync::atomic::AtomicBool,
};

/// In the directory's name, so that the log is known among the JVM's open files.
pub(crate) const MARK: &str = "whypause-safepoints-";
const DIRECTORY: &str = "dev/shm";
const FILE: &str = "safepoint.log";
/// The file that is written, and the one before it: 16 MiB of memory at most.
const ROTATION: &str = "filecount=1,filesize=8m";
const LEFT: [&str; 2] = [FILE, "safepoint.log.0"];
/// Files in memory (`include/uapi/linux/magic.h`).
const TMPFS_MAGIC: u32 = 0x0102_1994;

/// A log in memory that the JVM writes at our request. Switched off and removed when dropped.
#[derive(Debug)]
pub struct SafepointLog {
    asked: Asked,
    shm: File,
    /// Below `/dev/shm` of the JVM.
    name: String,
}

impl SafepointLog {
    /// Switches it on (`VM.log`, JDK 9 and later), in a directory in memory that belongs to the
    /// JVM's user alone.
    ///
    /// # Errors
    /// Where the JVM cannot be asked, or has no `/dev/shm` in memory.
    pub fn switch_on(
        roots: &Roots,
        jvm: &Jvm,
        interrupt: &AtomicBool,
    ) -> Result<SafepointLog, AskError> {
        let until = Until::new(interrupt);
        let process = roots.proc.join(jvm.pid.to_string());
        let shm = in_memory(&process.join("root").join(DIRECTORY))?;
        let asked = Asked::open(roots, jvm, &until)?;
        // The start makes it another name for another process with the same id.
        let name = format!("{MARK}{}-{}", jvm.pid_in_namespace, jvm.start_ticks);
        make_directory(&shm, &name, &process)?;
        let log = SafepointLog { asked, shm, name };
        log.set("safepoint*=info,gc*=info", &format!("output_options=\"{ROTATION}\""), &until)?;
        Ok(log)
    }

    fn set(&self, what: &str, options: &str, until: &Until<'_>) -> Result<String, AskError> {
        let path = format!("/{DIRECTORY}/{}/{FILE}", self.name);
        let decorators = "tn,time,uptime,level,tags";
        let command = format!(
            "VM.log output=\"file={path}\" what=\"{what}\" decorators=\"{decorators}\" {options}"
        );
        self.asked.command(&command, until)
    }
}

impl Drop for SafepointLog {
    fn drop(&mut self) {
        // A JVM that has ended writes no more; what it left is removed all the same.
        let never = AtomicBool::new(false);
        let _ = self.set("all=off", "", &Until::new(&never));
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(directory) = rustix::fs::openat(&self.shm, &*self.name, flags, Mode::empty()) {
            for file in LEFT {
                let _ = rustix::fs::unlinkat(&directory, file, AtFlags::empty());
            }
        }
        let _ = rustix::fs::unlinkat(&self.shm, &*self.name, AtFlags::REMOVEDIR);
    }
}

/// The directory, if its files are in memory: a log must not wait for a disk.
fn in_memory(path: &Path) -> Result<File, AskError> {
    let directory = File::open(path)?;
    let about = rustix::fs::fstatfs(&directory).map_err(io::Error::from)?;
    match u32::try_from(about.f_type) {
        Ok(TMPFS_MAGIC) => Ok(directory),
        _ => Err(AskError::Broken(format!("`/{DIRECTORY}` of the jvm is not in memory"))),
    }
}

/// Never one that is there: somebody may have planted links in it.
fn make_directory(shm: &File, name: &str, process: &Path) -> Result<(), AskError> {
    use std::os::unix::fs::MetadataExt;
    let owner = fs::metadata(process)?;
    rustix::fs::mkdirat(shm, name, Mode::RWXU).map_err(io::Error::from)?;
    if rustix::process::geteuid().as_raw() != owner.uid() {
        let uid = rustix::fs::Uid::from_raw(owner.uid());
        let gid = rustix::fs::Gid::from_raw(owner.gid());
        rustix::fs::chownat(shm, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)
            .map_err(io::Error::from)?;
    }
    Ok(())
}
