//! The numbers of a GC log in a few rows: what an expert looks at first.
use crate::{
    clean::{MOST_NAME, clean_name},
    counted, duration, percent, share,
    value::has_percentile,
    words,
};
use diagnose::{Count, Diagnosis, GcStatistics, MemoryStatistics, Named};

/// Number of kinds, GC causes and phases reported; all of them are in the JSON.
const MOST: usize = 4;

/// Label and text, in the order of reading; empty where no GC log was read, and for a recording,
/// whose answer is about other things.
pub(super) fn rows(diagnosis: &Diagnosis) -> Vec<(&'static str, String)> {
    if words::is_recording(diagnosis) {
        return Vec::new();
    }
    let mut rows = Vec::new();
    if let Some(gc) = &diagnosis.gc {
        rows.extend(pauses(diagnosis, gc));
        rows.extend(list("by GC cause", &gc.by_cause));
        rows.extend(list("phases", &gc.by_phase));
        rows.extend(cycles(gc));
        rows.extend(cpu(gc));
    }
    let reaching = diagnosis.statistics.time_to_safepoint;
    if reaching.count > 0 && !reaching.total.is_zero() {
        let text = format!("{} in all, up to {}", duration(reaching.total), duration(reaching.max));
        rows.push(("time to safepoint", text));
    }
    if let Some(memory) = &diagnosis.memory {
        rows.push(("heap", heap(memory)));
        rows.extend(rates(memory));
    }
    rows
}

fn pauses(diagnosis: &Diagnosis, gc: &GcStatistics) -> Vec<(&'static str, String)> {
    if gc.pauses.count == 0 {
        return Vec::new();
    }
    let of = gc.percentiles;
    let p99 = match has_percentile("p99", gc.pauses.count) {
        true => format!("p99 {}, ", duration(of.p99)),
        false => String::new(),
    };
    let (count, total) = (counted(gc.pauses.count, "pause"), duration(gc.pauses.total));
    let mut text = match gc.pauses.count {
        1 => format!("{count}, {total}"),
        _ => {
            let (median, longest) = (duration(of.p50), duration(gc.pauses.max));
            format!("{count}, {total}; median {median}, {p99}longest {longest}")
        }
    };
    if let Some(throughput) = share::throughput(diagnosis) {
        text += &format!("; the application ran {} of the time", percent(throughput));
    }
    std::iter::once(("collections", text)).chain(list("by kind", &gc.by_kind)).collect()
}

/// `young 1,041 (12.1 s, up to 40 ms) · full 3 (4.2 s, up to 2.1 s)`.
fn list(label: &'static str, of: &[Named]) -> Option<(&'static str, String)> {
    let reported: Vec<String> = of
        .iter()
        .take(MOST)
        .map(|it| {
            crate::text::glued(&format!("{} {}", clean_name(&it.name, MOST_NAME), extent(it.count)))
        })
        .collect();
    let more = of.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" · {more} more") } else { String::new() };
    (!reported.is_empty()).then(|| (label, reported.join(" · ") + &more))
}

fn extent(it: Count) -> String {
    match it.count {
        1 => duration(it.total),
        n => format!("{n} × ({}, up to {})", duration(it.total), duration(it.max)),
    }
}

fn cycles(gc: &GcStatistics) -> Option<(&'static str, String)> {
    let mut text = match (gc.concurrent_cycles, gc.young_cycles) {
        (0, _) => return None,
        (all, 0) => format!("{all}"),
        (all, young) => format!("{all}, {young} of them of the young generation"),
    };
    if let Some(every) = gc.cycle_interval {
        text += &format!("; one every {}", duration(every));
    }
    if let Some(mean) = gc.cycle_time.mean() {
        text += &format!("; {} on average", duration(mean));
    }
    Some(("cycles", text))
}

fn cpu(gc: &GcStatistics) -> Option<(&'static str, String)> {
    let cpu = gc.cpu?;
    let text = format!(
        "{} in user mode and {} in the kernel, in {} on the clock",
        duration(cpu.user),
        duration(cpu.sys),
        duration(cpu.real)
    );
    Some(("GC's CPU", text))
}

fn heap(it: &MemoryStatistics) -> String {
    let mut text = format!("up to {} in use", memory(it.most_used_bytes));
    if it.most_capacity_bytes > 0 {
        text += &format!(" of {}", memory(it.most_capacity_bytes));
    }
    if let Some(live) = it.live {
        let n = live.samples;
        let times = counted(n, "time");
        text += &format!(
            "; live set {} (seen {times}, up to {})",
            memory(live.last),
            memory(live.most)
        );
    }
    text
}

fn rates(it: &MemoryStatistics) -> Option<(&'static str, String)> {
    let allocated = it.allocation_rate?;
    let more = if it.allocation_is_exact { "" } else { " at least" };
    let mut text = format!("{}/s allocated{more}", rate(allocated));
    if let Some(promoted) = it.promotion_rate {
        text += &format!(", {}/s promoted", rate(promoted));
    }
    Some(("rates", text))
}

/// Sizes of a heap are counted in powers of 1024, as its flags are.
fn memory(bytes: u64) -> String {
    diagnose::text::memory(bytes)
}

fn rate(bytes_per_second: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people")]
    memory(bytes_per_second.max(0.0) as u64)
}
