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

/// Each command that takes recordings, with the file that keeps its answer.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("explain.txt", &["explain", "recording"]),
    ("explain.markdown.txt", &["explain", "--format", "markdown", "recording"]),
    ("explain.csv", &["explain", "--format", "csv", "recording"]),
    ("explain.json", &["explain", "--format", "json", "recording"]),
    ("check.txt", &["check", "recording", "--fail-if", "max>50ms", "--fail-if", "unexplained>2%"]),
    ("compare.txt", &["compare", "../mapped-file-fault/recording", "recording"]),
];

#[test]
fn every_recording_is_answered_as_written_beside_it() {
    let found = recordings();
    assert!(!found.is_empty());
    for (_, folder) in found {
        for (file, args) in COMMANDS {
            let mut command = whypause(args);
            command.current_dir(&folder);
            let ran = ran(command);
            assert_eq!(ran.stderr, "", "{file} of {}", folder.display());
            // CSV has the line ends of RFC 4180, which git and the files here do not keep
            let said = ran.stdout.replace('\r', "");
            expect_file![folder.join(file)].assert_eq(&said);
        }
    }
}

/// What holds up a thread that nobody waits for is named, but not first.
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
    let (shown, _) = shown.split_once("…\n```").expect("it is cut");
    let mut command = whypause(&args);
    command.current_dir(root);
    let said = ran(command).stdout;
    assert!(said.starts_with(shown), "shown:\n{shown}\nsaid:\n{said}");
}
