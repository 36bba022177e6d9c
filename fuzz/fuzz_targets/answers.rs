//! Any text as what a JVM answers: a thread dump, a list of compiled code, an error.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| recorder::fuzzing::answers(&String::from_utf8_lossy(data)));
