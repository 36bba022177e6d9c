//! `-XX:PrintFLSStatistics`: the free lists of CMS before and after a collection.
use super::{Legacy, Out};
use crate::{Event, FreeSpace, scan::integer};

/// What HotSpot calls a word, on all platforms that still matter.
const WORD_BYTES: u64 = 8;

/// The statistics being read.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct FreeLists {
    free_bytes: Option<u64>,
    /// The record whose old generation has been reported before it, as long as that is under way.
    reported_before: Option<u64>,
}

impl Legacy {
    /// Reads a line of the statistics, if it is one that matters.
    ///
    /// JDK 7 tells the permanent generation behind the old one, in the same form: the first counts.
    pub(super) fn free_list(&mut self, line: &[u8], out: Out<'_>) -> bool {
        if let Some(words) = line.strip_prefix(b"Total Free Space: ") {
            self.free_lists.free_bytes = bytes(words);
            return true;
        }
        let Some(words) = line.strip_prefix(b"Max   Chunk Size: ") else { return false };
        let sizes = self.free_lists.free_bytes.take().zip(bytes(words));
        let (Some((free_bytes, largest_bytes)), Some(record)) = (sizes, &mut self.outer) else {
            return true;
        };
        if record.young_part.is_some() || record.old_part.is_some() {
            record.free_after.get_or_insert((free_bytes, largest_bytes));
        } else if self.free_lists.reported_before != Some(self.next_id) {
            self.free_lists.reported_before = Some(self.next_id);
            let stamp = record.begin.stamp;
            out(Event::FreeSpace(FreeSpace { stamp, free_bytes, largest_bytes }));
        }
        true
    }
}

fn bytes(words: &[u8]) -> Option<u64> {
    integer(words)?.0.checked_mul(WORD_BYTES)
}
