//! What is said of threads that stood while the JVM ran: facts in, text out.
use crate::stall_page::CONVOY;
use diagnose::{Diagnosis, facts_text};
use expect_test::expect;
use report::{Options, fix, line, markdown, terminal};

fn appenders() -> Diagnosis {
    facts_text::diagnose(CONVOY)
}

#[test]
fn one_episode_on_one_line() {
    let it = appenders();
    let episode = &it.stalls.as_ref().unwrap().episodes[0];
    let mut out = line::header(&it, &episode.interval, &Options::default());
    out.push_str(&line::render_stall(&it, episode, &Options::default()));
    expect![[r#"
        after the first   stopped   breakdown
        0.000 s    3.12 s   stall of 1 thread (holder): fsync blocked · holder in fdatasync(), a.log (ext4 on sdb1) · 2 waited for holder
    "#]].assert_eq(&out);
}

#[test]
fn an_episode_without_cause_says_so() {
    let mut it = appenders();
    let mut episode = it.stalls.as_mut().unwrap().episodes.remove(0);
    (episode.cause, episode.holder) = (None, None);
    let told = line::render_stall(&it, &episode, &Options::default());
    assert!(told.contains("(holder): unexplained"), "{told}");
    assert!(!told.contains("waited for"), "{told}");
}

#[test]
fn markdown_has_a_section_of_them() {
    let text = markdown::render(&appenders(), &Options::default());
    let (_, section) = text.split_once("\n## Stalls").expect("a section");
    let section = section.split("\nNot checked:").next().unwrap_or_default();
    expect![[r#"
         while the JVM ran: 1 thread for 3.12 s; 2 more waited for it, 6.19 s in all

        | after the first | longest | threads and cause |
        |---|--:|---|
        | 0.000 s | 3.12 s | 1 thread (holder) for 3.12 s: fsync blocked; 2 waited for holder, 6.19 s in all |

        ### 1. Sync of a file blocked (fsync, fdatasync)

        **3.12 s in 1 stall** (measured)

        Thread \`holder\` waited in fdatasync() on a.log (ext4 on sdb1) for a journal commit.

        - how: a journal commit (3.12 s)
        - where: holder in fdatasync(), a.log (ext4 on sdb1)
        - kernel: jbd2\_log\_wait\_commit ← ext4\_sync\_file
        - seen (scheduler): blocked in fdatasync() for 3.12 s in 1 stall, up to 3.12 s in one
        - fix, in the code: (a request then waits for one sync at most)

              sync in one thread for many requests, and outside of locks that they need

        - more: `whypause cause file-sync-blocked`
    "#]].assert_eq(section);
}

#[test]
fn markdown_without_stalls_has_no_section() {
    let mut it = appenders();
    it.stalls = None;
    assert!(!markdown::render(&it, &Options::default()).contains("Stalls"));
}

#[test]
fn what_would_help_is_ranked_by_stalls_too() {
    let it = appenders();
    let ranked = fix::rank(&it);
    assert!(ranked.iter().all(|it| it.stalls == 1 && it.pauses == 0), "{ranked:?}");
    let text = fix::terminal::ranking(&it, &ranked, &Options::default());
    assert!(text.contains("up to 3.12 s of threads in 1 stall · measured"), "{text}");
    assert!(!text.contains("in 0 stops"), "{text}");
}

/// Without eBPF nothing reports them, and that was not said.
#[test]
fn that_stalls_could_not_be_recorded_is_said_with_the_reason() {
    let said = |missing: &str| {
        let text = format!(
            "missing {missing}\njvm 17.0.15 g1\nthread 1 vm-thread VM Thread\nsafepoint 0us 90000us op G1CollectForAllocation 1us 89999us vm 1"
        );
        let it = facts_text::diagnose(&text);
        let shown = terminal::render(&it, &Options { full: true, ..Options::default() });
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said("scheduler").contains("stalls of threads"), "{}", said("scheduler"));
    let sampled = said("scheduler\nrecorded thread-samples\nstalls 10ms");
    assert!(sampled.contains("short stalls of threads, and those in page faults"), "{sampled}");
    // a recording of before, or one that was not to tell of them
    assert!(!said("gc-log").contains("stalls of threads"), "{}", said("gc-log"));
    let recorded = terminal::render(&appenders(), &Options { full: true, ..Options::default() });
    assert!(!recorded.contains("stalls of threads"), "{recorded}");
}

/// It said what stops of a millisecond were made of, behind threads that stood for seconds.
#[test]
fn what_short_stops_were_made_of_is_not_said_beside_long_stalls() {
    let it = facts_text::diagnose(&format!(
        "{CONVOY}
         safepoint 4000ms 4001ms op Cleanup 4000ms 4001ms vm 1
         safepoint 5000ms 5001ms op Cleanup 5000ms 5001ms vm 1"
    ));
    let text = terminal::render(&it, &Options::default());
    let verdict = text.split("\n\n").next().unwrap_or_default();
    expect![[r#"
        1 thread stood still for 3.12 s while the JVM ran, and 2 more waited for it:
        thread `holder` waited in fdatasync() on a.log (ext4 on sdb1) for a journal
        commit. Measured. No pause over 50 ms: the longest of 2 stops took 1 ms.
          in the code  sync in one thread for many requests, and outside of locks that
                       they need"#]]
    .assert_eq(verdict);
}
