//! Recordings crafted to exhaust their reader: every checksum is right, and a few
//! kilobytes ask for gigabytes. Reading any input of at most 100 MB takes at most 256 MiB.
use crate::run::{PATIENCE, Ran, finished, whypause};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, ListArray, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
    builder::{ListBuilder, StringBuilder},
    types::Int32Type,
};
use arrow_schema::{Field, Schema};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, ZstdLevel},
    file::{metadata::KeyValue, properties::WriterProperties},
};
use recording::{
    Coverage, Facts, Interval, Limits, LogLine, MonoTime, SafepointFact, SafepointTotals, Source,
    SourceState, StackFact, ThreadFact, ThreadRole, ThreadSlice, ThreadState, VmOperationFact,
    Writer,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// What reading any of these may take.
const MOST_KIB: u64 = 256 * 1024;

/// Explains it in a process of its own; what it said, and the most memory that it had.
fn explain(path: &Path) -> (Ran, u64) {
    let command = whypause(&["explain", "--full", &path.to_string_lossy()]);
    let mut child = spawn::Running::start_heard(command).expect("it starts");
    let end = Instant::now() + PATIENCE;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.ended().expect("it is a child").is_none() && Instant::now() < end {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(kib.unwrap_or(0));
        thread::sleep(Duration::from_millis(1));
    }
    (finished(child), peak)
}

/// Explaining it takes no more than is allowed, and says that something was left out.
fn check(path: &Path, what: &str) {
    // On a busy host it may have ended before it was looked at.
    let (ran, peak) = (0..5).map(|_| explain(path)).find(|it| it.1 > 0).expect("it is seen");
    assert!(peak > 0 && peak < MOST_KIB, "{what}: {peak} KiB");
    let said = format!("{} KiB: {}{}", peak, ran.stdout, ran.stderr);
    assert!(!said.contains("No fault struck"), "{what}: {said}");
    for sign in ["left out", "damaged", "nothing readable"] {
        if said.contains(sign) {
            return;
        }
    }
    panic!("{what}: {said}");
}

const MARK: &[u8] = b"whypause-crc32:";

/// Makes the checksum right: it is taken with its own digits as zeros.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let mark = bytes.windows(MARK.len()).rposition(|it| it == MARK).expect("a mark");
    let digits = mark + MARK.len()..mark + MARK.len() + 8;
    let sum = format!("{:08x}", crc32fast::hash(&bytes));
    bytes[digits].copy_from_slice(sum.as_bytes());
    bytes
}

/// A sealed part with these columns, so often.
fn sealed(columns: Vec<(&str, ArrayRef)>, times: usize) -> Vec<u8> {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).expect("columns of one length");
    let entry = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(usize::MAX))
        .set_dictionary_page_size_limit(1 << 30)
        .set_data_page_size_limit(1 << 30)
        .set_data_page_row_count_limit(usize::MAX)
        .set_key_value_metadata(Some(vec![entry("whypause.crc32", "whypause-crc32:00000000")]))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).expect("a writer");
    for _ in 0..times {
        writer.write(&batch).expect("in memory");
    }
    writer.close().expect("in memory");
    with_checksum(bytes)
}

fn directory() -> (tempfile::TempDir, PathBuf) {
    let parent = tempfile::tempdir().expect("a directory");
    let path = parent.path().join("rec");
    (parent, path)
}

fn coverage() -> Coverage {
    let sources = [Source::SafepointProbes, Source::Scheduler, Source::GcLog];
    Coverage {
        sources: sources.map(|it| (it, SourceState::Recorded)).into_iter().collect(),
        end: "duration elapsed".into(),
        ..Coverage::default()
    }
}

/// A sealed recording with one stop, into which a part of another table is put.
fn with_part(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let (parent, path) = directory();
    let facts = Facts {
        safepoints: vec![safepoint(0, 1_000_000)],
        coverage: Some(coverage()),
        ..Facts::default()
    };
    write(&path, [facts]);
    fs::write(path.join(name), bytes).expect("writing");
    (parent, path)
}

pub(crate) fn write(path: &Path, batches: impl IntoIterator<Item = Facts>) {
    let mut writer = Writer::create(path, Limits::default()).expect("a new recording");
    batches.into_iter().for_each(|it| writer.write(&it).expect("writing"));
    writer.seal().expect("sealing");
}

pub(crate) fn safepoint(start: u64, end: u64) -> SafepointFact {
    let interval = Interval::new(MonoTime(start), MonoTime(end));
    SafepointFact {
        begin: interval.start,
        resumed: None,
        end_probe: interval.end,
        vm_tid: 7,
        operations: vec![VmOperationFact { name: "G1CollectForAllocation".into(), interval }],
        detailed: true,
        reaching: SafepointTotals::default(),
        operating: SafepointTotals::default(),
        cgroup_throttled: Duration::ZERO,
        cut: recording::Cut::WHOLE,
    }
}

fn slice(start: u64, end: u64) -> ThreadSlice {
    ThreadSlice {
        tid: 7,
        interval: Interval::new(MonoTime(start), MonoTime(end)),
        state: ThreadState::OnCpu,
        merged_wait: Duration::ZERO,
        entered: None,
        fd: None,
        file: None,
        fault_offset: None,
        stack: None,
        woken_by: None,
        released_by: None,
        cpu_holder: None,
        taken: Duration::ZERO,
        sampled: false,
        frozen: false,
    }
}

fn numbers(count: usize) -> ArrayRef {
    Arc::new(UInt64Array::from(vec![1; count]))
}

/// One text, `count` times, stored once.
fn repeated(text: String, count: usize) -> ArrayRef {
    let values: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let keys = Int32Array::from(vec![0; count]);
    Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).expect("one key"))
}

fn log_lines(text: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let count = text.len();
    vec![("read_ns", numbers(count)), ("offset_bytes", numbers(count)), ("text", text)]
}

#[test]
fn a_text_that_is_stored_once_and_repeated() {
    let part = sealed(log_lines(repeated("x".repeat(200 << 10), 5_000)), 1);
    assert!(part.len() < 8 << 10, "{} bytes for 1 GB", part.len());
    let (_parent, path) = with_part("log_lines-0000.parquet", &part);
    // It is packed again, and takes as little as in the file.
    let (ran, peak) = explain(&path);
    assert!(peak > 0 && peak < MOST_KIB, "{peak} KiB");
    assert!(ran.stdout.contains("1 stop"), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("left out"), "{}", ran.stdout);
}

#[test]
fn a_page_that_unpacks_to_a_hundred_megabytes() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(100 << 20)]));
    let part = sealed(log_lines(text), 1);
    assert!(part.len() < 64 << 10, "{} bytes", part.len());
    let (_parent, path) = with_part("log_lines-0000.parquet", &part);
    check(&path, "a page of 100 MiB");
}

/// Lists of nothing: an item is a bit in each of two columns of levels, which pack to nothing.
fn list_of_nothing(items: usize) -> ListArray {
    let mut list = ListBuilder::new(StringBuilder::new());
    (0..items).for_each(|_| list.values().append_null());
    list.append(true);
    list.finish()
}

#[test]
fn a_list_of_millions_that_takes_no_bytes() {
    let ids: ArrayRef = Arc::new(UInt32Array::from(vec![1]));
    let part = sealed(vec![("id", ids), ("frames", Arc::new(list_of_nothing(16 << 20)))], 1);
    assert!(part.len() < 8 << 10, "{} bytes", part.len());
    let (_parent, path) = with_part("stacks-0000.parquet", &part);
    check(&path, "a list of 16 million");
}

#[test]
fn a_list_that_repeats_a_text() {
    let text = repeated("x".repeat(100 << 10), 1 << 14);
    let field = Arc::new(Field::new_list_field(text.data_type().clone(), true));
    let offsets = list_of_nothing(1 << 14).offsets().clone();
    let list: ArrayRef = Arc::new(ListArray::new(field, offsets, text, None));
    let ids: ArrayRef = Arc::new(UInt32Array::from(vec![1]));
    let part = sealed(vec![("id", ids), ("frames", list)], 1);
    assert!(part.len() < 8 << 10, "{} bytes for 1.6 GB", part.len());
    let (_parent, path) = with_part("stacks-0000.parquet", &part);
    check(&path, "a list of 16,384 texts of 100 KiB");
}

#[test]
fn millions_of_rows_of_nothing() {
    let part = sealed(log_lines(repeated(String::new(), 1 << 20)), 8);
    assert!(part.len() < 512 << 10, "{} bytes", part.len());
    let (_parent, path) = with_part("log_lines-0000.parquet", &part);
    check(&path, "8 million empty lines");
}

/// A footer of 80 bytes that announces two thousand million row groups.
#[test]
fn a_list_in_a_footer_that_is_longer_than_the_file() {
    let mut bytes = b"PAR1".to_vec();
    // FileMetaData: version 1, schema of one empty group `r`, rows 0, row groups 2^31 - 1.
    bytes.extend([0x15, 0x02, 0x19, 0x1c, 0x48, 0x01, b'r', 0x00, 0x16, 0x00]);
    bytes.extend([0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07]);
    bytes.extend(MARK);
    bytes.extend(b"00000000");
    let footer = u32::try_from(bytes.len() - 4).expect("small");
    bytes.extend(footer.to_le_bytes());
    bytes.extend(b"PAR1");
    let (_parent, path) = with_part("log_lines-0000.parquet", &with_checksum(bytes));
    check(&path, "a footer that announces 2^31 row groups");
}

#[test]
fn a_live_segment_of_lists_of_nothing() {
    let (_parent, path) = directory();
    let stacks = vec![StackFact { id: 1, frames: vec![String::new(); 1 << 14] }; 400];
    let facts = Facts { stacks, coverage: Some(coverage()), ..Facts::default() };
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    writer.write(&facts).expect("writing");
    drop(writer);
    check(&path, "6.5 million empty functions");
}

/// Stops that all last as long as the recording, over slices of that time in two states by turns,
/// so that no two of them are one to any account.
fn check_stops_over_slices(stops: u64, slices: u64) {
    const LENGTH: u64 = 3_000;
    let (_parent, path) = directory();
    let safepoints = (0..stops).map(|it| safepoint(it, slices * LENGTH)).collect();
    let thread = ThreadFact {
        tid: 7,
        name: "VM Thread".into(),
        role: ThreadRole::VmThread,
        first_seen: MonoTime(0),
    };
    let first =
        Facts { safepoints, threads: vec![thread], coverage: Some(coverage()), ..Facts::default() };
    let by_turns = |it: u64| ThreadSlice {
        state: [ThreadState::OnCpu, ThreadState::Blocked][usize::from(it % 2 == 1)],
        ..slice(it * LENGTH, (it + 1) * LENGTH)
    };
    let batches = (0..slices).step_by(10_000).map(|from| Facts {
        slices: (from..slices.min(from + 10_000)).map(by_turns).collect(),
        ..Facts::default()
    });
    write(&path, std::iter::once(first).chain(batches));
    let (ran, peak) = explain(&path);
    assert!(peak > 0 && peak < MOST_KIB, "{stops} over {slices}: {peak} KiB: {}", ran.stdout);
}

#[test]
fn stops_that_overlap() {
    check_stops_over_slices(3_000, 3_000);
}

#[test]
fn stops_that_overlap_over_many_slices() {
    // As many as one account may have, and as many as are kept.
    for slices in [131_000, 800_000] {
        for stops in [1, 50] {
            check_stops_over_slices(stops, slices);
        }
    }
}

/// No attack: an hour of short stops with much detail, and at the end the one that matters.
#[test]
fn slices_of_the_longest_stop_survive_a_full_memory() {
    const STOPS: u64 = 1_500;
    const SLICES: u64 = 800;
    const LENGTH: u64 = 1_000_000;
    let (_parent, path) = directory();
    let at = |number: u64| number * 2_000_000_000;
    let longest = at(STOPS);
    let mut safepoints: Vec<_> =
        (0..STOPS).map(|it| safepoint(at(it), at(it) + SLICES * LENGTH / 100)).collect();
    safepoints.push(safepoint(longest, longest + SLICES * LENGTH));
    let thread = ThreadFact {
        tid: 7,
        name: "VM Thread".into(),
        role: ThreadRole::VmThread,
        first_seen: MonoTime(0),
    };
    let first =
        Facts { safepoints, threads: vec![thread], coverage: Some(coverage()), ..Facts::default() };
    let of_stop = |number: u64| {
        let length = if number == STOPS { LENGTH } else { LENGTH / 100 };
        let slices = (0..SLICES).map(move |it| ThreadSlice {
            state: [ThreadState::OnCpu, ThreadState::Runnable][usize::from(it % 2 == 1)],
            ..slice(at(number) + it * length, at(number) + (it + 1) * length)
        });
        Facts { slices: slices.collect(), ..Facts::default() }
    };
    write(&path, std::iter::once(first).chain((0..=STOPS).map(of_stop)));
    let (ran, peak) = explain(&path);
    let reported = "slices: left out for want of memory: those of stops up to 8.0 ms";
    assert!(ran.stdout.contains(reported), "{}", ran.stdout);
    let json = crate::run::run(&["explain", "--format", "json", &path.to_string_lossy()]);
    let answer: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let pause = &answer["longest"][0];
    assert_eq!(pause["duration_ns"], SLICES * LENGTH, "{pause}");
    assert_eq!(pause["unattributed_ns"], 0, "{pause}");
    assert_eq!(pause["parts"][0]["certainty"], "measured", "{pause}");
    assert!(peak < MOST_KIB, "{peak} KiB");
}

/// What a JVM of today writes with `-Xlog:gc*,safepoint` about one young collection of 9 ms.
const COLLECTION: [&str; 12] = [
    "[info][gc,start    ] GC(#) Pause Young (Normal) (G1 Evacuation Pause)",
    "[info][gc,task     ] GC(#) Using 2 workers of 2 for evacuation",
    "[info][gc,phases   ] GC(#)   Pre Evacuate Collection Set: 0.1ms",
    "[info][gc,phases   ] GC(#)   Evacuate Collection Set: 8.4ms",
    "[info][gc,phases   ] GC(#)   Post Evacuate Collection Set: 0.3ms",
    "[info][gc,phases   ] GC(#)   Other: 0.2ms",
    "[info][gc,heap     ] GC(#) Eden regions: 150->0(150)",
    "[info][gc,heap     ] GC(#) Old regions: 20->20",
    "[info][gc,metaspace] GC(#) Metaspace: 110K(320K)->110K(320K)",
    "[info][gc          ] GC(#) Pause Young (Normal) (G1 Evacuation Pause) 170M->20M(256M) 9.000ms",
    "[info][gc,cpu      ] GC(#) User=0.01s Sys=0.00s Real=0.01s",
    "[info][safepoint   ] Safepoint \"G1CollectForAllocation\", Time since last: 990000000 ns, Reaching safepoint: 100000 ns, At safepoint: 9900000 ns, Total: 10000000 ns",
];

/// No attack: the stops of a day, one each second, none of them long, as a JVM has them: with a
/// collection in its log. All are reported, and no line of the log is left out.
#[test]
fn the_stops_of_a_day_fit() {
    const MS: u64 = 1_000_000;
    let (_parent, path) = directory();
    let at = |stop: u64| stop * 1000 * MS;
    let vm_thread = ThreadFact {
        tid: 7,
        name: "VM Thread".into(),
        role: ThreadRole::VmThread,
        first_seen: MonoTime(0),
    };
    let first = Facts { threads: vec![vm_thread], coverage: Some(coverage()), ..Facts::default() };
    let totals =
        |ns| SafepointTotals { on_cpu: Duration::from_nanos(ns), ..SafepointTotals::default() };
    let of_stop = |stop: u64, facts: &mut Facts| {
        let (from, to) = (at(stop), at(stop) + 10 * MS);
        let (reaching, operating) = (totals(MS), totals(9 * MS));
        facts.safepoints.push(SafepointFact {
            detailed: false,
            reaching,
            operating,
            ..safepoint(from, to)
        });
        let seconds = Duration::from_nanos(to).as_secs_f64();
        let lines = COLLECTION.map(|it| {
            let text = format!("[{seconds:.3}s]{}", it.replace('#', &stop.to_string()));
            LogLine { read: MonoTime(to), offset: 0, text }
        });
        facts.log_lines.extend(lines);
    };
    let hour = |it: u64| {
        let mut facts = Facts::default();
        (it * 3600..(it + 1) * 3600).for_each(|stop| of_stop(stop, &mut facts));
        facts
    };
    write(&path, std::iter::once(first).chain((0..24).map(hour)));
    let (ran, peak) = explain(&path);
    assert!(peak < MOST_KIB / 2, "{peak} KiB");
    assert!(ran.stdout.contains("86,400 stops"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("left out"), "{}", ran.stdout);
}

/// A recording of 200,000 stops.
pub(crate) fn many_stops() -> (tempfile::TempDir, PathBuf) {
    let (parent, path) = directory();
    let batch = |n: u64| Facts {
        safepoints: (0..40_000)
            .map(|it| safepoint((n * 40_000 + it) * 10, (n * 40_000 + it) * 10 + 9))
            .collect(),
        ..Facts::default()
    };
    let first = Facts { coverage: Some(coverage()), ..Facts::default() };
    write(&path, std::iter::once(first).chain((0..5).map(batch)));
    (parent, path)
}

#[test]
fn more_stops_than_memory_holds() {
    let (_parent, path) = many_stops();
    check(&path, "200,000 stops");
}

#[test]
fn more_slices_than_memory_holds() {
    let (_parent, path) = directory();
    let batch = |n: u64| Facts {
        slices: (0..50_000).map(|it| slice(n * 50_000 + it, n * 50_000 + it + 1)).collect(),
        ..Facts::default()
    };
    let first = Facts {
        safepoints: vec![safepoint(0, 2_000_000)],
        coverage: Some(coverage()),
        ..Facts::default()
    };
    write(&path, std::iter::once(first).chain((0..40).map(batch)));
    check(&path, "2 million slices");
}

/// Lines that each report a pause of their own.
#[test]
fn more_pauses_in_a_log_than_memory_holds() {
    let (_parent, path) = directory();
    let line = |it: u64| LogLine {
        read: MonoTime(it),
        offset: it,
        text: format!("[{it}.0s][info][gc] GC({it}) Pause Young 1M->1M(1M) 1ms"),
    };
    let batch = |n: u64| Facts {
        log_lines: (n * 50_000..(n + 1) * 50_000).map(line).collect(),
        ..Facts::default()
    };
    let first = Facts { coverage: Some(coverage()), ..Facts::default() };
    write(&path, std::iter::once(first).chain((0..20).map(batch)));
    check(&path, "a million pauses in the log");
}

/// However many parts are bad, little is said of them, and soon.
#[test]
fn forty_thousand_bad_parts() {
    let (_parent, path) = with_part("threads-0001.parquet", b"no part");
    for number in 2..40_000 {
        fs::write(path.join(format!("threads-{number:04}.parquet")), b"no part").expect("writing");
    }
    let (ran, peak) = explain(&path);
    assert!(peak < MOST_KIB, "{peak} KiB");
    assert!(ran.stdout.len() < 16 << 10, "{} bytes", ran.stdout.len());
    let json = crate::run::run(&["explain", "--format", "json", &path.to_string_lossy()]);
    let answer: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let notes = answer["coverage"]["notes"].as_array().expect("notes");
    assert!(notes.len() < 100, "{} notes", notes.len());
    let counts = notes.iter().map(|it| it["count"].as_u64().expect("a count"));
    assert_eq!(counts.sum::<u64>(), 39_999, "each is counted");
}
