//! The first lines of an answer, over every recording and story: one sentence, and what to do about that.
use crate::{recordings::recordings, run::run, stories::stories};
use serde_json::Value;
use std::path::PathBuf;

/// Each input that has an answer.
fn inputs() -> Vec<PathBuf> {
    let recordings = recordings().into_iter().map(|it| it.1.join("recording"));
    recordings.chain(stories().into_iter().map(|it| it.join("gc.log"))).collect()
}

fn explain(input: &std::path::Path, args: &[&str]) -> String {
    let ran = run(&[&["explain"], args, &[input.to_str().expect("UTF-8")]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

/// The steps below a verdict: when, and what.
fn steps(answer: &str) -> Vec<(String, String)> {
    let head = answer.split("\n\n").next().unwrap_or_default();
    let is_step = |it: &&str| it.starts_with("  ") && !it.starts_with("   ");
    let split = |it: &str| {
        let (when, what) = it.trim_start().split_once("  ")?;
        Some((when.to_owned(), what.trim().to_owned()))
    };
    head.lines().filter(is_step).filter_map(split).collect()
}

/// The cause that a verdict is about: the one that it has the first words of.
fn headline<'a>(answer: &'a Value, verdict: &str) -> Option<&'a Value> {
    let place = |it: &Value| {
        let story = it["story"][0].as_str().unwrap_or_default();
        let title = it["title"].as_str().expect("a title");
        let title = title.split([':', '(']).next().unwrap_or_default().trim();
        let of_story =
            story.get(1..).and_then(|it| it.split(". ").next()).map(|it| it.trim_end_matches('.'));
        let known = [of_story, Some(title)].into_iter().flatten().filter(|it| it.len() > 3);
        known.filter_map(|it| verdict.to_lowercase().find(&it.to_lowercase())).min()
    };
    let causes = answer["causes"].as_array().expect("causes").iter();
    causes.filter_map(|it| Some((place(it)?, it))).min_by_key(|it| it.0).map(|it| it.1)
}

/// Whether a cause has this among what can be done about it.
fn advises(cause: &Value, what: &str) -> bool {
    cause["remedies"].as_array().expect("remedies").iter().any(|it| {
        let (id, action) = (it["id"].as_str().expect("an id"), it["action"].as_str());
        what.starts_with(&format!("whypause fix {id}"))
            || action.is_some_and(|it| it.starts_with(what) || what.starts_with(it))
            || it.to_string().contains(what.split(' ').next().unwrap_or(what))
    })
}

#[test]
fn the_command_under_a_verdict_was_another_causes_without_a_word() {
    let mut seen = 0;
    for input in inputs() {
        for over in ["50ms", "100ms", "250ms"] {
            let json = explain(&input, &["--format", "json", "--over", over]);
            let json: Value = serde_json::from_str(&json).expect("JSON");
            let verdict = json["verdict"].as_str().expect("a sentence");
            let text = explain(&input, &["--over", over]);
            let about = format!("{} --over {over}: {text}", input.display());
            let steps = steps(&text);
            let Some((when, what)) = steps.first() else { continue };
            if when == "to decide" || what.starts_with("whypause record -p PID") {
                continue;
            }
            seen += 1;
            let cause = headline(&json, verdict).unwrap_or_else(|| panic!("no cause: {about}"));
            if when == "for" {
                let short = what.split(',').next().expect("a name");
                let named =
                    cause["story"].to_string().contains(short) || verdict.starts_with(short);
                assert!(!named, "the other one is named: {about}");
                continue;
            }
            assert!(advises(cause, what), "{what} is not of {}: {about}", cause["id"]);
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn with_another_limit_the_verdict_spoke_of_all_pauses() {
    let input = &recordings().into_iter().find(|it| it.0 == "gc-log-write-blocked").expect("it").1;
    let input = input.join("recording");
    for args in [
        &["--over", "250ms"][..],
        &["--over", "250ms", "--format", "json"],
        &["--over", "250ms", "--format", "markdown"],
    ] {
        let answer = explain(&input, args).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            answer.contains("The only stop over 250 ms, 1.57 s of 1.58 s: the VM thread"),
            "{answer}"
        );
        assert!(answer.contains("In all pauses: 1.71 s of 2.15 s stopped."), "{answer}");
    }
    let none = explain(&input, &["--over", "5s"]);
    assert!(
        none.starts_with("No pause over 5.00 s: the longest of 47 stops took 1.58 s"),
        "{none}"
    );
    // Without one nothing is different.
    assert!(explain(&input, &[]).starts_with("1.71 s of 2.15 s stopped: the VM thread"));
}
