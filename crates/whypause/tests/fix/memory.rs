//! A JVM in a memory control group of its own, what protects it there, and that taken back.
use crate::jvm::{Bench, done, java, said, whypause};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A group below the root of the memory controller, with the file that protects it.
struct Group {
    path: PathBuf,
    file: &'static str,
}

impl Group {
    /// Says why there is none.
    fn new(name: &str) -> Option<Group> {
        let v1 = Path::new("/sys/fs/cgroup/memory");
        let (root, file) = match v1.join("release_agent").exists() {
            true => (v1, "memory.swappiness"),
            false => (Path::new("/sys/fs/cgroup"), "memory.low"),
        };
        let path = root.join(format!("whypause-test-{name}-{}", std::process::id()));
        let made = fs::create_dir(&path).is_ok();
        let group = made.then_some(Group { path, file });
        let group = group.filter(|it| it.path.join(file).exists());
        if group.is_none() {
            println!("SKIPPED: no memory controller for new control groups");
        }
        group
    }

    fn admit(&self, bench: &Bench) {
        fs::write(self.path.join("cgroup.procs"), bench.pid()).unwrap();
    }

    fn value(&self) -> String {
        fs::read_to_string(self.path.join(self.file)).unwrap().trim().to_owned()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Whoever is in it goes back to the root, where the bench ends it.
        let root = self.path.parent().unwrap().join("cgroup.procs");
        for pid in fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default().lines() {
            let _ = fs::write(&root, pid);
        }
        let _ = fs::remove_dir(&self.path);
    }
}

#[test]
fn the_group_of_a_jvm_is_protected_and_what_others_set_since_stays() {
    let Some(java) = java() else { return };
    let bench = Bench::new(&java, &[]);
    let Some(group) = Group::new("protected") else { return };
    group.admit(&bench);
    let before = group.value();
    let plan = done(&["fix", "heap-residency", "-p", &bench.pid()]);
    assert!(plan.contains(group.file) && plan.contains("AlwaysPreTouch"), "{plan}");
    assert_eq!(group.value(), before, "a plan changes nothing");
    done(&["fix", "heap-residency", "-p", &bench.pid(), "--apply"]);
    let wanted = if group.file == "memory.low" { "83886080" } else { "1" };
    assert_eq!(group.value(), wanted);
    let again = whypause(&["fix", "heap-residency", "-p", &bench.pid()]);
    assert!(said(&again).contains("all that protects it is set"), "{}", said(&again));
    done(&["fix", "--undo", "heap-residency"]);
    assert_eq!(group.value(), before);

    done(&["fix", "heap-residency", "-p", &bench.pid(), "--apply"]);
    fs::write(group.path.join(group.file), "7").unwrap();
    let theirs = group.value();
    let text = done(&["fix", "--undo", "heap-residency"]);
    assert!(text.contains("changed by someone else"), "{text}");
    assert_eq!(group.value(), theirs);
}

#[test]
fn a_limit_is_raised_only_where_that_was_asked_for() {
    let Some(java) = java() else { return };
    let bench = Bench::new(&java, &[]);
    let Some(group) = Group::new("limited") else { return };
    let v1 = group.file == "memory.swappiness";
    let limit = group.path.join(if v1 { "memory.limit_in_bytes" } else { "memory.max" });
    fs::write(&limit, "1073741824").unwrap();
    group.admit(&bench);
    let fix = |more: &[&str]| {
        let arguments = ["fix", "heap-residency", "-p", &bench.pid()];
        whypause(&[&arguments[..], more].concat())
    };
    assert!(!said(&fix(&[])).contains(limit.to_str().unwrap()));
    let lower = fix(&["--group-limit", "1G"]);
    assert!(said(&lower).contains("is 1 GiB or more already"), "{}", said(&lower));
    assert!(fix(&["--group-limit", "2G", "--apply"]).status.success());
    assert_eq!(fs::read_to_string(&limit).unwrap().trim(), "2147483648");
    done(&["fix", "--undo", "heap-residency"]);
    assert_eq!(fs::read_to_string(&limit).unwrap().trim(), "1073741824");
}
