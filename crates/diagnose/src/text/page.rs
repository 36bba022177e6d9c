//! The page of a cause, mechanism, remedy or scenario: the leading `//!` lines of its file, cut out of it here.

/// The leading `//!` lines of a file beside the one where this stands, as Markdown. They are cut out while
/// the program is compiled: it does not carry its source.
#[macro_export]
macro_rules! page {
    ($file:literal) => {{
        const FILE: &[u8] = include_bytes!($file);
        const PAGE: [u8; $crate::page_length(FILE)] = $crate::page_bytes(FILE);
        const TEXT: &str = match std::str::from_utf8(&PAGE) {
            Ok(text) => text,
            Err(_) => panic!("the file is not UTF-8"),
        };
        TEXT
    }};
}

/// How long the page of a file is.
#[must_use]
pub const fn length(file: &[u8]) -> usize {
    cut::<0>(file).1
}

/// The page of a file, or its first bytes.
#[must_use]
pub const fn bytes<const LENGTH: usize>(file: &[u8]) -> [u8; LENGTH] {
    cut::<LENGTH>(file).0
}

/// As many bytes of the page as there is room for, and how many there are.
const fn cut<const SIZE: usize>(file: &[u8]) -> ([u8; SIZE], usize) {
    let (mut page, mut length) = ([0; SIZE], 0);
    let mut at = 0;
    while at + 2 < file.len() && file[at] == b'/' && file[at + 1] == b'/' && file[at + 2] == b'!' {
        at += 3;
        if at < file.len() && file[at] == b' ' {
            at += 1;
        }
        if length > 0 {
            put(&mut page, length, b'\n');
            length += 1;
        }
        while at < file.len() && file[at] != b'\n' {
            put(&mut page, length, file[at]);
            (length, at) = (length + 1, at + 1);
        }
        at += 1;
    }
    (page, length)
}

const fn put(page: &mut [u8], at: usize, byte: u8) {
    if at < page.len() {
        page[at] = byte;
    }
}

#[cfg(test)]
mod tests {
    /// That of a file of `LENGTH` bytes.
    fn page<const LENGTH: usize>(file: &str) -> String {
        assert_eq!(super::length(file.as_bytes()), LENGTH);
        String::from_utf8(super::bytes::<LENGTH>(file.as_bytes()).to_vec()).unwrap()
    }

    #[test]
    fn a_page_ends_where_the_code_begins() {
        assert_eq!(page::<6>("//! # A\n//!\n//! b\nuse x;\n//! c"), "# A\n\nb");
        assert_eq!(page::<3>("//! # A"), "# A");
        assert_eq!(page::<0>("use x;"), "");
        assert_eq!(page::<0>(""), "");
    }

    #[test]
    fn a_page_is_that_of_the_file_beside() {
        let page = crate::page!("page.rs");
        assert!(page.starts_with("The page of a cause, "), "{page}");
        assert_eq!(page.lines().count(), 1);
    }
}
