//! What is known and accepted: ids on the command line, and in files that `doctor` and `check` read.
use crate::{Failure, args::AcceptArgs, console::Console, failure::reason};
use report::doctor::Accepted;
use rustix::{
    fd::{AsRawFd, OwnedFd},
    fs::{CWD, FileType, Mode, OFlags, Stat, fstat, getxattr, openat, stat},
    io::Errno,
    process::{getegid, geteuid},
};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Where ids are read from unless files are named.
const HERE: &str = ".whypause-accept";
const OF_HOST: &str = "/etc/whypause/accepted";
/// More than any list of accepted causes.
const LIMIT_BYTES: u64 = 64 * 1024;

/// All that is accepted; what was given on the command line counts first.
///
/// # Errors
/// Where a file that was named cannot be read, and where an id is none of a hazard or cause.
pub(crate) fn all(args: &AcceptArgs, console: &Console) -> Result<Vec<Accepted>, Failure> {
    let mut all = Vec::new();
    for id in &args.accept {
        all.push(accepted(id, "accepted on the command line", "--accept")?);
    }
    for path in &args.accept_file {
        let text = found(path, OFlags::empty()).and_then(|it| read(&it));
        all.extend(parse(&text.map_err(|error| Failure::file(path, &error))?, path)?);
    }
    if args.accept_file.is_empty() {
        for path in [HERE, OF_HOST].map(PathBuf::from) {
            match unasked(&path) {
                Ok(Ok(text)) => all.extend(parse(&text, &path)?),
                Ok(Err(why)) => console.say(&format!(
                    "`{}` is not read, {why}; to read it all the same: --accept-file",
                    path.display()
                )),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(not_read(&path, &error)),
            }
        }
    }
    Ok(all)
}

fn not_read(path: &Path, error: &io::Error) -> Failure {
    Failure::input(
        format!("cannot read `{}`: {}", path.display(), reason(error)),
        "it lists accepted hazards: make it readable, or name another one with `--accept-file`",
    )
}

/// What a path leads to, not opened yet.
fn found(path: &Path, more: OFlags) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC | more, Mode::empty())?)
}

/// A regular file, whatever waits at the other end of anything else.
fn read(found: &OwnedFd) -> io::Result<String> {
    if FileType::from_raw_mode(fstat(found)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let path = by_descriptor(found);
    let file = File::from(openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?);
    let mut text = String::new();
    file.take(LIMIT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn by_descriptor(found: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", found.as_raw_fd())
}

/// Whether users and groups are named who may more or less than its mode says (`acl(5)`).
fn has_list_of_access(path: &Path) -> bool {
    let nothing: &mut [u8] = &mut [];
    !matches!(
        getxattr(path, "system.posix_acl_access", nothing),
        Err(Errno::NODATA | Errno::NOTSUP)
    )
}

/// A file that is found and not named by the user, if no other user can have written it; or why not. The
/// causes that it accepts do not fail a check.
fn unasked(path: &Path) -> io::Result<Result<String, &'static str>> {
    let found = found(path, OFlags::NOFOLLOW)?;
    let of = fstat(&found)?;
    if FileType::from_raw_mode(of.st_mode) != FileType::RegularFile {
        return Ok(Err("it is no regular file"));
    }
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let directory = stat(parent)?;
    // Where the sticky bit is set others may add files, and replace none of ours; but its owner may.
    let is_sticky = Mode::from_raw_mode(directory.st_mode).contains(Mode::SVTX);
    let may_add = others_may_write(&directory) && (!is_sticky || !is_ours(&directory));
    let has_list =
        has_list_of_access(Path::new(&by_descriptor(&found))) || has_list_of_access(parent);
    if others_may_write(&of) || of.st_nlink > 1 || may_add || has_list {
        return Ok(Err("others may write to it or to its directory"));
    }
    read(&found).map(Ok)
}

/// Whether it is root's or this user's.
fn is_ours(of: &Stat) -> bool {
    [0, geteuid().as_raw()].contains(&of.st_uid)
}

/// Whether a user other than root and this one may. Root trusts no group but its own.
fn others_may_write(of: &Stat) -> bool {
    let mode = Mode::from_raw_mode(of.st_mode);
    let by_group = mode.contains(Mode::WGRP) && ![0, getegid().as_raw()].contains(&of.st_gid);
    !is_ours(of) || mode.contains(Mode::WOTH) || by_group
}

/// Lines `ID [# reason]`; blank lines and those that are a comment alone say nothing.
fn parse(text: &str, path: &Path) -> Result<Vec<Accepted>, Failure> {
    let mut all = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let (id, why) = line.split_once('#').unwrap_or((line, ""));
        if !id.trim().is_empty() {
            let place = format!("{}, line {}", path.display(), n + 1);
            all.push(accepted(id.trim(), why.trim(), &place)?);
        }
    }
    Ok(all)
}

fn accepted(id: &str, reason: &str, place: &str) -> Result<Accepted, Failure> {
    if ids().any(|it| it == id) {
        return Ok(Accepted { id: id.to_owned(), reason: reason.to_owned() });
    }
    Err(unknown(id, &format!(" ({place})")))
}

/// Ids of hazards, and of causes with all their hazards.
fn ids() -> impl Iterator<Item = &'static str> + Clone {
    let hazards: Vec<&str> = diagnose::hazard_kinds().map(|(it, _)| it.id).collect();
    let causes: Vec<&str> = diagnose::causes().iter().map(|it| it.id).collect();
    hazards.into_iter().chain(causes)
}

/// That no hazard and no cause has this id.
pub(crate) fn unknown(id: &str, place: &str) -> Failure {
    let hint = match diagnose::text::nearest(id, ids()) {
        Some(near) => format!("did you mean `{near}`? `whypause doctor --help` lists all"),
        None => "`whypause doctor --help` lists hazards, `whypause cause` causes".to_owned(),
    };
    Failure::input(format!("no hazard or cause is called `{id}`{place}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_id_and_a_reason() {
        let text = "# ours\n\ngc-log-on-disk # a disk of its own\n  swap-in\n";
        let all = parse(text, Path::new("f")).expect("ids that are known");
        let all: Vec<_> = all.iter().map(|it| (it.id.as_str(), it.reason.as_str())).collect();
        assert_eq!(all, [("gc-log-on-disk", "a disk of its own"), ("swap-in", "")]);
    }

    #[test]
    fn a_list_that_others_can_write_is_not_believed_unasked() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(HERE);
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("chmod");
        };
        std::fs::write(&path, "gc-log-on-disk # approved by the security team\n").expect("a list");
        let check = |file, of_directory, believed: bool| {
            mode(&path, file);
            mode(directory.path(), of_directory);
            let read = unasked(&path).expect("it is there");
            assert_eq!(read.is_ok(), believed, "{file:o} in {of_directory:o}: {read:?}");
        };
        check(0o644, 0o755, true);
        check(0o646, 0o755, false);
        check(0o644, 0o757, false);
        check(0o644, 0o1777, true);
        if geteuid().is_root() {
            let chown = |path: &Path, uid| std::os::unix::fs::chown(path, Some(uid), None);
            chown(&path, 65_534).expect("chown");
            check(0o644, 0o755, false);
            chown(&path, 0).expect("chown");
            chown(directory.path(), 65_534).expect("chown");
            check(0o644, 0o755, false);
            chown(directory.path(), 0).expect("chown");
        }
        std::fs::remove_file(&path).expect("it is ours");
        std::os::unix::fs::symlink("/etc/passwd", &path).expect("a link");
        assert!(unasked(&path).is_ok_and(|it| it.is_err()), "a link");
        std::fs::remove_file(&path).expect("it is ours");
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, mode, 0).expect("a FIFO");
        assert!(unasked(&path).is_ok_and(|it| it.is_err()), "a FIFO fails no check");
    }

    /// Its mode says `rw-rw-r--` of a group that root trusts; an access list names another user.
    #[test]
    fn a_list_that_somebody_is_named_for_is_not_believed_unasked() {
        let directory = tempfile::tempdir_in("/var/tmp").expect("a directory");
        let path = directory.path().join(HERE);
        std::fs::write(&path, "gc-log-on-disk\n").expect("a list");
        assert!(unasked(&path).is_ok_and(|it| it.is_ok()));
        // Version 2, then who, what, and which of them (`include/uapi/linux/posix_acl_xattr.h`).
        let nobody = u32::MAX;
        let named =
            [(1, 6, nobody), (2, 6, 65_534), (4, 4, nobody), (16, 6, nobody), (32, 4, nobody)];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (who, may, which) in named {
            list.extend(u16::to_le_bytes(who));
            list.extend(u16::to_le_bytes(may));
            list.extend(u32::to_le_bytes(which));
        }
        let flags = rustix::fs::XattrFlags::empty();
        match rustix::fs::setxattr(&path, "system.posix_acl_access", &list, flags) {
            Err(Errno::NOTSUP) => println!("SKIPPED: /var/tmp has no lists of access"),
            done => {
                done.expect("a list of access");
                assert!(unasked(&path).is_ok_and(|it| it.is_err()));
            }
        }
    }

    #[test]
    fn an_unknown_id_is_reported_with_its_line_and_a_near_one() {
        let failure = parse("\ngc-log-on-disc", Path::new("f")).expect_err("no such id");
        let expected = Failure::input(
            "no hazard or cause is called `gc-log-on-disc` (f, line 2)",
            "did you mean `gc-log-on-disk`? `whypause doctor --help` lists all",
        );
        assert_eq!(failure, expected);
    }
}
