//! The page of a watch beside the lab's faults: pauses whose cause is known arrive with it.
use crate::{
    newest, one_lab,
    page::{ask, event, place, said, since_end},
};
use serde_json::Value;
use spawn::Running;
use std::time::Duration;
use testing::PATIENCE;

/// How long each fault is watched, in seconds.
const WATCHED: u64 = 8;
/// This long after its end no pause is on its page, whatever the host does.
const FAR_TOO_LATE: Duration = Duration::from_secs(20);

/// The cause with the largest part of the pause of an event. Where others had the CPUs for most of it,
/// it is still the fault's pause if of what is left the fault has most.
fn cause(pause: &Value, fault: &str) -> String {
    let number = |it: &Value| usize::try_from(it.as_u64().unwrap()).unwrap();
    // How many there are, then the index and the length of each.
    let parts = pause["pauses"]["parts"].as_array().unwrap().iter().map(number);
    let parts: Vec<usize> = parts.skip(1).collect();
    let id = |it: &[usize]| pause["causes"][it[0]]["id"].as_str().unwrap().to_owned();
    let causes: Vec<String> = parts.chunks(2).map(id).collect();
    let own = causes.iter().find(|it| !OF_OTHERS.contains(&it.as_str()));
    let first = own.filter(|it| *it == fault).or(causes.first());
    first.cloned().unwrap_or_else(|| "unexplained".to_owned())
}

/// On a busy host others have the CPUs in the middle of a pause: that part is theirs, and rightly so.
const OF_OTHERS: [&str; 3] = ["cpu-contention", "cpu-steal", "host-stood-still"];

/// Any pause.
fn any(_: &Value) -> bool {
    true
}

/// A pause that is mostly time to safepoint; on a busy host others take more than 50 ms, too.
fn late(pause: &Value) -> bool {
    let us = |column: &str| pause["pauses"][column][0].as_u64().unwrap();
    us("reaching_us") * 2 > us("length_us")
}

/// Whether the fault strikes on the page as what it is. Pauses without it may be between those with it:
/// of those that are long and may be its own, it must be most.
fn strikes(scenario: &str, may_be_its_own: fn(&Value) -> bool) {
    let Some(_) = newest() else { return };
    if let Err(reason) = ::lab::slow_disk::can_run() {
        println!("SKIPPED: {reason}");
        return;
    }
    let _turn = one_lab::turn();
    let watched = format!("{WATCHED}s");
    let mut command = one_lab::command(&["hold", scenario, "--on-this-host", "--"]);
    command.arg(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", "%pid", "--over", "50ms", "--serve", "0", "-d", &watched]);
    let mut lab = Running::start_heard(command).unwrap();
    let mut place_of = None;
    while place_of.is_none() {
        if lab.ends_within(Duration::from_millis(100)).unwrap().is_some() {
            println!("SKIPPED: the lab does not hold {scenario}: {}", said(&lab).trim());
            return;
        }
        place_of = said(&lab).contains("live page at").then(|| place(&lab));
    }
    let (address, path) = place_of.unwrap();
    let mut stream = ask(address, &format!("{path}events"), &address.to_string());
    let mut causes = Vec::new();
    let mut delays = Vec::new();
    while let Some((name, event)) = event(&mut stream) {
        if name == "pause" {
            delays.push(since_end(&event));
            causes.push((cause(&event, scenario), may_be_its_own(&event)));
        }
    }
    delays.sort_unstable();
    let longest = delays.last().copied().unwrap_or_default();
    let median = delays.get(delays.len() / 2).copied().unwrap_or_default();
    println!(
        "{scenario}: {} pauses, on the page {median:?} after their ends, {longest:?} at most",
        causes.len()
    );
    assert!(lab.wait(PATIENCE).unwrap().success(), "{}", said(&lab));
    let right = causes.iter().filter(|it| it.0 == scenario).count();
    let of_jvm = causes.iter().filter(|it| it.1 && !OF_OTHERS.contains(&it.0.as_str())).count();
    assert!(right > 0 && right * 2 > of_jvm, "{causes:?}");
    assert!(longest < FAR_TOO_LATE, "{delays:?}");
}

#[test]
fn a_late_java_thread_is_on_the_page() {
    strikes("late-java-thread", late);
}

#[test]
fn a_blocked_write_to_the_gc_log_is_on_the_page() {
    strikes("gc-log-write-blocked", any);
}
