//! What `whypause schema` publishes is what `explain --format json` and `watch --json` keep.
use crate::{
    recordings::recordings,
    run::{run, whypause},
};
use serde_json::Value;

/// A thread that stands, and one that waits for it.
const STALL: &str = "
    stalls 10ms
    missing gc-log
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java holder
    thread 8 java waiter-1
    7 blocked 100ms 3220ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
    8 waiting 120ms 3221ms by 7";

fn validator() -> jsonschema::Validator {
    validator_of("explain")
}

fn validator_of(command: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&run(&["schema", command]).stdout).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

#[track_caller]
fn check(validator: &jsonschema::Validator, answer: &Value) {
    let errors: Vec<String> = validator.iter_errors(answer).map(|it| it.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

fn answer(path: &str) -> Value {
    let ran = crate::run::ran(whypause(&["explain", "--format", "json", path]));
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn the_answer_to_every_recording_and_story_keeps_the_published_schema() {
    let validator = validator();
    for (_, folder) in recordings() {
        check(&validator, &answer(&folder.join("recording").to_string_lossy()));
    }
    for story in crate::stories::stories() {
        check(&validator, &answer(&story.join("gc.log").to_string_lossy()));
    }
}

#[test]
fn the_schema_is_that_of_explain_unless_another_is_asked_for() {
    assert_eq!(run(&["schema"]).stdout, run(&["schema", "explain"]).stdout);
    assert_ne!(run(&["schema"]).stdout, run(&["schema", "watch"]).stdout);
}

/// What a watch writes of each pause and each stall of the recordings of faults, and what alerts are.
#[test]
fn events_keep_the_published_schema() {
    let validator = validator_of("watch");
    let (mut pauses, mut stalls) = (0, 0);
    let keeps = |event: &report::Event| {
        assert_eq!(event.line().lines().count(), 1);
        let alert = event.alert(report::Receiver::Json, 7);
        for text in [event.line(), alert] {
            let value: Value = serde_json::from_str(&text).expect("JSON");
            check(&validator, &value);
            for name in ["event", "jvm", "host", "duration_ns", "schema_version", "text"] {
                let mut less = value.clone();
                less.as_object_mut().expect("an object").remove(name).expect("it was there");
                assert!(!validator.is_valid(&less), "{name}");
            }
        }
    };
    for (_, folder) in recordings() {
        let recording = recording::Recording::open(&folder.join("recording")).expect("it opens");
        let diagnosis = diagnose::diagnose_facts(&recording.facts);
        for it in diagnosis.pauses.iter().take(3) {
            keeps(&report::Event::pause(&diagnosis, it, "db-1"));
            pauses += 1;
        }
    }
    let diagnosis = diagnose::facts_text::diagnose(STALL);
    for it in diagnosis.stalls.iter().flat_map(|it| &it.episodes) {
        keeps(&report::Event::stall(&diagnosis, it, "db-1"));
        stalls += 1;
    }
    assert!(pauses > 10 && stalls > 0, "{pauses} {stalls}");
}

/// A mechanism leads to its causes by its own list, which must have every cause that was seen with it.
#[test]
fn each_mechanism_that_was_seen_knows_its_cause() {
    for (_, folder) in recordings() {
        let answer = answer(&folder.join("recording").to_string_lossy());
        for cause in answer["causes"].as_array().expect("a list") {
            for id in cause["mechanisms"].as_array().expect("a list") {
                let by = diagnose::mechanisms().find(|it| *id == it.id).expect("it is known");
                assert!(by.causes.iter().any(|it| cause["id"] == *it), "{id}: {}", cause["id"]);
            }
        }
    }
}

#[test]
fn several_answers_in_one_document_keep_the_published_schema() {
    let validator = validator();
    let (_, folder) = recordings().remove(0);
    let recording = folder.join("recording");
    let recording = recording.to_string_lossy();
    let paths = ["explain", "--json", &recording, &recording];
    let mut document: Value = serde_json::from_str(&run(&paths).stdout).expect("JSON");
    check(&validator, &document);
    document["answers"][1].as_object_mut().expect("an object").remove("verdict");
    assert!(!validator.is_valid(&document));
}

#[test]
fn an_answer_without_a_name_of_the_schema_does_not_keep_it() {
    let validator = validator();
    let (_, folder) = recordings().remove(0);
    let whole = answer(&folder.join("recording").to_string_lossy());
    for name in ["schema_version", "verdict", "causes", "longest", "coverage"] {
        let mut less = whole.clone();
        less.as_object_mut().expect("an object").remove(name).expect("it was there");
        assert!(!validator.is_valid(&less), "{name}");
    }
    let mut other = whole;
    other["causes"][0]["time_ns"] = "3 s".into();
    assert!(!validator.is_valid(&other));
}
