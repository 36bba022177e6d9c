//! A bounded reader of hostile bytes: an ELF file whose author may be an attacker.
//!
//! No crate does it, as they read from a slice: from the whole file in memory or mapped. Of `object`
//! only the structures and constants are used.
//!
//! A JVM's `libjvm.so` belongs to the JVM's user. So every count and every size in it is held against
//! a bound and against the file's end before anything is read, what is read goes through buffers of a
//! fixed size, and nothing is mapped: a file that is cut while it is read is an error and not a signal.
use object::{
    NativeEndian,
    elf::{
        ELFCLASS64, ELFDATA2LSB, ELFDATA2MSB, ELFMAG, FileHeader64, PF_X, PT_LOAD, ProgramHeader64,
        SectionHeader64,
    },
    pod::{Pod, bytes_of_slice, bytes_of_slice_mut, slice_from_bytes},
};
use std::{
    fs::File,
    io,
    ops::ControlFlow,
    os::unix::fs::{FileExt, MetadataExt},
};

/// A libjvm has some 40 sections and 10 segments.
const MAX_SECTIONS: u16 = 512;
const MAX_SEGMENTS: u16 = 128;
/// The names of its sections have some 300 bytes.
const MAX_NAMES_BYTES: u64 = 64 * 1024;
/// Bytes kept of a section's name; the longest that is asked for is `.note.stapsdt`.
const MAX_NAME_BYTES: usize = 24;
/// Bytes read at once of what is large.
pub(crate) const PIECE_BYTES: usize = 64 * 1024;

/// What can be read by position.
pub(crate) trait Bytes {
    /// How many there are.
    fn len(&self) -> u64;

    /// Fills `into` with those from `at` on.
    ///
    /// # Errors
    ///
    /// Where there are fewer, or they cannot be read.
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()>;
}

impl Bytes for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..)?.get(..into.len()));
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// A regular file. What it does not have on its disk is not read: a sparse file costs its author
/// nothing, and its reader time and page cache.
#[derive(Debug)]
pub(crate) struct FileBytes {
    file: File,
    len: u64,
}

impl FileBytes {
    /// Of a file that is known to be regular.
    ///
    /// # Errors
    ///
    /// Where the kernel does not tell its length.
    pub(crate) fn new(file: File) -> io::Result<FileBytes> {
        let len = file.metadata()?.size();
        Ok(FileBytes { file, len })
    }

    /// Whether there is a hole in the bytes from `at` to `end`. A file system that knows of no holes
    /// has none.
    fn has_hole(&self, at: u64, end: u64) -> bool {
        let hole = rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Hole(at));
        hole.is_ok_and(|hole| hole < end)
    }
}

impl Bytes for FileBytes {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        if self.has_hole(at, at.saturating_add(into.len() as u64)) {
            return Err(malformed("a table lies in a hole of the file"));
        }
        self.file.read_exact_at(into, at)
    }
}

/// A 64-bit ELF file of this machine's byte order.
#[derive(Debug)]
pub(crate) struct Elf<B> {
    bytes: B,
    sections: Vec<Section>,
    segments: Vec<Segment>,
}

/// A section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    name: Vec<u8>,
    /// `SHT_…`
    pub(crate) kind: u32,
    /// Number of the section that belongs to it.
    pub(crate) link: u32,
    /// Where it is in memory, before the library is moved to where it is loaded.
    pub(crate) address: u64,
    offset: u64,
    pub(crate) size: u64,
}

/// A loaded segment.
#[derive(Clone, Copy, Debug)]
struct Segment {
    address: u64,
    offset: u64,
    size: u64,
    executable: bool,
}

impl<B: Bytes> Elf<B> {
    /// Reads the headers.
    ///
    /// # Errors
    ///
    /// Where it is no ELF file of 64 bits and this byte order, is cut short, or has more headers than
    /// any JVM.
    pub(crate) fn parse(bytes: B) -> io::Result<Elf<B>> {
        let header = table::<FileHeader64<NativeEndian>>(&bytes, 0, 1)?;
        let header = header.first().ok_or_else(|| malformed("it has no header"))?;
        let order = if cfg!(target_endian = "little") { ELFDATA2LSB } else { ELFDATA2MSB };
        let ident = header.e_ident;
        if (ident.magic, ident.class, ident.data) != (ELFMAG, ELFCLASS64, order) {
            return Err(malformed("it is no 64-bit ELF file of this machine"));
        }
        let count = (header.e_shnum.get(NativeEndian), header.e_phnum.get(NativeEndian));
        // None at all, but a place for them: their count is in the first of them, as it is too large.
        let uncounted = count.0 == 0 && header.e_shoff.get(NativeEndian) != 0;
        if uncounted || count.0 > MAX_SECTIONS || count.1 > MAX_SEGMENTS {
            return Err(malformed("it has more headers than any JVM"));
        }
        let segments = table(&bytes, header.e_phoff.get(NativeEndian), count.1.into())?;
        let sections = table(&bytes, header.e_shoff.get(NativeEndian), count.0.into())?;
        let names = sections.get(usize::from(header.e_shstrndx.get(NativeEndian)));
        let names = names.map_or(Ok(Vec::new()), |it| names_of(&bytes, it))?;
        Ok(Elf {
            sections: sections.iter().map(|it| section(it, &names)).collect(),
            segments: segments.iter().filter_map(segment).collect(),
            bytes,
        })
    }

    /// The first section with this name.
    pub(crate) fn named(&self, name: &[u8]) -> Option<&Section> {
        self.sections.iter().find(|it| it.name == name)
    }

    /// The first section of this kind.
    pub(crate) fn of_kind(&self, kind: u32) -> Option<&Section> {
        self.sections.iter().find(|it| it.kind == kind)
    }

    /// The section that belongs to another one.
    pub(crate) fn linked(&self, section: &Section) -> Option<&Section> {
        self.sections.get(usize::try_from(section.link).ok()?)
    }

    /// All of a section.
    ///
    /// # Errors
    ///
    /// Where it has more than `most` bytes, or they cannot be read.
    pub(crate) fn all(&self, section: &Section, most: u64) -> io::Result<Vec<u8>> {
        self.check(section, most)?;
        let mut bytes = vec![0; usize::try_from(section.size).map_err(|_| too_large())?];
        self.bytes.read(section.offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Hands over a section in pieces of [`PIECE_BYTES`], each with its place in the section and
    /// `overlap` bytes longer than what is new in the next, until `see` has had enough.
    ///
    /// # Errors
    ///
    /// Where it has more than `most` bytes, or they cannot be read.
    pub(crate) fn pieces(
        &self,
        section: &Section,
        most: u64,
        overlap: usize,
        see: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.check(section, most)?;
        let mut piece = vec![0; PIECE_BYTES];
        let mut at = 0;
        while at < section.size {
            let left = usize::try_from(section.size - at).unwrap_or(PIECE_BYTES);
            let piece = &mut piece[..left.min(PIECE_BYTES)];
            self.bytes.read(section.offset + at, piece)?;
            if see(at, piece).is_break() || left <= PIECE_BYTES {
                break;
            }
            at += (PIECE_BYTES - overlap) as u64;
        }
        Ok(())
    }

    fn check(&self, section: &Section, most: u64) -> io::Result<()> {
        if section.size > most {
            return Err(too_large());
        }
        let end = section.offset.checked_add(section.size).filter(|it| *it <= self.bytes.len());
        end.map(drop).ok_or_else(|| malformed("a table lies beyond the end of the file"))
    }

    /// The first address that it asks to be loaded at, and where that is in the file.
    pub(crate) fn first_segment(&self) -> Option<(u64, u64)> {
        self.segments.iter().map(|it| (it.address, it.offset)).min()
    }

    /// Where in the file the instruction with this address is.
    pub(crate) fn code_offset(&self, address: u64) -> Option<u64> {
        self.offset(address, true)
    }

    /// Where in the file what is loaded to this address is.
    pub(crate) fn data_offset(&self, address: u64) -> Option<u64> {
        self.offset(address, false)
    }

    fn offset(&self, address: u64, executable: bool) -> Option<u64> {
        let inside = |it: &&Segment| {
            it.executable == executable
                && address.checked_sub(it.address).is_some_and(|by| by < it.size)
        };
        let segment = self.segments.iter().find(inside)?;
        let offset = segment.offset.checked_add(address - segment.address)?;
        (offset < self.bytes.len()).then_some(offset)
    }
}

/// `count` of a structure that is laid out as in the file.
fn table<T: Pod>(bytes: &impl Bytes, at: u64, count: usize) -> io::Result<Vec<T>> {
    let len = count * size_of::<T>();
    // Numbers, so that the structures are aligned.
    let mut buffer = vec![0_u64; len.div_ceil(size_of::<u64>())];
    bytes.read(at, &mut bytes_of_slice_mut(&mut buffer)[..len])?;
    let found = slice_from_bytes::<T>(bytes_of_slice(&buffer), count);
    found.map(|(found, _)| found.to_vec()).map_err(|()| malformed("a table is not aligned"))
}

fn names_of(bytes: &impl Bytes, header: &SectionHeader64<NativeEndian>) -> io::Result<Vec<u8>> {
    let size = header.sh_size.get(NativeEndian).min(MAX_NAMES_BYTES);
    let mut names = vec![0; usize::try_from(size).unwrap_or(0)];
    bytes.read(header.sh_offset.get(NativeEndian), &mut names)?;
    Ok(names)
}

fn section(header: &SectionHeader64<NativeEndian>, names: &[u8]) -> Section {
    let at = usize::try_from(header.sh_name.get(NativeEndian)).unwrap_or(usize::MAX);
    let name = names.get(at..).unwrap_or_default();
    let name = &name[..name.len().min(MAX_NAME_BYTES)];
    Section {
        name: name[..memchr::memchr(0, name).unwrap_or(name.len())].to_vec(),
        kind: header.sh_type.get(NativeEndian),
        link: header.sh_link.get(NativeEndian),
        address: header.sh_addr.get(NativeEndian),
        offset: header.sh_offset.get(NativeEndian),
        size: header.sh_size.get(NativeEndian),
    }
}

fn segment(header: &ProgramHeader64<NativeEndian>) -> Option<Segment> {
    (header.p_type.get(NativeEndian) == PT_LOAD).then(|| Segment {
        address: header.p_vaddr.get(NativeEndian),
        offset: header.p_offset.get(NativeEndian),
        size: header.p_filesz.get(NativeEndian),
        executable: header.p_flags.get(NativeEndian) & PF_X != 0,
    })
}

/// An error that speaks of what was read.
pub(crate) fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn too_large() -> io::Error {
    malformed("a table is larger than any JVM's")
}

#[cfg(test)]
pub(crate) mod tests;
