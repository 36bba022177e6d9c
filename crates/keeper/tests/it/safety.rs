//! What another user may plant under the names of logs and copies.
use super::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

const NOBODY: u32 = 65_534;

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn a_link_or_a_fifo_in_place_of_the_log_is_not_opened() {
    let bench = Bench::new();
    let secret = bench.directory.path().join("secret");
    fs::write(&secret, "secret\n").unwrap();
    symlink(&secret, bench.log()).unwrap();
    let mut keeper = bench.keeper();
    assert_eq!(error(keeper.round()), "`gc.log` is not read: it is a link");
    fs::remove_file(bench.log()).unwrap();
    fifo(&bench.log());
    assert_eq!(error(keeper.round()), "`gc.log` is not read: it is no regular file");
    fs::remove_file(bench.log()).unwrap();
    append(&bench.log(), "log\n");
    round(&mut keeper);
    assert_eq!(bench.text(), "log\n");
}

#[test]
fn links_and_fifos_in_place_of_rotated_files_are_left_out() {
    let bench = Bench::new();
    let secret = bench.directory.path().join("secret");
    fs::write(&secret, "secret\n").unwrap();
    symlink(&secret, bench.rotated("0")).unwrap();
    fifo(&bench.rotated("1"));
    fifo(&bench.rotated("2.current"));
    fs::create_dir(bench.rotated("3")).unwrap();
    append(&bench.log(), "log\n");
    bench.keeper().round().unwrap();
    assert_eq!(bench.text(), "log\n");
}

#[test]
fn the_log_of_another_user_is_not_read() {
    if !is_root() {
        return println!("SKIPPED: only root can give a file away");
    }
    let bench = Bench::new();
    append(&bench.log(), "log\n");
    chown(bench.log(), Some(NOBODY), None).unwrap();
    let wanted = "`gc.log` is not read: it belongs to another user than expected";
    assert_eq!(error(bench.keeper().round()), wanted);
    let options = Options { source_uid: Some(NOBODY), ..bench.options() };
    let mut keeper = Keeper::open(&options).unwrap();
    round(&mut keeper);
    assert_eq!(bench.text(), "log\n");
    // A file of root that the other user has linked to the name.
    fs::remove_file(bench.log()).unwrap();
    let secret = bench.directory.path().join("secret");
    fs::write(&secret, "secret\n").unwrap();
    fs::hard_link(&secret, bench.log()).unwrap();
    assert_eq!(error(keeper.round()), wanted);
}

#[test]
fn nothing_planted_under_the_name_of_a_copy_is_written_to() {
    let bench = Bench::new();
    let theirs = bench.directory.path().join("theirs");
    fs::write(&theirs, "theirs\n").unwrap();
    append(&bench.log(), "log\n");
    symlink(&theirs, bench.copy(1)).unwrap();
    symlink(bench.directory.path().join("not there"), bench.copy(2)).unwrap();
    fs::hard_link(&theirs, bench.copy(3)).unwrap();
    fifo(&bench.copy(4));
    symlink(&theirs, bench.to().join(".gc.log.new")).unwrap();
    let mut keeper = bench.keeper();
    assert_eq!(round(&mut keeper).1, ["copying to `gc.log.5.zst`"]);
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs\n");
    assert!(!bench.directory.path().join("not there").exists());
    let copy = fs::read(bench.copy(5)).unwrap();
    assert_eq!(zstd::decode_all(&*copy).unwrap(), b"log\n");
    // A keeper's own copy that has a second name may be somebody's trap as well.
    drop(keeper);
    fs::hard_link(bench.copy(5), bench.directory.path().join("second")).unwrap();
    append(&bench.log(), "more\n");
    bench.keeper().round().unwrap();
    assert_eq!(fs::read(bench.copy(5)).unwrap(), copy);
}

#[test]
fn the_lock_file_is_no_link_either() {
    let bench = Bench::new();
    symlink(bench.directory.path().join("made"), bench.to().join(".gc.log.lock")).unwrap();
    let wanted = "`to` is no place for copies: its lock file is not one of ours";
    assert_eq!(error(Keeper::open(&bench.options())), wanted);
    assert!(!bench.directory.path().join("made").exists());
}

#[test]
fn a_place_that_others_may_write_to_is_refused() {
    let bench = Bench::new();
    let check = |mode: u32, right: bool| {
        fs::set_permissions(bench.to(), fs::Permissions::from_mode(mode)).unwrap();
        match Keeper::open(&bench.options()) {
            Ok(_) => assert!(right, "{mode:o}"),
            Err(error) => {
                let wanted = "`to` is no place for copies: others may write to it";
                assert!(!right && short(&error.to_string()) == wanted, "{mode:o} {error}");
            }
        }
    };
    check(0o777, false);
    check(0o770, false);
    check(0o1777, true);
    check(0o755, true);
    check(0o700, true);
}

#[test]
fn copies_have_the_permissions_that_were_asked_for() {
    for (asked, wanted) in [(None, 0o600), (Some(0o644), 0o644), (Some(0o640), 0o640)] {
        let bench = Bench::new();
        append(&bench.log(), "log\n");
        let mut options = bench.options();
        options.mode = asked.unwrap_or(options.mode);
        Keeper::open(&options).unwrap().round().unwrap();
        assert_eq!(fs::metadata(bench.copy(1)).unwrap().permissions().mode() & 0o7777, wanted);
    }
}

#[test]
fn a_second_keeper_is_reported_that_there_is_one() {
    let bench = Bench::new();
    let keeper = bench.keeper();
    assert_eq!(error(Keeper::open(&bench.options())), "another keeper copies to `.gc.log.lock`");
    // One of another log may.
    let other = Options { from: bench.rotated("other"), ..bench.options() };
    Keeper::open(&other).unwrap();
    drop(keeper);
    bench.keeper();
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let bench = Bench::new();
    let check = |options: Options, wanted: &str| {
        assert_eq!(error(Keeper::open(&options)), wanted);
    };
    let options = bench.options();
    check(Options { max_bytes: (4 << 20) - 1, ..options.clone() }, "all copies need 4 MiB or more");
    check(Options { period: Duration::ZERO, ..options.clone() }, "the period must not be 0");
    check(Options { from: "/".into(), ..options.clone() }, "`` is no name of a log");
    check(
        Options { to: bench.to().join("none"), ..options },
        "cannot open `none`: No such file or directory (os error 2)",
    );
}
