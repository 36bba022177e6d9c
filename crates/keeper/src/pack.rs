//! One entry of a copy: a record in an envelope that unpackers skip, and packed text.
use crate::{
    Compression,
    print::Print,
    record::{self, Position, Record},
};
use flate2::{Compress, Crc, FlushCompress, Status};
use std::io;

/// Size of the text in an entry at most, in bytes.
pub(crate) const TEXT_BYTES: usize = 1 << 20;
/// So large is packed text at most, in bytes: text that cannot be packed grows by less.
pub(crate) const MAX_PAYLOAD_BYTES: usize = 2 * TEXT_BYTES;
/// So large is an entry at most, in bytes.
pub(crate) const MAX_ENTRY_BYTES: usize = 16 + record::MAX_BYTES + MAX_PAYLOAD_BYTES;

/// Logs are so regular that higher levels gain little: see `scripts/bench-keeper.sh`.
const ZSTD_LEVEL: i32 = 1;
const GZIP_LEVEL: u32 = 1;

/// A skippable frame of RFC 8878, 3.1.2; the last four bits may be chosen.
const ZSTD_ENVELOPE: [u8; 4] = 0x184D_2A5E_u32.to_le_bytes();
/// A gzip member with an extra field, no time, no flags for its level, of an unknown system.
const GZIP_ENVELOPE: [u8; 10] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff];
/// The name of our part of the extra field.
const GZIP_FIELD: [u8; 2] = *b"wK";

impl Compression {
    /// Bytes of an entry before its record.
    pub(crate) fn envelope_bytes(self) -> usize {
        match self {
            Compression::Zstd => 8,
            Compression::Gzip => 16,
        }
    }

    /// What every entry begins with.
    pub(crate) fn begin(self) -> &'static [u8] {
        match self {
            Compression::Zstd => &ZSTD_ENVELOPE,
            Compression::Gzip => &GZIP_ENVELOPE,
        }
    }

    pub(crate) fn envelope(self, record_bytes: usize) -> Vec<u8> {
        let small = |bytes: usize| u16::try_from(bytes).unwrap_or(u16::MAX).to_le_bytes();
        let length = small(record_bytes);
        match self {
            Compression::Zstd => [&ZSTD_ENVELOPE[..], &length, &[0; 2]].concat(),
            Compression::Gzip => {
                [&GZIP_ENVELOPE[..], &small(record_bytes + 4), &GZIP_FIELD, &length].concat()
            }
        }
    }

    /// The length of the record behind these bytes, which are [`Self::envelope_bytes`].
    pub(crate) fn record_bytes(self, envelope: &[u8]) -> Option<usize> {
        let at = match self {
            Compression::Zstd => 4,
            Compression::Gzip => 14,
        };
        let length = usize::from(u16::from_le_bytes([*envelope.get(at)?, *envelope.get(at + 1)?]));
        let right = length <= record::MAX_BYTES && self.envelope(length) == envelope;
        right.then_some(length)
    }
}

/// Makes entries.
pub(crate) struct Packer {
    kind: Kind,
    packed: Vec<u8>,
}

enum Kind {
    Zstd(zstd::bulk::Compressor<'static>),
    Gzip(Compress),
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").field("compression", &self.compression()).finish_non_exhaustive()
    }
}

impl Packer {
    pub(crate) fn new(compression: Compression) -> io::Result<Packer> {
        let kind = match compression {
            Compression::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
                compressor.include_checksum(true)?;
                Kind::Zstd(compressor)
            }
            Compression::Gzip => {
                Kind::Gzip(Compress::new(flate2::Compression::new(GZIP_LEVEL), false))
            }
        };
        Ok(Packer { kind, packed: Vec::with_capacity(MAX_PAYLOAD_BYTES) })
    }

    fn compression(&self) -> Compression {
        match self.kind {
            Kind::Zstd(_) => Compression::Zstd,
            Kind::Gzip(_) => Compression::Gzip,
        }
    }

    /// An entry with this text, [`TEXT_BYTES`] of it at most, and with how far that is.
    pub(crate) fn entry(
        &mut self,
        name: u32,
        position: &Position,
        text: &[u8],
    ) -> io::Result<Vec<u8>> {
        self.pack(text)?;
        let payload = Print::of(&self.packed);
        let record = Record { name, position: position.clone(), payload }.to_bytes();
        let envelope = self.compression().envelope(record.len());
        Ok([&envelope, &record, &self.packed].map(Vec::as_slice).concat())
    }

    fn pack(&mut self, text: &[u8]) -> io::Result<()> {
        self.packed.clear();
        match &mut self.kind {
            Kind::Zstd(compressor) => {
                compressor.compress_to_buffer(text, &mut self.packed)?;
            }
            Kind::Gzip(compress) => {
                compress.reset();
                let status = compress.compress_vec(text, &mut self.packed, FlushCompress::Finish);
                if status.map_err(io::Error::other)? != Status::StreamEnd {
                    return Err(io::Error::other("packed text is larger than it can be"));
                }
                let mut crc = Crc::new();
                crc.update(text);
                self.packed.extend(crc.sum().to_le_bytes());
                self.packed.extend(crc.amount().to_le_bytes());
            }
        }
        Ok(())
    }
}
