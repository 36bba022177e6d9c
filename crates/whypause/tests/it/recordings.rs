//! Each recording of `testdata/recordings`, made by the lab from the fault it is named after, is
//! answered by each command as the files beside it say. A new recording is a new test, without code.
use crate::run::{ran, run, whypause};
use expect_test::expect_file;
use std::{
    fs,
    path::{Path, PathBuf},
};

pub(crate) fn recordings() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recordings");
    let entries = fs::read_dir(root).expect("the folder is there").map(|it| it.expect("an entry"));
    let folders = entries.filter(|it| it.path().is_dir());
    let mut found: Vec<_> =
        folders.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path())).collect();
    found.sort();
    assert!(found.len() > 10, "only {} recordings", found.len());
    found
}

/// The commands whose answers are in `answer.txt` beside each recording.
const COMMANDS: [&[&str]; 4] = [
    &["explain", "recording"],
    &["explain", "--full", "recording"],
    &["check", "recording", "--fail-if", "max>50ms", "--fail-if", "unexplained>2%"],
    &["compare", "../mapped-file-fault/recording", "recording"],
];

/// What a command says in a folder.
fn said(args: &[&str], folder: &Path) -> String {
    let mut command = whypause(args);
    command.current_dir(folder);
    let ran = ran(command);
    assert_eq!(ran.stderr, "", "{args:?} in {}", folder.display());
    ran.stdout
}

#[test]
fn every_recording_is_answered_as_written_beside_it() {
    for (_, folder) in recordings() {
        let mut all = String::new();
        for args in COMMANDS {
            all += &format!("$ whypause {}\n{}\n", args.join(" "), said(args, &folder));
        }
        expect_file![folder.join("answer.txt")].assert_eq(&all);
    }
}

/// The words of a text, wherever its lines end.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text as it stands in Markdown, where marks are escaped.
fn unescaped(markdown: &str) -> String {
    let text = markdown.replace("@<!-- -->", "@").replace("&amp;", "&");
    words(&text).replace('\\', "")
}

#[test]
fn all_formats_say_the_same_of_a_recording() {
    for (name, folder) in recordings() {
        let explain = |args: &[&str]| said(&[&["explain"], args, &["recording"]].concat(), &folder);
        let json: serde_json::Value =
            serde_json::from_str(&explain(&["--format", "json"])).expect("JSON");
        let verdict = json["verdict"].as_str().expect("a sentence");
        let full = words(&explain(&["--full"]));
        assert!(full.starts_with(&words(verdict)), "{name}: {full}");
        let markdown = unescaped(&explain(&["--format", "markdown"]));
        assert!(markdown.contains(&words(verdict)), "{name}: {verdict}\n{markdown}");
        let mut number = 0;
        for cause in json["causes"].as_array().expect("causes") {
            let (id, title) = (cause["id"].as_str().expect("an id"), &cause["title"]);
            if !full.contains(&format!("whypause cause {id}")) {
                continue;
            }
            number += 1;
            let title = title.as_str().expect("a title");
            assert!(full.contains(&format!("{number} {title} ")), "{name}: {id} in {full}");
            assert!(markdown.contains(&format!("## {number}. {title} ")), "{name}: {id}");
            for story in cause["story"].as_array().into_iter().flatten() {
                let story = words(story.as_str().expect("a sentence"));
                assert!(full.contains(&story), "{name}: {story}");
                assert!(markdown.contains(&story.replace('\\', "")), "{name}: {story}");
            }
        }
        let rows = explain(&["--format", "csv"]).lines().count() as u64 - 1;
        assert_eq!(Some(rows), json["pauses"]["count"].as_u64(), "{name}");
    }
}

#[test]
fn a_short_answer_fits_a_screen() {
    for (name, folder) in recordings() {
        let text = said(&["explain", "recording"], &folder);
        assert!(text.lines().count() <= 24, "{name}:\n{text}");
        // What is to be copied is never broken.
        let is_step = |line: &str| line.starts_with("  now ") || line.starts_with("  next start ");
        let broken = |line: &&str| line.chars().count() > 80 && !is_step(line);
        assert_eq!(text.lines().find(broken), None, "{name}");
    }
}

/// What holds up a thread that no thread waits for is named, but not first.
const STOPS_NOBODY: [&str; 1] = ["deleted-file-unmap"];

#[test]
fn the_cause_a_recording_is_named_after_is_the_first_fault() {
    for (name, folder) in recordings() {
        let cause = name.split('.').next().expect("the first part").to_owned();
        let path = folder.join("recording");
        let ran = run(&["explain", "--format", "json", &path.to_string_lossy()]);
        let answer: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let mut faults = answer["causes"]
            .as_array()
            .expect("causes")
            .iter()
            .filter(|it| it["nature"] == "fault");
        if STOPS_NOBODY.contains(&cause.as_str()) {
            assert!(faults.any(|it| it["id"] == cause.as_str()), "{cause}");
            continue;
        }
        let first = faults.next().expect("a fault");
        assert_eq!(first["id"], cause.as_str());
        assert_eq!(first["certainty"], "measured");
        if let Some((_, mechanism)) = name.split_once('.') {
            assert_eq!(first["mechanisms"][0], mechanism);
        }
    }
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).expect("the page");
    let args = ["explain", "testdata/recordings/gc-log-write-blocked/recording"];
    let prompt = format!("$ whypause {}\n", args.join(" "));
    let (_, shown) = readme.split_once(&prompt).expect("the command is shown");
    let (shown, _) = shown.split_once("```").expect("it ends");
    let mut command = whypause(&args);
    command.current_dir(root);
    let said = ran(command).stdout;
    assert_eq!(shown, said);
}
