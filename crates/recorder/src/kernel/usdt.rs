//! USDT probes: where they are and where their first argument is, from the notes that
//! `<sys/sdt.h>` leaves in a library (`.note.stapsdt`).
//!
//! libbpf finds them too, with libelf, which is not made for malicious files. Here they are found
//! by bounded reading, and the kernel gets offsets.
use super::elf::{Bytes, Elf, malformed};
use std::io;

/// A libjvm has some 600 probes in 50 KB.
const MAX_NOTE_BYTES: u64 = 1024 * 1024;
/// Places of one probe: the compiler makes several where it inlines. None of these has more than one.
const MAX_SITES: usize = 64;
const OWNER: &[u8] = b"stapsdt\0";
/// `NT_STAPSDT`.
const KIND: u32 = 3;

/// One place of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// Of the instruction, in the file.
    pub(crate) offset: u64,
    /// Of the counter of those who watch it, in the file; 0 where it has none.
    pub(crate) semaphore: u64,
    /// Where its first argument is, for `first_argument` of `windows.bpf.h`; 0 where it has none, or
    /// where that is written in a way that is not known.
    pub(crate) argument: u64,
}

/// The places of a probe of this provider; none where the library has none.
///
/// # Errors
///
/// Where the notes cannot be read or are not what a linker writes, or where it has more than
/// [`MAX_SITES`].
pub(crate) fn sites<B: Bytes>(elf: &Elf<B>, provider: &str, name: &str) -> io::Result<Vec<Site>> {
    let Some(section) = elf.named(b".note.stapsdt") else { return Ok(Vec::new()) };
    let notes = elf.all(section, MAX_NOTE_BYTES)?;
    // Where it lies tells how far a later tool has moved everything (`prelink`).
    let base = elf.named(b".stapsdt.base").map(|it| it.address);
    let mut found = Vec::new();
    for note in Notes(&notes) {
        if note.provider != provider.as_bytes() || note.name != name.as_bytes() {
            continue;
        }
        let moved = base.map_or(0, |it| it.wrapping_sub(note.base));
        let offset = elf.code_offset(note.location.wrapping_add(moved));
        let semaphore = match note.semaphore {
            0 => Some(0),
            address => elf.data_offset(address.wrapping_add(moved)),
        };
        let (Some(offset), Some(semaphore)) = (offset, semaphore) else {
            return Err(malformed("a probe lies outside of what is loaded"));
        };
        found.push(Site { offset, semaphore, argument: first_argument(note.arguments) });
        if found.len() > MAX_SITES {
            return Err(malformed("a probe has more places than any JVM's"));
        }
    }
    Ok(found)
}

/// What a note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Note<'a> {
    location: u64,
    base: u64,
    semaphore: u64,
    provider: &'a [u8],
    name: &'a [u8],
    arguments: &'a [u8],
}

/// The notes of probes; those of others are passed over, and what is cut short ends them.
struct Notes<'a>(&'a [u8]);

impl<'a> Iterator for Notes<'a> {
    type Item = Note<'a>;

    fn next(&mut self) -> Option<Note<'a>> {
        loop {
            let (owner_len, rest) = number::<4>(self.0)?;
            let (len, rest) = number::<4>(rest)?;
            let (kind, rest) = number::<4>(rest)?;
            let (owner, rest) = padded(rest, u32::from_ne_bytes(owner_len))?;
            let (text, rest) = padded(rest, u32::from_ne_bytes(len))?;
            self.0 = rest;
            if owner == OWNER
                && u32::from_ne_bytes(kind) == KIND
                && let Some(note) = note(text)
            {
                return Some(note);
            }
        }
    }
}

fn note(text: &[u8]) -> Option<Note<'_>> {
    let (location, text) = number::<8>(text)?;
    let (base, text) = number::<8>(text)?;
    let (semaphore, text) = number::<8>(text)?;
    let mut words = text.split(|it| *it == 0);
    Some(Note {
        location: u64::from_ne_bytes(location),
        base: u64::from_ne_bytes(base),
        semaphore: u64::from_ne_bytes(semaphore),
        provider: words.next()?,
        name: words.next()?,
        arguments: words.next()?,
    })
}

fn number<const N: usize>(bytes: &[u8]) -> Option<([u8; N], &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((*number, rest))
}

/// The first `len` bytes, and what follows the padding to the next multiple of four.
fn padded(bytes: &[u8], len: u32) -> Option<(&[u8], &[u8])> {
    let len = usize::try_from(len).ok()?;
    let (found, _) = bytes.split_at_checked(len)?;
    // The last one need not be padded.
    Some((found, bytes.get(len.checked_next_multiple_of(4)?..).unwrap_or_default()))
}

/// `ARGUMENT_KNOWN` and `ARGUMENT_IN_MEMORY` of `windows.bpf.h`. Below them is the offset of a
/// register in `struct pt_regs`, above them what is added to it.
const KNOWN: u64 = 1 << 16;
const IN_MEMORY: u64 = 1 << 17;

/// Where the first of a probe's arguments is, if it is an address or as long as one: in a register, or
/// in memory that a register leads to.
fn first_argument(arguments: &[u8]) -> u64 {
    let place = std::str::from_utf8(arguments).ok().and_then(place);
    let Some((register, added)) = place else { return 0 };
    let Some(register) = register_offset(register) else { return 0 };
    let added = added.map_or(0, |by| IN_MEMORY | u64::from(by.cast_unsigned()) << 32);
    KNOWN | u64::from(register) | added
}

/// Register, and what is added to it where the argument is in memory.
#[cfg(target_arch = "x86_64")]
fn place(arguments: &str) -> Option<(&str, Option<i32>)> {
    // `8@%r12`, `8@-40(%rbp)`, `8@(%rsp)`, each followed by others after a blank
    let first = arguments.split_ascii_whitespace().next()?;
    let (_, place) = first.split_once('@').filter(|(size, _)| matches!(*size, "8" | "-8"))?;
    if let Some(register) = place.strip_prefix('%') {
        return Some((register, None));
    }
    let (added, register) = place.strip_suffix(')')?.split_once("(%")?;
    let added = if added.is_empty() { 0 } else { added.parse().ok()? };
    Some((register, Some(added)))
}

/// `struct pt_regs` of `arch/x86/include/uapi/asm/ptrace.h`.
#[cfg(target_arch = "x86_64")]
fn register_offset(name: &str) -> Option<u16> {
    const REGISTERS: [&str; 20] = [
        "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx",
        "rsi", "rdi", "", "rip", "", "", "rsp",
    ];
    let index = REGISTERS.iter().position(|it| *it == name && !name.is_empty())?;
    u16::try_from(index * 8).ok()
}

/// Register, and what is added to it where the argument is in memory.
#[cfg(target_arch = "aarch64")]
fn place(arguments: &str) -> Option<(&str, Option<i32>)> {
    // `8@x19`, `8@[x29, -40]`, `8@[sp]`, each followed by others after a blank
    let (size, place) = arguments.trim_start().split_once('@')?;
    if !matches!(size, "8" | "-8") {
        return None;
    }
    let Some(inside) = place.strip_prefix('[') else {
        return Some((place.split_ascii_whitespace().next()?, None));
    };
    let (inside, _) = inside.split_once(']')?;
    match inside.split_once(',') {
        None => Some((inside.trim(), Some(0))),
        Some((register, added)) => Some((register.trim(), Some(added.trim().parse().ok()?))),
    }
}

/// `struct user_pt_regs` of `arch/arm64/include/uapi/asm/ptrace.h`.
#[cfg(target_arch = "aarch64")]
fn register_offset(name: &str) -> Option<u16> {
    let index = match name {
        "sp" => 31,
        _ => name.strip_prefix('x')?.parse().ok().filter(|it| *it < 31)?,
    };
    Some(index * 8)
}

/// On others the names of operations stay unknown.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn place(_arguments: &str) -> Option<(&str, Option<i32>)> {
    None
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn register_offset(_name: &str) -> Option<u16> {
    None
}

#[cfg(test)]
pub(crate) mod tests;
