//! Long work in pieces (`scripts/pieces.sh`): what was done is kept and not done again, what was cut
//! goes on.
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(600);

/// Does parts as `in_pieces` does: `bad` fails, and `slow` takes two seconds.
const SCRIPT: &str = r#"
source "$1/scripts/lib.sh"
source "$1/scripts/pieces.sh"
this_build() { echo "$BUILD"; }
act() { echo "did $1"; [ "$1" != slow ] || sleep 2; [ "$1" != bad ]; }
in_pieces "$2" act "${@:3}"
"#;

/// What a run ends with, and which parts it did.
fn pieces(file: &Path, limit: &str, build: &str, parts: &[&str]) -> (Option<i32>, Vec<String>) {
    // Absolute, as `lib.sh` goes there.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above");
    let mut command = spawn::command("bash");
    command
        .args(["-euo", "pipefail", "-c", SCRIPT, "bash"])
        .args([root, file])
        .args(parts)
        .env("LIMIT", limit)
        .env("BUILD", build)
        .env_remove("RESUME");
    let output = spawn::run(command, PATIENCE).expect("bash is there");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let did = text.lines().filter_map(|line| line.strip_prefix("did ")).map(str::to_owned);
    (output.status.code(), did.collect())
}

fn file(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    directory.join("results.tsv")
}

fn did(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn what_was_cut_goes_on_where_it_was() {
    let file = file("cut");
    let parts = ["slow", "a", "b c"];
    // The first always begins; with a minute for each of the others none fits.
    assert_eq!(pieces(&file, "1", "x", &parts), (Some(3), did(&["slow"])));
    assert!(fs::read_to_string(&file).expect("kept").starts_with("slow\tok\t"));
    assert_eq!(pieces(&file, "900", "x", &parts), (Some(0), did(&["a", "b c"])));
    // All was done: the next one begins anew.
    assert_eq!(pieces(&file, "900", "x", &["a"]), (Some(0), did(&["a"])));
}

#[test]
fn a_part_that_failed_is_kept_and_counts_at_the_end() {
    let file = file("failed");
    assert_eq!(pieces(&file, "900", "x", &["bad", "a"]), (Some(1), did(&["bad", "a"])));
    let last = fs::read_to_string(file.with_extension("tsv.last")).expect("kept");
    assert!(last.starts_with("bad\tfailed\t"), "{last}");
}

#[test]
fn what_another_build_did_is_done_again() {
    let file = file("build");
    assert_eq!(pieces(&file, "1", "x", &["slow", "a"]), (Some(3), did(&["slow"])));
    assert_eq!(pieces(&file, "900", "y", &["slow", "a"]), (Some(0), did(&["slow", "a"])));
}

#[test]
fn a_few_parts_in_between_cost_a_longer_run_nothing() {
    let file = file("between");
    assert_eq!(pieces(&file, "1", "x", &["slow", "a"]), (Some(3), did(&["slow"])));
    assert_eq!(pieces(&file, "900", "x", &["b"]), (Some(0), did(&["b"])));
    assert_eq!(pieces(&file, "900", "x", &["slow", "a"]), (Some(0), did(&["a"])));
}
