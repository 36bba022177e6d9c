//! Searching short texts for short parts.
use memchr::memchr;

/// Where `part` is in `text`.
///
/// Brackets of a log are short, and preparing a real substring search takes longer than this.
pub(super) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut at = 0;
    while let Some(found) = memchr(first, &text[at..]) {
        at += found;
        if text[at..].starts_with(part) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether `part` is in `text`.
pub(super) fn has(text: &[u8], part: &[u8]) -> bool {
    find(text, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first() {
        assert_eq!(find(b"a->b->c", b"->"), Some(1));
        assert_eq!(find(b"a-->b", b"->"), Some(2));
        assert_eq!(find(b"a-", b"->"), None);
        assert_eq!(find(b"", b"->"), None);
        assert_eq!(find(b"a", b""), None);
        assert!(has(b"a->b", b"->"));
    }
}
