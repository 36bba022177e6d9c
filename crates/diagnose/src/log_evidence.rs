//! What causes that speak from a GC log have in common: evidence, numbers, flags.
pub(crate) use crate::text::memory;
use crate::{
    Action, Advice, AdviceWhen, Certainty, Evidence,
    history::Collection,
    index::Index,
    jvm_flags,
    rhythm::{self, Rhythm},
    tally::{Exhibit, Tally},
    text,
};
use gclog::GcEvent;
use recording::Source;
use std::time::Duration;

/// From here on people ask what a collection did all the time.
const LONG_COLLECTION: Duration = Duration::from_secs(1);
/// One CPU could be a JIT compiler's while the collector waits; one and a half hardly is.
const BUSY_TENTHS: u128 = 15;

/// `1 collection`, `7 collections`.
pub(crate) fn collections(count: u64) -> String {
    if count == 1 { "1 collection".into() } else { format!("{count} collections") }
}

/// Evidence from the log for some time.
pub(crate) fn seen(time: Duration, statement: String) -> Evidence {
    Evidence { source: Source::GcLog, certainty: Certainty::Inferred, statement, time }
}

/// What comes like clockwork is no luck: `they come every 2 h 00 min, 5 times: …`.
pub(crate) fn rhythm(tally: &Tally) -> Option<Evidence> {
    let Rhythm { period, times } = rhythm::of(&tally.windows)?;
    let every = text::duration(period);
    Some(seen(
        Duration::ZERO,
        format!("they come every {every}, {times} times: look for what the host does then"),
    ))
}

/// How busy the CPUs were in the longest collection behind a tally, where it was long and none of
/// them waited: `the longest, user=… sys=… real=…, kept 9.6 CPUs busy: …`.
pub(crate) fn busy(tally: &Tally) -> Option<Evidence> {
    let worst = tally.worst.as_ref()?;
    let gc = &worst.collection.as_ref()?.gc;
    let it = gc.cpu?;
    let tenths = (it.user + it.sys).as_nanos() * 10 / gc.duration.as_nanos().max(1);
    if gc.duration < LONG_COLLECTION || tenths < BUSY_TENTHS || it.sys > it.user {
        return None;
    }
    let (whole, tenth) = (tenths / 10, tenths % 10);
    let text = format!(
        "the longest had {}: {whole}.{tenth} CPUs were busy all the time, so it computed, and waited neither for a disk nor for the GC log",
        cpu(worst)?
    );
    Some(seen(Duration::ZERO, text))
}

/// The longest of the collections behind a tally.
pub(crate) fn worst(tally: &Tally) -> Option<&Collection> {
    tally.worst.as_ref()?.collection.as_ref()
}

/// `4.2 s in 3 collections, up to 2.1 s in one (Allocation Failure), heap 3.9 GiB → 1.2 GiB of 4 GiB`.
pub(crate) fn extent(tally: &Tally) -> Evidence {
    let worst =
        worst(tally).map_or_else(String::new, |it| format!("{}{}", cause(&it.gc), heap(&it.gc)));
    seen(
        tally.time,
        format!(
            "{} in {}, up to {} in one{worst}",
            text::duration(tally.time),
            collections(tally.pauses),
            text::duration(tally.longest)
        ),
    )
}

fn cause(gc: &GcEvent) -> String {
    gc.cause.as_deref().map_or_else(String::new, |it| format!(" ({it})"))
}

/// `, heap 3.9 GB → 1.2 GB of 4 GB`; empty where the log has no sizes.
pub(crate) fn heap(gc: &GcEvent) -> String {
    let Some(heap) = gc.heap else { return String::new() };
    let of = heap.capacity.map_or_else(String::new, |it| format!(" of {}", memory(it)));
    format!(", heap {} → {}{of}", memory(heap.before), memory(heap.after))
}

/// `user=0.25 sys=0.05 real=15.35`, as HotSpot prints CPU times.
pub(crate) fn cpu(exhibit: &Exhibit) -> Option<String> {
    let cpu = exhibit.collection.as_ref()?.gc.cpu?;
    let [user, sys, real] = [cpu.user, cpu.sys, cpu.real].map(|it| it.as_secs_f64());
    Some(format!("user={user:.2} sys={sys:.2} real={real:.2}"))
}

/// Seconds as a log has them, for sums that a reader will check: `15.05 s`, `37.558 s`.
pub(crate) fn seconds(time: Duration) -> String {
    let ms = (time.as_nanos() + 500_000) / 1_000_000;
    match ms {
        ..1_000 => text::duration(time),
        _ if ms.is_multiple_of(10) => format!("{}.{:02} s", ms / 1000, ms % 1000 / 10),
        _ => format!("{}.{:03} s", ms / 1000, ms % 1000),
    }
}

/// A size as a flag takes it: whole gibibytes or mebibytes, rounded up.
pub(crate) fn flag_size(bytes: u64) -> String {
    let mebibytes = bytes.div_ceil(1 << 20);
    if mebibytes.is_multiple_of(1024) {
        format!("{}g", mebibytes / 1024)
    } else {
        format!("{mebibytes}m")
    }
}

/// The feature version of the JVM, where known.
pub(crate) fn feature(index: &Index<'_>) -> Option<u32> {
    jvm_flags::feature_version(&index.jvm?.version)
}

/// The collector's id; empty where unknown.
pub(crate) fn collector<'a>(index: &Index<'a>) -> &'a str {
    index.jvm.map_or("", |it| it.collector.as_str())
}

/// Whether a flag of this name was given, with whatever value: `+Name`, `-Name` or `Name=…`.
pub(crate) fn given(index: &Index<'_>, name: &str) -> bool {
    let is_name = |flag: &String| {
        let Some(flag) = flag.strip_prefix("-XX:") else { return false };
        let flag = flag.strip_prefix(['+', '-']).unwrap_or(flag);
        flag.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    index.jvm.is_some_and(|jvm| jvm.flags.iter().any(is_name))
}

/// Advice to set a flag at the next start, unless its name was given already. `flag` is as typed.
pub(crate) fn flag(
    index: &Index<'_>,
    remedy: &'static str,
    flag: &str,
    note: &str,
) -> Option<Advice> {
    let name = flag.trim_start_matches("-XX:").trim_start_matches(['+', '-']);
    let name = name.split('=').next().unwrap_or(name);
    (!given(index, name)).then(|| at_next_start(remedy, Action::flag(flag), note))
}

/// Advice for the next start.
pub(crate) fn at_next_start(remedy: &'static str, action: Action, note: &str) -> Advice {
    Advice { remedy, when: AdviceWhen::NextStart, action, note: note.into() }
}

/// Advice for the code.
pub(crate) fn in_code(remedy: &'static str, action: &str, note: &str) -> Advice {
    Advice { remedy, when: AdviceWhen::Code, action: Action::say(action), note: note.into() }
}

/// The heap's limit, as far as the log tells: its flag or the largest heap seen.
pub(crate) fn max_heap(index: &Index<'_>) -> Option<u64> {
    let log = index.log?;
    let seen = log.memory.most_capacity();
    log.jvm.max_heap_bytes.or(Some(seen).filter(|it| *it > 0))
}

/// Advice to enlarge the heap to `bytes`.
pub(crate) fn larger_heap(bytes: u64, note: &str) -> Advice {
    at_next_start("larger-heap", Action::flag(format!("-Xmx{}", flag_size(bytes))), note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_can_be_added_up() {
        let shown = [15_050, 37_558, 999, 1_000].map(|ms| seconds(Duration::from_millis(ms)));
        assert_eq!(shown, ["15.05 s", "37.558 s", "999 ms", "1.00 s"]);
    }

    #[test]
    fn sizes_of_flags_are_whole_and_never_smaller() {
        assert_eq!([1, 1 << 20, (1 << 20) + 1, 3 << 30].map(flag_size), ["1m", "1m", "2m", "3g"]);
    }
}
