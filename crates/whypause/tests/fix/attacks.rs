//! What a JVM's user, its container or a second run might do with what `fix` does as root.
use crate::jvm::{Bench, alone, command, done, jdk, said, whypause};
use rustix::{
    fs::{CWD, FileType, Mode, RenameFlags, inotify, makedev, mknodat, renameat_with},
    process::{Pid, Signal, kill_process},
};
use std::{
    fs,
    mem::MaybeUninit,
    path::{Path, PathBuf},
    process::Command,
};
use testing::{NOBODY, PATIENCE, until};

/// The path at which this test program, started again, exchanges a directory for a link.
const EXCHANGED: &str = "WHYPAUSE_TEST_EXCHANGED";

/// Everything in one shell, as its mounts go with it: a JVM of another user that keeps counters, that user's
/// process that exchanges their directory for a link, and the mount, made and taken back ten times.
const EXCHANGE: &str = r#"
set -e
whypause=$1 java=$2 attacker=$3 disk=$4
mount --bind "$disk" /tmp
chmod 1777 /tmp
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
user=$(id -nu 65534)
counters=/tmp/hsperfdata_$user
mkdir -m 0755 /tmp/precious
as_nobody mkdir -m 0755 "$counters"
as_nobody ln -s /tmp/precious /tmp/link
cp "$attacker" /tmp/attacker
chmod 0755 /tmp/attacker
cat > /tmp/Sleep.java <<'END'
public class Sleep { public static void main(String[] a) throws Exception { Thread.sleep(600000); } }
END
# Itself and not by the function, which is a shell of its own in the background.
setpriv --reuid 65534 --regid 65534 --clear-groups "$java" -Xmx32m -XX:-UsePerfData /tmp/Sleep.java &
jvm=$!
until grep -q libjvm /proc/$jvm/maps; do sleep 0.1; done
# Nothing of what follows means anything where nothing is mounted in peace.
"$whypause" fix hsperfdata-to-tmpfs -p $jvm --apply
grep -q " $counters .* whypause:" /proc/self/mountinfo || echo NOT MOUNTED
"$whypause" fix --undo hsperfdata-to-tmpfs
WHYPAUSE_TEST_EXCHANGED=$counters setpriv --reuid 65534 --regid 65534 --clear-groups \
    /tmp/attacker --exact attacks::counters_of_a_user_who_exchanges_their_directory &
attacker=$!
until [ -L $counters ]; do :; done
mounted=0
for n in 1 2 3 4 5 6 7 8 9 10; do
    "$whypause" fix hsperfdata-to-tmpfs -p $jvm --apply && mounted=$((mounted + 1)) || true
    ! grep -q ' /tmp/precious ' /proc/self/mountinfo || echo LED ASTRAY
    "$whypause" fix --undo hsperfdata-to-tmpfs || echo NOT UNDONE
    ! grep -q "whypause:$counters" /proc/self/mountinfo || echo LEFT
done
echo "MOUNTED $mounted"
kill $attacker $jvm
"#;

/// The attacker: exchanges them until it is killed.
fn exchange() {
    let Some(path) = std::env::var_os(EXCHANGED) else { return };
    loop {
        let _ = renameat_with(CWD, &path, CWD, "/tmp/link", RenameFlags::EXCHANGE);
    }
}

#[test]
fn counters_of_a_user_who_exchanges_their_directory() {
    exchange();
    let Some(jdk) = jdk() else { return };
    if Path::new("/run/systemd/system").exists() {
        println!("SKIPPED: systemd runs here, and the mount would be a unit of the host");
        return;
    }
    let _alone = alone();
    let disk = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut command = spawn::command("unshare");
    command.args(["-m", "--propagation", "private", "sh", "-c", EXCHANGE, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_whypause")).arg(jdk.tool("java"));
    command.arg(std::env::current_exe().unwrap()).arg(disk.path());
    let output = spawn::run(command, 5 * PATIENCE).unwrap();
    let said = said(&output);
    assert!(said.contains("MOUNTED "), "{said}");
    for wrong in ["NOT MOUNTED", "LED ASTRAY", "NOT UNDONE", "LEFT"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
}

#[test]
fn the_variables_of_root_are_not_handed_to_the_jvms_user() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let mut apply = command(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply"], 0);
    apply.env("ROOT_TOKEN", "hunter2");
    assert!(spawn::run(apply, PATIENCE).unwrap().status.success());
    let keeper = bench.keepers()[0];
    let environ = fs::read(format!("/proc/{keeper}/environ")).unwrap();
    assert!(!String::from_utf8_lossy(&environ).contains("ROOT_TOKEN"));
    // Its files in /proc are root's: nobody else can trace it or take its descriptors.
    let look = as_nobody(&format!("cat /proc/{keeper}/environ || ls /proc/{keeper}/fd"));
    assert!(!spawn::run(look, PATIENCE).unwrap().status.success());
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
}

fn as_nobody(script: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = spawn::command("sh");
    command.arg("-c").arg(script).uid(NOBODY).gid(NOBODY);
    command
}

/// As Docker runs it: user 0 without a user namespace, with few capabilities and mounts of its own, and a device
/// among its files where a copy would be.
#[test]
fn keeper_for_container_root_gains_no_rights_and_opens_no_device() {
    let Some(jdk) = jdk() else { return };
    let kept = "--bounding-set=-all,+dac_override,+mknod";
    let by = ["unshare", "--mount", "--propagation", "private", "setpriv", kept];
    let bench = Bench::started_by(&jdk, 0, &by);
    let planted = bench.logs.path().join("gc.log.zst");
    // The other end of a terminal that does not exist: to open it would do nothing here.
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(CWD, &planted, FileType::CharacterDevice, mode, makedev(5, 2)).unwrap();
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, &planted, inotify::WatchFlags::OPEN).unwrap();
    done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply", "--period", "100ms"]);
    let keeper = bench.keepers()[0];
    const DAC_OVERRIDE: &str = "0000000000000002";
    let has = |name| status_of(keeper, name);
    assert_eq!((has("CapEff"), has("CapBnd")), (DAC_OVERRIDE.into(), DAC_OVERRIDE.into()));
    assert_eq!(has("NoNewPrivs"), "1");
    assert_eq!(mounts_of(keeper), mounts_of(bench.jvm.id()));
    assert_eq!(children_of(keeper), "", "nobody with root's rights reads for it");
    until("it is copied under another name", || {
        fs::metadata(bench.logs.path().join("gc.log.2.zst")).is_ok_and(|it| it.len() > 1000)
    });
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    let mut buffer = [MaybeUninit::uninit(); 1024];
    let opened = inotify::Reader::new(&watch, &mut buffer).next().is_ok();
    assert!(!opened, "a device was opened");
    let left = fs::read_dir(bench.logs.path()).unwrap().flatten();
    let hidden = left.filter(|it| it.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "a lock is left");
}

/// A word of `/proc/PID/status`.
fn status_of(pid: u32, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().to_owned()
}

fn mounts_of(pid: u32) -> PathBuf {
    fs::read_link(format!("/proc/{pid}/ns/mnt")).unwrap()
}

fn children_of(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap()
}

/// A container with a user namespace, whose root is an ordinary user of the host, and whose files cannot be
/// written to but for the log's.
const ROOTLESS: &str = r#"mount --bind LOGS LOGS && mount -t tmpfs tmpfs /tmp && mount -o remount,bind,ro / && exec "$@""#;

#[test]
fn log_of_read_only_user_namespace_container_is_copied_without_rights() {
    let Some(jdk) = jdk() else { return };
    let by = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ROOTLESS, "sh"];
    let bench = Bench::started_by(&jdk, NOBODY, &by);
    let before = bench.outputs();
    let pid = bench.pid();
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply", "--period", "100ms"]);
    let keeper = bench.keepers()[0];
    let ids = status_of(keeper, "Uid");
    assert!(ids.split_whitespace().all(|it| it == NOBODY.to_string()), "{ids}");
    const NONE: &str = "0000000000000000";
    assert_eq!(
        (status_of(keeper, "CapEff"), status_of(keeper, "CapBnd")),
        (NONE.into(), NONE.into())
    );
    assert_eq!(mounts_of(keeper), mounts_of(bench.jvm.id()));
    until("it is copied", || {
        fs::metadata(bench.logs.path().join("gc.log.zst")).is_ok_and(|it| it.len() > 1000)
    });
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert_eq!(bench.outputs(), before);
    assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty());
}

/// Two at once, and a third that takes it back.
#[test]
fn two_runs_at_once_leave_the_jvm_its_log() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    for n in 0..10 {
        let apply = ["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"];
        let run = || whypause(&apply);
        let both =
            std::thread::scope(|scope| [scope.spawn(run), scope.spawn(run)].map(|it| it.join()));
        let both: Vec<String> = both.into_iter().map(|it| said(&it.unwrap())).collect();
        let logs = bench.open_logs();
        assert!(logs.iter().any(|it| it.starts_with("/dev/shm/")), "run {n}: {logs:?} {both:?}");
        assert_eq!(bench.keepers().len(), 1, "run {n}: {both:?}");
        done(&["fix", "--undo"]);
        assert_eq!(bench.outputs(), before, "run {n}");
        assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty(), "run {n}");
    }
}

/// The JVM's user has a lock and notes of its own.
#[test]
fn root_and_the_jvms_user_at_once_leave_the_jvm_its_log() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::started(&jdk, &["-Xlog:gc"], NOBODY, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    let apply = ["fix", "gc-log-off-stdout", "-p", &pid, "--apply"];
    let undo = ["fix", "--undo", "gc-log-off-stdout"];
    let run = |arguments: &[&str], uid| spawn::run(command(arguments, uid), PATIENCE).unwrap();
    for n in 0..5 {
        let both = std::thread::scope(|scope| {
            [0, NOBODY].map(|uid| scope.spawn(move || run(&apply, uid))).map(|it| it.join())
        });
        let both = both.map(|it| said(&it.unwrap()));
        let logs = bench.open_logs();
        assert!(logs.iter().any(|it| it.contains("off-stdout")), "run {n}: {logs:?} {both:?}");
        for uid in [NOBODY, 0] {
            let undone = run(&undo, uid);
            assert!(undone.status.success(), "run {n}: {} {both:?}", said(&undone));
        }
        assert_eq!(bench.outputs(), before, "run {n}: {both:?}");
        for left in bench.left_in_memory() {
            fs::remove_dir_all(Path::new("/dev/shm").join(left)).unwrap();
        }
    }
}

/// The end of the log was removed with the directory in memory, and the undo said that all was copied.
#[test]
fn a_log_whose_place_for_copies_is_gone_stays_in_memory() {
    let Some(jdk) = jdk() else { return };
    let mut bench = Bench::of_user(&jdk, &[], NOBODY);
    // So late that the keeper would have nothing by itself.
    done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply", "--period", "1h"]);
    let keeper = i32::try_from(bench.keepers()[0]).unwrap();
    kill_process(Pid::from_raw(keeper).unwrap(), Signal::KILL).unwrap();
    bench.jvm.kill();
    let place = bench.logs.path().to_owned();
    let aside = place.with_extension("aside");
    fs::rename(&place, &aside).unwrap();
    let undo = whypause(&["fix", "--undo", "gc-log-to-tmpfs"]);
    let said = said(&undo);
    fs::rename(&aside, &place).unwrap();
    assert!(!undo.status.success() && said.contains("not undone: copy of gc.log"), "{said}");
    let is_log = |it: &String| it.starts_with("whypause-gc-log-");
    assert!(bench.left_in_memory().iter().any(is_log), "{said}");
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(bench.left_in_memory().is_empty());
    assert!(fs::metadata(place.join("gc.log.zst")).is_ok_and(|it| it.len() > 0));
}

/// What the JVM went on to write to was removed under it.
#[test]
fn changed_output_keeps_its_directory_and_copy() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    let log = bench.open_logs().into_iter().find(|it| it.starts_with("/dev/shm/")).unwrap();
    let set = |what: &str| {
        let mut jcmd = spawn::command(jdk.tool("jcmd"));
        jcmd.args([&pid, "VM.log", &format!("output=file={log}"), what]);
        assert!(spawn::run(jcmd, PATIENCE).unwrap().status.success());
    };
    set("what=gc*=debug");
    let undo = whypause(&["fix", "--undo"]);
    let said = said(&undo);
    assert!(!undo.status.success() && said.contains("changed by someone else"), "{said}");
    assert!(fs::metadata(&log).is_ok() && bench.keepers().len() == 1, "{said}");
    set("what=all=off");
    done(&["fix", "--undo"]);
    assert_eq!(bench.outputs(), before);
    assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty());
}

/// The keeper's user can stop it, which does not stop the undo.
#[test]
fn a_stopped_keeper_does_not_hold_up_the_undo() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let before = bench.outputs();
    done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply"]);
    let keeper = i32::try_from(bench.keepers()[0]).unwrap();
    kill_process(Pid::from_raw(keeper).unwrap(), Signal::STOP).unwrap();
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert_eq!(bench.outputs(), before);
    assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty());
}

/// Another user has put a directory where the log would go.
#[test]
fn a_name_in_memory_that_somebody_has_taken_refuses_nothing() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let before = bench.outputs();
    let ticks = recorder::stat(bench.jvm.id()).unwrap().start_ticks;
    let planted = format!("/dev/shm/whypause-gc-log-to-tmpfs-{}-{ticks}", bench.pid());
    fs::create_dir(&planted).unwrap();
    done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply"]);
    let logs = bench.open_logs();
    assert!(logs.iter().any(|it| it.starts_with(&format!("{planted}-"))), "{logs:?}");
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    fs::remove_dir(&planted).unwrap();
    assert_eq!(bench.outputs(), before);
    assert!(bench.left_in_memory().is_empty());
}

/// The JVM's user has put a file beside its log in memory.
#[test]
fn a_file_of_the_jvms_user_beside_the_log_stays_and_holds_nothing_up() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let before = bench.outputs();
    done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply"]);
    let log = bench.open_logs().into_iter().find(|it| it.starts_with("/dev/shm/")).unwrap();
    let theirs = Path::new(&log).with_file_name("theirs");
    assert!(spawn::run(as_nobody(&format!("echo x > '{}'", theirs.display())), PATIENCE).is_ok());
    let said = done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(said.contains("holds files that are not of whypause"), "{said}");
    assert!(said.contains("stays: ") && said.contains("gc.log*.zst"), "{said}");
    assert_eq!(bench.outputs(), before);
    assert!(done(&["fix", "--undo"]).contains("nothing to undo"));
    fs::remove_dir_all(theirs.parent().unwrap()).unwrap();
}
