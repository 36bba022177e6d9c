//! A target that is full, gone, or another one than it was.
use super::*;
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount};
use spawn::Afterwards;
use std::{
    ffi::CString,
    sync::{Mutex, atomic::AtomicBool, atomic::Ordering},
};

/// A small file system in memory at `to`, which is gone when dropped and when this process is killed.
struct Small {
    // In this order: a directory that something is mounted in is not removed.
    _afterwards: Afterwards,
    bench: Bench,
}

/// Also where a test that failed has mounted more.
const REMOVE: &str = "\
for it in \"$1/to\" \"$1/disk\"; do while umount -l \"$it\" 2>/dev/null; do :; done; done
rm -rf --one-file-system \"$1\"";

impl Small {
    fn new(kib: u32) -> Option<Small> {
        let bench = Bench::new();
        let place = bench.directory.path().join("disk");
        fs::create_dir(&place).unwrap();
        let afterwards = Afterwards::run(REMOVE, [bench.directory.path()], PATIENCE).unwrap();
        let options = CString::new(format!("size={kib}k,mode=0700")).unwrap();
        if let Err(error) = mount("tmpfs", &place, "tmpfs", MountFlags::empty(), Some(&*options)) {
            println!("SKIPPED: no small file system can be mounted: {error}");
            return None;
        }
        let small = Small { _afterwards: afterwards, bench };
        small.bind();
        Some(small)
    }

    /// Mounts it at `to`; it lives on at `disk` where it is unmounted there.
    fn bind(&self) {
        mount_bind(self.bench.directory.path().join("disk"), self.bench.to()).unwrap();
    }

    fn unmount(&self) {
        unmount(self.bench.to(), UnmountFlags::DETACH).unwrap();
    }

    fn fill(&self) -> PathBuf {
        let path = self.bench.to().join("filler");
        let mut file = File::create(&path).unwrap();
        while file.write_all(&[1; 4096]).is_ok() {}
        path
    }
}

#[test]
fn a_full_disk_is_reported_once_and_what_could_not_be_written_comes_later() {
    let Some(small) = Small::new(2048) else { return };
    let bench = &small.bench;
    let mut log = noise(1, 100_000);
    append(&bench.log(), &log);
    let mut keeper = bench.keeper();
    round(&mut keeper);
    let before = size(&bench.copy(1));
    let filler = small.fill();
    let (stop, reported) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let failing =
        "not copied for now: cannot write `gc.log.zst`: No space left on device (os error 28)";
    std::thread::scope(|scope| {
        scope
            .spawn(|| keeper.run(&stop, &mut |event| reported.lock().unwrap().push(plain(&event))));
        for n in 2..5 {
            let more = noise(n, 200_000);
            append(&bench.log(), &more);
            log += &more;
            until("it fails", || !reported.lock().unwrap().is_empty());
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(*reported.lock().unwrap(), [failing]);
        assert_eq!(size(&bench.copy(1)), before, "nothing torn is left");
        fs::remove_file(filler).unwrap();
        until("it works", || reported.lock().unwrap().len() > 1);
        stop.store(true, Ordering::Relaxed);
    });
    let reported = reported.into_inner().unwrap();
    assert!(reported.len() == 2 && reported[1].starts_with("copying again after "), "{reported:?}");
    assert_eq!(bench.text(), log);
}

#[test]
fn file_rotated_away_during_disk_trouble_is_reported_with_its_size() {
    for gone in [false, true] {
        let Some(small) = Small::new(1024) else { return };
        let bench = &small.bench;
        append(&bench.log(), "first\n");
        let mut keeper = bench.keeper();
        round(&mut keeper);
        let filler = if gone { None } else { Some(small.fill()) };
        if gone {
            small.unmount();
        }
        let mut lost = 0;
        for n in 0..5_u64 {
            append(&bench.log(), &noise(n, 50_000));
            keeper.round().unwrap_err();
            let rotated = bench.rotated(&(n % 2).to_string());
            // What is held is still read.
            lost += if n >= 3 { size(&rotated) } else { 0 };
            let _ = fs::remove_file(&rotated);
            fs::rename(bench.log(), rotated).unwrap();
            append(&bench.log(), "");
            keeper.round().unwrap_err();
        }
        filler.iter().for_each(|it| fs::remove_file(it).unwrap());
        if gone {
            small.bind();
        }
        let (_, reported) = round(&mut keeper);
        let words = "the log was rotated away before it was read: ";
        let number = |it: &String| it.strip_prefix(words)?.split(' ').next()?.parse::<u64>().ok();
        assert_eq!(reported.iter().filter_map(number).sum::<u64>(), lost, "{reported:?}");
        let wanted = [0, 3, 4].map(|n| noise(n, 50_000)).concat();
        assert_eq!(bench.text(), "first\n".to_owned() + &wanted);
    }
}

#[test]
fn nothing_is_written_to_what_is_beneath_an_unmounted_target() {
    let Some(small) = Small::new(2048) else { return };
    let bench = &small.bench;
    append(&bench.log(), "one\n");
    let mut keeper = bench.keeper();
    round(&mut keeper);
    small.unmount();
    append(&bench.log(), "two\n");
    for _ in 0..3 {
        let wanted = "`to` is on another file system now, nothing is written there";
        assert_eq!(error(keeper.round()), wanted);
    }
    assert_eq!(fs::read_dir(bench.to()).unwrap().count(), 0);
    append(&bench.log(), "three\n");
    small.bind();
    assert_eq!(round(&mut keeper).1, [""; 0]);
    assert_eq!(bench.text(), "one\ntwo\nthree\n");
    assert_eq!(bench.copies().len(), 1);
}

#[test]
fn nothing_is_written_to_another_file_system_in_the_place_of_the_target() {
    let Some(small) = Small::new(2048) else { return };
    let bench = &small.bench;
    append(&bench.log(), "one\n");
    let mut keeper = bench.keeper();
    round(&mut keeper);
    if let Err(error) = mount("tmpfs", bench.to(), "tmpfs", MountFlags::empty(), None) {
        return println!("SKIPPED: {error}");
    }
    append(&bench.log(), "two\n");
    let gone = "`to` is on another file system now, nothing is written there";
    assert_eq!(error(keeper.round()), gone);
    assert_eq!(fs::read_dir(bench.to()).unwrap().count(), 0);
    small.unmount();
    round(&mut keeper);
    assert_eq!(bench.text(), "one\ntwo\n");
}

#[test]
fn a_directory_that_was_removed_and_made_again_is_written_to() {
    let bench = Bench::new();
    append(&bench.log(), "one\n");
    let mut keeper = bench.keeper();
    round(&mut keeper);
    fs::remove_dir_all(bench.to()).unwrap();
    append(&bench.log(), "two\n");
    assert_eq!(error(keeper.round()), "cannot find `to`: No such file or directory (os error 2)");
    fs::create_dir(bench.to()).unwrap();
    assert_eq!(round(&mut keeper).1, ["copying to `gc.log.zst`"]);
    assert_eq!(bench.text(), "two\n");
}

#[test]
fn a_disk_that_is_read_only_is_reported() {
    let Some(small) = Small::new(1024) else { return };
    let flags = MountFlags::RDONLY | MountFlags::BIND;
    if rustix::mount::mount_remount(small.bench.to(), flags, "").is_err() {
        return println!("SKIPPED: it cannot be made read-only");
    }
    let wanted = "cannot lock `.gc.log.lock`: Read-only file system (os error 30)";
    assert_eq!(error(Keeper::open(&small.bench.options())), wanted);
}
