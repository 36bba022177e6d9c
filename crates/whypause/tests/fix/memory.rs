//! A JVM in a memory control group of its own, what protects it there, and that taken back.
use crate::jvm::{Bench, done, jdk, said, whypause};
use testing::Group;

/// A group, and its file that protects it; says why there is none.
fn group(name: &str) -> Option<(Group, &'static str)> {
    let with_file = |it: Group| {
        let file = if it.is_v1() { "memory.swappiness" } else { "memory.low" };
        (it, file)
    };
    let made = Group::with("memory", name).ok().map(with_file);
    let made = made.filter(|(it, file)| it.path().join(file).exists());
    if made.is_none() {
        println!("SKIPPED: no memory controller for new control groups");
    }
    made
}

#[test]
fn the_group_of_a_jvm_is_protected_and_what_others_set_since_stays() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let Some((group, file)) = group("protected") else { return };
    group.admit(bench.jvm.id());
    let before = group.read(file);
    let plan = done(&["fix", "heap-residency", "-p", &bench.pid()]);
    assert!(plan.contains(file) && plan.contains("AlwaysPreTouch"), "{plan}");
    assert_eq!(group.read(file), before, "a plan changes nothing");
    done(&["fix", "heap-residency", "-p", &bench.pid(), "--apply"]);
    let wanted = if file == "memory.low" { "83886080" } else { "1" };
    assert_eq!(group.read(file), wanted);
    let again = whypause(&["fix", "heap-residency", "-p", &bench.pid()]);
    assert!(said(&again).contains("all that protects it is set"), "{}", said(&again));
    done(&["fix", "--undo", "heap-residency"]);
    assert_eq!(group.read(file), before);

    done(&["fix", "heap-residency", "-p", &bench.pid(), "--apply"]);
    group.write(file, "7");
    let theirs = group.read(file);
    let text = done(&["fix", "--undo", "heap-residency"]);
    assert!(text.contains("changed by someone else"), "{text}");
    assert_eq!(group.read(file), theirs);
}

#[test]
fn a_limit_is_raised_only_where_that_was_asked_for() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let Some((group, _)) = group("limited") else { return };
    let file = group.memory_limit();
    let limit = group.path().join(file);
    group.write(file, "1073741824");
    group.admit(bench.jvm.id());
    let fix = |more: &[&str]| {
        let arguments = ["fix", "heap-residency", "-p", &bench.pid()];
        whypause(&[&arguments[..], more].concat())
    };
    assert!(!said(&fix(&[])).contains(limit.to_str().unwrap()));
    let lower = fix(&["--group-limit", "1G"]);
    assert!(said(&lower).contains("is 1 GiB or more already"), "{}", said(&lower));
    assert!(fix(&["--group-limit", "2G", "--apply"]).status.success());
    assert_eq!(group.read(file), "2147483648");
    done(&["fix", "--undo", "heap-residency"]);
    assert_eq!(group.read(file), "1073741824");
}
