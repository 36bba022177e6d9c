//! The very file that a process has mapped, whatever its user has put at its path meanwhile.
use super::{
    maps,
    process::{ProcessDir, READ},
};
use crate::aside::{self, Kind, Passed};
use recording::FileKey;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{FileType, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
    mm::{MapFlags, ProtFlags, mmap, munmap},
};
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    os::fd::AsRawFd,
    ptr::null_mut,
};

/// Opens the file of a mapping for reading: through the mapping itself, which no change of names
/// reaches (needs `CAP_CHECKPOINT_RESTORE` or `CAP_SYS_ADMIN`), or else by its path in the process's
/// root, or (where the process has changed its root within our own namespace) in ours.
///
/// What is found is looked at before it is opened, so that a FIFO or a device is never touched, and it
/// is taken only if it is the file that is mapped. May wait for a disk.
///
/// # Errors
///
/// Where it can be reached by none of these, or where another file is at its path.
pub(crate) fn open(dir: &ProcessDir, mapping: &maps::Mapping) -> io::Result<File> {
    read(dir, mapping, Ok)
}

/// The same with something that is read of it, all of it aside: the file's owner may let reads of
/// its pages block for ever.
///
/// # Errors
/// As [`open`], those of `read`, and `TimedOut` where nothing answers.
pub(crate) fn read<T: Passed>(
    dir: &ProcessDir,
    mapping: &maps::Mapping,
    read: impl FnOnce(File) -> io::Result<T>,
) -> io::Result<T> {
    aside::run(KIND, &[dir.as_fd().as_raw_fd()], || read(open_here_and_now(dir, mapping)?))
}

const KIND: Kind = Kind::with_thread(c"whypause-opener", None);

fn open_here_and_now(dir: &ProcessDir, mapping: &maps::Mapping) -> io::Result<File> {
    let wanted = FileKey { device: mapping.device, inode: mapping.inode };
    let ways: [&dyn Fn() -> io::Result<File>; 3] =
        [&|| open_mapping(dir, &mapping.range), &|| dir.open_inside(&mapping.path), &|| {
            open_here(&mapping.path)
        }];
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for way in ways {
        match way().and_then(|file| Ok((key_as_mapped(&file)?, file))) {
            Ok((key, file)) if key == wanted => return Ok(file),
            Ok(_) => last = io::Error::other("another file is at its path by now"),
            // That another file is there says more than that there is none elsewhere.
            Err(error) if last.kind() != io::ErrorKind::Other => last = error,
            Err(_) => {}
        }
    }
    Err(last)
}

/// The file of a mapping (`7f00-7f10`, as in `maps`): what a process has mapped it may read.
fn open_mapping(dir: &ProcessDir, range: &str) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    open_regular(&openat(dir, format!("map_files/{range}"), flags, Mode::empty())?)
}

/// A regular file in our own root.
fn open_here(path: &str) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let root = rustix::fs::open("/", flags, Mode::empty())?;
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    open_regular(&openat2(&root, path, flags, Mode::empty(), resolve)?)
}

/// Reopens an `O_PATH` descriptor for reading if it is a regular file.
///
/// `O_NOATIME` where allowed: an access time is a write to the journal of the very file system
/// that may be the culprit.
fn open_regular(found: &OwnedFd) -> io::Result<File> {
    let stat = rustix::fs::fstat(found)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let path = format!("/proc/self/fd/{}", found.as_raw_fd());
    let opened = match rustix::fs::open(&path, READ | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => rustix::fs::open(&path, READ, Mode::empty())?,
        other => other?,
    };
    Ok(File::from(opened))
}

/// Device and inode as the kernel writes them into `maps`, for the very comparison with a line of that.
///
/// These need not be those of `fstat`: overlay file systems before Linux 6.8 and those with several
/// trees in one (btrfs) have others there (`show_map_vma` of `fs/proc/task_mmu.c` takes the
/// superblock's). So the file is mapped here too, and the kernel is asked what that is called.
pub(super) fn key_as_mapped(file: &File) -> io::Result<FileKey> {
    let mapped = OnePage::of(file)?;
    let own = BufReader::new(File::open("/proc/self/maps")?);
    for line in own.split(b'\n') {
        if let Some((at, key)) = maps::place(&line?)
            && at == mapped.0 as u64
        {
            return Ok(key);
        }
    }
    Err(io::Error::new(io::ErrorKind::NotFound, "the kernel does not report what is mapped"))
}

/// The first page of a file, mapped and never touched.
struct OnePage(*mut libc::c_void);

impl OnePage {
    const BYTES: usize = 4096;

    #[expect(unsafe_code, reason = "rustix cannot know what else is at an address")]
    fn of(file: &File) -> io::Result<OnePage> {
        // SAFETY: a new place, chosen by the kernel; nobody reads it, so it does not matter what
        // becomes of the file.
        let at =
            unsafe { mmap(null_mut(), Self::BYTES, ProtFlags::READ, MapFlags::PRIVATE, file, 0) };
        Ok(OnePage(at?))
    }
}

impl Drop for OnePage {
    #[expect(unsafe_code, reason = "rustix cannot know what else is at an address")]
    fn drop(&mut self) {
        // SAFETY: what was mapped above, to which there is no reference.
        let _ = unsafe { munmap(self.0, Self::BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Roots;
    use std::{fs, os::unix::fs::MetadataExt};

    /// This very process has its own program mapped.
    fn own() -> (ProcessDir, maps::Mapping) {
        let dir = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
        let mut found = None;
        let program = fs::read_link("/proc/self/exe").unwrap();
        maps::each(&dir, &mut |it| {
            found = found.take().or((it.path == program.to_str().unwrap()).then_some(it));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        (dir, found.unwrap())
    }

    #[test]
    fn a_mapped_file_is_found_and_no_other_is_taken_for_it() {
        let (dir, mapping) = own();
        let inode = open(&dir, &mapping).unwrap().metadata().unwrap().ino();
        assert_eq!(inode, fs::metadata("/proc/self/exe").unwrap().ino());
        // By path alone, as without the right to go through the mapping.
        let by_path = maps::Mapping { range: "0-1".into(), ..mapping.clone() };
        assert_eq!(open(&dir, &by_path).unwrap().metadata().unwrap().ino(), inode);
        let other = maps::Mapping { path: "/etc/passwd".into(), ..by_path.clone() };
        assert_eq!(
            open(&dir, &other).unwrap_err().to_string(),
            "another file is at its path by now"
        );
        let none = maps::Mapping { path: "/nowhere/libjvm.so".into(), ..by_path };
        assert_eq!(open(&dir, &none).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn only_regular_files_are_opened() {
        let (dir, mapping) = own();
        let root = tempfile::tempdir().unwrap();
        let fifo = root.path().join("libjvm.so");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        for path in [fifo.to_str().unwrap(), "/dev/zero", "/tmp"] {
            let there = maps::Mapping { range: "0-1".into(), path: path.into(), ..mapping.clone() };
            let error = open(&dir, &there).unwrap_err();
            assert_eq!(error.to_string(), "not a regular file", "{path}");
        }
    }
}
