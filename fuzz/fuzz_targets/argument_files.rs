//! A command line in the first line, a word after each blank, and the text of its argument files in
//! the others.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (line, file) = text.split_once('\n').unwrap_or((&*text, ""));
    let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
    recorder::fuzzing::argument_files(&arguments, file);
});
