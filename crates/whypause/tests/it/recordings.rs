//! Each recording of `testdata/recordings`, made by the lab from the fault it is named after, is
//! explained as the text beside it says. A new recording is a new test, without code.
use crate::run::run;
use expect_test::expect_file;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn recordings() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recordings");
    let entries = fs::read_dir(root).expect("the folder is there").map(|it| it.expect("an entry"));
    let folders = entries.filter(|it| it.path().is_dir());
    let mut found: Vec<_> =
        folders.map(|it| (it.file_name().to_string_lossy().into_owned(), it.path())).collect();
    found.sort();
    found
}

#[test]
fn every_recording_is_explained_as_written_beside_it() {
    let found = recordings();
    assert!(!found.is_empty());
    for (_, folder) in found {
        let ran = run(&["explain", &folder.join("recording").to_string_lossy()]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        expect_file![folder.join("explain.txt")].assert_eq(&ran.stdout);
    }
}

#[test]
fn the_cause_a_recording_is_named_after_comes_first() {
    for (cause, folder) in recordings() {
        let path = folder.join("recording");
        let ran = run(&["explain", "--format", "json", &path.to_string_lossy()]);
        let answer: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(answer["causes"][0]["id"], cause.as_str());
        assert_eq!(answer["causes"][0]["certainty"], "measured");
    }
}
