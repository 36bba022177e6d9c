//! A file system in memory on a directory, until the next boot.
use super::{ChangeError, Host, Kind, Value};
use crate::{Action, Command, held::Named};
use rustix::{fs::FileType, io::Errno};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    fs,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The source of the mount, which distinguishes our mounts from those of others.
const SOURCE: &str = "whypause";

/// A process that looks at all mounts, as `df` and monitors do, keeps each busy for a moment (`propagate_mount_busy`
/// of `fs/pnode.c` counts it as a user).
const LOOKS: Duration = Duration::from_millis(500);
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// A small tmpfs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The directory.
    pub target: String,
    /// To whom the directory belongs: nothing is mounted on another user's.
    #[serde(default)]
    pub owner: u32,
    /// Options of the file system: `size=4m,mode=0755,uid=1000`.
    pub options: String,
}

/// One of ours in the list of mounts.
#[derive(Debug, PartialEq, Eq)]
struct Mounted {
    id: u64,
    path: PathBuf,
}

impl Mount {
    /// The directory's owner may move it before it is mounted on, and the mount with it. So it is
    /// known by what only root can give it, and not by its path.
    fn source(&self) -> String {
        format!("{SOURCE}:{}", self.target)
    }

    /// Where it is, for people.
    fn place(&self) -> String {
        let all = fs::read("/proc/self/mountinfo").unwrap_or_default();
        let found = with_source(&all, &self.source());
        found.map_or(self.target.clone(), |it| it.path.display().to_string())
    }

    fn mounted(&self, host: &Host<'_>) -> Result<Option<Mounted>, ChangeError> {
        let file = host.roots.proc.join("self/mountinfo");
        let text = fs::read(&file).map_err(ChangeError::file(&file))?;
        Ok(with_source(&text, &self.source()))
    }

    fn mount(&self, host: &Host<'_>) -> Result<(), ChangeError> {
        if let Some(it) = self.mounted(host)? {
            let path = it.path.display();
            let why = format!("it is mounted on `{path}` by now, and has to be taken back first");
            return Err(ChangeError::Refused(why));
        }
        let failed = || ChangeError::file(&self.target);
        let directory = Named::open(Path::new(&self.target)).and_then(|it| it.held());
        let directory = directory.map_err(failed())?;
        if directory.kind() != FileType::Directory || directory.uid() != self.owner {
            let why = format!("`{}` is no directory of user {}", self.target, self.owner);
            return Err(ChangeError::Refused(why));
        }
        let done = directory.mount_tmpfs(&self.source(), &self.options);
        done.map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::NOSYS) => ChangeError::Refused("it takes Linux 5.2 or newer".into()),
            _ => failed()(error),
        })?;
        match self.mounted(host)? {
            Some(it) if it.path == Path::new(&self.target) => Ok(()),
            _ => {
                let _ = self.unmount(host);
                Err(ChangeError::Refused(format!("`{}` was moved meanwhile", self.target)))
            }
        }
    }

    fn unmount(&self, host: &Host<'_>) -> Result<(), ChangeError> {
        let until = Instant::now() + LOOKS;
        loop {
            let Some(Mounted { id, path }) = self.mounted(host)? else { return Ok(()) };
            // Busy where a JVM has a file there, and then it stays.
            let done = Named::open(&path).and_then(|it| it.unmount(id));
            let is_busy =
                done.as_ref().is_err_and(|it| Errno::from_io_error(it) == Some(Errno::BUSY));
            if !is_busy || Instant::now() >= until {
                return done.map_err(ChangeError::file(&path));
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
    }
}

impl Kind for Mount {
    fn subject(&self) -> String {
        format!("mount on {}", self.target)
    }

    fn wanted(&self) -> Value {
        Some(SOURCE.into())
    }

    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        let value = |it: Mounted| match it.path == Path::new(&self.target) {
            true => SOURCE.to_owned(),
            false => format!("{SOURCE}, moved to {}", it.path.display()),
        };
        Ok(self.mounted(host)?.map(value))
    }

    fn is_set(&self, now: &Value) -> bool {
        *now == self.wanted()
    }

    /// It is ours wherever it is by now.
    fn are_same(&self, a: &Value, b: &Value) -> bool {
        a.is_some() == b.is_some()
    }

    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        if value.is_some() { self.mount(host) } else { self.unmount(host) }
    }

    fn by_hand(&self, value: &Value) -> Action {
        Action::run([match value {
            Some(_) => Command::new("mount")
                .args(["-t", "tmpfs", "-o"])
                .arg(format!("{},nosuid,nodev,noexec", self.options))
                .arg(self.source())
                .path(&self.target),
            None => Command::new("umount").path(&self.place()),
        }])
    }
}

/// The mount with this source (`Documentation/filesystems/proc.rst`, 3.5); of several the last. A user who
/// may rename a mount point in another mount namespace may give it any name, so a path is bytes.
fn with_source(mountinfo: &[u8], source: &str) -> Option<Mounted> {
    let mounted = |line: &[u8]| {
        let mut words = line.split(|it| *it == b' ');
        let id = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        let path = recorder::unescaped(words.nth(3)?);
        words.find(|it| *it == b"-")?;
        let is_ours =
            words.next()? == b"tmpfs" && recorder::unescaped(words.next()?) == source.as_bytes();
        is_ours.then(|| Mounted { id, path: OsString::from_vec(path).into() })
    };
    mountinfo.split(|it| *it == b'\n').filter_map(mounted).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_known_by_its_source_wherever_it_is() {
        let text = b"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
                    2 1 0:9 / /tmp/x rw - tmpfs tmpfs rw\n\
                    3 1 0:10 / /tmp/y\\040z rw shared:7 - tmpfs whypause:/tmp/x rw\n\
                    4 1 0:11 / /tmp/x rw - tmpfs whypause:/tmp/other rw\n\
                    5 1 0:12 / /tmp/\xff rw - tmpfs whypause:/tmp/bytes rw\n";
        let of = |target: &str| with_source(text, &format!("whypause:{target}"));
        assert_eq!(of("/tmp/x"), Some(Mounted { id: 3, path: "/tmp/y z".into() }));
        assert_eq!(of("/tmp"), None);
        let bytes = PathBuf::from(OsString::from_vec(b"/tmp/\xff".to_vec()));
        assert_eq!(of("/tmp/bytes"), Some(Mounted { id: 5, path: bytes }));
    }
}
