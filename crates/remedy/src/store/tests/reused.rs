//! An id of a process that another one has by now.
use super::*;

/// Set where this test program runs again as the first process of a host with few process ids.
const FEW_IDS: &str = "WHYPAUSE_TEST_FEW_IDS";

fn started(program: &str) -> spawn::Running {
    let mut command = spawn::command(program);
    command.arg("60");
    spawn::Running::start(command).unwrap()
}

/// Ends a process and starts others until one has its id: what is done to the first is not done to that.
fn meets_a_reused_id() {
    // Those below 300 are given once (`RESERVED_PIDS` of `include/linux/pid.h`).
    while started("true").id() < 300 {}
    let mut bench = Bench::new();
    let change = bench.change("idle");
    bench.apply(&["idle"]).unwrap();
    let id = bench.sleeper.id();
    bench.sleeper.kill();
    bench.sleeper.wait(std::time::Duration::from_secs(60)).unwrap();
    let later = (0..5_000).find_map(|_| {
        let later = started("sleep");
        (later.id() == id).then_some(later)
    });
    let later = later.expect("an id that is used again");
    let process = Process::of(id).unwrap();
    let of_later = Change::IoPriority(IoPriority { process, to: "idle".into() });
    let priority = || of_later.now(&bench.host()).unwrap().unwrap();
    assert_eq!(priority(), BEFORE);
    for (what, done) in [
        ("read", change.now(&bench.host()).map(drop)),
        ("set", change.set(&Some("idle".into()), &bench.host())),
    ] {
        assert!(matches!(done, Err(ChangeError::Gone(_))), "{what}: {done:?}");
    }
    let undone = bench.undo();
    assert!(undone.left[0].contains("has ended"), "{undone:?}");
    assert_eq!(priority(), BEFORE);
    drop(later);
    println!("an id was used again");
}

#[test]
fn a_later_process_with_the_same_id_is_left_alone() {
    if std::env::var_os(FEW_IDS).is_some() {
        return meets_a_reused_id();
    }
    let script = "echo 400 >/proc/sys/kernel/pid_max && exec \"$@\"";
    let before = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
    // Before Linux 6.14 it is one number for all (`kernel/pid_namespace.c`).
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let version: Vec<u32> = release.split('.').take(2).flat_map(str::parse).collect();
    if !rustix::process::geteuid().is_root() || version < vec![6, 14] {
        println!("SKIPPED: it takes root and Linux 6.14");
        return;
    }
    let mut command = spawn::command("unshare");
    command.args(["--pid", "--fork", "--mount-proc", "sh", "-c", script, "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "--nocapture",
        "store::tests::reused::a_later_process_with_the_same_id_is_left_alone",
    ]);
    command.env(FEW_IDS, "1");
    let output = spawn::run(command, std::time::Duration::from_secs(120)).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("an id was used again"), "{output:?}");
    assert_eq!(fs::read_to_string("/proc/sys/kernel/pid_max").unwrap(), before);
}
