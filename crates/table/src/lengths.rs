//! Lengths of pauses, summed so that sums of sums stay exact to three digits.
//!
//! The buckets and the bytes are those of HdrHistogram, so that other programs can read them. In memory there are
//! only buckets that something is in: the whole histogram would take 250 KiB for each JVM and hour.
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer, Serializer, V2Serializer},
};
use std::{cell::RefCell, collections::BTreeMap, sync::LazyLock};

/// The longest length that has a bucket of its own: an hour.
const MOST_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits.
const DIGITS: u8 = 3;
/// Bytes of the header of format V2 (`AbstractHistogram.encodeIntoByteBuffer`).
const HEADER_BYTES: usize = 40;
/// As many bytes as the counts of these bounds can take: nine for each of 32 times 1,024.
const MOST_BYTES: usize = HEADER_BYTES + 9 * 33 * 1_024;

/// Tells which bucket a length is in; nothing is ever counted in it.
static RULER: LazyLock<Histogram<u64>> = LazyLock::new(empty);

thread_local! {
    /// What bytes are made with: new memory of that size for each JVM and hour costs more than all the rest.
    static WHOLE: RefCell<(Histogram<u64>, V2Serializer)> = RefCell::new((empty(), V2Serializer::new()));
}

fn empty() -> Histogram<u64> {
    Histogram::new_with_bounds(1, MOST_NS, DIGITS).expect("these bounds are valid")
}

/// How many pauses had which length, to three significant digits. Merging in any order gives the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// By the least length that is in the bucket, in nanoseconds.
    counts: BTreeMap<u64, u64>,
}

/// Bytes that are no histogram of lengths.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a histogram of pauses: {0}")]
pub struct LengthsError(String);

impl Lengths {
    /// Adds one of this length; one of more than an hour counts as an hour.
    pub fn add(&mut self, length_ns: u64) {
        self.add_many(length_ns, 1);
    }

    fn add_many(&mut self, length_ns: u64, count: u64) {
        let bucket = RULER.lowest_equivalent(length_ns.min(MOST_NS));
        let all = self.counts.entry(bucket).or_default();
        *all = all.saturating_add(count);
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: &Lengths) {
        other.counts.iter().for_each(|(&length, &count)| self.add_many(length, count));
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.values().fold(0, |all, it| all.saturating_add(*it))
    }

    /// The length that this share of all, from 0 to 1, do not exceed, in nanoseconds: the upper edge of its
    /// bucket, at most a thousandth above it. 0 of none.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are far below 2^53"
    )]
    pub fn quantile_ns(&self, share: f64) -> u64 {
        let rank = (share.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let mut below = 0_u64;
        let found = self.counts.iter().find(|(_, count)| {
            below = below.saturating_add(**count);
            below >= rank
        });
        found.map_or(0, |(&bucket, _)| RULER.highest_equivalent(bucket))
    }

    /// The format V2 of HdrHistogram.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        WHOLE.with_borrow_mut(|(whole, serializer)| {
            whole.reset();
            for (&bucket, &count) in &self.counts {
                whole.record_n(bucket, count).expect("each bucket is one of these bounds");
            }
            serializer
                .serialize(whole, &mut bytes)
                .expect("memory takes all bytes, and these bounds have a form");
        });
        bytes
    }

    /// What [`to_bytes`](Lengths::to_bytes) wrote.
    ///
    /// # Errors
    ///
    /// Of bytes that are something else, or a histogram of other bounds: these would take as much memory as they
    /// say.
    pub fn from_bytes(bytes: &[u8]) -> Result<Lengths, LengthsError> {
        let error = |why: &str| LengthsError(why.to_owned());
        let field = |at: usize| {
            let of = bytes.get(at..at + 8).and_then(|it| it.try_into().ok());
            of.map(u64::from_be_bytes)
        };
        let digits = field(8).ok_or_else(|| error("too short"))? & 0xffff_ffff;
        if bytes.len() > MOST_BYTES {
            return Err(error("too long"));
        }
        if digits != u64::from(DIGITS) || field(16) != Some(1) || field(24) != Some(MOST_NS) {
            return Err(error("its bounds are others"));
        }
        let mut rest = bytes;
        let whole: Histogram<u64> =
            Deserializer::new().deserialize(&mut rest).map_err(|it| error(&format!("{it:?}")))?;
        let mut read = Lengths::default();
        whole.iter_recorded().for_each(|it| {
            read.add_many(it.value_iterated_to(), it.count_since_last_iteration());
        });
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: &[u64]) -> Lengths {
        let mut all = Lengths::default();
        lengths.iter().for_each(|it| all.add(*it));
        all
    }

    #[test]
    fn merged_in_any_order_they_are_those_of_all() {
        let lengths: Vec<u64> = (0..5_000).map(|it| it * it * 7_919 % 4_000_000_000_000).collect();
        let all = of(&lengths);
        for part in [1, 7, 1_000] {
            let mut forth = Lengths::default();
            let mut back = Lengths::default();
            lengths.chunks(part).for_each(|it| forth.merge(&of(it)));
            lengths.chunks(part).rev().for_each(|it| back.merge(&of(it)));
            assert_eq!((&forth, &back), (&all, &all));
        }
        assert_eq!(all.count(), 5_000);
    }

    #[test]
    fn quantiles_are_within_a_thousandth_of_the_exact_ones() {
        let mut lengths: Vec<u64> = (1..=10_000).map(|it| it * it * 31).collect();
        let all = of(&lengths);
        lengths.sort_unstable();
        for (share, rank) in [(0.5, 5_000), (0.99, 9_900), (0.999, 9_990), (1.0, 10_000), (0.0, 1)]
        {
            let (found, exact) = (all.quantile_ns(share), lengths[rank - 1]);
            assert!(
                found >= exact && found - exact <= exact / 1_000 + 1,
                "{share}: {found} {exact}"
            );
        }
        assert_eq!(Lengths::default().quantile_ns(0.5), 0);
    }

    #[test]
    fn bytes_come_back_and_are_read_by_hdrhistogram() {
        let all = of(&[0, 1, 2_047, 2_048, 5_000_000, 2_013_000_000, 3_600_000_000_000, u64::MAX]);
        let bytes = all.to_bytes();
        assert_eq!(Lengths::from_bytes(&bytes), Ok(all.clone()));
        let theirs: Histogram<u64> =
            Deserializer::new().deserialize(&mut &bytes[..]).expect("its own format");
        assert_eq!(theirs.len(), 8);
        for share in [0.1, 0.5, 0.9, 0.999] {
            assert_eq!(theirs.value_at_quantile(share), all.quantile_ns(share));
        }
    }

    #[test]
    fn bytes_do_not_depend_on_those_that_were_made_before() {
        let short = of(&[5]).to_bytes();
        let _ = of(&[MOST_NS]).to_bytes();
        assert_eq!(of(&[5]).to_bytes(), short);
    }

    #[test]
    fn bytes_of_others_are_refused_before_they_take_memory() {
        let other = Histogram::<u64>::new_with_bounds(1, u64::MAX / 2, 5).expect("valid bounds");
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&other, &mut bytes).expect("a form");
        let why = |bytes: &[u8]| Lengths::from_bytes(bytes).expect_err("refused").to_string();
        assert_eq!(why(&bytes), "not a histogram of pauses: its bounds are others");
        assert_eq!(why(b""), "not a histogram of pauses: too short");
        let mine = of(&[5]).to_bytes();
        assert!(Lengths::from_bytes(&mine[..mine.len() - 1]).is_err());
        assert!(Lengths::from_bytes(&[&mine[..40], &[0xff; 400_000]].concat()).is_err());
    }
}
