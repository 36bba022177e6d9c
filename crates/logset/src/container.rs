//! What a file is packed in, from its first bytes.
use crate::Error;

/// Number of leading bytes that identify it.
pub(crate) const MAGIC_BYTES: usize = 264;

/// What a log is packed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// Nothing: text, or something unknown.
    Plain,
    /// RFC 1952, one member or several.
    Gzip,
    /// RFC 8878, one frame or several.
    Zstd,
    /// PKWARE's APPNOTE.
    Zip,
}

/// First bytes, what they are of, and how to get at a log all the same.
const FOREIGN: [(&[u8], &str, &str); 7] = [
    (
        b"JAVA PROFILE 1.",
        "is a heap dump",
        "it shows one moment and no pause: give the JVM's GC log, or a recording of `whypause record`",
    ),
    (b"BZh", "is compressed with bzip2", "bzcat FILE | whypause explain -"),
    (b"\xfd7zXZ\0", "is compressed with xz", "xzcat FILE | whypause explain -"),
    (b"\x04\x22\x4d\x18", "is compressed with lz4", "lz4cat FILE | whypause explain -"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", "7z x -so FILE | whypause explain -"),
    (b"PAR1", "is one table of a recording", "give the directory that it is in"),
    (b"FLR\0", "is a JFR recording", "give the JVM's GC log, or a recording of `whypause record`"),
];

/// Where the magic word of a tar archive is: POSIX `ustar` header.
const TAR: (usize, &[u8]) = (257, b"ustar");

impl Container {
    /// Judges by the first bytes, up to [`MAGIC_BYTES`].
    pub(crate) fn of(start: &[u8]) -> Container {
        match start {
            [0x1f, 0x8b, ..] => Container::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Container::Zstd,
            // A skippable frame, as some compressors write first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Container::Zstd,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Container::Zip,
            _ => Container::Plain,
        }
    }
}

/// Refuses by name what is known and cannot be read. `shown` is how the user knows the file.
pub(crate) fn refuse_foreign(start: &[u8], shown: &str) -> Result<(), Error> {
    if is_tar(start) {
        let hint = "unpack it, and give the directory";
        return Err(Error::new(format!("`{shown}` is a tar archive"), hint));
    }
    match FOREIGN.iter().find(|(magic, ..)| start.starts_with(magic)) {
        Some((_, what, hint)) => Err(Error::new(format!("`{shown}` {what}"), *hint)),
        None => Ok(()),
    }
}

/// Text and packed files may have the magic word there by chance, but not the zeros after the
/// names and numbers of a header.
fn is_tar(start: &[u8]) -> bool {
    let header = start.split_at_checked(TAR.0);
    Container::of(start) == Container::Plain
        && header.is_some_and(|(fields, rest)| rest.starts_with(TAR.1) && fields.contains(&0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decide() {
        assert_eq!(Container::of(b"\x1f\x8b\x08"), Container::Gzip);
        assert_eq!(Container::of(b"\x28\xb5\x2f\xfd"), Container::Zstd);
        assert_eq!(Container::of(b"PK\x03\x04"), Container::Zip);
        assert_eq!(Container::of(b"[0.1s][info][gc] Using G1"), Container::Plain);
        assert_eq!(Container::of(b""), Container::Plain);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let said = |start: &[u8]| refuse_foreign(start, "x").expect_err("foreign").to_string();
        assert_eq!(said(b"BZh91AY"), "`x` is compressed with bzip2");
        assert_eq!(said(b"FLR\0\0"), "`x` is a JFR recording");
        let tar = [&[b'a'; 99][..], &[0; 158], b"ustar\x0000"].concat();
        assert_eq!(said(&tar), "`x` is a tar archive");
        assert_eq!(refuse_foreign(b"[0.1s] text", "x"), Ok(()));
    }

    #[test]
    fn an_archive_or_text_with_the_word_of_tar_in_its_place_was_taken_for_tar() {
        let zip = [&b"PK\x03\x04"[..], &[0; 253], b"ustar"].concat();
        assert_eq!(refuse_foreign(&zip, "x"), Ok(()));
        let text = [&[b'a'; 257][..], b"ustar"].concat();
        assert_eq!(refuse_foreign(&text, "x"), Ok(()));
    }
}
