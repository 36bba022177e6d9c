//! What is undone of control groups.
use std::path::Path;

/// The file with the controllers that groups below have.
pub(crate) const ENABLED: &str = "cgroup.subtree_control";

/// The controllers that the lab uses.
pub(crate) const CONTROLLERS: [&str; 2] = ["cpu", "memory"];

/// How the names of the lab's groups begin.
pub(crate) const OF_LAB: &str = "whypause-lab";

/// Whether the lab made a group, by its name.
pub(crate) fn is_of_lab(group: &Path) -> bool {
    group.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(OF_LAB.as_bytes()))
}

/// Takes back what [`enable`](crate::control_group::enable) did. Where a group below hands it on to groups of its own by now, it
/// stays: they would lose their limits.
pub(crate) fn disable(file: &Path, name: &str) -> std::io::Result<()> {
    if file.file_name() != Some(ENABLED.as_ref()) || !CONTROLLERS.contains(&name) {
        let what = "not a controller of the lab";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, what));
    }
    match std::fs::write(file, format!("-{name}")) {
        Err(e) if e.kind() == std::io::ErrorKind::ResourceBusy => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_controllers_of_the_lab_are_disabled() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(ENABLED);
        std::fs::write(&file, "").unwrap();
        disable(&file, "memory").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "-memory");
        assert!(disable(&file, "pids").is_err());
        assert!(disable(&dir.path().join("other"), "cpu").is_err());
        disable(&dir.path().join("gone").join(ENABLED), "cpu").unwrap();
    }
}
