//! JVMs found on made-up hosts under `testdata/procfs`, and the errors where there is none.
use super::*;
use std::{fs, path::Path};

fn fixture(case: &str) -> Roots {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/procfs").join(case);
    Roots { proc: root.join("proc"), sys: root.join("sys") }
}

fn show(jvm: &Jvm) -> String {
    let Jvm { pid, pid_in_namespace, uid, main, java_home, libjvm_deleted, .. } = jvm;
    let deleted = if *libjvm_deleted { " deleted" } else { "" };
    format!("{pid} ({pid_in_namespace}) uid {uid} {main} {java_home}{deleted}")
}

fn check(case: &str, expected: &[&str]) {
    let found = find_jvms(&fixture(case));
    let shown: Vec<String> = found.jvms.iter().map(show).collect();
    assert_eq!(shown, expected, "{case}");
    assert_eq!(found.unreadable, 0, "{case}");
}

#[test]
fn jvms_are_found_by_their_library_and_nothing_else() {
    check(
        "mixed",
        &[
            "100 (100) uid 1000 @jvm.options kafka.Kafka /usr/lib/jvm/java-17-openjdk-amd64",
            "200 (1) uid 999 orders.jar /opt/java/openjdk",
            "300 (300) uid 0 org.legacy.Main /usr/lib/jvm/jdk8",
            "400 (400) uid 5 idea /opt/idea/jbr deleted",
        ],
    );
}

#[test]
fn a_library_in_a_container_has_its_path_there() {
    let roots = fixture("mixed");
    let jvm = jvm(&roots, 200).unwrap();
    assert_eq!(jvm.libjvm, "/opt/java/openjdk/lib/server/libjvm.so");
    assert!(jvm.is_modular());
    assert_eq!(jvm.start_ticks, 777);
}

#[test]
fn a_deleted_library_is_known_by_its_mapping() {
    let roots = fixture("mixed");
    let jvm = jvm(&roots, 400).unwrap();
    assert_eq!(jvm.libjvm_mapping.range, "7f0000000000-7f0001000000");
    assert_eq!(jvm.libjvm, "/opt/idea/jbr/lib/server/libjvm.so");
}

#[test]
fn an_argument_file_tells_the_main_class() {
    let jvm = jvm(&fixture("mixed"), 100).unwrap();
    assert_eq!(jvm.main, "kafka.Kafka");
    assert_eq!(jvm.arguments.first().map(String::as_str), Some("@/etc/kafka/jvm.options"));
    assert_eq!(jvm.command_line, "/usr/bin/java kafka.Kafka");
}

#[test]
fn before_jdk_9_the_library_lies_deeper() {
    let jvm = jvm(&fixture("mixed"), 300).unwrap();
    assert!(!jvm.is_modular());
    for (path, home, modular) in [
        ("/j/lib/server/libjvm.so", "/j", true),
        ("/j/jre/lib/amd64/server/libjvm.so", "/j", false),
        ("/j/lib/aarch64/server/libjvm.so", "/j", false),
        ("/libjvm.so", "", false),
    ] {
        assert_eq!(home_of(path), (home.to_owned(), modular), "{path}");
    }
}

fn check_error<T: std::fmt::Debug>(result: Result<T, JvmError>, message: &str, hint: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), message);
    assert!(error.hint().contains(hint), "{}", error.hint());
}

#[test]
fn errors_say_what_and_what_to_do() {
    let roots = fixture("mixed");
    check_error(jvm(&roots, 99), "no process with pid `99`", "whypause ps");
    check_error(jvm(&roots, 1), "process `1` (`systemd`) is not a HotSpot JVM", "whypause ps");
    check_error(jvm(&roots, 2), "process `2` (`kthreadd`) is not a HotSpot JVM", "whypause ps");
    check_error(select(&roots, "99"), "no process with pid `99`", "whypause ps");
    check_error(select(&roots, "Cassandra"), "no JVM matches `Cassandra`", "whypause ps");
    check_error(
        select(&roots, "or"),
        "`or` matches 2 JVMs: 200 orders.jar, 300 org.legacy.Main",
        "more of the name",
    );
    let denied = io::Error::from(rustix::io::Errno::ACCESS);
    check_error(
        Err::<Jvm, _>(JvmError::from_io(&roots, 7, &denied)),
        "no permission to inspect process `7`",
        "run as root",
    );
}

#[test]
fn a_part_of_the_name_selects() {
    let roots = fixture("mixed");
    assert_eq!(select(&roots, "Kafka").unwrap().jvm.pid, 100);
    assert_eq!(select(&roots, "200").unwrap().jvm.pid, 200);
}

#[test]
fn no_argument_file_is_opened_to_find_a_name() {
    let root = tempfile::tempdir().unwrap();
    copy_process(root.path(), 1, "java\0@/etc/opts\0");
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    check_error(select(&roots, "Main"), "no JVM matches `Main`", "give the pid");
    assert_eq!(select(&roots, "opts").unwrap().jvm.pid, 1);
}

#[test]
fn a_whole_name_counts_before_a_part() {
    let (one, two) = ("java\0Main\0", "java\0org.Main\0");
    let root = tempfile::tempdir().unwrap();
    for (pid, command) in [(1, one), (2, two)] {
        copy_process(root.path(), pid, command);
    }
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    assert_eq!(select(&roots, "Main").unwrap().jvm.pid, 1);
    assert_eq!(select(&roots, "org").unwrap().jvm.pid, 2);
}

fn copy_process(root: &Path, pid: u32, command: &str) {
    let dir = root.join(pid.to_string());
    fs::create_dir_all(&dir).unwrap();
    let maps = "7f00-7f10 r-xp 00000000 fe:00 5   /j/lib/server/libjvm.so\n";
    let stat = format!("{pid} (java) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0");
    for (name, text) in
        [("maps", maps), ("stat", &stat), ("status", "Uid:\t0\n"), ("cmdline", command)]
    {
        fs::write(dir.join(name), text).unwrap();
    }
}

#[test]
fn a_process_that_vanishes_between_two_reads_is_no_jvm_and_no_error() {
    for gone in ["maps", "stat", "status", "cmdline"] {
        let root = tempfile::tempdir().unwrap();
        copy_process(root.path(), 5, "java\0Main\0");
        fs::remove_file(root.path().join("5").join(gone)).unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        assert_eq!(find_jvms(&roots), Found::default(), "{gone}");
        check_error(jvm(&roots, 5), "no process with pid `5`", "whypause ps");
    }
}

#[test]
fn a_process_that_cannot_be_read_is_counted() {
    let root = tempfile::tempdir().unwrap();
    // Root may read everything, so a directory stands for what cannot be read.
    fs::create_dir_all(root.path().join("5/maps")).unwrap();
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    assert_eq!(find_jvms(&roots), Found { unreadable: 1, ..Found::default() });
    let error = select(&roots, "x").unwrap_err();
    assert!(error.hint().contains("1 of the processes could not be inspected"));
}
