//! What other limits of CPU time would have made of a recording: a table, a sentence, and JSON.
use crate::{
    Options,
    json::{SCHEMA_VERSION, write_document},
    text::{Page, Role},
};
use diagnose::{
    text,
    what_if::{CpuLimits, Lever, Predicted, Tried, WhatIf},
};
use serde_json::{Value as Json, json};
use std::{
    io::{self, Write},
    time::Duration,
};

/// A table of what was tried, and the sentence that says what is to be done.
#[must_use]
pub fn text(found: &WhatIf, requested: Option<&Tried>, options: &Options) -> String {
    let mut page = Page::new(options.style);
    let measured = &found.measured;
    page.wrapped(
        0,
        None,
        &format!(
            "throttled for {} in {} (summed over CPUs); {} of {} of stops was throttling",
            text::duration(measured.throttled),
            text::duration(measured.wall),
            text::duration(measured.throttled_in_stops),
            text::duration(measured.stopped),
        ),
    );
    page.blank();
    let header =
        row("", "quota", "GC threads", "burst", ["throttled", "stopped", "longest stop", "ended"]);
    let header = page.paint(Role::Faint, &header);
    page.line(&header);
    let measured_row = [text::duration(measured.throttled), text::duration(measured.stopped)];
    let [throttled, stopped] = &measured_row;
    page.line(&limits_row("measured", &found.today, [throttled, stopped, "-", "-"]));
    page.line(&predicted_row("by the model", &found.today, &found.predicted, "-"));
    for it in found.tried.iter().chain(requested) {
        let ended = format!("{} %", it.ended_percent);
        page.line(&predicted_row(name(it.lever), &it.limits, &it.predicted, &ended));
    }
    page.blank();
    let advice = requested.or(found.advice()).map_or_else(
        || "no quota that this host can give, burst or number of GC threads ends it".to_owned(),
        |it| remedy::quota_sentence(&found.today, it),
    );
    page.wrapped(0, Some(Role::Strong), &advice);
    let now =
        found.without_restart().filter(|it| requested.is_none() && Some(*it) != found.advice());
    if let Some(now) = now {
        let sentence = remedy::quota_sentence(&found.today, now);
        page.wrapped(0, None, &format!("without a restart: {sentence}"));
    }
    page.finish()
}

fn name(lever: Lever) -> &'static str {
    match lever {
        Lever::Burst => "a burst alone",
        Lever::Threads => "fewer threads alone",
        Lever::Quota => "a larger quota alone",
        Lever::QuotaAndThreads => "both",
        Lever::Asked => "asked for",
    }
}

fn predicted_row(name: &str, limits: &CpuLimits, it: &Predicted, ended: &str) -> String {
    let [throttled, stopped, longest] =
        [it.throttled, it.stopped, it.longest_stop].map(text::duration);
    limits_row(name, limits, [&throttled, &stopped, &longest, ended])
}

fn limits_row(name: &str, limits: &CpuLimits, values: [&str; 4]) -> String {
    let quota = limits.milli_cpus().map_or_else(|| "none".to_owned(), text::cpus);
    let burst = match limits.burst {
        Duration::ZERO => "none".to_owned(),
        burst => text::duration(burst),
    };
    row(name, &quota, &limits.gc_threads.to_string(), &burst, values)
}

fn row(name: &str, quota: &str, threads: &str, burst: &str, values: [&str; 4]) -> String {
    let [throttled, stopped, longest, ended] = values;
    format!(
        "{name:<20}{quota:>9}{threads:>12}{burst:>9}{throttled:>11}{stopped:>10}{longest:>14}{ended:>7}"
    )
}

/// Writes the same. Times are integer nanoseconds.
///
/// # Errors
///
/// Those of `out`.
pub fn json(found: &WhatIf, requested: Option<&Tried>, out: &mut dyn Write) -> io::Result<()> {
    let measured = &found.measured;
    let chosen = requested.or(found.advice());
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "measured": {
            "wall_ns": nanos(measured.wall),
            "throttled_ns": nanos(measured.throttled),
            "throttled_in_stops_ns": nanos(measured.throttled_in_stops),
            "stopped_ns": nanos(measured.stopped),
            "cpu_ns": nanos(measured.cpu),
        },
        "today": { "limits": limits(&found.today), "predicted": predicted(&found.predicted) },
        "tried": found.tried.iter().map(tried).collect::<Vec<_>>(),
        "asked": requested.map(tried),
        "without_restart": found.without_restart().map(tried),
        "advice": chosen.map(|it| {
            json!({ "lever": it.lever.id(), "text": remedy::quota_sentence(&found.today, it) })
        }),
    });
    write_document(&document, out)
}

fn tried(it: &Tried) -> Json {
    json!({
        "lever": it.lever.id(),
        "limits": limits(&it.limits),
        "predicted": predicted(&it.predicted),
        "ended_percent": it.ended_percent,
    })
}

fn limits(it: &CpuLimits) -> Json {
    json!({
        "period_ns": nanos(it.period),
        "quota_ns": it.quota.map(nanos),
        "burst_ns": nanos(it.burst),
        "gc_threads": it.gc_threads,
    })
}

fn predicted(it: &Predicted) -> Json {
    json!({
        "wall_ns": nanos(it.wall),
        "throttled_ns": nanos(it.throttled),
        "throttled_periods": it.throttled_periods,
        "stopped_ns": nanos(it.stopped),
        "longest_stop_ns": nanos(it.longest_stop),
    })
}

fn nanos(it: Duration) -> u64 {
    u64::try_from(it.as_nanos()).unwrap_or(u64::MAX)
}
