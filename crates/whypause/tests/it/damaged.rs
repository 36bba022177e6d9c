//! A recording of which a part is damaged or gone says that it does not know: no cause is ruled
//! out, and no gate passes.
use crate::run::run;
use diagnose::{Diagnosis, Gate, Outcome, Verdict, diagnose_recording};
use recording::{Facts, Limits, Recording, Table, Writer};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A name, and what it does to a part.
type Damage = (&'static str, fn(&Path));

/// What may become of a part.
const DAMAGES: [Damage; 3] = [
    ("deleted", |part| fs::remove_file(part).expect("removing")),
    ("cut", |part| {
        let bytes = fs::read(part).expect("a part");
        fs::write(part, &bytes[..bytes.len() / 2]).expect("writing");
    }),
    ("changed", |part| {
        let mut bytes = fs::read(part).expect("a part");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x20;
        fs::write(part, bytes).expect("writing");
    }),
];

fn golden(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recordings");
    root.join(name).join("recording")
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The facts of a kept recording, written by this version.
fn facts(name: &str) -> Facts {
    Recording::open(&golden(name)).expect("a recording").facts
}

/// Writes them anew, sealed or as a killed recorder leaves them.
fn write(facts: &Facts, to: &Path, sealed: bool) {
    let mut writer = Writer::create(to, Limits::default()).expect("a new recording");
    writer.write(facts).expect("writing");
    if sealed {
        writer.seal().expect("sealing");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a new directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copying");
    }
}

fn part_of(directory: &Path, table: &str) -> Option<PathBuf> {
    let names = [format!("{table}-0000.parquet"), format!("{table}-0000.arrows")];
    names.iter().map(|name| directory.join(name)).find(|path| path.exists())
}

fn absent(diagnosis: &Diagnosis) -> usize {
    diagnosis.watched.iter().filter(|it| it.verdict == Verdict::Absent).count()
}

fn outcome(diagnosis: &Diagnosis, gate: &str) -> Outcome {
    Gate::parse(gate).expect("a gate").judge(diagnosis).outcome
}

/// Damages one table after the other of what `make` makes, in each way.
fn check_each(tables: &[&str], damages: &[Damage], make: &dyn Fn(&Path)) {
    for table in tables {
        for (how, damage) in damages {
            let parent = directory();
            let path = parent.path().join("rec");
            make(&path);
            damage(&part_of(&path, table).expect("a part of each table"));
            let diagnosis = diagnose_recording(&Recording::open(&path).expect("the rest"));
            assert_eq!(absent(&diagnosis), 0, "{table} {how}");
            assert_eq!(outcome(&diagnosis, "max>100s"), Outcome::Unknown, "{table} {how}");
            let text = report::terminal::render(&diagnosis, &report::Options::default());
            assert!(!text.contains("No fault struck"), "{table} {how}:\n{text}");
            assert!(!text.contains("Watched and not the cause"), "{table} {how}:\n{text}");
            assert!(!text.contains("never stopped"), "{table} {how}:\n{text}");
        }
    }
}

/// The tables of which a recording has rows.
fn with_rows(name: &str) -> Vec<&'static str> {
    let parent = directory();
    let path = parent.path().join("rec");
    write(&facts(name), &path, false);
    // A live segment is there only if it has a row.
    Table::all().iter().map(|it| it.name).filter(|it| part_of(&path, it).is_some()).collect()
}

#[test]
fn what_is_gone_of_a_recording_rules_nothing_out_and_passes_no_gate() {
    for name in ["gc-log-write-blocked.pipe-full", "late-java-thread"] {
        let (facts, tables) = (facts(name), with_rows(name));
        assert!(tables.len() >= 11, "{tables:?}");
        let parent = directory();
        let whole = parent.path().join("whole");
        write(&facts, &whole, true);
        let diagnosis = diagnose_recording(&Recording::open(&whole).expect("a recording"));
        assert_eq!(outcome(&diagnosis, "max>100s"), Outcome::Passed);
        assert!(absent(&diagnosis) > 0, "{name}");
        check_each(&tables, &DAMAGES, &|path| write(&facts, path, true));
    }
}

#[test]
fn what_is_gone_of_a_live_recording_is_reported_too() {
    let name = "late-java-thread";
    let facts = facts(name);
    // Nothing tells a changed byte of a live segment from what was written.
    check_each(&with_rows(name), &DAMAGES[..2], &|path| write(&facts, path, false));
}

/// Made before there was a manifest: what cannot be read is known, and what every sealed recording
/// has.
#[test]
fn what_is_gone_of_an_older_recording_is_reported_where_it_can_be_known() {
    let name = "cfs-throttling";
    let tables = ["safepoints", "slices", "threads", "stacks", "log_lines", "jvm", "coverage"];
    check_each(&tables, &DAMAGES, &|path| copy(&golden(name), path));
}

#[test]
fn a_table_that_had_no_row_is_not_missed() {
    let facts = Facts { writers: Vec::new(), ..facts("late-java-thread") };
    let parent = directory();
    let path = parent.path().join("rec");
    write(&facts, &path, true);
    let whole = diagnose_recording(&Recording::open(&path).expect("a recording"));
    fs::remove_file(path.join("writers-0000.parquet")).expect("it is there, and empty");
    let rest = diagnose_recording(&Recording::open(&path).expect("a recording"));
    assert_eq!((absent(&rest), rest.coverage), (absent(&whole), whole.coverage));
}

#[test]
fn the_exit_code_of_a_gate_that_would_pass_is_3_and_of_one_that_fails_1() {
    let parent = directory();
    let path = parent.path().join("rec");
    copy(&golden("cfs-throttling"), &path);
    let check = |gate: &str| run(&["check", &path.to_string_lossy(), "--fail-if", gate]);
    assert_eq!((check("max>10s").code, check("max>50ms").code), (0, 1));
    let slices = path.join("slices-0000.parquet");
    let bytes = fs::read(&slices).expect("a part");
    fs::write(&slices, &bytes[..bytes.len() - 1]).expect("writing");
    let ran = check("max>10s");
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("part of the recording is gone: slices:"), "{}", ran.stdout);
    assert_eq!(check("max>50ms").code, 1, "what is left makes it fail");
    let explained = run(&["explain", "--full", &path.to_string_lossy()]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    assert!(explained.stdout.contains("`slices-0000.parquet` is"), "{}", explained.stdout);
}

/// Rows up to the last batch are there, and the answer says that it was cut.
#[test]
fn a_recording_that_a_crash_left_is_used_up_to_its_torn_end() {
    let parent = directory();
    let path = parent.path().join("rec");
    let mut facts = facts("late-java-thread");
    let coverage = facts.coverage.as_mut().expect("coverage");
    // As it was in the middle of recording.
    coverage.end = String::new();
    coverage.notes.clear();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&facts).expect("writing");
    let last = Facts { slices: facts.slices[..10].to_vec(), ..Facts::default() };
    writer.write(&last).expect("writing");
    drop(writer);
    let segment = path.join("slices-0000.arrows");
    let bytes = fs::read(&segment).expect("a segment");
    fs::write(&segment, &bytes[..bytes.len() - 1]).expect("writing");
    let check = run(&["check", &path.to_string_lossy(), "--fail-if", "max>100s"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let said = run(&["explain", "--full", &path.to_string_lossy()]).stdout;
    // Wherever its lines end.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("cut off in the middle of a batch"), "{said}");
    assert!(said.contains("the recorder was killed"), "{said}");
    // Cut before its last word, it is short.
    fs::write(&segment, &bytes[..bytes.len() / 3]).expect("writing");
    let check = run(&["check", &path.to_string_lossy(), "--fail-if", "max>100s"]);
    assert_eq!(check.code, 3, "{}", check.stdout);
}
