//! Who did it: processes that wrote, processes that held the CPU, a group with a quota.
mod memory;

pub(crate) use memory::memory_takers;

use crate::{Culprit, CulpritKind, Detail, index::Index, os_evidence, tally::Tally, text};
use recording::{Interval, WriterFact};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How long before a pause a writer still matters: dirty data waits for up to 5 seconds between
/// two rounds of the kernel's flusher (`vm.dirty_writeback_centisecs`) and then for the disk.
const BEFORE: Duration = Duration::from_secs(10);

/// How many culprits are named.
const MOST: usize = 3;

/// Less than this is not worth a name: 1 MB in ten seconds delays no disk.
const MIN_BYTES: u64 = 1_000_000;

/// A process that nothing saw write to the device in question must have written this much to be
/// named at all: it is a suspect and no more.
const MIN_BYTES_UNPROVEN: u64 = 32_000_000;

/// How many characters of a command line are shown.
const COMMAND: usize = 60;

/// What processes of one name wrote. Short-lived ones come in series (`dd`, `cp`, `gzip` from a
/// script) and are taken together.
struct Writers<'a> {
    name: &'a str,
    rows: Vec<&'a WriterFact>,
    bytes: u64,
    /// One of them was seen with a file of the device open for writing.
    proven: bool,
}

/// The processes that wrote most to `device` around the pauses of `tally`; where none was seen to
/// write there, those that wrote very much and nobody knows where. Who wrote elsewhere is no suspect.
pub(crate) fn writers(
    tally: &Tally,
    index: &Index<'_>,
    device: Option<u64>,
    device_name: &str,
) -> Vec<Culprit> {
    let mut groups = groups(tally, index, device);
    let any_proven = groups.iter().any(|it| it.proven && it.bytes >= MIN_BYTES);
    groups.retain(|it| match any_proven {
        true => it.proven && it.bytes >= MIN_BYTES,
        false => it.bytes >= MIN_BYTES_UNPROVEN,
    });
    groups.sort_by_key(|it| (std::cmp::Reverse(it.bytes), it.name));
    let pauses = if tally.hiccups == 0 { "stops" } else { "pauses" };
    groups.iter().take(MOST).map(|it| it.culprit(device_name, pauses)).collect()
}

/// Whether the JVM itself wrote most of what was seen written to `device` around the pauses, and much.
pub(crate) fn own_writes(tally: &Tally, index: &Index<'_>, device: Option<u64>) -> Detail {
    let groups = groups(tally, index, device);
    let rows = groups.iter().flat_map(|it| it.rows.iter().copied());
    let own = index.jvm.map(|it| it.pid);
    if wrote_most(rows, device, own) { Detail::OwnWrites } else { Detail::None }
}

/// Whether it wrote half or more to the device, of all who were seen to write there.
fn wrote_most<'a>(
    rows: impl Iterator<Item = &'a WriterFact>,
    device: Option<u64>,
    pid: Option<u32>,
) -> bool {
    let there = rows.filter(|it| device.is_some() && it.device == device);
    let (all, own) = there.fold((0, 0), |(all, own), it| {
        (all + it.bytes, own + if Some(it.pid) == pid { it.bytes } else { 0 })
    });
    own >= MIN_BYTES_UNPROVEN && 2 * own >= all
}

fn groups<'a>(tally: &Tally, index: &Index<'a>, device: Option<u64>) -> Vec<Writers<'a>> {
    let Some(facts) = index.facts else { return Vec::new() };
    let windows: Vec<_> =
        tally.windows.iter().map(|(_, it)| Interval::new(it.start - BEFORE, it.end)).collect();
    let mut by_name: BTreeMap<&str, Vec<&WriterFact>> = BTreeMap::new();
    for writer in &facts.writers {
        if windows.iter().any(|it| it.intersect(writer.interval).is_some()) {
            by_name.entry(writer.name.as_str()).or_default().push(writer);
        }
    }
    by_name.into_iter().map(|(name, rows)| group(name, rows, device)).collect()
}

fn group<'a>(name: &'a str, rows: Vec<&'a WriterFact>, device: Option<u64>) -> Writers<'a> {
    let proven = device.is_some() && rows.iter().any(|it| it.device == device);
    let elsewhere =
        |it: &WriterFact| device.is_some() && it.device.is_some() && it.device != device;
    let bytes = rows.iter().filter(|it| !elsewhere(it)).map(|it| it.bytes).sum();
    Writers { name, rows, bytes, proven }
}

impl Writers<'_> {
    fn culprit(&self, device_name: &str, pauses: &str) -> Culprit {
        let pids: BTreeSet<u32> = self.rows.iter().map(|it| it.pid).collect();
        let one = (pids.len() == 1).then(|| self.rows[0].pid);
        let count = pids.len();
        let process = one.map_or_else(|| format!("{count} processes"), |pid| format!("pid {pid}"));
        let known = self.rows.iter().filter(|it| !it.command_line.is_empty());
        let most = known.max_by_key(|it| it.bytes);
        let command = most.and_then(|it| command(&it.name, &it.command_line));
        let what = match (command, one) {
            (None, _) => process,
            (Some(command), Some(_)) => format!("{process}, {command}"),
            (Some(command), None) => format!("{process} such as {command}"),
        };
        let to = match device_name {
            device if self.proven && !device.is_empty() => device,
            _ => "a disk",
        };
        let (name, bytes) = (self.name, text::bytes(self.bytes));
        Culprit {
            kind: CulpritKind::Process,
            name: name.into(),
            pid: one,
            statement: format!(
                "{name} ({what}) wrote {bytes} to {to} during these {pauses} and in the 10 s before"
            ),
        }
    }
}

/// The command line, where it says more than the name of the process (`comm`, at most 15 bytes).
pub(crate) fn command(name: &str, command_line: &str) -> Option<String> {
    let program = command_line.rsplit('/').next().unwrap_or_default();
    let same = program == name || (name.len() == 15 && program.starts_with(name));
    let says_nothing = command_line.is_empty() || (same && !command_line.contains(' '));
    (!says_nothing).then(|| shortened(command_line))
}

fn shortened(command: &str) -> String {
    match command.char_indices().nth(COMMAND) {
        None => command.into(),
        Some((cut, _)) => format!("{} …", &command[..cut]),
    }
}

/// Whoever held the CPU for less than this, and less than a twentieth of what all held it, is not
/// worth a line in addition to the others.
const SMALL_HOLDER: Duration = Duration::from_millis(5);

/// The processes that held the CPU while the path's threads queued for it.
pub(crate) fn cpu_holders(tally: &Tally, index: &Index<'_>) -> Vec<Culprit> {
    let own = index.jvm.map(|jvm| jvm.pid);
    let mut by_name: BTreeMap<&str, Holders> = BTreeMap::new();
    for ((pid, name), time) in &tally.holders {
        let name =
            if Some(*pid) == own { "other threads of the JVM itself" } else { name.as_str() };
        let holders = by_name.entry(name).or_default();
        holders.time += *time;
        *holders.pids.entry(*pid).or_default() += *time;
    }
    let mut holders: Vec<_> = by_name.into_iter().collect();
    holders.sort_by_key(|it| std::cmp::Reverse(it.1.time));
    let all: Duration = holders.iter().map(|it| it.1.time).sum();
    let matters = |(at, it): &(usize, &(&str, Holders))| {
        *at == 0 || it.1.time >= SMALL_HOLDER || it.1.time * 20 >= all
    };
    let named = holders.iter().enumerate().filter(matters).take(MOST);
    named.map(|(_, (name, it))| it.culprit(index, name)).collect()
}

/// Processes of one name that held CPUs.
#[derive(Default)]
struct Holders {
    time: Duration,
    pids: BTreeMap<u32, Duration>,
}

impl Holders {
    fn culprit(&self, index: &Index<'_>, name: &str) -> Culprit {
        let first = self.pids.iter().max_by_key(|it| it.1).map_or(0, |it| *it.0);
        let details = details(index, first);
        let (pid, who) = match self.pids.len() {
            1 => (Some(first), format!("pid {first}{details}")),
            many => (None, format!("{many} processes such as pid {first}{details}")),
        };
        Culprit {
            kind: CulpritKind::Process,
            name: name.into(),
            pid,
            // Of each wait one process was seen: that with the longest run in it.
            statement: format!(
                "{name} ({who}) ran on the CPU while these threads waited ({} in total)",
                text::duration(self.time)
            ),
        }
    }
}

/// `, stress -c 8, in /batch`: what the tables of writers and of users of memory know of a process.
/// The JVM needs no introduction.
fn details(index: &Index<'_>, pid: u32) -> String {
    let Some(facts) = index.facts.filter(|_| index.jvm.is_none_or(|jvm| jvm.pid != pid)) else {
        return String::new();
    };
    let writers = facts.writers.iter().map(|it| (it.pid, &it.name, &it.command_line, &it.cgroup));
    let memory = facts.memory.iter().map(|it| (it.pid, &it.name, &it.command_line, &it.cgroup));
    let Some((_, name, command_line, cgroup)) = writers.chain(memory).find(|it| it.0 == pid) else {
        return String::new();
    };
    let mut details = String::new();
    if let Some(command) = command(name, command_line) {
        details += &format!(", {command}");
    }
    if !cgroup.trim_matches('/').is_empty() {
        details += &format!(", in {cgroup}");
    }
    details
}

/// The control group whose CPU quota binds.
pub(crate) fn cgroup_quota(index: &Index<'_>) -> Option<Culprit> {
    let cgroup = os_evidence::cgroup(index)?;
    let quota = text::duration(cgroup.cpu_quota?);
    let period = text::duration(cgroup.cpu_period);
    let cpus = text::cpus(cgroup.milli_cpus()?);
    let name = if cgroup.cpu_path.is_empty() { "the group" } else { cgroup.cpu_path.as_str() };
    let threads = match index.jvm.map_or(0, |jvm| jvm.gc_threads) {
        0 => String::new(),
        1 => " and the JVM has 1 GC thread".into(),
        threads => format!(" and the JVM has {threads} GC threads"),
    };
    Some(Culprit {
        kind: CulpritKind::Cgroup,
        name: name.into(),
        pid: None,
        statement: format!("{name} may use {quota} of CPU time every {period} ({cpus}){threads}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::MonoTime;

    /// What `group` says of one who wrote 9 bytes to each of these devices: the bytes that count,
    /// and whether it was seen to write to device 7.
    #[track_caller]
    fn check(devices: &[Option<u64>], expected: (u64, bool)) {
        let row = |device: &Option<u64>| WriterFact {
            interval: Interval::new(MonoTime(0), MonoTime(1)),
            pid: 1,
            name: "dd".into(),
            command_line: String::new(),
            cgroup: String::new(),
            bytes: 9,
            device: *device,
            path: String::new(),
        };
        let rows: Vec<_> = devices.iter().map(row).collect();
        let found = group("dd", rows.iter().collect(), Some(7));
        assert_eq!((found.bytes, found.proven), expected, "{devices:?}");
    }

    #[test]
    fn the_jvm_is_reported_of_its_own_writes_only_where_they_were_seen_and_are_most() {
        let row = |pid, device, mb: u64| WriterFact {
            interval: Interval::new(MonoTime(0), MonoTime(1)),
            pid,
            name: "java".into(),
            command_line: String::new(),
            cgroup: String::new(),
            bytes: mb * 1_000_000,
            device,
            path: String::new(),
        };
        let most = |rows: &[WriterFact]| wrote_most(rows.iter(), Some(7), Some(1));
        assert!(most(&[row(1, Some(7), 32), row(2, Some(7), 32)]));
        assert!(!most(&[row(1, Some(7), 32), row(2, Some(7), 33)]));
        assert!(!most(&[row(1, Some(7), 31)]), "little");
        assert!(!most(&[row(1, None, 900)]) && !most(&[row(1, Some(8), 900)]), "elsewhere");
        assert!(!wrote_most([row(1, None, 900)].iter(), None, Some(1)), "no device");
    }

    #[test]
    fn who_wrote_to_another_device_is_no_suspect() {
        check(&[Some(8), Some(8)], (0, false));
        check(&[Some(8), None], (9, false));
        check(&[Some(8), Some(7)], (9, true));
        check(&[None, Some(7)], (18, true));
    }
}
