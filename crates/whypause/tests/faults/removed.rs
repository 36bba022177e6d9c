//! The output is removed, or existed before.
use crate::support::{Stage, check, record, said, wait, wait_until_it_records};
use rustix::{
    fs::{CWD, Gid, Uid},
    process::Signal,
};
use std::{
    fs,
    os::unix::{fs::symlink, process::CommandExt},
    path::Path,
};
use testing::{NOBODY, PATIENCE, signal};

#[test]
fn a_directory_that_is_removed_is_reported_and_does_not_come_back() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let directory = stage.directory("rec");
    let mut recorder = record(&directory, &["-p", &jvm.pid(), "-d", "3s"]);
    wait_until_it_records(&directory, &mut recorder);
    fs::remove_dir_all(&directory).unwrap();
    let status = wait(&mut recorder);
    let said = said(&directory);
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("was removed while it was written to"), "{said}");
    assert!(!directory.exists());
    assert!(check(&directory).is_none());
}

#[test]
fn files_that_are_removed_are_reported_as_lost() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let directory = stage.directory("rec");
    let mut recorder = record(&directory, &["-p", &jvm.pid(), "-d", "3s"]);
    wait_until_it_records(&directory, &mut recorder);
    for entry in fs::read_dir(&directory).unwrap().flatten() {
        let _ = fs::remove_file(entry.path());
    }
    let status = wait(&mut recorder);
    let said = said(&directory);
    assert!(status.success(), "{said}");
    assert!(said.contains("rows gone, their files were removed; the rest can be read"), "{said}");
    assert!(check(&directory).expect("a recording").lost_rows > 0);
}

#[test]
fn an_attach_that_fails_removes_nothing_that_was_there_before() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let pid = jvm.pid();
    let (empty, new) = (stage.directory("empty"), stage.directory("new"));
    fs::create_dir(&empty).unwrap();
    // A process that is stopped in its death: found, but not to be recorded.
    signal(jvm.child.id(), Signal::KILL);
    for directory in [&empty, &new] {
        let status = wait(&mut record(directory, &["-p", &pid, "-d", "1s"]));
        assert_eq!(status.code(), Some(2), "{}", said(directory));
        said(directory);
    }
    assert_eq!(fs::read_dir(&empty).expect("it stays").count(), 0);
    assert!(!new.exists());
}

/// Runs a shell as an untrusted user.
fn as_nobody(script: &str, at: &Path) {
    let mut command = spawn::command("sh");
    command.args(["-euc", script]).current_dir(at).uid(NOBODY).gid(NOBODY);
    assert!(spawn::run(command, PATIENCE).unwrap().status.success());
}

#[test]
fn root_writes_nowhere_that_another_user_can_change() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let open = tempfile::tempdir_in("/dev/shm").unwrap();
    let at = open.path();
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(at, mode(0o1777)).unwrap();
    let goal = stage.directory("goal");
    fs::create_dir(&goal).unwrap();
    let script = format!("mkdir theirs theirs/deep empty; ln -s {} link", goal.display());
    as_nobody(&script, at);
    // What somebody made and gave away stays below what is theirs.
    let (user, group) = (Uid::from_raw(0), Gid::from_raw(0));
    let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
    rustix::fs::chownat(CWD, at.join("theirs/deep"), Some(user), Some(group), flags).unwrap();
    symlink("theirs", at.join("ours")).unwrap();
    let refused = [
        ("theirs/rec", "another user owns"),
        ("theirs/deep/rec", "another user owns"),
        ("ours/rec", "another user owns"),
        ("link/rec", "another user made the link"),
        ("link", "it is a symbolic link"),
        ("empty", "it belongs to another user"),
    ];
    for (path, why) in refused {
        let directory = at.join(path);
        let status = wait(&mut record(&directory, &["-p", &jvm.pid(), "-d", "100ms"]));
        let said = said(&directory);
        assert_eq!(status.code(), Some(2), "{path}: {said}");
        assert!(said.contains("refusing to write to") && said.contains(why), "{path}: {said}");
        assert!(said.contains("hint: "), "{said}");
    }
    for untouched in [&goal, &at.join("theirs/deep"), &at.join("empty")] {
        assert_eq!(fs::read_dir(untouched).unwrap().count(), 0, "{}", untouched.display());
    }
    // The other side: what is ours is written to, also where all may make something of their own.
    let fine = at.join("rec");
    let status = wait(&mut record(&fine, &["-p", &jvm.pid(), "-d", "100ms"]));
    assert!(status.success(), "{}", said(&fine));
    said(&fine);
    check(&fine).expect("a recording");
}
