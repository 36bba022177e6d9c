//! The tables: one file each, rows to columns and back.
mod cgroup;
mod clocks;
mod code;
mod coverage;
mod cpu_users;
mod files;
mod host;
mod java_stacks;
mod jvm;
mod kernel_work;
mod log_lines;
mod memory;
mod output_readers;
mod outputs;
mod perf_counters;
mod safepoints;
mod samples;
mod slices;
mod stacks;
mod threads;
mod writers;

use crate::schema::Table;

/// All tables. A batch is written in this order: first what others refer to.
static ALL: [&Table; 21] = [
    &jvm::TABLE,
    &host::TABLE,
    &cgroup::TABLE,
    &clocks::TABLE,
    &threads::TABLE,
    &files::TABLE,
    &perf_counters::TABLE,
    &stacks::TABLE,
    &safepoints::TABLE,
    &slices::TABLE,
    &kernel_work::TABLE,
    &code::TABLE,
    &java_stacks::TABLE,
    &log_lines::TABLE,
    &samples::TABLE,
    &writers::TABLE,
    &memory::TABLE,
    &cpu_users::TABLE,
    &outputs::TABLE,
    &output_readers::TABLE,
    &coverage::TABLE,
];

impl Table {
    /// All tables, in the order in which they are documented and written.
    #[must_use]
    pub fn all() -> &'static [&'static Table] {
        &ALL
    }

    /// The table with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Table> {
        Table::all().iter().find(|table| table.name == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;

    #[test]
    fn every_table_builds_the_columns_that_it_documents() {
        for table in Table::all() {
            let batch = table.batch(&Facts::default(), 0..0);
            assert_eq!(batch.num_columns(), table.columns.len(), "{}", table.name);
        }
    }

    #[test]
    fn names_are_plain_and_unique_and_documented() {
        let plain = |name: &str| name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
        for table in Table::all() {
            assert!(plain(table.name) && !table.doc.is_empty(), "{}", table.name);
            let mut names: Vec<&str> = table.columns.iter().map(|it| it.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
            for column in table.columns {
                assert!(plain(column.name) && !column.doc.is_empty(), "{}", column.name);
            }
        }
    }
}
