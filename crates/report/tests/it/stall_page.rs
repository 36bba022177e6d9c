//! What the page is given of threads that stood while the JVM ran: facts in, JSON out.
use crate::html::{data, page};
use diagnose::{Diagnosis, diagnose_facts, facts_text};
use recording::{Clock, ClockOffset, Facts, MonoTime};
use report::{Options, Redactor, html::live, terminal};
use serde_json::{Value, json};
use std::{fmt::Write, time::Duration};

/// One thread waits for a disk, and two for that thread.
pub(crate) const CONVOY: &str = "
    stalls 10ms
    missing gc-log
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java holder
    thread 8 java waiter-1
    thread 9 java waiter-2
    7 blocked 100ms 3220ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
    8 waiting 120ms 3221ms by 7
    9 waiting 130ms 3222ms by 8";

fn stalls(it: &Diagnosis) -> Value {
    data(&page(it))["stalls"].take()
}

#[test]
fn an_episode_is_on_the_page_with_each_of_its_stalls() {
    let it = stalls(&facts_text::diagnose(CONVOY));
    assert_eq!(
        it["heading"],
        "Stalls while the JVM ran: 1 thread for 3.12 s; 2 more waited for it, 6.19 s in all"
    );
    assert_eq!(it["findings"][0]["extent"], "3.12 s in 1 stall");
    assert_eq!((&it["episode_count"], &it["rest"]), (&json!(1), &json!(null)));
    let episode = &it["episodes"][0];
    assert_eq!(
        episode["told"],
        "1 thread (holder) for 3.12 s: fsync blocked; 2 waited for holder, 6.19 s in all"
    );
    assert_eq!(
        (&episode["start_us"], &episode["length_us"], &episode["time_us"]),
        (&json!(0.0), &json!(3_120_000.0), &json!(3_120_000.0))
    );
    assert_eq!(episode["mechanisms"], json!([["a journal commit", 3_120_000.0]]));
    let threads = it["threads"].as_array().expect("a list");
    let name = |at: &Value| &threads[usize::try_from(at.as_u64().unwrap()).unwrap()]["name"];
    let members = episode["members"].as_array().expect("a list").chunks(5);
    let told: Vec<Value> =
        members.map(|it| json!([name(&it[0]), name(&it[1]), it[2], it[3], it[4]])).collect();
    assert_eq!(
        told,
        [
            json!(["holder", "holder", 0, 3_120_000, 3_120_000]),
            json!(["waiter-1", "holder", 20_000, 3_100_000, 3_100_000]),
            json!(["waiter-2", "holder", 30_000, 3_090_000, 3_090_000]),
        ]
    );
    assert_eq!(it["pools"], json!(["holder", "waiter-*"]));
    let place = &it["places"][0];
    assert_eq!((&place["thread"], &place["file"]), (&json!("holder"), &json!("a.log")));
    let marked = usize::try_from(place["marked"].as_u64().unwrap()).unwrap();
    assert_eq!(place["stack"][marked], "jbd2_log_wait_commit");
    assert_eq!(place["waits_for"], "a journal commit");
}

#[test]
fn a_stall_before_the_first_pause_is_on_the_same_axis() {
    let text = format!("{CONVOY}\n safepoint 5000ms 5200ms op Full 5001ms 5199ms vm 1");
    let it = data(&page(&facts_text::diagnose(&text)));
    assert_eq!(it["stalls"]["episodes"][0]["start_us"], 0.0);
    assert!(it["pauses"]["span_ms"].as_f64().unwrap() >= 3_120.0, "{}", it["pauses"]["span_ms"]);
}

/// A stall goes on while the JVM is stopped meanwhile, and only the rest of it counts.
#[test]
fn what_of_a_stall_is_in_a_stop_does_not_count() {
    let text = format!("{CONVOY}\n safepoint 1000ms 2000ms op Full 1001ms 1999ms vm 1");
    let it = stalls(&facts_text::diagnose(&text));
    let members = it["episodes"][0]["members"].as_array().expect("a list");
    assert_eq!((&members[3], &members[4]), (&json!(3_120_000), &json!(2_120_000)));
    assert_eq!(it["episodes"][0]["longest_us"], 2_120_000.0);
}

#[test]
fn without_stalls_there_is_nothing_of_them() {
    let mut it = facts_text::diagnose(CONVOY);
    it.stalls = None;
    assert_eq!(stalls(&it), Value::Null);
}

/// A JVM of which thousands of threads stand has a page that is no larger for it than this.
#[test]
fn thousands_of_stalls_are_a_small_page_that_says_what_is_left_out() {
    let mut text = "stalls 10ms\n missing gc-log\n jvm 17.0.15 g1\n".to_owned();
    for tid in 100..6_100 {
        let _ = writeln!(text, "thread {tid} java exec-{tid}");
        let (from, to) = (100 + tid % 50, 150 + tid % 50 + tid / 10);
        let _ =
            writeln!(text, "{tid} blocked {from}ms {to}ms fdatasync a.log stack ext4_sync_file");
    }
    let it = stalls(&facts_text::diagnose(&text));
    let episodes = it["episodes"].as_array().expect("a list");
    let kept: u64 =
        episodes.iter().map(|it| it["members"].as_array().unwrap().len() as u64 / 5).sum();
    let left_out: u64 = episodes.iter().map(|it| it["left_out"].as_u64().unwrap()).sum();
    let all: u64 = episodes.iter().map(|it| it["stalls"].as_u64().unwrap()).sum();
    assert_eq!((kept, kept + left_out, all), (4_000, all, 6_000));
    assert!(it.to_string().len() < 500_000, "{}", it.to_string().len());
}

/// As recorded: with the time of day.
fn facts_at_a_time_of_day(text: &str) -> Facts {
    let clock = ClockOffset {
        from: Clock::Monotonic,
        to: Clock::Wall,
        offset_ns: 1_795_269_701_000_000_000,
        uncertainty: Duration::ZERO,
        measured: MonoTime(0),
    };
    Facts { clocks: vec![clock], ..facts_text::facts(text) }
}

#[test]
fn an_episode_is_an_event_of_the_live_page() {
    let text = format!("{CONVOY}\n writer 991 dd 100ms 3200ms 412 device 7 on sdb1,sdb");
    let it = diagnose_facts(&facts_at_a_time_of_day(&text));
    let episode = &it.stalls.as_ref().expect("they are there").episodes[0];
    let event = live::stall(&it, episode, Some("orders (pid 7)"), &Options::default());
    let event: Value = serde_json::from_str(&event.expect("the time of day is known")).unwrap();
    assert_eq!(event["jvm"], "orders (pid 7)");
    assert_eq!(event["origin_wall_ms"], 1_795_269_761_100.0);
    let line = event["line"].as_str().unwrap();
    assert!(line.contains("stall of 1 thread (holder): fsync blocked"), "{line}");
    let stalls = &event["stalls"];
    assert_eq!(stalls["episodes"].as_array().map(Vec::len), Some(1));
    assert_eq!(stalls["episodes"][0]["start_us"], 0.0);
    let who = event["who"][0].as_str().expect("who wrote");
    assert!(who.starts_with("dd (pid 991) wrote 412 MB to sdb1"), "{who}");
    assert_eq!(event["causes"][0]["id"], "file-sync-blocked");
    assert_eq!(event["causes"][0]["page"], json!([]), "the browser has it from `hello`");
    assert!(event.to_string().len() < 3_000, "{}", event.to_string().len());
    // Without the time of day a browser cannot say when it was.
    let timeless = facts_text::diagnose(CONVOY);
    let episode = &timeless.stalls.as_ref().expect("they are there").episodes[0];
    assert_eq!(live::stall(&timeless, episode, None, &Options::default()), None);
}

/// What the text of an answer hides, the page and the events of a live page hide, too.
#[test]
fn a_redacted_page_names_no_thread_and_no_file_that_the_text_hides() {
    let text = CONVOY
        .replace("holder", "db7.acme.org:5432-holder")
        .replace("waiter-", "10.1.2.3:8080-waiter-")
        .replace("a.log", "/srv/acme/orders/a.log");
    let secrets = ["acme", "10.1.2.3", "orders"];
    let mut facts = facts_at_a_time_of_day(&text);
    let plain = page(&diagnose_facts(&facts));
    assert!(secrets.iter().all(|it| data(&plain)["stalls"].to_string().contains(it)), "as it is");
    Redactor::new(true, Some("db7.acme.org")).facts(&mut facts);
    let redacted = diagnose_facts(&facts);
    let options = Options { full: true, ..Options::default() };
    let stalls = redacted.stalls.as_ref().expect("they are there");
    let event = live::stall(&redacted, &stalls.episodes[0], None, &options);
    let event = event.expect("the time of day is known");
    let shown = [page(&redacted), terminal::render(&redacted, &options), event];
    for (it, secret) in shown.iter().flat_map(|it| secrets.map(|secret| (it, secret))) {
        let data = it.split_once("id=\"data\">").map_or(it.as_str(), |it| it.1);
        let data = data.split("</script>").next().unwrap_or_default();
        assert!(!data.contains(secret), "{secret}: {data}");
    }
    assert!(shown[0].contains("thread-1"), "by a placeholder");
}
