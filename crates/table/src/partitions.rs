//! What a watch collects, as files of one table and one day each.
//!
//! Rows are kept as they come and become files all at once: a file of Parquet cannot be read before its end is there.
use crate::{
    Hour, Hours, ParquetFile, PauseBatch, PauseRow, StallRow, Table, TableError, Who, hour_rows,
    stall_rows,
};
use arrow_array::RecordBatch;
use std::collections::BTreeMap;

/// Nanoseconds of a day.
const DAY_NS: i64 = 86_400_000_000_000;

/// What was seen of one JVM since the last files were made.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Whom its rows are of: what is known of it at the end.
    pub who: Who,
    pauses: Vec<PauseRow>,
    stalls: Vec<StallRow>,
    hours: Hours,
}

/// A file of one table and one day.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Which table.
    pub table: Table,
    /// Which day, in days since 1970-01-01, in UTC.
    pub day: i64,
    /// How many rows it has.
    pub rows: u64,
    /// The whole file.
    pub bytes: Vec<u8>,
}

impl Collected {
    /// Nothing yet, of a JVM.
    #[must_use]
    pub fn new(who: Who) -> Collected {
        Collected { who, pauses: Vec::new(), stalls: Vec::new(), hours: Hours::default() }
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pauses.is_empty() && self.stalls.is_empty() && self.hours.is_empty()
    }

    /// Adds a pause, at a time in nanoseconds since 1970-01-01 UTC: to the sums of its hour, and as a row where there
    /// is `room`. Returns how many bytes of memory that took.
    pub fn pause(&mut self, row: PauseRow, now_ns: i64, room: bool) -> usize {
        // A log may have any date in each line, and each hour has sums of its own.
        let is_near = |at: &i64| at.abs_diff(now_ns) <= DAY_NS.unsigned_abs();
        let hour = row.start_ns.filter(is_near);
        self.hours.add_at(&self.who, &row, hour);
        if !room {
            return 0;
        }
        let bytes = row.held_bytes();
        self.pauses.push(row);
        bytes
    }

    /// Adds an episode of stalls. Returns how many bytes of memory that took.
    pub fn stall(&mut self, row: StallRow) -> usize {
        let bytes = row.held_bytes();
        self.stalls.push(row);
        bytes
    }

    /// Says that all pauses were seen from one time until another, in nanoseconds since 1970-01-01 UTC. No time is to
    /// be said twice.
    pub fn cover(&mut self, span: (i64, i64)) {
        self.hours.cover(&self.who, span);
        self.hours.record(&self.who, span);
    }
}

/// The files of all that was collected, in the order of tables and days. Rows of another day than `today` and those
/// next to it are in that of today: no log chooses how many days there are.
///
/// # Errors
///
/// None that is expected: files are made in memory.
pub fn partitions(all: &[Collected], today: i64) -> Result<Vec<Partition>, TableError> {
    let mut files = Files::default();
    let near = |day: i64| if day.abs_diff(today) <= 1 { day } else { today };
    let day = |ns: Option<i64>| ns.map_or(today, |ns| near(ns.div_euclid(DAY_NS)));
    for it in all {
        let mut pauses: BTreeMap<i64, PauseBatch> = BTreeMap::new();
        it.pauses.iter().for_each(|row| pauses.entry(day(row.start_ns)).or_default().push(row));
        for (day, mut batch) in pauses {
            files.write(Table::Pauses, day, &batch.finish(&it.who))?;
        }
        let mut stalls: BTreeMap<i64, Vec<StallRow>> = BTreeMap::new();
        it.stalls.iter().for_each(|row| {
            stalls.entry(day(row.start_ns)).or_default().push(row.clone());
        });
        for (day, rows) in stalls {
            files.write(Table::Stalls, day, &stall_rows(&rows, &it.who))?;
        }
        let mut hours: BTreeMap<i64, Vec<Hour>> = BTreeMap::new();
        for hour in it.hours.clone().finish() {
            let day = hour.hour.map_or(today, |hour| near(hour.div_euclid(24)));
            hours.entry(day).or_default().push(hour);
        }
        for (day, rows) in hours {
            files.write(Table::Hours, day, &hour_rows(&rows, &it.who))?;
        }
    }
    files.finish()
}

/// Files that are being made.
#[derive(Default)]
struct Files(BTreeMap<(Table, i64), Begun>);

/// One of them, and how many rows it has.
struct Begun {
    file: ParquetFile<Vec<u8>>,
    rows: u64,
}

impl Files {
    fn write(&mut self, table: Table, day: i64, rows: &RecordBatch) -> Result<(), TableError> {
        let mut file = match self.0.remove(&(table, day)) {
            Some(file) => file,
            None => Begun { file: ParquetFile::begin(table, Vec::new())?, rows: 0 },
        };
        file.file.write(rows)?;
        file.rows += rows.num_rows() as u64;
        self.0.insert((table, day), file);
        Ok(())
    }

    fn finish(self) -> Result<Vec<Partition>, TableError> {
        let files = self.0.into_iter();
        let whole = files.map(|((table, day), Begun { file, rows })| {
            Ok(Partition { table, day, rows, bytes: file.finish()? })
        });
        whole.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hours_of, read_parquet, row::tests::row};
    use std::{io::Write, sync::Arc};

    const HOUR_NS: i64 = 3_600_000_000_000;
    /// 2027-01-15, at noon.
    const TODAY: i64 = 20_833;
    const NOON: i64 = TODAY * DAY_NS + 12 * HOUR_NS;

    fn collected() -> Collected {
        let source = crate::Origin { source: "orders.jar (pid 7)".into(), ..Default::default() };
        Collected::new(Who { origin: Arc::new(source), ..Who::default() })
    }

    /// The sums of each file, as they are read again.
    fn read(all: &[Collected]) -> Vec<(Table, i64, Vec<Hour>)> {
        let read = |it: Partition| {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&it.bytes).expect("written");
            let mut hours = Vec::new();
            read_parquet(file, &mut |table, rows| {
                hours_of(table, rows, None, &mut |hour| hours.push(hour))
            })
            .expect("rows");
            (it.table, it.day, hours)
        };
        partitions(all, TODAY).expect("files").into_iter().map(read).collect()
    }

    #[test]
    fn hours_of_several_files_add_up_to_all_pauses_and_no_time_is_there_twice() {
        let mut sum = Hour::new(&collected().who, Some(NOON / HOUR_NS));
        let mut rows = 0;
        // Three files of ten minutes each.
        for part in 0..3 {
            let mut it = collected();
            let from = NOON + part * HOUR_NS / 6;
            for n in 0..=part {
                it.pause(row(from + n * 1_000_000, 2_000_000), from, true);
            }
            it.cover((from, from + HOUR_NS / 6));
            let files = read(&[it]);
            let tables: Vec<_> = files.iter().map(|it| (it.0, it.1)).collect();
            assert_eq!(tables, [(Table::Pauses, TODAY), (Table::Hours, TODAY)]);
            rows += files[0].2.iter().map(|it| it.pauses).sum::<u64>();
            files[1].2.iter().for_each(|it| sum.merge(it));
        }
        assert_eq!((rows, sum.pauses, sum.stopped_ns), (6, 6, 12_000_000));
        let half = (HOUR_NS / 2).unsigned_abs();
        assert_eq!((sum.covered_ns, sum.recorded_ns), (half, half));
    }

    #[test]
    fn what_there_is_no_room_for_is_in_the_sums() {
        let mut it = collected();
        assert!(it.pause(row(NOON, 5), NOON, true) > 0);
        assert_eq!(it.pause(row(NOON, 7), NOON, false), 0);
        let files = read(&[it]);
        let pauses = |at: usize| files[at].2.iter().map(|it| it.pauses).sum::<u64>();
        assert_eq!((pauses(0), pauses(1)), (1, 2));
    }

    #[test]
    fn rows_are_in_the_file_of_their_day_and_none_chooses_a_day_far_away() {
        let mut it = collected();
        let midnight = (TODAY + 1) * DAY_NS;
        for at in [midnight - 1, midnight, NOON - DAY_NS, NOON - DAY_NS - HOUR_NS, 0, i64::MAX] {
            it.pause(row(at, 1_000), NOON, true);
        }
        it.cover((midnight - HOUR_NS, midnight + HOUR_NS));
        let files = read(&[it]);
        let counts: Vec<_> = files
            .iter()
            .map(|it| (it.0, it.1 - TODAY, it.2.iter().map(|it| it.pauses).sum::<u64>()))
            .collect();
        let of = |table, days: [u64; 3]| {
            [(table, -1, days[0]), (table, 0, days[1]), (table, 1, days[2])]
        };
        // In the sums of hours those are of no time that are more than a day off.
        let expected = [of(Table::Pauses, [2, 3, 1]), of(Table::Hours, [1, 4, 1])].concat();
        assert_eq!(counts, expected);
        let covered: u64 = files.iter().flat_map(|it| &it.2).map(|it| it.covered_ns).sum();
        assert_eq!(covered, 2 * HOUR_NS.unsigned_abs());
    }

    #[test]
    fn jvms_are_in_one_file() {
        let (mut a, mut b) = (collected(), collected());
        b.who.origin = Arc::new(crate::Origin { source: "b".into(), ..Default::default() });
        a.pause(row(NOON, 5), NOON, true);
        b.pause(row(NOON, 6), NOON, true);
        let files = read(&[a, b]);
        assert_eq!(files.len(), 2);
        let sources: Vec<_> = files[0].2.iter().map(|it| it.origin.source.as_str()).collect();
        assert_eq!(sources, ["orders.jar (pid 7)", "b"]);
        assert!(read(&[collected()]).is_empty() && collected().is_empty());
    }
}
