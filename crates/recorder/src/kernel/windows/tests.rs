//! Records in, safepoints out.
use super::*;

const VM: u32 = 2;
const WORKER: u32 = 3;

fn role(tid: u32) -> ThreadRole {
    if tid == WORKER { ThreadRole::GcWorker } else { ThreadRole::Java }
}

/// Plays `events` (`begin 10`, `op 12 15 Name`, `wake 9 16`, `end 10 20`, `drain`) and tells
/// `begin..resumed/end operations` of each safepoint that became complete.
fn check(events: &str, expected: &str) {
    let mut windows = Windows::default();
    windows.start(MonoTime(5), false);
    let mut found = Vec::new();
    for event in events.split(',').map(str::trim) {
        let words: Vec<&str> = event.split_whitespace().collect();
        let number = |n: usize| words[n].parse::<u64>().unwrap();
        match words[0] {
            "begin" => windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(number(1)) }),
            "op" => windows.receive(&Record::Operation {
                interval: Interval::new(MonoTime(number(1)), MonoTime(number(2))),
                name: words[3],
            }),
            "wake" => windows.receive(&Record::Wake {
                tid: u32::try_from(number(1)).unwrap(),
                at: MonoTime(number(2)),
            }),
            "end" => windows.receive(&Record::End(End {
                vm_tid: VM,
                begin: MonoTime(number(1)),
                end: MonoTime(number(2)),
                ..End::default()
            })),
            "assume" => windows.begun_before(VM),
            _ => found.extend(windows.complete(false, role)),
        }
    }
    let text = |it: &SafepointFact| {
        let cut = if it.cut.begin { "<" } else { "" };
        let names: Vec<&str> = it.operations.iter().map(|op| op.name.as_str()).collect();
        let resumed = it.resumed.map_or("-".into(), |at| at.0.to_string());
        format!("{cut}{}..{resumed}/{} {}", it.begin.0, it.end_probe.0, names.join("+"))
    };
    assert_eq!(found.iter().map(text).collect::<Vec<_>>().join("; "), expected, "{events}");
}

#[test]
fn a_safepoint_is_complete_a_drain_after_the_one_that_brought_its_end() {
    check("begin 10, op 12 15 A, end 10 20, drain", "");
    check("begin 10, op 12 15 A, end 10 20, drain, drain", "10..-/20 A");
}

#[test]
fn stop_ending_before_the_recording_does_not_start_at_boot() {
    let mut windows = Windows::default();
    let over = |end| {
        Record::End(End { vm_tid: VM, begin: MonoTime(0), end: MonoTime(end), ..End::default() })
    };
    windows.receive(&over(4));
    windows.start(MonoTime(5), false);
    windows.receive(&over(5));
    assert!(windows.complete(true, role).is_empty());
    windows.receive(&over(9));
    let stops = windows.complete(true, role);
    let [stop] = &stops[..] else { panic!("{stops:?}") };
    assert_eq!((stop.begin, stop.end_probe), (MonoTime(5), MonoTime(9)));
}

#[test]
fn stop_ended_before_the_recording_start_is_not_reported() {
    let mut windows = Windows::default();
    windows.start(MonoTime(5), true);
    // The JVM says that it runs before its probe fires.
    windows.receive(&Record::End(End { vm_tid: VM, end: MonoTime(6), ..End::default() }));
    // Seen as a whole, while files were opened.
    windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(2) });
    windows.receive(&Record::End(End {
        vm_tid: VM,
        begin: MonoTime(2),
        end: MonoTime(4),
        ..End::default()
    }));
    assert!(windows.complete(true, role).is_empty());
    windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(4) });
    windows.receive(&Record::End(End {
        vm_tid: VM,
        begin: MonoTime(4),
        end: MonoTime(9),
        ..End::default()
    }));
    let stops = windows.complete(true, role);
    let [stop] = &stops[..] else { panic!("{stops:?}") };
    assert_eq!((stop.begin, stop.cut.begin), (MonoTime(4), false));
}

#[test]
fn the_stop_ends_with_the_first_java_thread_woken() {
    let done = "drain, drain";
    check(
        &format!("begin 10, op 12 15 A, wake 3 16, wake 9 17, wake 9 18, end 10 20, {done}"),
        "10..17/20 A",
    );
    check(&format!("begin 10, op 12 15 A, wake 3 16, end 10 20, {done}"), "10..-/20 A");
    check(
        &format!("begin 10, op 12 15 A, wake 9 16, op 17 18 B, wake 9 19, end 10 20, {done}"),
        "10..19/20 A+B",
    );
}

#[test]
fn jdk_11_wakes_after_its_end_probe() {
    check("begin 10, op 12 15 A, end 10 20, drain, wake 9 21, drain", "10..21/20 A");
}

#[test]
fn a_jvm_that_wakes_before_its_end_probe_does_not_do_so_after_it() {
    check(
        "begin 10, op 12 15 A, wake 9 16, end 10 20, begin 30, op 31 32 B, end 30 40, wake 9 44, drain, drain",
        "10..16/20 A; 30..-/40 B",
    );
}

#[test]
fn a_lost_begin_or_end_loses_one_safepoint_at_most() {
    check("end 10 20, drain, drain", "10..-/20 ");
    check("begin 10, begin 30, end 30 40, drain, drain", "30..-/40 ");
}

#[test]
fn stop_under_way_is_reported_from_the_recording_start() {
    check("end 0 20, drain, drain", "<5..-/20 ");
    check("assume, op 5 15 A, wake 9 16, end 5 20, drain, drain", "<5..16/20 A");
    // This kernel could not be told of it.
    check("assume, end 0 20, drain, drain", "<5..-/20 ");
    // It was over before the recording began.
    check("end 0 4, drain, drain, begin 10, end 10 20, drain, drain", "10..-/20 ");
}

#[test]
fn a_stop_that_is_not_over_is_reported_as_far_as_it_came() {
    let mut windows = Windows::default();
    windows.start(MonoTime(5), false);
    windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(7) });
    let operation =
        VmOperationFact { name: "A".into(), interval: Interval::new(MonoTime(9), MonoTime(9)) };
    let open = OpenStop {
        begin: MonoTime(7),
        vm_tid: VM,
        operation: Some(operation),
        ..OpenStop::default()
    };
    let fact = windows.under_way(MonoTime(30), Some(&open)).unwrap();
    assert_eq!((fact.begin, fact.end_probe), (MonoTime(7), MonoTime(30)));
    assert_eq!(fact.cut, Cut { begin: false, end: true });
    assert_eq!(fact.operations[0].interval, Interval::new(MonoTime(9), MonoTime(30)));
    // What the kernel side says is of another stop.
    let other = OpenStop { begin: MonoTime(1), ..open };
    assert_eq!(windows.under_way(MonoTime(30), Some(&other)).unwrap().operations, []);
    windows.receive(&Record::End(End { begin: MonoTime(7), end: MonoTime(31), ..End::default() }));
    assert_eq!(windows.under_way(MonoTime(40), None), None);
}

#[test]
fn an_open_safepoint_keeps_what_belongs_to_it() {
    let mut windows = Windows::default();
    windows.receive(&Record::Begin { vm_tid: VM, at: MonoTime(7) });
    assert_eq!(windows.complete(true, role), []);
    assert_eq!(windows.oldest_begin(), Some(MonoTime(7)));
}
