//! Notes of probes, right and wrong.
use super::{super::elf::tests::Made, *};
use object::elf::{PF_R, PF_W, PF_X, SHT_NOTE, SHT_PROGBITS};

/// A note as `<sys/sdt.h>` makes it.
pub(crate) fn note(addresses: [u64; 3], text: &str) -> Vec<u8> {
    let mut desc: Vec<u8> = addresses.iter().flat_map(|it| it.to_ne_bytes()).collect();
    desc.extend(text.as_bytes());
    let mut note = Vec::new();
    note.extend(8_u32.to_ne_bytes());
    note.extend(u32::try_from(desc.len()).unwrap().to_ne_bytes());
    note.extend(KIND.to_ne_bytes());
    note.extend(OWNER);
    note.extend(desc);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

/// Code at 0x1000 and data at 0x2000; the base has moved from 0x3000 to 0x3100.
fn library(notes: &[u8]) -> Vec<u8> {
    Made::new()
        .segment(0x1000, 0x10, 0x40, PF_R | PF_X)
        .segment(0x2000, 0x20, 0x40, PF_R | PF_W)
        .section(".stapsdt.base", [SHT_PROGBITS, 0], 0x3100, b"\0")
        .section(".note.stapsdt", [SHT_NOTE, 0], 0, notes)
        .bytes()
}

fn found(notes: &[u8]) -> io::Result<Vec<Site>> {
    sites(&Elf::parse(&library(notes)[..])?, "hotspot", "vmops__begin")
}

const PROBE: &str = "hotspot\0vmops__begin\0\0";

#[test]
fn a_probe_is_where_its_note_says_moved_with_its_base() {
    let notes = [
        note([0x1001, 0x3100, 0], PROBE),
        note([0x1002, 0x3100, 0], "hotspot\0vmops__begin2\0\0"),
        note([0x1003, 0x3100, 0], "hotspot2\0vmops__begin\0\0"),
        // linked when the base was 0x100 lower
        note([0xf04, 0x3000, 0x1f08], PROBE),
    ];
    let argument = 0;
    let expected = [
        Site { offset: 0x11, semaphore: 0, argument },
        Site { offset: 0x14, semaphore: 0x28, argument },
    ];
    assert_eq!(found(&notes.concat()).unwrap(), expected);
    assert_eq!(found(&[]).unwrap(), []);
}

#[test]
fn a_probe_outside_of_what_is_loaded_is_refused() {
    for addresses in [[0xfff, 0x3100, 0], [0x1040, 0x3100, 0], [0x1001, 0x3100, 0x1001]] {
        let error = found(&note(addresses, PROBE)).unwrap_err();
        assert_eq!(error.to_string(), "a probe lies outside of what is loaded", "{addresses:x?}");
    }
}

#[test]
fn a_probe_has_so_many_places_and_no_more() {
    let notes = |count| note([0x1001, 0x3100, 0], PROBE).repeat(count);
    assert_eq!(found(&notes(MAX_SITES)).unwrap().len(), MAX_SITES);
    let error = found(&notes(MAX_SITES + 1)).unwrap_err();
    assert_eq!(error.to_string(), "a probe has more places than any JVM's");
}

#[test]
fn notes_have_so_many_bytes_and_no_more() {
    let most = usize::try_from(MAX_NOTE_BYTES).unwrap();
    let mut notes = note([0x1001, 0x3100, 0], PROBE);
    notes.resize(most, 0);
    assert_eq!(found(&notes).unwrap().len(), 1);
    notes.push(0);
    assert_eq!(found(&notes).unwrap_err().to_string(), "a table is larger than any JVM's");
}

#[test]
fn notes_cut_anywhere_or_of_others_are_passed_over() {
    let whole = note([0x1001, 0x3100, 0], "hotspot\0vmops__begin\08@%r12");
    assert_eq!(found(&whole).unwrap().len(), 1);
    // What fills up the last one may be missing.
    let text = whole.len() - 1;
    assert_eq!(found(&whole[..text]).unwrap().len(), 1);
    for len in 0..text {
        assert_eq!(found(&whole[..len]).unwrap(), [], "{len}");
    }
    let mut other = whole.clone();
    other[8] = 4;
    assert_eq!(found(&[other, whole.clone()].concat()).unwrap().len(), 1);
    let mut other = whole.clone();
    other[12] = b'x';
    assert_eq!(found(&[other, whole.clone()].concat()).unwrap().len(), 1);
    // One that claims to be longer than all that follows.
    let mut other = whole.clone();
    other[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
    assert_eq!(found(&[whole, other].concat()).unwrap().len(), 1);
    // Not one of the three texts ends.
    assert_eq!(found(&note([0x1001, 0x3100, 0], "hotspot")).unwrap(), []);
}

#[cfg(target_arch = "x86_64")]
const ARGUMENTS: &[(&str, u64)] = &[
    ("8@%r12 8@%rdx -4@%eax", KNOWN | 24),
    ("8@%rdi", KNOWN | 112),
    ("8@%rsp", KNOWN | 152),
    ("-8@%rax", KNOWN | 80),
    ("8@(%rsp)", KNOWN | IN_MEMORY | 152),
    ("8@16(%rsp) 4@$3", 16 << 32 | KNOWN | IN_MEMORY | 152),
    ("8@-40(%rbp)", 0xffff_ffd8 << 32 | KNOWN | IN_MEMORY | 32),
    ("4@%eax", 0),
    ("8@%r16", 0),
    ("8@%", 0),
    ("8@$5", 0),
    ("8@-96(%rbp,%rax,8)", 0),
    ("8@99999999999(%rbp)", 0),
    ("8@symbol(%rip)", 0),
    ("", 0),
];

#[cfg(target_arch = "aarch64")]
const ARGUMENTS: &[(&str, u64)] = &[
    ("8@x19 8@x1", KNOWN | 152),
    ("8@sp", KNOWN | 248),
    ("8@[sp]", KNOWN | IN_MEMORY | 248),
    ("8@[sp, 16] 4@3", 16 << 32 | KNOWN | IN_MEMORY | 248),
    ("8@[x29, -40]", 0xffff_ffd8 << 32 | KNOWN | IN_MEMORY | 232),
    ("4@w3", 0),
    ("8@x31", 0),
    ("8@[x29, x3]", 0),
    ("8@[x29", 0),
    ("8@5", 0),
    ("", 0),
];

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn the_first_argument_is_in_a_register_or_where_one_leads_to() {
    for (arguments, expected) in ARGUMENTS {
        assert_eq!(first_argument(arguments.as_bytes()), *expected, "{arguments}");
        let notes = note([0x1001, 0x3100, 0], &format!("hotspot\0vmops__begin\0{arguments}\0"));
        assert_eq!(found(&notes).unwrap()[0].argument, *expected, "{arguments}");
    }
    assert_eq!(first_argument(b"8@%r12\xff"), 0);
}
