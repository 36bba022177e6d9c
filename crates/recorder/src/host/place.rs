//! What a change of a JVM's surroundings must know before it is made.
use super::{Roots, jvm::Jvm, process::ProcessDir};
use crate::aside::{self, Kind};
use rustix::fd::{AsRawFd, OwnedFd};
use std::io;

/// File systems whose files are in memory (`include/uapi/linux/magic.h`): tmpfs and ramfs.
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];
/// The kernel's own limit for an environment is of this order.
const ENVIRONMENT_LIMIT_BYTES: u64 = 8 << 20;

const KIND: Kind = Kind::with_thread(c"whypause-opener", None);

/// A directory of a JVM.
#[derive(Debug)]
pub struct Directory {
    /// To look up names in it and no more.
    pub descriptor: OwnedFd,
    /// Whether its files are in memory.
    pub in_memory: bool,
}

/// The directory in which a JVM has a file of this name, looked up below the JVM's root with its
/// rights. May wait for a disk, ten seconds at most.
///
/// # Errors
/// Where it is not there, or the JVM may not look there.
pub fn directory_of(roots: &Roots, jvm: &Jvm, file: &str) -> io::Result<Directory> {
    let dir = ProcessDir::open(roots, jvm.pid)?;
    let (parent, _) = file.rsplit_once('/').unwrap_or((".", file));
    let descriptor = match (parent, file.starts_with('/')) {
        ("", _) => dir.directory_inside("/")?,
        (path, true) => dir.directory_inside(path)?,
        (".", false) => dir.working_directory()?,
        (path, false) => dir.directory_inside(&format!("{}/{path}", dir.link("cwd")?))?,
    };
    // A file system of the JVM's user need not answer.
    let kind = aside::run(KIND, &[descriptor.as_raw_fd()], || {
        Ok(vec![u64::try_from(rustix::fs::fstatfs(&descriptor)?.f_type).unwrap_or(0)])
    })?;
    let in_memory = kind.iter().any(|it| IN_MEMORY.contains(it));
    Ok(Directory { descriptor, in_memory })
}

/// A path of a JVM as an absolute one inside the JVM's root: what is relative begins where the JVM runs.
///
/// # Errors
/// Where the JVM's working directory may not be read.
pub fn absolute_path(roots: &Roots, jvm: &Jvm, path: &str) -> io::Result<String> {
    absolute(&ProcessDir::open(roots, jvm.pid)?, path)
}

pub(super) fn absolute(dir: &ProcessDir, path: &str) -> io::Result<String> {
    if path.starts_with('/') {
        return Ok(path.to_owned());
    }
    // As seen from here; of a process with a root of its own that comes first in it.
    let (cwd, root) = (dir.link("cwd")?, dir.link("root").unwrap_or_default());
    let inside = cwd.strip_prefix(root.trim_end_matches('/'));
    let inside = inside.filter(|it| it.is_empty() || it.starts_with('/')).unwrap_or(&cwd);
    Ok(format!("{}/{}", inside.trim_end_matches('/'), path.trim_start_matches("./")))
}

/// A variable of the environment that a JVM was started with; `None` where it has none of that name.
///
/// # Errors
/// Where its environment may not be read.
pub fn variable_of(roots: &Roots, jvm: &Jvm, name: &str) -> io::Result<Option<String>> {
    let bytes = ProcessDir::open(roots, jvm.pid)?.bytes("environ", ENVIRONMENT_LIMIT_BYTES)?;
    let of = |it: &[u8]| -> Option<String> {
        let rest = it.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(rest).into_owned())
    };
    Ok(bytes.split(|it| *it == 0).find_map(of))
}

/// Whether a JVM sees the mounts that we see: not in a container, nor with a `/tmp` of its own.
///
/// # Errors
/// Where that may not be known.
pub fn sees_our_mounts(roots: &Roots, jvm: &Jvm) -> io::Result<bool> {
    let ours = std::fs::read_link(roots.proc.join("self/ns/mnt"))?;
    let theirs = ProcessDir::open(roots, jvm.pid)?.link("ns/mnt")?;
    Ok(ours.to_str() == Some(&*theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_begins_where_the_process_runs() {
        let dir = ProcessDir::open(&Roots::default(), std::process::id()).expect("our own");
        let here = std::env::current_dir().expect("it is there");
        let here = here.to_str().expect("UTF-8");
        for relative in ["gc.log", "./gc.log"] {
            assert_eq!(absolute(&dir, relative).expect("it is read"), format!("{here}/gc.log"));
        }
        assert_eq!(absolute(&dir, "/a/gc.log").expect("it is there"), "/a/gc.log");
    }
}
