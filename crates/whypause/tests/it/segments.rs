//! What each stretch of each pause is put down to, over all recordings, stories, labelled logs and logs of
//! JDKs: a change that is meant to change no answer changes no byte of
//! `testdata/segments.txt`, which `UPDATE_EXPECT=1` writes anew.
use crate::{numbers::inputs, stories::testdata};
use diagnose::{Keep, segments_text};
use flate2::read::MultiGzDecoder;
use std::{fs, io::Read, path::Path};

#[test]
fn every_segment_is_put_down_to_the_cause_that_it_was() {
    let mut all = String::new();
    for input in inputs() {
        let name = input.strip_prefix(testdata("")).unwrap_or(&input).display();
        all.push_str(&format!("# {name}\n{}", segments(&input)));
    }
    let expected = testdata("segments.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(expected, all).expect("it is written");
        return;
    }
    // Of 40,000 lines the first that differs is what is wanted, with the pause and the input above it.
    let expected = fs::read_to_string(expected).expect("it is there");
    let (mut input, mut pause) = ("", "");
    for (is, was) in all.lines().zip(expected.lines()) {
        assert_eq!(is, was, "of pause {pause} of {input}");
        match was.chars().next() {
            Some('#') => input = was,
            Some(' ') => {}
            _ => pause = was,
        }
    }
    assert_eq!(all.lines().count(), expected.lines().count());
}

fn segments(input: &Path) -> String {
    if input.is_dir() {
        let recording = recording::Recording::open(input).expect("a recording");
        return segments_text::of(|| diagnose::diagnose_recording(&recording));
    }
    let mut log = fs::read(input).expect("a log");
    if input.extension().is_some_and(|it| it == "gz") {
        let packed = std::mem::take(&mut log);
        MultiGzDecoder::new(&packed[..]).read_to_end(&mut log).expect("a packed log");
    }
    segments_text::of(|| diagnose::log_text::read(log, Keep::All))
}
