//! The pictures of the post on control groups: CPU quotas and numbers of GC threads.
use super::{
    lab::Lab,
    part::{Made, Part, table},
};
use crate::{LabError, sweep};

pub(super) static PART: Part = Part {
    id: "cgroup-quota",
    title: "Control groups post: CPU quotas and GC threads",
    original: "\
20 minutes each on 24 hyper-threads, two allocating threads, periods of 100 ms.
With more CPUs in the quota throughput keeps rising until about 12 CPUs, and allocations over 50 ms keep falling until about 8.
The group's CPU time rises too: 6,000 s in 1,200 s are 5 CPUs.
With 1 to 24 GC threads throttled periods, throttled time and long allocations rise, and throughput falls a little.",
    can_run: sweep::can_run,
    takes: sweep::takes,
    seconds: (75, 330),
    make,
};

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let swept = sweep::measure(lab.jdk, lab.quick, lab.bench, lab.progress)?;
    let rows: Vec<_> = swept
        .cells
        .iter()
        .map(|it| {
            vec![
                sweep::quota_said(it.quota_millicpus),
                it.gc_threads.to_string(),
                it.allocations_per_s.to_string(),
                it.over_50ms.to_string(),
                format!("{:.2}", (it.user + it.system).as_secs_f64()),
                format!("{} of {}", it.throttled_periods, it.periods),
                format!("{:.2}", it.throttled.as_secs_f64()),
            ]
        })
        .collect();
    let header = [
        "quota",
        "GC threads",
        "objects/s",
        "allocations >50 ms",
        "CPU time (s)",
        "throttled periods",
        "throttled (s, over CPUs)",
    ];
    Ok(Made {
        setup: format!(
            "`whypause lab sweep`: two allocating threads, 10 KiB an object, a heap of 1 GiB, ParallelGC, {} CPUs, {} s for each pair.",
            swept.cpus,
            swept.duration.as_secs()
        ),
        pictures: sweep::pictures::all(&swept)?,
        ours: table(&header, &rows),
        differs: format!(
            "This host has {} CPUs, so quotas end there, and a collection cannot use up a quota faster than {} CPUs can; the post had 24.",
            swept.cpus, swept.cpus
        ),
        numbers: serde_json::to_value(&swept).unwrap_or_default(),
    })
}
