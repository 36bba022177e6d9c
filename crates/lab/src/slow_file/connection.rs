//! The connection between the kernel and the server of a slow file, and how it is ended from outside,
//! so that nobody waits any more: everything that is or will be asked is answered with an error.
use crate::cleanup;
use rustix::mount::UnmountFlags;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Where the kernel has a directory for each connection, where that is mounted
/// (`Documentation/filesystems/fuse.rst`, "Control filesystem").
const CONNECTIONS: &str = "/sys/fs/fuse/connections";

/// A FUSE file system that is mounted here.
#[derive(Debug, PartialEq, Eq)]
struct Mounted {
    target: PathBuf,
    /// The number of its connection: the minor number of its device.
    connection: String,
}

/// Those that are mounted on `dir` or below it. No file is asked: whoever asks for one of theirs may
/// wait.
fn mounted_below(dir: &Path, mountinfo: &str) -> Vec<Mounted> {
    let of_line = |line: &str| {
        let (mount, what) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(2);
        let (_, connection) = fields.next()?.split_once(':')?;
        let target = PathBuf::from(fields.nth(1)?);
        let is_fuse = what.starts_with("fuse ") || what.starts_with("fuse.");
        let connection = connection.to_owned();
        (is_fuse && target.starts_with(dir)).then_some(Mounted { target, connection })
    };
    mountinfo.lines().filter_map(of_line).collect()
}

/// Ends every connection with a server below this directory.
pub(crate) fn abort_below(dir: &Path) -> io::Result<()> {
    let mountinfo = std::fs::read_to_string("/proc/self/mountinfo")?;
    mounted_below(dir, &mountinfo).iter().try_for_each(abort)
}

fn abort(mounted: &Mounted) -> io::Result<()> {
    let file = Path::new(CONNECTIONS).join(&mounted.connection).join("abort");
    if std::fs::write(file, "1").is_ok() {
        return Ok(());
    }
    // The same without the control file system: `fuse_umount_begin` of Linux `fs/fuse/inode.c` aborts
    // the connection before the kernel looks whether the mount is in use.
    match force(&mounted.target) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::ResourceBusy => Ok(()),
        Err(e) => Err(e),
    }
}

/// Ends the connection and unmounts, where it is mounted.
pub(crate) fn disconnect(target: &Path) -> io::Result<()> {
    cleanup::retry(|| {
        while cleanup::is_mount_point(target)? {
            force(target)?;
        }
        Ok(())
    })
}

fn force(target: &Path) -> io::Result<()> {
    Ok(rustix::mount::unmount(target, UnmountFlags::FORCE | UnmountFlags::NOFOLLOW)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_found_by_their_place_alone() {
        let mountinfo = "\
36 25 0:43 / /lab/disk/served rw,nosuid shared:1 - fuse whypause-lab rw,user_id=0
37 25 0:44 / /lab/other/served rw - fuse.other x rw
38 25 7:0 / /lab/slow rw - ext4 /dev/loop0 rw
39 25 0:45 / /laboratory rw - fuse x rw
40 25 0:46 / /sys/fs/fuse/connections rw - fusectl fusectl rw
garbage\n";
        let found = |dir: &str| {
            let found = mounted_below(Path::new(dir), mountinfo);
            found.into_iter().map(|it| it.connection).collect::<Vec<_>>()
        };
        assert_eq!(found("/lab"), ["43", "44"]);
        assert_eq!(found("/lab/disk"), ["43"]);
        assert_eq!(found("/elsewhere"), [""; 0]);
    }
}
