//! Rights of other users, as far as we may take them.
use super::*;
use rustix::fs::{Mode, OFlags};
use std::{fs, path::PathBuf};

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("SKIPPED: not root");
    }
    root
}

/// A directory that every user may list, with a file of root and this group in it.
fn secret(mode: u32, group: u32) -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::{PermissionsExt, chown};
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = directory.path().join("secret");
    fs::write(&path, "secret").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    chown(&path, Some(0), Some(group)).unwrap();
    (directory, path)
}

fn opens(rights: &Rights, path: &Path) -> bool {
    let path = path.to_owned();
    let opened = rights.run(&[], move |by| {
        let opened = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        Ok(vec![u8::from(by == By::Them), u8::from(opened.is_ok())])
    });
    let [by_them, opened] = opened.unwrap()[..] else { panic!("two bytes") };
    assert_eq!(by_them, 1);
    opened == 1
}

#[test]
fn root_opens_for_a_user_only_what_that_user_may_open() {
    if !is_root() {
        return;
    }
    let nobody = Rights::of_user(NOBODY, NOBODY);
    let in_group = Rights { groups: vec![7, 42], ..nobody.clone() };
    for (mode, group, alone, with_group) in [
        (0o600, 0, false, false),
        (0o640, 42, false, true),
        (0o640, NOBODY, true, true),
        (0o644, 0, true, true),
    ] {
        let (_directory, path) = secret(mode, group);
        assert_eq!(opens(&nobody, &path), alone, "{mode:o} {group}");
        assert_eq!(opens(&in_group, &path), with_group, "{mode:o} {group}");
        assert!(fs::read(&path).is_ok(), "the caller keeps its own rights");
    }
}

#[test]
fn root_without_capabilities_over_files_lends_none() {
    if !is_root() {
        return;
    }
    use std::os::unix::fs::chown;
    let (_directory, path) = secret(0o600, 0);
    chown(&path, Some(NOBODY), None).unwrap();
    let bare = Rights::of_user(0, 0);
    assert!(!opens(&bare, &path));
    let whole = Rights { capabilities: CapabilitySet::DAC_READ_SEARCH, ..bare };
    assert!(opens(&whole, &path));
}

#[test]
fn what_looks_into_processes_is_kept_and_what_opens_files_is_not() {
    if !is_root() {
        return;
    }
    let before = capabilities(None).unwrap().effective;
    let nobody = Rights::of_user(NOBODY, NOBODY);
    let within = nobody.run(&[], |_| Ok(vec![capabilities(None)?.effective.bits()])).unwrap();
    let within = CapabilitySet::from_bits_retain(within[0]);
    assert!(!within.intersects(OF_FILES), "{within:?}");
    let ptrace = CapabilitySet::SYS_PTRACE;
    assert_eq!(within.contains(ptrace), before.contains(ptrace));
    assert_eq!(capabilities(None).unwrap().effective, before);
}

#[test]
fn only_the_process_aside_is_somebody_else() {
    if !is_root() {
        return;
    }
    let nobody = Rights::of_user(NOBODY, NOBODY);
    let ids = || {
        let text = fs::read_to_string("/proc/self/status").unwrap();
        let text = Status(&text);
        format!("{} {:?}", text.field("Uid").unwrap(), text.groups().unwrap())
    };
    let before = ids();
    let within = nobody.run(&[], |_| Ok(ids().into_bytes())).unwrap();
    assert_eq!(String::from_utf8(within).unwrap(), "0\t0\t0\t65534 []");
    assert_eq!(ids(), before);
}

#[test]
fn mode_bits_are_those_of_the_first_class_that_fits() {
    let (_directory, path) = {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "").unwrap();
        (directory, path)
    };
    let mut of = rustix::fs::stat(&path).unwrap();
    (of.st_uid, of.st_gid) = (5, 6);
    let mut check = |mode, uid, gid, groups: &[u32], expected| {
        of.st_mode = mode;
        let rights = Rights { groups: groups.to_vec(), ..Rights::of_user(uid, gid) };
        assert_eq!(rights.may(&of, Permission::Read), expected, "{mode:o} {uid} {gid}");
    };
    check(0o400, 5, 9, &[], true);
    check(0o044, 5, 6, &[], false);
    check(0o040, 9, 6, &[], true);
    check(0o040, 9, 9, &[1, 6], true);
    check(0o004, 9, 6, &[], false);
    check(0o004, 9, 9, &[], true);
    check(0o440, 9, 9, &[], false);
}

#[test]
fn work_that_fails_says_why() {
    let me = rustix::process::geteuid().as_raw();
    let error = Rights::of_user(me, me).run::<()>(&[], |_| Err(io::ErrorKind::NotFound.into()));
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::NotFound);
}
