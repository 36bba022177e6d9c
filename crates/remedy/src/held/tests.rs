//! What a change acts on is what was found, whatever others put in its place.
#![allow(clippy::print_stdout, reason = "a test may")]
use super::*;
use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, chown, symlink},
};

const NOBODY: u32 = 65534;

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        Bench(directory)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A directory that every user may write to, as `/tmp`.
    fn shared(&self) -> PathBuf {
        let path = self.at("shared");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o1777)).unwrap();
        path
    }
}

fn is_root() -> bool {
    let is_root = geteuid().is_root();
    if !is_root {
        println!("SKIPPED: not root");
    }
    is_root
}

#[test]
fn a_link_that_only_root_can_have_made_is_followed_and_another_is_not() {
    let bench = Bench::new();
    fs::create_dir(bench.at("real")).unwrap();
    fs::write(bench.at("real/file"), "text").unwrap();
    symlink("real", bench.at("link")).unwrap();
    symlink(bench.at("real"), bench.at("absolute")).unwrap();
    for way in ["real/file", "link/file", "absolute/file", "real/../link/./file"] {
        assert_eq!(Held::open(&bench.at(way)).unwrap().text().unwrap(), "text", "{way}");
    }
    let planted = bench.shared().join("planted");
    symlink(bench.at("real"), &planted).unwrap();
    let refused = Held::open(&planted.join("file")).unwrap_err().to_string();
    assert!(refused.ends_with("is a link that others may have made"), "{refused}");
    symlink("round", bench.at("round")).unwrap();
    assert!(Held::open(&bench.at("round")).is_err());
    assert!(Held::open(Path::new("relative")).is_err());
}

#[test]
fn only_settings_of_the_kernel_are_written_to() {
    let bench = Bench::new();
    fs::write(bench.at("file"), "text").unwrap();
    let refused = Held::open(&bench.at("file")).unwrap().write("x").unwrap_err().to_string();
    assert!(refused.ends_with("is no setting of the kernel"), "{refused}");
    assert_eq!(fs::read(bench.at("file")).unwrap(), b"text");
}

#[test]
fn a_fifo_is_not_waited_for() {
    let bench = Bench::new();
    rustix::fs::mknodat(CWD, bench.at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(Held::open(&bench.at("fifo")).unwrap().text().is_err());
}

#[test]
fn a_file_is_replaced_as_a_whole_and_not_where_others_may_write() {
    let bench = Bench::new();
    let file = Named::open(&bench.at("file")).unwrap();
    file.replace("one").unwrap();
    file.replace("two").unwrap();
    assert_eq!(fs::read(bench.at("file")).unwrap(), b"two");
    assert_eq!(fs::read_dir(bench.0.path()).unwrap().count(), 1);
    let planted = Named::open(&bench.shared().join("file")).unwrap();
    assert!(planted.replace("x").unwrap_err().to_string().contains("others may write"));
}

/// The directory is exchanged for a link after it was looked at, as its owner can.
#[test]
fn what_was_found_is_mounted_on_and_not_what_is_there_by_then() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let shared = bench.shared();
    let (precious, own) = (bench.at("precious"), shared.join("own"));
    fs::create_dir(&precious).unwrap();
    fs::create_dir(&own).unwrap();
    chown(&own, Some(NOBODY), Some(NOBODY)).unwrap();
    let found = Named::open(&own).unwrap().held().unwrap();
    fs::rename(&own, shared.join("moved")).unwrap();
    symlink(&precious, &own).unwrap();
    found.mount_tmpfs("whypause:test", "size=1m,mode=0755,uid=65534").unwrap();
    let device =
        |path: &Path| fs::metadata(path).map(|it| std::os::unix::fs::MetadataExt::dev(&it));
    assert_eq!(device(&precious).unwrap(), device(bench.0.path()).unwrap(), "nothing is on it");
    let moved = Named::open(&shared.join("moved")).unwrap();
    let id = moved.held().unwrap().mount_id().unwrap();
    // Nor is it another's that is unmounted.
    assert!(Named::open(&own).unwrap().unmount(id).is_err());
    assert!(moved.unmount(id + 1).is_err());
    moved.unmount(id).unwrap();
    assert_ne!(moved.held().unwrap().mount_id().unwrap(), id);
}
