//! Numbers as people read them.

/// A length as shown, in nanoseconds, and how much its last digit leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shown {
    ns: f64,
    unsure: f64,
}

impl Shown {
    /// Whether it stands for this.
    pub(super) fn is(self, ns: u64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let ns = ns as f64;
        (self.ns - ns).abs() <= self.unsure * 1.001 + 1.0
    }
}

const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("µs", 1e3),
    ("us", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("min", 60e9),
    ("h", 3600e9),
    ("d", 86_400e9),
];

/// The length with which a text begins: `1.42 s`, `2 h 05 min`.
pub(super) fn length(text: &str) -> Option<Shown> {
    let mut shown: Option<Shown> = None;
    let mut words = text.split_whitespace();
    while let (Some(number), Some(unit)) = (words.next(), words.next()) {
        let unit = unit.trim_matches(|it: char| !it.is_alphanumeric());
        let digits = number.replace(',', "");
        let (Ok(value), Some((_, unit))) =
            (digits.parse::<f64>(), UNITS.iter().find(|it| it.0 == unit))
        else {
            break;
        };
        let decimals = digits.split_once('.').map_or(0, |it| it.1.len());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "few digits"
        )]
        let step = unit / 10_f64.powi(decimals as i32);
        let before = shown.map_or(0.0, |it| it.ns);
        shown = Some(Shown { ns: before + value * unit, unsure: step / 2.0 });
        if decimals > 0 || *unit < 1e9 {
            break;
        }
    }
    shown
}

/// What follows the first of these words.
pub(super) fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.split_once(word).map(|it| it.1)
}

/// The number with which a text ends: `17`, `1,024`.
pub(super) fn number_at_end(text: &str) -> Option<u64> {
    text.split_whitespace()
        .next_back()?
        .trim_start_matches(['(', '*'])
        .replace(',', "")
        .parse()
        .ok()
}

/// Whether a shown percentage, with which a text begins, stands for this share.
pub(super) fn is_percent(text: &str, share: f64) -> bool {
    let Some((shown, _)) = text.split_once(" %") else { return false };
    let share = share * 100.0;
    if shown == "<0.1" {
        return share < 0.1;
    }
    let decimals = shown.split_once('.').map_or(0, |it| it.1.len());
    let unsure = if decimals == 0 { 0.5 } else { 0.1 };
    shown.parse::<f64>().is_ok_and(|it| (it - share).abs() <= unsure + 0.001)
}
