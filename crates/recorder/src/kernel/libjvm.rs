//! What a `libjvm.so` offers to attach to: USDT probes, or functions in its symbol table.
//!
//! The library has 20 MiB and more; it is read in pieces, so that the recorder stays small.
use object::{
    Endianness,
    elf::{FileHeader64, PT_LOAD, SHT_SYMTAB},
    read::{
        ReadCache,
        elf::{FileHeader, ProgramHeader, SectionHeader},
    },
};
use std::{fs::File, io, os::unix::fs::FileExt, path::Path};

pub(super) const CHUNK_BYTES: usize = 64 * 1024;
/// Notes are a few KiB; more is no note section of a JVM.
const MAX_NOTE_BYTES: u64 = 1024 * 1024;
/// `struct Elf64_Sym`.
pub(super) const SYMBOL_BYTES: u64 = 24;

/// Functions whose entries tell the same as the probes. They exist in JDK 11 to 25; what they are
/// given differs, so the mangled name counts up to its end (`E`).
pub(crate) const FUNCTIONS: [(Function, &str); 4] = [
    (Function::Begin, "_ZN14RuntimeService22record_safepoint_beginE"),
    (Function::Synchronized, "_ZN14RuntimeService29record_safepoint_synchronizedE"),
    (Function::OperationsEnd, "_ZN20SafepointSynchronize3endE"),
    (Function::End, "_ZN14RuntimeService20record_safepoint_endE"),
];

/// A function of [`FUNCTIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Function {
    /// Called where `safepoint__begin` fires.
    Begin,
    /// Called when all threads have stopped.
    Synchronized,
    /// Called when the operations are done, before any thread is woken.
    OperationsEnd,
    /// Called where `safepoint__end` fires.
    End,
}

/// A library that is looked into.
#[derive(Debug)]
pub(crate) struct Libjvm {
    file: File,
    pub(super) sections: Vec<Section>,
    /// Loaded segments: virtual address, file offset, length.
    pub(super) segments: Vec<(u64, u64, u64)>,
}

#[derive(Clone, Debug)]
pub(super) struct Section {
    name: Vec<u8>,
    pub(super) kind: u32,
    pub(super) link: u32,
    pub(super) offset: u64,
    pub(super) size: u64,
}

fn malformed(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

impl Libjvm {
    /// Reads the headers of the library at `path`.
    ///
    /// # Errors
    ///
    /// Where it cannot be read or is not a 64-bit ELF file.
    pub(crate) fn open(path: &Path) -> io::Result<Libjvm> {
        let file = File::open(path)?;
        let cache = ReadCache::new(file.try_clone()?);
        let header = FileHeader64::<Endianness>::parse(&cache).map_err(malformed)?;
        let endian = header.endian().map_err(malformed)?;
        let table = header.sections(endian, &cache).map_err(malformed)?;
        let sections = table.iter().map(|it| Section {
            name: table.section_name(endian, it).unwrap_or_default().to_vec(),
            kind: it.sh_type(endian),
            link: it.sh_link(endian),
            offset: it.sh_offset(endian),
            size: it.sh_size(endian),
        });
        let segments = header.program_headers(endian, &cache).map_err(malformed)?.iter();
        let loaded = segments.filter(|it| it.p_type(endian) == PT_LOAD);
        Ok(Libjvm {
            sections: sections.collect(),
            segments: loaded
                .map(|it| (it.p_vaddr(endian), it.p_offset(endian), it.p_filesz(endian)))
                .collect(),
            file,
        })
    }

    /// Whether it has the USDT probes of safepoints (built with `--enable-dtrace`).
    pub(crate) fn has_probes(&self) -> bool {
        let Some(notes) = self.sections.iter().find(|it| it.name == b".note.stapsdt") else {
            return false;
        };
        let mut bytes = vec![0; usize::try_from(notes.size.min(MAX_NOTE_BYTES)).unwrap_or(0)];
        let read = self.file.read_exact_at(&mut bytes, notes.offset);
        let has = |probe: &[u8]| memchr::memmem::find(&bytes, probe).is_some();
        read.is_ok()
            && has(b"hs_private\0safepoint__begin\0")
            && has(b"hs_private\0safepoint__end\0")
    }

    /// File offsets of the [`FUNCTIONS`], as far as the symbol table has them.
    ///
    /// # Errors
    ///
    /// Where the table cannot be read.
    pub(crate) fn functions(&self) -> io::Result<Vec<(Function, u64)>> {
        let Some(table) = self.sections.iter().find(|it| it.kind == SHT_SYMTAB) else {
            return Ok(Vec::new());
        };
        let Some(strings) = self.sections.get(table.link as usize) else {
            return Ok(Vec::new());
        };
        let names = self.find_names(strings)?;
        if names.is_empty() { Ok(Vec::new()) } else { self.find_symbols(table, &names) }
    }

    /// Where in the string table the wanted names begin.
    fn find_names(&self, strings: &Section) -> io::Result<Vec<(Function, u64)>> {
        let longest = FUNCTIONS.iter().map(|(_, name)| name.len()).max().unwrap_or(0);
        let mut found = Vec::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut at = 0;
        while at < strings.size {
            let len = chunk_len(strings.size - at);
            self.file.read_exact_at(&mut chunk[..len], strings.offset + at)?;
            for (function, name) in FUNCTIONS {
                let hits = memchr::memmem::find_iter(&chunk[..len], name);
                found.extend(hits.map(|hit| (function, at + hit as u64)));
            }
            if len < CHUNK_BYTES {
                break;
            }
            // A name may lie across two chunks.
            at += (len - longest) as u64;
        }
        found.sort_unstable_by_key(|(_, at)| *at);
        found.dedup();
        Ok(found)
    }

    fn find_symbols(
        &self,
        table: &Section,
        names: &[(Function, u64)],
    ) -> io::Result<Vec<(Function, u64)>> {
        let mut found = Vec::new();
        let mut chunk = vec![0; CHUNK_BYTES / 24 * 24];
        let mut at = 0;
        while at + SYMBOL_BYTES <= table.size && found.len() < names.len() {
            let len = chunk_len(table.size - at).min(chunk.len());
            self.file.read_exact_at(&mut chunk[..len], table.offset + at)?;
            for symbol in chunk[..len].chunks_exact(24) {
                let (name, value) = name_and_value(symbol);
                if let Ok(index) = names.binary_search_by_key(&u64::from(name), |(_, at)| *at)
                    && let Some(offset) = self.file_offset(value)
                {
                    found.push((names[index].0, offset));
                }
            }
            at += len as u64;
        }
        found.sort_unstable();
        found.dedup_by_key(|(function, _)| *function);
        Ok(found)
    }

    /// Reads bytes of the file.
    pub(super) fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(bytes, offset)
    }

    fn file_offset(&self, address: u64) -> Option<u64> {
        let inside = |it: &&(u64, u64, u64)| address.checked_sub(it.0).is_some_and(|by| by < it.2);
        self.segments.iter().find(inside).map(|(start, offset, _)| address - start + offset)
    }
}

pub(super) fn chunk_len(left: u64) -> usize {
    usize::try_from(left).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES)
}

/// `st_name` and `st_value` of a symbol table entry.
pub(super) fn name_and_value(symbol: &[u8]) -> (u32, u64) {
    let mut name = [0; 4];
    let mut value = [0; 8];
    name.copy_from_slice(&symbol[..4]);
    value.copy_from_slice(&symbol[8..16]);
    (u32::from_ne_bytes(name), u64::from_ne_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"\x7fELF and then nothing").unwrap();
        assert!(Libjvm::open(file.path()).is_err());
        std::fs::write(file.path(), vec![0xaa; 100_000]).unwrap();
        assert!(Libjvm::open(file.path()).is_err());
        assert!(Libjvm::open(Path::new("/nowhere")).is_err());
    }

    #[test]
    fn an_ordinary_program_has_neither_probes_nor_functions() {
        let own = std::env::current_exe().unwrap();
        let library = Libjvm::open(&own).unwrap();
        assert!(!library.has_probes());
        // This very test has the names in its data, but not as symbols.
        assert_eq!(library.functions().unwrap(), []);
    }
}
