//! Hours from rows: of the table `hours` as they are, of the table `pauses` summed.
//!
//! Others have written these rows, perhaps with another program: what is missing is not known, and what cannot be is
//! an error.
use crate::{
    CauseSum, CulpritSum, Hour, Jvm, Lengths, Origin, SourceKind, Table, TableError, Who, Worst,
    bounds::{MOST_FILE_BYTES, MOST_FLAGS_BYTES, MOST_LABELS, MOST_NAME_BYTES, bounded},
    hour::{hour_of, unsigned},
    overlaps::{JvmKey, Stops},
};
use arrow_array::{
    Array, ArrayRef, RecordBatch, StructArray,
    cast::AsArray,
    types::{Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType},
};
use arrow_schema::{DataType, TimeUnit};
use std::{collections::BTreeMap, sync::Arc};

/// Items of one list that are looked at.
const MOST_ITEMS: usize = 256;

/// The sums that a batch of a table comes to; of `stalls` none. `host`, where it is given, goes before what the rows
/// say: a host can write into its own directory alone, and not in the name of others.
///
/// # Errors
///
/// Where a column is of another type, or a number cannot be.
pub fn hours_of(
    table: Table,
    rows: &RecordBatch,
    host: Option<&str>,
    take: &mut dyn FnMut(Hour),
) -> Result<(), TableError> {
    let columns = Columns(rows);
    let who = columns.who(host)?;
    match table {
        Table::Hours => columns.hours(&who, take),
        Table::Pauses => columns.pauses(&who, take),
        Table::Stalls => Ok(()),
    }
}

/// Adds when the pauses of rows of `pauses` were, by JVM.
pub(crate) fn stops_of(
    rows: &RecordBatch,
    into: &mut BTreeMap<JvmKey, Stops>,
) -> Result<(), TableError> {
    let columns = Columns(rows);
    let (start, length) = (columns.numbers("start")?, columns.numbers("duration_ns")?);
    let (pid, main, kind) =
        (columns.numbers("pid")?, columns.texts("main")?, columns.texts("kind")?);
    for row in 0..rows.num_rows() {
        let (Some(start), Some(length)) = (start.at(row), length.at(row)) else { continue };
        let main = main.at(row).map(|it| bounded(it, MOST_NAME_BYTES).to_owned());
        let pid = pid.at(row).and_then(|it| u32::try_from(it).ok());
        into.entry((pid, main)).or_default().add(start, length, kind.at(row) != Some("hiccup"));
    }
    Ok(())
}

struct Columns<'a>(&'a RecordBatch);

/// Whom each row is of.
struct Whose {
    all: Vec<Who>,
    of_row: Vec<usize>,
}

impl Whose {
    fn at(&self, row: usize) -> &Who {
        &self.all[self.of_row[row]]
    }
}

pub(crate) fn wrong(name: &str, what: &str) -> TableError {
    TableError::NoTable(format!("its column `{name}` {what}"))
}

impl<'a> Columns<'a> {
    fn texts(&self, name: &str) -> Result<Texts<'a>, TableError> {
        let Some(column) = self.0.column_by_name(name) else { return Ok(Texts(None)) };
        Texts::of(column).ok_or_else(|| wrong(name, "holds no texts"))
    }

    fn numbers(&self, name: &str) -> Result<Numbers<'a>, TableError> {
        let Some(column) = self.0.column_by_name(name) else { return Ok(Numbers(None)) };
        Numbers::of(column).ok_or_else(|| wrong(name, "holds no 64-bit numbers"))
    }

    fn who(&self, host: Option<&str>) -> Result<Whose, TableError> {
        const TEXTS: [&str; 14] = [
            "host",
            "cluster",
            "boot",
            "kernel",
            "main",
            "java_version",
            "java_vendor",
            "collector",
            "flags",
            "container",
            "pod",
            "source",
            "source_kind",
            "coverage",
        ];
        let mut texts = Vec::new();
        for name in TEXTS {
            texts.push(self.texts(name)?);
        }
        let (pid, heap) = (self.numbers("pid")?, self.numbers("heap_max_bytes")?);
        let mut known: BTreeMap<Who, usize> = BTreeMap::new();
        let (mut all, mut of_row) = (Vec::new(), Vec::new());
        for row in 0..self.0.num_rows() {
            let text = |at: usize, most| {
                texts[at].at(row).map(|it| bounded(it, most).to_owned()).filter(|it| !it.is_empty())
            };
            let name = |at: usize| text(at, MOST_NAME_BYTES);
            let origin = Origin {
                host: host.map(str::to_owned).or_else(|| name(0)).unwrap_or_default(),
                cluster: name(1),
                labels: self.labels(row)?,
                boot: name(2),
                kernel: name(3),
                source: text(11, MOST_FILE_BYTES).unwrap_or_default(),
                kind: SourceKind::named(texts[12].at(row).unwrap_or_default()),
            };
            let flags = text(8, MOST_FLAGS_BYTES).unwrap_or_default();
            let jvm = Jvm {
                main: name(4),
                pid: pid.at(row).and_then(|it| u32::try_from(it).ok()),
                version: name(5),
                vendor: name(6),
                collector: name(7),
                heap_max_bytes: heap.at(row).and_then(|it| u64::try_from(it).ok()),
                flags: flags.split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
                container: name(9),
                pod: name(10),
            };
            let coverage = text(13, MOST_FILE_BYTES).unwrap_or_default().into();
            let who = Who { origin: Arc::new(origin), jvm: Arc::new(jvm), coverage };
            let at = *known.entry(who).or_insert_with_key(|who| {
                all.push(who.clone());
                all.len() - 1
            });
            of_row.push(at);
        }
        Ok(Whose { all, of_row })
    }

    fn labels(&self, row: usize) -> Result<BTreeMap<String, String>, TableError> {
        let Some(column) = self.0.column_by_name("labels") else { return Ok(BTreeMap::new()) };
        let Some(maps) = column.as_map_opt() else {
            return Err(wrong("labels", "holds no maps"));
        };
        if maps.is_null(row) {
            return Ok(BTreeMap::new());
        }
        let entries = maps.value(row);
        let columns = (entries.columns().first(), entries.columns().get(1));
        let texts = |it: Option<&'_ ArrayRef>| it.and_then(|it| it.as_string_opt::<i32>().cloned());
        let (Some(keys), Some(values)) = (texts(columns.0), texts(columns.1)) else {
            return Err(wrong("labels", "holds no texts"));
        };
        let name = |it: Option<&str>| bounded(it.unwrap_or_default(), MOST_NAME_BYTES).to_owned();
        let pairs = keys.iter().zip(values.iter()).take(MOST_LABELS);
        Ok(pairs.map(|(key, value)| (name(key), name(value))).collect())
    }

    fn hours(&self, who: &Whose, take: &mut dyn FnMut(Hour)) -> Result<(), TableError> {
        let hour = self.numbers("hour")?;
        let lengths = self.0.column_by_name("lengths").and_then(|it| it.as_binary_opt::<i32>());
        let lengths = lengths.ok_or_else(|| wrong("lengths", "holds no bytes"))?;
        let sums =
            ["covered_ns", "pauses", "stopped_ns", "longest_ns", "unexplained_ns", "recorded_ns"];
        let sums = sums.map(|name| Ok((name, self.numbers(name)?)));
        let sums = sums.into_iter().collect::<Result<Vec<_>, TableError>>()?;
        let lists = (self.items("causes")?, self.items("culprits")?, self.items("worst")?);
        for row in 0..self.0.num_rows() {
            let sum = |at: usize| {
                let (name, column) = &sums[at];
                let number = column.at(row).and_then(|it| u64::try_from(it).ok());
                number.ok_or_else(|| wrong(name, "has a number that cannot be"))
            };
            let mut it = Hour::new(who.at(row), hour.at(row).map(hour_of));
            it.lengths = Lengths::from_bytes(lengths.value(row))
                .map_err(|error| TableError::NoTable(error.to_string()))?;
            (it.covered_ns, it.pauses, it.stopped_ns) = (sum(0)?, sum(1)?, sum(2)?);
            (it.longest_ns, it.unexplained_ns, it.recorded_ns) = (sum(3)?, sum(4)?, sum(5)?);
            if it.lengths.count() != it.pauses {
                return Err(wrong("lengths", "counts other pauses than `pauses`"));
            }
            lists.0.each(row, &mut |item| it.add_cause(&item.text("cause"), item.cause()));
            lists.1.each(row, &mut |item| it.add_culprit(item.culprit()));
            lists.2.each(row, &mut |item| it.add_worst(item.worst()));
            take(it);
        }
        Ok(())
    }

    fn pauses(&self, who: &Whose, take: &mut dyn FnMut(Hour)) -> Result<(), TableError> {
        let (start, length) = (self.numbers("start")?, self.numbers("duration_ns")?);
        let unexplained = self.numbers("unexplained_ns")?;
        let names = ["certainty", "mechanism", "culprit_kind", "culprit", "file", "cause"];
        let names = names.map(|name| self.texts(name));
        let [certainty, mechanism, kind, culprit, file, cause] = names;
        let (certainty, mechanism, kind) = (certainty?, mechanism?, kind?);
        let (culprit, file, cause) = (culprit?, file?, cause?);
        let parts = self.items("parts")?;
        let mut hours: BTreeMap<(usize, Option<i64>), Hour> = BTreeMap::new();
        for row in 0..self.0.num_rows() {
            let length = length.at(row).and_then(|it| u64::try_from(it).ok());
            let length =
                length.ok_or_else(|| wrong("duration_ns", "has a number that cannot be"))?;
            let hour = start.at(row).map(hour_of);
            let of = who.of_row[row];
            let it = hours.entry((of, hour)).or_insert_with(|| Hour::new(&who.all[of], hour));
            it.add_length(length, unexplained.at(row).map_or(0, unsigned));
            let mut first = 0;
            parts.each(row, &mut |item| {
                let ns = item.number("ns");
                first = first.max(ns);
                let sum = CauseSum { pauses: 1, ns, longest_ns: ns };
                it.add_cause(&item.text("cause"), sum);
            });
            let text = |of: &Texts<'_>, most| of.at(row).map(|it| bounded(it, most).to_owned());
            let name = |of: &Texts<'_>| text(of, MOST_NAME_BYTES);
            let culprit = name(&kind).zip(name(&culprit));
            if let (Some((kind, name)), Some(cause)) = (culprit.clone(), name(&cause)) {
                it.add_culprit(CulpritSum { cause, kind, name, pauses: 1, ns: first });
            }
            let worst = Worst {
                start_ns: start.at(row),
                duration_ns: length,
                cause: name(&cause),
                certainty: name(&certainty),
                mechanism: name(&mechanism),
                culprit,
                file: text(&file, MOST_FILE_BYTES),
                source: it.origin.source.clone(),
            };
            it.add_worst(worst);
        }
        hours.into_values().for_each(take);
        Ok(())
    }

    fn items(&self, name: &str) -> Result<Items<'a>, TableError> {
        let Some(column) = self.0.column_by_name(name) else { return Ok(Items(None)) };
        let lists = column.as_list_opt::<i32>();
        let lists = lists.filter(|it| it.values().as_struct_opt().is_some());
        Ok(Items(Some(lists.ok_or_else(|| wrong(name, "holds no lists"))?)))
    }
}

/// A column of texts, as texts or as a dictionary of them.
pub(crate) struct Texts<'a>(Option<&'a ArrayRef>);

impl<'a> Texts<'a> {
    pub(crate) fn of(column: &'a ArrayRef) -> Option<Texts<'a>> {
        let is_text = match column.data_type() {
            DataType::Utf8 => true,
            DataType::Dictionary(key, value) => {
                **key == DataType::Int32 && **value == DataType::Utf8
            }
            _ => false,
        };
        is_text.then_some(Texts(Some(column)))
    }

    pub(crate) fn at(&self, row: usize) -> Option<&'a str> {
        let column = self.0?;
        if column.is_null(row) {
            return None;
        }
        if let Some(texts) = column.as_string_opt::<i32>() {
            return Some(texts.value(row));
        }
        let dictionary = column.as_dictionary::<Int32Type>();
        let key = dictionary.key(row)?;
        Some(dictionary.values().as_string::<i32>().value(key))
    }
}

/// A column of numbers, or of times in nanoseconds.
struct Numbers<'a>(Option<&'a ArrayRef>);

impl<'a> Numbers<'a> {
    fn of(column: &'a ArrayRef) -> Option<Numbers<'a>> {
        let is_number = matches!(
            column.data_type(),
            DataType::Int64 | DataType::Timestamp(TimeUnit::Nanosecond | TimeUnit::Microsecond, _)
        );
        is_number.then_some(Numbers(Some(column)))
    }

    fn at(&self, row: usize) -> Option<i64> {
        let column = self.0?;
        if column.is_null(row) {
            return None;
        }
        if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
            return Some(numbers.value(row));
        }
        if let Some(times) = column.as_primitive_opt::<TimestampNanosecondType>() {
            return Some(times.value(row));
        }
        let times = column.as_primitive::<TimestampMicrosecondType>();
        Some(times.value(row).saturating_mul(1_000))
    }
}

/// A column of lists of structs.
struct Items<'a>(Option<&'a arrow_array::ListArray>);

/// One item of such a list.
struct Item<'a> {
    of: &'a StructArray,
    at: usize,
}

impl Items<'_> {
    fn each(&self, row: usize, take: &mut dyn FnMut(Item<'_>)) {
        let Some(lists) = self.0.filter(|it| it.is_valid(row)) else { return };
        let values = lists.value(row);
        let of = values.as_struct();
        (0..of.len().min(MOST_ITEMS)).for_each(|at| take(Item { of, at }));
    }
}

impl Item<'_> {
    fn optional(&self, name: &str, most: usize) -> Option<String> {
        let column = self.of.column_by_name(name)?;
        Texts::of(column)?.at(self.at).map(|it| bounded(it, most).to_owned())
    }

    fn text(&self, name: &str) -> String {
        self.optional(name, MOST_NAME_BYTES).unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        let column = self.of.column_by_name(name);
        let number = column.and_then(Numbers::of).and_then(|it| it.at(self.at));
        number.map_or(0, unsigned)
    }

    fn cause(&self) -> CauseSum {
        CauseSum {
            pauses: self.number("pauses"),
            ns: self.number("ns"),
            longest_ns: self.number("longest_ns"),
        }
    }

    fn culprit(&self) -> CulpritSum {
        CulpritSum {
            cause: self.text("cause"),
            kind: self.text("kind"),
            name: self.text("name"),
            pauses: self.number("pauses"),
            ns: self.number("ns"),
        }
    }

    fn worst(&self) -> Worst {
        let name = |of: &str| self.optional(of, MOST_NAME_BYTES);
        let start = self.of.column_by_name("start").and_then(Numbers::of);
        Worst {
            start_ns: start.and_then(|it| it.at(self.at)),
            duration_ns: self.number("duration_ns"),
            cause: name("cause"),
            certainty: name("certainty"),
            mechanism: name("mechanism"),
            culprit: name("culprit_kind").zip(name("culprit")),
            file: self.optional("file", MOST_FILE_BYTES),
            source: self.optional("source", MOST_FILE_BYTES).unwrap_or_default(),
        }
    }
}
