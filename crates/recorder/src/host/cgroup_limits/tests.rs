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
        let roots = Roots { proc: self.0.path().join("proc"), sys: self.0.path().join("sys") };
        let shown = limits(&roots, 7).map_or("none".into(), |it| {
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
fn of_equal_limits_the_innermost_is_named() {
    let host = Host::new(V2, "0::/a/b\n");
    for group in ["a/b", "a"] {
        host.file(&format!("sys/fs/cgroup/{group}/cpu.max"), "50000 100000\n");
        host.file(&format!("sys/fs/cgroup/{group}/memory.max"), "1000\n");
    }
    host.check("v2 /a/b 50ms/100ms+0ns /a/b 1000 -");
}

#[test]
fn without_a_limit_the_jvms_own_group_is_told() {
    let host = Host::new(V2, "0::/a/b\n");
    host.file("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    host.file("sys/fs/cgroup/a/b/memory.max", "max\n");
    host.check("v2 /a/b 0ns/100ms+0ns /a/b - -");
}

#[test]
fn on_a_hybrid_host_each_controller_has_its_own_hierarchy() {
    let host = Host::new(HYBRID, "3:memory:/m/x\n2:cpu,cpuacct:/c/x\n0::/u\n");
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
