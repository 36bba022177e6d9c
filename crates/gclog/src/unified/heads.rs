//! How the messages begin that say something. Most lines of a detailed log do not, and this alone
//! puts them aside, without a look at the rest of the line.

/// Number of leading bytes of a message that are compared.
const HEAD: usize = 4;

/// Places in the set. This number makes it rare that other messages share a place with one of those taken.
const PLACES: usize = 2048;

/// A set of first bytes. It may have more than was put into it, and never less.
#[derive(Debug)]
pub(super) struct Heads([u64; PLACES / 64]);

impl Heads {
    /// None at all.
    pub(super) const fn new() -> Heads {
        Heads([0; PLACES / 64])
    }

    /// With these names, which are longer than a head or are followed by a colon.
    pub(super) const fn with<T>(mut self, names: &[(&[u8], T)]) -> Heads {
        let mut at = 0;
        while at < names.len() {
            let place = place(head(names[at].0));
            self.0[place / 64] |= 1 << (place % 64);
            at += 1;
        }
        self
    }

    /// Whether a message may begin with one of the names.
    #[inline]
    pub(super) fn may_begin(&self, message: &[u8]) -> bool {
        message.first_chunk().is_none_or(|head| {
            let place = place(*head);
            self.0[place / 64] >> (place % 64) & 1 != 0
        })
    }
}

const fn head(name: &[u8]) -> [u8; HEAD] {
    match name {
        [a, b, c, d, ..] => [*a, *b, *c, *d],
        [a, b, c] => [*a, *b, *c, b':'],
        _ => panic!("a name of one or two letters"),
    }
}

#[inline]
const fn place(head: [u8; HEAD]) -> usize {
    // Fibonacci hashing: the upper bits of a product with 2^32 divided by the golden ratio.
    let product = u32::from_le_bytes(head).wrapping_mul(0x9e37_79b9);
    (product as usize) >> (u32::BITS - PLACES.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_may_begin_and_nearly_nothing_else() {
        let names: &[(&[u8], ())] = &[(b"CMS", ()), (b"Eden regions", ())];
        let heads = Heads::new().with(names);
        let may_begin = |text: &str| heads.may_begin(text.as_bytes());
        assert!(may_begin("CMS: 1K->2K(3K)") && may_begin("Eden regions: 1->0(2)"));
        assert!(!may_begin("CMSS: ") && !may_begin("Skipped") && !may_begin("    "));
        assert!(may_begin("Ede") && may_begin(""), "too short to tell");
    }
}
