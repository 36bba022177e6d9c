//! What programs, tickets and spreadsheets read.
use crate::fixtures::{diagnosis, log_alone, ms, pause, slow_log};
use diagnose::{Count, Culprit, CulpritKind, Diagnosis, GcStatistics, Named, Verdict};
use expect_test::{expect, expect_file};
use recording::{Source, SourceState};
use report::{Options, csv, json, line, markdown};
use serde_json::{Value, json};

fn parsed(diagnosis: &diagnose::Diagnosis, all_pauses: bool) -> Value {
    let mut out = Vec::new();
    let options = Options { all_pauses, ..Options::default() };
    json::write(diagnosis, &mut &diagnosis.pauses[..], &options, &mut out)
        .expect("a Vec takes all");
    serde_json::from_slice(&out).expect("valid JSON")
}

#[test]
fn the_json_of_the_contract() {
    let mut it = slow_log();
    it.pauses.truncate(2);
    it.watched.truncate(1);
    it.gc = Some(GcStatistics {
        pauses: Count { count: 2, total: ms(17), max: ms(9) },
        by_kind: vec![Named { name: "young".into(), count: Count::default() }],
        by_cause: vec![Named { name: "G1 Evacuation Pause".into(), count: Count::default() }],
        concurrent_cycles: 1,
        ..GcStatistics::default()
    });
    let mut out = Vec::new();
    json::write(&it, &mut &it.pauses[..], &Options::default(), &mut out).expect("a Vec takes all");
    expect_file!["golden/explain.json"].assert_eq(&String::from_utf8(out).expect("UTF-8"));
}

#[test]
fn what_is_not_known_is_null() {
    let it = parsed(&log_alone(), false);
    assert_eq!(it["jvm"]["version"], Value::Null);
    assert_eq!(it["jvm"]["pid"], Value::Null);
    assert_eq!(it["longest"][0]["start_wall"], Value::Null);
    assert_eq!(it["gc"], Value::Null);
    assert_eq!(it["coverage"]["end"], Value::Null);
}

#[test]
fn longest_has_twenty_unless_all_are_wanted_and_the_longest_first() {
    let it = diagnosis((0..30).map(|n| pause(n * 1000, n, &[])).collect());
    let lengths = |it: &Value| -> Vec<u64> {
        let list = it["longest"].as_array().expect("a list");
        list.iter().map(|it| it["duration_ns"].as_u64().expect("integer")).collect()
    };
    let twenty = lengths(&parsed(&it, false));
    assert_eq!((twenty.len(), twenty[0]), (20, 29_000_000));
    assert_eq!(lengths(&parsed(&it, true)).len(), 30);
}

#[test]
fn a_missing_source_keeps_its_reason() {
    let mut it = diagnosis(Vec::new());
    let missing = SourceState::Missing("no BTF".into());
    it.coverage.sources.insert(Source::Scheduler, missing);
    it.watched[0].verdict = Verdict::Unknown(vec![Source::Scheduler]);
    let it = parsed(&it, false);
    assert_eq!(it["coverage"]["missing"], json!([{"source": "scheduler", "reason": "no BTF"}]));
    assert_eq!(it["coverage"]["sources"].as_array().map(Vec::len), Some(Source::ALL.len() - 1));
    assert_eq!(it["watched"][0]["verdict"], "unknown");
    assert_eq!(it["watched"][0]["missing"], json!(["scheduler"]));
}

#[test]
fn parts_and_the_rest_add_up_to_the_pause() {
    let it = parsed(&slow_log(), true);
    for pause in it["longest"].as_array().expect("a list") {
        let number = |it: &Value| it.as_u64().expect("integer");
        let parts: u64 = pause["parts"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| number(&it["time_ns"]))
            .sum();
        let whole = parts + number(&pause["unattributed_ns"]);
        assert_eq!(whole, number(&pause["duration_ns"]));
    }
}

#[test]
fn csv_has_one_row_per_pause() {
    let mut it = slow_log();
    it.pauses.truncate(2);
    it.pauses[1].pause.operation = "a \"b\", c".into();
    let mut out = Vec::new();
    csv::write(&it, &mut out).expect("a Vec takes all");
    expect![[r#"
        start,start_ns,duration_ns,time_to_safepoint_ns,kind,operation,collection_ns,cause,cause_ns,certainty,unattributed_ns,parts,symptom
        2026-11-21T14:02:41.118000000Z,5000000000,3360000000,120000,safepoint,G1CollectForAllocation,9000000,gc-log-write-blocked,3350000000,measured,1000000,gc-log-write-blocked=3350000000 gc-work=9000000,
        2026-11-21T14:02:47.902000000Z,11784000000,440000000,120000,safepoint,"a ""b"", c",9000000,gc-log-write-blocked,430000000,measured,1000000,gc-log-write-blocked=430000000 gc-work=8000000 vm-operation=1000000,
    "#]].assert_eq(&String::from_utf8(out).expect("UTF-8").replace('\r', ""));
}

#[test]
fn markdown_for_a_ticket() {
    expect![[r#"
        # Pauses of orders

        **3.78 s of 4.10 s stopped: the VM thread waited in write() for the GC log; dd wrote 412 MB to sdb1 in the 10 s before. Measured.**

        now:

              whypause fix gc-log-to-tmpfs -p 4242 --apply

        next start:

              -Xlog:async

        orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 61 stops

        stopped 4.10 s (6.8 %) · longest 3.36 s · 2 over 50 ms · explained 99.9 %

        | at (UTC) | stopped | operation | breakdown |
        |---|--:|---|---|
        | 14:02:41.118 | 3.36 s | G1CollectForAllocation | 3.35 s GC log write blocked · 9 ms GC work |
        | 14:02:47.902 | 440 ms | G1CollectForAllocation | 430 ms GC log write blocked · 8 ms GC work |

        … 59 more, none over 50 ms

        ## 1. GC log write blocked

        **3.78 s in 2 stops** (92.1 % of the stopped time, measured)

        The VM thread waited in write() for the GC log.
        Every application thread waited with it; the collections themselves took 17 ms.

        - how: a journal commit (3.50 s)
        - who: dd (pid 991, /etc/cron.daily/backup) wrote 412 MB to sdb1 in the 10 s before
        - where: VM Thread in write(), /var/log/orders/gc.log (ext4 on sdb1)
        - kernel: jbd2\_log\_wait\_commit ← ext4\_sync\_file ← vfs\_write
        - seen (kernel-stacks): 14 waits in write() of this file, the longest 3.35 s
        - fix, now: (the log goes to memory, up to 24 MiB, and is copied to where it was)

              whypause fix gc-log-to-tmpfs -p 4242 --apply

        - fix, now: (dd then takes longer; the pauses become shorter and may not go away)

              whypause fix background-io -p 4242 --apply

        - fix, at the next start: (lines are dropped, and the drop is logged, when its buffer of 2 MiB is full)

              -Xlog:async

        - more: `whypause cause gc-log-write-blocked`

        Minor: GC work 312 ms in 61 stops.

        Ruled out: frozen, stopped or traced, host stood still, CFS throttling, hsperfdata write blocked, swap-in, memory.high throttling, THP compaction, direct reclaim, page migration, page fault on a mapped file, unmap of a deleted file, mmap_lock contention, CPU contention, CPU steal, late Java thread, explicit collection, metaspace collection, heap pressure, humongous allocation, evacuation failure, full collection, GC locker, reference processing, long remark, eden shrunk.
    "#]].assert_eq(&markdown::render(&slow_log(), &Options::default()));
}

#[test]
fn one_pause_on_one_line() {
    let it = slow_log();
    let mut out = line::header(&it, &it.pauses[0].pause, &Options::default());
    out.push_str(&line::render(&it, &it.pauses[0], &Options::default()));
    out.push_str(&line::render(&it, &it.pauses[5], &Options::default()));
    expect![[r#"
        at (UTC)                  stopped   breakdown
        2026-11-21 14:02:41.118    3.36 s   young: 3.35 s GC log write blocked · 9 ms GC work · dd (pid 991, /etc/cron.daily/backup) wrote 412 MB to sdb1 in the 10 s before · VM Thread in write(), /var/log/orders/gc.log (ext4 on sdb1)
        2026-11-21 14:02:49.618      5 ms   young: 5 ms GC work
    "#]].assert_eq(&out);
}

#[test]
fn what_is_before_the_culprit_has_a_hundred_columns() {
    let causes = [
        ("gc-work", 400),
        ("humongous-allocation", 300),
        ("cpu-contention", 200),
        ("vm-operation", 90),
    ];
    let it = diagnosis(vec![pause(0, 1_000, &causes)]);
    let line = line::render(&it, &it.pauses[0], &Options::default());
    expect![[r#"
        2026-11-21 14:02:41.118    1.00 s   young: 400 ms GC work · 590 ms other causes · 10 ms unexplained
    "#]]
    .assert_eq(&line);
    assert!(line.trim_end().chars().count() <= 100, "{line}");
}

#[test]
fn the_method_that_kept_a_thread_is_reported_with_the_thread() {
    let mut it = slow_log();
    let mut culprit = it.findings[0].culprits[0].clone();
    culprit.statement = "Thread `x` was in a.B.sum in 4 of 4 looks while it was late".to_owned();
    it.findings[0].culprits.push(culprit.clone());
    let reported = |it: &Diagnosis| line::render(it, &it.pauses[0], &Options::default());
    assert!(!reported(&it).contains("a.B.sum"), "another process is one too many for a line");
    it.findings[0].culprits[1] = Culprit { kind: CulpritKind::Method, ..culprit };
    assert!(reported(&it).contains("was in a.B.sum in 4 of 4 looks"));
}
