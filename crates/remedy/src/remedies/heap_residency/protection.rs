//! `memory.low` of a group, and of those around it.
//!
//! A group is protected no better than those around it: what a parent has is divided among its
//! children, by what each was promised (`Documentation/admin-guide/cgroup-v2.rst`, `memory.low`;
//! `effective_protection` of `mm/page_counter.c`). So each ancestor needs the sum of what is
//! promised to groups in it.
use super::number;
use crate::{Change, GroupMemory, Refusal, UnitProperty, units::Units};
use recorder::{MemoryGroups, Roots};
use std::{fs, path::Path};

/// More groups are in none.
const MAX_SIBLINGS: usize = 4096;

/// How the memory of a group of version 2 is kept.
pub(super) struct Protection<'a> {
    pub(super) roots: &'a Roots,
    pub(super) groups: &'a MemoryGroups,
    /// `memory.min` in place of `memory.low`.
    pub(super) hard: bool,
}

impl Protection<'_> {
    fn file(&self) -> &'static str {
        if self.hard { "memory.min" } else { "memory.low" }
    }

    /// The changes still missing to protect this many bytes, the innermost group first.
    pub(super) fn changes(&self, bytes: u64) -> Result<Vec<Change>, Refusal> {
        let mut changes = Vec::new();
        let mut needed = bytes;
        let mut inner: Option<&Path> = None;
        for group in &self.groups.directories {
            if let Some(inner) = inner {
                needed = needed.saturating_add(self.promised_to_others(group, inner));
            }
            inner = Some(group);
            let file = group.join(self.file());
            let Ok(now) = fs::read_to_string(&file) else {
                return Err(Refusal::new(
                    format!(
                        "`{}` is not there: the group has no memory controller",
                        file.display()
                    ),
                    "enable it in cgroup.subtree_control of the groups around it",
                ));
            };
            let now = now.trim();
            if now == "max" || now.parse::<u64>().is_ok_and(|now| now >= needed) {
                continue;
            }
            changes.push(self.change(group, needed));
        }
        Ok(changes)
    }

    /// What other groups in `parent` than `own` are promised.
    fn promised_to_others(&self, parent: &Path, own: &Path) -> u64 {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten().take(MAX_SIBLINGS);
        let groups = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
        let others = groups.map(|it| it.path()).filter(|it| it != own);
        // One that is promised everything has what it uses.
        let promised = others.filter_map(|it| {
            number(&it.join(self.file())).or_else(|| number(&it.join("memory.current")))
        });
        promised.fold(0, u64::saturating_add)
    }

    fn change(&self, group: &Path, bytes: u64) -> Change {
        let property = if self.hard { "MemoryMin" } else { "MemoryLow" };
        match unit(self.roots, self.groups, group) {
            Some(unit) => Change::UnitProperty(UnitProperty {
                unit,
                property: property.into(),
                to: bytes.to_string(),
            }),
            None => Change::GroupMemory(GroupMemory {
                file: as_mounted(self.roots, &group.join(self.file())),
                to: bytes.to_string(),
            }),
        }
    }
}

/// The unit whose own a group is, where systemd runs this host: it may set the group's values anew at any
/// time. A name is no proof, as a user who may make groups names them (see [`Units`]).
pub(super) fn unit(roots: &Roots, groups: &MemoryGroups, group: &Path) -> Option<String> {
    if roots.sys != Path::new("/sys") {
        return None;
    }
    let below = group.strip_prefix(roots.sys.join("fs/cgroup")).ok()?;
    let mut names = below.components();
    if !groups.is_v2 {
        // The controller, or several.
        names.next();
    }
    let path = Path::new("/").join(names.as_path());
    Units::default().any_of_group(path.to_str()?)
}

/// The name of a file as it is on a host, wherever its root of `/sys` is.
pub(super) fn as_mounted(roots: &Roots, file: &Path) -> String {
    let below = file.strip_prefix(&roots.sys).map(|it| Path::new("/sys").join(it));
    below.unwrap_or_else(|_| file.to_owned()).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `memory.low` of groups, as `group=value` words; what becomes of them for 100 bytes of `/a/b`.
    fn check(values: &str, expected: &[&str]) {
        let sys = tempfile::tempdir().unwrap();
        let root = sys.path().join("fs/cgroup");
        for (group, value) in values.split(' ').filter_map(|it| it.split_once('=')) {
            fs::create_dir_all(root.join(group)).unwrap();
            fs::write(root.join(group).join("memory.low"), format!("{value}\n")).unwrap();
            fs::write(root.join(group).join("memory.current"), "7\n").unwrap();
        }
        let directories = ["a/b", "a"].map(|it| root.join(it)).into();
        let groups = MemoryGroups { is_v2: true, directories, complete: true };
        let roots = Roots { proc: sys.path().into(), sys: sys.path().into() };
        let protection = Protection { roots: &roots, groups: &groups, hard: false };
        let changes = protection.changes(100).unwrap();
        let shown: Vec<String> = changes
            .iter()
            .map(|it| format!("{}={}", it.subject(), it.wanted().unwrap_or_default()))
            .map(|it| it.replace("/sys/fs/cgroup/", "").replace("/memory.low", ""))
            .collect();
        assert_eq!(shown, expected, "{values}");
    }

    #[test]
    fn every_group_up_to_the_root_is_given_what_is_promised_in_it() {
        check("a=0 a/b=0", &["a/b=100", "a=100"]);
        check("a=99 a/b=100", &["a=100"]);
        check("a=100 a/b=100", &[]);
        check("a=max a/b=max", &[]);
        check("a=0 a/b=0 a/c=40", &["a/b=100", "a=140"]);
        check("a=140 a/b=0 a/c=40", &["a/b=100"]);
        check("a=0 a/b=0 a/c=max", &["a/b=100", "a=107"]);
    }
}
