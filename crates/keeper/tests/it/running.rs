//! How a keeper begins and ends.
use super::*;
use keeper::{Alive, Outcome, Process};
use std::sync::atomic::{AtomicBool, Ordering};

fn start_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(19).unwrap().parse().unwrap()
}

/// A process that writes to the log until it is killed.
fn writer(log: &Path) -> spawn::Running {
    let mut command = spawn::command("sh");
    command.args(["-c", "while echo line; do sleep 0.01; done >>\"$1\"", "sh"]).arg(log);
    spawn::Running::start(command).unwrap()
}

#[test]
fn it_ends_with_the_jvm_when_everything_is_copied() {
    let bench = Bench::new();
    let mut jvm = writer(&bench.log());
    let process = Process { pid: jvm.id(), start_ticks: start_ticks(jvm.id()) };
    let period = Duration::from_secs(3600);
    let options =
        Options { while_alive: Some(Alive::of(process).unwrap()), period, ..bench.options() };
    let mut keeper = Keeper::open(&options).unwrap();
    until("it writes", || fs::metadata(bench.log()).is_ok_and(|it| it.len() > 20));
    assert!(!keeper.round().unwrap().ended);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| keeper.run(&AtomicBool::new(false), &mut |_| {}));
        jvm.kill().unwrap();
        // At once, and not after the period.
        assert_eq!(running.join().unwrap(), Outcome::Ended);
    });
    assert_eq!(bench.text(), fs::read_to_string(bench.log()).unwrap());
    assert!(!bench.to().join(".gc.log.lock").exists());
}

#[test]
fn a_later_process_with_its_number_is_not_the_jvm() {
    let bench = Bench::new();
    append(&bench.log(), "log\n");
    let pid = std::process::id();
    for process in [
        Process { pid, start_ticks: start_ticks(pid) - 1 },
        Process { pid: 0x7fff_fff0, start_ticks: 1 },
    ] {
        let options = Options { while_alive: Some(Alive::of(process).unwrap()), ..bench.options() };
        let mut keeper = Keeper::open(&options).unwrap();
        assert_eq!(keeper.run(&AtomicBool::new(false), &mut |_| {}), Outcome::Ended);
        assert_eq!(bench.text(), "log\n");
    }
}

#[test]
fn when_it_is_stopped_it_makes_a_last_round() {
    let bench = Bench::new();
    let options = Options { period: Duration::from_secs(3600), ..bench.options() };
    let mut keeper = Keeper::open(&options).unwrap();
    append(&bench.log(), "one\n");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| keeper.run(&stop, &mut |_| {}));
        until("the first round is over", || bench.copy(1).exists());
        append(&bench.log(), "two\n");
        stop.store(true, Ordering::Relaxed);
        assert_eq!(running.join().unwrap(), Outcome::Stopped);
    });
    assert_eq!(bench.text(), "one\ntwo\n");
}

#[test]
fn trouble_with_the_log_is_reported_once() {
    let bench = Bench::new();
    fs::create_dir(bench.log()).unwrap();
    let mut keeper = bench.keeper();
    let stop = AtomicBool::new(false);
    let reported = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| keeper.run(&stop, &mut |it| reported.lock().unwrap().push(plain(&it))));
        until("it is told", || !reported.lock().unwrap().is_empty());
        std::thread::sleep(Duration::from_millis(100));
        fs::remove_dir(bench.log()).unwrap();
        append(&bench.log(), "log\n");
        until("it is copied", || reported.lock().unwrap().len() > 2);
        stop.store(true, Ordering::Relaxed);
    });
    let reported = reported.into_inner().unwrap();
    assert_eq!(reported[0], "not copied for now: `gc.log` is not read: it is no regular file");
    assert_eq!(reported[1], "copying to `gc.log.zst`");
    assert!(reported[2].starts_with("copying again after ") && reported.len() == 3, "{reported:?}");
}

#[test]
fn a_log_that_grows_without_end_does_not_hold_a_round_for_ever() {
    let bench = Bench::new();
    let file = File::create(bench.log()).unwrap();
    file.set_len(300 << 20).unwrap();
    let mut keeper = bench.keeper();
    let first = keeper.round().unwrap();
    assert_eq!((first.copied_bytes, first.is_behind), (256 << 20, true));
    // What is left of it comes before the next file.
    fs::rename(bench.log(), bench.rotated("0")).unwrap();
    append(&bench.log(), "next\n");
    let second = keeper.round().unwrap();
    assert_eq!((second.copied_bytes, second.is_behind), ((44 << 20) + 5, false));
    let text = bench.text();
    assert!(text.len() == (300 << 20) + 5 && text.ends_with("\0next\n"));
}
