//! Links, pipes and files that may not be read.
use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn what_somebody_put_into_a_directory_is_not_followed() {
    let secret = directory(&[("secret.log", &log(7))]);
    let target = secret.path().join("secret.log");
    let logs = directory(&[("gc.log", &log(1))]);
    symlink(&target, logs.path().join("gc.log.0")).expect("a link");
    symlink(secret.path(), logs.path().join("sub")).expect("a link");
    mkfifo(&logs.path().join("gc.log.1"));
    expect![[r#"
        gc.log: gc.log
          collections 1
          note: left out 2 files, which are symbolic links, the first of them `gc.log.0`
          hint: name it to read it
          note: left out `gc.log.1`, which is no regular file
    "#]]
    .assert_eq(&found(&logs, &["."], b""));
    expect![[r#"
        gc.log: gc.log
          collections 1
          note: left out `gc.log.0`, which is a symbolic link
          hint: name it to read it
          note: left out `gc.log.1`, which is no regular file
    "#]]
    .assert_eq(&found(&logs, &["gc.log*"], b""));
    expect![[r#"
        error: no file matches `*/*.log`
        hint: give a GC log, a directory, or a pattern that files match
    "#]]
    .assert_eq(&found(&logs, &["*/*.log"], b""));
    let named = found(&logs, &["gc.log.0"], b"");
    assert!(named.contains("collections 7"), "the user may name a link: {named}");
    let through = found(&logs, &["sub/*.log"], b"");
    assert!(through.contains("collections 7"), "and a directory that is one: {through}");
    let only_link = directory(&[]);
    symlink(&target, only_link.path().join("gc.log")).expect("a link");
    expect![[r#"
        error: there is neither a GC log nor a recording in `DIR`
        hint: symbolic links are not followed: name the file to read it
    "#]]
    .assert_eq(&found(&only_link, &["."], b""));
}

fn mkfifo(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0)
        .expect("a fifo");
}

#[test]
fn a_fifo_that_the_user_names_is_read() {
    let logs = directory(&[]);
    let path = logs.path().join("pipe");
    mkfifo(&path);
    let writer = std::thread::spawn(move || fs::write(path, gzip(&log(5))));
    expect![[r#"
        pipe: pipe
          collections 5
    "#]]
    .assert_eq(&found(&logs, &["pipe"], b""));
    writer.join().expect("no panic").expect("written");
}

#[test]
fn files_that_may_not_be_read_are_reported() {
    let logs = directory(&[("gc.log", &log(1)), ("gc.log.0", &log(0))]);
    let closed = logs.path().join("gc.log.0");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).expect("our own file");
    if fs::File::open(&closed).is_ok() {
        eprintln!("SKIPPED: root may read everything");
        return;
    }
    expect![[""]].assert_eq(&found(&logs, &["."], b""));
}
