//! All pauses of the page, a list for each property: as JSON that is small, and quick to draw.
use super::numbered::Numbered;
use crate::{Options, Pauses, when, words};
use diagnose::{
    Attribution,
    Collected::{self, *},
    Diagnosis, Pause, PauseKind, Times,
};
use jiff::Timestamp;
use recording::Clock;
use serde::Serialize;
use std::{collections::BTreeMap, io, time::Duration};

/// Number of pauses on a page; of more, the shortest are left out.
const MOST: u64 = 200_000;
/// Number of names of operations; the others are `others`.
const MOST_OPERATIONS: usize = 1_000;

/// See `Columns` in `web/src/model.ts`.
#[derive(Debug, Default, Serialize)]
pub(super) struct Columns {
    count: u64,
    origin_wall_ms: Option<f64>,
    origin_uptime_ms: Option<f64>,
    zone_minutes: Option<i32>,
    /// The dates have no zone.
    zoneless: bool,
    span_ms: f64,
    limit_ms: f64,
    start_us: Vec<u64>,
    length_us: Vec<u64>,
    reaching_us: Vec<u64>,
    kind: String,
    collected: String,
    operation: Vec<usize>,
    operations: Vec<String>,
    parts: Vec<u64>,
    left_out: u64,
    /// Time of each cause and without one, in microseconds, of all pauses: the parts are whole ones, and their sums
    /// would be others than those of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    sums: Option<Sums>,
    #[serde(skip)]
    zero_ns: u64,
    /// Starts, to find a pause again.
    #[serde(skip)]
    starts_ns: Vec<u64>,
}

#[derive(Debug, Default, Serialize)]
struct Sums {
    cause_us: Vec<f64>,
    rest_us: f64,
}

impl Sums {
    fn add(&mut self, it: &Attribution, causes: &mut Numbered) {
        for part in &it.parts {
            let place = causes.of(part.cause);
            self.cause_us.resize(self.cause_us.len().max(place + 1), 0.0);
            self.cause_us[place] += part.time.as_secs_f64() * 1e6;
        }
        self.rest_us += it.unattributed.as_secs_f64() * 1e6;
    }
}

impl Columns {
    /// Time 0 on the diagnosis' clock.
    pub(super) fn zero_ns(&self) -> u64 {
        self.zero_ns
    }

    /// What pauses are called: the kinds of their collections, and their operations.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let kinds = [Unknown, Cycle, Young, Mixed, Failed, Degenerated, Full];
        let kinds = kinds.into_iter().filter(|it| self.collected.contains(collected(Some(*it))));
        let operations = self.operations.iter().map(|it| -> &str { it });
        kinds.map(|it| -> &str { kind_name(it) }).chain(operations)
    }

    /// How many are as long as this; those that were left out are shorter than any that is here.
    pub(super) fn as_long_as(&self, least: Duration) -> u64 {
        let least = us(least);
        self.length_us.iter().filter(|it| **it >= least).count() as u64
    }

    /// The place of the pause with this begin and length: in a log without times all begin at once.
    pub(super) fn place(&self, start_ns: u64, length: Duration) -> Option<usize> {
        let mut all = self.starts_ns.iter().zip(&self.length_us);
        all.position(|it| (*it.0, *it.1) == (start_ns, us(length)))
    }
}

/// The pauses, in order of time.
pub(super) fn of(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    causes: &mut Numbered,
) -> io::Result<Columns> {
    let mut extent = Extent::default();
    pauses.each(&mut |it| {
        extent.add(it, diagnosis.clock);
        Ok(())
    })?;
    // Stalls are drawn on the same axis, and may be before the first pause, or behind the last one.
    let episodes = diagnosis.stalls.iter().flat_map(|it| &it.episodes);
    episodes.clone().for_each(|it| extent.begin(&it.interval, diagnosis.clock));
    let least = extent.least();
    let zero_ns = extent.zero_ns.unwrap_or_default();
    let mut columns = Columns {
        span_ms: ms(diagnosis.span),
        limit_ms: ms(options.over),
        zero_ns,
        ..Columns::default()
    };
    if let Some((start_ns, wall_ns)) = extent.on_wall {
        #[expect(clippy::cast_precision_loss, reason = "to the microsecond")]
        let zero = ((wall_ns - i128::from(start_ns) + i128::from(zero_ns)) / 1_000) as f64 / 1e3;
        columns.origin_wall_ms = Some(zero);
        let wall = Timestamp::from_nanosecond(wall_ns).ok();
        let offset = wall.map(|at| options.zone.to_offset(at).seconds() / 60);
        columns.zone_minutes = offset.filter(|it| *it != 0 && !extent.zoneless);
        columns.zoneless = extent.zoneless;
    }
    if diagnosis.clock == Clock::Uptime {
        columns.origin_uptime_ms = Some(ms(Duration::from_nanos(zero_ns)));
    }
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut last_us = 0;
    let mut sums = Sums::default();
    pauses.each(&mut |it| {
        sums.add(it, causes);
        if it.pause.duration < least {
            columns.left_out += 1;
            return Ok(());
        }
        let start_us = it.pause.start_ns.saturating_sub(zero_ns) / 1_000;
        // Clocks that jump back: shown where the one before is.
        columns.start_us.push(start_us.saturating_sub(last_us));
        last_us = last_us.max(start_us);
        columns.starts_ns.push(it.pause.start_ns);
        let name = crate::clean::clean_name(&it.pause.operation, crate::clean::MOST_NAME);
        columns.add(it, words::is_hiccup(diagnosis, &it.pause), causes);
        let operation = columns.operation(name, &mut names);
        columns.operation.push(operation);
        Ok(())
    })?;
    columns.sums = Some(sums);
    columns.span_ms = columns.span_ms.max(ms(Duration::from_micros(last_us)));
    for it in episodes {
        let start = Duration::from_nanos(it.interval.start_ns.saturating_sub(zero_ns));
        columns.span_ms = columns.span_ms.max(ms(start + it.interval.duration));
    }
    Ok(columns)
}

impl Columns {
    fn add(&mut self, it: &Attribution, is_hiccup: bool, causes: &mut Numbered) {
        self.count += 1;
        self.length_us.push(us(it.pause.duration));
        self.reaching_us.push(us(it.pause.reaching));
        self.kind.push(match it.pause.kind {
            _ if is_hiccup => 'h',
            // Its begin or its end was not seen.
            _ if it.pause.cut.is_part() => 'c',
            PauseKind::Gc => 'g',
            // What only the application noticed may have been either, and is called a stop.
            PauseKind::Safepoint | PauseKind::Hiccup | PauseKind::Stall => 's',
        });
        self.collected.push(collected(it.collected));
        self.parts.push(it.parts.len() as u64);
        for part in &it.parts {
            self.parts.push(causes.of(part.cause) as u64);
            self.parts.push(us(part.time));
        }
    }

    fn operation(&mut self, name: String, names: &mut BTreeMap<String, usize>) -> usize {
        if let Some(place) = names.get(&name) {
            return *place;
        }
        let name = if self.operations.len() < MOST_OPERATIONS { name } else { "others".to_owned() };
        *names.entry(name).or_insert_with_key(|name| {
            self.operations.push(name.clone());
            self.operations.len() - 1
        })
    }
}

/// As the page calls it: `KIND_NAME` of `web/src/palette.ts`.
fn kind_name(it: Collected) -> &'static str {
    match it {
        Unknown => "collection, kind unknown",
        Cycle => "pause of a concurrent cycle",
        Young => "young collection",
        Mixed => "mixed collection",
        Failed => "evacuation or promotion failed",
        Degenerated => "degenerated collection",
        Full => "full collection",
    }
}

/// What the collector did, as a character; `-` where it is no collection.
fn collected(it: Option<Collected>) -> char {
    match it {
        None => '-',
        Some(Unknown) => 'u',
        Some(Cycle) => 'c',
        Some(Young) => 'y',
        Some(Mixed) => 'm',
        Some(Failed) => 'x',
        Some(Degenerated) => 'd',
        Some(Full) => 'f',
    }
}

/// Where the pauses lie, and how long they are.
#[derive(Default)]
struct Extent {
    zero_ns: Option<u64>,
    /// Start on the clock and since 1970 of one that has both.
    on_wall: Option<(u64, i128)>,
    /// That one's date has no zone.
    zoneless: bool,
    /// How many there are of each length: an eighth of an octave is one.
    lengths: BTreeMap<u32, u64>,
}

impl Extent {
    fn add(&mut self, it: &Attribution, clock: Clock) {
        self.begin(&it.pause, clock);
        *self.lengths.entry(step(it.pause.duration)).or_default() += 1;
    }

    /// Time 0 is not after this.
    fn begin(&mut self, it: &Pause, clock: Clock) {
        self.zero_ns = Some(self.zero_ns.map_or(it.start_ns, |zero_ns| zero_ns.min(it.start_ns)));
        if self.on_wall.is_none() {
            self.zoneless = it.times == Times::NoZone;
            let wall = when::wall(clock, it);
            self.on_wall = wall.map(|at| (it.start_ns, at.as_nanosecond()));
        }
    }

    /// The least length that is shown.
    fn least(&self) -> Duration {
        let mut shown = 0;
        for (step, count) in self.lengths.iter().rev() {
            shown += count;
            if shown > MOST {
                return length(step + 1);
            }
        }
        Duration::ZERO
    }
}

/// The step of a length: eight to an octave, from its highest four bits.
fn step(length: Duration) -> u32 {
    let ns = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
    let octave = ns.checked_ilog2().unwrap_or(0);
    let eighth = if octave < 3 { 0 } else { (ns >> (octave - 3)) & 7 };
    octave * 8 + u32::try_from(eighth).unwrap_or_default()
}

/// The least length of a step.
fn length(step: u32) -> Duration {
    let (octave, eighth) = (step / 8, u64::from(step % 8));
    if octave < 3 {
        return Duration::from_nanos(1 << octave);
    }
    Duration::from_nanos((8 + eighth).checked_shl(octave - 3).unwrap_or(u64::MAX))
}

fn us(time: Duration) -> u64 {
    u64::try_from((time.as_nanos() + 500) / 1_000).unwrap_or(u64::MAX)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_called_as_the_page_calls_them() {
        let palette = include_str!("../../../../web/src/palette.ts");
        for it in [Unknown, Cycle, Young, Mixed, Failed, Degenerated, Full] {
            let line = format!("{}: \"{}\"", collected(Some(it)), kind_name(it));
            assert!(palette.contains(&line), "{line}");
        }
    }
}
