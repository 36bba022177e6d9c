//! What would help, what would be changed, and how it is put back.
use crate::fixtures::{diagnosis, finding, ms, pause, slow_log};
use expect_test::expect;
use remedy::{Change, Entry, Plan, Setting};
use report::{
    Options,
    fix::{self, Planned, json, terminal},
};

#[test]
fn fixes_are_ordered_by_saving_and_by_what_works_now() {
    let all = slow_log();
    expect![[r#"
        orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s · 61 stops

        1  Write the GC log to memory                 up to 3.78 s in 2 stops · measured
           for      gc-log-write-blocked
           when     now
           fix      whypause fix gc-log-to-tmpfs -p 4242 --apply
           cost     Memory: up to 24 MiB for each JVM.
                    What is only in memory is gone after a reboot: `whypause fix` also
                    copies it to where the log was, every 5 s, compressed.

        2  Limit the process that fills the disk      up to 3.78 s in 2 stops · measured
           for      gc-log-write-blocked
           when     now
           fix      whypause fix background-io -p 4242 --apply
           cost     That process takes longer; where the whole disk is limited, so does
                    every process that writes much to it.
                    A journal in ordered mode (ext4) waits for the data of the limited
                    process, too: pauses become shorter and need not go away.
                    What it writes to memory is written back by the kernel: only version
                    2 of control groups counts that to the writer.
                    What was queued before the limit is written first, at full speed.

        3  Write the GC log from a thread of its own  up to 3.78 s in 2 stops · measured
           for      gc-log-write-blocked
           when     at the next start
           do       -Xlog:async
           cost     Lines are dropped where the buffer is full, and the log says how
                    many.
                    Since JDK 24 `-Xlog:async:stall` waits instead, which brings the
                    pause back.
                    What is in the buffer is lost where the JVM crashes.

    "#]]
    .assert_eq(&terminal::ranking(&all, &fix::rank(&all), &Options::default()));
}

#[test]
fn a_remedy_of_two_causes_is_listed_once_with_the_time_of_both() {
    let mut all = diagnosis(vec![pause(0, 100, &[("swap-in", 60), ("direct-reclaim", 40)])]);
    all.findings = vec![finding("swap-in", 1, 60, 0.6), finding("direct-reclaim", 1, 40, 0.4)];
    let ranked = fix::rank(&all);
    let both = ranked.iter().find(|it| it.causes.len() == 2).expect("one of both");
    assert_eq!((both.causes.as_slice(), both.saves), (&["swap-in", "direct-reclaim"][..], ms(100)));
    assert!(ranked.iter().filter(|it| it.remedy.id == both.remedy.id).count() == 1);
}

#[test]
fn nothing_found_is_nothing_to_fix() {
    let all = diagnosis(vec![pause(0, 10, &[("gc-work", 10)])]);
    let text = terminal::ranking(&all, &fix::rank(&all), &Options::default());
    assert!(text.contains("Nothing to fix"), "{text}");
}

fn setting() -> Change {
    let file = "/sys/kernel/mm/transparent_hugepage/defrag".into();
    Change::Setting(Setting { file, to: "defer".into() })
}

fn plan() -> Plan {
    Plan {
        remedy: "thp-defrag",
        changes: vec![setting()],
        notes: vec!["a name of a target\u{1b}[2J".into()],
        at_next_start: false,
    }
}

#[test]
fn plan_shows_values_commands_cost_and_undo() {
    let plan = plan();
    let planned = Planned {
        remedy: remedy::find("thp-defrag").expect("it is there"),
        plan: &plan,
        whom: "orders (pid 4242)",
        before: &[Some(Some("madvise".into()))],
    };
    expect![[r#"
        Leave compaction to the kernel's own threads · orders (pid 4242)

        1  /sys/kernel/mm/transparent_hugepage/defrag
           before   madvise
           after    defer
           by hand  echo defer > /sys/kernel/mm/transparent_hugepage/defrag

        cost   Memory comes in small pages until then.
        note   a name of a target\u{1b}[2J
        undo   whypause fix --undo thp-defrag
    "#]]
    .assert_eq(&terminal::plan(&planned, &Options::default()));
    let mut out = Vec::new();
    json::plan(&planned, &mut out).expect("a Vec takes all");
    expect![[r#"
        {
          "changes": [
            {
              "before": "madvise",
              "by_hand": "echo defer > /sys/kernel/mm/transparent_hugepage/defrag",
              "needs": "root",
              "subject": "/sys/kernel/mm/transparent_hugepage/defrag",
              "survives_a_boot": false,
              "wanted": "defer"
            }
          ],
          "cost": [
            "Memory comes in small pages until then."
          ],
          "jvm": "orders (pid 4242)",
          "notes": [
            "a name of a target\u001b[2J"
          ],
          "remedy": "thp-defrag",
          "schema_version": 1,
          "when": "now"
        }
    "#]]
    .assert_eq(&String::from_utf8(out).expect("UTF-8"));
}

#[test]
fn what_is_changed_is_put_back_by_commands_the_last_first() {
    let entry = |before: &str| Entry {
        remedy: "thp-defrag".into(),
        change: setting(),
        before: Some(before.into()),
        ours: vec![Some("defer".into())],
        kept: true,
        found: None,
    };
    let entries = [entry("madvise"), entry("always")];
    let entries: Vec<&Entry> = entries.iter().collect();
    expect![[r#"
        # thp-defrag: /sys/kernel/mm/transparent_hugepage/defrag
        echo always > /sys/kernel/mm/transparent_hugepage/defrag
        # thp-defrag: /sys/kernel/mm/transparent_hugepage/defrag
        echo madvise > /sys/kernel/mm/transparent_hugepage/defrag
    "#]]
    .assert_eq(&terminal::undo_by_hand(&entries, &Options::default()));
}
