//! Rows that were written before: of files of one host, given again as if their logs and recordings were read.
use crate::{
    Hour, Origin, Sink, Table, TableError, Tables, Who,
    bounds::{MOST_FILE_BYTES, MOST_FLAGS_BYTES, MOST_NAME_BYTES, bounded},
    columns::{Repeated, is_repeated, same, same_map},
    hour_rows, hours_of,
    overlaps::{JvmKey, Recorded, Stops},
    read::{Texts, stops_of, wrong},
    read_parquet,
};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::Field;
use input::HostInputs;
use std::{
    collections::BTreeMap,
    fs::File,
    ops::ControlFlow::{self, Continue},
    path::Path,
};

/// Gives what files of rows of a host hold, and tells `recorded` of the time that they are of. A damaged file gives
/// nothing at all. Where the host of `origin` is known it goes before what rows say: a host can write into its own
/// directory alone, and not in the name of others.
///
/// Rows of hours are sums of rows of pauses: where a host has hours, its pauses do not count once more.
pub(crate) fn rows(
    of: &HostInputs,
    origin: &Origin,
    wanted: Tables,
    recorded: &mut Recorded,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let mut again = Again {
        origin,
        otherwise: &of.directory,
        wanted,
        sink,
        hours: Vec::new(),
        sums: Vec::new(),
        stops: Vec::new(),
    };
    for path in &of.tables {
        let source = again.sink.source(&path.display().to_string());
        let given = match again.sums_of(path) {
            Ok(Some(table)) => again.batches_of(path, table),
            Ok(None) => Ok(Continue(())),
            Err(error) => Err(error),
        };
        match given {
            Ok(flow) => flow?,
            Err(error) => again.sink.unread(&source, &unreadable(&source, &error)),
        }
        again.sink.progress(path.metadata().map_or(0, |it| it.len()));
    }
    let is_counted = !again.hours.is_empty();
    for (jvm, stops) in std::mem::take(&mut again.stops) {
        recorded.add_rows(jvm, &stops, is_counted);
    }
    again.give_sums()
}

fn unreadable(source: &str, error: &TableError) -> input::Error {
    input::Error::new(format!("`{source}`: {error}"), "")
}

struct Again<'a> {
    origin: &'a Origin,
    otherwise: &'a str,
    wanted: Tables,
    sink: &'a mut dyn Sink,
    /// From rows of hours.
    hours: Vec<Hour>,
    /// From rows of pauses.
    sums: Vec<Hour>,
    /// When they were, by file and JVM.
    stops: Vec<(JvmKey, Stops)>,
}

impl Again<'_> {
    /// Reads all of a file, as the end of a file can be damaged, and keeps what its rows add up to. Says of which table
    /// they are, where there are any.
    fn sums_of(&mut self, path: &Path) -> Result<Option<Table>, TableError> {
        let (mut hours, mut of) = (Vec::new(), None);
        let mut stops: BTreeMap<JvmKey, Stops> = BTreeMap::new();
        let host = Some(self.origin.host.as_str()).filter(|it| !it.is_empty());
        read_parquet(File::open(path)?, &mut |table, rows| {
            of = Some(table);
            if table == Table::Pauses {
                stops_of(rows, &mut stops)?;
            }
            hours_of(table, rows, host, &mut |hour| {
                // That there are hours matters to logs, too.
                if self.wanted.hours || table == Table::Hours {
                    hours.push(self.named(hour));
                }
            })
        })?;
        self.stops.extend(stops);
        match of {
            Some(Table::Hours) => self.hours.append(&mut hours),
            _ => self.sums.append(&mut hours),
        }
        Ok(of)
    }

    /// With what is known beside the rows.
    fn named(&self, mut hour: Hour) -> Hour {
        let is_nameless = hour.origin.host.is_empty();
        if is_nameless || self.origin.cluster.is_some() || !self.origin.labels.is_empty() {
            let mut origin = (*hour.origin).clone();
            if is_nameless {
                self.otherwise.clone_into(&mut origin.host);
            }
            origin.cluster = self.origin.cluster.clone().or(origin.cluster);
            if !self.origin.labels.is_empty() {
                origin.labels.clone_from(&self.origin.labels);
            }
            hour.origin = origin.into();
        }
        hour
    }

    fn batches_of(&mut self, path: &Path, table: Table) -> Result<ControlFlow<()>, TableError> {
        let is_wanted = match table {
            Table::Pauses => self.wanted.pauses,
            Table::Stalls => self.wanted.stalls,
            // They are sums of what was kept.
            Table::Hours => false,
        };
        let mut flow = Continue(());
        if is_wanted {
            read_parquet(File::open(path)?, &mut |table, rows| {
                if flow.is_continue() && rows.num_rows() > 0 {
                    flow = self.sink.batch(table, self.adopted(table, rows)?);
                }
                Ok(())
            })?;
        }
        Ok(flow)
    }

    /// The rows with the columns of this version and with names that are bounded.
    fn adopted(&self, table: Table, rows: &RecordBatch) -> Result<RecordBatch, TableError> {
        let schema = table.schema();
        let columns = schema.fields().iter().map(|field| self.column(field, rows));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        // What lists and maps call their items is the writer's choice.
        let options = RecordBatchOptions::new().with_match_field_names(false);
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }

    fn column(&self, field: &Field, rows: &RecordBatch) -> Result<ArrayRef, TableError> {
        let (name, count) = (field.name().as_str(), rows.num_rows());
        let origin = self.origin;
        match name {
            "host" if !origin.host.is_empty() => return Ok(same(Some(&origin.host), count)),
            "cluster" if origin.cluster.is_some() => {
                return Ok(same(origin.cluster.as_deref(), count));
            }
            "labels" if !origin.labels.is_empty() => return Ok(same_map(&origin.labels, count)),
            _ => {}
        }
        let Some(column) = rows.column_by_name(name) else {
            return match field.is_nullable() {
                true => Ok(arrow_array::new_null_array(field.data_type(), count)),
                false => Err(wrong(name, "is missing")),
            };
        };
        if !is_repeated(field.data_type()) {
            return Ok(column.clone());
        }
        let texts = Texts::of(column).ok_or_else(|| wrong(name, "holds no texts"))?;
        let most = match name {
            "flags" => MOST_FLAGS_BYTES,
            "file" | "source" | "coverage" => MOST_FILE_BYTES,
            _ => MOST_NAME_BYTES,
        };
        let mut bound = Repeated::default();
        for row in 0..count {
            let text = texts.at(row).map(|it| bounded(it, most));
            bound.push(match text {
                Some("") if name == "host" => Some(self.otherwise),
                other => other,
            });
        }
        Ok(bound.finish())
    }

    fn give_sums(self) -> ControlFlow<()> {
        if !self.wanted.hours {
            return Continue(());
        }
        let used = if self.hours.is_empty() { self.sums } else { self.hours };
        let mut places: BTreeMap<Who, usize> = BTreeMap::new();
        let mut of_jvm: Vec<(Who, Vec<Hour>)> = Vec::new();
        for hour in used {
            let (origin, jvm) = (hour.origin.clone(), hour.jvm.clone());
            let who = Who { origin, jvm, coverage: hour.coverage.clone() };
            let place = *places.entry(who).or_insert_with_key(|who| {
                of_jvm.push((who.clone(), Vec::new()));
                of_jvm.len() - 1
            });
            of_jvm[place].1.push(hour);
        }
        for (who, hours) in of_jvm {
            if self.sink.takes_batches() {
                self.sink.batch(Table::Hours, hour_rows(&hours, &who))?;
            }
            hours.into_iter().for_each(|it| self.sink.hour(it));
        }
        Continue(())
    }
}
