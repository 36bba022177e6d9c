//! What a line says of one pause in addition to its duration: parts, references, ages, failures.
use super::{Names, cms, phases};
use crate::{
    Failures, References, Tenuring,
    phase::ReferenceKind,
    scan::{behind_blanks, integer},
};
use memchr::memchr;

/// What one line adds to a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Phase(phases::Timed),
    /// The counts that follow are of this kind of references (JDK 10 to 21).
    Kind(ReferenceKind),
    /// Number of references found of the kind named above.
    Found(u64),
    /// Number of references found of this kind.
    FoundOf(ReferenceKind, u64),
    /// All counts at once (JDK 9).
    References(References),
    Tenuring(Tenuring),
    Failure(Failures),
}

/// The names under `gc,phases,ref`.
const KINDS: [(&[u8], ReferenceKind); 4] = [
    (b"SoftReference", ReferenceKind::Soft),
    (b"WeakReference", ReferenceKind::Weak),
    (b"FinalReference", ReferenceKind::Final),
    (b"PhantomReference", ReferenceKind::Phantom),
];

/// Evacuation ran out of space (G1 until JDK 21).
const EVACUATION: Failures =
    Failures { evacuation: true, promotion: false, concurrent_mode: false, pinned: false };
const PROMOTION: Failures =
    Failures { evacuation: false, promotion: true, concurrent_mode: false, pinned: false };
const CONCURRENT_MODE: Failures =
    Failures { evacuation: false, promotion: false, concurrent_mode: true, pinned: false };

/// How the messages begin that [`parse`] reads, beside those of [`phases`]; the lines of a table
/// without their indentation.
pub(super) const BEGINS: Names<()> = &[
    (b"Discovered", ()),
    (b"SoftReference", ()),
    (b"WeakReference", ()),
    (b"FinalReference", ()),
    (b"PhantomReference", ()),
    (b"To-space exhausted", ()),
    (b"Promotion failed", ()),
    (b"Desired survivor size ", ()),
    (b"Ref Counts: ", ()),
];

/// Reads the message of a line with an id; `None` where it is of no interest.
pub(super) fn parse(message: &[u8]) -> Option<Detail> {
    match message {
        [b' ', ..] => indented(behind_blanks(message)),
        b"To-space exhausted" => Some(Detail::Failure(EVACUATION)),
        b"Promotion failed" => Some(Detail::Failure(PROMOTION)),
        cms::CONCURRENT_MODE_FAILURE => Some(Detail::Failure(CONCURRENT_MODE)),
        [b'D', b'e', b's', b'i', ..] => tenuring(message).map(Detail::Tenuring),
        [b'R', b'e', b'f', b' ', ..] => all_references(message).map(Detail::References),
        [.., b'm', b's'] => phases::parse(message).map(Detail::Phase).or_else(|| indented(message)),
        _ => indented(message),
    }
}

/// Reads a line of a table: a name, a colon and a value.
fn indented(text: &[u8]) -> Option<Detail> {
    let colon = memchr(b':', text)?;
    let (name, value) = (&text[..colon], &text[colon + 1..]);
    match name {
        b"Discovered" => whole_number(value).map(Detail::Found),
        [.., b'e'] if value.is_empty() => kind(name).map(Detail::Kind),
        [.., b'd'] => found(name, value),
        _ => phases::with_colon(name, value).map(Detail::Phase),
    }
}

/// `SoftReference Discovered: 12, Dropped: 0, Processed: 12` (JDK 22 and later).
fn found(name: &[u8], value: &[u8]) -> Option<Detail> {
    let kind = kind(name.strip_suffix(b" Discovered")?)?;
    let (count, rest) = integer(value.strip_prefix(b" ")?)?;
    rest.starts_with(b",").then_some(Detail::FoundOf(kind, count))
}

fn kind(name: &[u8]) -> Option<ReferenceKind> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

fn whole_number(value: &[u8]) -> Option<u64> {
    let (count, rest) = integer(value.strip_prefix(b" ")?)?;
    rest.is_empty().then_some(count)
}

/// `Ref Counts: Soft: 0 Weak: 30 Final: 12 Phantom: 1` (JDK 9, tag `gc,ref`).
///
/// # Source
///
/// `ReferenceProcessor::process_discovered_references` of JDK 9.
fn all_references(message: &[u8]) -> Option<References> {
    let (soft, rest) = integer(message.strip_prefix(b"Ref Counts: Soft: ")?)?;
    let (weak, rest) = integer(rest.strip_prefix(b" Weak: ")?)?;
    let (finalizable, rest) = integer(rest.strip_prefix(b" Final: ")?)?;
    let (phantom, rest) = integer(rest.strip_prefix(b" Phantom: ")?)?;
    rest.is_empty().then_some(References { soft, weak, finalizable, phantom, jni_weak: 0 })
}

/// `Desired survivor size 1048576 bytes, new threshold 15 (max threshold 15)` (tag `gc,age`).
///
/// # Source
///
/// `AgeTable::compute_tenuring_threshold` in `src/hotspot/share/gc/shared/ageTable.cpp`.
fn tenuring(message: &[u8]) -> Option<Tenuring> {
    let (desired_survivor_bytes, rest) = integer(message.strip_prefix(b"Desired survivor size ")?)?;
    let (threshold, rest) = integer(rest.strip_prefix(b" bytes, new threshold ")?)?;
    let rest = rest.strip_prefix(b" (max ")?;
    let (max_threshold, rest) = integer(rest.strip_prefix(b"threshold ").unwrap_or(rest))?;
    let narrow = |age| u32::try_from(age).ok();
    (rest == b")").then_some(())?;
    Some(Tenuring {
        desired_survivor_bytes,
        threshold: narrow(threshold)?,
        max_threshold: narrow(max_threshold)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let read = parse(message.as_bytes());
        expected.assert_eq(&read.map_or("none".to_owned(), |it| format!("{it:?}")));
    }

    #[test]
    fn references_of_every_jdk() {
        check(
            "Ref Counts: Soft: 0 Weak: 30 Final: 12 Phantom: 1",
            expect![
                "References(References { soft: 0, weak: 30, finalizable: 12, phantom: 1, jni_weak: 0 })"
            ],
        );
        check("  SoftReference:", expect!["Kind(Soft)"]);
        check("    Discovered: 12", expect!["Found(12)"]);
        check("    Cleared: 3", expect!["none"]);
        check(
            "      WeakReference Discovered: 12, Dropped: 0, Processed: 12",
            expect!["FoundOf(Weak, 12)"],
        );
        check("      WeakReference Discovered: 1", expect!["none"]);
    }

    #[test]
    fn ages() {
        check(
            "Desired survivor size 1048576 bytes, new threshold 2 (max threshold 15)",
            expect![
                "Tenuring(Tenuring { desired_survivor_bytes: 1048576, threshold: 2, max_threshold: 15 })"
            ],
        );
        check(
            "Desired survivor size 1048576 bytes, new threshold 2 (max threshold 1",
            expect!["none"],
        );
    }

    #[test]
    fn failures() {
        check(
            "Promotion failed",
            expect![
                "Failure(Failures { evacuation: false, promotion: true, concurrent_mode: false, pinned: false })"
            ],
        );
        check("Promotion failed, size 4112, has plab? yes", expect!["none"]);
        check("Concurrent mode interrupted", expect!["none"]);
    }
}
