//! On the settings of this host, which are as before afterwards.
#![allow(clippy::print_stdout, reason = "a test may")]
use super::*;
use recorder::Roots;
use std::{
    panic::AssertUnwindSafe,
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};

/// There is one such setting on this host, so one test after the other.
static ONE: Mutex<()> = Mutex::new(());

struct Bench {
    directory: tempfile::TempDir,
    roots: Roots,
    interrupt: AtomicBool,
    before: Vec<Option<String>>,
    _one: MutexGuard<'static, ()>,
}

const GIB: u64 = 1 << 30;
const TUNING: Tuning =
    Tuning { footprint_bytes: GIB, period: Duration::from_millis(1), dry_run: false };

fn stop_after(rounds: usize, bench: &Bench) -> impl FnMut(&Round) {
    let mut reported = 0;
    move |_| {
        reported += 1;
        bench.interrupt.store(reported >= rounds, Ordering::Relaxed);
    }
}

/// Everything is fine.
const FINE: MemorySample = MemorySample {
    available_bytes: 100 * GIB,
    of_group: false,
    resident_bytes: GIB,
    swapped_bytes: 0,
    scanned: 0,
    group_scanned: 0,
    khugepaged: Some(Duration::ZERO),
};
const NO_MEMORY: MemorySample = MemorySample { available_bytes: 0, ..FINE };

impl Bench {
    /// `None` where this test cannot change the settings, and says so.
    fn new() -> Option<Bench> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        if !rustix::process::geteuid().is_root() {
            println!("SKIPPED: not root");
            return None;
        }
        let mut bench = Bench {
            directory: tempfile::tempdir_in("/dev/shm").unwrap(),
            roots: Roots::default(),
            interrupt: AtomicBool::new(false),
            before: Vec::new(),
            _one: one,
        };
        bench.before = bench.values();
        if bench.before.iter().any(Option::is_none) || bench.before[0].as_deref() == Some("never") {
            println!("SKIPPED: this kernel has no huge pages, or they are off");
            return None;
        }
        Some(bench)
    }

    fn host(&self) -> Host<'_> {
        Host { roots: &self.roots, interrupt: &self.interrupt }
    }

    fn values(&self) -> Vec<Option<String>> {
        Control::ALL.iter().map(|it| value(*it, &self.host())).collect()
    }

    fn places(&self) -> Places {
        let at = |name: &str| self.directory.path().join(name);
        Places { memory: at("memory"), disk: at("disk") }
    }

    fn start<'a>(&'a self, places: &'a Places, tuning: Tuning) -> Result<Tuner<'a>, TunerError> {
        let same = |_: Control, now: &str| Some(now.to_owned());
        Tuner::start(self.host(), places, tuning, same, &mut |_| {})
    }

    fn set(&self, control: Control, to: &str) {
        std::fs::write(control.file(), to).unwrap();
    }

    fn put_back(&self) {
        for (control, before) in Control::ALL.iter().copied().zip(&self.before) {
            self.set(control, before.as_deref().unwrap());
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.put_back();
    }
}

/// What each round measures, over and over where there are more rounds.
fn samples(all: &[MemorySample]) -> impl FnMut() -> Option<MemorySample> {
    let mut all = all.iter().copied().cycle();
    move || all.next()
}

#[test]
fn short_memory_switches_huge_pages_off_and_the_end_switches_them_on() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    let mut tuner = bench.start(&places, TUNING).unwrap();
    let mut seen = Vec::new();
    let mut stop = stop_after(2, &bench);
    let outcome = tuner.run(&mut samples(&[NO_MEMORY]), &mut |round| {
        seen.push((round.switched.clone(), bench.values()[0].clone()));
        stop(round);
    });
    assert_eq!(outcome.unwrap(), Outcome::Stopped);
    let never = Some("never".to_owned());
    let (switched, value) = &seen[0];
    assert_eq!((switched[0].control, switched[0].to.as_str()), (Control::Enabled, "never"));
    assert_eq!(
        switched[0].why,
        "0 B of memory available, 128 MiB wanted (the JVM may take 0 B more)"
    );
    assert_eq!((value, &seen[1]), (&never, &(Vec::new(), never.clone())));
    let undone = tuner.end().unwrap();
    assert_eq!(undone.put_back.len(), 1, "{undone:?}");
    assert_eq!(bench.values(), bench.before);
}

#[test]
fn each_finer_switch_has_a_measure_of_its_own() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    bench.set(Control::Defrag, "madvise");
    bench.set(Control::Khugepaged, "1");
    let scanning = MemorySample { scanned: 1_000_000, ..FINE };
    let busy = MemorySample { khugepaged: Some(Duration::from_secs(1)), ..FINE };
    for (sample, control) in [(scanning, Control::Defrag), (busy, Control::Khugepaged)] {
        bench.interrupt.store(false, Ordering::Relaxed);
        let mut tuner = bench.start(&places, TUNING).unwrap();
        let mut all = Vec::new();
        let mut stop = stop_after(1, &bench);
        let outcome = tuner.run(&mut samples(&[FINE, sample]), &mut |round| {
            all.extend(round.switched.clone());
            stop(round);
        });
        assert_eq!(outcome.unwrap(), Outcome::Stopped);
        assert_eq!(all.iter().map(|it| it.control).collect::<Vec<_>>(), [control]);
        assert_eq!(value(control, &bench.host()).unwrap(), control.off());
        drop(tuner);
    }
    let now = bench.values();
    assert_eq!(now[1..], [Some("madvise".into()), Some("1".into())]);
}

#[test]
fn a_switch_that_somebody_else_has_set_is_left_alone() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    let other = if bench.before[0].as_deref() == Some("always") { "madvise" } else { "always" };
    let mut tuner = bench.start(&places, TUNING).unwrap();
    let mut lost = Vec::new();
    let mut rounds = 0;
    let mut stop = stop_after(12, &bench);
    let outcome = tuner.run(&mut samples(&[NO_MEMORY]), &mut |round| {
        rounds += 1;
        if rounds == 2 {
            bench.set(Control::Enabled, other);
        }
        lost.extend(round.lost.clone());
        assert!(rounds == 1 || round.switched.is_empty(), "{round:?}");
        stop(round);
    });
    assert_eq!(outcome.unwrap(), Outcome::Stopped);
    assert_eq!(lost, [(Control::Enabled, other.to_owned())]);
    let undone = tuner.end().unwrap();
    assert!(undone.left[0].contains("changed by someone else"), "{undone:?}");
    assert_eq!(bench.values()[0].as_deref(), Some(other));
}

#[test]
fn where_everything_was_taken_back_it_ends() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    let mut tuner = bench.start(&places, TUNING).unwrap();
    let outcome = tuner.run(&mut samples(&[NO_MEMORY]), &mut |round| {
        if !round.switched.is_empty() {
            let undone = Store::open(&places).unwrap().undo(Which::All, &bench.host());
            assert_eq!(undone.put_back.len(), 1, "{undone:?}");
        }
    });
    assert_eq!(outcome.unwrap(), Outcome::TakenBack);
    assert!(tuner.end().unwrap().is_empty());
    assert_eq!(bench.values(), bench.before);
}

#[test]
fn a_panic_takes_everything_back() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    let panicked = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let mut tuner = bench.start(&places, TUNING).unwrap();
        let _ = tuner.run(&mut samples(&[NO_MEMORY]), &mut |_| {
            assert_eq!(bench.values()[0].as_deref(), Some("never"));
            panic!("on purpose");
        });
    }));
    assert!(panicked.is_err());
    assert_eq!(bench.values(), bench.before);
}

#[test]
fn there_is_one_tuner_and_its_changes_are_nobody_elses() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    let tuner = bench.start(&places, TUNING).unwrap();
    assert!(matches!(bench.start(&places, TUNING), Err(TunerError::Another)));
    let dry = Tuning { dry_run: true, ..TUNING };
    assert!(bench.start(&places, dry).is_ok(), "it changes nothing");
    assert!(take_back_abandoned(&places, &bench.host()).unwrap().is_empty());
    drop(tuner);
    assert!(bench.start(&places, TUNING).is_ok());
}

#[test]
fn a_dry_run_changes_nothing() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    let mut tuner = bench.start(&places, Tuning { dry_run: true, ..TUNING }).unwrap();
    let mut stop = stop_after(2, &bench);
    let mut first = None;
    let outcome = tuner.run(&mut samples(&[NO_MEMORY]), &mut |round| {
        first.get_or_insert_with(|| round.clone());
        stop(round);
    });
    assert_eq!(outcome.unwrap(), Outcome::Stopped);
    assert_eq!(first.unwrap().switched[0].to, "never");
    assert_eq!(bench.values(), bench.before);
    assert!(!places.memory.exists());
}

#[test]
fn huge_pages_that_are_off_stay_off() {
    let Some(bench) = Bench::new() else { return };
    let places = bench.places();
    bench.set(Control::Enabled, "never");
    let on = |control: Control, now: &str| (now != control.off()).then(|| now.to_owned());
    let started = Tuner::start(bench.host(), &places, TUNING, on, &mut |_| {});
    assert!(matches!(started, Err(TunerError::Off)));
}
