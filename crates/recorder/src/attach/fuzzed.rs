//! A door for the fuzzer to what reads the answers of a JVM.
use super::{answer::Answer, code_list::CodeList, dump, journal};

/// Reads a text as whatever a JVM may answer, and as an entry of the journal.
///
/// # Panics
///
/// Where something does not hold.
pub fn answers(text: &str) {
    if let Ok(answer) = Answer::read(text) {
        assert!(answer.read_as(str::len) < text.len());
    }
    let names = dump::thread_names(text);
    assert!(names.values().map(String::len).sum::<usize>() <= text.len());
    for frames in dump::stacks(text).values() {
        assert!(frames.len() <= 32 && frames.iter().all(|it| it.len() <= 256));
    }
    let list = CodeList::parse(text, vec![(0x1000, 0x2000)]);
    for address in [0, 0x1000, 0x1fff, u64::MAX] {
        assert!(!format!("{:?}", list.kind_at(address)).is_empty());
    }
    journal::check(text);
}
