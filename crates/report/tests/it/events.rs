//! What other programs get of a pause or a stall as it ends.
use crate::{
    fixtures::{cause, diagnosis, pause, slow_log},
    stall_page::CONVOY,
};
use diagnose::{Diagnosis, facts_text};
use expect_test::expect;
use report::{Event, Options, Receiver, json};
use serde_json::Value;

fn first(it: &Diagnosis, host: &str) -> Event {
    Event::pause(it, &it.pauses[0], host)
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The same object as in the list of `explain --json`.
#[track_caller]
fn agrees(event: &Value, listed: &Value) {
    let listed = listed.as_object().expect("an object");
    assert!(listed.len() > 8);
    for (name, value) in listed {
        assert_eq!(&event[name], value, "{name}");
    }
}

fn explained(it: &Diagnosis) -> Value {
    let mut out = Vec::new();
    json::write(it, &mut &it.pauses[..], &Options::default(), &mut out).expect("it is written");
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn a_pause_is_what_explain_lists_and_whose_it_is() {
    let it = slow_log();
    let line = first(&it, "db-1").line();
    assert_eq!(line.matches('\n').count(), 1);
    let event = parsed(&line);
    agrees(&event, &explained(&it)["longest"][0]);
    assert_eq!((&event["event"], &event["host"]), (&"pause".into(), &"db-1".into()));
    assert_eq!(event["jvm"], explained(&it)["jvm"]);
    assert_eq!(event["clock"], "monotonic");
    assert_eq!(event.get("left_out"), None);
}

#[test]
fn a_stall_is_what_explain_lists_and_whose_it_is() {
    let it = facts_text::diagnose(CONVOY);
    let episode = &it.stalls.as_ref().expect("stalls").episodes[0];
    let event = parsed(&Event::stall(&it, episode, "").line());
    agrees(&event, &explained(&it)["stalls"]["longest"][0]);
    assert_eq!((&event["event"], &event["host"]), (&"stall".into(), &Value::Null));
}

#[test]
fn each_receiver_gets_its_own_form() {
    let it = slow_log();
    let event = first(&it, "db-1");
    let object = parsed(&event.alert(Receiver::Json, 12));
    let mut line = parsed(&event.line());
    line["left_out"] = 12.into();
    assert_eq!(object, line);
    expect![[r#"{"text":"orders (pid 4242) on db-1: 3.36 s stopped (young): 3.35 s GC log write blocked · 9 ms GC work · dd (pid 991, /etc/cron.daily/backup) wrote 412 MB to sdb1 in the 10 s before · VM Thread in write(), /var/log/orders/gc.log (ext4 on sdb1)","mrkdwn":false}"#]].assert_eq(&event.alert(Receiver::Slack, 0));
    let page = parsed(&event.alert(Receiver::PagerDuty("R0UT1NG"), 12));
    assert_eq!(page["payload"]["custom_details"], object);
    let mut page = page;
    page["payload"]["custom_details"] = "the object".into();
    expect![[r#"
        {
          "client": "whypause",
          "dedup_key": "whypause/db-1/orders/gc-log-write-blocked",
          "event_action": "trigger",
          "payload": {
            "class": "gc-log-write-blocked",
            "component": "orders",
            "custom_details": "the object",
            "severity": "error",
            "source": "db-1",
            "summary": "orders (pid 4242) on db-1: 3.36 s stopped (young): 3.35 s GC log write blocked · 9 ms GC work · dd (pid 991, /etc/cron.daily/backup) wrote 412 MB to sdb1 in the 10 s before · VM Thread in write(), /var/log/orders/gc.log (ext4 on sdb1) (12 more since the last alert)",
            "timestamp": "2026-11-21T14:02:41.118000000Z"
          },
          "routing_key": "R0UT1NG"
        }"#]].assert_eq(&format!("{page:#}"));
}

#[test]
fn a_name_is_no_mention_no_link_and_no_field() {
    let mut it = slow_log();
    it.jvm.main = "<!channel> <http://x|y> &\",\"text\":\"\u{202e}".into();
    let slack = parsed(&first(&it, "db-1").alert(Receiver::Slack, 0));
    let text = slack["text"].as_str().expect("a text");
    assert!(text.starts_with("&lt;!channel&gt; &lt;http://x|y&gt; &amp;\",\"text\":"), "{text}");
    assert!(!text.contains(['<', '>', '\u{202e}']), "{text}");
    assert_eq!(slack.as_object().expect("an object").len(), 2);
}

#[test]
fn a_name_without_an_end_is_cut() {
    let mut it = slow_log();
    it.jvm.main = "<".repeat(900_000);
    let event = first(&it, &"h".repeat(900_000));
    let slack = event.alert(Receiver::Slack, 0);
    assert!(slack.len() < 4_500, "{}", slack.len());
    let page = parsed(&event.alert(Receiver::PagerDuty("k"), 0));
    let dedup = page["dedup_key"].as_str().expect("a text");
    assert!(dedup.chars().count() <= 255, "{dedup}");
    let summary = page["payload"]["summary"].as_str().expect("a text");
    assert!(summary.chars().count() <= 1024, "{summary}");
    assert!(event.line().len() < 100_000);
}

#[test]
fn pauses_of_one_cause_are_one_incident_and_others_are_another() {
    let key = |id: &str| {
        let it = diagnosis(vec![pause(0, 300, &[(cause(id).id, 290)])]);
        let page = parsed(&first(&it, "db-1").alert(Receiver::PagerDuty("k"), 0));
        page["dedup_key"].clone()
    };
    assert_eq!(key("swap-in"), key("swap-in"));
    assert_ne!(key("swap-in"), key("gc-work"));
}
