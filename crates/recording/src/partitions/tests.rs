//! What holds of a directory of partitions, through its public functions.
use super::*;
use crate::tests::place;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

const TABLES: &[&str] = &["pauses", "hours"];
const LIMITS: PartitionLimits =
    PartitionLimits { bytes: 16 << 20, age: Duration::from_secs(30 * 86_400) };
const DAY: Date = jiff::civil::date(2026, 11, 30);

fn open(path: &Path, host: &str) -> PartitionStore {
    PartitionStore::open(path, TABLES, host, LIMITS).expect("a store")
}

/// A file of Parquet, as far as this can tell.
fn file(bytes: usize) -> Vec<u8> {
    let mut file = vec![b'x'; bytes];
    file.splice(..4, *MAGIC);
    file.splice(bytes - 4.., *MAGIC);
    file
}

/// A moment of some days ago.
fn ago(days: u64) -> Timestamp {
    Timestamp::now().checked_sub(Duration::from_secs(days * 86_400)).expect("a time")
}

fn add(store: &mut PartitionStore, at: Timestamp, bytes: usize) -> PathBuf {
    store.add("pauses", DAY, at, &file(bytes)).expect("written")
}

/// All files below a directory, hidden ones too.
fn all(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).expect("a directory") {
        let entry = entry.expect("an entry");
        match entry.file_type().expect("a type").is_dir() {
            true => names.extend(all(&entry.path())),
            false => names.push(entry.file_name().to_string_lossy().into_owned()),
        }
    }
    names.sort();
    names
}

#[test]
fn a_file_is_in_the_partition_of_its_table_day_and_host() {
    let (_parent, path) = place();
    let at = Timestamp::from_millisecond(1_800_000_180_007).expect("a time");
    let limits = PartitionLimits { age: Duration::from_secs(86_400 * 365_000), ..LIMITS };
    let mut store = PartitionStore::open(&path, TABLES, "web-1", limits).expect("a store");
    let written = store.add("pauses", DAY, at, &file(100)).expect("written");
    let name = format!("part-20270115T080300.007Z-{}-1.parquet", std::process::id());
    assert_eq!(written, path.join("pauses/date=2026-11-30/host=web-1").join(&name));
    assert_eq!(fs::read(&written).expect("it is there"), file(100));
    let mode = |it: &Path| it.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&written), mode(written.parent().expect("in one"))), (0o600, 0o700));
    assert_eq!((mode(&path), all(&path)), (0o700, vec![name.clone()]));
    let part = PartName::of(&name).expect("a name");
    assert_eq!((part.at, part.count), (at, 1));
    assert_eq!(PartName::of_unfinished(&part.unfinished()), Some(part));
    for other in ["part-0.parquet", "part-20270115T080300.7Z-4-1.parquet", "x.parquet", ""] {
        assert_eq!(PartName::of(other), None, "{other}");
    }
}

#[test]
fn no_host_chooses_where_something_is_written() {
    let check = |text: &str, expected: &str| assert_eq!(partition_value(text), expected);
    check("web-1.example.org", "web-1.example.org");
    check("../../etc", "..%2F..%2Fetc");
    check("a b\n=%", "a%20b%0A%3D%25");
    check("é", "%C3%A9");
    check("", "__HIVE_DEFAULT_PARTITION__");
    assert_eq!(partition_value(&"x".repeat(200)), "x".repeat(200));
    let long = partition_value(&"x".repeat(201));
    assert!(long.starts_with(&"x".repeat(200)) && long.len() == 209, "{long}");
    assert_ne!(long, partition_value(&"x".repeat(202)));
    // No digit is cut off.
    for before in 0..3 {
        let long = partition_value(&format!("{}{}", "x".repeat(before), "é".repeat(100)));
        let (value, _) = long.rsplit_once('-').expect("a checksum");
        assert_eq!((value.len() - before) % 3, 0, "{long}");
    }
    let (_parent, path) = place();
    let written = add(&mut open(&path, "../../../../tmp/x"), ago(0), 100);
    assert!(written.starts_with(path.join("pauses/date=2026-11-30")), "{}", written.display());
    assert_eq!(written.components().count(), path.components().count() + 4);
}

#[test]
fn writers_of_one_moment_do_not_meet() {
    let (_parent, path) = place();
    let now = ago(0);
    let (mut a, mut b) = (open(&path, "a"), open(&path, "a"));
    // Both are this process, and count from one.
    for _ in 0..3 {
        add(&mut a, now, 100);
        add(&mut b, now, 200);
    }
    assert_eq!(all(&path).len(), 6);
    assert!(all(&path).iter().all(|it| PartName::of(it).is_some()));
}

#[test]
fn the_oldest_of_this_host_go_for_new_ones_and_those_of_others_stay() {
    let (_parent, path) = place();
    let other = add(&mut open(&path, "b"), ago(20), 12 << 20);
    let mut store = open(&path, "a");
    let oldest = add(&mut store, ago(4), 4 << 20);
    let older = add(&mut store, ago(3), 8 << 20);
    // To the byte: what they take on the disk is the limit.
    let exact = add(&mut store, ago(2), 4 << 20);
    assert!(oldest.is_file() && older.is_file() && exact.is_file());
    let one_more = add(&mut store, ago(1), 100);
    assert_eq!(
        [&oldest, &older, &exact, &one_more, &other].map(|it| it.is_file()),
        [false, true, true, true, true]
    );
    let too_large = store.add("pauses", DAY, ago(0), &file((16 << 20) + 1));
    assert!(too_large.is_err() && exact.is_file());
    // Another process that begins with other limits.
    let limits = PartitionLimits { bytes: 5 << 20, ..LIMITS };
    PartitionStore::open(&path, TABLES, "a", limits).expect("a store");
    assert_eq!([&older, &exact, &one_more].map(|it| it.is_file()), [false, true, true]);
}

#[test]
fn what_is_too_old_goes_with_the_directories_that_are_empty_then() {
    let (_parent, path) = place();
    let mut store = open(&path, "a");
    let old = store.add("hours", DAY, ago(9), &file(100)).expect("written");
    let young = add(&mut store, ago(7), 100);
    let limits = PartitionLimits { age: Duration::from_secs(8 * 86_400), ..LIMITS };
    PartitionStore::open(&path, TABLES, "a", limits).expect("a store");
    assert!(young.is_file() && !old.exists());
    assert!(!path.join("hours/date=2026-11-30").exists() && path.join("hours").is_dir());
    // What was removed by a writer is made again by another one.
    assert!(store.add("hours", DAY, ago(0), &file(100)).expect("written").is_file());
}

#[test]
fn what_a_killed_writer_left_goes_and_what_is_being_written_stays() {
    let (_parent, path) = place();
    let whole = add(&mut open(&path, "a"), ago(0), 100);
    let of_host = whole.parent().expect("in one");
    let at = ago(1);
    let name = |count| PartName { at, pid: 7, count }.unfinished();
    for count in 1..=2 {
        fs::write(of_host.join(name(count)), "half").expect("written");
    }
    let written = File::open(of_host.join(name(2))).expect("it is there");
    assert_eq!(Directory::lock_file(&written), Some(true));
    fs::write(of_host.join(".part-mine.new"), "").expect("written");
    // Links and directories of such names are none of ours.
    fs::write(path.join("target"), "").expect("written");
    symlink(path.join("target"), of_host.join(name(3))).expect("a link");
    fs::create_dir(of_host.join(name(4))).expect("a directory");
    let of_other = of_host.with_file_name("host=b");
    fs::create_dir(&of_other).expect("made");
    fs::write(of_other.join(name(1)), "half").expect("written");
    open(&path, "a");
    assert!(!of_host.join(name(1)).exists(), "it is of no process that lives");
    assert!(of_host.join(name(2)).exists(), "it is being written");
    assert!(of_host.join(".part-mine.new").exists() && path.join("target").exists());
    assert!(of_host.join(name(3)).is_symlink() && of_host.join(name(4)).is_dir());
    assert!(of_other.join(name(1)).exists(), "it is of another host");
    drop(written);
    open(&path, "a");
    assert!(!of_host.join(name(2)).exists() && whole.is_file());
}

#[test]
fn what_a_power_failure_cut_off_goes() {
    let (_parent, path) = place();
    let mut store = open(&path, "a");
    let all: Vec<PathBuf> = (0..4).map(|_| add(&mut store, ago(0), 100)).collect();
    fs::write(&all[0], "").expect("written");
    fs::write(&all[1], vec![0; 100]).expect("written");
    fs::write(&all[2], &file(100)[..99]).expect("written");
    open(&path, "a");
    assert_eq!([0, 1, 2, 3].map(|it: usize| all[it].exists()), [false, false, false, true]);
}

#[test]
fn where_a_write_fails_nothing_stays() {
    let (_parent, path) = place();
    let mut store = open(&path, "a");
    // Not even root writes to a file in place of a directory.
    fs::write(path.join("pauses"), "").expect("written");
    assert!(store.add("pauses", DAY, ago(0), &file(100)).is_err());
    fs::remove_file(path.join("pauses")).expect("removed");
    add(&mut store, ago(0), 100);
    assert_eq!(all(&path).len(), 1);
}

#[test]
fn no_link_that_was_planted_is_followed() {
    let (parent, path) = place();
    let elsewhere = parent.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("date=2026-11-30/host=a")).expect("made");
    let victim = elsewhere.join("date=2026-11-30/host=a/part-20200101T000000.000Z-7-1.parquet");
    fs::write(&victim, "").expect("written");
    let mut store = open(&path, "a");
    for place in ["pauses", "pauses/date=2026-11-30", "pauses/date=2026-11-30/host=a"] {
        let link = path.join(place);
        fs::create_dir_all(link.parent().expect("below")).expect("made");
        let target =
            elsewhere.join(place.strip_prefix("pauses").expect("begins").trim_matches('/'));
        symlink(&target, &link).expect("a link");
        assert!(store.add("pauses", DAY, ago(0), &file(100)).is_err(), "{place}");
        // Nor is what is too old, or cut off, looked for behind it.
        open(&path, "a");
        assert!(victim.exists(), "{place}");
        fs::remove_file(&link).expect("removed");
    }
    assert_eq!(all(&elsewhere).len(), 1);
    add(&mut store, ago(0), 100);
}

#[test]
fn where_another_user_could_plant_something_nothing_is_written() {
    let (_parent, path) = place();
    fs::create_dir(&path).expect("made");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).expect("opened");
    let refused = PartitionStore::open(&path, TABLES, "a", LIMITS).expect_err("refused");
    assert!(refused.to_string().contains("others may write to it"), "{refused}");
    let missing = PartitionStore::open(&path.join("a/b"), TABLES, "a", LIMITS);
    assert!(missing.is_err());
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("closed");
    let mut store = open(&path, "a");
    fs::create_dir(path.join("pauses")).expect("made");
    fs::set_permissions(path.join("pauses"), PermissionsExt::from_mode(0o777)).expect("opened");
    assert!(store.add("pauses", DAY, ago(0), &file(100)).is_err());
}
