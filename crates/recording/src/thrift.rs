//! The shape of a structure in Thrift's compact protocol, without decoding it.
//!
//! The Parquet library believes lengths and counts before it has seen what they count. So its
//! footers and page headers are walked here first: every text and list must lie inside the bytes
//! that are there, and nothing may be nested deeper than Parquet nests.
//! It is a bounded reader of hostile bytes, and our own for that: the Thrift libraries decode, and
//! allocate what a count asks for while they do.
//! (`doc/specs/thrift-compact-protocol.md` of Apache Thrift.)

/// Parquet nests structures and lists about eight deep.
const MAX_DEPTH: usize = 16;

/// Something met on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A number.
    Number(i64),
    /// A list with this number of elements.
    List(usize),
    /// Anything else: a text, a truth value, a fraction.
    Other,
}

/// Walks one structure at the beginning of `bytes` and tells `visit` of every item with the numbers
/// of the fields that lead to it; the items of a list have the list's. How many bytes it took;
/// `None` where it is damaged or does not end here.
pub(crate) fn walk(bytes: &[u8], visit: &mut dyn FnMut(&[i16], Item)) -> Option<usize> {
    let mut walk = Walk { bytes, at: 0, path: Vec::with_capacity(MAX_DEPTH), visit };
    walk.structure()?;
    Some(walk.at)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    path: Vec<i16>,
    visit: &'a mut dyn FnMut(&[i16], Item),
}

impl Walk<'_> {
    fn structure(&mut self) -> Option<()> {
        let mut field: i16 = 0;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Some(());
            }
            field = match byte >> 4 {
                0 => i16::try_from(self.signed()?).ok()?,
                delta => field.checked_add(i16::from(delta))?,
            };
            if self.path.len() == MAX_DEPTH {
                return None;
            }
            self.path.push(field);
            self.value(byte & 0x0f, false)?;
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8, in_list: bool) -> Option<()> {
        match kind {
            // The value of a field is in its kind; in a list it has a byte.
            1 | 2 => {
                if in_list {
                    self.byte()?;
                }
                self.visit_item(Item::Other);
            }
            3 => {
                let byte = self.byte()?;
                self.visit_item(Item::Number(i64::from(byte.cast_signed())));
            }
            4..=6 => {
                let number = self.signed()?;
                self.visit_item(Item::Number(number));
            }
            7 => self.skip(8)?,
            8 => {
                let length = self.length()?;
                self.skip(length)?;
            }
            9 | 10 => self.list()?,
            12 => self.structure()?,
            // Parquet has no maps.
            _ => return None,
        }
        Some(())
    }

    fn list(&mut self) -> Option<()> {
        let byte = self.byte()?;
        let count = match usize::from(byte >> 4) {
            15 => self.length()?,
            count => count,
        };
        // Each item takes at least a byte.
        if count > self.bytes.len() - self.at {
            return None;
        }
        self.visit_item(Item::List(count));
        // A list of lists has no field in between that would bound it.
        let kind = Some(byte & 0x0f).filter(|it| !matches!(it, 9 | 10) || count == 0)?;
        (0..count).try_for_each(|_| self.value(kind, true))
    }

    fn visit_item(&mut self, item: Item) {
        (self.visit)(&self.path, item);
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.at = self.at.checked_add(bytes).filter(|at| *at <= self.bytes.len())?;
        self.visit_item(Item::Other);
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// A number of seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The same with the sign in the lowest bit.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        let mut reported = Vec::new();
        let took = walk(bytes, &mut |path, item| reported.push(format!("{path:?} {item:?}")));
        let reported = if took.is_some() { reported.join(", ") } else { "damaged".to_owned() };
        assert_eq!(reported, expected, "{bytes:?}");
    }

    #[test]
    fn numbers_texts_lists_and_structures_are_walked() {
        check(&[0], "");
        check(&[0x15, 0x04, 0x15, 0x03, 0], "[1] Number(2), [2] Number(-2)");
        check(&[0x18, 2, b'a', b'b', 0x11, 0], "[1] Other, [2] Other");
        check(&[0x29, 0x25, 2, 4, 0], "[2] List(2), [2] Number(1), [2] Number(2)");
        check(&[0x5c, 0x15, 2, 0, 0], "[5, 1] Number(1)");
    }

    #[test]
    fn what_does_not_fit_into_the_bytes_is_damaged() {
        for bytes in [
            &[][..],
            &[0x15],
            &[0x18, 9, b'a', 0],
            // A list of 2^31 structures.
            &[0x19, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x08, 0],
            &[0x19, 0x19, 0x00, 0],
            &[0x1b, 1, 0x55, 0],
        ] {
            check(bytes, "damaged");
        }
        check(&[0x1c; 40], "damaged");
    }
}
