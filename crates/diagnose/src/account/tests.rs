//! What the account promises: which threads were waited for, and that it adds up.
use crate::as_text::facts::{case_of, facts};
use std::fmt::Write;

/// The segments of the first pause: `start-end tid state`, in milliseconds, one a line.
#[track_caller]
fn check(text: &str, expected: &str) {
    case_of(text, |case| {
        let begin = case.interval.start;
        let mut lines = String::new();
        for it in &case.segments {
            let state = it.state().map_or("unseen", recording::ThreadState::id);
            let idle = if it.is_idle() { " idle" } else { "" };
            let ms = |at: recording::MonoTime| at.since(begin).as_millis();
            writeln!(
                lines,
                "{}-{} {} {state}{idle}",
                ms(it.interval.start),
                ms(it.interval.end),
                it.tid
            )
            .expect("writing to a string works");
        }
        let expected: Vec<_> =
            expected.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    });
}

const THREADS: &str = "
    thread 1 vm-thread VM Thread
    thread 2 gc-worker GC Thread#0
    thread 3 gc-worker GC Thread#1
    safepoint 0ms 100ms op G1CollectForAllocation 0ms 100ms vm 1";

#[test]
fn the_path_follows_the_worker_that_ended_the_wait() {
    check(
        &format!(
            "{THREADS}
             1 on-cpu 0ms 10ms
             1 waiting 10ms 90ms by 3
             1 on-cpu 90ms 100ms
             2 on-cpu 10ms 30ms
             3 on-cpu 10ms 60ms
             3 blocked 60ms 80ms fault x stack do_swap_page
             3 on-cpu 80ms 95ms"
        ),
        "0-10 1 on-cpu
         10-60 3 on-cpu
         60-80 3 blocked
         80-90 3 on-cpu
         90-100 1 on-cpu",
    );
}

#[test]
fn before_the_wait_began_the_path_is_back_on_the_thread_that_waited() {
    check(
        &format!(
            "{THREADS}
             1 on-cpu 0ms 50ms
             1 waiting 50ms 90ms by 2
             1 on-cpu 90ms 100ms
             2 blocked 0ms 85ms write gc.log stack balance_dirty_pages
             2 on-cpu 85ms 95ms"
        ),
        "0-50 1 on-cpu
         50-85 2 blocked
         85-90 2 on-cpu
         90-100 1 on-cpu",
    );
}

#[test]
fn a_worker_that_naps_spins_and_naps_waits_for_a_blocked_peer() {
    let text = |nap: &str| {
        format!(
            "{THREADS}
             1 waiting 0ms 100ms by 2
             2 on-cpu 0ms 20ms
             2 waiting {nap}
             2 on-cpu 40ms 60ms
             2 waiting 60ms 61ms
             2 on-cpu 61ms 100ms
             3 blocked 0ms 90ms fault x stack do_swap_page"
        )
    };
    let spun = "0-20 2 on-cpu\n20-61 3 blocked\n61-100 2 on-cpu";
    let worked = "0-20 2 on-cpu\n20-40 3 blocked\n40-60 2 on-cpu\n60-61 3 blocked\n61-100 2 on-cpu";
    check(&text("39ms 40ms"), spun);
    check(&text("38001us 40ms"), spun);
    // longer or shorter than the nap of a worker that looks for work, or somebody ended it
    check(&text("38ms 40ms"), worked);
    check(&text("39001us 40ms"), worked);
    check(&text("39ms 40ms by 3"), worked);
}

#[test]
fn a_worker_that_waits_for_a_blocked_peer_leads_to_the_peer() {
    check(
        &format!(
            "{THREADS}
             1 waiting 0ms 100ms by 2
             2 on-cpu 0ms 20ms
             2 waiting 20ms 90ms
             2 on-cpu 90ms 100ms
             3 on-cpu 0ms 20ms
             3 blocked 20ms 90ms fault x stack do_swap_page"
        ),
        "0-20 2 on-cpu
         20-90 3 blocked
         90-100 2 on-cpu",
    );
}

#[test]
fn worker_without_cpu_is_contended_unless_peers_use_all_cpus() {
    let text = format!(
        "{THREADS}
         1 waiting 0ms 100ms by 2
         2 on-cpu 0ms 20ms
         2 runnable 20ms 80ms
         2 on-cpu 80ms 100ms
         3 on-cpu 20ms 60ms"
    );
    let contended = "0-20 2 on-cpu\n20-80 2 runnable\n80-100 2 on-cpu";
    check(&text, contended);
    check(&format!("cpus 2 gc-threads 2\n{text}"), contended);
    check(
        &format!("cpus 1 gc-threads 2\n{text}"),
        "0-20 2 on-cpu
         20-60 3 on-cpu
         60-80 2 runnable
         80-100 2 on-cpu",
    );
}

#[test]
fn two_threads_that_woke_each_other_are_no_endless_walk() {
    check(
        &format!("{THREADS}\n1 waiting 0ms 100ms by 2\n2 waiting 0ms 100ms by 1"),
        "0-100 2 blocked idle",
    );
}

#[test]
fn what_nobody_saw_is_said_to_be_unseen() {
    check(&format!("{THREADS}\n1 on-cpu 60ms 100ms"), "0-60 1 unseen\n60-100 1 on-cpu");
}

#[test]
fn a_straggler_accounts_for_the_time_until_it_stopped() {
    check(
        "thread 1 vm-thread VM Thread
         safepoint 0ms 100ms op ThreadDump 80ms 100ms vm 1
         1 waiting 0ms 80ms
         1 on-cpu 80ms 100ms
         5 on-cpu 0ms 30ms
         6 on-cpu 0ms 20ms
         6 runnable 20ms 70ms
         6 on-cpu 70ms 75ms",
        "0-20 6 on-cpu
         20-70 6 runnable
         70-75 6 on-cpu
         75-80 1 blocked idle
         80-100 1 on-cpu",
    );
}

#[test]
fn a_thread_that_stirred_last_does_not_hide_the_one_that_was_waited_for() {
    check(
        "thread 1 vm-thread VM Thread
         safepoint 0ms 100ms op ThreadDump 80ms 100ms vm 1
         1 waiting 0ms 80ms
         1 on-cpu 80ms 100ms
         5 blocked 0ms 70ms fault data.bin stack filemap_fault
         6 waiting 0ms 75ms
         6 on-cpu 75ms 76ms",
        "0-70 5 blocked
         70-75 1 blocked idle
         75-76 6 on-cpu
         76-80 1 blocked idle
         80-100 1 on-cpu",
    );
}

#[test]
fn a_concurrent_gc_thread_that_has_no_cpu_holds_up_the_stop() {
    check(
        "thread 1 vm-thread VM Thread
         thread 2 gc-concurrent G1 Conc#0
         safepoint 0ms 50ms op ThreadDump 40ms 50ms vm 1
         1 waiting 0ms 40ms by 2
         1 on-cpu 40ms 50ms
         2 runnable 0ms 39ms
         2 on-cpu 39ms 41ms",
        "0-39 2 runnable
         39-40 2 on-cpu
         40-50 1 on-cpu",
    );
}

#[test]
fn compiler_thread_waiting_for_the_end_of_the_stop_was_waited_for() {
    let text = "thread 1 vm-thread VM Thread
        thread 8 compiler C2 CompilerThre
        safepoint 0ms 100ms op ThreadDump 80ms 100ms vm 1
        1 waiting 0ms 80ms
        1 on-cpu 80ms 100ms
        8 blocked 0ms 79ms fault x stack do_swap_page";
    let unseen = "0-80 1 blocked idle\n80-100 1 on-cpu";
    let waited_for = "0-79 8 blocked
         79-80 1 blocked idle
         80-100 1 on-cpu";
    check(&format!("{text}\n8 waiting 79ms 200ms by 5"), unseen);
    check(&format!("{text}\n8 waiting 79ms 99ms by 1"), waited_for);
    // nothing of it until the end of the stop: a wait for that end is not recorded
    check(text, waited_for);
    check(&format!("{text}\n8 on-cpu 101ms 105ms"), waited_for);
    check(&format!("{text}\n8 on-cpu 99ms 105ms"), unseen);
    // it fell asleep longer ago than the VM thread looks away for
    let earlier = text.replace("0ms 79ms fault", "0ms 78ms fault");
    check(&earlier, unseen);
}

#[test]
fn a_fault_after_the_stop_does_not_make_a_thread_one_in_native_code() {
    check(
        "thread 1 vm-thread VM Thread
         safepoint 0ms 50ms op ThreadDump 40ms 50ms vm 1
         1 waiting 0ms 40ms
         1 on-cpu 40ms 50ms
         5 blocked 0ms 39ms fault data.bin stack filemap_fault
         5 on-cpu 39ms 40ms
         5 blocked 53ms 500ms fault data.bin stack filemap_fault",
        "0-39 5 blocked
         39-40 5 on-cpu
         40-50 1 on-cpu",
    );
}

/// A small generator of numbers, always the same ones (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn whatever_the_facts_the_account_covers_the_pause_without_gaps() {
    let mut numbers = Numbers(42);
    let states = ["on-cpu", "runnable", "throttled", "waiting", "blocked"];
    for _ in 0..300 {
        let mut text = format!("{THREADS}\nthread 4 java main\n");
        for tid in 1..=4 {
            let mut at = 0;
            while at < 120 {
                at += numbers.below(8);
                let end = at + 1 + numbers.below(30);
                let state = states[numbers.below(5) as usize];
                let rest = match state {
                    "waiting" => format!("by {}", 1 + numbers.below(4)),
                    "blocked" => "write gc.log stack do_get_write_access".into(),
                    _ => String::new(),
                };
                writeln!(text, "{tid} {state} {at}ms {end}ms {rest}")
                    .expect("writing to a string works");
                at = end;
            }
        }
        case_of(&text, |case| {
            let mut at = case.interval.start;
            for segment in &case.segments {
                assert_eq!(segment.interval.start, at, "{text}");
                at = segment.interval.end;
            }
            assert_eq!(at, case.interval.end, "{text}");
        });
        let facts = facts(&text);
        let twice = [crate::diagnose_facts(&facts), crate::diagnose_facts(&facts)];
        assert_eq!(format!("{:?}", twice[0].findings), format!("{:?}", twice[1].findings));
    }
}
