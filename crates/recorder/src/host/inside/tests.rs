//! What the user of a process may put where we look.
use super::*;
use crate::host::Roots;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
};

/// A made-up process `7` of this very user.
struct Process {
    home: tempfile::TempDir,
}

impl Process {
    fn new() -> Process {
        Process::of(rustix::process::geteuid().as_raw())
    }

    fn of(uid: u32) -> Process {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("7/root/etc")).unwrap();
        fs::create_dir_all(home.path().join("7/fd")).unwrap();
        let status = format!("Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t1\t1\t1\t1\nGroups:\t\n");
        fs::write(home.path().join("7/status"), status).unwrap();
        Process { home }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join("7/root").join(path)
    }

    fn dir(&self) -> ProcessDir {
        let roots = Roots { proc: self.home.path().into(), sys: self.home.path().into() };
        ProcessDir::open(&roots, 7).unwrap()
    }

    #[track_caller]
    fn check(&self, path: &str, expected: Result<&str, io::ErrorKind>) {
        let found = self.dir().text_inside(path, 100).map_err(|it| it.kind());
        assert_eq!(found.as_deref().map_err(|it| *it), expected, "{path}");
    }
}

#[test]
fn a_fifo_is_never_opened() {
    let process = Process::new();
    let fifo = process.at("flags");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).unwrap();
    process.check("/flags", Err(io::ErrorKind::InvalidInput));
    symlink(&fifo, process.home.path().join("7/fd/4")).unwrap();
    assert!(process.dir().open_fd(4).is_err());
}

#[test]
fn a_device_is_never_opened() {
    let process = Process::new();
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        process.at("zero"),
        FileType::CharacterDevice,
        Mode::RUSR,
        rustix::fs::makedev(1, 5),
    );
    if made.is_err() {
        println!("SKIPPED: no device can be made here");
        return;
    }
    process.check("/zero", Err(io::ErrorKind::InvalidInput));
}

#[test]
fn links_stay_inside_the_root_of_the_process() {
    let process = Process::new();
    fs::write(process.at("etc/release"), "inside").unwrap();
    symlink("/etc/release", process.at("release")).unwrap();
    symlink("../../../../../etc/release", process.at("up")).unwrap();
    process.check("/release", Ok("inside"));
    process.check("/up", Ok("inside"));
    process.check("/etc/../../etc/release", Ok("inside"));
}

#[test]
fn a_loop_of_links_ends() {
    let process = Process::new();
    symlink("/b", process.at("a")).unwrap();
    symlink("/a", process.at("b")).unwrap();
    assert!(process.dir().text_inside("/a", 100).is_err());
}

#[test]
fn a_file_that_is_too_long_is_no_text_and_not_a_half_one() {
    let process = Process::new();
    fs::write(process.at("just"), "x".repeat(100)).unwrap();
    fs::write(process.at("over"), "x".repeat(101)).unwrap();
    process.check("/just", Ok(&"x".repeat(100)));
    process.check("/over", Err(io::ErrorKind::FileTooLarge));
    let huge = fs::File::create(process.at("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    process.check("/huge", Err(io::ErrorKind::FileTooLarge));
}

#[test]
fn answers_of_the_kernel_are_no_files_of_the_process() {
    // Seen from here, `self` is us.
    let process = Process::new();
    fs::remove_dir_all(process.at("")).unwrap();
    symlink("/", process.home.path().join("7/root")).unwrap();
    process.check("/proc/self/status", Err(io::ErrorKind::InvalidInput));
    assert!(process.dir().text_inside("/proc/self/root/etc/passwd", 1 << 20).is_err());
}

#[test]
fn process_with_mixed_user_ids_is_refused() {
    let process = Process::new();
    fs::write(process.at("file"), "text").unwrap();
    process.check("/file", Ok("text"));
    fs::write(process.home.path().join("7/status"), "Uid:\t1\t0\t0\t0\nGid:\t1\t1\t1\t1\n")
        .unwrap();
    process.check("/file", Err(io::ErrorKind::PermissionDenied));
}

#[test]
fn what_only_root_may_read_is_not_read_for_another_user() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: not root");
        return;
    }
    let process = Process::of(65534);
    fs::write(process.at("open"), "text").unwrap();
    fs::write(process.at("secret"), "secret").unwrap();
    fs::set_permissions(process.at("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    process.check("/open", Ok("text"));
    process.check("/secret", Err(io::ErrorKind::PermissionDenied));
    symlink(process.at("secret"), process.home.path().join("7/fd/4")).unwrap();
    symlink(process.at("open"), process.home.path().join("7/fd/5")).unwrap();
    assert!(process.dir().open_fd(4).is_err());
    assert!(process.dir().open_fd(5).is_ok());
}

/// Name by name, as on kernels without the other lookup, and with our own rights.
fn walk(process: &Process, path: &str, uid: u32) -> Result<(), io::ErrorKind> {
    let lookup = process.dir().lookup(path).unwrap();
    let rights = Rights::of_user(uid, 1);
    let found = lookup.walk(&rights, By::Us).map_err(|it| it.kind())?;
    open_regular(&found, &rights, By::Us).map(|_| ()).map_err(|it| it.kind())
}

#[test]
fn with_our_own_rights_no_link_is_followed_and_mode_bits_decide() {
    let process = Process::new();
    let me = rustix::process::geteuid().as_raw();
    fs::write(process.at("etc/open"), "").unwrap();
    fs::write(process.at("etc/secret"), "").unwrap();
    fs::set_permissions(process.at("etc/secret"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir(process.at("private")).unwrap();
    fs::write(process.at("private/open"), "").unwrap();
    fs::set_permissions(process.at("private"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink("/etc/open", process.at("link")).unwrap();
    symlink("/etc", process.at("directory")).unwrap();
    let stranger = me + 1;
    let denied = Err(io::ErrorKind::PermissionDenied);
    assert_eq!(walk(&process, "/etc/open", stranger), Ok(()));
    assert_eq!(walk(&process, "//etc/./../etc/open", stranger), Ok(()));
    assert_eq!(walk(&process, "/../../etc/open", stranger), Ok(()));
    assert_eq!(walk(&process, "/etc/secret", stranger), denied);
    assert_eq!(walk(&process, "/private/open", stranger), denied);
    assert_eq!(walk(&process, "/private/open", me), Ok(()));
    for path in ["/link", "/directory/open", "/", "", "/etc/none", "/etc/open/x"] {
        assert!(walk(&process, path, me).is_err(), "{path}");
    }
}
