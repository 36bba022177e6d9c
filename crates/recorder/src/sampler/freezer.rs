//! Whether the freezer of the JVM's control group holds it.
//!
//! A thread that version 2 has frozen looks as if it slept, so only the group's file tells.
use crate::host::{ProcessDir, Roots, freezer_groups};
use recording::{Interval, MonoTime};
use rustix::io::pread;
use std::fs::File;

/// The files of the freezer, and their last values.
#[derive(Debug, Default)]
pub(crate) struct Freezer {
    files: Vec<File>,
    since: Option<MonoTime>,
}

impl Freezer {
    pub(crate) fn open(roots: &Roots, dir: &ProcessDir) -> Freezer {
        let files = freezer_groups(roots, dir).into_iter().flat_map(|group| {
            ["cgroup.events", "freezer.state"].map(|name| File::open(group.join(name)).ok())
        });
        Freezer { files: files.flatten().collect(), since: None }
    }

    /// Samples; answers over which time it was held, when that is over, and goes on counting.
    pub(crate) fn sample(&mut self, at: MonoTime) -> Option<Interval> {
        let mut bytes = [0; 256];
        let frozen = self.files.iter().any(|file| {
            let length = pread(file, &mut bytes, 0).unwrap_or(0);
            is_frozen(&bytes[..length])
        });
        match (frozen, self.since) {
            (true, None) => {
                self.since = Some(at);
                None
            }
            (true, Some(_)) | (false, None) => None,
            (false, Some(since)) => {
                self.since = None;
                Some(Interval::new(since, at))
            }
        }
    }

    /// Since when it is held.
    pub(crate) fn since(&self) -> Option<MonoTime> {
        self.since
    }
}

/// `frozen 1` of `cgroup.events`, `FROZEN` of `freezer.state`.
fn is_frozen(text: &[u8]) -> bool {
    text.split(|it| *it == b'\n').any(|line| line == b"frozen 1" || line == b"FROZEN")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn both_versions_tell() {
        assert!(is_frozen(b"populated 1\nfrozen 1\n"));
        assert!(!is_frozen(b"populated 1\nfrozen 0\n"));
        assert!(is_frozen(b"FROZEN\n"));
        assert!(!is_frozen(b"FREEZING\n"));
        assert!(!is_frozen(b"THAWED\n"));
        assert!(!is_frozen(b""));
    }

    #[test]
    fn the_time_is_reported_when_it_is_over() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut freezer = Freezer { files: vec![file.reopen().unwrap()], since: None };
        assert_eq!(freezer.sample(MonoTime(1)), None);
        file.write_all(b"FROZEN\n").unwrap();
        assert_eq!(freezer.sample(MonoTime(2)), None);
        assert_eq!(freezer.sample(MonoTime(3)), None);
        assert_eq!(freezer.since(), Some(MonoTime(2)));
        file.as_file().set_len(0).unwrap();
        assert_eq!(freezer.sample(MonoTime(9)), Some(Interval::new(MonoTime(2), MonoTime(9))));
    }
}
