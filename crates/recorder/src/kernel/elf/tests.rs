//! Files that are put together here, right and wrong.
use super::*;
use object::elf::{PF_R, SHT_PROGBITS, SHT_STRTAB};

/// An ELF file of these parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    sections: Vec<(Vec<u8>, Vec<u8>)>,
    names: Vec<u8>,
    segments: Vec<[u64; 4]>,
}

/// Of the file's header.
pub(crate) const HEADER_BYTES: usize = 64;

impl Made {
    pub(crate) fn new() -> Made {
        // Number 0 is nobody's.
        Made::default().section("", [0, 0], 0, &[])
    }

    /// A section: kind and number of the one that belongs to it, address, content.
    pub(crate) fn section(
        mut self,
        name: &str,
        [kind, link]: [u32; 2],
        address: u64,
        bytes: &[u8],
    ) -> Made {
        let mut header = Vec::new();
        header.extend(u32::try_from(self.names.len()).unwrap().to_ne_bytes());
        header.extend(kind.to_ne_bytes());
        header.extend(0_u64.to_ne_bytes());
        header.extend(address.to_ne_bytes());
        header.extend(0_u64.to_ne_bytes());
        header.extend((bytes.len() as u64).to_ne_bytes());
        header.extend(link.to_ne_bytes());
        header.resize(64, 0);
        self.names.extend(name.as_bytes());
        self.names.push(0);
        self.sections.push((header, bytes.to_vec()));
        self
    }

    /// A loaded segment: address, place in the file, length, flags.
    pub(crate) fn segment(mut self, address: u64, offset: u64, size: u64, flags: u32) -> Made {
        self.segments.push([address, offset, size, flags.into()]);
        self
    }

    /// Header, headers of segments, contents of sections, headers of sections.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let named = self.clone().section(".shstrtab", [SHT_STRTAB, 0], 0, &[]);
        let mut sections = named.sections;
        sections.last_mut().unwrap().0[32..40]
            .copy_from_slice(&(named.names.len() as u64).to_ne_bytes());
        sections.last_mut().unwrap().1 = named.names;
        let mut body = Vec::new();
        for [address, offset, size, flags] in &self.segments {
            body.extend(PT_LOAD.to_ne_bytes());
            body.extend(u32::try_from(*flags).unwrap().to_ne_bytes());
            for word in [offset, address, address, size, size, &4096] {
                body.extend(word.to_ne_bytes());
            }
        }
        for (header, bytes) in &mut sections {
            let at = (HEADER_BYTES + body.len()) as u64;
            header[24..32].copy_from_slice(&at.to_ne_bytes());
            body.extend(&*bytes);
        }
        let mut file = vec![0x7f, b'E', b'L', b'F', 2, 0, 1];
        file[5] = if cfg!(target_endian = "little") { 1 } else { 2 };
        file.resize(HEADER_BYTES, 0);
        file[32..40].copy_from_slice(&(HEADER_BYTES as u64).to_ne_bytes());
        file[40..48].copy_from_slice(&((HEADER_BYTES + body.len()) as u64).to_ne_bytes());
        let half = |it: usize| u16::try_from(it).unwrap().to_ne_bytes();
        file[56..58].copy_from_slice(&half(self.segments.len()));
        file[60..62].copy_from_slice(&half(sections.len()));
        file[62..64].copy_from_slice(&half(sections.len() - 1));
        file.extend(body);
        file.extend(sections.iter().flat_map(|(header, _)| header));
        file
    }
}

fn said<T: std::fmt::Debug>(result: io::Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn sections_are_found_by_name_kind_and_number() {
    let file = Made::new()
        .section(".text", [SHT_PROGBITS, 0], 0x1000, b"code")
        .section(".symtab", [2, 1], 0, b"symbols")
        .bytes();
    let elf = Elf::parse(&file[..]).unwrap();
    let text = elf.named(b".text").unwrap();
    assert_eq!((text.address, text.size), (0x1000, 4));
    assert_eq!(elf.all(text, 4).unwrap(), b"code");
    assert_eq!(elf.linked(elf.of_kind(2).unwrap()), Some(text));
    assert_eq!(elf.named(b".tex"), None);
}

#[test]
fn code_is_in_executable_segments_that_the_file_has() {
    let file = Made::new()
        .segment(0x1000, 0x40, 0x20, PF_R | PF_X)
        .segment(0x2000, 0x40, 0x20, PF_R)
        .segment(0x3000, u64::MAX - 4, 0x20, PF_R | PF_X)
        .bytes();
    let elf = Elf::parse(&file[..]).unwrap();
    let code = |address| elf.code_offset(address);
    assert_eq!(
        (code(0xfff), code(0x1000), code(0x101f), code(0x1020)),
        (None, Some(0x40), Some(0x5f), None)
    );
    assert_eq!((code(0x2000), elf.data_offset(0x2000)), (None, Some(0x40)));
    assert_eq!((code(0x3000), code(0x3010)), (None, None));
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let file = Made::new().bytes();
    for (at, value) in [(0, 0), (4, 1), (5, 3)] {
        let mut other = file.clone();
        other[at] = value;
        assert_eq!(said(Elf::parse(&other[..])), "it is no 64-bit ELF file of this machine");
    }
    assert!(Elf::parse(&[][..]).is_err());
    assert!(Elf::parse(&[0xaa; 100_000][..]).is_err());
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_has_its_tables() {
    let file = Made::new().section(".text", [SHT_PROGBITS, 0], 0, b"code").bytes();
    assert!(Elf::parse(&file[..]).is_ok());
    for len in 0..file.len() {
        assert!(Elf::parse(&file[..len]).is_err(), "{len}");
    }
}

#[test]
fn more_headers_than_any_jvm_has_are_refused_before_they_are_read() {
    let most = usize::from(MAX_SECTIONS);
    let made = |sections: usize| {
        let made = (0..sections).fold(Made::new(), |it, _| it.section("", [0, 0], 0, &[]));
        Elf::parse(&made.bytes()[..]).map(drop)
    };
    // With the first one and that of the names.
    assert!(made(most - 2).is_ok());
    assert_eq!(said(made(most - 1)), "it has more headers than any JVM");
    let made = |segments: u16| {
        let made = (0..segments).fold(Made::new(), |it, _| it.segment(0, 0, 0, PF_R));
        Elf::parse(&made.bytes()[..]).map(drop)
    };
    assert!(made(MAX_SEGMENTS).is_ok());
    assert_eq!(said(made(MAX_SEGMENTS + 1)), "it has more headers than any JVM");
    // A count whose headers are not there, and one that is too large for its place.
    for count in [u16::MAX, 0] {
        let mut file = Made::new().bytes();
        file[60..62].copy_from_slice(&count.to_ne_bytes());
        assert_eq!(said(Elf::parse(&file[..])), "it has more headers than any JVM");
    }
}

#[test]
fn a_table_beyond_the_end_or_too_large_is_refused_before_it_is_read() {
    let file = Made::new().section(".text", [SHT_PROGBITS, 0], 0, b"code").bytes();
    let elf = Elf::parse(&file[..]).unwrap();
    let text = elf.named(b".text").unwrap();
    assert_eq!(elf.all(text, 4).unwrap(), b"code");
    assert_eq!(said(elf.all(text, 3)), "a table is larger than any JVM's");
    let to_end = file.len() as u64 - text.offset;
    let with = |offset: u64, size: u64| Section { offset, size, ..text.clone() };
    assert_eq!(elf.all(&with(text.offset, to_end), u64::MAX).unwrap().len() as u64, to_end);
    let beyond = "a table lies beyond the end of the file";
    assert_eq!(said(elf.all(&with(text.offset, to_end + 1), u64::MAX)), beyond);
    assert_eq!(said(elf.all(&with(u64::MAX, 4), u64::MAX)), beyond);
    assert_eq!(said(elf.all(&with(0, u64::MAX), u64::MAX)), beyond);
    let mut see = |_: u64, _: &[u8]| -> ControlFlow<()> { unreachable!() };
    assert_eq!(said(elf.pieces(&with(0, u64::MAX), u64::MAX, 0, &mut see)), beyond);
}

#[test]
fn pieces_are_all_of_a_section_with_their_overlap() {
    for len in [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 7] {
        let content: Vec<u8> = (0..len).map(|it| u8::try_from(it % 251).unwrap()).collect();
        let file = Made::new().section(".text", [SHT_PROGBITS, 0], 0, &content).bytes();
        let elf = Elf::parse(&file[..]).unwrap();
        let mut seen: Vec<u8> = Vec::new();
        let text = elf.named(b".text").unwrap();
        elf.pieces(text, len as u64, 16, &mut |at, piece| {
            let at = usize::try_from(at).unwrap();
            assert!(at == 0 || seen.len() == at + 16, "{at}");
            seen.truncate(at);
            seen.extend(piece);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(seen == content, "{len}");
    }
}

#[test]
fn what_the_disk_does_not_have_is_not_read() {
    let mut file = tempfile::tempfile().unwrap();
    let made = Made::new().section(".text", [SHT_PROGBITS, 0], 0, &[b'x'; 8192]).bytes();
    std::io::Write::write_all(&mut file, &made).unwrap();
    let len = 1 << 40;
    file.set_len(len).unwrap();
    let elf = Elf::parse(FileBytes::new(file).unwrap()).unwrap();
    let text = elf.named(b".text").unwrap();
    assert_eq!(elf.all(text, 8192).unwrap(), [b'x'; 8192]);
    // A file system that knows no holes would tell of zeros.
    if !elf.bytes.has_hole(0, len) {
        println!("SKIPPED: the file system keeps no holes");
        return;
    }
    let longer = Section { size: 1 << 16, ..text.clone() };
    assert_eq!(said(elf.all(&longer, 1 << 16)), "a table lies in a hole of the file");
}

#[test]
fn a_file_that_is_cut_while_it_is_read_is_an_error() {
    let mut file = tempfile::tempfile().unwrap();
    let made = Made::new().section(".text", [SHT_PROGBITS, 0], 0, b"code").bytes();
    std::io::Write::write_all(&mut file, &made).unwrap();
    let elf = Elf::parse(FileBytes::new(file.try_clone().unwrap()).unwrap()).unwrap();
    file.set_len(HEADER_BYTES as u64).unwrap();
    assert!(elf.all(elf.named(b".text").unwrap(), 4).is_err());
}
