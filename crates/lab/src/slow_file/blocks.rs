//! The contents of a file in memory, of which zeros take none.
use std::io;

/// As large as the pages that file systems write.
const BLOCK_BYTES: usize = 4096;

type Block = Box<[u8; BLOCK_BYTES]>;

/// A sparse file.
#[derive(Debug)]
pub(super) struct Blocks {
    blocks: Vec<Option<Block>>,
    stored: usize,
    most: usize,
}

/// A piece of a request that lies in one block.
struct Piece {
    block: usize,
    from: usize,
    bytes: usize,
}

fn pieces(offset: u64, bytes: usize) -> impl Iterator<Item = Piece> {
    let (mut at, end) = (offset, offset + bytes as u64);
    std::iter::from_fn(move || {
        let from = (at % BLOCK_BYTES as u64) as usize;
        let bytes = (BLOCK_BYTES - from).min((end - at) as usize);
        let block = usize::try_from(at / BLOCK_BYTES as u64).unwrap_or(usize::MAX);
        at += bytes as u64;
        (bytes > 0).then_some(Piece { block, from, bytes })
    })
}

impl Blocks {
    /// Zeros, of which no more than `most_bytes` may become something else.
    pub(super) fn new(bytes: u64, most_bytes: usize) -> Blocks {
        let count = usize::try_from(bytes.div_ceil(BLOCK_BYTES as u64)).unwrap_or(0);
        Blocks { blocks: vec![None; count], stored: 0, most: most_bytes / BLOCK_BYTES }
    }

    /// Fills `data`.
    pub(super) fn read(&self, offset: u64, data: &mut [u8]) {
        let mut rest = data;
        for piece in pieces(offset, rest.len()) {
            let (here, after) = rest.split_at_mut(piece.bytes);
            match self.blocks.get(piece.block).and_then(Option::as_ref) {
                Some(block) => here.copy_from_slice(&block[piece.from..][..piece.bytes]),
                None => here.fill(0),
            }
            rest = after;
        }
    }

    /// Keeps `data`.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] where that would be too much, or beyond the end.
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut rest = data;
        for piece in pieces(offset, data.len()) {
            let (here, after) = rest.split_at(piece.bytes);
            self.write_piece(&piece, here)?;
            rest = after;
        }
        Ok(())
    }

    /// Makes it zeros.
    pub(super) fn clear(&mut self, offset: u64, bytes: u64) {
        let end = (self.blocks.len() * BLOCK_BYTES) as u64;
        let bytes = bytes.min(end.saturating_sub(offset));
        for piece in pieces(offset, usize::try_from(bytes).unwrap_or(0)) {
            let Some(slot) = self.blocks.get_mut(piece.block) else { return };
            if piece.bytes == BLOCK_BYTES {
                self.stored -= usize::from(slot.take().is_some());
            } else if let Some(block) = slot {
                block[piece.from..][..piece.bytes].fill(0);
            }
        }
    }

    fn write_piece(&mut self, piece: &Piece, data: &[u8]) -> io::Result<()> {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let slot = self.blocks.get_mut(piece.block).ok_or_else(full)?;
        let zeros = data.iter().all(|byte| *byte == 0);
        if zeros && piece.bytes == BLOCK_BYTES {
            self.stored -= usize::from(slot.take().is_some());
            return Ok(());
        }
        if slot.is_none() {
            if zeros {
                return Ok(());
            }
            if self.stored == self.most {
                return Err(full());
            }
            self.stored += 1;
        }
        let block = slot.get_or_insert_with(|| Box::new([0; BLOCK_BYTES]));
        block[piece.from..][..piece.bytes].copy_from_slice(data);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(blocks: &Blocks, offset: u64, bytes: usize) -> Vec<u8> {
        let mut data = vec![0xff; bytes];
        blocks.read(offset, &mut data);
        data
    }

    #[test]
    fn what_was_written_is_read_wherever_it_lies() {
        for offset in [0, 1, 511, 4095, 4096, 10_000] {
            let mut blocks = Blocks::new(1 << 16, 1 << 16);
            let data: Vec<_> = (1..=9000_u32).map(|it| (it % 251) as u8).collect();
            blocks.write(offset, &data).unwrap();
            assert_eq!(read(&blocks, offset, data.len()), data, "{offset}");
            assert_eq!(read(&blocks, offset + 9000, 100), [0; 100], "{offset}");
        }
    }

    #[test]
    fn zeros_take_no_memory_and_give_it_back() {
        let mut blocks = Blocks::new(1 << 20, 2 * BLOCK_BYTES);
        blocks.write(0, &[0; 1 << 20]).unwrap();
        assert_eq!(blocks.stored, 0);
        blocks.write(100, &[1; 2 * BLOCK_BYTES - 100]).unwrap();
        assert_eq!(blocks.stored, 2);
        let full = blocks.write(2 * BLOCK_BYTES as u64, &[1]).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        blocks.write(0, &[0; BLOCK_BYTES]).unwrap();
        assert_eq!(read(&blocks, 0, BLOCK_BYTES), [0; BLOCK_BYTES]);
        blocks.write(2 * BLOCK_BYTES as u64, &[1]).unwrap();
        assert_eq!(blocks.stored, 2);
    }

    #[test]
    fn cleared_blocks_are_zero_and_neighbours_are_untouched() {
        let mut blocks = Blocks::new(1 << 16, 1 << 16);
        blocks.write(0, &[1; 4 * BLOCK_BYTES]).unwrap();
        blocks.clear(100, 2 * BLOCK_BYTES as u64);
        assert_eq!(read(&blocks, 0, 100), [1; 100]);
        assert_eq!(read(&blocks, 100, 2 * BLOCK_BYTES), [0; 2 * BLOCK_BYTES]);
        assert_eq!(read(&blocks, 100 + 2 * BLOCK_BYTES as u64, 100), [1; 100]);
        assert_eq!(blocks.stored, 3);
    }

    #[test]
    fn nothing_is_beyond_the_end() {
        let mut blocks = Blocks::new(BLOCK_BYTES as u64, 1 << 20);
        blocks.clear(u64::MAX, u64::MAX);
        blocks.clear(0, u64::MAX);
        assert!(blocks.write(BLOCK_BYTES as u64, &[1]).is_err());
        assert_eq!(read(&blocks, 1 << 40, 10), [0; 10]);
    }
}
