//! Names of kernel functions, from `/proc/kallsyms`.
//!
//! Text symbols only, in two arrays and one string: 200,000 names take some 8 MiB as a table of
//! strings and 5 MiB like this.
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Those that a recording of this process has read, from which `/proc`.
static READ: Mutex<Option<(PathBuf, Weak<Symbols>)>> = Mutex::new(None);

/// The kernel's functions by address.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    addresses: Vec<u64>,
    /// Where the name of the same index begins in `names`; it ends where the next begins.
    starts: Vec<u32>,
    names: Vec<u8>,
}

/// Why there are no names.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SymbolsError {
    #[error("cannot read `/proc/kallsyms`: {0}")]
    Read(#[from] io::Error),
    #[error("the kernel hides its addresses (`kernel.kptr_restrict`); cap_syslog shows them")]
    Hidden,
}

impl Symbols {
    /// Reads the kernel's symbols.
    pub(crate) fn read(proc: &Path) -> Result<Symbols, SymbolsError> {
        Symbols::parse(BufReader::with_capacity(64 * 1024, File::open(proc.join("kallsyms"))?))
    }

    /// The same, once for all recordings of this process that go on at a time.
    pub(crate) fn shared(proc: &Path) -> Result<Arc<Symbols>, SymbolsError> {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, symbols)) = &*read
            && let Some(symbols) = symbols.upgrade().filter(|_| of == proc)
        {
            return Ok(symbols);
        }
        let symbols = Arc::new(Symbols::read(proc)?);
        *read = Some((proc.to_owned(), Arc::downgrade(&symbols)));
        Ok(symbols)
    }

    fn parse(mut text: impl BufRead) -> Result<Symbols, SymbolsError> {
        let mut found: Vec<(u64, u32, u8)> = Vec::new();
        let mut names = Vec::new();
        let mut line = Vec::new();
        while text.read_until(b'\n', &mut line)? > 0 {
            if let Some((address, name)) = function(&line) {
                let start = u32::try_from(names.len()).unwrap_or(u32::MAX);
                names.extend_from_slice(&name[..name.len().min(255)]);
                found.push((address, start, u8::try_from(name.len()).unwrap_or(255)));
            }
            line.clear();
        }
        if found.iter().all(|(address, ..)| *address == 0) {
            return Err(SymbolsError::Hidden);
        }
        Ok(Symbols::sorted(found, &names))
    }

    /// Symbols from the text of a `kallsyms`.
    #[cfg(test)]
    pub(crate) fn for_test(kallsyms: &str) -> Symbols {
        Symbols::parse(kallsyms.as_bytes()).expect("the test gives addresses")
    }

    fn sorted(mut found: Vec<(u64, u32, u8)>, unsorted: &[u8]) -> Symbols {
        found.sort_by_key(|(address, ..)| *address);
        // Aliases of one address: the first will do.
        found.dedup_by_key(|(address, ..)| *address);
        let mut symbols = Symbols {
            addresses: Vec::with_capacity(found.len()),
            starts: Vec::with_capacity(found.len()),
            names: Vec::with_capacity(unsorted.len()),
        };
        for (address, start, len) in found {
            let start = start as usize;
            symbols.addresses.push(address);
            symbols.starts.push(u32::try_from(symbols.names.len()).unwrap_or(u32::MAX));
            symbols.names.extend_from_slice(&unsorted[start..start + usize::from(len)]);
        }
        symbols
    }

    /// The function that `address` lies in, without what the compiler added to its name
    /// (`.constprop.0`, `.isra.0`, …). `None` below the first one.
    pub(crate) fn name(&self, address: u64) -> Option<&str> {
        let index = self.addresses.partition_point(|it| *it <= address).checked_sub(1)?;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(self.names.len(), |it| *it as usize);
        let name = self.names.get(start..end)?;
        let plain = name.split(|byte| *byte == b'.').next().unwrap_or(name);
        std::str::from_utf8(plain).ok()
    }
}

/// Begins the names of what lies before functions for others to patch, half of all names on kernels
/// that have it. Nothing runs there, and a call that does not return may well end where it begins.
const PADDING: &[u8] = b"__pfx_";

/// Address and name of a line like `ffffffff81000000 T _stext`; `None` for data and padding.
fn function(line: &[u8]) -> Option<(u64, &[u8])> {
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|it| !it.is_empty());
    let address = std::str::from_utf8(words.next()?).ok()?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let text = matches!(words.next()?, b"t" | b"T" | b"w" | b"W");
    let name = words.next()?;
    (text && !name.starts_with(PADDING)).then_some((address, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KALLSYMS: &str = "\
ffffffff81000000 T _stext
ffffffff81000400 t do_get_write_access.isra.0
ffffffff81000200 T schedule
ffffffff81000300 D jiffies
ffffffff810003f0 t __pfx_do_get_write_access.isra.0
ffffffff81000200 t schedule_alias
ffffffffc0001000 t ext4_page_mkwrite\t[ext4]
nonsense
";

    fn check(address: u64, expected: Option<&str>) {
        let symbols = Symbols::parse(KALLSYMS.as_bytes()).unwrap();
        assert_eq!(symbols.name(address), expected, "{address:x}");
    }

    #[test]
    fn an_address_belongs_to_the_function_before_it() {
        check(0xffff_ffff_8100_0000, Some("_stext"));
        check(0xffff_ffff_8100_0200, Some("schedule"));
        check(0xffff_ffff_8100_03ff, Some("schedule"));
        // Where a call that does not return ends a function.
        check(0xffff_ffff_8100_03f0, Some("schedule"));
        check(0xffff_ffff_8100_0400, Some("do_get_write_access"));
        check(0xffff_ffff_c000_1001, Some("ext4_page_mkwrite"));
        check(0xffff_ffff_80ff_ffff, None);
    }

    #[test]
    fn hidden_addresses_are_said_to_be_hidden() {
        let hidden = "0000000000000000 T _stext\n0000000000000000 T schedule\n";
        assert!(matches!(Symbols::parse(hidden.as_bytes()), Err(SymbolsError::Hidden)));
        assert!(matches!(Symbols::parse(&b""[..]), Err(SymbolsError::Hidden)));
    }
}
