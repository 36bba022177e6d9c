//! Libraries that are put together here, and real ones.
use super::{
    super::{
        elf::{PIECE_BYTES, tests::Made},
        usdt::tests::note,
    },
    *,
};
use object::elf::{PF_R, PF_X, SHT_NOTE, SHT_STRTAB};
use std::path::{Path, PathBuf};
use testing::Jdk;

/// With these names in the table, each as the symbol of the function at 0x1000 and its number.
fn library(strings: &[u8], symbols: &[u8]) -> Vec<u8> {
    Made::new()
        .segment(0x1000, 0, 64, PF_R | PF_X)
        .section(".strtab", [SHT_STRTAB, 0], 0, strings)
        .section(".symtab", [SHT_SYMTAB, 1], 0, symbols)
        .bytes()
}

fn symbol(name: usize, value: u64) -> Vec<u8> {
    let mut symbol = vec![0; SYMBOL_BYTES];
    symbol[..4].copy_from_slice(&u32::try_from(name).unwrap().to_ne_bytes());
    symbol[8..16].copy_from_slice(&value.to_ne_bytes());
    symbol
}

fn functions(strings: &[u8], symbols: &[u8]) -> io::Result<Vec<(Function, u64)>> {
    Libjvm::parse(&library(strings, symbols)[..])?.functions()
}

#[test]
fn functions_are_found_wherever_their_names_and_symbols_lie() {
    let name = FUNCTIONS[0].1;
    // Across the border of two pieces, and of their overlap, too.
    let before = [0, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES - 30, 2 * PIECE_BYTES - 60];
    for before in before {
        let strings = [&vec![b'x'; before], name.as_bytes(), b"v\0"].concat();
        for others in [0, 2729, 2730, 2731, 9000] {
            let mut symbols = symbol(1, 0x1001).repeat(others);
            symbols.extend(symbol(before, 0x1002));
            let expected = [(Function::Begin, 2)];
            assert_eq!(functions(&strings, &symbols).unwrap(), expected, "{before} {others}");
        }
    }
}

#[test]
fn a_name_without_a_symbol_or_without_code_is_no_function() {
    let strings = format!("\0{}v\0", FUNCTIONS[1].1);
    assert_eq!(functions(strings.as_bytes(), &[]).unwrap(), []);
    assert_eq!(functions(strings.as_bytes(), &symbol(2, 0x1001)).unwrap(), []);
    assert_eq!(functions(strings.as_bytes(), &symbol(1, 0x2000)).unwrap(), []);
    let cut = &symbol(1, 0x1001)[..SYMBOL_BYTES - 1];
    assert_eq!(functions(strings.as_bytes(), cut).unwrap(), []);
}

#[test]
fn a_function_has_so_many_names_and_no_more() {
    let strings = |count| format!("{}\0", FUNCTIONS[3].1).repeat(count);
    let symbols = symbol(0, 0x1001);
    let found = functions(strings(MAX_NAMES).as_bytes(), &symbols).unwrap();
    assert_eq!(found, [(Function::End, 1)]);
    let error = functions(strings(MAX_NAMES + 1).as_bytes(), &symbols).unwrap_err();
    assert_eq!(error.to_string(), "it has a function more often than any JVM");
}

#[test]
fn a_library_without_one_of_the_probes_counts_as_without() {
    let library = library(b"", b"");
    let library = Libjvm::parse(&library[..]).unwrap();
    assert_eq!(library.probes([("hotspot", "vmops__begin")]).unwrap(), None);
}

#[test]
fn any_byte_may_be_wrong() {
    let probe = note([0x1001, 0, 0], "hs_private\0safepoint__begin\0\0");
    let operation = note([0x1002, 0, 0], "hotspot\0vmops__begin\08@%r12\0");
    let strings = format!("\0{}v\0", FUNCTIONS[0].1);
    let library = Made::new()
        .segment(0x1000, 0, 64, PF_R | PF_X)
        .section(".strtab", [SHT_STRTAB, 0], 0, strings.as_bytes())
        .section(".symtab", [SHT_SYMTAB, 1], 0, &symbol(1, 0x1001))
        .section(".note.stapsdt", [SHT_NOTE, 0], 0, &[probe, operation].concat())
        .bytes();
    assert_eq!(read_libjvm(&library), (2, 1));
    for at in 0..library.len() {
        for wrong in [0, 1, 0x7f, 0x80, 0xff] {
            let mut library = library.clone();
            library[at] = wrong;
            let (probes, functions) = read_libjvm(&library);
            assert!(probes <= 2 && functions <= 1, "{at} {wrong}");
        }
    }
}

#[test]
fn an_ordinary_program_has_neither_probes_nor_functions() {
    let own = File::open(std::env::current_exe().unwrap()).unwrap();
    let library = Libjvm::open(own).unwrap();
    assert_eq!(library.probes([("hs_private", "safepoint__begin")]).unwrap(), None);
    // This very test has the names in its data, but not as symbols.
    assert_eq!(library.functions().unwrap(), []);
}

/// The libraries of the JDKs that are here.
fn real() -> Vec<PathBuf> {
    let libraries = Jdk::installed(0).into_iter().map(|it| it.home.join(Jdk::LIBJVM));
    libraries.filter(|it| it.exists()).collect()
}

/// What `readelf` says of the same file, without its addresses being moved.
fn readelf(library: &Path, option: &str) -> Option<String> {
    let mut command = spawn::command("readelf");
    command.args([option, "-W"]).arg(library);
    let said = spawn::run(command, std::time::Duration::from_secs(120)).ok()?;
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

#[test]
fn of_a_real_library_the_same_is_found_as_by_readelf() {
    for path in real() {
        let Some(notes) = readelf(&path, "-n") else {
            println!("SKIPPED: no readelf");
            return;
        };
        let library = Libjvm::open(File::open(&path).unwrap()).unwrap();
        let wanted = [("hotspot", "vmops__begin"), ("hs_private", "safepoint__begin")];
        let found = library.probes(wanted).unwrap().unwrap_or_default();
        for ((_, name), sites) in wanted.into_iter().zip(found) {
            let texts = notes.split("Name: ").filter(|it| it.lines().next() == Some(name));
            let places = texts.filter_map(|it| it.split("Location: 0x").nth(1)?.get(..16));
            let places = places.map(|it| u64::from_str_radix(it, 16).unwrap());
            let offsets: Vec<_> = places.filter_map(|it| library.elf.code_offset(it)).collect();
            let found: Vec<_> = sites.iter().map(|it| it.offset).collect();
            assert_eq!(found, offsets, "{} {name}", path.display());
            if name == "vmops__begin" {
                assert!(sites.iter().all(|it| it.argument != 0), "{}", path.display());
            }
        }
        let symbols = readelf(&path, "-s").unwrap_or_default();
        for (function, offset) in library.functions().unwrap() {
            let name = FUNCTIONS.iter().find(|it| it.0 == function).unwrap().1;
            let line = symbols.lines().find(|line| line.contains(name)).unwrap();
            let address = line.split_ascii_whitespace().nth(1).unwrap();
            let address = u64::from_str_radix(address, 16).unwrap();
            assert_eq!(library.elf.code_offset(address), Some(offset), "{}", path.display());
        }
    }
}
