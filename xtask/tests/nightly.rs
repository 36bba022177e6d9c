//! `make nightly` (`scripts/nightly.sh`): what its parts end with, and what its page says of them.
#![allow(clippy::print_stdout, reason = "a test may")]
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(600);

/// Parts as in `scripts/nightly/parts.sh`.
const PARTS: &str = r#"
skip() { echo "SKIPPED: $1"; exit 0; }
part_good() { # nothing
    echo fine
}
part_bad_one() { # luck
    seq 30
    false
    echo went on
}
part_not_here() { # much
    skip "no | here"
}
part_writes() { # a pen
    echo x >>docs/nightly.head.md
}
part_in_pieces() { # time
    [ -e target/begun ] && return
    touch target/begun
    exit 3
}
"#;

/// A project of its own with these parts.
struct Project(PathBuf);

impl Project {
    /// None where it cannot be run: it is for root.
    fn new(name: &str) -> Option<Project> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above");
        let project = Project(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        let _ = fs::remove_dir_all(&project.0);
        for folder in ["scripts/nightly", "docs", "target"] {
            fs::create_dir_all(project.0.join(folder)).expect("a folder");
        }
        for script in ["lib.sh", "pieces.sh", "nightly.sh", "nightly/page.awk"] {
            let path = Path::new("scripts").join(script);
            fs::copy(root.join(&path), project.0.join(&path)).expect("a copy");
        }
        project.write("docs/nightly.head.md", "# Nightly\n");
        project.write("scripts/nightly/parts.sh", PARTS);
        project.write(".gitignore", "target/\n");
        project.shell(
            "git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm a",
        );
        if project.shell("id -u").1.trim() != "0" {
            println!("SKIPPED: `make nightly` is for root");
            return None;
        }
        Some(project)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.0.join(path), text).expect("a file");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap_or_default()
    }

    /// The exit code of a shell command and all that it printed.
    fn shell(&self, script: &str) -> (Option<i32>, String) {
        let mut command = spawn::command("bash");
        command
            .args(["-c", &format!("{{ {script}; }} 2>&1")])
            .current_dir(&self.0)
            .env_remove("LIMIT")
            .env_remove("RESUME");
        let output = spawn::run(command, PATIENCE).expect("bash is there");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    }

    /// The rows of the page, as `PART RESULT`.
    fn rows(&self) -> Vec<String> {
        let page = self.read("docs/nightly.md");
        let rows = page.lines().filter(|it| it.starts_with("| ")).skip(1);
        let cells = rows.map(|it| it.split(" | ").map(str::trim).collect::<Vec<_>>());
        cells.map(|it| format!("{} {}", it[0].trim_start_matches("| "), it[1])).collect()
    }
}

#[test]
fn each_part_ends_in_its_own_way_and_all_are_on_the_page() {
    let Some(project) = Project::new("nightly-ends") else { return };
    let (code, said) = project.shell("scripts/nightly.sh good bad-one not-here");
    assert_eq!(code, Some(1), "{said}");
    // The last lines of what failed.
    assert!(
        said.contains("\n30\nfailed: all output is in target/nightly-logs/bad-one.log"),
        "{said}"
    );
    assert!(
        !said.contains("\n10\n") && !said.contains("went on") && !said.contains("fine"),
        "{said}"
    );
    assert!(said.contains("SKIPPED: no | here"), "{said}");
    let wanted = [
        "good ok",
        "bad-one failed",
        "not-here SKIPPED: no / here",
        "writes not run yet",
        "in-pieces not run yet",
    ];
    assert_eq!(project.rows(), wanted);
    assert_eq!(project.read("target/nightly-logs/good.log"), "fine\n");
}

#[test]
fn a_part_that_changes_a_file_of_the_project_has_failed() {
    let Some(project) = Project::new("nightly-writes") else { return };
    let (code, said) = project.shell("scripts/nightly.sh writes");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: it has changed files of the project:\n M docs/"), "{said}");
}

#[test]
fn what_is_left_is_done_by_the_next_start() {
    let Some(project) = Project::new("nightly-left") else { return };
    let (code, said) = project.shell("scripts/nightly.sh good in-pieces");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("1 of 2 done; start it again to go on"), "{said}");
    assert_eq!(project.rows(), [""; 0], "the page is written when all is done");
    let (code, said) = project.shell("scripts/nightly.sh good in-pieces");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 of 2: good: ok, kept in target/nightly.tsv"), "{said}");
    assert_eq!(project.rows()[4], "in-pieces ok");
}

#[test]
fn what_was_not_asked_for_stays_on_the_page_with_the_time_it_takes() {
    let Some(project) = Project::new("nightly-stays") else { return };
    let row =
        |part: &str, seconds: &str| format!("| {part} | ok | {seconds} | 2026-01-01 | old |\n");
    let old = row("good", "7") + &row("not-here", "300") + &row("gone", "9");
    project.write("docs/nightly.md", &old);
    let (code, said) = project.shell("scripts/nightly.sh --list");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("not-here             ok, 300 s, 2026-01-01 "), "{said}");
    assert!(said.contains("needs: much\n"), "{said}");
    let (_, said) = project.shell("scripts/nightly.sh bad-one not-here");
    assert!(said.contains("2 of 2: not-here; about 5 min left"), "{said}");
    let rows = project.rows();
    assert_eq!(rows[..3], ["good ok", "bad-one failed", "not-here SKIPPED: no / here"]);
    assert!(project.read("docs/nightly.md").contains(&row("good", "7")), "as it was");
    assert_eq!(rows.len(), 5, "a part that is gone is no row");
}

#[test]
fn a_part_that_does_not_exist_is_named() {
    let Some(project) = Project::new("nightly-unknown") else { return };
    let wanted = "error: there is no part `x`\nhint: scripts/nightly.sh --list\n";
    assert_eq!(project.shell("scripts/nightly.sh good x"), (Some(2), wanted.to_owned()));
}

#[test]
fn what_a_part_has_started_ends_with_the_run() {
    let Some(project) = Project::new("nightly-stops") else { return };
    let parts = "part_slow() { # time\n    sleep 301 &\n    echo $! >target/pid\n    wait\n}\n";
    project.write("scripts/nightly/parts.sh", parts);
    for signal in ["TERM", "KILL"] {
        let script = format!(
            "scripts/nightly.sh slow & run=$!
            until [ -s target/pid ]; do sleep 0.05; done
            kill -{signal} $run; wait $run
            for _ in $(seq 100); do kill -0 $(cat target/pid) 2>/dev/null || exit 0; sleep 0.05; done
            exit 9"
        );
        let (code, said) = project.shell(&script);
        assert_eq!(code, Some(0), "{signal}: {said}");
        fs::remove_file(project.0.join("target/pid")).expect("it was there");
    }
}
