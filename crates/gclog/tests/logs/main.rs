//! The parser on logs of real JVMs, `testdata/gclogs/<jdk>/<collector>/<name>.log`.
//!
//! A new log needs no code: put it there and run with `UPDATE_EXPECT=1`, then read the `.expected`
//! file beside it against the log.
mod expected;
mod legacy;
mod robustness;
mod sanity;

use gclog::{Event, LineCounts, LineSplitter, Parser};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every log, in a fixed order.
fn logs() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/gclogs");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no logs in {}", root.display());
    let read = |path: PathBuf| {
        let text = fs::read(&path).expect("readable");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// Those of unified logging: JDK 9 and later.
fn unified_logs() -> Vec<(PathBuf, Vec<u8>)> {
    some(logs().into_iter().filter(|(path, _)| !is_legacy(path)).collect())
}

/// Those of JDK 8 and before.
fn legacy_logs() -> Vec<(PathBuf, Vec<u8>)> {
    some(logs().into_iter().filter(|(path, _)| is_legacy(path)).collect())
}

/// Of no logs everything holds.
fn some(logs: Vec<(PathBuf, Vec<u8>)>) -> Vec<(PathBuf, Vec<u8>)> {
    assert!(logs.len() > 5, "only {} logs", logs.len());
    logs
}

fn is_legacy(path: &Path) -> bool {
    path.components().any(|it| it.as_os_str() == "jdk8")
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|it| it == "log") {
            paths.push(path);
        }
    }
}

/// All events of a log and what became of its lines.
fn parse(log: &[u8]) -> (Vec<Event>, LineCounts) {
    let (mut parser, mut splitter) = (Parser::new(), LineSplitter::new());
    let mut events = Vec::new();
    splitter.push(log, &mut |line| parser.line(line, &mut |it| events.push(it)));
    splitter.finish(&mut |line| parser.line(line, &mut |it| events.push(it)));
    parser.finish(&mut |it| events.push(it));
    (events, parser.counts())
}
