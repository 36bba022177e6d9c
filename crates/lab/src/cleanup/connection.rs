//! How the limits of a slow file are set and lifted, and how the connection between the kernel and its
//! server is ended from outside, so that no process waits any more: all present and later requests are
//! answered with an error.
use super::retry::{is_mount_point, retry};
use crate::disk::Limit;
use rustix::mount::UnmountFlags;
use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

/// Where the kernel has a directory for each connection, where that is mounted
/// (`Documentation/filesystems/fuse.rst`, "Control filesystem").
const CONNECTIONS: &str = "/sys/fs/fuse/connections";

/// Where the file system is mounted, below the file's directory.
pub(crate) const MOUNT_POINT: &str = "served";

/// The socket that limits are set through.
pub(crate) const CONTROL: &str = "control";

/// A server that has not answered within this is stopped or gone.
const ANSWER_PATIENCE: Duration = Duration::from_secs(3);

/// A FUSE file system that is mounted here.
#[derive(Debug, PartialEq, Eq)]
struct Mounted {
    target: PathBuf,
    /// The number of its connection: the minor number of its device.
    connection: String,
}

/// Those that are mounted on `dir` or below it. No file of theirs is accessed, as that could
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
pub(super) fn abort_below(dir: &Path) -> io::Result<()> {
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
pub(super) fn disconnect(dir: &Path) -> io::Result<()> {
    let target = &dir.join(MOUNT_POINT);
    retry(|| {
        while is_mount_point(target)? {
            force(target)?;
        }
        Ok(())
    })
}

fn force(target: &Path) -> io::Result<()> {
    Ok(rustix::mount::unmount(target, UnmountFlags::FORCE | UnmountFlags::NOFOLLOW)?)
}

/// Sets a limit, or lifts all of them, and waits for the server's answer.
pub(crate) fn set_limit(dir: &Path, limit: Option<Limit>) -> io::Result<()> {
    let mut stream = UnixStream::connect(dir.join(CONTROL))?;
    stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
    stream.set_write_timeout(Some(ANSWER_PATIENCE))?;
    serde_json::to_writer(&stream, &limit)?;
    stream.write_all(b"\n")?;
    let mut answer = [0];
    stream.read_exact(&mut answer)
}

/// Lifts all limits. Where the server does not answer, everything on the file is answered with an
/// error from now on, so that nothing waits for ever.
pub(crate) fn lift(dir: &Path) -> io::Result<()> {
    match set_limit(dir, None) {
        Err(e)
            if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) =>
        {
            abort_below(dir)
        }
        // no process serves it, so no thread waits for it
        _ => Ok(()),
    }
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
