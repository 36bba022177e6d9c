//! What holds of a directory of kept recordings, through its public functions.
use super::*;
use crate::{
    Limits, Recording, Writer,
    tests::{place, sample},
};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    time::SystemTime,
};

const LIMITS: KeptLimits =
    KeptLimits { bytes: 64 << 20, age: Duration::from_secs(24 * 3600), an_hour: 2 };

/// A pause of now, and these many milliseconds earlier.
fn pause(ms: u64, earlier_ms: i64) -> Kept {
    let now = Timestamp::now().as_millisecond() / 3_600_000 * 3_600_000;
    Kept {
        jvm: "orders.jar".into(),
        kind: KeptKind::Pause,
        at: Timestamp::from_millisecond(now - earlier_ms).expect("a time"),
        length: Duration::from_millis(ms),
        cause: "gc-work".into(),
        bytes: 0,
    }
}

/// The lengths of what is kept in a directory, by time.
fn lengths(path: &Path) -> Vec<u128> {
    kept_in(path).unwrap_or_default().iter().map(|(_, it)| it.length.as_millis()).collect()
}

/// All names of directories below one, sorted.
fn all_names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).expect("a directory");
    let mut names: Vec<_> = entries
        .map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_name_has_all_that_is_decided_by() {
    let at = Timestamp::from_millisecond(1_800_000_180_007).expect("a time");
    let length = Duration::from_millis(1900);
    let it = Kept { at, length, cause: "gc-log-write-blocked".into(), ..pause(0, 0) };
    assert_eq!(it.name(), "20270115T080300.007Z_1900ms_pause_gc-log-write-blocked");
    assert_eq!(Kept::named("orders.jar", &it.name(), 0), Some(it));
    let others = [
        "lost+found",
        "20270115T080300.007Z_1900ms_pause_",
        "20270115T080300.007Z_1900ms_pause_../etc",
        "20270115T080300.007Z_1900ms_gc-work",
        "20270115T080300.007Z_1900ms_hiccup_gc-work",
        "20270115T080300.007Z_01900ms_pause_gc-work",
        "20270115T080300.7Z_1900ms_pause_gc-work",
        "20271315T080300.007Z_1900ms_pause_gc-work",
        ".new-20270115T080300.007Z_1900ms_pause_gc-work",
    ];
    for name in others {
        assert_eq!(Kept::named("orders.jar", name, 0), None, "{name}");
    }
}

#[test]
fn no_jvm_chooses_where_something_is_written() {
    let check = |main: &str, expected: &str| assert_eq!(directory_of(main), expected);
    check("kafka.Kafka", "kafka.Kafka");
    check("my app.jar", "my_app.jar");
    check("", "jvm");
    check("..", "jvm");
    check("../../etc/cron.d", "_.._etc_cron.d");
    check(".new-x", "new-x");
    check("-rf", "rf");
    check("Ü\n\u{202e}x", "___x");
    let long = format!("{}.Main", "a".repeat(300));
    assert_eq!(directory_of(&long).len(), 80);
    assert!(directory_of(&long).ends_with(".Main"));
}

#[test]
fn what_is_kept_is_a_sealed_recording_and_can_be_listed() {
    let (_parent, path) = place();
    let mut store = KeptStore::open(&path, LIMITS).expect("a store");
    assert_eq!(kept_in(&path), None);
    let written = store.keep(&pause(200, 0), &sample()).expect("kept");
    assert_eq!(written, pause(200, 0).path(&path));
    let opened = Recording::open(&written).expect("a recording").facts;
    assert_eq!(opened.safepoints, sample().safepoints);
    assert!(all_names(&written).iter().all(|it| it.ends_with(".parquet")));
    let mode = |it: &Path| it.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&written)), (0o700, 0o700));
    let of_jvm = kept_in(&path.join("orders.jar")).expect("those of the JVM");
    assert_eq!(Some(of_jvm), kept_in(&path));
}

#[test]
fn the_shortest_goes_for_a_longer_one_and_a_shorter_one_is_not_wanted() {
    let (_parent, path) = place();
    let mut store = KeptStore::open(&path, LIMITS).expect("a store");
    for (ms, before) in [(200, 3), (300, 2)] {
        assert!(store.would_keep(&pause(ms, before)));
        store.keep(&pause(ms, before), &sample()).expect("kept");
    }
    assert!(!store.would_keep(&pause(199, 1)));
    assert!(store.would_keep(&pause(250, 1)));
    store.keep(&pause(250, 1), &sample()).expect("kept");
    assert_eq!(lengths(&path), [300, 250]);
    // Another process that begins with other limits, on the same directory.
    let limits = KeptLimits { an_hour: 1, ..LIMITS };
    KeptStore::open(&path, limits).expect("a store");
    assert_eq!(lengths(&path), [300]);
}

#[test]
fn with_what_is_being_written_there_is_never_more_than_the_limit() {
    let (_parent, path) = place();
    let limits = KeptLimits { bytes: KeptStore::LEAST_BYTES, an_hour: 1000, ..LIMITS };
    let mut store = KeptStore::open(&path, limits).expect("a store");
    let mut facts = sample();
    let sample = facts.samples.first().expect("a sample").clone();
    // What does not pack well, so that few make many bytes.
    facts.samples = (0..16_000_u64)
        .map(|n| crate::Sample {
            counter: format!("{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            ..sample.clone()
        })
        .collect();
    let all = |path: &Path| {
        let kept = kept_in(path).unwrap_or_default();
        kept.iter().map(|(_, it)| it.bytes).sum::<u64>()
    };
    let mut most = 0;
    for n in 0..90 {
        store.keep(&pause(100 + n, i64::try_from(n).expect("few")), &facts).expect("kept");
        most = most.max(all(&path));
        assert!(all(&path) <= limits.bytes, "{} of {}", all(&path), limits.bytes);
    }
    assert!(most > limits.bytes / 2, "the limit was never near: {most}");
    assert!(lengths(&path).contains(&189), "the longest stays");
    assert!(!lengths(&path).contains(&100), "the shortest went");
}

#[test]
fn what_a_killed_process_left_goes_and_what_is_being_written_stays() {
    let (_parent, path) = place();
    let mut store = KeptStore::open(&path, LIMITS).expect("a store");
    store.keep(&pause(200, 0), &sample()).expect("kept");
    let of_jvm = path.join("orders.jar");
    let limits = Limits::default();
    let old = SystemTime::now() - Duration::from_secs(120);
    let make_old = |it: &Path| fs::File::open(it).and_then(|it| it.set_modified(old)).expect("old");
    let left = |name: &str| {
        let mut writer = Writer::create_new(&of_jvm, name, limits).expect("a recording");
        writer.write(&sample()).expect("written");
        writer
    };
    drop(left(".new-killed"));
    drop(left(".new-young"));
    drop(left(".gone-killed"));
    let being_written = left(".new-written");
    for name in [".new-killed", ".gone-killed", ".new-written"] {
        make_old(&of_jvm.join(name));
    }
    KeptStore::open(&path, LIMITS).expect("a store");
    assert_eq!(all_names(&of_jvm), [".new-written", ".new-young", &pause(200, 0).name()]);
    drop(being_written);
}

#[test]
fn what_people_put_beside_it_stays() {
    let (_parent, path) = place();
    let limits = KeptLimits { age: Duration::ZERO, ..LIMITS };
    let mut store = KeptStore::open(&path, LIMITS).expect("a store");
    let written = store.keep(&pause(200, 5000), &sample()).expect("kept");
    fs::write(path.join("notes.txt"), "").expect("written");
    fs::create_dir_all(path.join("orders.jar/incident-17")).expect("made");
    fs::create_dir(written.join("mine")).expect("made");
    // A link that was planted leads nowhere.
    symlink("/etc", path.join("link")).expect("a link");
    assert!(KeptStore::open(&path, limits).is_err(), "it says that something is in the way");
    assert_eq!(lengths(&path), Vec::<u128>::new());
    assert_eq!(all_names(&path), ["link", "notes.txt", "orders.jar"]);
    let left = all_names(&path.join("orders.jar"));
    assert_eq!(left, [format!(".gone-{}", pause(200, 5000).name()), "incident-17".into()]);
}

#[test]
fn where_another_user_could_plant_something_nothing_is_kept() {
    let (_parent, path) = place();
    fs::create_dir(&path).expect("made");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).expect("opened");
    let refused = KeptStore::open(&path, LIMITS).expect_err("refused").to_string();
    assert!(refused.contains("others may write to it"), "{refused}");
    let (_parent, path) = place();
    symlink("/tmp", &path).expect("a link");
    assert!(KeptStore::open(&path, LIMITS).is_err());
    let missing = KeptStore::open(&path.join("a/b"), LIMITS).expect_err("no such directory");
    assert!(missing.to_string().contains("no such directory"), "{missing}");
}
