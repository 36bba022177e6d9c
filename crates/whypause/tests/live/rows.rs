//! `watch --rows`: each pause of a real JVM is a row once, however the watch ends.
use crate::newest;
use arrow_array::{Int64Array, cast::AsArray, types::Int64Type};
use serde_json::Value;
use spawn::Running;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::Instant,
};
use table::Table;
use testing::{Disk, Java, Jdk, PATIENCE, until};

/// A JVM that stops some times a second.
fn pauser(jdk: &Jdk) -> Java {
    let mut command = jdk.java();
    command.args(["-Xmx256m", "-XX:+UseSerialGC"]).arg(testing::program("Pauser"));
    command.args(["300", "150"]);
    Java::start_by(command)
}

/// A watch that writes rows into this directory each second, and prints what is long enough.
fn watch(which: &[&str], directory: &Path) -> Running {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "--over", "1ms", "--json", "--rows-every", "1s", "--rows"]);
    command.arg(directory).args(which);
    Running::start_heard(command).unwrap()
}

fn said(watch: &Running) -> String {
    String::from_utf8_lossy(&watch.stderr()).into_owned()
}

/// Lengths in nanoseconds of the pauses that were printed, sorted.
fn printed(watch: &Running) -> Vec<i64> {
    let text = String::from_utf8_lossy(&watch.stdout()).into_owned();
    // The last line may be half there.
    let objects = text.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let pauses = objects.filter(|it| it["event"] == "pause");
    let mut lengths: Vec<i64> = pauses.filter_map(|it| it["duration_ns"].as_i64()).collect();
    lengths.sort_unstable();
    lengths
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(self::files(&path)),
            path => files.push(path),
        }
    }
    files
}

/// The files of one table. What is not whole has another name.
fn parts(directory: &Path, table: Table) -> Vec<PathBuf> {
    let mut parts = files(&directory.join(table.id()));
    parts.retain(|it| it.extension().is_some_and(|it| it == "parquet"));
    parts
}

/// A column of numbers of all rows of a table, sorted. Each file must be whole.
fn column(directory: &Path, table: Table, name: &str) -> Vec<i64> {
    let mut numbers = Vec::new();
    for path in parts(directory, table) {
        table::read_parquet(File::open(&path).unwrap(), &mut |of, rows| {
            assert_eq!(of, table);
            let column = rows.column_by_name(name).unwrap();
            let column: &Int64Array = column.as_primitive::<Int64Type>();
            numbers.extend(column.values());
            Ok(())
        })
        .unwrap();
    }
    numbers.sort_unstable();
    numbers
}

fn sum(directory: &Path, table: Table, name: &str) -> i64 {
    column(directory, table, name).iter().sum()
}

/// Those of them that are printed.
fn long(lengths: Vec<i64>) -> Vec<i64> {
    lengths.into_iter().filter(|it| *it >= 1_000_000).collect()
}

fn fleet(directory: &Path) -> Value {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["fleet", "--json"]).arg(directory);
    let output = spawn::run(command, PATIENCE).unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_watch_that_is_killed_leaves_what_was_complete_and_the_next_one_goes_on() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("rows");
    let pid = jvm.pid();
    let which = ["-p", &pid, "--host", "web-1", "--cluster", "eu", "--label", "rack=r7"];
    let begun = Instant::now();
    let mut first = watch(&which, &directory);
    until("some files are complete", || parts(&directory, Table::Pauses).len() >= 3);
    let before: i64 = sum(&directory, Table::Hours, "pauses");
    first.kill();
    let killed = begun.elapsed().as_nanos();
    let rows = column(&directory, Table::Pauses, "duration_ns");
    assert!(i64::try_from(rows.len()).unwrap() >= before && before > 0);
    // What was printed in the last seconds is missing: of what is there each is there once.
    let (all, mut seen) = (printed(&first), long(rows.clone()));
    assert!(all.len() >= seen.len(), "{all:?}\n{seen:?}");
    seen.retain(|it| all.binary_search(it).is_err());
    assert!(seen.is_empty(), "{seen:?} was not printed");
    let mut once = rows.clone();
    once.dedup();
    assert_eq!(once, rows);
    let covered = sum(&directory, Table::Hours, "covered_ns");
    assert!((1_000_000_000..=killed).contains(&u128::try_from(covered).unwrap()), "{covered}");
    assert_eq!(covered, sum(&directory, Table::Hours, "recorded_ns"));
    let place = format!("{}/pauses/date=", directory.display());
    for it in parts(&directory, Table::Pauses) {
        let path = it.display().to_string();
        assert!(path.starts_with(&place) && path.contains("/host=web-1/part-"), "{path}");
    }
    // The next one adds to them, and its end writes the rest.
    let mut second = watch(&which, &directory);
    until("it prints", || printed(&second).len() >= 5);
    second.terminate();
    assert!(second.wait(PATIENCE).unwrap().success());
    let again = column(&directory, Table::Pauses, "duration_ns");
    let mut of_second = long(again.clone());
    for it in long(rows) {
        of_second.remove(of_second.binary_search(&it).unwrap());
    }
    assert_eq!(of_second, printed(&second), "{}", said(&second));
    assert!(said(&second).contains("wrote rows of "), "{}", said(&second));
    let count = i64::try_from(again.len()).unwrap();
    let left = files(&directory).into_iter().filter(|it| it.extension().unwrap() != "parquet");
    assert_eq!(left.count(), 0);
    let totals = fleet(&directory)["totals"].clone();
    assert_eq!(totals["observed_ns"], sum(&directory, Table::Hours, "covered_ns"), "{totals}");
    assert_eq!((&totals["jvms"], &totals["unread"]), (&1.into(), &0.into()), "{totals}");
    // A kill between two files leaves a table without the rows of the other.
    let sums = sum(&directory, Table::Hours, "pauses");
    assert_eq!(totals["pauses"], sums, "{totals}");
    assert!((count - sums).unsigned_abs() <= 20, "{count} rows, {sums} in sums");
}

#[test]
fn fleet_counts_each_pause_of_a_watch_that_has_ended() {
    let Some(jdk) = newest() else { return };
    let (a, b) = (pauser(&jdk), pauser(&jdk));
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("rows");
    // Two at once, of one host.
    let mut watches = [&a, &b].map(|it| watch(&["-p", &it.pid(), "--host", "web-1"], &directory));
    for it in &watches {
        until("it prints", || printed(it).len() >= 8);
    }
    for it in &mut watches {
        it.terminate();
        assert!(it.wait(PATIENCE).unwrap().success());
    }
    let mut all: Vec<i64> = watches.iter().flat_map(printed).collect();
    all.sort_unstable();
    let rows = column(&directory, Table::Pauses, "duration_ns");
    assert_eq!(long(rows.clone()), all);
    let fleet = fleet(&directory);
    assert_eq!(fleet["totals"]["pauses"], rows.len(), "{}", fleet["totals"]);
    assert_eq!(fleet["totals"]["hosts"], 1, "{}", fleet["totals"]);
    // The same of the rows alone.
    fs::remove_dir_all(directory.join("hours")).unwrap();
    assert_eq!(self::fleet(&directory)["totals"]["pauses"], rows.len());
}

#[test]
fn a_watch_in_parts_and_one_without_rights_write_them_and_hide_the_host() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    for which in [&["--wait", "-p"][..], &["--without-ebpf", "-p"]] {
        let directory = memory.path().join(which[0]);
        let pid = jvm.pid();
        let which = [which, &[&pid, "--redact"]].concat();
        let mut watch = watch(&which, &directory);
        until("rows are written", || sum(&directory, Table::Hours, "pauses") > 3);
        watch.terminate();
        assert!(watch.wait(PATIENCE).unwrap().success());
        assert_eq!(long(column(&directory, Table::Pauses, "duration_ns")), printed(&watch));
        let path = parts(&directory, Table::Pauses).remove(0);
        assert!(path.display().to_string().contains("/host=host-1/"), "{}", path.display());
    }
}

#[test]
fn a_disk_that_stands_still_stops_neither_the_watch_nor_its_lines() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(64 << 20) else { return };
    let jvm = pauser(&jdk);
    let directory = disk.path().join("rows");
    let mut watch = watch(&["-p", &jvm.pid()], &directory);
    until("rows are written", || !parts(&directory, Table::Pauses).is_empty());
    let frozen = disk.freeze();
    let lines = printed(&watch).len();
    until("pauses are printed all the same", || printed(&watch).len() > lines + 10);
    watch.terminate();
    until("what could not be written is told", || said(&watch).contains("could not be written"));
    drop(frozen);
    assert!(watch.wait(PATIENCE).unwrap().success());
}
