//! What a `libjvm.so` offers to attach to: USDT probes, or functions in its symbol table.
//!
//! The library has 20 MiB and more; it is read in pieces, so that the recorder stays small.
use super::{
    elf::{Bytes, Elf, FileBytes, malformed},
    usdt::{self, Site},
};
use object::elf::SHT_SYMTAB;
use std::{fs::File, io, ops::ControlFlow};

/// Of JDK 25 the names of all symbols have 4 MB and the symbols 2 MB.
pub(super) const MAX_TABLE_BYTES: u64 = 64 * 1024 * 1024;
/// Each of [`FUNCTIONS`] is there once, or with its copies a few times.
const MAX_NAMES: usize = 64;
/// `struct Elf64_Sym`.
pub(super) const SYMBOL_BYTES: usize = 24;

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
pub(crate) struct Libjvm<B> {
    pub(super) elf: Elf<B>,
}

impl Libjvm<FileBytes> {
    /// Reads the headers of a regular file.
    ///
    /// # Errors
    ///
    /// Where it cannot be read or is not a 64-bit ELF file.
    pub(crate) fn open(file: File) -> io::Result<Libjvm<FileBytes>> {
        Libjvm::parse(FileBytes::new(file)?)
    }
}

impl<B: Bytes> Libjvm<B> {
    /// Reads the headers.
    ///
    /// # Errors
    ///
    /// Where it is not a 64-bit ELF file.
    pub(crate) fn parse(bytes: B) -> io::Result<Libjvm<B>> {
        Ok(Libjvm { elf: Elf::parse(bytes)? })
    }

    /// Where each of these USDT probes (provider, name) is. `None` where the library lacks one: it is
    /// built with `--enable-dtrace` or without.
    ///
    /// # Errors
    ///
    /// Where its notes cannot be read.
    pub(crate) fn probes<const N: usize>(
        &self,
        wanted: [(&str, &str); N],
    ) -> io::Result<Option<[Vec<Site>; N]>> {
        let mut found = [const { Vec::new() }; N];
        for ((provider, name), found) in wanted.into_iter().zip(&mut found) {
            *found = usdt::sites(&self.elf, provider, name)?;
            if found.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// File offsets of the [`FUNCTIONS`], as far as the symbol table has them.
    ///
    /// # Errors
    ///
    /// Where the table cannot be read.
    pub(crate) fn functions(&self) -> io::Result<Vec<(Function, u64)>> {
        let names = self.find_names()?;
        if names.is_empty() { Ok(Vec::new()) } else { self.find_symbols(&names) }
    }

    /// Where in the string table the wanted names begin.
    fn find_names(&self) -> io::Result<Vec<(Function, u64)>> {
        let table = self.elf.of_kind(SHT_SYMTAB);
        let Some(strings) = table.and_then(|it| self.elf.linked(it)) else {
            return Ok(Vec::new());
        };
        // A name may lie across two pieces.
        let longest = FUNCTIONS.iter().map(|(_, name)| name.len()).max().unwrap_or(0);
        let mut found = Vec::new();
        self.elf.pieces(strings, MAX_TABLE_BYTES, longest, &mut |at, piece| {
            for (function, name) in FUNCTIONS {
                let hits = memchr::memmem::find_iter(piece, name);
                let room = MAX_NAMES + 1 - found.len();
                found.extend(hits.take(room).map(|hit| (function, at + hit as u64)));
            }
            if found.len() > MAX_NAMES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if found.len() > MAX_NAMES {
            return Err(malformed("it has a function more often than any JVM"));
        }
        found.sort_unstable_by_key(|(_, at)| *at);
        found.dedup();
        Ok(found)
    }

    fn find_symbols(&self, names: &[(Function, u64)]) -> io::Result<Vec<(Function, u64)>> {
        let Some(table) = self.elf.of_kind(SHT_SYMTAB) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        // A symbol may lie across two pieces: so much overlap makes the pieces begin with one.
        let overlap = super::elf::PIECE_BYTES % SYMBOL_BYTES;
        self.elf.pieces(table, MAX_TABLE_BYTES, overlap, &mut |_, piece| {
            for symbol in piece.chunks_exact(SYMBOL_BYTES) {
                let (name, value) = name_and_value(symbol);
                if let Ok(index) = names.binary_search_by_key(&u64::from(name), |(_, at)| *at)
                    && let Some(offset) = self.elf.code_offset(value)
                {
                    found.push((names[index].0, offset));
                }
            }
            match found.len() >= names.len() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        found.sort_unstable();
        found.dedup_by_key(|(function, _)| *function);
        Ok(found)
    }
}

/// How many places of probes, and how many functions, are found in these bytes: for the fuzzer, which
/// has no other door to what reads them.
#[cfg(any(test, fuzzing))]
#[must_use]
pub(crate) fn read_libjvm(bytes: &[u8]) -> (usize, usize) {
    let Ok(library) = Libjvm::parse(bytes) else { return (0, 0) };
    let wanted = [("hs_private", "safepoint__begin"), ("hotspot", "vmops__begin")];
    let probes = library.probes(wanted).ok().flatten();
    let functions = library.functions().map_or(0, |it| it.len());
    (probes.map_or(0, |it| it.iter().map(Vec::len).sum()), functions)
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
mod tests;
