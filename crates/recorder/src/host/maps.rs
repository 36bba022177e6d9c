//! Lines of `/proc/PID/maps`.
//!
//! Reading the file takes the process's `mmap_lock` for reading, a page of text at a time
//! (`fs/proc/task_mmu.c`), so it is read rarely, from its start only as far as needed, and never
//! by the sampling thread.
use super::process::ProcessDir;
use recording::FileKey;
use std::{io, ops::ControlFlow};

/// More text than the default limit of 65,530 mappings makes.
const LIMIT_BYTES: u64 = 32 * 1024 * 1024;

/// A mapping of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// First address and end, as written: the name under `map_files`.
    pub(crate) range: String,
    /// Device number as in `st_dev`.
    pub(crate) device: u64,
    /// Inode number.
    pub(crate) inode: u64,
    /// Path without ` (deleted)`.
    pub(crate) path: String,
    /// Whether the file has no name any more.
    pub(crate) deleted: bool,
    /// Whether the process may change the file by writing to this memory.
    pub(crate) writes_back: bool,
    /// Whether it may run what is there.
    pub(crate) executable: bool,
}

impl Mapping {
    /// Which file it is of.
    pub(crate) fn key(&self) -> FileKey {
        FileKey { device: self.device, inode: self.inode }
    }
}

/// What the kernel appends to the path of a file without a name (`fs/d_path.c`).
pub(crate) const DELETED: &str = " (deleted)";

/// Reads one line; `None` for memory that is no file's.
pub(crate) fn parse(line: &[u8]) -> Option<Mapping> {
    let (range, rest) = word(line)?;
    let (permissions, rest) = word(rest)?;
    let (_offset, rest) = word(rest)?;
    let (device, rest) = word(rest)?;
    let (inode, rest) = word(rest)?;
    let start = rest.iter().position(|&byte| byte != b' ')?;
    let path = &rest[start..];
    if path.first() != Some(&b'/') {
        return None;
    }
    let (major, minor) = std::str::from_utf8(device).ok()?.split_once(':')?;
    let hex = |text| u32::from_str_radix(text, 16).ok();
    let path = unescape(&String::from_utf8_lossy(path));
    let (path, deleted) = match path.strip_suffix(DELETED) {
        Some(path) => (path.to_owned(), true),
        None => (path, false),
    };
    Some(Mapping {
        range: String::from_utf8_lossy(range).into_owned(),
        device: rustix::fs::makedev(hex(major)?, hex(minor)?),
        inode: std::str::from_utf8(inode).ok()?.parse().ok()?,
        path,
        deleted,
        writes_back: matches!(permissions, [_, b'w', _, b's']),
        executable: matches!(permissions, [_, _, b'x', _]),
    })
}

fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b' ', line)?;
    Some((&line[..at], &line[at + 1..]))
}

/// First address, and device and inode, of a line about any memory.
pub(crate) fn place(line: &[u8]) -> Option<(u64, FileKey)> {
    let mut words = line.split(|it| *it == b' ').map(|it| std::str::from_utf8(it).ok());
    let (start, _) = words.next()??.split_once('-')?;
    let (major, minor) = words.nth(2)??.split_once(':')?;
    let hex = |text| u32::from_str_radix(text, 16).ok();
    let device = rustix::fs::makedev(hex(major)?, hex(minor)?);
    let inode = words.next()??.parse().ok()?;
    Some((u64::from_str_radix(start, 16).ok()?, FileKey { device, inode }))
}

/// A name of the kernel's lists (`maps`, `mountinfo`) as it is: three octal digits stand there for line
/// ends, and in some for blanks, `#` and backslashes (`mangle_path` of `fs/seq_file.c`). A name is bytes.
#[must_use]
pub fn unescaped(word: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(word.len()), word);
    while let [byte, after @ ..] = rest {
        let digit = |at: usize| after.get(at).filter(|it| matches!(it, b'0'..=b'7')).copied();
        match (byte, digit(0).zip(digit(1)).zip(digit(2))) {
            (b'\\', Some(((a, b), c))) => {
                plain.push(((a & 7) << 6) | ((b & 7) << 3) | (c & 7));
                rest = &after[3..];
            }
            _ => {
                plain.push(*byte);
                rest = after;
            }
        }
    }
    plain
}

/// The same of a text.
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    String::from_utf8_lossy(&unescaped(text.as_bytes())).into_owned()
}

/// Hands each mapping of a file to `see` until it breaks.
pub(crate) fn each(
    dir: &ProcessDir,
    see: &mut dyn FnMut(Mapping) -> ControlFlow<()>,
) -> io::Result<()> {
    dir.lines("maps", LIMIT_BYTES, &mut |line| {
        parse(line).map_or(ControlFlow::Continue(()), &mut *see)
    })
}

/// Files that the process may change by writing to memory, at most `most`. Reads all mappings.
pub(crate) fn written_back(dir: &ProcessDir, most: usize) -> Vec<Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    // What was found until an error counts.
    let _ = each(dir, &mut |mapping| {
        let same = |it: &Mapping| (it.device, it.inode) == (mapping.device, mapping.inode);
        if mapping.writes_back && !found.iter().any(same) {
            found.push(mapping);
        }
        if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    found
}

/// Where the library of this path begins. `None` where no mapping has its first bytes.
pub(crate) fn library_base(dir: &ProcessDir, library: &str) -> io::Result<Option<u64>> {
    let mut found = None;
    dir.lines("maps", LIMIT_BYTES, &mut |line| {
        let offset = line.split(|it| *it == b' ').nth(2).unwrap_or_default();
        let is_first = !offset.is_empty() && offset.iter().all(|it| *it == b'0');
        let mapping = parse(line).filter(|it| is_first && it.path == library);
        let start =
            mapping.and_then(|it| u64::from_str_radix(it.range.split('-').next()?, 16).ok());
        found = start;
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// Executable memory that is no file's: where a JVM has its compiled code. First address and end.
pub(crate) fn anonymous_code(dir: &ProcessDir) -> io::Result<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    dir.lines("maps", LIMIT_BYTES, &mut |line| {
        found.extend(anonymous_code_range(line));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn anonymous_code_range(line: &[u8]) -> Option<(u64, u64)> {
    let words: Vec<&str> = std::str::from_utf8(line).ok()?.split_ascii_whitespace().collect();
    let [range, permissions, _offset, _device, _inode] = words[..] else { return None };
    let (start, end) = range.split_once('-').filter(|_| permissions.contains('x'))?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some((hex(start)?, hex(end)?))
}

/// Addresses of private memory, which may be in swap: the heap, what the collector keeps of it,
/// stacks, and of files what was changed in memory, as the classes of a shared archive are.
pub(crate) fn private_memory(dir: &ProcessDir) -> io::Result<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    dir.lines("maps", LIMIT_BYTES, &mut |line| {
        found.extend(private_range(line));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn private_range(line: &[u8]) -> Option<(u64, u64)> {
    let (range, rest) = word(line)?;
    let (permissions, _) = word(rest)?;
    let (start, end) = std::str::from_utf8(range).ok()?.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let may_be = permissions.starts_with(b"r") && permissions.ends_with(b"p");
    may_be.then_some((hex(start)?, hex(end)?))
}

/// The first mapping of HotSpot's library.
pub(crate) fn libjvm(dir: &ProcessDir) -> io::Result<Option<Mapping>> {
    let name = memchr::memmem::Finder::new(b"/libjvm.so");
    let mut found = None;
    dir.lines("maps", LIMIT_BYTES, &mut |line| {
        if name.find(line).is_some()
            && let Some(mapping) = parse(line).filter(|it| it.path.ends_with("/libjvm.so"))
        {
            found = Some(mapping);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_code_is_executable_and_no_files() {
        let range = |line: &str| anonymous_code_range(line.as_bytes());
        assert_eq!(range("7f27-7f28 rwxp 00000000 00:00 0 "), Some((0x7f27, 0x7f28)));
        assert_eq!(range("7f27-7f28 rw-p 00000000 00:00 0 "), None);
        assert_eq!(range("7f27-7f28 r-xp 00000000 00:00 0   [vdso]"), None);
        assert_eq!(range("7f27-7f28 r-xp 00000000 08:01 77  /lib/libjvm.so"), None);
        assert_eq!(range("7f27 rwxp 00000000 00:00 0"), None);
    }

    #[test]
    fn private_memory_that_can_be_read_may_be_in_swap() {
        let range = |line: &str| private_range(line.as_bytes());
        assert_eq!(range("7f27-7f28 rw-p 00000000 00:00 0 "), Some((0x7f27, 0x7f28)));
        assert_eq!(range("7f27-7f28 rw-p 00000000 00:00 0   [anon:a b]"), Some((0x7f27, 0x7f28)));
        assert_eq!(
            range("7f27-7f28 r--p 00000000 08:01 77  /lib/classes.jsa"),
            Some((0x7f27, 0x7f28))
        );
        assert_eq!(range("7f27-7f28 ---p 00000000 00:00 0 "), None);
        assert_eq!(range("7f27-7f28 rw-s 00000000 00:05 0   /dev/zero (deleted)"), None);
        assert_eq!(range("7f27 r--p"), None);
    }

    fn check(line: &str, expected: &str) {
        let shown = parse(line.as_bytes()).map_or_else(
            || "none".to_owned(),
            |it| {
                let write = if it.writes_back { " written back" } else { "" };
                format!("{:#x} {} {} {}{write}", it.device, it.inode, it.path, it.deleted)
            },
        );
        assert_eq!(shown, expected, "{line}");
    }

    #[test]
    fn mappings_of_files() {
        check(
            "7f00-7f10 r-xp 00000000 fe:00 1234                   /usr/lib/libjvm.so",
            "0xfe00 1234 /usr/lib/libjvm.so false",
        );
        check(
            "7f00-7f10 rw-s 00000000 08:11 77                     /data/a b.log (deleted)",
            "0x811 77 /data/a b.log true written back",
        );
        check("7f-80 r--p 00000000 08:11 7       /a\\012b", "0x811 7 /a\nb false");
        check("7f-80 rw-p 00000000 08:11 7       /a", "0x811 7 /a false");
        check("7f-80 r--s 00000000 08:11 7       /a", "0x811 7 /a false");
    }

    #[test]
    fn a_place_is_where_it_begins_and_what_is_there() {
        let line = b"7f00-7f10 r-xp 00000000 fe:00 1234     /usr/lib/\xff";
        assert_eq!(place(line), Some((0x7f00, FileKey { device: 0xfe00, inode: 1234 })));
        let anonymous = FileKey { device: 0, inode: 0 };
        assert_eq!(place(b"7f00-7f10 rw-p 00000000 00:00 0 "), Some((0x7f00, anonymous)));
        assert_eq!(place(b"7f00-7f10 r-xp"), None);
    }

    #[test]
    fn other_memory_is_no_file() {
        for line in [
            "",
            "7f00-7f10 rw-p 00000000 00:00 0 ",
            "7f00-7f10 rw-p 00000000 00:00 0                      [heap]",
            "7f00-7f10 rw-p 00000000 00:00 0                      [anon: /x]",
            "7f00-7f10 rw-p 00000000 zz:00 0                      /x",
            "7f00-7f10 rw-p",
        ] {
            check(line, "none");
        }
    }

    #[test]
    fn a_backslash_that_is_no_escape_stays() {
        assert_eq!(unescape(r"a\040b\x\99\+12"), r"a b\x\99\+12");
    }
}
