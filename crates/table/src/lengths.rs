//! Lengths of pauses, summed so that sums of sums stay exact to three digits.
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer, Serializer, V2Serializer},
};

/// The longest length that is told apart: an hour.
const MOST_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits.
const DIGITS: u8 = 3;

/// How many pauses had which length, to three significant digits. Merging in any order gives the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Lengths(Histogram<u64>);

/// Bytes that are no histogram of lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthsError(String);

impl std::fmt::Display for LengthsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a histogram of pauses: {}", self.0)
    }
}

impl std::error::Error for LengthsError {}

impl Default for Lengths {
    fn default() -> Lengths {
        Lengths(Histogram::new_with_bounds(1, MOST_NS, DIGITS).expect("these bounds are valid"))
    }
}

impl Lengths {
    /// Adds one of this length; one of more than an hour counts as an hour.
    pub fn add(&mut self, length_ns: u64) {
        self.0.saturating_record(length_ns);
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: &Lengths) {
        self.0.add(&other.0).expect("both have the same bounds");
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The length that this share of all do not exceed, in nanoseconds, to three digits; 0 of none.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> u64 {
        self.0.value_at_quantile(share)
    }

    /// `HdrHistogram`'s format V2.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.0, &mut bytes)
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
        Ok(Lengths(read))
    }
}
