//! Where a `libjvm.so` has a variable, by its symbol table.
use super::{
    elf::{Bytes, PIECE_BYTES},
    libjvm::{Libjvm, MAX_TABLE_BYTES, SYMBOL_BYTES, name_and_value},
};
use object::elf::SHT_SYMTAB;
use std::{io, ops::ControlFlow};

impl<B: Bytes> Libjvm<B> {
    /// The virtual address of the variable of this mangled name. `None` where the library has no
    /// symbol table (`strip`), or no such variable in it.
    ///
    /// # Errors
    ///
    /// Where the table cannot be read, or is larger than any JVM's.
    pub(crate) fn variable(&self, name: &str) -> io::Result<Option<u64>> {
        let Some(table) = self.elf.of_kind(SHT_SYMTAB) else { return Ok(None) };
        let Some(name) = self.place_of_name(name)? else { return Ok(None) };
        let mut found = None;
        // A symbol may lie across two pieces: so much overlap makes the pieces begin with one.
        let overlap = PIECE_BYTES % SYMBOL_BYTES;
        self.elf.pieces(table, MAX_TABLE_BYTES, overlap, &mut |_, piece| {
            let mut symbols = piece.chunks_exact(SYMBOL_BYTES).map(name_and_value);
            found = symbols.find(|it| u64::from(it.0) == name).map(|it| it.1);
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Where in the string table this whole name begins.
    fn place_of_name(&self, name: &str) -> io::Result<Option<u64>> {
        let table = self.elf.of_kind(SHT_SYMTAB);
        let Some(strings) = table.and_then(|it| self.elf.linked(it)) else { return Ok(None) };
        let wanted = [b"\0", name.as_bytes(), b"\0"].concat();
        let mut found = None;
        // A name may lie across two pieces.
        self.elf.pieces(strings, MAX_TABLE_BYTES, wanted.len(), &mut |at, piece| {
            found = memchr::memmem::find(piece, &wanted).map(|hit| at + hit as u64 + 1);
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// The first address that the library asks to be loaded at, and where that is in the file.
    pub(crate) fn first_segment(&self) -> Option<(u64, u64)> {
        self.elf.first_segment()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_program_without_the_variable_has_none() {
        let own = File::open(std::env::current_exe().unwrap()).unwrap();
        let library = Libjvm::open(own).unwrap();
        assert_eq!(library.variable("_ZN20SafepointSynchronize6_stateX").unwrap(), None);
        assert!(library.first_segment().is_some());
    }
}
