//! Facts in, stalls out.
use crate::as_text::facts::diagnose;

/// Two threads append, and wait for the disk, which another process fills.
const APPENDERS: &str = "
    stalls 10ms
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java appender-1
    thread 8 java appender-2
    7 blocked 100ms 900ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
    8 blocked 150ms 950ms fdatasync b.log stack jbd2_log_wait_commit ext4_sync_file";

/// `CAUSE: THREADS, TIME, longest LONGEST, in CALL [, n for HOLDER; THREADS, TIME wait]`, one episode a line.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let stalls = diagnose(text).stalls.expect("threads were watched");
    let told = stalls.episodes.iter().map(|it| {
        let cause = it.cause.map_or("unexplained", |it| it.id);
        let holder = it.holder.as_ref();
        let holder = holder.map(|it| format!(", {} for {}", it.waiting, it.name));
        let waiting = match it.waiting.stalls {
            0 => String::new(),
            _ => format!("; {}, {:?} wait", it.waiting.threads, it.waiting.time),
        };
        format!(
            "{cause}: {}, {:?}, longest {:?}, in {}{}{waiting}",
            it.threads,
            it.time,
            it.longest,
            it.place.call,
            holder.unwrap_or_default()
        )
    });
    assert_eq!(told.collect::<Vec<_>>(), expected);
    let sum: std::time::Duration = stalls.episodes.iter().map(|it| it.time).sum();
    let of_causes: std::time::Duration = stalls.findings.iter().map(|it| it.time).sum();
    assert_eq!((sum, of_causes + stalls.unattributed), (stalls.time, stalls.time), "they add up");
    let waiting: std::time::Duration = stalls.episodes.iter().map(|it| it.waiting.time).sum();
    assert_eq!(waiting, stalls.waiting.time, "those who wait, too");
}

#[test]
fn threads_that_stand_for_the_same_reason_are_one_episode() {
    check(APPENDERS, &["file-sync-blocked: 2, 1.6s, longest 800ms, in fdatasync()"]);
    let later = APPENDERS.replace("150ms 950ms", "904ms 950ms");
    check(&later, &["file-sync-blocked: 2, 846ms, longest 800ms, in fdatasync()"]);
    let apart = APPENDERS.replace("150ms 950ms", "905ms 950ms");
    check(
        &apart,
        &[
            "file-sync-blocked: 1, 800ms, longest 800ms, in fdatasync()",
            "file-sync-blocked: 1, 45ms, longest 45ms, in fdatasync()",
        ],
    );
}

/// What was recorded without privilege, where the kernel shows the call and the function that a thread waits in.
const SAMPLED: &str = "
    stalls 10ms
    missing scheduler
    recorded thread-samples
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java appender-1
    7 blocked 100ms 900ms fdatasync a.log sampled stack jbd2_log_wait_commit";

#[test]
fn sampled_waits_in_calls_are_stalls_and_those_in_page_faults_and_for_a_cpu_are_not() {
    let sampled = ["file-sync-blocked: 1, 800ms, longest 800ms, in fdatasync()"];
    check(SAMPLED, &sampled);
    let instead = |it: &str| {
        SAMPLED
            .replace("blocked 100ms 900ms fdatasync a.log sampled stack jbd2_log_wait_commit", it)
    };
    check(&instead("blocked 100ms 900ms fault - sampled stack folio_wait_bit_common"), &[]);
    check(&instead("blocked 100ms 900ms - - sampled stack folio_wait_bit_common"), &[]);
    check(&instead("runnable 100ms 900ms sampled"), &[]);
}

#[test]
fn java_stack_of_a_thread_dump_is_evidence_where_the_thread_stood_meanwhile() {
    let said = |stack: &str| {
        let stalls = diagnose(&format!(
            "{APPENDERS}\njava-stack {stack} a.Log.force(x@1/Log.java:7) a.Main.main(Main.java:3)"
        ));
        let evidence = stalls.stalls.unwrap().findings[0].evidence.clone();
        evidence.get(1).map(|it| it.statement.clone()).unwrap_or_default()
    };
    assert_eq!(
        said("7 300ms 400ms"),
        "a thread dump made meanwhile shows thread `appender-1` in a.Log.force(Log.java:7) ← a.Main.main(Main.java:3)"
    );
    assert_eq!(said("7 900ms 950ms"), "");
    assert_eq!(said("1 300ms 400ms"), "");
}

/// A sender of which a sample shows no more than where it sleeps was taken for one that writes to a file.
#[test]
fn sampled_sender_waits_for_its_peer() {
    let one = |what: &str| {
        let text = SAMPLED.replace("fdatasync a.log sampled stack jbd2_log_wait_commit", what);
        let stalls = diagnose(&text).stalls.unwrap();
        stalls.episodes[0].cause.map_or("unexplained", |it| it.id)
    };
    let peer = "write peer:9 sampled stack wait_woken\nfile-system tcp peer:9";
    assert_eq!(one(peer), "socket-send-blocked");
    assert_eq!(one("write fd9 sampled stack wait_woken"), "unexplained");
    assert_eq!(
        one("write fd1 sampled stack wait_woken\n output 1 terminal - - looked 4 0"),
        "output-write-blocked"
    );
    assert_eq!(one("write fd9 sampled stack pipe_write"), "output-write-blocked");
}

#[test]
fn around_a_stop_sampled_waits_are_unsure_and_not_counted() {
    let beside = |stop: &str, time: &str| {
        let text = format!("{SAMPLED}\nsafepoint {stop} op G1CollectForAllocation {stop} vm 1");
        let told = format!("file-sync-blocked: 1, {time}, longest {time}, in fdatasync()");
        check(&text, &[&told]);
    };
    beside("300ms 310ms", "770ms");
    beside("300ms 400ms", "600ms");
    beside("900ms 920ms", "780ms");
}

/// In a stop its wait is recorded with a stack.
#[test]
fn thread_that_waits_for_data_of_a_peer_is_idle() {
    let reading = APPENDERS.replace(
        "8 blocked 150ms 950ms fdatasync b.log stack jbd2_log_wait_commit ext4_sync_file",
        "8 blocked 150ms 950ms read - stack sk_wait_data tcp_recvmsg",
    );
    check(&reading, &["file-sync-blocked: 1, 800ms, longest 800ms, in fdatasync()"]);
}

#[test]
fn what_was_not_watched_is_not_told() {
    assert!(diagnose(&APPENDERS.replace("stalls 10ms", "")).stalls.is_none());
}

#[test]
fn stalls_are_in_no_pause() {
    let diagnosis = diagnose(APPENDERS);
    assert_eq!((diagnosis.pauses.len(), diagnosis.findings.len()), (0, 0));
}

#[test]
fn from_the_threshold_on() {
    let one = |end: &str| {
        APPENDERS
            .replace("100ms 900ms", &format!("100000us {end}"))
            .replace("8 blocked", "9 on-cpu")
    };
    check(&one("110000us"), &["file-sync-blocked: 1, 10ms, longest 10ms, in fdatasync()"]);
    check(&one("109999us"), &[]);
}

#[test]
fn a_stop_in_the_middle_of_a_stall_cut_it() {
    let stop =
        format!("{APPENDERS}\n safepoint 300ms 400ms op G1CollectForAllocation 301ms 399ms vm 1");
    check(&stop, &["file-sync-blocked: 2, 1.4s, longest 700ms, in fdatasync()"]);
    // Who began to wait in one, and had hardly waited outside of it, is in that stop's account.
    let inside = format!("{APPENDERS}\n safepoint 50ms 891ms op X 90ms 890ms vm 1");
    check(&inside, &["file-sync-blocked: 1, 59ms, longest 59ms, in fdatasync()"]);
    let all = inside.replace("50ms 891ms", "50ms 941ms").replace("890ms vm", "940ms vm");
    check(&all, &[]);
}

/// One thread holds a lock while it writes, and lets the first of the others go on, which lets the next one.
const CONVOY: &str = "
    stalls 10ms
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java holder
    thread 8 java waiter-1
    thread 9 java waiter-2
    7 blocked 100ms 900ms write a.log stack jbd2_journal_get_write_access ext4_dirty_inode vfs_write
    8 waiting 120ms 901ms by 7
    9 waiting 130ms 902ms by 8";

#[test]
fn who_waits_for_a_thread_that_stalls_inherits_its_cause() {
    check(
        CONVOY,
        &["file-write-blocked: 1, 800ms, longest 800ms, in write(), 2 for holder; 2, 1.55s wait"],
    );
}

#[test]
fn a_lock_was_held_over_several_calls_that_stalled() {
    let calls =
        CONVOY.replace("120ms 901ms", "120ms 1202ms").replace("130ms 902ms", "130ms 1203ms");
    let next = |gap: &str| {
        format!(
            "{calls}\n 7 blocked {gap} 1200ms fdatasync a.log stack folio_wait_writeback ext4_sync_file"
        )
    };
    // Most of what they waited for was the first.
    check(
        &next("910ms"),
        &[
            "file-write-blocked: 1, 800ms, longest 800ms, in write(), 2 for holder; 2, 2.15s wait",
            "file-sync-blocked: 1, 290ms, longest 290ms, in fdatasync()",
        ],
    );
    check(
        &next("911ms"),
        &[
            "file-write-blocked: 1, 800ms, longest 800ms, in write()",
            "file-sync-blocked: 1, 289ms, longest 289ms, in fdatasync()",
        ],
    );
}

#[test]
fn who_was_idle_before_the_stall_waited_for_work() {
    let idle = CONVOY.replace("8 waiting 120ms", "8 waiting 89ms").replace("9 waiting", "9 on-cpu");
    check(&idle, &["file-write-blocked: 1, 800ms, longest 800ms, in write()"]);
    let just = idle.replace("8 waiting 89ms", "8 waiting 90ms");
    check(
        &just,
        &["file-write-blocked: 1, 800ms, longest 800ms, in write(), 1 for holder; 1, 800ms wait"],
    );
}

/// Its own stall of long ago was found, and not the last one.
#[test]
fn who_stalls_after_it_had_waited_for_another_let_nobody_inherit() {
    let own = CONVOY.replace("9 waiting 130ms 902ms by 8", "9 on-cpu 130ms 902ms");
    let later = format!(
        "{own}
         8 blocked 1000ms 1200ms fdatasync b.log stack folio_wait_writeback ext4_sync_file
         9 waiting 1010ms 1201ms by 8"
    );
    check(
        &later,
        &[
            "file-write-blocked: 1, 800ms, longest 800ms, in write(), 1 for holder; 1, 780ms wait",
            "file-sync-blocked: 1, 200ms, longest 200ms, in fdatasync(), 1 for waiter-1; 1, 190ms wait",
        ],
    );
}

#[test]
fn who_is_let_go_on_between_two_calls_inherits_the_first() {
    let two = CONVOY
        .replace("9 waiting", "9 on-cpu")
        .replace("8 waiting 120ms 901ms", "8 waiting 120ms 902ms");
    let two = format!("{two}\n 7 blocked 904ms 1200ms fdatasync a.log stack folio_wait_writeback");
    check(
        &two,
        &[
            "file-write-blocked: 1, 800ms, longest 800ms, in write(), 1 for holder; 1, 780ms wait",
            "file-sync-blocked: 1, 296ms, longest 296ms, in fdatasync()",
        ],
    );
}

#[test]
fn two_calls_after_each_other_are_two_stalls() {
    let after =
        APPENDERS.replace("8 blocked 150ms 950ms fdatasync", "7 blocked 900ms 950ms fdatasync");
    let stalls = diagnose(&after).stalls.unwrap();
    assert_eq!((stalls.count, stalls.longest.as_millis()), (2, 800));
    let same = after.replace("b.log", "a.log");
    let stalls = diagnose(&same).stalls.unwrap();
    assert_eq!((stalls.count, stalls.longest.as_millis()), (1, 850));
}

#[test]
fn who_got_no_cpu_after_its_stall_released_later() {
    let late = CONVOY
        .replace("9 waiting", "9 on-cpu")
        .replace("8 waiting 120ms 901ms", "8 waiting 120ms 917ms");
    check(&late, &["file-write-blocked: 1, 800ms, longest 800ms, in write()"]);
    let runnable = format!("{late}\n 7 runnable 900ms 908ms");
    check(
        &runnable,
        &["file-write-blocked: 1, 800ms, longest 800ms, in write(), 1 for holder; 1, 780ms wait"],
    );
}

#[test]
fn a_renamed_file_is_no_mapping_that_ends() {
    let rename = APPENDERS.replace(
        "fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file",
        "rename - stack wait_transaction_locked ext4_evict_inode evict __dentry_kill",
    );
    let diagnosis = diagnose(&rename.replace("8 blocked", "8 on-cpu"));
    assert!(diagnosis.findings.is_empty(), "{:?}", diagnosis.findings);
    assert_eq!(diagnosis.stalls.unwrap().findings[0].cause.id, "file-write-blocked");
}

#[test]
fn who_was_let_go_on_later_waited_for_something_else() {
    let one = |end: &str| CONVOY.replace("120ms 901ms", end).replace("9 waiting", "9 on-cpu");
    check(
        &one("120ms 910ms"),
        &["file-write-blocked: 1, 800ms, longest 800ms, in write(), 1 for holder; 1, 780ms wait"],
    );
    check(&one("120ms 911ms"), &["file-write-blocked: 1, 800ms, longest 800ms, in write()"]);
}

#[test]
fn a_thread_of_the_jvm_that_nobody_waits_for_holds_up_nobody() {
    let own = CONVOY.replace("java holder", "vm-internal AsyncLog Threa");
    check(
        &own,
        &[
            "gc-log-write-blocked: 1, 800ms, longest 800ms, in write(), 2 for AsyncLog Threa; 2, 1.55s wait",
        ],
    );
    let alone = own.replace("8 waiting", "8 on-cpu").replace("9 waiting", "9 on-cpu");
    check(&alone, &[]);
}

#[test]
fn a_wait_for_a_cpu_is_a_stall_too() {
    let text = "
        stalls 10ms
        jvm 17.0.15 g1
        thread 7 java worker-1
        7 runnable 100ms 160ms held 77 stress";
    check(text, &["cpu-contention: 1, 60ms, longest 60ms, in "]);
    check(&text.replace("worker-1", "Monitor Deflati"), &[]);
    // with --ask-jvm
    check(&text.replace("worker-1", "Monitor Deflation Thread"), &[]);
}

#[test]
fn a_hiccup_is_not_told_twice() {
    let swapped = APPENDERS
        .replace(
            "fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file",
            "fault - stack do_swap_page",
        )
        .replace(
            "fdatasync b.log stack jbd2_log_wait_commit ext4_sync_file",
            "fault - stack do_swap_page",
        );
    check(&swapped, &[]);
    assert_eq!(diagnose(&swapped).statistics.hiccups.count, 1);
}

#[test]
fn what_no_cause_claims_is_unexplained() {
    let pipe = APPENDERS
        .replace("fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file", "write - stack other")
        .replace("8 blocked", "8 on-cpu");
    check(&pipe, &["unexplained: 1, 800ms, longest 800ms, in write()"]);
    // What no request need wait for is none.
    check(&pipe.replace("write -", "ioctl -"), &[]);
    check(&pipe.replace("write -", "read -"), &[]);
}

#[test]
fn each_call_has_its_cause() {
    let one = |what: &str| {
        let text =
            APPENDERS.replace("fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file", what);
        let stalls = diagnose(&text.replace("8 blocked", "8 on-cpu")).stalls.unwrap();
        stalls.episodes[0].cause.map_or("unexplained", |it| it.id)
    };
    assert_eq!(one("write a.log stack do_get_write_access vfs_write"), "file-write-blocked");
    assert_eq!(one("write - stack do_get_write_access vfs_write"), "file-write-blocked");
    assert_eq!(one("write - stack something_else"), "unexplained");
    assert_eq!(one("rename - stack wait_transaction_locked"), "file-write-blocked");
    assert_eq!(one("pread64 a.log stack folio_wait_bit_common"), "file-read-blocked");
    assert_eq!(one("write fd1 stack anon_pipe_write vfs_write"), "output-write-blocked");
    assert_eq!(one("sendto fd9 stack sk_stream_wait_memory tcp_sendmsg"), "socket-send-blocked");
    assert_eq!(one("write fd9 stack sk_stream_wait_memory tcp_sendmsg"), "socket-send-blocked");
    // Of a wait that had begun before the recording no stack is known.
    let piped = |what: &str| one(&format!("{what}\n output 1 pipe pipe:[9] - looked 4 0"));
    assert_eq!(piped("write fd1"), "output-write-blocked");
    assert_eq!(piped("write fd7"), "unexplained");
    assert_eq!(one("fsync a.log"), "file-sync-blocked");
    assert_eq!(one("fsync a.log stack request_wait_answer fuse_fsync"), "remote-file-system-wait");
    assert_eq!(one("fault a.bin stack folio_wait_bit_common filemap_fault"), "mapped-file-fault");
}

/// Who waited for a lock since before the last of those that had it began to stall was taken for idle.
#[test]
fn a_lock_was_handed_on_by_one_that_stalled_to_the_next_one() {
    let handed_on = "
        stalls 10ms
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 7 java first
        thread 8 java second
        thread 9 java waiter
        7 blocked 100ms 800ms write a.log stack jbd2_journal_get_write_access vfs_write
        8 waiting 120ms 801ms by 7
        8 blocked GAP 1500ms write a.log stack jbd2_journal_get_write_access vfs_write
        9 waiting 130ms 1501ms by 8";
    let with = |gap| handed_on.replace("GAP", gap);
    check(
        &with("811ms"),
        &["file-write-blocked: 2, 1.389s, longest 700ms, in write(), 1 for second; 1, 2.05s wait"],
    );
    check(
        &with("812ms"),
        &[
            "file-write-blocked: 1, 700ms, longest 700ms, in write(), 1 for first; 1, 680ms wait",
            "file-write-blocked: 1, 688ms, longest 688ms, in write()",
        ],
    );
}

/// On a host that is short of CPUs each idle thread of a pool seemed to wait for the one that handed it work.
#[test]
fn who_waited_for_a_thread_that_only_got_no_cpu_was_no_stall() {
    let late = CONVOY.replace(
        "7 blocked 100ms 900ms write a.log stack jbd2_journal_get_write_access ext4_dirty_inode vfs_write",
        "7 runnable 100ms 900ms held 77 stress",
    );
    check(&late, &["cpu-contention: 1, 800ms, longest 800ms, in "]);
}
