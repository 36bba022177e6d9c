//! Any text as one of the files in `/proc/PID`.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| recorder::fuzzing::proc_texts(data));
