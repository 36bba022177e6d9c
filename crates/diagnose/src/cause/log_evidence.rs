//! What causes that speak from a GC log have in common: evidence, numbers, flags.
pub(crate) use crate::text::memory;
use crate::{
    Certainty, Evidence,
    account::tally::{Exhibit, Tally},
    cause::Explanation,
    facts::index::Index,
    history::Collection,
    text,
};
use gclog::GcEvent;
use recording::Source;
use std::time::Duration;

/// From here on people ask what a collection did all the time.
pub(crate) const LONG_COLLECTION: Duration = Duration::from_secs(1);
/// One CPU could be a JIT compiler's while the collector waits; one and a half hardly is.
const BUSY_HUNDREDTHS: u64 = 150;

/// `1 collection`, `7 collections`.
pub(crate) fn collections(n: u64) -> String {
    text::counted(n, "collection")
}

/// Evidence from the log for some time.
pub(crate) fn seen(time: Duration, statement: String) -> Evidence {
    Evidence { source: Source::GcLog, certainty: Certainty::Inferred, statement, time }
}

/// What a symptom says: a story, how much time was seen in how many pauses (`extent`), and the other
/// figures of the log.
pub(crate) fn symptom(
    tally: &Tally,
    story: Vec<String>,
    extent: String,
    more: impl IntoIterator<Item = Evidence>,
) -> Explanation {
    let mut evidence = vec![seen(tally.time, extent)];
    evidence.extend(more);
    Explanation { story, evidence, ..Explanation::default() }
}

/// How many CPUs were busy in the longest collection behind a tally, where it was long and most of its
/// time is work, and how much of it can have been waiting at most:
/// `the longest had user=… sys=… real=…: 9.6 CPUs busy on average; at most 12 s of it was waiting`.
///
/// With `n` GC threads that all run, `user + sys` is `n` times the time on the clock: what is missing
/// is the most that all of them can have waited. How many threads there are the log says, or else the
/// most CPUs that any collection of it kept busy.
pub(crate) fn busy(tally: &Tally, index: &Index<'_>) -> Option<Evidence> {
    let worst = tally.worst.as_ref()?;
    let gc = &worst.collection.as_ref()?.gc;
    let it = gc.cpu?;
    let used = it.user + it.sys;
    let hundredths = used.as_nanos() * 100 / gc.duration.as_nanos().max(1);
    let hundredths = u64::try_from(hundredths).unwrap_or(u64::MAX);
    if gc.duration < LONG_COLLECTION || hundredths < BUSY_HUNDREDTHS || it.sys > it.user {
        return None;
    }
    let average = format!(
        "the longest had {}: {} CPUs busy on average",
        cpu(worst)?,
        text::busy_cpus(hundredths)
    );
    let logged = index.jvm.map_or(0, |it| it.gc_threads);
    let seen_busy = index.log.map_or(0, |it| it.usual.most_cpus_hundredths().div_ceil(100));
    let threads = match logged {
        0 => u32::try_from(seen_busy).unwrap_or(u32::MAX),
        known => known,
    };
    // More CPU time than the threads can have used: the number is wrong.
    let waited = (threads > 0).then(|| gc.duration.checked_sub(used / threads)).flatten();
    let text = match waited {
        Some(waited) if waited * 10 <= gc.duration => format!(
            "{average} of {threads} GC threads: it is bound by the CPU; at most {} of it was waiting \
             for a disk, for memory or for a CPU",
            text::duration(waited)
        ),
        Some(waited) => format!(
            "{average} of {threads} GC threads; at most {} of it was waiting",
            text::duration(waited)
        ),
        None => average,
    };
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

/// The collector's id; empty where unknown.
pub(crate) fn collector<'a>(index: &Index<'a>) -> &'a str {
    index.jvm.map_or("", |it| it.collector.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_can_be_added_up() {
        let shown = [15_050, 37_558, 999, 1_000].map(|ms| seconds(Duration::from_millis(ms)));
        assert_eq!(shown, ["15.05 s", "37.558 s", "999 ms", "1.00 s"]);
    }
}
