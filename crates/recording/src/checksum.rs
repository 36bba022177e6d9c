//! CRC-32 (IEEE 802.3, as zip and PNG use it), eight bytes at a time.

const POLYNOMIAL: u32 = 0xedb8_8320;

/// `TABLES[n][byte]`: what `byte` contributes from `n` bytes further ahead.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut value, mut bit) = (byte as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
    }
    let mut ahead = 1;
    while ahead < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[ahead - 1][byte];
            tables[ahead][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        ahead += 1;
    }
    tables
}

/// A checksum over bytes given piece by piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum(u32);

impl Checksum {
    pub(crate) fn new() -> Checksum {
        Checksum(u32::MAX)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let word = u64::from_le_bytes(*eight) ^ u64::from(self.0);
            self.0 = word
                .to_le_bytes()
                .iter()
                .zip(TABLES.iter().rev())
                .fold(0, |sum, (byte, table)| sum ^ table[usize::from(*byte)]);
        }
        for byte in rest {
            self.0 = (self.0 >> 8) ^ TABLES[0][usize::from(self.0.to_le_bytes()[0] ^ byte)];
        }
    }

    pub(crate) fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_usual_crc32_however_the_bytes_come() {
        for cut in 0..=9 {
            let mut checksum = Checksum::new();
            checksum.add(&b"123456789"[..cut]);
            checksum.add(&b"123456789"[cut..]);
            assert_eq!(checksum.value(), 0xcbf4_3926);
        }
    }
}
