//! JVMs found on made-up hosts under `testdata/procfs`, and the errors where there is none.
use super::*;
use std::{fs, os::unix::fs::symlink, path::Path};

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
    let first = jvm.arguments.as_ref().and_then(|it| it.words.first());
    assert_eq!(first.map(String::as_str), Some("@/etc/kafka/jvm.options"));
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

fn chosen(roots: &Roots, pattern: &str) -> Result<Selected, JvmError> {
    select(roots, Some(pattern), &Anybodys)
}

/// Those with a pid from this one on, in place of those of a user.
#[derive(Debug)]
struct NotBefore(u32);

impl Whose for NotBefore {
    fn said(&self) -> Option<String> {
        Some("user `kafka`".into())
    }

    fn fits(&self, jvm: &Jvm) -> bool {
        jvm.pid >= self.0
    }
}

#[test]
fn one_of_another_user_with_that_name_is_in_nobodys_way() {
    let root = tempfile::tempdir().unwrap();
    for (pid, command) in [(1, "java\0Main\0"), (2, "java\0org.Main\0"), (3, "java\0Other\0")] {
        copy_process(root.path(), pid, command);
    }
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    let of = |pattern, from| select(&roots, pattern, &NotBefore(from));
    assert_eq!(of(Some("Main"), 2).unwrap().jvm.pid, 2);
    assert_eq!(of(None, 3).unwrap().jvm.pid, 3);
    assert_eq!(of(Some("2"), 2).unwrap().jvm.pid, 2);
    let none =
        |result| check_error::<Selected>(result, "no JVM matches `Main` of user `kafka`", "ps");
    none(of(Some("Main"), 3));
    check_error(of(Some("1"), 2), "no JVM matches `1` of user `kafka`", "ps");
    check_error(of(None, 4), "no JVM matches user `kafka`", "ps");
    check_error(of(None, 2), "user `kafka` matches 2 JVMs: 2 org.Main, 3 Other", "--service");
}

#[test]
fn errors_say_what_and_what_to_do() {
    let roots = fixture("mixed");
    check_error(jvm(&roots, 99), "no process with pid `99`", "whypause ps");
    check_error(jvm(&roots, 1), "process `1` (`systemd`) is not a HotSpot JVM", "whypause ps");
    check_error(jvm(&roots, 2), "process `2` (`kthreadd`) is not a HotSpot JVM", "whypause ps");
    check_error(chosen(&roots, "99"), "no process with pid `99`", "whypause ps");
    check_error(chosen(&roots, "Cassandra"), "no JVM matches `Cassandra`", "whypause ps");
    check_error(
        chosen(&roots, "or"),
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
    assert_eq!(chosen(&roots, "Kafka").unwrap().jvm.pid, 100);
    assert_eq!(chosen(&roots, "200").unwrap().jvm.pid, 200);
}

#[test]
fn no_argument_file_is_opened_to_find_a_name() {
    let root = tempfile::tempdir().unwrap();
    copy_process(root.path(), 1, "java\0@/etc/opts\0");
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    check_error(chosen(&roots, "Main"), "no JVM matches `Main`", "give the pid");
    assert_eq!(chosen(&roots, "opts").unwrap().jvm.pid, 1);
}

#[test]
fn a_whole_name_counts_before_a_part() {
    let (one, two) = ("java\0Main\0", "java\0org.Main\0");
    let root = tempfile::tempdir().unwrap();
    for (pid, command) in [(1, one), (2, two)] {
        copy_process(root.path(), pid, command);
    }
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    assert_eq!(chosen(&roots, "Main").unwrap().jvm.pid, 1);
    assert_eq!(chosen(&roots, "org").unwrap().jvm.pid, 2);
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

/// Each end was a word of its own, and of every process that has the library the words were kept.
#[test]
fn a_command_line_of_nothing_but_ends_takes_no_memory_for_each() {
    let root = tempfile::tempdir().unwrap();
    copy_process(root.path(), 1, &format!("java\0Main\0{}", "\0".repeat(1 << 20)));
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    let known = jvm(&roots, 1).unwrap().arguments.unwrap();
    assert_eq!((known.words.len(), known.words[0].as_str(), known.cut), (4096, "Main", true));
    let found = find_jvms(&roots).jvms.remove(0);
    assert_eq!((found.main.as_str(), &found.arguments), ("Main", &None));
    let dir = ProcessDir::open(&roots, 1).unwrap();
    assert_eq!(*found.started_with(&dir).unwrap(), known, "read when it is needed");
    let earlier = Jvm { start_ticks: found.start_ticks - 1, ..found };
    let error = earlier.started_with(&dir).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound, "they are another's");
}

/// It satisfied `--user`, whatever image had a user of that number.
#[test]
fn a_user_of_a_container_is_another_one_though_the_number_is_the_same() {
    let root = tempfile::tempdir().unwrap();
    copy_process(root.path(), 5, "java\0Main\0");
    let roots = Roots { proc: root.path().into(), sys: root.path().into() };
    let found = jvm(&roots, 5).unwrap();
    let is_in = |process: &str, user: &str, pid: &str| {
        let namespaces = root.path().join(process).join("ns");
        let _ = fs::remove_dir_all(&namespaces);
        fs::create_dir_all(&namespaces).unwrap();
        symlink(user, namespaces.join("user")).unwrap();
        symlink(pid, namespaces.join("pid")).unwrap();
    };
    is_in("self", "user:[1]", "pid:[2]");
    for (user, pid, shared) in [
        ("user:[1]", "pid:[2]", true),
        ("user:[3]", "pid:[2]", false),
        ("user:[1]", "pid:[3]", false),
    ] {
        is_in("5", user, pid);
        assert_eq!(shares_our_users(&roots, &found).unwrap(), shared, "{user} {pid}");
    }
    is_in("5", "user:[1]", "pid:[2]");
    let earlier = Jvm { start_ticks: found.start_ticks - 1, ..found };
    assert!(shares_our_users(&roots, &earlier).is_err(), "another process has its id");
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
    let error = chosen(&roots, "x").unwrap_err();
    assert!(error.hint().contains("1 of the processes could not be inspected"));
}
