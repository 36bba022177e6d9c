//! A slow disk for a command of the user: slow, where it was named, and gone afterwards.
use crate::one_lab;
use spawn::Running;
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};
use testing::until;

fn can_run() -> bool {
    let able = ::lab::slow_disk::can_run().and_then(|()| ::lab::workloads::can_run());
    able.inspect_err(|reason| println!("SKIPPED: {reason}")).is_ok()
}

fn is_mounted() -> bool {
    let dir = ::lab::work_dir::default_path().display().to_string();
    fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&dir)
}

#[test]
fn a_command_gets_a_slow_disk_and_leaves_none() {
    if !can_run() {
        return;
    }
    let _turn = one_lab::turn();
    let begun = Instant::now();
    let write =
        "dd if=/dev/zero of=%dir/file bs=1M count=8 conv=fsync && echo on $(dirname %dir/file)";
    let disk = ["disk", "--write-limit", "4MiB/s", "--size", "64M", "--on-this-host", "--"];
    let ran = one_lab::when_free(&[&disk[..], &["sh", "-c", write]].concat());
    let (stdout, stderr) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{stdout}{stderr}");
    let dir = ::lab::work_dir::default_path().join("slow");
    assert_eq!(stdout, format!("on {}\n", dir.display()), "{stderr}");
    // 8 MiB at 4 MiB/s
    assert!(begun.elapsed() > Duration::from_millis(1900), "{:?}", begun.elapsed());
    assert!(!is_mounted() && !dir.exists());
    let failed = one_lab::when_free(&[&disk[..], &["sh", "-c", "exit 7"]].concat());
    assert_eq!(failed.status.code(), Some(1));
}

#[test]
fn a_disk_whose_lab_is_killed_while_it_is_busy_is_gone_too() {
    if !can_run() {
        return;
    }
    let _turn = one_lab::turn();
    let proof = tempfile::tempdir().unwrap();
    let there = proof.path().join("there");
    // the kernel ends the shell with the lab, and not what that has started
    let word = format!("sleep 600 & echo $! >{0}.new; mv {0}.new {0}; wait", there.display());
    let arguments = ["disk", "--busy", "--on-this-host", "--", "sh", "-c", &word];
    let mut lab = Running::start(one_lab::command(&arguments)).unwrap();
    until("the command runs", || Path::new(&there).exists());
    assert!(is_mounted());
    lab.kill().expect("it ends");
    until("the disk is gone", || !is_mounted());
    let started = std::fs::read_to_string(&there).unwrap();
    until("what the command has started is gone", || {
        !Path::new("/proc").join(started.trim()).exists()
    });
}

/// As where a container is entered by a tool whose session stays outside: it is session 0 in there.
#[test]
fn a_lab_failed_where_its_session_had_begun_outside_of_its_pid_namespace() {
    if !can_run() {
        return;
    }
    let _turn = one_lab::turn();
    let arguments =
        ["lab", "disk", "--on-this-host", "--", "sh", "-c", "cut -d ' ' -f 6 /proc/$$/stat"];
    // the shell stays: without its first process a namespace ends
    let mut command = spawn::command("unshare");
    command.args(["--pid", "--fork", "--mount-proc", "sh", "-c", "\"$@\"; exit $?", "sh"]);
    command.arg(env!("CARGO_BIN_EXE_whypause")).args(arguments);
    let ran = spawn::run(command, Duration::from_secs(120)).unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!((ran.status.code(), &*stdout), (Some(0), "0\n"), "{stderr}");
    assert!(!is_mounted());
}
