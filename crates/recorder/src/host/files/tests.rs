//! Texts of the kernel in, files out.
use super::*;
use std::{os::unix::fs::MetadataExt, path::Path};

const MOUNTINFO: &str = "22 1 254:0 / / rw - ext4 /dev/vda rw\n30 22 7:1 / /data rw - ext4 /dev/loop1 rw\n\
31 22 0:64 / /over rw - overlay overlay rw,lowerdir=/low,upperdir=/up\n\
32 22 0:66 / /shm rw - tmpfs tmpfs rw\n";
const MAPS: &str = "\
7f00-7f10 r--s 00000000 07:01 12                         /data/index
7f10-7f20 r--s 00000000 07:01 12                         /data/index
7f20-7f30 r--s 00000000 07:01 13                         /data/old (deleted)
7f30-7f40 r--s 00000000 00:40 14                         /over/lay
7f40-7f50 r--s 00000000 00:40 15                         /over/a
7f50-7f60 r--s 00000000 00:40 2305843009213693967           /over/b
7f60-7f70 r--s 00000000 00:42 16                         /shm/c
";

fn process(root: &Path) -> Roots {
    let dir = root.join("7");
    std::fs::create_dir_all(dir.join("fd")).unwrap();
    std::fs::write(dir.join("mountinfo"), MOUNTINFO).unwrap();
    std::fs::write(dir.join("maps"), MAPS).unwrap();
    Roots { proc: root.into(), sys: root.into() }
}

fn check_mapped(device: u64, inode: u64, expected: &str) {
    let root = tempfile::tempdir().unwrap();
    let mut catalogue = Catalogue::new(&process(root.path()), 7).unwrap();
    catalogue.want(Wanted::Mapped(FileKey { device, inode }));
    let facts: Vec<String> = catalogue
        .find_mapped()
        .iter()
        .map(|it| format!("{} {} {} {}", it.path, it.file_system, it.device_name, it.mapped))
        .collect();
    assert_eq!(facts.join("; "), expected);
}

#[test]
fn mapped_files_are_found_by_device_and_inode() {
    check_mapped(rustix::fs::makedev(7, 1), 12, "/data/index ext4 loop1 true");
    check_mapped(rustix::fs::makedev(7, 1), 13, "/data/old (deleted) ext4 loop1 true");
    check_mapped(rustix::fs::makedev(7, 1), 99, "");
}

#[test]
fn a_page_of_an_overlay_is_named_where_only_one_file_of_it_has_the_inode() {
    check_mapped(rustix::fs::makedev(8, 1), 14, "/over/lay overlay overlay true");
    check_mapped(rustix::fs::makedev(8, 1), 15, "");
}

#[test]
fn a_file_of_another_file_system_is_not_taken_for_it_by_its_inode() {
    check_mapped(rustix::fs::makedev(8, 1), 16, "");
    check_mapped(rustix::fs::makedev(8, 1), 12, "");
}

#[test]
fn the_layer_that_has_the_page_tells_which_file_of_an_overlay_it_is() {
    let root = tempfile::tempdir().unwrap();
    let roots = process(root.path());
    for name in ["low/a", "low/b"] {
        let file = root.path().join("1/root").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, name).unwrap();
    }
    let of = root.path().join("1/root/low/b").metadata().unwrap();
    let key = FileKey { device: of.dev(), inode: of.ino() };
    // Both files seem to have the number, as those of two layers may.
    let maps = format!(
        "7f40-7f50 r--s 00000000 00:40 {ino}    /over/a\n7f50-7f60 r--s 00000000 00:40 {ino}    /over/b\n",
        ino = of.ino()
    );
    std::fs::write(root.path().join("7/maps"), maps).unwrap();
    let mut catalogue = Catalogue::new(&roots, 7).unwrap();
    catalogue.want(Wanted::Mapped(key));
    let facts = catalogue.find_mapped();
    let paths: Vec<&str> = facts.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["/over/b"]);
}

#[test]
fn a_file_that_is_mapped_stays_mapped() {
    let root = tempfile::tempdir().unwrap();
    let mut catalogue = Catalogue::new(&process(root.path()), 7).unwrap();
    let key = FileKey { device: rustix::fs::makedev(7, 1), inode: 12 };
    catalogue.want(Wanted::Mapped(key));
    catalogue.find_mapped();
    let fact = catalogue.want(Wanted::Open(key, "/data/index".into()));
    assert_eq!(fact.map(|it| it.mapped), Some(true));
}

#[test]
fn a_vanished_process_has_no_files() {
    let root = tempfile::tempdir().unwrap();
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    assert!(Catalogue::new(&roots, 7).is_err());
}
