//! What is written is what is read.
use super::*;

/// Writes the batches one by one and compares what is read, live and sealed.
fn check(batches: &[Facts], wanted: &Facts) {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    for batch in batches {
        writer.write(batch).expect("writing");
    }
    if batches.iter().any(|batch| batch.rows() > 0) {
        assert_eq!(&open(&path), wanted, "live");
    }
    let summary = writer.seal().expect("sealing");
    assert!(files(&path).iter().all(|name| name.ends_with("-0000.parquet")));
    assert_eq!(&open(&path), wanted, "sealed");
    assert_eq!(summary.bytes, Recording::open(&path).expect("a recording").bytes);
    assert_eq!((summary.lost_rows, &summary.unsealed), (0, &vec![]));
}

#[test]
fn every_table() {
    check(&[sample()], &sample());
}

#[test]
fn no_optional_value() {
    let jvm = JvmFact { gc_log_file: None, flags: vec![], ..jvm() };
    let coverage = Coverage { kernel_time: None, ..Coverage::default() };
    let facts = Facts { jvm: Some(jvm), coverage: Some(coverage), ..Facts::default() };
    check(std::slice::from_ref(&facts), &facts);
}

#[test]
fn nothing_at_all() {
    check(&[], &Facts::default());
    check(&[Facts::default()], &Facts::default());
}

#[test]
fn each_table_alone() {
    for table in Table::all() {
        let mut facts = sample();
        for other in Table::all().iter().filter(|it| it.name != table.name) {
            (other.keep_newest)(&mut facts, 0);
        }
        assert!(facts.rows() > 0 && facts.rows() == (table.rows)(&facts), "{}", table.name);
        check(std::slice::from_ref(&facts), &facts);
    }
}

#[test]
fn later_rows_replace_earlier_ones() {
    let mut later = sample();
    later.jvm.as_mut().expect("a JVM").version = "21".into();
    later.host.as_mut().expect("a host").cpus = 3;
    later.coverage.as_mut().expect("coverage").switches = 5;
    later.threads[0].name = "renamed".into();
    later.files[1].mapped = true;
    later.outputs[0].gc_log = false;
    let mut wanted = sample();
    wanted.append(later.clone());
    wanted.threads = later.threads.clone();
    wanted.files = later.files.clone();
    wanted.stacks = later.stacks.clone();
    wanted.outputs = later.outputs.clone();
    check(&[sample(), later], &wanted);
}

#[test]
fn many_rows_keep_their_order() {
    let mut facts = Facts::default();
    let row =
        |at: u64| Sample { at: MonoTime(at), counter: "disk.sdb1.write_ms".into(), value: at };
    facts.samples = (0..40_000).map(row).collect();
    check(std::slice::from_ref(&facts), &facts);
}

#[test]
fn texts_are_cut_at_256_kib_between_characters() {
    let line = |text: String| Facts {
        log_lines: vec![LogLine { read: MonoTime(1), offset: 0, text }],
        ..Facts::default()
    };
    let longest = "x".repeat(256 << 10);
    check(&[line(longest.clone())], &line(longest.clone()));
    check(&[line(longest.clone() + "y")], &line(longest));
    let odd = "x".to_owned() + &"ü".repeat(128 << 10);
    check(&[line(odd.clone())], &line(odd[..(256 << 10) - 1].to_owned()));
}

#[test]
fn a_batch_of_long_texts_is_written_in_pieces() {
    let text = "x".repeat(200 << 10);
    let line = |offset| LogLine { read: MonoTime(1), offset, text: text.clone() };
    let facts = Facts { log_lines: (0..50).map(line).collect(), ..Facts::default() };
    check(std::slice::from_ref(&facts), &facts);
}

/// A day's recording, of which no line of the log was read once.
#[test]
fn beside_the_stops_of_a_day_a_long_log_is_read_whole_and_in_its_order() {
    let (_parent, path) = place();
    let mut writer = Writer::create(&path, Limits::default()).expect("a new recording");
    let stop = |at: u64| SafepointFact {
        operations: Vec::new(),
        begin: MonoTime(at),
        end_probe: MonoTime(at + 1),
        ..sample().safepoints[0].clone()
    };
    let stops = (0..86_400).map(stop).collect();
    writer.write(&Facts { safepoints: stops, ..Facts::default() }).expect("writing");
    let text = |at: u64| format!("[{at}s][info][gc] GC({at}) Pause Young 1M->1M(1M) 1.0ms");
    let line = |at: u64| LogLine { read: MonoTime(at), offset: at * 50, text: text(at) };
    for part in 0..10 {
        let lines = (part * 50_000..(part + 1) * 50_000).map(line);
        let facts = Facts { log_lines: lines.collect(), ..Facts::default() };
        writer.write(&facts).expect("writing");
    }
    writer.seal().expect("sealing");
    let facts = open(&path);
    assert_eq!((facts.safepoints.len(), facts.log_line_count()), (86_400, 500_000));
    let mut at = 0;
    facts.each_log_line(|it| {
        assert_eq!(*it, line(at));
        at += 1;
    });
    assert_eq!(facts.coverage, None, "nothing was left out");
}

/// Earlier recorders kept whole command lines.
#[test]
fn of_a_recording_with_secrets_none_is_read() {
    let (_parent, path) = place();
    let mut facts = sample();
    let secret = "java -Ddb.password=hunter2 -XX:OnError=hunter2 Main --token hunter2";
    let jvm = facts.jvm.as_mut().expect("a JVM");
    jvm.command_line = secret.into();
    jvm.flags = vec!["-XX:OnError=hunter2".into(), "-Xmx1g".into()];
    facts.writers[0].command_line = secret.into();
    facts.memory[0].command_line = secret.into();
    facts.cpu_users[0].command_line = secret.into();
    facts.output_readers[0].command_line = secret.into();
    facts.log_lines[0].text = format!("[0.1s][info][arguments] java_command: {secret}");
    live(&path, &facts);
    let read = open(&path);
    assert!(!format!("{read:?}").contains("hunter2"), "{read:?}");
    let command_line = read.jvm.expect("a JVM").command_line;
    assert!(command_line.starts_with("java -Ddb.password=***"), "{command_line}");
}
