//! Which causes may be behind what a log cannot explain.
use crate::clean::clean;
use diagnose::Finding;

/// One of them.
pub(crate) struct SuspectView {
    /// Its place among the likely ones, from 1; `None` for an unlikely one.
    pub(crate) rank: Option<usize>,
    /// What it is called in the middle of a sentence.
    pub(crate) short: &'static str,
    /// What in the log speaks for it, most telling first.
    pub(crate) speaks_for: Vec<String>,
    /// What speaks against it.
    pub(crate) speaks_against: Vec<String>,
    /// What shows whether it is the cause.
    pub(crate) test: &'static str,
}

impl SuspectView {
    /// `1 GC log write blocked: only 21 of 112 collections waited; against: …`, and for an unlikely
    /// one `CPU contention (11.3 s without a CPU)`.
    pub(crate) fn text(&self) -> String {
        let (pro, con) = (self.speaks_for.join("; "), self.speaks_against.join("; "));
        let Some(rank) = self.rank else { return format!("{} ({con})", self.short) };
        match (pro.is_empty(), con.is_empty()) {
            (true, true) => format!("{rank} {}", self.short),
            (false, true) => format!("{rank} {}: {pro}", self.short),
            (true, false) => format!("{rank} {}; against: {con}", self.short),
            (false, false) => format!("{rank} {}: {pro}; against: {con}", self.short),
        }
    }
}

/// The suspects of a finding: the likely ones by rank, then the unlikely ones.
pub(super) fn of(finding: &Finding) -> Vec<SuspectView> {
    let mut rank = 0;
    let cleaned = |texts: &[String]| texts.iter().map(|it| clean(it)).collect();
    let view = |it: &diagnose::Suspect| {
        rank += usize::from(!it.is_unlikely);
        SuspectView {
            rank: (!it.is_unlikely).then_some(rank),
            short: it.cause.short,
            speaks_for: cleaned(&it.speaks_for),
            speaks_against: cleaned(&it.speaks_against),
            test: it.test,
        }
    };
    finding.suspects.iter().map(view).collect()
}

/// `Most likely GC log write blocked or swap-in; a log cannot prove which.`
pub(super) fn sentence(finding: &Finding) -> Option<String> {
    let likely: Vec<&str> = finding
        .suspects
        .iter()
        .filter(|it| !it.is_unlikely)
        .take(2)
        .map(|it| it.cause.short)
        .collect();
    match likely.as_slice() {
        [] => None,
        [one] => Some(format!("Most likely {one}; a log cannot prove it.")),
        more => Some(format!("Most likely {}; a log cannot prove which.", more.join(" or "))),
    }
}
