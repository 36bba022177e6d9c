//! Names of a log and its rotated files, and which of them come next.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// HotSpot writes three digits at most (`LogFileOutput::MaxRotationFileCount`).
const MAX_DIGITS: usize = 3;

/// What rotation has added to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rotation {
    /// `gc.log.3`, or `gc.log.03` in a ring of more than ten: it is not written to any more.
    Rotated(u16),
    /// `gc.log.3.current`: a JDK 8 writes to it (`gcLogFileStream::rotate_log` of `ostream.cpp`).
    Current(u16),
    /// `gc.log`: a JDK from 9 on writes to it, or one that does not rotate (`logFileOutput.cpp`).
    Plain,
}

impl Rotation {
    /// What a file of the log `base` is, if it is one.
    pub(crate) fn of(name: &OsStr, base: &OsStr) -> Option<Rotation> {
        let rest = name.as_bytes().strip_prefix(base.as_bytes())?;
        if rest.is_empty() {
            return Some(Rotation::Plain);
        }
        let rest = rest.strip_prefix(b".")?;
        let current = rest.strip_suffix(b".current");
        let digits = current.unwrap_or(rest);
        let right = (1..=MAX_DIGITS).contains(&digits.len()) && digits.is_ascii();
        let right = right && digits.iter().all(u8::is_ascii_digit);
        let number: u16 = right.then(|| std::str::from_utf8(digits).ok()?.parse().ok())??;
        Some(if current.is_some() { Rotation::Current(number) } else { Rotation::Rotated(number) })
    }
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It was read to its end.
    Done,
    /// It is the one that was read last.
    Last,
    /// It has not been read.
    New,
}

/// One file of a ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) rotation: Rotation,
    pub(crate) known: Known,
    /// Less of an older file; only to tell where a ring begins of which nothing is known.
    pub(crate) age: (i64, i64),
}

/// The files that have not been read, as indices of `members`, in the order in which they were
/// written.
pub(crate) fn successors(members: &[Member]) -> Vec<usize> {
    let of = |wanted: fn(Rotation) -> bool| {
        let mut found: Vec<usize> =
            (0..members.len()).filter(|&it| wanted(members[it].rotation)).collect();
        found.sort_by_key(|&it| members[it].rotation);
        found
    };
    let mut ring = of(|it| matches!(it, Rotation::Rotated(_)));
    let mut written = of(|it| matches!(it, Rotation::Current(_)));
    if let Some(begin) = ring_begin(&ring, members, written.last().copied()) {
        ring.rotate_left(begin);
    }
    // More than one is there where a JVM was killed: its file stays.
    written.sort_by_key(|&it| members[it].age);
    let all = ring.into_iter().chain(written).chain(of(|it| it == Rotation::Plain));
    all.filter(|&it| members[it].known == Known::New).collect()
}

/// Where in `ring`, which is sorted, the oldest file is that has not been read.
fn ring_begin(ring: &[usize], members: &[Member], written: Option<usize>) -> Option<usize> {
    let known = |at: usize| members[ring[at % ring.len()]].known;
    let last = (0..ring.len()).find(|&at| known(at) == Known::Last);
    // Rotation goes upwards and then around, so what is new begins right behind what is known.
    let behind =
        || (0..ring.len()).find(|&at| known(at) == Known::Done && known(at + 1) == Known::New);
    if let Some(at) = last.or_else(behind) {
        return Some((at + 1) % ring.len());
    }
    if let Some(Rotation::Current(number)) = written.map(|it| members[it].rotation) {
        // The one that will be replaced next is the oldest.
        let at = ring.iter().position(|&it| members[it].rotation >= Rotation::Rotated(number));
        return Some(at.unwrap_or(0));
    }
    (0..ring.len()).min_by_key(|&at| members[ring[at]].age)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files in words: `NAME`, and behind it `=` for those that are done, `*` for the last one, and
    /// `@AGE`.
    #[track_caller]
    fn check(files: &str, wanted: &str) {
        let files: Vec<&str> = files.split_ascii_whitespace().collect();
        let member = |text: &&str| {
            let (text, time) = text.split_once('@').unwrap_or((text, "0"));
            let name = text.trim_end_matches(['=', '*']);
            let known = match text.chars().last() {
                Some('=') => Known::Done,
                Some('*') => Known::Last,
                _ => Known::New,
            };
            let rotation = Rotation::of(OsStr::new(name), OsStr::new("gc")).unwrap();
            Member { rotation, known, age: (time.parse().unwrap(), 0) }
        };
        let members: Vec<Member> = files.iter().map(member).collect();
        let found: Vec<&str> =
            successors(&members).iter().map(|&it| files[it].split('@').next().unwrap()).collect();
        assert_eq!(found.join(" "), wanted);
    }

    #[test]
    fn new_files_follow_the_known_ones() {
        check("gc*", "");
        check("gc gc.0*", "gc");
        check("gc gc.0= gc.1* gc.2 gc.3", "gc.2 gc.3 gc");
        check("gc gc.0 gc.1 gc.2= gc.3*", "gc.0 gc.1 gc");
        check("gc gc.0 gc.1= gc.2= gc.3", "gc.3 gc.0 gc");
        check("gc gc.09* gc.10 gc.11 gc.00", "gc.10 gc.11 gc.00 gc");
    }

    #[test]
    fn jdk_8() {
        check("gc.0.current*", "");
        check("gc.0* gc.1.current", "gc.1.current");
        check("gc.0* gc.1 gc.2.current gc.2=", "gc.1 gc.2.current");
        check("gc.0 gc.1 gc.2 gc.1.current", "gc.1 gc.2 gc.0 gc.1.current");
        check("gc.0 gc.1 gc.2.current", "gc.0 gc.1 gc.2.current");
        check("gc.0= gc.3.current* gc.0.current", "gc.0.current");
    }

    #[test]
    fn oldest_file_of_an_unknown_ring_is_found_by_age() {
        check("gc@9 gc.0@5 gc.1@6 gc.2@3 gc.3@4", "gc.2 gc.3 gc.0 gc.1 gc");
        check("gc gc.0 gc.1", "gc.0 gc.1 gc");
    }

    #[test]
    fn names() {
        let rotation = |name: &str| Rotation::of(OsStr::new(name), OsStr::new("gc.log"));
        assert_eq!(rotation("gc.log"), Some(Rotation::Plain));
        assert_eq!(rotation("gc.log.0"), Some(Rotation::Rotated(0)));
        assert_eq!(rotation("gc.log.012"), Some(Rotation::Rotated(12)));
        assert_eq!(rotation("gc.log.3.current"), Some(Rotation::Current(3)));
        for other in ["gc.log.", "gc.log.x", "gc.log.1000", "gc.log.1.gz", "gc.logs", "gc", "a"] {
            assert_eq!(rotation(other), None, "{other}");
        }
    }
}
