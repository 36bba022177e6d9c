//! Pauses in few bytes: as many of the longest as fit into a given amount of memory.
use diagnose::{Attribution, Cause, Certainty, Collected, Part, Pause, PauseKind, Times};
use recording::Cut;
use std::{borrow::Cow, cmp::Reverse, mem, time::Duration};

/// Where a pause stands among all: the longest first, and of two alike the earlier.
pub(crate) type Rank = (Reverse<u64>, u64);

/// The rank of `attribution` by its length and its `number` in the order of time.
pub(crate) fn rank(attribution: &Attribution, number: u64) -> Rank {
    let ns = u64::try_from(attribution.pause.duration.as_nanos()).unwrap_or(u64::MAX);
    (Reverse(ns), number)
}

/// The longest pauses, as many as fit. A usual one takes some 60 bytes, a tenth of what it takes
/// as JSON.
#[derive(Debug)]
pub struct PackedPauses {
    most_bytes: usize,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Of those left out the one that ranks first: no later one below it is taken.
    barrier: Option<Rank>,
    left_out: u64,
    added: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    rank: Rank,
    at: u32,
    length: u32,
}

impl PackedPauses {
    /// For at most this many bytes, of which no more than 4 GiB are used.
    #[must_use]
    pub fn new(most_bytes: usize) -> PackedPauses {
        PackedPauses {
            most_bytes: most_bytes.min(u32::MAX as usize / 2),
            bytes: Vec::new(),
            entries: Vec::new(),
            barrier: None,
            left_out: 0,
            added: 0,
        }
    }

    /// Takes the next pause in the order of time. Where there is no room, the shorter half goes.
    pub fn add(&mut self, attribution: &Attribution) {
        let rank = rank(attribution, self.added);
        self.add_ranked(attribution, rank);
    }

    pub(crate) fn add_ranked(&mut self, attribution: &Attribution, rank: Rank) {
        self.added += 1;
        if self.barrier.is_some_and(|barrier| rank > barrier) {
            self.left_out += 1;
            return;
        }
        let at = self.bytes.len();
        pack(attribution, &mut self.bytes);
        let (at, length) = (small(at), small(self.bytes.len() - at));
        self.entries.push(Entry { rank, at, length });
        while self.size() > self.most_bytes && self.entries.len() > 1 {
            self.halve();
        }
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.entries.len() * mem::size_of::<Entry>()
    }

    fn halve(&mut self) {
        let half = self.entries.len() / 2;
        let (_, first_out, _) = self.entries.select_nth_unstable_by_key(half, |it| it.rank);
        let first_out = first_out.rank;
        self.barrier = Some(self.barrier.map_or(first_out, |it| it.min(first_out)));
        self.left_out += (self.entries.len() - half) as u64;
        self.entries.truncate(half);
        self.entries.sort_unstable_by_key(|it| it.at);
        let mut end = 0;
        for it in &mut self.entries {
            let from = it.at as usize;
            self.bytes.copy_within(from..from + it.length as usize, end);
            it.at = small(end);
            end += it.length as usize;
        }
        self.bytes.truncate(end);
    }

    /// How many of those added are not here.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Those that are here, in the order of time.
    pub(crate) fn in_order(&mut self) -> impl Iterator<Item = Attribution> + '_ {
        self.entries.sort_unstable_by_key(|it| it.at);
        self.entries.iter().map(|it| self.unpack(it))
    }

    /// Those that are here, the longest first, each with its rank.
    pub(crate) fn ranked(&mut self) -> impl Iterator<Item = (Rank, Attribution)> + '_ {
        self.entries.sort_unstable_by_key(|it| it.rank);
        self.entries.iter().map(|it| (it.rank, self.unpack(it)))
    }

    fn unpack(&self, entry: &Entry) -> Attribution {
        let from = entry.at as usize;
        unpack(&self.bytes[from..from + entry.length as usize])
    }
}

/// A place or a length inside of `bytes`, which [`PackedPauses::new`] bounds.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn pack(it: &Attribution, out: &mut Vec<u8>) {
    let pause = &it.pause;
    let kind = match pause.kind {
        PauseKind::Safepoint => 0,
        PauseKind::Gc => 1,
        PauseKind::Hiccup => 2,
        PauseKind::Stall => 3,
    };
    let flags = [
        pause.start_wall_ns.is_some(),
        pause.collection.is_some(),
        pause.detailed,
        pause.cut.begin,
        pause.cut.end,
        it.symptom.is_some(),
        pause.times == Times::NoZone,
        pause.times == Times::None,
    ];
    let flags = flags.iter().rev().fold(0, |flags, it| flags << 1 | u128::from(*it));
    put(out, flags << 2 | kind);
    let collected = Collected::ALL.iter().position(|of| it.collected == Some(*of));
    put(out, collected.map_or(0, |place| place as u128 + 1));
    put(out, pause.start_ns.into());
    if let Some(wall) = pause.start_wall_ns {
        put(out, wall.cast_unsigned().into());
    }
    for time in [pause.duration, pause.reaching, it.unattributed] {
        put(out, time.as_nanos());
    }
    if let Some(time) = pause.collection {
        put(out, time.as_nanos());
    }
    if let Some(symptom) = it.symptom {
        put(out, place(symptom));
    }
    put(out, pause.operation.len() as u128);
    out.extend_from_slice(pause.operation.as_bytes());
    for part in &it.parts {
        let cause = place(part.cause);
        let measured = part.certainty == Certainty::Measured;
        put(out, cause << 1 | u128::from(measured));
        put(out, part.time.as_nanos());
    }
}

/// The place of a cause in the list of all.
fn place(cause: &Cause) -> u128 {
    diagnose::causes().iter().position(|it| it.id == cause.id).unwrap_or(0) as u128
}

/// The cause at a place.
fn at_place(place: u128) -> &'static Cause {
    diagnose::causes()[usize::try_from(place).unwrap_or(0)]
}

/// The reverse of [`pack`].
fn unpack(mut from: &[u8]) -> Attribution {
    let head = get(&mut from);
    let has = |flag: u32| head >> (2 + flag) & 1 == 1;
    let kind = match head & 3 {
        0 => PauseKind::Safepoint,
        1 => PauseKind::Gc,
        2 => PauseKind::Hiccup,
        _ => PauseKind::Stall,
    };
    let collected = usize::try_from(get(&mut from)).unwrap_or(0).checked_sub(1);
    let start_ns = get_u64(&mut from);
    let start_wall_ns = has(0).then(|| get_u64(&mut from).cast_signed());
    let [duration, reaching, unattributed] = [(); 3].map(|()| get_time(&mut from));
    let collection = has(1).then(|| get_time(&mut from));
    let symptom = has(5).then(|| at_place(get(&mut from)));
    let length = usize::try_from(get(&mut from)).unwrap_or(0).min(from.len());
    let (operation, mut from) = from.split_at(length);
    let operation = Cow::Owned(String::from_utf8_lossy(operation).into_owned());
    let mut parts = Vec::new();
    while !from.is_empty() {
        let head = get(&mut from);
        let cause = at_place(head >> 1);
        let certainty = if head & 1 == 1 { Certainty::Measured } else { Certainty::Inferred };
        parts.push(Part { cause, time: get_time(&mut from), certainty });
    }
    let cut = Cut { begin: has(3), end: has(4) };
    let pause = Pause {
        kind,
        start_ns,
        start_wall_ns,
        times: match (has(6), has(7)) {
            (true, _) => Times::NoZone,
            (_, true) => Times::None,
            _ => Times::Known,
        },
        duration,
        reaching,
        operation,
        collection,
        detailed: has(2),
        cut,
    };
    let collected = collected.and_then(|place| Collected::ALL.get(place).copied());
    Attribution { pause, parts, unattributed, symptom, collected }
}

/// Seven bits in each byte, the lowest first; the eighth says that more follow.
fn put(out: &mut Vec<u8>, mut number: u128) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn get(from: &mut &[u8]) -> u128 {
    let (mut number, mut shift) = (0, 0);
    while let Some((first, rest)) = from.split_first() {
        *from = rest;
        number |= u128::from(first & 0x7f) << shift;
        shift += 7;
        if first & 0x80 == 0 || shift > 120 {
            break;
        }
    }
    number
}

fn get_u64(from: &mut &[u8]) -> u64 {
    u64::try_from(get(from)).unwrap_or(u64::MAX)
}

fn get_time(from: &mut &[u8]) -> Duration {
    let ns = get(from);
    let second = Duration::from_secs(1).as_nanos();
    let whole = u64::try_from(ns / second).unwrap_or(u64::MAX);
    Duration::new(whole, u32::try_from(ns % second).unwrap_or(0))
}

#[cfg(test)]
pub(crate) mod tests;
