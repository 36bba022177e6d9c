//! What is said of threads that stood while the JVM ran: facts in, text out.
use diagnose::{Diagnosis, facts_text};
use expect_test::expect;
use report::{Options, line};

/// Threads append and wait for the disk, and others for one of them.
fn appenders() -> Diagnosis {
    facts_text::diagnose(
        "stalls 10ms
         missing gc-log
         jvm 17.0.15 g1
         thread 1 vm-thread VM Thread
         thread 7 java holder
         thread 8 java waiter-1
         thread 9 java waiter-2
         7 blocked 100ms 3220ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
         8 waiting 120ms 3221ms by 7
         9 waiting 130ms 3222ms by 8",
    )
}

#[test]
fn one_episode_on_one_line() {
    let it = appenders();
    let episode = &it.stalls.as_ref().unwrap().episodes[0];
    let mut out = line::header(&it, &episode.interval, &Options::default());
    out.push_str(&line::render_stall(&it, episode, &Options::default()));
    expect![[r#"
        after the first   stopped   breakdown
        0.000 s    3.12 s   stall of 3 threads (waiter-*, holder): fsync blocked · holder in fdatasync(), a.log (ext4 on sdb1) · 2 waited for holder
    "#]].assert_eq(&out);
}

#[test]
fn an_episode_without_cause_says_so() {
    let mut it = appenders();
    let mut episode = it.stalls.as_mut().unwrap().episodes.remove(0);
    (episode.cause, episode.holder) = (None, None);
    let told = line::render_stall(&it, &episode, &Options::default());
    assert!(told.contains("(waiter-*, holder): unexplained"), "{told}");
    assert!(!told.contains("waited for"), "{told}");
}
