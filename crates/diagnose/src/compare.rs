//! Two runs side by side: what changed, and whether by more than chance explains.
//!
//! Each number has a test that fits it, at 99 % confidence and never by a fixed percentage: means
//! by Welch's, rates of events as Poisson processes, sums of time as compound ones, percentiles by
//! bounds that hold for any distribution, rates of bytes as ratios. `significance.rs` has them, and
//! what they take for granted.
mod causes;
mod row;
mod rows;
mod significance;
mod verdict;

pub use row::{CauseRow, Row, Significance};

use crate::Diagnosis;

/// Two diagnoses and what is different.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The run that is compared with.
    pub before: &'a Diagnosis,
    /// The run that is compared.
    pub after: &'a Diagnosis,
    /// What can be said for certain, in sentences, most important first.
    pub verdict: Vec<String>,
    /// Why the runs may not be comparable, in sentences.
    pub caveats: Vec<String>,
    /// The numbers. What neither run knows is left out.
    pub rows: Vec<Row>,
    /// Causes that struck in one of the runs, most time first.
    pub causes: Vec<CauseRow>,
}

/// Compares two runs of what should be the same service under the same load.
#[must_use]
pub fn compare<'a>(before: &'a Diagnosis, after: &'a Diagnosis) -> Comparison<'a> {
    let rows = rows::all(before, after);
    let causes = causes::all(before, after);
    Comparison {
        before,
        after,
        verdict: verdict::sentences(
            &rows,
            &causes,
            (before, after),
            rows::of_collections(before, after),
        ),
        caveats: verdict::caveats(&rows, before, after),
        rows,
        causes,
    }
}

#[cfg(test)]
mod tests;
