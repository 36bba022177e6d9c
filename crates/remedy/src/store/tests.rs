//! What is changed is taken back, whatever happened meanwhile.
#![allow(clippy::print_stdout, reason = "a test may")]
use super::*;
use crate::{Group, IoPriority, JvmLog, Member, Mount, Process, Setting, UnitFile};
use recorder::Roots;
use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt,
    panic::AssertUnwindSafe,
    sync::atomic::AtomicBool,
};

mod reused;

/// A process whose priority is changed, and notes of it.
struct Bench {
    directory: tempfile::TempDir,
    sleeper: spawn::Running,
    roots: Roots,
    interrupt: AtomicBool,
}

impl Bench {
    fn new() -> Bench {
        let mut command = spawn::command("sleep");
        command.arg("60");
        Bench {
            directory: tempfile::tempdir_in("/dev/shm").unwrap(),
            sleeper: spawn::Running::start(command).unwrap(),
            roots: Roots::default(),
            interrupt: AtomicBool::new(false),
        }
    }

    fn places(&self) -> Places {
        let at = |name: &str| self.directory.path().join(name);
        Places { memory: at("memory"), disk: at("disk") }
    }

    /// A change that was made, with a previous value of this length.
    fn kept(&self, bytes: usize) -> Entry {
        let (change, before) = (self.change("idle"), Some("x".repeat(bytes)));
        Entry { remedy: "test".into(), change, before, ours: vec![], kept: true, found: None }
    }

    fn store(&self) -> Store {
        Store::open(&self.places()).unwrap()
    }

    fn host(&self) -> Host<'_> {
        Host { roots: &self.roots, interrupt: &self.interrupt }
    }

    fn change(&self, to: &str) -> Change {
        let process = Process::of(self.sleeper.id()).unwrap();
        Change::IoPriority(IoPriority { process, to: to.into() })
    }

    fn plan(&self, to: &[&str]) -> Plan {
        to.iter().fold(Plan::new("test"), |plan, to| plan.change(self.change(to)))
    }

    /// The priority that it has.
    fn now(&self) -> String {
        self.change("idle").now(&self.host()).unwrap().unwrap()
    }

    fn apply(&self, to: &[&str]) -> Result<bool, StoreError> {
        self.store().apply(&self.plan(to), &self.host(), &mut |_| {})
    }

    fn undo(&self) -> Undone {
        self.store().undo(Which::All, &self.host())
    }
}

const BEFORE: &str = "none";

#[test]
fn the_first_value_is_kept_over_repeated_changes() {
    let bench = Bench::new();
    assert_eq!(bench.now(), BEFORE);
    assert!(bench.apply(&["idle"]).unwrap());
    assert!(bench.apply(&["best-effort: prio 7"]).unwrap());
    assert!(!bench.apply(&["best-effort: prio 7"]).unwrap(), "it is so already");
    assert_eq!(bench.now(), "best-effort: prio 7");
    let undone = bench.undo();
    assert_eq!((undone.put_back.len(), bench.now().as_str()), (1, BEFORE), "{undone:?}");
    assert!(bench.undo().is_empty());
}

#[test]
fn what_somebody_has_changed_meanwhile_stays_and_is_reported() {
    let bench = Bench::new();
    bench.apply(&["idle"]).unwrap();
    bench.change("").set(&Some("best-effort: prio 2".into()), &bench.host()).unwrap();
    let undone = bench.undo();
    assert_eq!(bench.now(), "best-effort: prio 2");
    assert!(undone.left[0].ends_with("changed by someone else, left as it is"), "{undone:?}");
    assert!(bench.undo().is_empty(), "it is told once");
}

#[test]
fn what_somebody_has_put_back_already_is_no_news() {
    let bench = Bench::new();
    bench.apply(&["idle"]).unwrap();
    bench.change("").set(&Some(BEFORE.into()), &bench.host()).unwrap();
    assert!(bench.undo().is_empty());
}

#[test]
fn where_one_change_fails_those_before_it_are_taken_back() {
    let bench = Bench::new();
    let wrong = Setting { file: "/proc/sys/vm/no_such_setting".into(), to: "1".into() };
    let plan = bench.plan(&["idle"]).change(Change::Setting(wrong));
    let failed = bench.store().apply(&plan, &bench.host(), &mut |_| {}).unwrap_err();
    assert!(failed.to_string().contains("no_such_setting"), "{failed}");
    assert_eq!(bench.now(), BEFORE);
    assert_eq!(bench.store().entries().count(), 0);
}

#[test]
fn a_signal_between_two_changes_takes_back_the_first() {
    let bench = Bench::new();
    let plan = bench.plan(&["idle", "best-effort: prio 7"]);
    let applied = bench.store().apply(&plan, &bench.host(), &mut |_| {
        bench.interrupt.store(true, Ordering::Relaxed);
    });
    assert!(matches!(applied, Err(StoreError::Interrupted)));
    assert_eq!(bench.now(), BEFORE);
}

#[test]
fn a_panic_takes_back_what_was_changed() {
    let bench = Bench::new();
    let mut store = bench.store();
    let (plan, host) = (bench.plan(&["idle"]), bench.host());
    let run = AssertUnwindSafe(|| store.apply(&plan, &host, &mut |_| panic!("on purpose")));
    assert!(std::panic::catch_unwind(run).is_err());
    assert_eq!(bench.now(), BEFORE);
}

#[test]
fn what_a_killed_run_has_changed_is_taken_back_by_the_next_one() {
    let bench = Bench::new();
    {
        let mut store = bench.store();
        store.make("test", &bench.change("idle"), &bench.host(), &mut |_| {}).unwrap();
        // Here it is killed.
    }
    assert_eq!(bench.now(), "idle");
    let undone = bench.store().undo(Which::Interrupted, &bench.host());
    assert_eq!((undone.put_back.len(), bench.now().as_str()), (1, BEFORE));
}

/// A second run, of another plan, that fails, panics or is killed behind a change of the first.
#[test]
fn a_later_run_that_fails_leaves_what_an_earlier_one_has_changed() {
    let wrong = Setting { file: "/proc/sys/vm/no_such_setting".into(), to: "1".into() };
    type Cut<'a> = (&'a str, &'a dyn Fn(&Bench));
    let cuts: [Cut; 3] = [
        ("failed", &|bench| {
            let plan = bench.plan(&["best-effort: prio 7"]).change(Change::Setting(wrong.clone()));
            assert!(bench.store().apply(&plan, &bench.host(), &mut |_| {}).is_err());
        }),
        ("panicked", &|bench| {
            let (mut store, plan) = (bench.store(), bench.plan(&["best-effort: prio 7"]));
            let run = || store.apply(&plan, &bench.host(), &mut |_| panic!("on purpose"));
            assert!(std::panic::catch_unwind(AssertUnwindSafe(run)).is_err());
        }),
        ("killed", &|bench| {
            let change = bench.change("best-effort: prio 7");
            bench.store().make("test", &change, &bench.host(), &mut |_| {}).unwrap();
            bench.store().undo(Which::Interrupted, &bench.host());
        }),
    ];
    for (how, cut) in cuts {
        let bench = Bench::new();
        bench.apply(&["idle"]).unwrap();
        cut(&bench);
        assert_eq!(bench.now(), "idle", "{how}");
        let entries: Vec<Entry> = bench.store().entries().cloned().collect();
        assert!(matches!(&entries[..], [it] if it.kept && it.found.is_none()), "{entries:?}");
        assert_eq!(bench.undo().put_back.len(), 1, "{how}");
        assert_eq!(bench.now(), BEFORE, "{how}");
    }
}

#[test]
fn what_was_kept_is_not_taken_for_a_run_that_was_cut() {
    let bench = Bench::new();
    bench.apply(&["idle"]).unwrap();
    assert!(bench.store().undo(Which::Interrupted, &bench.host()).is_empty());
    assert_eq!(bench.now(), "idle");
}

#[test]
fn a_process_that_has_ended_needs_nothing_taken_back() {
    let mut bench = Bench::new();
    bench.apply(&["idle"]).unwrap();
    bench.sleeper.kill();
    let undone = bench.undo();
    assert!(undone.left[0].contains("has ended"), "{undone:?}");
    assert!(undone.failed.is_empty() && bench.undo().is_empty());
}

#[test]
fn one_remedy_is_taken_back_and_not_another() {
    let bench = Bench::new();
    bench.apply(&["idle"]).unwrap();
    assert!(bench.store().undo(Which::Of("another"), &bench.host()).is_empty());
    assert_eq!(bench.store().undo(Which::Of("test"), &bench.host()).put_back.len(), 1);
}

/// An unused block device, with a queue to set.
fn idle_queue() -> Option<String> {
    (0..8).map(|it| format!("/sys/block/loop{it}")).find_map(|it| {
        let is_used = fs::exists(format!("{it}/loop/backing_file")).unwrap_or(true);
        let file = format!("{it}/queue/read_ahead_kb");
        (!is_used && fs::exists(&file).unwrap_or(false)).then_some(file)
    })
}

/// Where control groups can be made: the root of a hierarchy and its controller.
fn groups() -> Option<(&'static str, &'static str)> {
    let unified = fs::exists("/sys/fs/cgroup/cgroup.procs").unwrap_or(false);
    let blkio = fs::exists("/sys/fs/cgroup/blkio/cgroup.procs").unwrap_or(false);
    match (unified, blkio) {
        (true, _) => Some(("/sys/fs/cgroup", "")),
        (_, true) => Some(("/sys/fs/cgroup/blkio", "blkio")),
        _ => None,
    }
}

/// A setting of the kernel, a control group, a process in it and a mount.
fn all_kinds(bench: &Bench) -> Option<Vec<Change>> {
    let why = match (rustix::process::geteuid().is_root(), idle_queue(), groups()) {
        (false, ..) => "not root",
        (_, None, _) => "no idle block device",
        (_, _, None) => "no control groups",
        (true, Some(file), Some((root, controller))) => {
            let path = format!("{root}/whypause-test-{}", bench.sleeper.id());
            let process = Process::of(bench.sleeper.id()).unwrap();
            let target = bench.directory.path().join("mounted");
            fs::create_dir_all(&target).unwrap();
            let now = fs::read_to_string(&file).unwrap();
            let to = if now.trim() == "64" { "32" } else { "64" };
            let [root, controller] = [root, controller].map(str::to_owned);
            return Some(vec![
                Change::Setting(Setting { file, to: to.into() }),
                Change::Group(Group { path: path.clone() }),
                Change::Member(Member { process, root, controller, to: path }),
                Change::Mount(Mount {
                    target: target.display().to_string(),
                    owner: 0,
                    options: "size=1m,mode=0700".into(),
                }),
            ]);
        }
    };
    println!("SKIPPED: {why}");
    None
}

/// After a stop at each place, a panic, and a kill followed by the next run.
#[test]
fn a_setting_a_group_its_member_and_a_mount_are_as_before_however_it_ends() {
    let bench = Bench::new();
    let Some(changes) = all_kinds(&bench) else { return };
    let now = || changes.iter().map(|it| it.now(&bench.host()).unwrap()).collect::<Vec<_>>();
    let before = now();
    let plan = changes.iter().cloned().fold(Plan::new("test"), Plan::change);
    for stop_after in 1..changes.len() {
        let mut made = 0;
        let stopped = bench.store().apply(&plan, &bench.host(), &mut |_| {
            made += 1;
            bench.interrupt.store(made == stop_after, Ordering::Relaxed);
        });
        bench.interrupt.store(false, Ordering::Relaxed);
        assert!(matches!(stopped, Err(StoreError::Interrupted)), "{stop_after}");
        assert_eq!(now(), before, "stopped after {stop_after}");
    }
    for panic_after in 1..=changes.len() {
        let (mut store, mut made) = (bench.store(), 0);
        let run = AssertUnwindSafe(|| {
            store.apply(&plan, &bench.host(), &mut |_| {
                made += 1;
                assert!(made < panic_after, "on purpose");
            })
        });
        assert!(std::panic::catch_unwind(run).is_err());
        assert_eq!(now(), before, "a panic after {panic_after}");
    }
    for killed_after in 1..=changes.len() {
        for change in &changes[..killed_after] {
            bench.store().make("test", change, &bench.host(), &mut |_| {}).unwrap();
        }
        bench.store().undo(Which::Interrupted, &bench.host());
        assert_eq!(now(), before, "killed after {killed_after}");
    }
    bench.store().apply(&plan, &bench.host(), &mut |_| {}).unwrap();
    assert_ne!(now(), before);
    let undone = bench.undo();
    assert_eq!(undone.put_back.len(), changes.len(), "{undone:?}");
    assert_eq!(now(), before);
}

#[test]
fn who_looked_at_a_mount_for_a_moment_kept_it_and_all_that_was_changed_before_it() {
    if !rustix::process::geteuid().is_root() {
        return println!("SKIPPED: not root");
    }
    let bench = Bench::new();
    let target = bench.directory.path().join("mounted");
    fs::create_dir_all(&target).unwrap();
    let mount = Mount {
        target: target.display().to_string(),
        owner: 0,
        options: "size=1m,mode=0700".into(),
    };
    let plan = Plan::new("test").change(bench.change("idle")).change(Change::Mount(mount));
    bench.store().apply(&plan, &bench.host(), &mut |_| {}).unwrap();
    let looks = fs::File::open(&target).unwrap();
    let undone = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(looks);
        });
        bench.undo()
    });
    assert_eq!(undone.put_back.len(), 2, "{undone:?}");
}

/// Notes of thousands of runs, while something else stays changed.
#[test]
fn notes_do_not_grow_with_the_number_of_runs() {
    let bench = Bench::new();
    bench.apply(&["idle"]).unwrap();
    let long = "x".repeat(100 << 10);
    for n in 0..400_u32 {
        let mut store = bench.store();
        let name = format!("whypause-test-{n}.service");
        let change = Change::JvmLog(JvmLog {
            process: Process { pid: n, start_ticks: 1, name },
            uid: 0,
            output: format!("file={long}"),
            to: None,
        });
        let entry = Entry { change, ..bench.kept(1) };
        let id = store.memory.next;
        store.memory.write(id, entry).unwrap();
        store.memory.forget(id);
    }
    let bytes = fs::metadata(bench.places().memory.join("changes")).unwrap().len();
    assert!(bytes < 2 << 20, "{bytes} bytes");
    assert_eq!(bench.undo().put_back.len(), 1);
}

/// What a JVM tells is a part of some changes, and may be as long as it likes.
#[test]
fn notes_are_never_too_large_to_be_read() {
    let bench = Bench::new();
    let mut store = bench.store();
    let refused = store.memory.write(0, bench.kept(300 << 10)).unwrap_err().to_string();
    assert_eq!(refused, "a change with more than 256 KiB");
    let refused = (1..200).find_map(|id| store.memory.write(id, bench.kept(200 << 10)).err());
    let refused = refused.expect("a bound").to_string();
    assert_eq!(refused, "it would have more than 16 MiB: undo something first");
    drop(store);
    assert!(bench.store().entries().count() > 50);
}

/// A kill between two lines left half a plan for good.
#[test]
fn all_changes_of_a_plan_are_noted_to_stay_or_none() {
    let bench = Bench::new();
    let mut store = bench.store();
    let all = |last: usize| {
        [1, 1, last].into_iter().zip(0..).map(|(it, id)| (id, bench.kept(it))).collect()
    };
    assert!(store.memory.write_all(all(300 << 10)).is_err());
    drop(store);
    assert_eq!(bench.store().entries().count(), 0);
    bench.store().memory.write_all(all(1)).unwrap();
    assert_eq!(bench.store().entries().count(), 3);
}

/// The notes of a file of a unit, as another boot has written them.
#[test]
fn after_a_boot_only_what_outlives_it_is_taken_back() {
    let bench = Bench::new();
    let entry = |change: Change| Entry {
        remedy: "test".into(),
        ours: vec![change.wanted()],
        change,
        before: None,
        kept: true,
        found: None,
    };
    let unit = UnitFile { name: "whypause-test-of-boots.service".into(), text: "x".into() };
    let notes = [("memory", entry(bench.change("idle"))), ("disk", entry(Change::UnitFile(unit)))];
    for (place, entry) in notes {
        let directory = bench.directory.path().join(place);
        DirBuilder::new().mode(0o700).create(&directory).unwrap();
        let line = serde_json::json!({ "promise": [0, entry, "another-boot"] });
        fs::write(directory.join("changes"), format!("{line}\n")).unwrap();
    }
    let store = bench.store();
    let left: Vec<String> = store.entries().map(|it| it.change.subject()).collect();
    assert_eq!(left, ["/etc/systemd/system/whypause-test-of-boots.service"]);
}

#[test]
fn notes_that_others_can_change_are_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let memory = bench.places().memory;
    fs::create_dir(&memory).unwrap();
    fs::set_permissions(&memory, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(Store::open(&bench.places()), Err(StoreError::Unsafe(_))));
    fs::remove_dir(&memory).unwrap();
    std::os::unix::fs::symlink("/tmp", &memory).unwrap();
    assert!(Store::open(&bench.places()).is_err());
}
