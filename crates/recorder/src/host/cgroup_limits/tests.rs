//! Files of control groups in, limits out.
use super::*;
use std::path::PathBuf;

const V2: &str = "30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
const HYBRID: &str = "\
30 22 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
32 22 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
";

struct Host(tempfile::TempDir);

impl Host {
    /// A host with these mounts and a process 7 in these groups.
    fn new(mounts: &str, groups: &str) -> Host {
        let host = Host(tempfile::tempdir().unwrap());
        host.file("proc/self/mountinfo", mounts);
        host.file("proc/7/cgroup", groups);
        host
    }

    fn file(&self, path: &str, text: &str) {
        let path: PathBuf = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn check(&self, expected: &str) {
        self.check_again(&mut Limits::default(), expected);
    }

    fn check_again(&self, limits: &mut Limits, expected: &str) {
        let roots = Roots { proc: self.0.path().join("proc"), sys: self.0.path().join("sys") };
        let shown = limits.read(&roots, 7).map_or("none".into(), |it| {
            let bytes = |it: Option<u64>| it.map_or("-".into(), |it| it.to_string());
            format!(
                "v{} {} {:?}/{:?}+{:?} {} {} {}",
                it.version,
                it.cpu_path,
                it.cpu_quota.unwrap_or_default(),
                it.cpu_period,
                it.cpu_burst,
                it.memory_path,
                bytes(it.memory_max_bytes),
                bytes(it.memory_high_bytes)
            )
        });
        assert_eq!(shown, expected);
    }
}

#[test]
fn the_strictest_group_of_version_2_binds() {
    let host = Host::new(V2, "0::/pods/a/c\n");
    host.file("sys/fs/cgroup/pods/a/c/cpu.max", "200000 100000\n");
    host.file("sys/fs/cgroup/pods/a/cpu.max", "75000 50000\n");
    host.file("sys/fs/cgroup/pods/a/cpu.max.burst", "20000\n");
    host.file("sys/fs/cgroup/pods/cpu.max", "max 100000\n");
    host.file("sys/fs/cgroup/pods/a/c/memory.max", "max\n");
    host.file("sys/fs/cgroup/pods/a/c/memory.high", "900\n");
    host.file("sys/fs/cgroup/pods/a/memory.max", "1000\n");
    host.file("sys/fs/cgroup/pods/memory.max", "1001\n");
    host.check("v2 /pods/a 75ms/50ms+20ms /pods/a/c 1000 900");
}

#[test]
fn innermost_of_equal_limits_is_named() {
    let host = Host::new(V2, "0::/a/b\n");
    for group in ["a/b", "a"] {
        host.file(&format!("sys/fs/cgroup/{group}/cpu.max"), "50000 100000\n");
        host.file(&format!("sys/fs/cgroup/{group}/memory.max"), "1000\n");
    }
    host.check("v2 /a/b 50ms/100ms+0ns /a/b 1000 -");
}

#[test]
fn without_a_limit_the_jvms_own_group_is_reported() {
    let host = Host::new(V2, "0::/a/b\n");
    host.file("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    host.file("sys/fs/cgroup/a/b/memory.max", "max\n");
    host.check("v2 /a/b 0ns/100ms+0ns /a/b - -");
}

#[test]
fn on_a_hybrid_host_each_controller_has_its_own_hierarchy() {
    let host = Host::new(HYBRID, "3:memory:/m/x\n2:cpu,cpuacct:/c/x\n0::/u\n");
    host.file("sys/fs/cgroup/cpu,cpuacct/release_agent", "\n");
    host.file("sys/fs/cgroup/cpu,cpuacct/c/x/cpu.cfs_quota_us", "-1\n");
    host.file("sys/fs/cgroup/cpu,cpuacct/c/x/cpu.cfs_period_us", "100000\n");
    host.file("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "20000\n");
    host.file("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    host.file("sys/fs/cgroup/memory/m/x/memory.limit_in_bytes", "9223372036854771712\n");
    host.file("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4096\n");
    host.check("v1 /c 20ms/100ms+0ns /m 4096 -");
}

#[test]
fn groups_that_are_not_to_be_seen_have_no_limits() {
    Host::new(V2, "0::/../other\n").check("none");
    Host::new("", "0::/a\n").check("none");
    Host::new(V2, "").check("none");
}

#[test]
fn nonsense_is_no_limit() {
    let host = Host::new(V2, "0::/a\n");
    host.file("sys/fs/cgroup/a/cpu.max", "100000 0\n");
    host.file("sys/fs/cgroup/a/memory.max", "many\n");
    host.check("v2 /a 0ns/100ms+0ns /a - -");
}

#[test]
fn the_group_that_is_throttled_binds_and_not_the_strictest() {
    let host = Host::new(V2, "0::/pod/app\n");
    host.file("sys/fs/cgroup/pod/app/cpu.max", "50000 100000\n");
    host.file("sys/fs/cgroup/pod/cpu.max", "100000 100000\n");
    let throttled = |app: u64, pod: u64| {
        host.file("sys/fs/cgroup/pod/app/cpu.stat", &format!("throttled_usec {app}\n"));
        host.file("sys/fs/cgroup/pod/cpu.stat", &format!("throttled_usec {pod}\n"));
    };
    let mut limits = Limits::default();
    throttled(9000, 5);
    host.check_again(&mut limits, "v2 /pod/app 50ms/100ms+0ns /pod/app - -");
    // A neighbour in the pod uses up what the pod has.
    throttled(9000, 6);
    host.check_again(&mut limits, "v2 /pod 100ms/100ms+0ns /pod/app - -");
    throttled(9002, 6);
    host.check_again(&mut limits, "v2 /pod/app 50ms/100ms+0ns /pod/app - -");
}

#[test]
fn a_quota_that_throttled_nobody_is_not_blamed_where_others_may_be_hidden() {
    let host = Host::new(V2, "0::/\n");
    // Only groups below the root have this file: what is mounted is a container's own group.
    host.file("sys/fs/cgroup/cgroup.events", "populated 1\n");
    host.file("sys/fs/cgroup/cpu.max", "50000 100000\n");
    host.file("sys/fs/cgroup/cpu.stat", "throttled_usec 7\n");
    let mut limits = Limits::default();
    host.check_again(&mut limits, "v2 / 0ns/100ms+0ns / - -");
    host.file("sys/fs/cgroup/cpu.stat", "throttled_usec 8\n");
    host.check_again(&mut limits, "v2 / 50ms/100ms+0ns / - -");
}

#[test]
fn from_a_container_with_the_hosts_groups_the_limits_of_another_are_found() {
    let host = Host::new(&V2.replace(" / /sys", " /../.. /sys"), "0::/../b.scope\n");
    host.file("sys/fs/cgroup/pods/b.scope/cgroup.procs", "7\n");
    host.file("sys/fs/cgroup/pods/b.scope/cpu.max", "max 100000\n");
    host.file("sys/fs/cgroup/pods/cpu.max", "50000 100000\n");
    host.file("sys/fs/cgroup/pods/memory.high", "1000\n");
    host.check("v2 /pods 50ms/100ms+0ns /pods - 1000");
}
