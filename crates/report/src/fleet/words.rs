//! What is said of a difference between hosts, in words that all formats share.
//!
//! Names of hosts, labels, flags, paths and causes come from the inputs: each goes through `clean_name` here.
use crate::{
    clean::{MOST_NAME, MOST_PATH, clean_name},
    count, counted, duration, percent,
};
use ::fleet::{
    Answer, Attribute, Direction, Example, Finding, Group, Key, NewCause, Other, Totals,
};
use jiff::{Timestamp, tz::TimeZone};
use remedy::{Action, Command};
use std::time::Duration;

const SECONDS_PER_DAY: i64 = 86_400;
/// Hosts that are named of a new cause.
const MOST_NAMED: usize = 5;

/// What a cause is called in a line.
pub(super) fn cause(id: &str) -> String {
    if id == fleet::UNEXPLAINED {
        return "unexplained time".to_owned();
    }
    let known = diagnose::causes().iter().find(|cause| cause.id == id);
    known.map_or_else(|| clean_name(id, MOST_NAME), |cause| cause.short.to_owned())
}

/// What a mechanism is called.
pub(super) fn mechanism(id: &str) -> String {
    let known = diagnose::mechanisms().find(|it| it.id == id);
    known.map_or_else(|| clean_name(id, MOST_NAME), |it| it.title.to_owned())
}

pub(super) fn ns(ns: u64) -> String {
    duration(Duration::from_nanos(ns))
}

/// `2026-03-06`, of days since 1970-01-01.
pub(super) fn date(day: i64) -> String {
    formatted(day, "%F")
}

/// `Fri 2026-03-06`.
pub(super) fn day(day: i64) -> String {
    formatted(day, "%a %F")
}

fn formatted(day: i64, form: &str) -> String {
    let at = Timestamp::from_second(day.saturating_mul(SECONDS_PER_DAY)).unwrap_or_default();
    at.to_zoned(TimeZone::UTC).strftime(form).to_string()
}

/// `kernel 6.8`, `rack=r3`, `-XX:+UseZGC`.
pub(super) fn attribute(it: &Attribute) -> String {
    let value = clean_name(&it.value, MOST_NAME);
    match &it.key {
        Key::Kernel => format!("kernel {value}"),
        Key::Version => format!("JVM {value}"),
        Key::Vendor => format!("JVM of {value}"),
        Key::Collector => format!("collector {value}"),
        Key::Main => format!("main class {value}"),
        Key::Cluster => format!("cluster {value}"),
        Key::Flag => value,
        Key::Label(key) => format!("{}={value}", clean_name(key, MOST_NAME)),
    }
}

/// `14 of 14 hosts with kernel 6.8`, `all hosts`.
pub(super) fn hosts(it: &Finding) -> String {
    let Some(group) = &it.group else { return "all hosts".to_owned() };
    let of = match group.affected {
        n if n == group.hosts => format!("all {}", counted(n, "host")),
        n => format!("{} of {}", count(n), counted(group.hosts, "host")),
    };
    let name = attribute(&group.attribute);
    match &group.within {
        Some(within) => format!("{of} with {name}, of those with {}", attribute(within)),
        None => format!("{of} with {name}"),
    }
}

/// `GC log write blocked on all 14 hosts with kernel 6.8 since Fri 2026-03-06`.
pub(super) fn headline(it: &Finding) -> String {
    let since = it.since.map_or(String::new(), |it| format!(" since {}", day(it)));
    let less = if it.direction == Direction::Less { "Less " } else { "" };
    format!("{less}{} on {}{since}", cause(&it.cause), hosts(it))
}

/// The sentence that says it all.
pub(super) fn verdict(it: &Answer) -> String {
    let more = it.findings.len().saturating_sub(1);
    match it.findings.first() {
        Some(first) if more == 0 => format!("{}.", headline(first)),
        Some(first) => {
            let more = u64::try_from(more).unwrap_or(u64::MAX);
            format!("{}, and {}.", headline(first), counted(more, "more difference"))
        }
        None if it.totals.hosts == 0 => "No pauses of any host.".to_owned(),
        None if it.comparisons == 0 => format!(
            "Nothing to compare: it takes three hosts that have something in common and three that \
             have not, and these are {}.",
            counted(it.totals.hosts, "host")
        ),
        None => {
            "No difference between groups of hosts, and no change since a day, is more than chance."
                .to_owned()
        }
    }
}

/// Labels and texts about one finding.
pub(super) fn facts(it: &Finding) -> Vec<(&'static str, String)> {
    let mut facts = vec![("rate", rate(it))];
    facts.extend(it.since.map(|_| ("since", since(it))));
    facts.extend(it.mechanism.as_deref().map(|it| ("how", mechanism(it))));
    facts.extend(it.culprit.as_ref().map(|it| {
        let name = clean_name(&it.name, MOST_NAME);
        let kind = clean_name(&it.kind, MOST_NAME);
        ("who", format!("{kind} {name}: {} of the time", percent(it.share)))
    }));
    facts.extend(it.group.as_ref().and_then(same).map(|text| ("same", text)));
    facts.extend(also(&it.also).map(|text| ("also", text)));
    facts
}

fn rate(it: &Finding) -> String {
    let total = ns(it.total_ns);
    let mut text = format!("{} stopped per hour observed", ns(it.rate_ns));
    if let Some(others) = it.others_ns {
        text += &format!(", {} on the other hosts", ns(others));
    }
    text + &format!("; {total} in total")
}

fn since(it: &Finding) -> String {
    let day = it.since.map_or(String::new(), day);
    match (it.before_ns, it.since_ns) {
        (Some(before), Some(since)) => {
            format!("{day} (UTC): {} per hour before, {} since", ns(before), ns(since))
        }
        _ => format!("{day} (UTC)"),
    }
}

/// Other names of the group.
fn same(it: &Group) -> Option<String> {
    let names: Vec<String> = it.aliases.iter().map(attribute).collect();
    (!names.is_empty()).then(|| format!("the same hosts have {}", names.join(", ")))
}

fn also(also: &[Other]) -> Option<String> {
    let one = |it: &Other| {
        let others = it.others_ns.map_or(String::new(), |it| format!(", others {}", ns(it)));
        format!("{} ({} per hour{others})", cause(&it.cause), ns(it.rate_ns))
    };
    (!also.is_empty()).then(|| also.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// `3.36 s on host-012 at 2026-03-06 14:02:41.118 UTC`.
pub(super) fn example(it: &Example, zone: &TimeZone) -> String {
    let at = it.pause.start_ns.and_then(|it| when(it, zone));
    let at = at.map_or(String::new(), |at| format!(" at {at}"));
    format!("{} on {}{at}", ns(it.pause.duration_ns), clean_name(&it.host, MOST_NAME))
}

/// A time with its offset.
pub(super) fn when(start_ns: i64, zone: &TimeZone) -> Option<String> {
    let at = Timestamp::from_nanosecond(i128::from(start_ns)).ok()?.to_zoned(zone.clone());
    let form =
        if at.offset().seconds() == 0 { "%F %H:%M:%S.%3f UTC" } else { "%F %H:%M:%S.%3f %:z" };
    Some(at.strftime(form).to_string())
}

/// What shows this input in detail.
pub(super) fn explain(source: &str) -> Action {
    Action::run([Command::new("whypause").arg("explain").path(source)])
}

/// How sure all of it is.
pub(super) fn foot(it: &Answer) -> String {
    format!(
        "Each difference is chance with a probability below 1 %, after correction for {} \
         (rank-sum tests with hosts as units). Rates are means over hosts, without the tenth of them \
         that has most.",
        counted(it.comparisons, "comparison")
    )
}

/// Items of the first lines: what was looked at, and what it comes to.
pub(super) fn header(it: &Totals) -> [Vec<String>; 2] {
    let mut seen =
        vec![counted(it.hosts, "host"), counted(it.jvms, "JVM"), counted(it.inputs, "input")];
    if let Some((from, to)) = it.days {
        seen.push(match from == to {
            true => format!("{} (UTC)", date(from)),
            false => format!("{} to {} (UTC)", date(from), date(to)),
        });
    }
    let mut sums = vec![counted(it.pauses, "pause")];
    if it.pauses > 0 {
        sums.push(format!("{} stopped", ns(it.stopped_ns)));
        sums.push(format!("longest {}", ns(it.longest_ns)));
        let percentiles =
            [("p50", it.p50_ns, 2), ("p99", it.p99_ns, 100), ("p99.9", it.p99_9_ns, 1_000)];
        let known = percentiles.iter().filter(|(_, _, least)| it.pauses >= *least);
        sums.extend(known.map(|(name, value, _)| format!("{name} {}", ns(*value))));
        sums.push(format!("{} unexplained", percent(unexplained(it))));
    }
    [seen, sums]
}

/// Share of the stopped time that no cause could claim.
pub(super) fn unexplained(it: &Totals) -> f64 {
    let [part, all] = [it.unexplained_ns, it.stopped_ns].map(Duration::from_nanos);
    crate::share::of(part, all)
}

/// A cause that is new, with some of its hosts.
pub(super) fn new_cause(it: &NewCause) -> String {
    let names: Vec<String> =
        it.names.iter().take(MOST_NAMED).map(|it| clean_name(it, MOST_NAME)).collect();
    let hosts = counted(it.hosts, "host");
    let more = if it.names.len() > MOST_NAMED { ", …" } else { "" };
    format!("{}, {} on {hosts}: {}{more}", cause(&it.cause), ns(it.ns), names.join(", "))
}

/// What is missing: inputs that were not read, sums that were left out, pauses without a time.
pub(super) fn losses(it: &Answer) -> Vec<String> {
    const NAMED: usize = 3;
    let mut lines = Vec::new();
    let more = |all: u64, named: usize| {
        let more = all.saturating_sub(u64::try_from(named).unwrap_or(u64::MAX));
        if more > 0 { format!(", and {} more", count(more)) } else { String::new() }
    };
    if it.totals.unread > 0 {
        let named = it.unread.iter().take(NAMED);
        let names: Vec<String> = named
            .map(|it| {
                format!("{} ({})", clean_name(&it.path, MOST_PATH), clean_name(&it.why, MOST_PATH))
            })
            .collect();
        let more = more(it.totals.unread, names.len());
        lines.push(format!(
            "{} not read: {}{more}",
            counted(it.totals.unread, "input"),
            names.join(", ")
        ));
    }
    if it.totals.implausible > 0 {
        let named = it.implausible.iter().take(NAMED);
        let names: Vec<String> =
            named.map(|it| format!("{} ({})", clean_name(&it.host, MOST_NAME), it.why)).collect();
        let hosts = u64::try_from(it.implausible.len()).unwrap_or(u64::MAX);
        let hours = counted(it.totals.implausible, "hour");
        lines.push(format!(
            "{hours} left out, of {}{}",
            names.join(", "),
            more(hosts, names.len())
        ));
    }
    if it.totals.untimed > 0 {
        let pauses = counted(it.totals.untimed, "pause");
        lines.push(format!("{pauses} without a time: in sums, but in no day or hour"));
    }
    lines
}
