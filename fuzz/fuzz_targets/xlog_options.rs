//! Options of a JVM, one per line, and in the last two lines its directory and a path that it has
//! open: what it logs to, and whether that file is its log.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let path = lines.pop().unwrap_or_default();
    let cwd = lines.pop().unwrap_or_default();
    recorder::fuzzing::xlog_options(&lines, &cwd, &path);
});
