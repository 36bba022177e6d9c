//! What is gone of what was written.
//!
//! Each row of `coverage` says how many rows every table had by then. What a reader finds less of
//! was damaged, cut off or deleted afterwards, and what such a table would show is unknown: a stop
//! whose rows are gone is no stop that did not happen.
use crate::{
    Coverage, Source, SourceState, TableRows,
    part::{Form, Part},
    schema::{Retention, Table},
};
use std::collections::BTreeMap;

/// One lost row in this number is tolerated in tables of detail, which are the first to be given up: what is
/// long or happens again shows in the others.
const BORNE_LOSS: u64 = 100;

/// Tables that every recording has had since the first version. Sealing gives each at least an
/// empty part, so that in a recording without a manifest they can be missed, too.
const ALWAYS: [&str; 11] = [
    "clocks",
    "files",
    "host",
    "jvm",
    "kernel_work",
    "log_lines",
    "safepoints",
    "samples",
    "slices",
    "stacks",
    "threads",
];

/// What was read of one table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Rows read.
    pub(crate) rows: u64,
    /// Rows that were there and were left out.
    pub(crate) left_out: u64,
    /// Number of the part with the last row that was read.
    pub(crate) last_part: Option<u32>,
    /// Number of the last sealed part with a row.
    pub(crate) last_sealed: Option<u32>,
    /// Whether there is a part at all, readable or not.
    pub(crate) is_there: bool,
    /// Parts that could not be read to their end, and why, by their number.
    pub(crate) bad: BTreeMap<u32, Bad>,
}

impl Seen {
    /// Counts rows that were read from a part.
    pub(crate) fn add(&mut self, part: Part, rows: u64) {
        self.rows += rows;
        if rows > 0 {
            self.last_part = Some(part.number);
        }
        if rows > 0 && part.form == Form::Sealed {
            self.last_sealed = Some(part.number);
        }
    }
}

/// A part that could not be read to its end.
#[derive(Clone, Debug)]
pub(crate) struct Bad {
    /// Its file name.
    pub(crate) name: String,
    /// What is wrong with it; a predicate.
    pub(crate) why: String,
    /// Whether it is as a killed writer leaves it: whole batches, and then one that is torn.
    pub(crate) is_torn: bool,
}

/// What was read, by table.
pub(crate) type AllSeen = BTreeMap<&'static str, Seen>;

/// Compares what was written with what was read: each table of which rows are gone, and why.
pub(crate) fn gone(coverage: &Coverage, seen: &AllSeen) -> Vec<(&'static Table, String)> {
    let nothing = Seen::default();
    let found = |table: &'static Table| {
        let seen = seen.get(table.name).unwrap_or(&nothing);
        let why = match &coverage.manifest {
            _ if seen.left_out > 0 => Some(format!("{} of its rows were left out", seen.left_out)),
            _ if table.name == "coverage" => None,
            Some(manifest) => {
                missing(table, &manifest.get(table.name).copied().unwrap_or_default(), seen)
            }
            None => without_manifest(table, seen, !coverage.end.is_empty()),
        };
        Some((table, format!("{}: {}", table.name, with_reason(why?, seen))))
    };
    let mut all: Vec<_> = Table::all().iter().filter_map(|table| found(table)).collect();
    let coverage_table = Table::named("coverage").expect("it is one of the tables");
    all.extend(coverage_gone(coverage, seen).map(|why| (coverage_table, why)));
    all
}

fn missing(table: &Table, written: &TableRows, seen: &Seen) -> Option<String> {
    let all = written.rows.saturating_add(written.lost);
    let too_many_lost = match table.retention {
        Retention::Detail => written.lost > all / BORNE_LOSS,
        Retention::Fact | Retention::Reference | Retention::LastRow => written.lost > 0,
    };
    // Sealing keeps the last row alone.
    let has_one_row = table.retention == Retention::LastRow;
    if has_one_row && written.rows > 0 && seen.last_part < Some(written.last_part) {
        return Some("its last row is gone".to_owned());
    }
    if !has_one_row && seen.rows < written.rows {
        return Some(format!("{} of {} rows are gone", written.rows - seen.rows, written.rows));
    }
    too_many_lost.then(|| format!("{} of {all} rows could not be written", written.lost))
}

/// What a recording of an older version lacks for certain.
fn without_manifest(table: &Table, seen: &Seen, has_ended: bool) -> Option<String> {
    if seen.bad.values().any(|it| has_ended || !it.is_torn) {
        return Some("part of it cannot be read".to_owned());
    }
    let is_gone = has_ended && !seen.is_there && ALWAYS.contains(&table.name);
    is_gone.then(|| "it is gone".to_owned())
}

/// Without the last report of the sources it is unknown which of them still ran.
fn coverage_gone(coverage: &Coverage, seen: &AllSeen) -> Option<String> {
    let own = seen.get("coverage")?;
    let has_ended = !coverage.end.is_empty();
    if own.bad.values().any(|it| has_ended || !it.is_torn) {
        return Some(format!("coverage: {}", with_reason("part of it cannot be read".into(), own)));
    }
    // A writer gives each sealed part its word, at the latest when the recording ends.
    let others = seen.iter().filter(|(table, _)| **table != "coverage");
    let last = others.filter_map(|(_, it)| it.last_sealed).max();
    let is_old = coverage.manifest.is_some() && last > own.last_part;
    is_old.then(|| "coverage: its last row is gone".to_owned())
}

fn with_reason(what: String, seen: &Seen) -> String {
    match seen.bad.values().next() {
        Some(bad) => format!("{what} (`{}` is {})", bad.name, bad.why),
        None => what,
    }
}

/// Says of each source that ran, and whose rows are gone, that it is there in part. Where none of
/// those ran, or older recordings do not name them, it is said of all that ran.
pub(crate) fn mark(coverage: &mut Coverage, gone: &[(&'static Table, String)]) {
    for (table, why) in gone {
        let ran = table.feeds.iter().any(|it| coverage.ran(*it));
        let fed = if ran { table.feeds } else { Source::ALL };
        for source in fed {
            if let Some(state @ SourceState::Recorded) = coverage.sources.get_mut(source) {
                *state = SourceState::Partial(why.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is gone of `table`, by the numbers that were written and read.
    fn check(table: &str, written: (u64, u64, u32), seen: (u64, Option<u32>), expected: &str) {
        let table = Table::named(table).expect("a table");
        let (rows, lost, last_part) = written;
        let written = TableRows { rows, lost, first_part: 0, last_part };
        let seen = Seen { rows: seen.0, last_part: seen.1, ..Seen::default() };
        assert_eq!(missing(table, &written, &seen).unwrap_or_default(), expected);
    }

    #[test]
    fn fewer_rows_than_were_written_are_reported() {
        check("slices", (100, 0, 3), (100, Some(3)), "");
        check("slices", (100, 0, 3), (99, Some(3)), "1 of 100 rows are gone");
        check("slices", (100, 0, 3), (0, None), "100 of 100 rows are gone");
        // Written after the last word of it: the recorder was killed.
        check("slices", (100, 0, 3), (120, Some(4)), "");
    }

    #[test]
    fn of_a_table_with_one_row_the_last_one_counts() {
        check("jvm", (3, 0, 0), (1, Some(0)), "");
        check("jvm", (3, 0, 2), (1, Some(0)), "its last row is gone");
        check("jvm", (1, 0, 0), (0, None), "its last row is gone");
        check("jvm", (0, 0, 0), (0, None), "");
    }

    #[test]
    fn rows_that_were_never_written_are_gone_too() {
        check("safepoints", (100, 1, 0), (100, Some(0)), "1 of 101 rows could not be written");
        check("slices", (99, 1, 0), (99, Some(0)), "");
        check("slices", (98, 1, 0), (98, Some(0)), "1 of 99 rows could not be written");
    }
}
