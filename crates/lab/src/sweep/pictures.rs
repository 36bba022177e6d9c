//! The pictures of a sweep: what the quota does, and what the number of GC threads does.
use super::{Cell, Swept, tables};
use crate::{
    LabError,
    chart::{Panel, Series, Shape},
    picture::Picture,
};

/// The four of them.
pub(crate) fn all(swept: &Swept) -> Result<Vec<Picture>, LabError> {
    Ok(vec![
        Picture::draw(
            "quota-application",
            "throughput and long allocations over the quota",
            &[
                over_quota(swept, "Throughput", "1000 objects per second", thousands),
                over_quota(swept, "Allocations longer than 50 ms", "allocations", over_50ms),
            ],
        )?,
        Picture::draw(
            "quota-cpu",
            "CPU usage of the group over the quota",
            &[
                over_quota(swept, "CPU usage outside the kernel", "CPU time (s)", user),
                over_quota(swept, "CPU usage in the kernel", "CPU time (s)", system),
            ],
        )?,
        Picture::draw(
            "threads-throttled",
            "throttling over the number of GC threads",
            &[
                over_threads(swept, "Throttled periods", "periods", throttled_periods),
                over_threads(swept, "Throttled time, summed over CPUs", "time (s)", throttled),
            ],
        )?,
        Picture::draw(
            "threads-application",
            "long allocations and throughput over the number of GC threads",
            &[
                over_threads(swept, "Allocations longer than 50 ms", "allocations", over_50ms),
                over_threads(swept, "Throughput", "1000 objects per second", thousands),
            ],
        )?,
    ])
}

type Value = fn(&Cell) -> f64;

fn over_quota(swept: &Swept, title: &str, y: &str, value: Value) -> Panel {
    let mut quotas: Vec<_> = swept.cells.iter().map(|it| it.quota_millicpus).collect();
    quotas.dedup();
    // from the smallest on; no quota is the largest
    quotas.reverse();
    let threads = distinct(swept.cells.iter().map(|it| it.gc_threads));
    let series = threads.iter().map(|threads| {
        let at = |quota: &Option<u32>| {
            let same = |it: &&Cell| it.quota_millicpus == *quota && it.gc_threads == *threads;
            swept.cells.iter().find(same).map(value)
        };
        Series::new(format!("GC threads: {threads}"), Shape::Both, placed(quotas.iter().map(at)))
    });
    Panel {
        title: title.to_owned(),
        x: "CPU quota".to_owned(),
        y: y.to_owned(),
        places: quotas.iter().map(|it| tables::quota(*it)).collect(),
        series: series.collect(),
    }
}

fn over_threads(swept: &Swept, title: &str, y: &str, value: Value) -> Panel {
    let threads = distinct(swept.cells.iter().map(|it| it.gc_threads));
    let quotas = distinct(swept.cells.iter().filter_map(|it| it.quota_millicpus));
    let series = quotas.iter().map(|quota| {
        let at = |threads: &u32| {
            let same = |it: &&Cell| it.quota_millicpus == Some(*quota) && it.gc_threads == *threads;
            swept.cells.iter().find(same).map(value)
        };
        Series::new(tables::quota(Some(*quota)), Shape::Both, placed(threads.iter().map(at)))
    });
    Panel {
        title: title.to_owned(),
        x: "stop-the-world GC threads".to_owned(),
        y: y.to_owned(),
        places: threads.iter().map(u32::to_string).collect(),
        series: series.collect(),
    }
}

/// Each once, in the order of their first.
fn distinct(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

fn placed(values: impl Iterator<Item = Option<f64>>) -> Vec<(f64, f64)> {
    (0_u32..).zip(values).filter_map(|(at, value)| Some((f64::from(at), value?))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
fn thousands(cell: &Cell) -> f64 {
    cell.allocations_per_s as f64 / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
fn over_50ms(cell: &Cell) -> f64 {
    cell.over_50ms as f64
}

#[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
fn throttled_periods(cell: &Cell) -> f64 {
    cell.throttled_periods as f64
}

fn throttled(cell: &Cell) -> f64 {
    cell.throttled.as_secs_f64()
}

fn user(cell: &Cell) -> f64 {
    cell.user.as_secs_f64()
}

fn system(cell: &Cell) -> f64 {
    cell.system.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn cell(quota_millicpus: Option<u32>, gc_threads: u32, over_50ms: u64) -> Cell {
        Cell {
            quota_millicpus,
            gc_threads,
            allocations_per_s: 1500,
            over_50ms,
            longest: Duration::ZERO,
            periods: 80,
            throttled_periods: 79,
            throttled: Duration::from_millis(900),
            user: Duration::from_secs(7),
            system: Duration::from_secs(1),
        }
    }

    fn swept() -> Swept {
        let cells = vec![
            cell(None, 1, 3),
            cell(None, 8, 4),
            cell(Some(1000), 1, 5),
            cell(Some(1000), 8, 6),
        ];
        let (jdk, duration) = ("17.0.15".into(), Duration::from_secs(8));
        Swept { jdk, cpus: 2, duration, cells, example: Vec::new() }
    }

    #[test]
    fn quotas_grow_to_the_right_and_none_is_the_largest() {
        let panel = over_quota(&swept(), "t", "y", over_50ms);
        assert_eq!(panel.places, ["1 CPU", "no quota"]);
        assert_eq!(panel.series[0].values, [(0.0, 5.0), (1.0, 3.0)]);
        assert_eq!(panel.series[1].name, "GC threads: 8");
    }

    #[test]
    fn only_a_quota_throttles() {
        let panel = over_threads(&swept(), "t", "y", throttled);
        assert_eq!(panel.places, ["1", "8"]);
        assert_eq!(panel.series.len(), 1);
        assert_eq!(panel.series[0].values, [(0.0, 0.9), (1.0, 0.9)]);
    }

    #[test]
    fn there_are_four_pictures() {
        assert_eq!(all(&swept()).unwrap().len(), 4);
    }
}
