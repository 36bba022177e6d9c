//! Files that are read aside.
use super::*;
use crate::{Roots, host::ProcessDir};
use rustix::{io::Errno, process::Signal};
use spawn::Running;
use std::fs;

fn dir(root: &std::path::Path, pid: u32) -> ProcessDir {
    fs::create_dir_all(root.join(pid.to_string())).unwrap();
    ProcessDir::open(&Roots { proc: root.into(), sys: root.into() }, pid).unwrap()
}

#[test]
fn a_file_of_any_length_is_read_to_its_end_or_not() {
    let root = tempfile::tempdir().unwrap();
    let dir = dir(root.path(), 7);
    for bytes in [0, 1, MESSAGE_BYTES - 1, MESSAGE_BYTES, 3 * MESSAGE_BYTES + 5] {
        let text: Vec<u8> = (0..bytes).map(|it| u8::try_from(it % 251).unwrap()).collect();
        fs::write(root.path().join("7/maps"), &text).unwrap();
        assert_eq!(dir.bytes("maps", u64::MAX).unwrap(), text, "{bytes}");
        assert_eq!(dir.bytes("maps", 1).unwrap().len(), bytes.min(1));
    }
}

#[test]
fn an_error_is_the_one_of_the_file() {
    let root = tempfile::tempdir().unwrap();
    let dir = dir(root.path(), 7);
    let error = dir.bytes("environ", 1).unwrap_err();
    assert_eq!(Errno::from_io_error(&error), Some(Errno::NOENT));
    fs::create_dir(root.path().join("7/maps")).unwrap();
    let error = dir.bytes("maps", 1).unwrap_err();
    assert_eq!(Errno::from_io_error(&error), Some(Errno::ISDIR));
}

#[test]
fn readers_of_threads_that_come_and_go_are_nobody_elses() {
    let root = tempfile::tempdir().unwrap();
    let dir = dir(root.path(), 7);
    let text = vec![b'x'; 8 * MESSAGE_BYTES];
    fs::write(root.path().join("7/maps"), &text).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| dir.bytes("maps", 1).unwrap());
            assert_eq!(dir.bytes("maps", u64::MAX).unwrap().len(), text.len());
        }
    });
}

#[test]
fn a_reader_that_was_killed_is_replaced() {
    let own = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
    assert!(!own.bytes("cmdline", 16).unwrap().is_empty());
    // Another test may just have the one that is kept.
    let reader = take_idle().unwrap_or_else(|| Aside::start(KIND, &[], serve).unwrap());
    reader.kill();
    keep_idle(reader);
    assert!(!own.bytes("cmdline", 16).unwrap().is_empty());
}

#[test]
fn locks_are_distinguished_from_each_other_and_from_a_disk() {
    let check = |stack: &str, expected: Option<Lock>| {
        let stack: Vec<String> = stack.split(' ').map(str::to_owned).collect();
        assert_eq!(lock_in(&stack), expected, "{stack:?}");
    };
    let (map, execve) = (Some(Lock::MemoryMap), Some(Lock::Execve));
    check("rwsem_down_read_slowpath down_read_killable __access_remote_vm", map);
    check("__access_remote_vm proc_pid_cmdline_read vfs_read", map);
    check("m_start", map);
    check("mm_access proc_mem_open environ_open", execve);
    check("rwsem_down_read_slowpath do_task_stat proc_single_show", execve);
    check("call_proc_get_link proc_pid_get_link", execve);
    check("folio_wait_bit_common", None);
    check("folio_wait_bit_common filemap_fault handle_mm_fault __access_remote_vm", None);
    check("", None);
}

#[test]
fn thread_waiting_for_a_disk_page_is_waited_for() {
    let check = |stack: &str, expected: bool| {
        let stack: Vec<String> = stack.split(' ').map(str::to_owned).collect();
        assert_eq!(is_elsewhere(&stack), expected, "{stack:?}");
    };
    check("folio_wait_bit_common filemap_fault handle_mm_fault", true);
    check("wait_transaction_locked add_transaction_credits", true);
    check("rwsem_down_read_slowpath do_task_stat", false);
    check("mm_access proc_mem_open", false);
    // Nobody may know.
    check("", false);
    check("0", false);
}

#[test]
fn a_process_that_lets_its_lock_go_responds() {
    let own = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
    assert!(responds(&own));
    let root = tempfile::tempdir().unwrap();
    assert!(responds(&dir(root.path(), 7)), "that there is no file is another trouble");
}

#[test]
fn only_some_files_take_the_lock() {
    assert!(is_locked("cmdline") && is_locked("task/7/maps"));
    assert!(!is_locked("stat") && !is_locked("mountinfo") && !is_locked("fd/maps7"));
    assert!(is_free("status") && is_free("task/7/comm"));
    assert!(!is_free("stat") && !is_free("io") && !is_free("fd/7") && !is_free("maps"));
}

#[test]
fn a_process_that_wants_a_cpu_may_let_its_lock_go() {
    let wants = |child: &Running| {
        let dir = ProcessDir::open(&Roots::default(), child.id()).unwrap();
        wants_cpu(dir.as_fd())
    };
    let shell = |script: &str| {
        let mut command = spawn::command("sh");
        command.args(["-c", script]);
        Running::start_heard(command).unwrap()
    };
    let busy = shell("while :; do :; done");
    testing::until("it runs", || wants(&busy));
    let idle = shell("exec sleep 600");
    testing::until("it sleeps", || !wants(&idle));
    testing::signal(busy.id(), Signal::STOP);
    assert!(!wants(&busy), "who is stopped wants none");
}

#[test]
fn after_several_waits_in_vain_there_are_no_more_for_a_while() {
    let waits = InVain::none();
    for _ in 0..FEW {
        assert!(waits.is_below(FEW, LATELY));
        waits.ended(false);
    }
    assert!(!waits.is_below(FEW, LATELY));
    assert!(waits.is_below(FEW, Duration::ZERO), "that was a while ago");
    waits.ended(false);
    waits.ended(true);
    assert!(waits.is_below(1, LATELY));
}
