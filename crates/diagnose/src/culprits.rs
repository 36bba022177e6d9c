//! Who did it: processes that wrote, processes that held the CPU.
use crate::{Culprit, CulpritKind, index::Index, tally::Tally, text};
use recording::{Interval, MonoTime, WriterFact};
use std::{collections::BTreeMap, time::Duration};

/// How long before a pause a writer still matters: dirty data waits for up to 5 seconds between
/// two rounds of the kernel's flusher (`vm.dirty_writeback_centisecs`) and then for the disk.
const BEFORE: Duration = Duration::from_secs(10);

/// How many culprits are named.
const MOST: usize = 3;

/// Less than this is not worth a name: 1 MB in ten seconds delays no disk.
const MIN_BYTES: u64 = 1_000_000;

/// The processes that wrote most to `device` around the pauses of `tally`.
///
/// Processes of one name are taken together, as short-lived ones come in series (`dd`, `cp`,
/// `gzip` from a script).
pub(crate) fn writers(
    tally: &Tally,
    index: &Index<'_>,
    device: Option<u64>,
    device_name: &str,
) -> Vec<Culprit> {
    let Some(facts) = index.facts else { return Vec::new() };
    let windows: Vec<_> =
        tally.windows.iter().map(|(_, it)| Interval::new(before(it.start), it.end)).collect();
    let near = |writer: &&WriterFact| {
        let same_device = device.is_none() || writer.device.is_none() || writer.device == device;
        same_device && windows.iter().any(|it| it.intersect(writer.interval).is_some())
    };
    let mut by_name: BTreeMap<&str, Vec<&WriterFact>> = BTreeMap::new();
    for writer in facts.writers.iter().filter(near) {
        by_name.entry(writer.name.as_str()).or_default().push(writer);
    }
    let mut groups: Vec<_> =
        by_name.into_iter().map(|(name, rows)| (total(&rows), name, rows)).collect();
    groups.retain(|it| it.0 >= MIN_BYTES);
    groups.sort_by_key(|it| (std::cmp::Reverse(it.0), it.1));
    groups
        .iter()
        .take(MOST)
        .map(|(bytes, name, rows)| writer(*bytes, name, rows, device, device_name))
        .collect()
}

fn before(start: MonoTime) -> MonoTime {
    start - BEFORE
}

fn total(rows: &[&WriterFact]) -> u64 {
    rows.iter().map(|it| it.bytes).sum()
}

fn writer(
    bytes: u64,
    name: &str,
    rows: &[&WriterFact],
    device: Option<u64>,
    device_name: &str,
) -> Culprit {
    let largest = rows.iter().max_by_key(|it| it.bytes);
    let pids: std::collections::BTreeSet<u32> = rows.iter().map(|it| it.pid).collect();
    let command = largest.map_or("", |it| it.command_line.as_str());
    let what = match (pids.len(), command) {
        (1, "") => format!("pid {}", rows[0].pid),
        (1, command) => format!("pid {}, {command}", rows[0].pid),
        (many, "") => format!("{many} processes"),
        (many, command) => format!("{many} processes, such as {command}"),
    };
    // To which device a process wrote is known only where one of its files could be seen.
    let proven = device.is_some() && rows.iter().any(|it| it.device == device);
    let to = if proven && !device_name.is_empty() {
        format!(" to {device_name}")
    } else {
        " to disks".into()
    };
    Culprit {
        kind: CulpritKind::Process,
        name: name.into(),
        pid: (pids.len() == 1).then(|| rows[0].pid),
        statement: format!("{name} ({what}) wrote {}{to} around these stops", text::bytes(bytes)),
    }
}

/// The processes that held the CPU while the path's threads queued for it.
pub(crate) fn cpu_holders(tally: &Tally, index: &Index<'_>) -> Vec<Culprit> {
    let own = index.jvm.map(|jvm| jvm.pid);
    let mut by_process: BTreeMap<(u32, &str), Duration> = BTreeMap::new();
    for ((pid, name), time) in &tally.holders {
        let name = if Some(*pid) == own { "the JVM itself" } else { name.as_str() };
        *by_process.entry((*pid, name)).or_default() += *time;
    }
    let mut holders: Vec<_> = by_process.into_iter().collect();
    holders.sort_by_key(|it| std::cmp::Reverse(it.1));
    holders.into_iter().take(MOST).map(|((pid, name), time)| holder(pid, name, time)).collect()
}

fn holder(pid: u32, name: &str, time: Duration) -> Culprit {
    Culprit {
        kind: CulpritKind::Process,
        name: name.into(),
        pid: Some(pid),
        statement: format!(
            "{name} (pid {pid}) had the CPU before it was free again, {} of the wait",
            text::duration(time)
        ),
    }
}
