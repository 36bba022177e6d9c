//! Where a `libjvm.so` has a variable, by its symbol table.
use super::libjvm::{CHUNK_BYTES, Libjvm, SYMBOL_BYTES, chunk_len, name_and_value};
use object::elf::SHT_SYMTAB;
use std::io;

impl Libjvm {
    /// The virtual address of the variable of this mangled name. `None` where the library has no
    /// symbol table (`strip`), or no such variable in it.
    ///
    /// # Errors
    ///
    /// Where the table cannot be read.
    pub(crate) fn variable(&self, name: &str) -> io::Result<Option<u64>> {
        let Some(table) = self.sections.iter().find(|it| it.kind == SHT_SYMTAB) else {
            return Ok(None);
        };
        let Some(strings) = self.sections.get(table.link as usize) else { return Ok(None) };
        let wanted = [b"\0", name.as_bytes(), b"\0"].concat();
        let Some(name) = self.find_bytes(strings.offset, strings.size, &wanted)? else {
            return Ok(None);
        };
        let mut chunk = vec![0; CHUNK_BYTES / 24 * 24];
        let mut at = 0;
        while at + SYMBOL_BYTES <= table.size {
            let len = chunk_len(table.size - at).min(chunk.len());
            self.read_at(&mut chunk[..len], table.offset + at)?;
            let found = chunk[..len].chunks_exact(24).map(name_and_value);
            if let Some((_, value)) = found.into_iter().find(|it| u64::from(it.0) == name + 1) {
                return Ok(Some(value));
            }
            at += len as u64;
        }
        Ok(None)
    }

    /// Where in a part of the file these bytes begin.
    fn find_bytes(&self, offset: u64, size: u64, wanted: &[u8]) -> io::Result<Option<u64>> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut at = 0;
        while at < size {
            let len = chunk_len(size - at);
            self.read_at(&mut chunk[..len], offset + at)?;
            if let Some(hit) = memchr::memmem::find(&chunk[..len], wanted) {
                return Ok(Some(at + hit as u64));
            }
            if len < CHUNK_BYTES {
                break;
            }
            // It may lie across two chunks.
            at += (len - wanted.len()) as u64;
        }
        Ok(None)
    }

    /// The first address that the library asks to be loaded at, and where that is in the file.
    pub(crate) fn first_segment(&self) -> Option<(u64, u64)> {
        self.segments.iter().min().map(|(address, offset, _)| (*address, *offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_the_variable_has_none() {
        let own = std::env::current_exe().unwrap();
        let library = Libjvm::open(&own).unwrap();
        assert_eq!(library.variable("_ZN20SafepointSynchronize6_stateX").unwrap(), None);
        assert!(library.first_segment().is_some());
    }
}
