//! A file whose reads and writes take as long as one likes: the only file of a FUSE file system
//! that a process of this program serves.
//!
//! ```text
//! JVM and others → a file system → loop device → the file `image` → the kernel's FUSE → the server
//! ```
//!
//! To what lies above it is a disk with a queue: metadata and journal wait in it like data. It
//! needs no control group, no disk and no second device, and is the same on every host.
//!
//! The server is a process of its own, as a process that waits for a file system cannot serve it.
//! It outlives a killed lab, so that what others have on the disk is not lost, and lets go of its
//! limits then; the lab's guardian, or else its next start, ends it. When it is killed itself, the kernel answers
//! everything on the file with an error, at once.
mod blocks;
mod pace;
mod server;

use crate::{
    Cleanup, LabError, Reason, Running, Undo, WorkDir,
    cleanup::{MOUNT_POINT, set_limit},
    disk::Limit,
    small_file, tool,
};
use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

pub use server::{Served, serve};

/// The verb of this program that is the server.
pub const VERB: [&str; 2] = ["lab", "serve-disk"];

/// The only file of the file system.
const IMAGE: &str = "image";

/// What the server holds where it keeps everything on a disk.
const DATA: &str = "data";

/// The kernel's side of FUSE.
const DEVICE: &str = "/dev/fuse";

/// What else the server needs, and some.
const SPARE_MIB: u64 = 256;

/// A server that is up within this, on any host that can run the lab.
const START_PATIENCE: Duration = Duration::from_secs(20);

/// What the server keeps the file's contents in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Its own memory, which is never swapped: no other disk, however busy, makes this one slower.
    /// Zeros take none, and there is a bound for the rest.
    Memory {
        /// The most of the rest that is kept.
        most_mib: u32,
    },
    /// A file in the work directory, for what may be large.
    Disk,
}

/// The file.
#[derive(Clone, Debug)]
pub(crate) struct SlowFile {
    dir: PathBuf,
}

/// Whether this host can have such files.
///
/// # Errors
/// What is missing.
pub(crate) fn can_run(stored_mib: u32) -> Result<(), Reason> {
    if !rustix::process::geteuid().is_root() {
        return Err(Reason::new("a slow disk needs root", "run it with sudo"));
    }
    if !fuse_is_known() {
        let mut load = spawn::command("modprobe");
        load.arg("fuse");
        // what it says is asked of the kernel in the next line
        drop(tool::output(load));
    }
    if !fuse_is_known() {
        let hint = "modprobe fuse, or install the package of the kernel's further modules";
        return Err(Reason::new("the kernel does not know the file system fuse", hint));
    }
    if !Path::new(DEVICE).exists() {
        let hint = "in a container, give it the host's /dev/fuse";
        return Err(Reason::new(format!("there is no `{DEVICE}`"), hint));
    }
    has_memory(&small_file::read(Path::new("/proc/meminfo")), stored_mib)
}

fn fuse_is_known() -> bool {
    let list = small_file::read(Path::new("/proc/filesystems"));
    list.lines().any(|line| line.split_whitespace().last() == Some("fuse"))
}

fn has_memory(meminfo: &str, stored_mib: u32) -> Result<(), Reason> {
    let available = crate::large_blocks::available_mib(meminfo);
    let needed = u64::from(stored_mib) + SPARE_MIB;
    if available >= needed {
        return Ok(());
    }
    let lacks = format!("{available} MiB of memory are available, and a slow disk needs {needed}");
    Err(Reason::new(lacks, "end what uses memory, or use a larger host"))
}

impl SlowFile {
    /// Makes the file, full of zeros and not slow yet. `name` is that of its directory.
    ///
    /// # Errors
    /// [`LabError::Program`] with the server's last words where it does not start.
    pub(crate) fn create(
        cleanup: &mut Cleanup,
        work_dir: &WorkDir,
        name: &str,
        bytes: u64,
        storage: Storage,
    ) -> Result<SlowFile, LabError> {
        let dir = work_dir.path().join(name);
        cleanup.promise(Undo::Remove { path: dir.clone() })?;
        std::fs::create_dir_all(dir.join(MOUNT_POINT))
            .map_err(LabError::step(format!("create `{}`", dir.display())))?;
        cleanup.promise(Undo::Disconnect { dir: dir.clone() })?;
        start(cleanup, &dir, bytes, storage)?;
        cleanup.promise(Undo::Lift { dir: dir.clone() })?;
        Ok(SlowFile { dir })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(MOUNT_POINT).join(IMAGE)
    }

    /// Sets a limit, from the next request on; others stay as they are.
    ///
    /// # Errors
    /// [`LabError::Step`] where the server does not answer.
    pub(crate) fn limit(&self, limit: Limit) -> Result<(), LabError> {
        set_limit(&self.dir, Some(limit)).map_err(LabError::step("make the disk slow"))
    }
}

fn start(cleanup: &mut Cleanup, dir: &Path, bytes: u64, storage: Storage) -> Result<(), LabError> {
    let most_mib = match storage {
        Storage::Memory { most_mib } => Some(most_mib),
        Storage::Disk => None,
    };
    let served = Served { dir: dir.to_path_buf(), bytes, lab: std::process::id(), most_mib };
    let command = command(&served).map_err(LabError::step("find this program"))?;
    let (stdout, stderr) = (dir.join("out"), dir.join("err"));
    let mut server = Running::start_server(cleanup, command, &stdout, &stderr)?;
    let failed = |message| LabError::Program { program: "the slow disk".into(), message };
    let until = Instant::now() + START_PATIENCE;
    while !small_file::read(&stdout).contains(server::READY) {
        if let Some(status) = server.ended()? {
            return Err(failed(
                small_file::last_line(&stderr).unwrap_or_else(|| status.to_string()),
            ));
        }
        if Instant::now() > until {
            return Err(failed(format!("not running after {} s", START_PATIENCE.as_secs())));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// This program, as the server.
#[cfg(not(test))]
fn command(served: &Served) -> io::Result<Command> {
    let mut command = spawn::command(std::env::current_exe()?);
    command.args(VERB).arg(&served.dir);
    command.args([served.bytes.to_string(), served.lab.to_string()]);
    if let Some(mib) = served.most_mib {
        command.arg("--in-memory").arg(mib.to_string());
    }
    Ok(command)
}

/// The program of the tests, as the server.
#[cfg(test)]
fn command(served: &Served) -> io::Result<Command> {
    let mut command = spawn::command(std::env::current_exe()?);
    command.args(["--exact", "--nocapture", "slow_file::tests::server_of_the_tests"]);
    command.env(tests::SERVED, serde_json::to_string(served)?);
    Ok(command)
}

#[cfg(test)]
mod tests;
