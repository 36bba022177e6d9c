//! Flags in, outputs out; names and beginnings of files.
use super::*;

fn check_outputs(line: &str, expected: &str) {
    let flags: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let shown: Vec<String> =
        outputs(&flags).iter().map(|it| it.name.clone().unwrap_or("stdout".to_owned())).collect();
    assert_eq!(shown.join(" | "), expected, "{line}");
}

#[test]
fn outputs_are_read_as_hotspot_reads_them() {
    check_outputs("-Xlog:gc*,safepoint:file=gc.log:tn:filecount=3", "gc.log");
    check_outputs("-Xlog:gc:/var/log/gc-%p.log", "/var/log/gc-%p.log");
    check_outputs("-Xlog:all=debug:file=\"a:b.log\"", "a:b.log");
    check_outputs("-Xlog::x.log", "x.log");
    check_outputs("-Xlog:gc", "stdout");
    check_outputs("-Xloggc:/x/gc.log", "/x/gc.log");
}

#[test]
fn other_outputs_do_not_count() {
    check_outputs("-Xlog:gc=off:x.log", "");
    check_outputs("-Xlog:gc=warning:x.log", "");
    check_outputs("-Xlog:class+load:x.log", "");
    check_outputs("-Xlog:gc:stderr", "");
    check_outputs("-Xlog:disable", "");
    check_outputs("-Xlog:async", "");
    check_outputs("-Xmx1g", "");
}

#[test]
fn the_output_with_gc_and_safepoints_comes_first() {
    check_outputs(
        "-Xlog:gc*:a.log -Xlog:safepoint:b.log -Xlog:safepoint,gc:c.log -Xlog:gc:d.log",
        "c.log | d.log | a.log | b.log",
    );
}

#[test]
fn a_name_of_nothing_but_placeholders_ends_nobody() {
    let long = |times: usize| "%p".repeat(times);
    assert!(matches(&format!("/{}", long(1000)), "/gc.log"));
    assert!(matches(&long(MAX_NAME / 2), "gc.log"));
    // As long as an argument can be: nothing on this file system has such a name.
    assert!(!matches(&long(64 << 10), "gc.log"));
}

fn check_streams(line: &str, expected: &[u32]) {
    let flags: Vec<String> = line.split(' ').map(str::to_owned).collect();
    assert_eq!(standard_streams(&flags), expected, "{line}");
}

#[test]
fn a_log_without_a_file_goes_to_standard_output() {
    check_streams("-Xlog:gc", &[1]);
    check_streams("-Xlog:gc*,safepoint:stdout:tn", &[1]);
    check_streams("-Xlog:gc::tn", &[1]);
    check_streams("-Xlog", &[1]);
    check_streams("-Xlog:gc:stderr", &[2]);
    check_streams("-Xlog:gc:#0 -Xlog:safepoint:#1", &[1, 2]);
    check_streams("-verbose:gc -XX:+UseG1GC", &[1]);
    check_streams("-XX:+PrintGCDetails", &[1]);
}

#[test]
fn other_logs_and_those_turned_off_do_not() {
    check_streams("-Xmx1g", &[]);
    check_streams("-Xlog:gc:gc.log", &[]);
    check_streams("-Xlog:gc=off", &[]);
    check_streams("-Xlog:class+load", &[]);
    check_streams("-Xlog:async", &[]);
    check_streams("-Xlog:gc -Xlog:disable -Xlog:gc:file=gc.log", &[]);
    check_streams("-Xlog:disable -Xlog:gc", &[1]);
    check_streams("-verbose:gc -XX:+PrintGCDetails -Xloggc:gc.log", &[]);
}

#[test]
fn names_stand_for_paths() {
    for (name, path, expected) in [
        ("gc.log", "/app/gc.log", true),
        ("./gc.log", "/app/gc.log", true),
        ("logs/gc.log", "/app/logs/gc.log", true),
        ("/l/gc-%p-%t.log", "/l/gc-42-2026-11-21_20-00-00.log", true),
        ("/l/gc-%p", "/l/gc-pid42", true),
        ("/l/%hn/gc.log", "/l/host1/gc.log", true),
        ("/l/%hn/gc.log", "/l/a/b/gc.log", false),
        ("gc.log", "/app/gc.log.0.current", true),
        ("gc.log", "/app/gc.log.3 (deleted)", true),
        ("gc.log", "/app/gc.log.gz", false),
        ("gc.log", "/other/gc.log", false),
        ("gc.log", "/app/agc.log", false),
    ] {
        assert_eq!(is_path(name, "/app", path), expected, "{name} {path}");
    }
    assert!(is_file_name("/link/gc.log", "", "/real/gc.log"));
}

#[test]
fn beginnings_of_logs() {
    for (text, expected) in [
        ("[0.004s][info][gc] Using G1\n", true),
        ("[2026-11-21T20:00:00.000+0000][1ms] Using Parallel\n", true),
        ("[0.1s][info][gc,init] Version\n", true),
        ("[1.0s][info][safepoint   ] Safepoint \"Cleanup\"\n", true),
        ("2.3: [GC (Allocation Failure) 1K->1K\n", true),
        ("2026-11-21 INFO [gc] sweeper started\n", false),
        ("\u{0}\u{0}PAR1", false),
        ("", false),
    ] {
        assert_eq!(looks_like_gc_log(text), expected, "{text}");
    }
}

#[test]
fn a_file_is_read_again_where_it_may_begin_differently() {
    let check = |before, now, expected| assert_eq!(begins_as_before(before, now), expected);
    check(0, 0, true);
    check(0, 1, false);
    check(6, 6, true);
    check(6, BEGINNING_BYTES, false);
    check(BEGINNING_BYTES - 1, BEGINNING_BYTES, false);
    check(BEGINNING_BYTES, BEGINNING_BYTES + 1, true);
    check(2 * BEGINNING_BYTES, BEGINNING_BYTES, false);
}

#[test]
fn access_modes() {
    for (flags, expected) in
        [("0100000", false), ("0100001", true), ("02102002", true), ("x", false)]
    {
        assert_eq!(opened_for_writing(&format!("pos:\t0\nflags:\t{flags}\n")), expected, "{flags}");
    }
}
