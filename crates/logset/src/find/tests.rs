//! What is found on a disk that was made for it.
use super::*;
use expect_test::{Expect, expect};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::{Cursor, Write},
    ops::ControlFlow,
};
use tempfile::TempDir;

mod archives;
mod special;

/// A log that begins at this uptime in seconds.
fn log(uptime: u32) -> Vec<u8> {
    format!(
        "[{uptime}.000s][info][gc] GC({uptime}) Pause Remark 31M->28M(600M) 1.250ms\n\
         [{uptime}.001s][info][gc,cpu] GC({uptime}) User=0.01s Sys=0.00s Real=0.00s\n"
    )
    .into_bytes()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// A directory with these files.
fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = TempDir::new().expect("a directory");
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).expect("written");
    }
    directory
}

/// What is found, with the directory's own path taken out.
fn found(directory: &TempDir, arguments: &[&str], stdin: &[u8]) -> String {
    let path = |it: &&str| match *it {
        "-" => "-".into(),
        "." => directory.path().to_owned(),
        name => directory.path().join(name),
    };
    let paths: Vec<_> = arguments.iter().map(path).collect();
    let text = match find(&paths, Box::new(Cursor::new(stdin.to_vec()))) {
        Ok(sets) => sets.iter().map(described).collect(),
        Err(error) => format!("error: {error}\nhint: {}\n", error.hint()),
    };
    let root = directory.path().display().to_string();
    text.replace(&format!("{root}/"), "").replace(&root, "DIR")
}

fn described(set: &LogSet) -> String {
    let mut text = format!("{}:", set.name());
    for file in set.files() {
        text += &format!(" {}", file.name());
    }
    let mut ids = Vec::new();
    let summary = set.events(&mut |_| ControlFlow::Continue(()), &mut |event| {
        if let gclog::Event::Gc(it) = event {
            ids.push(it.gc_id.to_string());
        }
    });
    text += &format!("\n  collections {}\n", ids.join(" "));
    match summary {
        Ok(summary) => {
            for note in set.notes().iter().chain(&summary.notes) {
                text += &format!("  note: {note}\n");
                if !note.hint().is_empty() {
                    text += &format!("  hint: {}\n", note.hint());
                }
            }
        }
        Err(error) => text += &format!("  error: {error}\n"),
    }
    text
}

#[track_caller]
fn check(files: &[(&str, &[u8])], arguments: &[&str], expected: Expect) {
    expected.assert_eq(&found(&directory(files), arguments, b""));
}

#[test]
fn a_file_alone() {
    check(
        &[("gc.log", &log(1))],
        &["gc.log"],
        expect![[r#"
        gc.log: gc.log
          collections 1
    "#]],
    );
}

#[test]
fn what_it_is_its_bytes_decide() {
    let zstd = zstd::encode_all(&log(2)[..], 1).expect("memory");
    check(
        &[("a.log", &gzip(&log(1))), ("b.gz", &zstd), ("c.zst", &log(3))],
        &["a.log", "b.gz", "c.zst"],
        expect![[r#"
            a.log: a.log
              collections 1
            b.gz: b.gz
              collections 2
            c.zst: c.zst
              collections 3
        "#]],
    );
}

#[test]
fn a_ring_is_one_log_however_it_is_named() {
    let ring: [(&str, &[u8]); 4] = [
        ("gc.log", &log(50)),
        ("gc.log.0", &log(40)),
        ("gc.log.1.gz", &gzip(&log(20))),
        ("gc.log.2", &log(30)),
    ];
    for arguments in [&["."][..], &["gc.log*"], &["gc.log", "gc.log.0", "gc.log.1.gz", "gc.log.2"]]
    {
        expect![[r#"
            gc.log: gc.log.1.gz gc.log.2 gc.log.0 gc.log
              collections 20 30 40 50
        "#]]
        .assert_eq(&found(&directory(&ring), arguments, b""));
    }
}

#[test]
fn other_files_of_the_ring_are_reported() {
    let files: [(&str, &[u8]); 4] =
        [("gc.log", &log(3)), ("gc.log.0", &log(1)), ("gc.log.1", &log(2)), ("gc2.log", &log(9))];
    check(
        &files,
        &["gc.log.0"],
        expect![[r#"
        gc.log.0: gc.log.0
          collections 1
          note: there are 2 other files of this log next to it
          hint: to read them all, give the directory or `gc.log*`
    "#]],
    );
    check(
        &files[..2],
        &["gc.log"],
        expect![[r#"
        gc.log: gc.log
          collections 3
          note: there is another file of this log next to it
          hint: to read them all, give the directory or `gc.log*`
    "#]],
    );
    check(
        &files,
        &["gc2.log"],
        expect![[r#"
        gc2.log: gc2.log
          collections 9
    "#]],
    );
}

#[test]
fn a_directory_of_several_jvms() {
    check(
        &[
            ("b.log", &log(1)),
            ("a.log.1", &log(3)),
            ("a.log.0", &log(2)),
            ("app.txt", b"hello"),
            ("config.yml", b"x: y"),
            (".hidden.log", &log(4)),
        ],
        &["."],
        expect![[r#"
            a.log: a.log.0 a.log.1
              collections 2 3
              note: left out 2 files, which are no GC logs, the first of them `app.txt`
            b.log: b.log
              collections 1
        "#]],
    );
}

#[test]
fn a_packed_file_beside_the_same_unpacked_is_not_read_twice() {
    check(
        &[("gc.log.1", &log(1)), ("gc.log.1.gz", &gzip(&log(1)))],
        &["."],
        expect![[r#"
        gc.log: gc.log.1
          collections 1
          note: left out packed files that are also there unpacked
    "#]],
    );
}

#[test]
fn a_set_with_a_restart() {
    check(
        &[
            ("gc.log", &log(0)),
            ("gc.log.0", &log(100)),
            ("gc.log.1", &log(200)),
            ("gc.log.2", &log(90)),
        ],
        &["."],
        expect![[r#"
            gc.log: gc.log.2 gc.log.0 gc.log.1 gc.log
              collections 90 100 200 0
        "#]],
    );
}

#[test]
fn a_cut_file_is_read_as_far_as_it_goes() {
    let packed = gzip(&[log(1), log(2)].concat());
    check(
        &[("gc.log.gz", &packed[..packed.len() - 3])],
        &["gc.log.gz"],
        expect![[r#"
        gc.log.gz: gc.log.gz
          collections 1 2
          note: `gc.log.gz` is cut short; what is there was read
    "#]],
    );
    check(
        &[("gc.log.gz", &packed[..6])],
        &["gc.log.gz"],
        expect![[r#"
        error: `gc.log.gz` is cut short or damaged before its first line
        hint: copy it again from where it was written
    "#]],
    );
    check(
        &[("gc.log.gz", &[&packed[..], b"garbage bytes"].concat())],
        &["gc.log.gz"],
        expect![[r#"
        gc.log.gz: gc.log.gz
          collections 1 2
          note: `gc.log.gz` has other bytes after its end; they were left out
    "#]],
    );
}

#[test]
fn standard_input_in_any_form() {
    let nothing = directory(&[]);
    let zstd = zstd::encode_all(&log(2)[..], 1).expect("memory");
    for stdin in [log(2), gzip(&log(2)), zstd, archives::zip(&[("gc.log", &log(2))])] {
        let text = found(&nothing, &["-"], &stdin);
        assert!(text.contains("collections 2\n"), "{text}");
    }
    expect![[r#"
        error: standard input can be read only once
        hint: give `-` once
    "#]]
    .assert_eq(&found(&nothing, &["-", "-"], &log(1)));
    expect![[r#"
        error: `standard input` is compressed with bzip2
        hint: bzcat FILE | whypause explain -
    "#]]
    .assert_eq(&found(&nothing, &["-"], b"BZh91AY&SY"));
}

#[test]
fn file_that_is_no_log_is_refused_by_name() {
    check(
        &[("x", b"<verbosegc version=\"1\">\n")],
        &["x"],
        expect![[r#"
        error: `x` was written by IBM J9 or OpenJ9, not by HotSpot
        hint: give a GC log of a HotSpot JVM: OpenJDK, or one built from it
    "#]],
    );
    check(
        &[("x", b"FLR\0\0\x02")],
        &["x"],
        expect![[r#"
        error: `x` is a JFR recording
        hint: give the JVM's GC log, or a recording of `whypause record`
    "#]],
    );
}

#[test]
fn where_there_is_nothing_it_is_said() {
    check(
        &[],
        &["missing.log"],
        expect![[r#"
        error: no such file or directory: `missing.log`
        hint: give a GC log, a recording made by `whypause record`, or `-` for standard input
    "#]],
    );
    check(
        &[],
        &["missing*.log"],
        expect![[r#"
        error: no file matches `missing*.log`
        hint: give a GC log, a directory, or a pattern that files match
    "#]],
    );
    check(
        &[],
        &["gc[.log"],
        expect![[r#"
        error: `gc[.log` is no pattern: invalid range pattern
        hint: write a bracket that is part of a name as `[[]`
    "#]],
    );
    check(
        &[],
        &["."],
        expect![[r#"
            error: there are no files in `DIR`
            hint: give a GC log or a recording; where it is of `whypause watch --keep`, nothing was kept yet
        "#]],
    );
    check(
        &[("notes.txt", b"hello")],
        &["."],
        expect![[r#"
            error: there is neither a GC log nor a recording in `DIR`
            hint: give a log written with `-Xlog:gc*,safepoint:file=PATH`, or a recording made by `whypause record`
        "#]],
    );
    expect![[r#"
        error: `/dev/null` is a device or a socket
        hint: give a GC log, a recording, or `-` for standard input
    "#]]
    .assert_eq(&found(&directory(&[]), &["/dev/null"], b""));
}
