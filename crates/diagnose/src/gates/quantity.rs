//! Numbers with units, as people type them in a gate. No floating point for times and sizes.
use super::metrics::MetricKind;
use crate::Value;
use std::time::Duration;

const TIMES: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

const SIZES: [(&str, u128); 12] = [
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("t", 1 << 40),
    ("tib", 1 << 40),
];

/// Events per second, times 3600.
const RATES: [(&str, f64); 5] =
    [("/s", 3_600.0), ("/m", 60.0), ("/min", 60.0), ("/h", 1.0), ("/d", 1.0 / 24.0)];

/// Most digits that a number may have, so that products fit.
const MOST_DIGITS: usize = 18;

/// `digits` divided by ten to the power of `places`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: u64,
    places: u32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = [whole, fraction].concat();
        let fits = (1..=MOST_DIGITS).contains(&digits.len());
        if !fits || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        let places = u32::try_from(fraction.len()).ok()?;
        Some(Decimal { digits: digits.parse().ok()?, places })
    }

    /// The product, cut to a whole number.
    fn times(self, unit: u128) -> Option<u64> {
        let product = u128::from(self.digits).checked_mul(unit)?;
        u64::try_from(product / 10_u128.pow(self.places)).ok()
    }

    #[expect(clippy::cast_precision_loss, reason = "rates and shares are quotients anyway")]
    fn float(self) -> f64 {
        self.digits as f64 / 10_f64.powi(i32::try_from(self.places).unwrap_or(i32::MAX))
    }

    fn whole(self) -> Option<u64> {
        (self.places == 0).then_some(self.digits)
    }
}

/// Reads `text` as one of `kinds`; `None` where it is none of these.
pub(super) fn parse(text: &str, kinds: &[MetricKind]) -> Option<Value> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = Decimal::parse(number)?;
    let unit = unit.trim().to_ascii_lowercase();
    kinds.iter().find_map(|kind| of_kind(*kind, number, &unit))
}

/// Reads a length of time.
pub(super) fn time(text: &str) -> Option<Duration> {
    match parse(text.trim(), &[MetricKind::Time]) {
        Some(Value::Time(it)) => Some(it),
        _ => None,
    }
}

fn of_kind(kind: MetricKind, number: Decimal, unit: &str) -> Option<Value> {
    let of = |units: &[(&str, u128)], unit: &str| {
        let factor = units.iter().find(|(name, _)| *name == unit)?.1;
        number.times(factor)
    };
    match kind {
        MetricKind::Time => of(&TIMES, unit).map(|ns| Value::Time(Duration::from_nanos(ns))),
        MetricKind::Count => number.whole().filter(|_| unit.is_empty()).map(Value::Count),
        MetricKind::Rate => {
            let per_hour = RATES.iter().find(|(name, _)| *name == unit)?.1;
            Some(Value::PerSecond(number.float() * per_hour / 3_600.0))
        }
        MetricKind::Share => (unit == "%").then(|| Value::Share(number.float() / 100.0)),
        MetricKind::Bytes => of(&SIZES, unit).map(Value::Bytes),
        #[expect(clippy::cast_precision_loss, reason = "a rate is a quotient anyway")]
        MetricKind::ByteRate => {
            of(&SIZES, unit.strip_suffix("/s")?.trim()).map(|it| Value::BytesPerSecond(it as f64))
        }
    }
}
