//! Who took the memory.
use super::process::{MOST, Process, named};
use crate::{
    Culprit, CulpritKind, account::tally::Tally, cause::os_evidence, facts::index::Index, text,
    values::intervals::union,
};
use recording::{Interval, MemoryFact};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How long before a pause growth still matters: until memory is short, and for as long as the
/// kernel goes on swapping out what it chose.
const BEFORE: Duration = Duration::from_secs(30);

/// Less growth than this makes no shortage.
const MIN_GROWTH: u64 = 64 << 20;

/// One process as it was read around the pauses.
struct Taker<'a> {
    growth: u64,
    last: &'a MemoryFact,
}

/// The processes whose memory grew most around the pauses of `tally`; where none grew, the largest
/// one beside the JVM. Where the JVM's control group has a limit, only processes of that group:
/// no other process can take memory from it.
pub(crate) fn memory_takers(tally: &Tally, index: &Index<'_>) -> Vec<Culprit> {
    let takers = takers(tally, index);
    let own = index.jvm.map(|jvm| jvm.pid);
    let mut grown: Vec<_> = takers.iter().filter(|it| it.growth >= MIN_GROWTH).collect();
    grown.sort_by_key(|it| (Reverse(it.growth), it.last.pid));
    if grown.is_empty() {
        let others = takers.iter().filter(|it| Some(it.last.pid) != own);
        let largest = others.max_by_key(|it| (all_of(it.last), Reverse(it.last.pid)));
        return largest.map(|it| holder(it.last)).into_iter().collect();
    }
    grown.into_iter().take(MOST).map(|it| it.culprit(own, tally.these())).collect()
}

fn takers<'a>(tally: &Tally, index: &Index<'a>) -> Vec<Taker<'a>> {
    let Some(facts) = index.facts else { return Vec::new() };
    let windows = union(
        tally.windows.iter().map(|(_, it)| Interval::new(it.start - BEFORE, it.end)).collect(),
    );
    let limited = os_evidence::cgroup(index).filter(|it| it.memory_max_bytes.is_some());
    let mut by_window: BTreeMap<(u32, usize), Vec<&MemoryFact>> = BTreeMap::new();
    for row in &facts.memory {
        let at = windows.partition_point(|it| it.end < row.at);
        let inside = windows.get(at).is_some_and(|it| it.start <= row.at);
        if inside && limited.is_none_or(|it| is_below(&row.cgroup, &it.memory_path)) {
            by_window.entry((row.pid, at)).or_default().push(row);
        }
    }
    let mut takers: BTreeMap<u32, Taker<'a>> = BTreeMap::new();
    for ((pid, _), mut rows) in by_window {
        rows.sort_by_key(|it| it.at);
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        let taker = takers.entry(pid).or_insert(Taker { growth: 0, last });
        taker.growth = taker.growth.saturating_add(all_of(last).saturating_sub(all_of(first)));
        taker.last = last;
    }
    takers.into_values().collect()
}

/// Whether a control group is `group` or one inside it.
fn is_below(path: &str, group: &str) -> bool {
    let rest = path.strip_prefix(group.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn all_of(row: &MemoryFact) -> u64 {
    row.resident_bytes.saturating_add(row.swapped_bytes)
}

impl Taker<'_> {
    fn culprit(&self, own: Option<u32>, during: &str) -> Culprit {
        let row = self.last;
        let who = if Some(row.pid) == own { "the JVM itself".into() } else { who(row) };
        Culprit {
            kind: CulpritKind::Process,
            name: process(row).label(),
            pid: Some(row.pid),
            statement: format!(
                "{who} grew by {} to {} during {during} and in the 30 s before",
                text::memory(self.growth),
                text::memory(all_of(row))
            ),
        }
    }
}

/// A process that did not grow: no more than the next largest.
fn holder(row: &MemoryFact) -> Culprit {
    let swapped = match row.swapped_bytes {
        0 => String::new(),
        bytes => format!(", {} of it swapped out", text::memory(bytes)),
    };
    Culprit {
        kind: CulpritKind::Process,
        name: process(row).label(),
        pid: Some(row.pid),
        statement: format!(
            "{} uses the most memory besides the JVM, {}{swapped}; no process was seen to grow",
            who(row),
            text::memory(all_of(row))
        ),
    }
}

fn process(row: &MemoryFact) -> Process<'_> {
    let MemoryFact { pid, name, command_line, cgroup, .. } = row;
    Process { pid: *pid, name, command_line, cgroup }
}

fn who(row: &MemoryFact) -> String {
    named(&process(row), &BTreeSet::from([row.pid]))
}
