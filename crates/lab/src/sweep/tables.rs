//! The tables of a sweep, for people: quotas down, GC threads across.
use super::{Cell, Swept};
use comfy_table::{CellAlignment, Table, presets};
use std::{fmt::Write as _, time::Duration};

/// What a cell of a table says.
type Content = fn(&Cell) -> String;

/// Five tables, and the example.
pub(super) fn text(swept: &Swept) -> String {
    let mut text = String::new();
    let tables: [(&str, Content); 5] = [
        ("throughput (objects of 10 KiB a second)", |it| it.allocations_per_s.to_string()),
        ("allocations over 50 ms (and the longest)", |it| {
            format!("{} ({})", it.over_50ms, millis(it.longest))
        }),
        ("throttled periods (of all in which the group wanted to run)", |it| {
            of(it, format!("{} of {}", it.throttled_periods, it.periods))
        }),
        ("throttled time (summed over CPUs)", |it| of(it, millis(it.throttled))),
        ("CPU time (of which in the kernel)", |it| {
            format!("{} ({})", millis(it.user + it.system), millis(it.system))
        }),
    ];
    // writing to a string does not fail
    let _ = writeln!(
        text,
        "CPU quota and GC threads, JDK {}, {} CPUs, {} s each\n",
        swept.jdk,
        swept.cpus,
        swept.duration.as_secs()
    );
    for (title, value) in tables {
        let _ = writeln!(text, "{title}\n{}\n", table(&swept.cells, value));
    }
    text + &example(swept)
}

/// What is counted only with a quota.
fn of(cell: &Cell, counted: String) -> String {
    if cell.quota_millicpus.is_some() { counted } else { "-".to_owned() }
}

fn table(cells: &[Cell], value: fn(&Cell) -> String) -> Table {
    let mut quotas: Vec<_> = cells.iter().map(|it| it.quota_millicpus).collect();
    quotas.dedup();
    let first = quotas.first().copied().flatten();
    let threads = cells.iter().filter(|it| it.quota_millicpus == first);
    let header = threads.map(|it| format!("GC threads: {}", it.gc_threads));
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once(String::new()).chain(header));
    for row in quotas {
        let cells = cells.iter().filter(|it| it.quota_millicpus == row).map(value);
        table.add_row(std::iter::once(quota(row)).chain(cells));
    }
    aligned(table)
}

fn example(swept: &Swept) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header([
        "GC threads",
        "estimated (from the model)",
        "without quota",
        "longest observed",
        "without quota",
        "throttled",
    ]);
    for it in &swept.example {
        table.add_row([
            it.gc_threads.to_string(),
            millis(it.estimated),
            millis(it.estimated_without),
            millis(it.observed),
            millis(it.observed_without),
            millis(it.throttled),
        ]);
    }
    format!(
        "a quota of 90 ms in 300 ms: what a collection of 90 ms of CPU time must make of the\n\
         application by the model, and the longest that a 1 ms sleep observed under a real \
         load\n{}\n",
        aligned(table)
    )
}

fn aligned(mut table: Table) -> Table {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// `no quota`, `1.5 CPUs`.
pub(crate) fn quota(millicpus: Option<u32>) -> String {
    let Some(millicpus) = millicpus else { return "no quota".to_owned() };
    let (whole, tenths) = (millicpus / 1000, millicpus % 1000 / 100);
    let unit = if millicpus == 1000 { "CPU" } else { "CPUs" };
    match tenths {
        0 => format!("{whole} {unit}"),
        _ => format!("{whole}.{tenths} {unit}"),
    }
}

fn millis(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Example;

    fn cell(quota_millicpus: Option<u32>, gc_threads: u32, over_50ms: u64) -> Cell {
        Cell {
            quota_millicpus,
            gc_threads,
            allocations_per_s: 1000,
            over_50ms,
            longest: Duration::from_millis(70),
            periods: 80,
            throttled_periods: 79,
            throttled: Duration::from_millis(900),
            user: Duration::from_secs(7),
            system: Duration::from_secs(1),
        }
    }

    #[test]
    fn there_is_a_row_for_each_quota_and_a_column_for_each_number_of_threads() {
        let example = Example {
            gc_threads: 4,
            estimated: Duration::from_millis(300),
            estimated_without: Duration::from_millis(45),
            observed: Duration::from_millis(290),
            observed_without: Duration::from_millis(80),
            throttled: Duration::from_millis(900),
        };
        let cells = vec![
            cell(None, 1, 3),
            cell(None, 8, 4),
            cell(Some(1000), 1, 5),
            cell(Some(1000), 8, 6),
        ];
        let swept = Swept {
            jdk: "17.0.15".into(),
            cpus: 2,
            duration: Duration::from_secs(8),
            cells,
            example: vec![example],
        };
        let text = text(&swept);
        let row = |name: &str, nth: usize| {
            let rows = text.lines().filter(|it| it.trim_start().starts_with(name));
            rows.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).nth(nth).unwrap()
        };
        assert_eq!(row("no quota", 1), "no quota 3 (70 ms) 4 (70 ms)");
        assert_eq!(row("1 CPU", 1), "1 CPU 5 (70 ms) 6 (70 ms)");
        assert_eq!(row("no quota", 2), "no quota - -");
        assert_eq!(row("1 CPU", 2), "1 CPU 79 of 80 79 of 80");
        assert_eq!(row("4 ", 0), "4 300 ms 45 ms 290 ms 80 ms 900 ms");
    }

    #[test]
    fn quotas_are_in_cpus() {
        assert_eq!(quota(None), "no quota");
        assert_eq!(quota(Some(500)), "0.5 CPUs");
        assert_eq!(quota(Some(1000)), "1 CPU");
        assert_eq!(quota(Some(1500)), "1.5 CPUs");
        assert_eq!(quota(Some(2000)), "2 CPUs");
    }
}
