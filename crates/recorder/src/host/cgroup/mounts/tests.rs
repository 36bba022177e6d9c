//! Texts of the kernel in, paths below the mount out.
use super::*;

fn v2(root: &str) -> String {
    format!("30 22 0:26 {root} /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n")
}

fn v1(root: &str) -> String {
    format!("31 22 0:27 {root} /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n")
}

/// Where process 7 is found below the mount that has these groups, each with its processes.
fn check(version: Version, mounts: &str, path: &str, groups: &[(&str, &str)], expected: &str) {
    let root = tempfile::tempdir().unwrap();
    for (group, pids) in groups {
        let group = root.path().join(group);
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("cgroup.procs"), pids).unwrap();
    }
    let mount = of(mounts, version, "cpu").into_iter().next();
    let found = mount.and_then(|it| inside(&it, root.path(), path, 7));
    let shown = found.map_or("none".into(), |it| format!("/{}", it.display()));
    assert_eq!(shown, expected, "{mounts}{path}");
}

#[test]
fn on_the_host_the_path_is_the_path() {
    check(Version::V2, &v2("/"), "/pods/a", &[], "/pods/a");
    check(Version::V2, &v2("/"), "/", &[], "/");
    check(Version::V1, &v1("/"), "/docker/a", &[], "/docker/a");
    let hybrid = format!("{}{}", v2("/"), v1("/"));
    check(Version::V1, &hybrid, "/docker/a", &[], "/docker/a");
}

#[test]
fn a_container_of_version_1_has_its_own_group_mounted() {
    check(Version::V1, &v1("/docker/a"), "/docker/a", &[], "/");
    check(Version::V1, &v1("/docker/a"), "/docker/a/b", &[], "/b");
    check(Version::V1, &v1("/docker/a"), "/docker/ab", &[], "none");
    check(Version::V1, &v1("/docker/a"), "/", &[], "none");
}

#[test]
fn in_a_cgroup_namespace_with_its_own_mount_only_groups_below_are_seen() {
    check(Version::V2, &v2("/"), "/app", &[], "/app");
    check(Version::V2, &v2("/"), "/../other", &[("other", "7\n")], "none");
    check(Version::V2, &v2("/.."), "/../other", &[], "/other");
    check(Version::V2, &v2("/../pods"), "/../pods/a", &[], "/a");
    check(Version::V2, &v2("/../pods"), "/../other/a", &[], "none");
}

#[test]
fn with_the_hosts_groups_mounted_a_sibling_is_found_by_its_process() {
    let groups = [
        ("system.slice", ""),
        ("user.slice/b.scope", "8\n"),
        ("system.slice/a.scope", "9\n"),
        ("system.slice/b.scope", "6\n7\n"),
    ];
    check(Version::V2, &v2("/../.."), "/../b.scope", &groups, "/system.slice/b.scope");
    // Its own group, of which it says only `/`.
    check(Version::V2, &v2("/../.."), "/", &groups, "/system.slice/b.scope");
    check(Version::V2, &v2("/../.."), "/../../user.slice/b.scope", &groups, "/user.slice/b.scope");
    check(Version::V1, &v1("/../.."), "/../b.scope", &groups, "/system.slice/b.scope");
}

#[test]
fn a_group_without_the_process_is_never_taken_for_its_own() {
    let groups = [("system.slice/b.scope", "77\n"), ("user.slice/b.scope", "")];
    check(Version::V2, &v2("/../.."), "/../b.scope", &groups, "none");
    check(Version::V2, &v2("/../../x"), "/../b.scope", &[("a/b.scope", "7\n")], "none");
    check(Version::V2, "", "/a", &[], "none");
}
