//! A file system in memory for the JVM's counters, in mounts of the test's own.
use crate::jvm::{alone, jdk, said};
use testing::PATIENCE;

/// Everything in one shell, as its mounts go with it: a JVM that keeps counters, the mount, a JVM
/// after it, and the mount taken back.
const SCRIPT: &str = r#"
set -e
whypause=$1 java=$2 disk=$3
mount --bind "$disk" /tmp
chmod 1777 /tmp
install -d -m 0755 /tmp/hsperfdata_root
cat > /tmp/Sleep.java <<'END'
public class Sleep { public static void main(String[] a) throws Exception { Thread.sleep(60000); } }
END
"$java" -Xmx32m /tmp/Sleep.java &
until [ -e /tmp/hsperfdata_root/$! ]; do sleep 0.1; done
first=$!
"$whypause" fix hsperfdata-to-tmpfs -p $first --apply
grep -q ' /tmp/hsperfdata_root .* - tmpfs whypause:/tmp/hsperfdata_root ' /proc/self/mountinfo && echo MOUNTED
[ -e /tmp/hsperfdata_root/$first ] || echo HIDDEN
grep -q "/tmp/hsperfdata_root/$first" /proc/$first/maps && echo KEPT
"$whypause" fix --undo hsperfdata-to-tmpfs
[ -e /tmp/hsperfdata_root/$first ] && echo BACK
for n in 00 02 04 06 08 10 12 14 16 18 20 22 24 26 28 30; do
    timeout -s KILL 0.0$n "$whypause" fix hsperfdata-to-tmpfs -p $first --apply || true
    "$whypause" fix --undo hsperfdata-to-tmpfs
    ! grep -q ' /tmp/hsperfdata_root ' /proc/self/mountinfo
    [ -e /tmp/hsperfdata_root/$first ]
done && echo KILLED
kill $first
"#;

#[test]
fn counters_are_kept_in_memory_from_the_next_start() {
    let Some(jdk) = jdk() else { return };
    if std::path::Path::new("/run/systemd/system").exists() {
        println!("SKIPPED: systemd runs here, and the mount would be a unit of the host");
        return;
    }
    let program = env!("CARGO_BIN_EXE_whypause");
    if std::path::Path::new(program).starts_with("/tmp") {
        println!("SKIPPED: the program is below /tmp, where the test mounts a file system");
        return;
    }
    let _alone = alone();
    let disk = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut command = spawn::command("unshare");
    command.args(["-m", "--propagation", "private", "sh", "-c", SCRIPT, "sh"]);
    command.arg(program).arg(jdk.tool("java")).arg(disk.path());
    let output = spawn::run(command, PATIENCE).unwrap();
    let said = said(&output);
    for word in ["MOUNTED", "HIDDEN", "KEPT", "BACK", "KILLED"] {
        assert!(said.contains(word), "no {word}: {said}");
    }
    assert!(
        said.contains("keep their old file on the disk until they are started again"),
        "{said}"
    );
}
