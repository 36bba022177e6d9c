//! Who wrote to the disk that a thread waited for, or read from it.
//!
//! Only who used that device is named, or one beneath it (the disk of a partition, what a RAID, dm or loop
//! device lies on) that was busy meanwhile. Who wrote elsewhere is no suspect, however much that was.
use super::process::{MOST, Process, named};
use crate::{
    Culprit, CulpritKind, Detail, account::tally::Tally, facts::index::Index, text,
    values::intervals::union,
};
use recording::{FileKey, Interval, WriterFact};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How long before a pause a writer still matters: dirty data waits for up to 5 seconds between
/// two rounds of the kernel's flusher (`vm.dirty_writeback_centisecs`) and then for the disk.
const BEFORE: Duration = Duration::from_secs(10);

/// Less than this is not worth a name: 1 MB in ten seconds delays no disk.
const MIN_BYTES: u64 = 1_000_000;

/// From this many bytes on there is reason to change how the JVM itself writes, or to name the process that
/// filled memory with files.
const MUCH: u64 = 32_000_000;

/// A process that reads less than one part in this number of the reads of a JVM that waits for reads does not
/// fill the queue.
const PART_OF_OWN_READS: u64 = 3;

/// A process that wrote less than one part in this number of the first one's bytes is not named beside it.
const PART_OF_MOST: u64 = 10;

/// A device is busy where it had requests under way in one part in this number of the time.
const PART_BUSY: u32 = 2;

/// What a thread waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    /// The file; `None` where it is unknown, and then no writer is named.
    pub(crate) file: Option<FileKey>,
    /// Whether it waited for a page to be read, and not for something to be written.
    pub(crate) reads: bool,
}

/// What the device of a row has to do with the one that was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Relation {
    Same,
    /// This busy device is beneath both.
    Beneath(String),
    Elsewhere,
    Unknown,
}

/// The disk that was waited for.
struct Disk<'a> {
    number: u64,
    /// Its name, and those beneath; recordings of earlier versions know the first alone.
    devices: Vec<&'a str>,
    name: &'a str,
    /// Those that were busy around the pauses.
    busy: BTreeSet<&'a str>,
}

impl<'a> Disk<'a> {
    fn of(file: FileKey, index: &Index<'a>, pauses: &[Interval]) -> Disk<'a> {
        let fact = index.file(file);
        let name = fact.map_or("", |it| &it.device_name);
        let mut devices: Vec<&str> =
            fact.map_or_else(Vec::new, |it| it.devices.iter().map(String::as_str).collect());
        if devices.is_empty() {
            // `dm-0 (vg0-data)`.
            devices.extend(name.split(' ').next().filter(|it| !it.is_empty()));
        }
        let is_busy = |name: &&str| {
            let grown = index.growth_over(&format!("disk.{name}.io_ms"), pauses);
            grown.is_some_and(|(ms, time)| Duration::from_millis(ms) * PART_BUSY >= time)
        };
        let busy = devices.iter().copied().filter(is_busy).collect();
        Disk { number: file.device, devices, name, busy }
    }

    fn relation(&self, row: &WriterFact) -> Relation {
        if row.device.is_none() && row.devices.is_empty() {
            return Relation::Unknown;
        }
        let first = row.devices.first().map(String::as_str);
        // Subvolumes of btrfs have numbers of their own.
        if row.device == Some(self.number)
            || (first.is_some() && first == self.devices.first().copied())
        {
            return Relation::Same;
        }
        let is_of_row = |it: &&str| row.devices.iter().any(|of| of == *it);
        match self.devices.iter().copied().find(is_of_row).filter(|it| self.busy.contains(it)) {
            Some(shared) => Relation::Beneath(shared.to_owned()),
            None => Relation::Elsewhere,
        }
    }
}

/// What processes of one name did. Short-lived ones come in series (`dd`, `cp`, `gzip` from a
/// script) and are taken together.
struct Users<'a> {
    label: String,
    rows: Vec<&'a WriterFact>,
    written: u64,
    read: u64,
    /// How the device of one of them is related to the disk; `None` where that was not seen.
    proven: Option<(Relation, &'a WriterFact)>,
}

/// The processes that wrote most to the disk of that file around the pauses of `tally`; of a wait for a
/// read those that filled the queue of that disk.
pub(crate) fn writers(tally: &Tally, index: &Index<'_>, waited: Waited) -> Vec<Culprit> {
    let Some(file) = waited.file else { return Vec::new() };
    let pauses = pauses(tally);
    let disk = Disk::of(file, index, &pauses);
    let users = users(tally, index, Some(&disk));
    let during = tally.these();
    if !waited.reads {
        return name_most(
            &users,
            |it| it.written,
            MIN_BYTES,
            |it, bytes| it.culprit(index, &disk, "wrote", bytes, during),
        );
    }
    let mut named = Vec::new();
    if writes_fill_the_queue(index, &disk.devices, &pauses) {
        named.extend(name_most(
            &users,
            |it| it.written,
            MIN_BYTES,
            |it, bytes| it.culprit(index, &disk, "wrote", bytes, during),
        ));
    }
    let own = index.jvm.map(|it| it.pid);
    let (of_jvm, others): (Vec<_>, Vec<_>) =
        users.into_iter().partition(|it| it.rows.iter().all(|it| Some(it.pid) == own));
    let own_reads: u64 = of_jvm.iter().map(|it| it.read).sum();
    let least = MIN_BYTES.max(own_reads / PART_OF_OWN_READS);
    named.extend(name_most(
        &others,
        |it| it.read,
        least,
        |it, bytes| it.culprit(index, &disk, "read", bytes, during),
    ));
    named.truncate(MOST);
    named
}

/// Who wrote very much to any disk around the pauses, and so filled memory with files.
pub(crate) fn fillers(tally: &Tally, index: &Index<'_>) -> Vec<Culprit> {
    let users = users(tally, index, None);
    let during = tally.these();
    name_most(
        &users,
        |it| it.written,
        MUCH,
        |it, bytes| {
            let known = it.rows.iter().find(|it| !it.devices.is_empty() || !it.path.is_empty())?;
            let to = known.devices.first().unwrap_or(&known.path);
            Some(it.named(index, &format!("wrote {} to {to}", text::bytes(bytes)), during))
        },
    )
}

fn name_most<'a>(
    users: &[Users<'a>],
    bytes: impl Fn(&Users<'a>) -> u64,
    least: u64,
    name: impl Fn(&Users<'a>, u64) -> Option<Culprit>,
) -> Vec<Culprit> {
    let mut order: Vec<_> = users.iter().filter(|it| bytes(it) >= least).collect();
    order.sort_by_key(|it| (Reverse(bytes(it)), &it.label));
    let mut named: Vec<(u64, Culprit)> =
        order.into_iter().filter_map(|it| Some((bytes(it), name(it, bytes(it))?))).collect();
    let most = named.first().map_or(0, |it| it.0);
    named.retain(|it| it.0.saturating_mul(PART_OF_MOST) >= most);
    named.truncate(MOST);
    named.into_iter().map(|it| it.1).collect()
}

/// Whether the requests in the queue of the first of these devices that was looked at were writes for at
/// least as long as reads.
fn writes_fill_the_queue(index: &Index<'_>, devices: &[&str], pauses: &[Interval]) -> bool {
    let time = |name: &str, what: &str| index.growth(&format!("disk.{name}.{what}"), pauses);
    let both = |name: &&str| Some((time(name, "write_ms")?, time(name, "read_ms")?));
    devices.iter().find_map(both).is_some_and(|(writes, reads)| writes > 0 && writes >= reads)
}

/// Whether the JVM itself wrote most of what was seen written to the disk of that file around the pauses,
/// and much.
pub(crate) fn own_writes(tally: &Tally, index: &Index<'_>, waited: Waited) -> Detail {
    let (Some(facts), Some(file)) = (index.facts, waited.file) else { return Detail::None };
    let windows = windows(tally);
    let near = facts.writers.iter().filter(|it| is_near(it, &windows));
    let own = index.jvm.map(|it| it.pid);
    if wrote_most(near, Some(file.device), own) { Detail::OwnWrites } else { Detail::None }
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
    own >= MUCH && 2 * own >= all
}

fn pauses(tally: &Tally) -> Vec<Interval> {
    union(tally.windows.iter().map(|it| it.1).collect())
}

/// The pauses, each with the time before it in which a writer matters.
fn windows(tally: &Tally) -> Vec<Interval> {
    tally.windows.iter().map(|(_, it)| Interval::new(it.start - BEFORE, it.end)).collect()
}

fn is_near(row: &WriterFact, windows: &[Interval]) -> bool {
    windows.iter().any(|it| it.intersect(row.interval).is_some())
}

/// All that wrote or read around the pauses, by what they are called.
fn users<'a>(tally: &Tally, index: &Index<'a>, disk: Option<&Disk<'_>>) -> Vec<Users<'a>> {
    let Some(facts) = index.facts else { return Vec::new() };
    let windows = windows(tally);
    let mut labels: BTreeMap<String, Vec<&WriterFact>> = BTreeMap::new();
    for row in facts.writers.iter().filter(|it| is_near(it, &windows)) {
        labels.entry(process(row).label()).or_default().push(row);
    }
    labels.into_iter().map(|(label, rows)| Users::new(label, rows, disk)).collect()
}

fn process(it: &WriterFact) -> Process<'_> {
    let WriterFact { pid, name, command_line, cgroup, .. } = it;
    Process { pid: *pid, name, command_line, cgroup }
}

impl<'a> Users<'a> {
    fn new(label: String, rows: Vec<&'a WriterFact>, disk: Option<&Disk<'_>>) -> Users<'a> {
        let relation = |it: &WriterFact| disk.map_or(Relation::Same, |disk| disk.relation(it));
        let related: Vec<_> = rows.iter().map(|it| (relation(it), *it)).collect();
        // What one did that ended before anybody looked counts with the others of its name, unless one
        // of them was seen elsewhere.
        let elsewhere = related.iter().any(|it| it.0 == Relation::Elsewhere);
        let counts = |it: &&(Relation, &WriterFact)| match it.0 {
            Relation::Same | Relation::Beneath(_) => true,
            Relation::Elsewhere => false,
            Relation::Unknown => !elsewhere,
        };
        let sum = |bytes: fn(&WriterFact) -> u64| {
            related.iter().filter(counts).fold(0, |all: u64, it| all.saturating_add(bytes(it.1)))
        };
        let (written, read) = (sum(|it| it.bytes), sum(|it| it.read_bytes));
        let is_seen = |it: &(Relation, _)| !matches!(it.0, Relation::Unknown | Relation::Elsewhere);
        // First the disk itself.
        let same = related.iter().position(|it| it.0 == Relation::Same);
        let proven = same.or_else(|| related.iter().position(is_seen));
        let proven = proven.map(|at| related[at].clone());
        Users { label, rows, written, read, proven }
    }

    /// `did`: whether they wrote or read.
    fn culprit(
        &self,
        index: &Index<'_>,
        disk: &Disk<'_>,
        did: &str,
        bytes: u64,
        during: &str,
    ) -> Option<Culprit> {
        let (relation, row) = self.proven.as_ref()?;
        let to = match relation {
            Relation::Beneath(shared) => {
                let own = row.devices.first().unwrap_or(shared);
                match disk.devices.first() {
                    Some(upper) if own == shared => format!("{own}, beneath {upper},"),
                    _ => format!("{own}, on the same disk ({shared}),"),
                }
            }
            _ if disk.name.is_empty() => row.path.clone(),
            _ => disk.name.to_owned(),
        };
        let way = if did == "read" { "from" } else { "to" };
        Some(self.named(index, &format!("{did} {} {way} {to}", text::bytes(bytes)), during))
    }

    fn named(&self, index: &Index<'_>, did: &str, during: &str) -> Culprit {
        let pids: BTreeSet<u32> = self.rows.iter().map(|it| it.pid).collect();
        let known = self.rows.iter().max_by_key(|it| (!it.command_line.is_empty(), it.bytes));
        let own = index.jvm.map(|it| it.pid).filter(|own| pids.len() == 1 && pids.contains(own));
        let (name, who) = match own {
            Some(pid) => ("the JVM itself".to_owned(), format!("the JVM itself (pid {pid})")),
            None => {
                (self.label.clone(), known.map(|it| named(&process(it), &pids)).unwrap_or_default())
            }
        };
        Culprit {
            kind: CulpritKind::Process,
            name,
            pid: (pids.len() == 1).then_some(self.rows[0].pid),
            statement: format!("{who} {did} during {during} and in the 10 s before"),
        }
    }
}

#[cfg(test)]
mod tests;
