//! A file system in memory on a directory, until the next boot.
use super::{ChangeError, Host, Kind, Value};
use crate::{Action, Command};
use rustix::mount::{MountFlags, UnmountFlags};
use serde::{Deserialize, Serialize};
use std::{ffi::CString, fs, io};

/// What is mounted, in the list of mounts: so it is known as ours.
const SOURCE: &str = "whypause";

/// A small tmpfs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The directory.
    pub target: String,
    /// Options of the file system: `size=4m,mode=0755,uid=1000`.
    pub options: String,
}

impl Kind for Mount {
    fn subject(&self) -> String {
        format!("mount on {}", self.target)
    }

    fn wanted(&self) -> Value {
        Some(SOURCE.into())
    }

    /// What is mounted there: the last one hides those before.
    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        let file = host.roots.proc.join("self/mountinfo");
        let text = fs::read_to_string(&file).map_err(ChangeError::file(&file))?;
        Ok(source_of(&text, &self.target))
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let done = match value {
            Some(_) => {
                let options = CString::new(self.options.as_str())
                    .map_err(|_| ChangeError::Refused("options with a zero byte".into()))?;
                let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
                rustix::mount::mount(SOURCE, &self.target, "tmpfs", flags, options.as_c_str())
            }
            // Busy where a JVM has a file there, and then it stays.
            None => rustix::mount::unmount(&self.target, UnmountFlags::NOFOLLOW),
        };
        done.map_err(io::Error::from).map_err(ChangeError::file(&self.target))
    }

    fn by_hand(&self, value: &Value) -> Action {
        Action::run([match value {
            Some(_) => Command::new("mount")
                .args(["-t", "tmpfs", "-o"])
                .arg(format!("{},nosuid,nodev,noexec", self.options))
                .arg(SOURCE)
                .path(&self.target),
            None => Command::new("umount").path(&self.target),
        }])
    }
}

/// What is mounted on exactly this path (field 5 of `mountinfo`); of several the last.
fn source_of(mountinfo: &str, target: &str) -> Value {
    let mut found = None;
    for line in mountinfo.lines() {
        let Some((front, back)) = line.split_once(" - ") else { continue };
        if front.split(' ').nth(4) == Some(target) {
            found = back.split(' ').nth(1).map(str::to_owned);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_last_counts() {
        let text = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
                    2 1 0:9 / /tmp/x rw - tmpfs tmpfs rw\n\
                    3 1 0:10 / /tmp/x rw - tmpfs whypause rw\n";
        assert_eq!(source_of(text, "/tmp/x").as_deref(), Some("whypause"));
        assert_eq!(source_of(text, "/tmp").as_deref(), None);
    }
}
