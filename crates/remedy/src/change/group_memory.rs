//! What a control group of the memory controller may have, or keeps: one number in one of its files.
use super::{ChangeError, Host, Kind, Value};
use crate::{Action, held::Held};
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

/// The files that are changed (`Documentation/admin-guide/cgroup-v2.rst`, `cgroup-v1/memory.rst`).
const FILES: [&str; 5] =
    ["memory.low", "memory.min", "memory.max", "memory.limit_in_bytes", "memory.swappiness"];

/// A value of a control group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupMemory {
    /// The file, below `/sys/fs/cgroup`.
    pub file: String,
    /// What to write.
    pub to: String,
}

impl GroupMemory {
    /// The group's directory and the file's name, if it is one of these.
    fn checked(&self) -> Result<(&Path, &str), ChangeError> {
        let (group, name) = self.file.rsplit_once('/').unwrap_or_default();
        let inside = group.starts_with("/sys/fs/cgroup/") && !group.split('/').any(|it| it == "..");
        match inside && FILES.contains(&name) {
            true => Ok((Path::new(group), name)),
            false => Err(ChangeError::Refused(format!("`{}` is no memory setting", self.file))),
        }
    }

    fn read(&self, file: &Path) -> Result<String, ChangeError> {
        match Held::open(file).and_then(|it| it.text()) {
            Ok(text) => Ok(text.trim().to_owned()),
            // With its group its value is gone, too.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ChangeError::Gone("the control group".into()))
            }
            Err(source) => Err(ChangeError::File { path: self.file.clone(), source }),
        }
    }

    /// Makes room for a lower limit first: version 2 calls the OOM killer where a limit is below
    /// what the group uses (`memory_max_write` of `mm/memcontrol.c`), version 1 only refuses.
    fn make_room(&self, group: &Path, limit: u64) -> Result<(), ChangeError> {
        let current = group.join("memory.current");
        let used = |it: &GroupMemory| it.read(&current)?.parse::<u64>().map_err(|_| no_number());
        let above = used(self)?.saturating_sub(limit);
        if above == 0 {
            return Ok(());
        }
        // It says no where it reclaims less, and is not there before Linux 5.19.
        let reclaim = Held::open(&group.join("memory.reclaim"));
        let _ = reclaim.and_then(|it| it.write(&(above + MARGIN_BYTES).to_string()));
        match used(self)? <= limit {
            true => Ok(()),
            false => Err(ChangeError::Refused(
                "the group uses more than that limit, and the OOM killer would come: end or shrink \
                 what is in it, then undo again"
                    .into(),
            )),
        }
    }
}

/// What the group may take while the limit is written.
const MARGIN_BYTES: u64 = 16 << 20;

fn no_number() -> ChangeError {
    ChangeError::Refused("memory.current of the group is no number".into())
}

impl Kind for GroupMemory {
    fn subject(&self) -> String {
        self.file.clone()
    }

    fn wanted(&self) -> Value {
        Some(self.to.clone())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        self.checked()?;
        Ok(Some(self.read(Path::new(&self.file))?))
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let (group, name) = self.checked()?;
        let value = value.as_deref().unwrap_or_default();
        if let ("memory.max", Ok(limit)) = (name, value.parse()) {
            self.make_room(group, limit)?;
        }
        let done = Held::open(Path::new(&self.file)).and_then(|it| it.write(value));
        done.map_err(ChangeError::file(&self.file))
    }

    fn by_hand(&self, value: &Value) -> Action {
        Action::write(value.clone().unwrap_or_default(), &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_settings_of_groups_are_written() {
        let check = |file: &str, fine: bool| {
            let it = GroupMemory { file: file.into(), to: "1".into() };
            assert_eq!(it.checked().is_ok(), fine, "{file}");
        };
        check("/sys/fs/cgroup/system.slice/a.service/memory.low", true);
        check("/sys/fs/cgroup/memory/a/memory.swappiness", true);
        check("/sys/fs/cgroup/a/cgroup.kill", false);
        check("/sys/fs/cgroup/../../etc/memory.low", false);
        check("/etc/memory.low", false);
        check("memory.low", false);
    }

    #[test]
    fn a_limit_below_what_is_used_is_not_set() {
        let group = tempfile::tempdir().unwrap();
        fs::write(group.path().join("memory.current"), "300\n").unwrap();
        let it = GroupMemory { file: "/sys/fs/cgroup/a/memory.max".into(), to: String::new() };
        assert!(it.make_room(group.path(), 300).is_ok());
        let refused = it.make_room(group.path(), 299).unwrap_err().to_string();
        assert!(refused.contains("the OOM killer would come"), "{refused}");
    }
}
