//! What the journal promises: everything is undone, once, and only what is the lab's own.
mod unmount;

use super::{retry::PATIENCE, *};
use crate::{
    BackgroundWriter, Isolation, ProcessId, SlowDisk,
    background_writer::Writing,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    test_dir::TestDir,
};
use std::{fs::Permissions, os::unix::fs::PermissionsExt, path::Path, time::Instant};

/// A process that does nothing, and ends with the test.
fn sleeper() -> spawn::Running {
    let mut command = spawn::command("sleep");
    command.arg("600");
    spawn::Running::start(command).unwrap()
}

/// A work directory that goes away with the test.
fn work_dir() -> (TestDir, PathBuf) {
    let parent = TestDir::new();
    let path = parent.path().join("whypause-lab-test");
    (parent, path)
}

fn leave_behind(path: &Path, undo: Undo) {
    let dir = WorkDir::open(path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    cleanup.promise(undo).unwrap();
    // as `kill -9` does: nothing is undone
    std::mem::forget(cleanup);
}

/// Opens the work directory as the next run does; what it found, or what it could not undo.
fn next_start(path: &Path) -> Result<Vec<String>, LabError> {
    let dir = WorkDir::open(path).unwrap();
    Cleanup::open(&dir).map(|(_, leftovers)| leftovers)
}

#[test]
fn the_next_start_removes_what_was_left_and_only_once() {
    let (_parent, path) = work_dir();
    let file = path.join("disk.img");
    leave_behind(&path, Undo::Remove { path: file.clone() });
    std::fs::write(&file, "image").unwrap();
    assert_eq!(next_start(&path).unwrap(), [format!("`{}`", file.display())]);
    assert!(!file.exists());
    assert!(next_start(&path).unwrap().is_empty());
}

#[test]
fn a_group_goes_after_those_below_it() {
    let (_parent, path) = work_dir();
    let group = path.join("whypause-lab-1-memory");
    let below = group.join("whypause-lab-jvm");
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    for path in [&group, &below] {
        cleanup.promise(Undo::RemoveKernelDir { path: path.clone() }).unwrap();
        std::fs::create_dir(path).unwrap();
    }
    // as `kill -9` does: nothing is undone
    std::mem::forget(cleanup);
    drop(dir);
    let left = [&below, &group].map(|it| format!("`{}`", it.display()));
    assert_eq!(next_start(&path).unwrap(), left);
    assert!(!group.exists());
}

#[test]
fn a_journal_cut_at_any_byte_is_still_read() {
    let (_parent, path) = work_dir();
    let files = [path.join("first"), path.join("second")];
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    for file in &files {
        cleanup.promise(Undo::Remove { path: file.clone() }).unwrap();
    }
    let whole = std::fs::read(path.join("journal")).unwrap();
    cleanup.undo_all().unwrap();
    drop((cleanup, dir));
    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(path.join("journal"), &whole[..cut]).unwrap();
        let expected = usize::from(cut >= first_line) + usize::from(cut + 1 >= whole.len());
        assert_eq!(next_start(&path).unwrap().len(), expected, "cut at {cut}");
    }
}

#[test]
fn what_an_earlier_boot_has_left_is_files_alone() {
    let (_parent, path) = work_dir();
    let (file, mut child) = (path.join("left"), sleeper());
    let id = ProcessId::of(child.id().cast_signed()).unwrap();
    leave_behind(&path, Undo::Process { id, name: "sleep".into(), session: None });
    std::fs::write(&file, "").unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let journal = std::fs::read_to_string(path.join("journal")).unwrap();
    let remove = format!("{{\"promise\":[1,{{\"remove\":{{\"path\":{file:?}}}}},\"before\"]}}\n");
    let of_before = journal.replace(boot.trim(), "before") + &remove;
    assert_ne!(of_before, journal.clone() + &remove, "the journal has its boot");
    std::fs::write(path.join("journal"), of_before).unwrap();
    // a process that has the number, and by chance the start, of one before the boot
    assert_eq!(next_start(&path).unwrap(), [format!("`{}`", file.display())]);
    assert!(!file.exists());
    assert!(child.ended().unwrap().is_none());
}

#[test]
fn a_line_that_cannot_be_read_is_reported_and_hinders_nothing() {
    let (_parent, path) = work_dir();
    let file = path.join("left");
    leave_behind(&path, Undo::Remove { path: file.clone() });
    std::fs::write(&file, "").unwrap();
    let journal = std::fs::read_to_string(path.join("journal")).unwrap();
    std::fs::write(path.join("journal"), format!("nonsense\n{journal}")).unwrap();
    for leftovers in [1, 0] {
        let dir = WorkDir::open(&path).unwrap();
        let (cleanup, found) = Cleanup::open(&dir).unwrap();
        assert_eq!(found.len(), leftovers);
        assert!(cleanup.word_of_unread().unwrap().starts_with("1 line of `"));
        assert!(!file.exists());
        drop((cleanup, dir));
        assert_eq!(std::fs::read_to_string(path.join("journal")).unwrap(), "nonsense\n");
    }
}

#[test]
fn a_journal_that_others_may_write_is_not_believed() {
    let (_parent, path) = work_dir();
    leave_behind(&path, Undo::Remove { path: path.join("x") });
    std::fs::set_permissions(path.join("journal"), Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(next_start(&path), Err(LabError::Step { .. })));
}

#[test]
fn nothing_outside_the_work_directory_is_touched() {
    let (parent, path) = work_dir();
    let outside = parent.path().join("precious");
    std::fs::write(&outside, "").unwrap();
    let by_detour = path.join("../precious");
    for undo in [
        Undo::Remove { path: outside.clone() },
        Undo::Remove { path: by_detour },
        Undo::Remove { path: path.clone() },
        Undo::Unmount { target: "/proc".into() },
        Undo::RemoveKernelDir { path: parent.path().to_path_buf() },
    ] {
        assert!(undo.perform(&path).is_err(), "{undo}");
    }
    assert!(outside.exists());
    // a loop device over someone else's file is no error, it is just not ours
    Undo::DetachLoop { backing: outside }.perform(&path).unwrap();
}

#[test]
fn a_setting_is_put_back_unless_someone_else_changed_it() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("nr_requests");
    let undo = Undo::Knob { file: file.clone(), from: "128".into(), to: "64".into() };
    let check = |now: &str, expected: &str| {
        std::fs::write(&file, now).unwrap();
        undo.perform(parent.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    };
    check("64\n", "128");
    check("32\n", "32\n");
    std::fs::remove_file(&file).unwrap();
    undo.perform(parent.path()).unwrap();
}

#[test]
fn a_choice_is_taken_back_unless_someone_else_chose() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("defrag");
    let undo = Undo::Choice { file: file.clone(), from: "madvise".into(), to: "defer".into() };
    let check = |now: &str, expected: &str| {
        std::fs::write(&file, now).unwrap();
        undo.perform(parent.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    };
    check("always [defer] madvise never\n", "madvise");
    check("always defer madvise [never]\n", "always defer madvise [never]\n");
    std::fs::remove_file(&file).unwrap();
    undo.perform(parent.path()).unwrap();
}

#[test]
fn a_process_that_was_left_is_killed() {
    let (_parent, path) = work_dir();
    let mut child = sleeper();
    let id = ProcessId::of(child.id().cast_signed()).unwrap();
    leave_behind(&path, Undo::Process { id, name: "sleep".into(), session: None });
    next_start(&path).unwrap();
    assert!(!child.wait(PATIENCE).unwrap().success());
}

/// What a killed lab leaves of a shell: the kernel ends the shell with the lab, and not what that started.
#[test]
fn what_a_process_of_a_killed_lab_had_started_went_on() {
    let own = ProcessId::own_session().unwrap();
    for (session, is_killed) in [(Some(own), true), (Some(own + 1), false), (None, false)] {
        let (_parent, path) = work_dir();
        let mut command = spawn::command("sh");
        command.args(["-c", "sleep 600 & echo $!; wait"]);
        let mut shell = spawn::Running::start_heard(command).unwrap();
        let started = shell.says("", PATIENCE).unwrap().parse().unwrap();
        let id = ProcessId::of(shell.id().cast_signed()).unwrap();
        let started = ProcessId::of(started).unwrap();
        // it alone, and it is not reaped before its value goes
        id.kill(PATIENCE).unwrap();
        leave_behind(&path, Undo::Process { id, name: "sh".into(), session });
        next_start(&path).unwrap();
        if is_killed {
            testing::until("it is gone", || ProcessId::of(started.pid) != Some(started));
        } else {
            assert_eq!(ProcessId::of(started.pid), Some(started), "{session:?}");
        }
    }
}

#[test]
fn changes_are_undone_back_to_a_mark_and_on_drop() {
    let (_parent, path) = work_dir();
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let [first, second] = [path.join("first"), path.join("second")];
    cleanup.promise(Undo::Remove { path: first.clone() }).unwrap();
    std::fs::write(&first, "").unwrap();
    let mark = cleanup.mark();
    cleanup.promise(Undo::Remove { path: second.clone() }).unwrap();
    std::fs::write(&second, "").unwrap();
    cleanup.undo_to(mark).unwrap();
    assert!(first.exists() && !second.exists());
    drop(cleanup);
    assert!(!first.exists());
}

/// A process with a namespace of its own, in which all that is mounted now stays so, as in a container.
fn copy_of_the_mounts() -> spawn::Running {
    let mut command = spawn::command("unshare");
    command.args(["--mount", "sh", "-c", "echo ready; exec sleep 600"]);
    let mut container = spawn::Running::start_heard(command).unwrap();
    container.says("ready", PATIENCE).unwrap();
    container
}

#[test]
fn a_namespace_that_copied_the_mounts_does_not_keep_the_disk() {
    if let Err(reason) = slow_disk::can_run() {
        println!("SKIPPED: {reason}");
        return;
    }
    let (_parent, path) = work_dir();
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let disk = SlowDisk::create(&mut cleanup, &dir, "slow", SMALL_DISK).unwrap();
    let container = copy_of_the_mounts();
    cleanup.undo_all().unwrap();
    let name = disk.device().file_name().unwrap().to_str().unwrap();
    // another disk may have got the device
    let backing = std::fs::read_to_string(format!("/sys/block/{name}/loop/backing_file"));
    let held = backing.is_ok_and(|it| it.starts_with(path.to_str().unwrap()));
    drop(container);
    assert!(!held, "`{name}` is still attached");
}

const SMALL_DISK: DiskOptions = DiskOptions {
    size_bytes: 256 << 20,
    file_system: FileSystem::Ext4,
    mount_options: "commit=1",
    stable_writes: true,
    unwritten_bytes: None,
    stored_mib: crate::slow_disk::STORED_MIB,
    queue: crate::slow_disk::SHORT_QUEUE,
};

/// A slow disk that another process writes to.
fn busy_disk(cleanup: &mut Cleanup, dir: &WorkDir, said: &Path) -> (SlowDisk, BackgroundWriter) {
    let disk = SlowDisk::create(cleanup, dir, "slow", SMALL_DISK).unwrap();
    disk.limit(Limit::WriteBytes(1 << 20)).unwrap();
    let how = Writing::default();
    let writer = BackgroundWriter::start(cleanup, how, disk.mount_point(), said).unwrap();
    (disk, writer)
}

#[test]
fn a_killed_server_leaves_no_mount_no_device_and_no_process_that_hangs() {
    if let Err(reason) = slow_disk::can_run() {
        println!("SKIPPED: {reason}");
        return;
    }
    let (_parent, path) = work_dir();
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let (disk, mut writer) = busy_disk(&mut cleanup, &dir, &path.join("slow.disk/said"));
    let server = cleanup.open.iter().find_map(|(_, undo)| match undo {
        Undo::Server { id, .. } => Some(*id),
        _ => None,
    });
    server.unwrap().kill(PATIENCE).unwrap();
    crate::Disturbance::stop(&mut writer, PATIENCE);
    cleanup.undo_all().unwrap();
    assert!(!is_mount_point(&path.join("slow")).unwrap());
    assert!(!is_mount_point(&path.join("slow.disk/served")).unwrap());
    let name = disk.device().file_name().unwrap().to_str().unwrap();
    let backing = std::fs::read_to_string(format!("/sys/block/{name}/loop/backing_file"));
    assert!(!backing.is_ok_and(|it| it.starts_with(path.to_str().unwrap())));
}

const CHILD: &str = "WHYPAUSE_LAB_TEST_CHILD";

/// Not a test of its own: the process that the next test kills, when the variable says so.
#[test]
fn holder_of_a_disk() {
    let Some(path) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let _fast = crate::fast_disk::mount(&mut cleanup, &dir).unwrap();
    let _isolation = Isolation::create(&mut cleanup);
    let said = path.join("said");
    cleanup.promise(Undo::Remove { path: said.clone() }).unwrap();
    let (disk, _writer) = busy_disk(&mut cleanup, &dir, &said);
    println!("holding {}", disk.device().display());
    loop {
        std::thread::park();
    }
}

#[test]
fn a_killed_run_leaves_nothing_once_the_next_one_started() {
    if let Err(reason) = slow_disk::can_run() {
        println!("SKIPPED: {reason}");
        return;
    }
    let (_parent, path) = work_dir();
    let mut command = spawn::command(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "cleanup::tests::holder_of_a_disk"]);
    command.env(CHILD, &path);
    let mut child = spawn::Running::start_heard(command).unwrap();
    let line = child.says("holding /dev/", 3 * PATIENCE).unwrap();
    let device = line.split_once("holding /dev/").unwrap().1;
    assert!(is_mount_point(&path.join("slow")).unwrap());
    child.kill().unwrap();
    let group = Path::new("/sys/fs/cgroup/cpu").join(format!("whypause-lab-{}", child.id()));

    let leftovers = next_start(&path).unwrap();
    assert!(leftovers.len() > 8, "{leftovers:?}");
    assert!(!is_mount_point(&path.join("slow")).unwrap());
    assert!(!is_mount_point(&path.join("slow.disk/served")).unwrap());
    assert!(!is_mount_point(&path.join("fast")).unwrap());
    let backing = || std::fs::read_to_string(format!("/sys/block/{device}/loop/backing_file"));
    assert!(!backing().is_ok_and(|it| it.starts_with(path.to_str().unwrap())));
    assert!(!group.exists());
    let mut left: Vec<_> = std::fs::read_dir(&path).unwrap().flatten().collect();
    left.retain(|it| it.file_name() != "journal" && it.file_name() != "lock");
    assert!(left.is_empty(), "{left:?}");
    // A device that is free may be another test's by now, which has its own setting.
    let stable = format!("/sys/block/{device}/queue/stable_writes");
    let is_put_back = || std::fs::read_to_string(&stable).unwrap().trim() == "0";
    testing::until("the setting is put back", || is_put_back() || backing().is_ok());
}

#[test]
fn a_journal_of_what_is_no_longer_there_is_done_with_at_once() {
    let (_parent, path) = work_dir();
    let gone = sleeper();
    let id = ProcessId::of(gone.id().cast_signed()).unwrap();
    drop(gone);
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let group = PathBuf::from("/sys/fs/cgroup/whypause-lab-gone");
    let all = [
        Undo::Remove { path: path.join("slow.disk") },
        Undo::Disconnect { dir: path.join("slow.disk") },
        Undo::Server { id, name: "whypause".into() },
        Undo::Lift { dir: path.join("slow.disk") },
        Undo::DetachLoop { backing: path.join("slow.disk/served/image") },
        Undo::Knob {
            file: "/sys/block/loop-gone/queue/x".into(),
            from: "1".into(),
            to: "2".into(),
        },
        Undo::Choice { file: "/sys/gone".into(), from: "madvise".into(), to: "never".into() },
        Undo::SwapOff { device: "/dev/loop-gone".into() },
        Undo::Unmount { target: path.join("slow") },
        Undo::RemoveKernelDir { path: group.clone() },
        Undo::Thaw { file: group.join("cgroup.freeze"), thaw: "0".into() },
        Undo::Process { id, name: "sleep".into(), session: None },
    ];
    let promised = all.len();
    all.into_iter().for_each(|undo| cleanup.promise(undo).unwrap());
    // as `kill -9` does: nothing is undone
    std::mem::forget(cleanup);
    drop(dir);
    let begun = Instant::now();
    let found = [next_start(&path).unwrap().len(), next_start(&path).unwrap().len()];
    assert_eq!(found, [promised, 0]);
    // one that waits for something waits for the whole of its time
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}
