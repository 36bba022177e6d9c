//! How much CPU time the JVM under test and its recorders get before others, and when.
use crate::Cleanup;
use std::path::PathBuf;

/// The file with a group's weight, the lab's, and the usual one, in cgroup version 1 and 2.
///
/// Two groups, the JVM's and the recorders', leave a tenth of the CPU time to the rest of the host, such
/// as the shell from which the user may end the lab.
pub(super) const WEIGHTS: [(&str, &str, &str); 2] =
    [("cpu.shares", "4608", "1024"), ("cpu.weight", "450", "100")];

/// Makes sure, while it lives, that the groups of the JVM and of its recorders get their CPU time
/// before others do. Not for longer: for others it is a slow host meanwhile.
#[derive(Debug)]
pub(crate) struct Weighed(Vec<PathBuf>);

impl Weighed {
    /// Where a group cannot be weighed, other work on the host may lengthen pauses.
    pub(crate) fn begin(cleanup: &Cleanup) -> Weighed {
        let weighed = Weighed(cleanup.weighed().to_vec());
        weighed.set(|(_, of_lab, _)| of_lab);
        weighed
    }

    fn set(&self, value: fn((&str, &'static str, &'static str)) -> &'static str) {
        for group in &self.0 {
            for it in WEIGHTS {
                let file = group.join(it.0);
                if file.exists() {
                    // A group that is gone meanwhile needs no weight.
                    let _ = std::fs::write(file, value(it));
                }
            }
        }
    }
}

impl Drop for Weighed {
    fn drop(&mut self) {
        self.set(|(_, _, usual)| usual);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isolation, WorkDir};

    #[test]
    fn the_rest_of_the_host_keeps_a_tenth_of_the_cpus() {
        for (file, of_lab, usual) in WEIGHTS {
            let [of_lab, usual] = [of_lab, usual].map(|it| it.parse::<u32>().unwrap());
            let all = 2 * of_lab + usual;
            assert!(10 * usual >= all, "{file}: {usual} of {all}");
            assert!(of_lab >= 4 * usual, "{file}: the JVM gets most of what others want too");
        }
    }

    #[test]
    fn a_group_weighs_more_than_others_only_while_a_fault_is_recorded() {
        if let Err(reason) = crate::isolation::can_run() {
            println!("SKIPPED: {reason}");
            return;
        }
        let parent = crate::test_dir::TestDir::new();
        let path = parent.path().join("whypause-lab-test");
        let dir = WorkDir::open(&path).unwrap();
        let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
        super::super::enable(&mut cleanup).unwrap();
        let _isolation = Isolation::create(&mut cleanup).unwrap();
        let (file, of_lab, usual) = crate::isolation::weight().unwrap();
        let group = cleanup.weighed()[0].join(file);
        let now = || std::fs::read_to_string(&group).unwrap().trim().to_owned();
        assert_eq!(now(), usual);
        let weighed = Weighed::begin(&cleanup);
        assert_eq!(now(), of_lab);
        drop(weighed);
        assert_eq!(now(), usual);
        cleanup.undo_all().unwrap();
        assert!(!group.exists());
    }
}
