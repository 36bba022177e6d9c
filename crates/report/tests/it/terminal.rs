//! What people read.
use crate::fixtures::{coverage, diagnosis, finding, log_alone, ms, pause, slow_log};
use diagnose::{Diagnosis, Unexplained, Verdict};
use expect_test::{Expect, expect};
use recording::{Source, SourceState};
use report::{Options, Style, terminal};

/// The full answer.
fn full(diagnosis: &Diagnosis) -> String {
    terminal::render(diagnosis, &Options { full: true, ..Options::default() })
}

fn check(diagnosis: &Diagnosis, expected: Expect) {
    expected.assert_eq(&full(diagnosis));
}

#[test]
fn the_short_answer_says_first_what_to_do() {
    let text = terminal::render(&slow_log(), &Options::default());
    expect![[r#"
        3.78 s of 4.10 s stopped: the VM thread waited in write() for the GC log; dd
        wrote 412 MB to sdb1 in the 10 s before. Measured.
          now          whypause fix gc-log-to-tmpfs -p 4242 --apply
          next start   -Xlog:async

        orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 61 stops
        stopped 4.10 s (6.8 %) · longest 3.36 s · 2 over 50 ms · explained 99.9 %

          at (UTC)       stopped   breakdown
          14:02:41.118    3.36 s   3.35 s GC log write blocked · 9 ms GC work
          14:02:47.902    440 ms   430 ms GC log write blocked · 8 ms GC work
          … 59 more, none over 50 ms

        1  GC log write blocked  3.78 s in 2 stops (92.1 %)
           a journal commit (3.50 s): VM Thread in write(), /var/log/orders/gc.log …
        Minor: GC work 312 ms in 61 stops

        25 causes ruled out · all: `--full` · `whypause cause gc-log-write-blocked`
    "#]]
    .assert_eq(&text);
    assert!(text.lines().count() <= 24, "{text}");
}

#[test]
fn a_fault_is_reported_with_time_who_where_and_what_to_do() {
    check(
        &slow_log(),
        expect![[r#"
            3.78 s of 4.10 s stopped: the VM thread waited in write() for the GC log; dd
            wrote 412 MB to sdb1 in the 10 s before. Measured.
              now          whypause fix gc-log-to-tmpfs -p 4242 --apply
              next start   -Xlog:async

            orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 61 stops
            stopped 4.10 s (6.8 %) · longest 3.36 s · 2 over 50 ms · explained 99.9 %

              at (UTC)       stopped   breakdown
              14:02:41.118    3.36 s   3.35 s GC log write blocked · 9 ms GC work
              14:02:47.902    440 ms   430 ms GC log write blocked · 8 ms GC work
              … 59 more, none over 50 ms

            1  GC log write blocked                    3.78 s in 2 stops · 92.1 % · measured
               The VM thread waited in write() for the GC log. Every application thread
               waited with it; the collections themselves took 17 ms.
               how    a journal commit (3.50 s)
               who    dd (pid 991, /etc/cron.daily/backup) wrote 412 MB to sdb1 in the 10 s
                      before
               where  VM Thread in write(), /var/log/orders/gc.log (ext4 on sdb1)
                      kernel: jbd2_log_wait_commit ← ext4_sync_file ← vfs_write
               seen   14 waits in write() of this file, the longest 3.35 s
               fix    now                 whypause fix gc-log-to-tmpfs -p 4242 --apply
                                          the log goes to memory, up to 24 MiB, and is
                                          copied to where it was
                      now                 whypause fix background-io -p 4242 --apply
                                          dd then takes longer; the pauses become shorter
                                          and may not go away
                      at the next start   -Xlog:async
                                          lines are dropped, and the drop is logged, when
                                          its buffer of 2 MiB is full
               more   whypause cause gc-log-write-blocked

            Minor: GC work 312 ms in 61 stops.

            Ruled out: frozen, stopped or traced, host stood still, CFS throttling,
            hsperfdata write blocked, swap-in, memory.high throttling, THP compaction,
            direct reclaim, page migration, page fault on a mapped file, unmap of a deleted
            file, mmap_lock contention, CPU contention, CPU steal, late Java thread,
            explicit collection, metaspace collection, heap pressure, humongous allocation,
            evacuation failure, full collection, GC locker, reference processing, long
            remark, eden shrunk.
        "#]],
    );
}

#[test]
fn a_log_alone_says_what_it_cannot_show() {
    check(
        &log_alone(),
        expect![[r#"
            860 ms of 907 ms stopped: unexplained. A log alone does not show why. 47 ms
            (5.2 %) is GC work.
              now          whypause record -p PID -d 60s

            gc.log · G1 · 60 s · 2 stops
            stopped 907 ms (1.5 %) · longest 900 ms · 1 over 50 ms · explained 5.2 %

              uptime    stopped   breakdown
              5.000 s    900 ms   40 ms GC work · 860 ms unexplained
              … 1 more, none over 50 ms

            1  Garbage collection work                   47 ms in 2 stops · 5.2 % · measured
               Something took time.
               more   whypause cause gc-work

              time to safepoint  1 ms in all, up to 1 ms

            860 ms (94.8 %) of the stopped time is unexplained.
            To explain it, record while it happens:
               whypause record -p PID -d 60s

            Not checked: frozen, stopped or traced, host stood still, CFS throttling,
            hsperfdata write blocked, swap-in, memory.high throttling, THP compaction,
            direct reclaim, GC log write blocked, page migration, page fault on a mapped
            file, unmap of a deleted file, mmap_lock contention, CPU contention, CPU steal,
            late Java thread (a log cannot show them). To check: whypause record -p PID -d
            60s
            Not checked: explicit collection, metaspace collection, heap pressure, humongous
            allocation, evacuation failure, full collection, GC locker, reference
            processing, long remark, eden shrunk (lines of its collections are not in the
            log).

            Coverage: 3 of 61 log lines not understood.
        "#]],
    );
}

/// With 60 s looked at: below a limit and below a twentieth of the time there is nothing to do.
#[test]
fn only_short_pauses_that_are_little_in_all_are_quiet() {
    let verdict = |stops: u64, ms: u64| {
        let pauses = (0..stops).map(|n| pause(n * 900, ms, &[("gc-work", ms)]));
        let mut it = diagnosis(pauses.collect());
        it.findings = vec![finding("gc-work", stops, stops * ms, 1.0)];
        report::verdict(&it)
    };
    let is_quiet = |stops, ms| verdict(stops, ms).starts_with("No pause over 50 ms");
    assert!(is_quiet(61, 49), "{}", verdict(61, 49));
    assert!(!is_quiet(62, 49), "{}", verdict(62, 49));
    assert!(!is_quiet(2, 50), "{}", verdict(2, 50));
    assert!(is_quiet(1, 49), "{}", verdict(1, 49));
}

#[test]
fn a_quiet_recording_is_said_to_be_quiet() {
    let mut it = diagnosis((0..61).map(|n| pause(n * 900, 5, &[("gc-work", 5)])).collect());
    it.findings = vec![finding("gc-work", 61, 305, 1.0)];
    check(
        &it,
        expect![[r#"
            No pause over 50 ms: the longest of 61 stops took 5 ms. 305 ms stopped: GC work.
            No known fault occurred; all were checked.

            orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 61 stops
            stopped 305 ms (0.5 %) · longest 5 ms · 0 over 50 ms · explained 100 %

            1  Garbage collection work                 305 ms in 61 stops · 100 % · measured
               Something took time.
               more   whypause cause gc-work

            Ruled out: frozen, stopped or traced, host stood still, CFS throttling,
            hsperfdata write blocked, swap-in, memory.high throttling, THP compaction,
            direct reclaim, GC log write blocked, page migration, page fault on a mapped
            file, unmap of a deleted file, mmap_lock contention, CPU contention, CPU steal,
            late Java thread, explicit collection, metaspace collection, heap pressure,
            humongous allocation, evacuation failure, full collection, GC locker, reference
            processing, long remark, eden shrunk.
        "#]],
    );
}

#[test]
fn no_stop_at_all_is_said_too() {
    check(
        &diagnosis(Vec::new()),
        expect![[r#"
            No pause at all: the JVM was never stopped in this time.

            orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 0 stops

            Ruled out: frozen, stopped or traced, host stood still, CFS throttling,
            hsperfdata write blocked, swap-in, memory.high throttling, THP compaction,
            direct reclaim, GC log write blocked, page migration, page fault on a mapped
            file, unmap of a deleted file, mmap_lock contention, CPU contention, CPU steal,
            late Java thread, explicit collection, metaspace collection, heap pressure,
            humongous allocation, evacuation failure, full collection, GC locker, reference
            processing, long remark, eden shrunk.
        "#]],
    );
}

#[test]
fn losses_and_missing_sources_are_reported_with_their_reason() {
    let mut it = diagnosis(vec![pause(0, 80, &[("cpu-contention", 30)])]);
    it.findings = vec![finding("cpu-contention", 1, 30, 0.375)];
    it.coverage.lost_events = 12;
    it.coverage.note("gc-log", "the file was rotated away", 2);
    it.coverage.end = String::new();
    it.unexplained = vec![Unexplained {
        what: "GC Thread#1 blocked in a page fault: folio_wait_bit_common < do_swap_page".into(),
        time: ms(50),
    }];
    let missing = SourceState::Missing("tracepoint `filemap:mm_filemap_fault` not found".into());
    it.coverage.sources.insert(Source::FileFaults, missing);
    for watched in &mut it.watched {
        if watched.cause.id == "mapped-file-fault" {
            watched.verdict = Verdict::Unknown(vec![Source::FileFaults]);
        }
    }
    check(
        &it,
        expect![[r#"
            50 ms of 80 ms stopped: unexplained: GC Thread#1 blocked in a page fault:
            folio_wait_bit_common < do_swap_page. 30 ms (38 %) is CPU contention.

            orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 1 stop
            stopped 80 ms (0.1 %) · 1 over 50 ms · explained 38 %

              at (UTC)       stopped   breakdown
              14:02:41.118     80 ms   30 ms CPU contention · 50 ms unexplained

            1  CPU contention (waiting for a CPU)          30 ms in 1 stop · 38 % · measured
               Something took time.
               more   whypause cause cpu-contention

            50 ms (62 %) of the stopped time is unexplained. What was seen of it:
               50 ms        GC Thread#1 blocked in a page fault: folio_wait_bit_common <
                            do_swap_page
            No known cause fits it.

            Not checked: page fault on a mapped file (file-faults: tracepoint
            `filemap:mm_filemap_fault` not found).

            Coverage: 12 events lost; the recorder was killed: the last second may be
            missing; gc-log: the file was rotated away (2 times).

            Ruled out: frozen, stopped or traced, host stood still, CFS throttling,
            hsperfdata write blocked, swap-in, memory.high throttling, THP compaction,
            direct reclaim, GC log write blocked, page migration, unmap of a deleted file,
            mmap_lock contention, CPU contention, CPU steal, late Java thread, explicit
            collection, metaspace collection, heap pressure, humongous allocation,
            evacuation failure, full collection, GC locker, reference processing, long
            remark, eden shrunk.
        "#]],
    );
}

#[test]
fn the_list_shows_the_longest_ten_and_counts_the_others() {
    let mut pauses: Vec<_> = (0..14).map(|n| pause(n * 1000, 50 + n, &[])).collect();
    pauses.push(pause(15_000, 49, &[]));
    let text = full(&diagnosis(pauses));
    assert!(!text.contains("  53 ms") && text.contains("  54 ms"), "{text}");
    assert!(text.contains("… 4 more over 50 ms (`--all-pauses` lists them), 1 below"), "{text}");
}

#[test]
fn both_sides_of_the_threshold_of_the_list() {
    let at = |length| full(&diagnosis(vec![pause(0, length, &[])]));
    assert!(at(49).contains("No pause over 50 ms: the only stop took 49 ms."));
    assert!(at(50).contains("14:02:41.118"));
}

#[test]
fn a_small_finding_does_not_hide_a_large_one() {
    let block = |share, longest| {
        let mut it = slow_log();
        let mut small = finding("cpu-contention", 3, 10, share);
        small.longest = longest;
        it.findings.push(small);
        full(&it).contains("whypause cause cpu-contention")
    };
    assert!(!block(0.009_9, ms(9)));
    assert!(block(0.01, ms(9)));
    assert!(block(0.009_9, ms(10)));
}

#[test]
fn what_is_unexplained_names_the_command_that_would_explain_it() {
    let reported = |length, part, detailed| {
        let mut it = diagnosis(vec![pause(0, length, &[("gc-work", part)])]);
        it.pauses[0].pause.detailed = detailed;
        let text = full(&it);
        let command = text.contains("whypause record -p 4242 -d 60s --detail-over 1ms");
        (text.contains("of the stopped time is unexplained"), command)
    };
    assert_eq!(reported(900, 883, false), (false, false), "17 ms and 1.9 %");
    assert_eq!(reported(1100, 1080, false), (true, true), "20 ms");
    assert_eq!(reported(100, 98, false), (true, true), "2 %");
    assert_eq!(reported(100, 100, false), (false, false), "nothing");
    assert_eq!(reported(100, 90, true), (true, false), "another recording would see no more");
}

#[test]
fn an_old_terminal_gets_ascii_and_a_narrow_one_gets_narrow_lines() {
    let style = Style { colour: false, unicode: false, width: 60 };
    let options = Options { style, full: true, ..Options::default() };
    let text = terminal::render(&slow_log(), &options);
    assert!(text.is_ascii(), "{text}");
    expect![[r#"
        3.78 s of 4.10 s stopped: the VM thread waited in write()
        for the GC log; dd wrote 412 MB to sdb1 in the 10 s before.
        Measured.
          now          whypause fix gc-log-to-tmpfs -p 4242 --apply
          next start   -Xlog:async

        orders - pid 4242 - JDK 17.0.15 - G1, 2 GC threads - 60 s -
        61 stops
        stopped 4.10 s (6.8 %) - longest 3.36 s - 2 over 50 ms -
        explained 99.9 %

          at (UTC)       stopped   breakdown
          14:02:41.118    3.36 s   3.35 s GC log write blocked -
                                   9 ms GC work
          14:02:47.902    440 ms   430 ms GC log write blocked -
                                   8 ms GC work
          ... 59 more, none over 50 ms

        1  GC log write blocked
           3.78 s in 2 stops - 92.1 % - measured
           The VM thread waited in write() for the GC log. Every
           application thread waited with it; the collections
           themselves took 17 ms.
           how    a journal commit (3.50 s)
           who    dd (pid 991, /etc/cron.daily/backup) wrote 412 MB
                  to sdb1 in the 10 s before
           where  VM Thread in write(), /var/log/orders/gc.log (ext4
                  on sdb1)
                  kernel: jbd2_log_wait_commit <- ext4_sync_file <-
                  vfs_write
           seen   14 waits in write() of this file, the longest
                  3.35 s
           fix    now                 whypause fix gc-log-to-tmpfs -p 4242 --apply
                                      the log goes to memory, up to
                                      24 MiB, and is copied to where
                                      it was
                  now                 whypause fix background-io -p 4242 --apply
                                      dd then takes longer; the
                                      pauses become shorter and may
                                      not go away
                  at the next start   -Xlog:async
                                      lines are dropped, and the
                                      drop is logged, when its
                                      buffer of 2 MiB is full
           more   whypause cause gc-log-write-blocked

        Minor: GC work 312 ms in 61 stops.

        Ruled out: frozen, stopped or traced, host stood still, CFS
        throttling, hsperfdata write blocked, swap-in, memory.high
        throttling, THP compaction, direct reclaim, page migration,
        page fault on a mapped file, unmap of a deleted file,
        mmap_lock contention, CPU contention, CPU steal, late Java
        thread, explicit collection, metaspace collection, heap
        pressure, humongous allocation, evacuation failure, full
        collection, GC locker, reference processing, long remark,
        eden shrunk.
    "#]]
    .assert_eq(&text);
}

#[test]
fn colour_adds_nothing_but_colour() {
    let style = Style { colour: true, ..Style::PLAIN };
    let options = Options { style, full: true, ..Options::default() };
    let coloured = terminal::render(&slow_log(), &options);
    assert!(coloured.contains("\u{1b}[1;31m1  GC log write blocked\u{1b}[0m"), "{coloured}");
    let mut plain = String::new();
    for (n, piece) in coloured.split('\u{1b}').enumerate() {
        plain.push_str(if n == 0 { piece } else { piece.split_once('m').expect("a code").1 });
    }
    assert_eq!(plain, full(&slow_log()));
}

#[test]
fn a_name_cannot_steer_the_terminal() {
    let mut it = slow_log();
    it.jvm.main = "a\u{1b}[2Jb".to_owned();
    it.findings[0].culprits[0].statement = "evil\u{1b}]0;x\u{7} (pid 1)".to_owned();
    it.situation.jvm.as_mut().expect("a JVM").gc_log = "/run\u{1b}[A".to_owned();
    it.findings[0].place.as_mut().expect("a place").path = "/tmp/\u{9b}31m".to_owned();
    it.coverage.note("x\u{1b}", "y\u{1b}", 1);
    let text = full(&it);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn pauses_on_several_days_show_the_date() {
    let it = diagnosis(vec![pause(0, 60, &[]), pause(86_400_000, 60, &[])]);
    let text = full(&it);
    assert!(text.contains("2026-11-22 14:02:41.118"), "{text}");
}

#[test]
fn the_cost_of_recording_is_reported() {
    expect![[r#"
        cost: 75 ms in the kernel (0.2 % of the JVM's CPU), 120 ms of CPU (0.2 % of one core), 21 MB of memory
        240,000 context switches seen, nothing lost"#]].assert_eq(&terminal::cost(&coverage()).join("\n"));
}

/// What is said of these facts, on one line.
fn reported(diagnosis: &Diagnosis) -> String {
    let text = full(diagnosis);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_stop_that_the_recording_cuts_is_reported_with_the_part_that_was_seen() {
    for (begin, end, said) in [
        (true, false, "had begun before the recording"),
        (false, true, "was not over when the recording ended"),
        (true, true, "had begun before the recording and was not over when the recording ended"),
    ] {
        let mut cut = pause(0, 3200, &[("late-java-thread", 3200)]);
        cut.pause.cut = recording::Cut { begin, end };
        let text = reported(&diagnosis(vec![cut, pause(4000, 60, &[])]));
        let line = format!("at least 3.20 s 3.20 s late Java thread · {said}");
        assert!(text.contains(&line), "{line}: {text}");
        assert_eq!(text.matches("at least").count(), 1, "{text}");
    }
}

#[test]
fn a_jvm_that_may_have_hung_all_the_time_is_not_said_to_have_run() {
    let mut diagnosis = diagnosis(Vec::new());
    let why = SourceState::Missing("this libjvm has no symbol table".into());
    diagnosis.coverage.sources.insert(Source::StopState, why);
    let text = reported(&diagnosis);
    assert!(!text.contains("never stopped"), "{text}");
    assert!(text.contains("could not be read (this libjvm has no symbol table)"), "{text}");
}
