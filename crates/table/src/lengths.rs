//! Lengths of pauses, summed so that sums of sums stay exact to three digits.
//!
//! The buckets are those of an `HdrHistogram` of three digits. Only buckets that hold a pause are kept: an hour of
//! a JVM has some tens of them, and the 33,000 counters of a whole histogram would be 270 kB for each hour.
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer, Serializer, V2Serializer},
};

/// The longest length that is told apart: an hour.
const MOST_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits.
const DIGITS: u8 = 3;
/// Bits of a length that are kept: 2,048 steps are what three digits take (`HdrHistogram`'s sub-buckets).
const BITS: u32 = 11;

/// How many pauses had which length, to three significant digits. Merging in any order gives the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The lowest length of a bucket and how many fell into it, by length.
    buckets: Vec<(u64, u64)>,
}

/// Bytes that are no histogram of lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthsError(String);

impl std::fmt::Display for LengthsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a histogram of pauses: {}", self.0)
    }
}

impl std::error::Error for LengthsError {}

/// How many of the lowest bits are not kept of this length.
fn dropped_bits(length_ns: u64) -> u32 {
    (u64::BITS - length_ns.leading_zeros()).saturating_sub(BITS)
}

impl Lengths {
    /// Adds one of this length; one of more than an hour counts as an hour.
    pub fn add(&mut self, length_ns: u64) {
        self.add_many(length_ns, 1);
    }

    fn add_many(&mut self, length_ns: u64, count: u64) {
        let length_ns = length_ns.min(MOST_NS);
        let bits = dropped_bits(length_ns);
        let lowest = length_ns >> bits << bits;
        match self.buckets.binary_search_by_key(&lowest, |it| it.0) {
            Ok(place) => self.buckets[place].1 = self.buckets[place].1.saturating_add(count),
            Err(place) => self.buckets.insert(place, (lowest, count)),
        }
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: &Lengths) {
        let fresh =
            |it: &&(u64, u64)| self.buckets.binary_search_by_key(&it.0, |own| own.0).is_err();
        if other.buckets.iter().filter(fresh).count() == 0 {
            return other.buckets.iter().for_each(|it| self.add_many(it.0, it.1));
        }
        let own = std::mem::take(&mut self.buckets);
        self.buckets.reserve(own.len() + other.buckets.len());
        let (mut own, mut others) =
            (own.into_iter().peekable(), other.buckets.iter().copied().peekable());
        while let (Some(a), Some(b)) = (own.peek().copied(), others.peek().copied()) {
            let count = if a.0 == b.0 {
                a.1.saturating_add(b.1)
            } else if a.0 < b.0 {
                a.1
            } else {
                b.1
            };
            self.buckets.push((a.0.min(b.0), count));
            own.next_if(|it| it.0 <= b.0);
            others.next_if(|it| it.0 <= a.0);
        }
        self.buckets.extend(own.chain(others));
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, it| sum.saturating_add(it.1))
    }

    /// The length that this share of all do not exceed, in nanoseconds, to three digits; 0 of none.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a count is far below 2^53, and a share of it is no more than that"
    )]
    pub fn quantile_ns(&self, share: f64) -> u64 {
        let wanted = ((share.clamp(0.0, 1.0) * self.count() as f64).ceil() as u64).max(1);
        let mut seen = 0_u64;
        let reached = |it: &&(u64, u64)| {
            seen = seen.saturating_add(it.1);
            seen >= wanted
        };
        let bucket = self.buckets.iter().find(reached).or(self.buckets.last());
        bucket.map_or(0, |it| it.0 + ((1 << dropped_bits(it.0)) - 1))
    }

    /// `HdrHistogram`'s format V2.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut whole: Histogram<u64> =
            Histogram::new_with_bounds(1, MOST_NS, DIGITS).expect("these bounds are valid");
        for (length, count) in &self.buckets {
            whole.record_n(*length, *count).expect("no length is above the bound");
        }
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&whole, &mut bytes)
            .expect("memory takes all bytes, and these bounds have a form");
        bytes
    }

    /// What [`to_bytes`](Lengths::to_bytes) wrote.
    ///
    /// # Errors
    ///
    /// Of bytes that are something else, or a histogram of other bounds.
    pub fn from_bytes(bytes: &[u8]) -> Result<Lengths, LengthsError> {
        let mut rest = bytes;
        let read: Histogram<u64> = Deserializer::new()
            .deserialize(&mut rest)
            .map_err(|error| LengthsError(error.to_string()))?;
        if read.sigfig() != DIGITS || read.low() != 1 || read.high() != MOST_NS {
            return Err(LengthsError("its bounds are others".into()));
        }
        let mut lengths = Lengths::default();
        for it in read.iter_recorded() {
            lengths.add_many(it.value_iterated_to(), it.count_at_value());
        }
        Ok(lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, and are the same each time (Marsaglia's xorshift).
    fn numbers() -> impl Iterator<Item = u64> {
        let next = |it: &u64| {
            let mut x = *it;
            x ^= x << 13;
            x ^= x >> 7;
            Some(x ^ (x << 17))
        };
        std::iter::successors(Some(0x9e37_79b9_7f4a_7c15), next)
    }

    #[test]
    fn it_is_the_histogram_that_its_bytes_are() {
        let mut parts = [Lengths::default(), Lengths::default(), Lengths::default()];
        let mut whole: Histogram<u64> =
            Histogram::new_with_bounds(1, MOST_NS, DIGITS).expect("these bounds are valid");
        for (n, number) in numbers().take(20_000).enumerate() {
            let length = (number >> (number % 60)) % MOST_NS;
            parts[n % 3].add(length);
            whole.record(length).expect("below the bound");
        }
        let [mut a, b, c] = parts.clone();
        a.merge(&b);
        a.merge(&c);
        let [x, y, mut z] = parts;
        z.merge(&x);
        z.merge(&y);
        z.merge(&Lengths::default());
        assert_eq!(a, z);
        for share in [0.001, 0.5, 0.9, 0.99, 0.999, 1.0] {
            assert_eq!(a.quantile_ns(share), whole.value_at_quantile(share), "{share}");
        }
        assert_eq!(a.count(), 20_000);
        assert_eq!(Lengths::from_bytes(&a.to_bytes()), Ok(a));
    }

    #[test]
    fn of_none_and_of_more_than_an_hour() {
        let mut lengths = Lengths::default();
        assert_eq!((lengths.count(), lengths.quantile_ns(0.5)), (0, 0));
        assert_eq!(Lengths::from_bytes(&lengths.to_bytes()), Ok(lengths.clone()));
        lengths.add(u64::MAX);
        let hour = lengths.quantile_ns(0.5);
        assert!((MOST_NS..MOST_NS + MOST_NS / 1_000).contains(&hour), "{hour}");
        assert!(Lengths::from_bytes(b"no histogram").is_err());
    }
}
