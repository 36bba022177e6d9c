//! When rows are written, and what becomes of those that cannot be.
use super::*;
use crate::args::Colour;
use std::fs;

fn start(directory: &Path, every: Duration, stopped: &Stopped) -> RowWriter {
    let limits =
        PartitionLimits { bytes: PartitionStore::LEAST_BYTES, age: Duration::from_secs(86_400) };
    let store = PartitionStore::open(&directory.join("rows"), TABLES, "web-1", limits).unwrap();
    let origin = Origin { host: "web-1".into(), ..Origin::default() };
    RowWriter::start(store, origin, every, stopped, Console::new(Colour::Never)).unwrap()
}

/// Where it is said that rows are.
fn place(directory: &tempfile::TempDir) -> String {
    directory.path().join("rows").display().to_string()
}

fn row() -> PauseRow {
    PauseRow {
        start_ns: Some(wall_ns()),
        zone_known: true,
        duration_ns: 1_000_000,
        kind: "safepoint",
        operation: "Cleanup".into(),
        gc_id: None,
        gc_cause: None,
        reaching_ns: 0,
        collection_ns: None,
        cut: false,
        detailed: false,
        parts: Vec::new(),
        unexplained_ns: 1_000_000,
        symptom: None,
        culprit: None,
        file: None,
        device: None,
    }
}

/// Hands over this many pauses, of which the last is seen to have been the last until now.
fn add(rows: &Rows, pauses: usize, sees_stops: Option<bool>) {
    let news = News {
        who: Who::watched(&rows.shared.origin, &rows.name, &Facts::default()),
        pauses: vec![row(); pauses],
        stalls: Vec::new(),
        sees_stops,
        at: recorder::now(),
    };
    rows.shared.state().add(rows.id, news);
}

/// What all files of this table come to: pauses, and the time that was observed.
fn sums(directory: &Path, table: Table) -> (u64, u64) {
    let mut sums = (0, 0);
    let pattern = directory.join("rows").join(table.id());
    for day in fs::read_dir(pattern).into_iter().flatten() {
        let host = day.unwrap().path().join("host=web-1");
        for part in fs::read_dir(host).into_iter().flatten() {
            let path = part.unwrap().path();
            if path.extension().is_some_and(|it| it == "parquet") {
                table::read_parquet(fs::File::open(path).unwrap(), &mut |table, rows| {
                    table::hours_of(table, rows, None, &mut |it| {
                        sums = (sums.0 + it.pauses, sums.1 + it.covered_ns);
                    })
                })
                .unwrap();
            }
        }
    }
    sums
}

#[test]
fn nothing_is_written_while_a_jvm_is_stopped_and_each_pause_is_written_once() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_millis(20), &stopped);
    let (rows, mut stops) = (writer.of("orders.jar (pid 7)"), stopped.of_one());
    stops.set(true);
    add(&rows, 3, Some(true));
    thread::sleep(3 * POLL_INTERVAL);
    assert_eq!(sums(directory.path(), Table::Hours).0, 0);
    stops.set(false);
    testing::until("they are written", || sums(directory.path(), Table::Hours).0 == 3);
    add(&rows, 4, Some(true));
    testing::until("the next are", || sums(directory.path(), Table::Pauses).0 == 7);
    drop(rows);
    let expected = format!("wrote rows of 7 pauses and 0 stalls to {}", place(&directory));
    assert_eq!(writer.finish(), Some(expected));
    assert_eq!(sums(directory.path(), Table::Hours).0, 7);
}

#[test]
fn the_end_of_a_watch_writes_what_waits_also_while_a_jvm_is_stopped() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_secs(3600), &stopped);
    let mut stops = stopped.of_one();
    stops.set(true);
    let (a, b) = (writer.of("orders.jar (pid 7)"), writer.of("billing.jar (pid 8)"));
    add(&a, 1, Some(true));
    add(&b, 1, Some(true));
    drop(a);
    let expected = format!("wrote rows of 2 pauses and 0 stalls to {}", place(&directory));
    assert_eq!(writer.finish(), Some(expected));
    let both = [Table::Pauses, Table::Hours].map(|it| sums(directory.path(), it).0);
    assert_eq!(both, [2, 2]);
}

#[test]
fn time_is_observed_once_however_often_files_are_made_and_only_where_stops_are_seen() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_millis(10), &stopped);
    let begun = Instant::now();
    let seen = writer.of("seen (pid 7)");
    let unseen = writer.of("unseen (pid 8)");
    for _ in 0..20 {
        thread::sleep(Duration::from_millis(15));
        add(&seen, 0, Some(true));
        add(&unseen, 0, Some(false));
    }
    drop((seen, unseen));
    let most = begun.elapsed().as_nanos();
    assert_eq!(writer.finish(), None);
    let (_, covered) = sums(directory.path(), Table::Hours);
    assert!((300_000_000..=most).contains(&u128::from(covered)), "{covered} of {most}");
}

#[test]
fn a_day_that_ends_is_due_at_once() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_secs(3600), &stopped);
    let yesterday = date_of(Timestamp::now()).yesterday().unwrap();
    assert!(!writer.shared.wait_until_due(yesterday));
    assert_eq!(date(20_833).to_string(), "2027-01-15");
}

#[test]
fn what_there_is_no_memory_for_is_counted_and_in_the_sums() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_secs(3600), &stopped);
    let rows = writer.of("orders.jar (pid 7)");
    let mut stops = stopped.of_one();
    stops.set(true);
    writer.shared.state().waiting.bytes = MOST_BYTES - 1;
    add(&rows, 3, None);
    let state = writer.shared.state();
    assert_eq!((state.waiting.rows, state.left_out), (1, 2));
    drop(state);
    let place = place(&directory);
    let expected =
        format!("wrote rows of 1 pause and 0 stalls to {place}; 2 rows could not be written");
    assert_eq!(writer.finish(), Some(expected));
    assert_eq!(sums(directory.path(), Table::Hours).0, 3);
}

#[test]
fn what_could_not_be_written_is_written_with_the_next_files() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_millis(20), &stopped);
    let in_the_way = directory.path().join("rows/pauses");
    fs::write(&in_the_way, "").unwrap();
    let rows = writer.of("orders.jar (pid 7)");
    add(&rows, 2, Some(true));
    testing::until("it has failed", || writer.shared.state().backlog_rows == 2);
    thread::sleep(Duration::from_millis(100));
    fs::remove_file(&in_the_way).unwrap();
    testing::until("it is written", || sums(directory.path(), Table::Pauses).0 == 2);
    drop(rows);
    let expected = format!("wrote rows of 2 pauses and 0 stalls to {}", place(&directory));
    assert_eq!(writer.finish(), Some(expected));
    assert_eq!(sums(directory.path(), Table::Hours).0, 2);
}

#[test]
fn where_too_much_waits_for_the_disk_sums_stay_longest() {
    let (directory, stopped) = (tempfile::tempdir().unwrap(), Stopped::default());
    let writer = start(directory.path(), Duration::from_secs(3600), &stopped);
    let file = |table, bytes| {
        let file = Partition { table, day: 0, rows: 1, bytes: vec![0; bytes] };
        (Timestamp::now(), file)
    };
    let tables = |it: &VecDeque<(Timestamp, Partition)>| -> Vec<Table> {
        it.iter().map(|it| it.1.table).collect()
    };
    let half = MOST_FILE_BYTES / 2;
    let mut backlog = VecDeque::from([file(Table::Hours, half), file(Table::Pauses, half)]);
    writer.shared.state().backlog_rows = 1;
    writer.shared.bound(&mut backlog);
    assert_eq!(tables(&backlog), [Table::Hours, Table::Pauses]);
    backlog.push_back(file(Table::Hours, 1));
    writer.shared.bound(&mut backlog);
    assert_eq!(tables(&backlog), [Table::Hours, Table::Hours]);
    let state = writer.shared.state();
    assert_eq!((state.backlog_rows, state.left_out), (0, 1));
}
