//! What a change acts on, opened once and held: the only way by which a change reaches a file system.
//!
//! Between two uses of a path the owner of a directory on it can put something else there. So a path is
//! walked once, name by name, and everything after that goes by the descriptor. A link is followed only
//! if root alone could have made it.
use rustix::{
    fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    fs::{
        AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat, fstat, fstatfs, fsync, mkdirat,
        openat, readlinkat, renameat_with, unlinkat,
    },
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, UnmountFlags, fsconfig_create,
        fsconfig_set_string, fsmount, fsopen, move_mount, unmount,
    },
    process::geteuid,
};
use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Component, Path, PathBuf},
};

const PATH_ONLY: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// As many as the kernel follows in one path (`MAXSYMLINKS` of `include/linux/namei.h`).
const MOST_LINKS: u32 = 40;
/// No setting of the kernel and no part of a unit is as long.
const LIMIT_BYTES: u64 = 1 << 20;
/// File systems whose files are settings (`include/uapi/linux/magic.h`).
const OF_THE_KERNEL: [u32; 4] = [
    0x0000_9fa0, // proc
    0x6265_6572, // sysfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
];

/// Files in memory (`include/uapi/linux/magic.h`).
const TMPFS: u32 = 0x0102_1994;

/// A file or directory of the host.
#[derive(Debug)]
pub(crate) struct Held {
    descriptor: OwnedFd,
    path: PathBuf,
    about: Stat,
}

/// A name in a directory that is held. Nothing need be there.
#[derive(Debug)]
pub(crate) struct Named {
    directory: Held,
    name: OsString,
}

/// A directory of this host, to look up names in; no link leads to it that others may have made.
///
/// # Errors
/// Where it is none.
pub fn directory(path: &Path) -> io::Result<OwnedFd> {
    Held::open(&std::path::absolute(path)?)?.into_directory()
}

impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl Held {
    /// What an absolute path leads to.
    ///
    /// # Errors
    /// `NotFound`, and `PermissionDenied` where a link that others may have made is on the way.
    pub(crate) fn open(path: &Path) -> io::Result<Held> {
        let mut names: VecDeque<OsString> = names(path)?.into();
        let root = || Held::at(CWD, OsStr::new("/"), PathBuf::from("/"));
        let (mut here, mut links) = (root()?, 0);
        while let Some(name) = names.pop_front() {
            if name == ".." {
                let above = here.path.parent().unwrap_or(&here.path).to_owned();
                here = Held::at(&here, &name, above)?;
                continue;
            }
            let next = here.below(&name)?;
            if next.kind() != FileType::Symlink {
                here = next;
                continue;
            }
            links += 1;
            if here.others_may_write() {
                return Err(denied(&next.path, "is a link that others may have made"));
            }
            if links > MOST_LINKS {
                return Err(Errno::LOOP.into());
            }
            let target = readlinkat(&here.descriptor, &name, Vec::new())?;
            let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
            if target.is_absolute() {
                here = root()?;
            }
            for name in parts(&target)?.into_iter().rev() {
                names.push_front(name);
            }
        }
        Ok(here)
    }

    /// What has this name in it; of a link the link itself.
    ///
    /// # Errors
    /// `NotFound`, and others of `openat(2)`.
    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Held> {
        Held::at(self.as_fd(), name, self.path.join(name))
    }

    fn at(directory: impl AsFd, name: &OsStr, path: PathBuf) -> io::Result<Held> {
        let descriptor = openat(directory, name, PATH_ONLY, Mode::empty())?;
        let about = fstat(&descriptor)?;
        Ok(Held { descriptor, path, about })
    }

    /// The descriptor of a directory, which is for looking up names in it.
    ///
    /// # Errors
    /// Where it is none.
    pub(crate) fn into_directory(self) -> io::Result<OwnedFd> {
        match self.kind() {
            FileType::Directory => Ok(self.descriptor),
            _ => Err(Errno::NOTDIR.into()),
        }
    }

    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.about.st_mode)
    }

    /// Whose it is.
    pub(crate) fn uid(&self) -> u32 {
        self.about.st_uid
    }

    /// Whether a user other than root and this one may put something into it. The group's bit is enough: it
    /// also stands for all whom an access list names (`acl(5)`), whatever the group.
    pub(crate) fn others_may_write(&self) -> bool {
        let mode = Mode::from_raw_mode(self.about.st_mode);
        let owners = [0, geteuid().as_raw()];
        !owners.contains(&self.about.st_uid) || mode.intersects(Mode::WGRP | Mode::WOTH)
    }

    /// Whether it is a setting of the kernel, or a directory of such.
    ///
    /// # Errors
    /// Where the kernel does not tell.
    pub(crate) fn is_of_the_kernel(&self) -> io::Result<bool> {
        Ok(OF_THE_KERNEL.contains(&self.file_system()?))
    }

    /// Whether it is on a file system in memory.
    ///
    /// # Errors
    /// Where the kernel does not tell.
    pub(crate) fn is_in_memory(&self) -> io::Result<bool> {
        Ok(self.file_system()? == TMPFS)
    }

    fn file_system(&self) -> io::Result<u32> {
        Ok(u32::try_from(fstatfs(&self.descriptor)?.f_type).unwrap_or(0))
    }

    /// All of it, as text.
    ///
    /// # Errors
    /// Where it is no regular file, has more than a MiB, or is no UTF-8.
    pub(crate) fn text(&self) -> io::Result<String> {
        let mut text = String::new();
        self.again(OFlags::RDONLY)?.take(LIMIT_BYTES + 1).read_to_string(&mut text)?;
        match text.len() as u64 <= LIMIT_BYTES {
            true => Ok(text),
            false => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    /// Writes to a setting of the kernel, all at once.
    ///
    /// # Errors
    /// Where it is none, or the kernel refuses.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        if !self.is_of_the_kernel()? {
            return Err(denied(&self.path, "is no setting of the kernel"));
        }
        self.again(OFlags::WRONLY)?.write_all(text.as_bytes())
    }

    /// The same file, opened to be used.
    fn again(&self, flags: OFlags) -> io::Result<File> {
        if self.kind() != FileType::RegularFile {
            return Err(denied(&self.path, "is no regular file"));
        }
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(openat(CWD, self.by_descriptor(), flags, Mode::empty())?.into())
    }

    /// A path that leads to exactly this, whatever is where it was found.
    fn by_descriptor(&self) -> String {
        format!("/proc/self/fd/{}", self.descriptor.as_raw_fd())
    }

    /// Mounts a small file system in memory on it. `source` is what the list of mounts shows; it tells
    /// this mount from all others.
    ///
    /// # Errors
    /// Where it is no directory, or the kernel is older than Linux 5.2.
    pub(crate) fn mount_tmpfs(&self, source: &str, options: &str) -> io::Result<()> {
        if self.kind() != FileType::Directory {
            return Err(Errno::NOTDIR.into());
        }
        let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_set_string(context.as_fd(), "source", source)?;
        for (key, value) in options.split(',').filter_map(|it| it.split_once('=')) {
            fsconfig_set_string(context.as_fd(), key, value)?;
        }
        fsconfig_create(context.as_fd())?;
        let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
            | MountAttrFlags::MOUNT_ATTR_NODEV
            | MountAttrFlags::MOUNT_ATTR_NOEXEC;
        let made = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
        let by_descriptors =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        Ok(move_mount(made.as_fd(), "", self.as_fd(), "", by_descriptors)?)
    }

    /// The id of the mount that it is on, as `/proc/self/mountinfo` has it.
    fn mount_id(&self) -> io::Result<u64> {
        let file = format!("/proc/self/fdinfo/{}", self.descriptor.as_raw_fd());
        let text = std::fs::read_to_string(file)?;
        let id = text.lines().find_map(|it| it.strip_prefix("mnt_id:")?.trim().parse().ok());
        id.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

impl Named {
    /// The last name of an absolute path, in the directory that the rest leads to.
    ///
    /// # Errors
    /// Those of [`Held::open`].
    pub(crate) fn open(path: &Path) -> io::Result<Named> {
        let (parent, name) = path
            .parent()
            .zip(path.file_name())
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(Named { directory: Held::open(parent)?, name: name.to_owned() })
    }

    fn path(&self) -> PathBuf {
        self.directory.path.join(&self.name)
    }

    /// What is there; of a link the link itself.
    ///
    /// # Errors
    /// `NotFound`, and others of `openat(2)`.
    pub(crate) fn held(&self) -> io::Result<Held> {
        self.directory.below(&self.name)
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// Where something is there.
    pub(crate) fn make_directory(&self, mode: Mode) -> io::Result<()> {
        Ok(mkdirat(&self.directory.descriptor, &self.name, mode)?)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// Where it is none.
    pub(crate) fn remove_directory(&self) -> io::Result<()> {
        Ok(unlinkat(&self.directory.descriptor, &self.name, AtFlags::REMOVEDIR)?)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// Where none is there.
    pub(crate) fn remove(&self) -> io::Result<()> {
        Ok(unlinkat(&self.directory.descriptor, &self.name, AtFlags::empty())?)
    }

    /// Replaces what is there by a file with this text, atomically: no reader sees half of it.
    ///
    /// # Errors
    /// Where others may write to the directory, or the file cannot be written.
    pub(crate) fn replace(&self, text: &str) -> io::Result<()> {
        let directory = &self.directory;
        if directory.others_may_write() {
            return Err(denied(&directory.path, "is a directory that others may write to"));
        }
        let mut aside = self.name.clone();
        aside.push(".whypause-new");
        let new = Named { directory: directory.below(OsStr::new("."))?, name: aside };
        // Of a run that was killed.
        let _ = new.remove();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let mut file = File::from(openat(directory, &new.name, flags, mode)?);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let (from, to) = (&new.name, &self.name);
        let named = written.and_then(|()| {
            Ok(renameat_with(directory, from, directory, to, RenameFlags::empty())?)
        });
        if named.is_err() {
            let _ = new.remove();
        }
        named?;
        let synced = openat(directory, ".", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(fsync(synced)?)
    }

    /// Unmounts what is mounted there, if it is the mount with this id.
    ///
    /// # Errors
    /// Where it is another one, or is in use.
    pub(crate) fn unmount(&self, id: u64) -> io::Result<()> {
        if self.held()?.mount_id()? != id {
            return Err(denied(&self.path(), "has another mount by now"));
        }
        // As long as it is mounted nobody in this mount namespace can rename the name. What is held of it
        // would keep it busy.
        let mut path = self.directory.by_descriptor().into_bytes();
        path.push(b'/');
        path.extend(self.name.as_bytes());
        Ok(unmount(path, UnmountFlags::NOFOLLOW)?)
    }
}

fn denied(path: &Path, why: &str) -> io::Error {
    let message = format!("`{}` {why}", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// The names of an absolute path.
fn names(path: &Path) -> io::Result<Vec<OsString>> {
    match path.is_absolute() {
        true => parts(path),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn parts(path: &Path) -> io::Result<Vec<OsString>> {
    let mut all = Vec::new();
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => all.push("..".into()),
            Component::Normal(name) => all.push(name.to_owned()),
            Component::Prefix(_) => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
