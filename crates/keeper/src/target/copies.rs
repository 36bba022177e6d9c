//! Which files of a directory are copies of the log, and not files of other programs.
use super::{Kind, directory::TargetDirectory};
use crate::{
    Compression, KeeperError,
    tail::{Whose, whose},
};
use rustix::{
    fs::{Dir, FileType, Mode, OFlags, Stat, fstat, openat},
    io::Errno,
    process::geteuid,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::unix::ffi::{OsStrExt, OsStringExt},
};

/// A file that is not written to any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) number: u32,
    pub(super) bytes: u64,
}

/// All that are there, the oldest first.
#[derive(Debug)]
pub(super) struct Copies {
    pub(super) ours: Vec<Copy>,
    /// Those whose first entry is not whole.
    pub(super) torn: Vec<Copy>,
    /// The number of the next one.
    pub(super) next: u32,
}

/// `gc.log.zst`, `gc.log.2.zst`, …
pub(super) fn name(base: &OsStr, number: u32, compression: Compression) -> OsString {
    let mut name = base.to_owned();
    if number > 1 {
        name.push(format!(".{number}"));
    }
    name.push(format!(".{}", compression.suffix()));
    name
}

fn number(file_name: &[u8], kind: &Kind) -> Option<u32> {
    let rest = file_name.strip_prefix(kind.base.as_bytes())?;
    let rest = rest.strip_suffix(kind.compression.suffix().as_bytes())?.strip_suffix(b".")?;
    if rest.is_empty() {
        return Some(1);
    }
    let number = std::str::from_utf8(rest.strip_prefix(b".")?).ok()?.parse().ok()?;
    // Written in one way only, so that no file is counted twice.
    (number > 1 && name(&kind.base, number, kind.compression).as_bytes() == file_name)
        .then_some(number)
}

/// Looks at all files whose names are those of copies.
pub(super) fn list(directory: &TargetDirectory, kind: &Kind) -> Result<Copies, KeeperError> {
    let failed = |it: Errno| directory.failed("list", OsStr::new("."), it.into());
    let mut copies = Copies { ours: Vec::new(), torn: Vec::new(), next: 1 };
    for entry in Dir::read_from(&directory.directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Some(number) = number(entry.file_name().to_bytes(), kind) else { continue };
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        let Some(file) = file(directory, &name)? else { continue };
        let bytes = file.metadata().map_err(|it| directory.failed("inspect", &name, it))?.len();
        let reported = whose(&mut &file, kind.compression, kind.name);
        match reported.map_err(|it| directory.failed("read", &name, it))? {
            Whose::Ours => copies.ours.push(Copy { number, bytes }),
            Whose::Torn => copies.torn.push(Copy { number, bytes }),
            Whose::Foreign => {}
        }
    }
    copies.ours.sort_by_key(|it| it.number);
    copies.torn.sort_by_key(|it| it.number);
    copies.next = copies.ours.last().map_or(1, |it| it.number.saturating_add(1));
    Ok(copies)
}

/// Opens a file that may be a copy. `None` where it is none: no regular file, another user's, or one
/// that has other names. What only has the name of one is never opened: to open a device does something.
pub(super) fn file(directory: &TargetDirectory, name: &OsStr) -> Result<Option<File>, KeeperError> {
    let path_only = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = openat(&directory.directory, name, path_only, Mode::empty());
    let opened = found.and_then(|found| match is_one_of_ours(&fstat(&found)?) {
        true => directory.open_held(&found),
        false => Err(Errno::NOENT),
    });
    match opened {
        Ok(file) => Ok(Some(file.into())),
        Err(
            Errno::NOENT | Errno::LOOP | Errno::ISDIR | Errno::NXIO | Errno::ACCESS | Errno::PERM,
        ) => Ok(None),
        Err(error) => Err(directory.failed("open", name, error.into())),
    }
}

fn is_one_of_ours(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
        && status.st_uid == geteuid().as_raw()
        && status.st_nlink == 1
}

/// Whether a copy of this log has this name.
pub(super) fn is_ours(
    directory: &TargetDirectory,
    kind: &Kind,
    name: &OsStr,
) -> Result<bool, KeeperError> {
    let Some(file) = file(directory, name)? else { return Ok(false) };
    let reported = whose(&mut &file, kind.compression, kind.name);
    Ok(reported.map_err(|it| directory.failed("read", name, it))? == Whose::Ours)
}
