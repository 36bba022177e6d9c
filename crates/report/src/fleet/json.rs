//! What many hosts have in common as JSON, schema version 1. It only grows, as that of `explain`.
use super::words::unexplained;
use crate::json::SCHEMA_VERSION;
use ::fleet::{Answer, Attribute};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use table::Worst as Pause;

/// An answer about many hosts. All times are integer nanoseconds, all shares numbers from 0 to 1, all days dates
/// in UTC; a value that is not known is null.
#[derive(Debug, JsonSchema, Serialize)]
struct Document<'a> {
    schema_version: u32,
    /// The first line of the text.
    verdict: String,
    totals: Totals,
    /// How many comparisons were made.
    comparisons: u64,
    /// Which causes differ between groups of hosts or changed since a day, the most important first.
    findings: Vec<Finding<'a>>,
    /// Causes of the last day that no day before had.
    new_causes: Vec<NewCause<'a>>,
    /// All hosts, those with most time stopped per hour observed first.
    hosts: Vec<Host<'a>>,
    /// Causes over all hosts, most time first.
    causes: Vec<Cause<'a>>,
    /// Culprits over all hosts, most time first.
    culprits: Vec<CulpritRow<'a>>,
    /// Inputs that could not be read, at most 1,000.
    unread: Vec<Unread<'a>>,
    /// Hosts of which hours were left out because they cannot be true, at most 1,000.
    implausible: Vec<Implausible<'a>>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Totals {
    hosts: u64,
    /// Each start of a JVM counts.
    jvms: u64,
    inputs: u64,
    /// Inputs that could not be read.
    unread: u64,
    /// Hours of JVMs that were left out because they cannot be true.
    implausible_hours: u64,
    pauses: u64,
    /// Those of `pauses` that have no time, or one far from all others: they are in no day and no hour.
    pauses_without_time: u64,
    stopped_ns: u64,
    /// Time observed, summed over JVMs.
    observed_ns: u64,
    longest_ns: u64,
    p50_ns: u64,
    p99_ns: u64,
    p99_9_ns: u64,
    unexplained_ns: u64,
    /// Share of the stopped time that no cause could claim.
    unexplained: f64,
    first_day: Option<String>,
    last_day: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Finding<'a> {
    /// Id of the cause.
    cause: &'a str,
    /// `more` or `less`.
    direction: &'static str,
    /// The hosts that differ; `null` where all hosts changed.
    group: Option<Group<'a>>,
    /// The first day from which they have it; `null` where they have had it on all days.
    since: Option<String>,
    /// Stopped per hour observed in the group: the mean over hosts without the tenth that has most. Without a
    /// group: since the day, of the host in the middle.
    ns_per_hour: u64,
    /// The same of the other hosts.
    others_ns_per_hour: Option<u64>,
    /// The same of the affected hosts before the day.
    before_ns_per_hour: Option<u64>,
    /// The same since the day.
    since_ns_per_hour: Option<u64>,
    /// Stopped in the group over all days.
    time_ns: u64,
    /// Upper bound of the probability that this is chance, corrected for all comparisons.
    p: f64,
    comparisons: u64,
    culprit: Option<Culprit<'a>>,
    /// Id of the mechanism of most of the longest pauses.
    mechanism: Option<&'a str>,
    /// Affected hosts.
    hosts: &'a [String],
    /// The longest pauses of affected hosts.
    examples: Vec<Example<'a>>,
    /// Other causes that differ in the same way.
    also: Vec<Other<'a>>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Group<'a> {
    attribute: Named<'a>,
    /// What else the same hosts have in common.
    aliases: Vec<Named<'a>>,
    /// The larger group among whose hosts these differ.
    within: Option<Named<'a>>,
    /// Hosts that have it.
    hosts: u64,
    /// Those of them that are affected.
    affected: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Named<'a> {
    /// `kernel`, `jvm-version`, `jvm-vendor`, `collector`, `main`, `label`, `cluster` or `flag`.
    kind: &'static str,
    /// The key of a label.
    key: Option<&'a str>,
    value: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Culprit<'a> {
    kind: &'a str,
    name: &'a str,
    /// Share of the cause's time on the affected hosts.
    share: f64,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Example<'a> {
    host: &'a str,
    #[serde(flatten)]
    pause: Worst<'a>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Worst<'a> {
    /// RFC 3339, UTC.
    start: Option<String>,
    duration_ns: u64,
    /// Id of the cause of most of it.
    cause: Option<&'a str>,
    certainty: Option<&'a str>,
    mechanism: Option<&'a str>,
    culprit: Option<Who<'a>>,
    file: Option<&'a str>,
    /// The log or recording to open.
    source: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Who<'a> {
    kind: &'a str,
    name: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Other<'a> {
    cause: &'a str,
    ns_per_hour: u64,
    others_ns_per_hour: Option<u64>,
    time_ns: u64,
    since: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct NewCause<'a> {
    cause: &'a str,
    time_ns: u64,
    hosts: u64,
    /// Those with most time, at most 100.
    names: &'a [String],
}

#[derive(Debug, JsonSchema, Serialize)]
struct Host<'a> {
    host: &'a str,
    jvms: u64,
    pauses: u64,
    stopped_ns: u64,
    observed_ns: u64,
    /// Stopped per hour observed.
    ns_per_hour: Option<u64>,
    p50_ns: u64,
    p99_ns: u64,
    p99_9_ns: u64,
    longest_ns: u64,
    /// Id of the cause of most of the time.
    cause: Option<&'a str>,
    /// The longest pauses, longest first.
    worst: Vec<Worst<'a>>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Cause<'a> {
    id: &'a str,
    hosts: u64,
    pauses: u64,
    time_ns: u64,
    longest_ns: u64,
    /// Time on each day from `first_day` to `last_day`.
    days_ns: &'a [u64],
    /// Time in each hour of the day, UTC, summed over the days: 24 numbers.
    hours_ns: &'a [u64],
}

#[derive(Debug, JsonSchema, Serialize)]
struct CulpritRow<'a> {
    cause: &'a str,
    kind: &'a str,
    name: &'a str,
    hosts: u64,
    pauses: u64,
    time_ns: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Unread<'a> {
    path: &'a str,
    why: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Implausible<'a> {
    host: &'a str,
    why: &'a str,
    hours: u64,
}

/// One JSON document with a line end.
#[must_use]
pub fn json(it: &Answer) -> String {
    crate::json::text(&document(it))
}

/// Its JSON Schema (draft 2020-12), indented, with a line end.
#[must_use]
pub fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    format!(
        "{:#}\n",
        settings.into_generator().into_root_schema_for::<Document<'static>>().as_value()
    )
}

fn document(it: &Answer) -> Document<'_> {
    Document {
        schema_version: SCHEMA_VERSION,
        verdict: super::words::verdict(it),
        totals: totals(&it.totals),
        comparisons: it.comparisons,
        findings: it.findings.iter().map(finding).collect(),
        new_causes: it.new_causes.iter().map(new_cause).collect(),
        hosts: it.hosts.iter().map(host).collect(),
        causes: it.causes.iter().map(cause).collect(),
        culprits: it.culprits.iter().map(culprit).collect(),
        unread: it.unread.iter().map(|it| Unread { path: &it.path, why: &it.why }).collect(),
        implausible: it
            .implausible
            .iter()
            .map(|it| Implausible { host: &it.host, why: it.why, hours: it.count })
            .collect(),
    }
}

fn new_cause(it: &::fleet::NewCause) -> NewCause<'_> {
    NewCause { cause: &it.cause, time_ns: it.ns, hosts: it.hosts, names: &it.names }
}

fn totals(it: &::fleet::Totals) -> Totals {
    Totals {
        hosts: it.hosts,
        jvms: it.jvms,
        inputs: it.inputs,
        unread: it.unread,
        implausible_hours: it.implausible,
        pauses: it.pauses,
        pauses_without_time: it.untimed,
        stopped_ns: it.stopped_ns,
        observed_ns: it.covered_ns,
        longest_ns: it.longest_ns,
        p50_ns: it.p50_ns,
        p99_ns: it.p99_ns,
        p99_9_ns: it.p99_9_ns,
        unexplained_ns: it.unexplained_ns,
        unexplained: unexplained(it),
        first_day: it.days.map(|it| super::words::date(it.0)),
        last_day: it.days.map(|it| super::words::date(it.1)),
    }
}

fn finding(it: &::fleet::Finding) -> Finding<'_> {
    let culprit =
        it.culprit.as_ref().map(|it| Culprit { kind: &it.kind, name: &it.name, share: it.share });
    Finding {
        cause: &it.cause,
        direction: it.direction.id(),
        group: it.group.as_ref().map(group),
        since: it.since.map(super::words::date),
        ns_per_hour: it.rate_ns,
        others_ns_per_hour: it.others_ns,
        before_ns_per_hour: it.before_ns,
        since_ns_per_hour: it.since_ns,
        time_ns: it.total_ns,
        p: it.p,
        comparisons: it.comparisons,
        culprit,
        mechanism: it.mechanism.as_deref(),
        hosts: &it.hosts,
        examples: it
            .examples
            .iter()
            .map(|it| Example { host: &it.host, pause: worst(&it.pause) })
            .collect(),
        also: it.also.iter().map(other).collect(),
    }
}

fn group(it: &::fleet::Group) -> Group<'_> {
    Group {
        attribute: named(&it.attribute),
        aliases: it.aliases.iter().map(named).collect(),
        within: it.within.as_ref().map(named),
        hosts: it.hosts,
        affected: it.affected,
    }
}

fn named(it: &Attribute) -> Named<'_> {
    Named { kind: it.key.id(), key: it.key.label(), value: &it.value }
}

fn other(it: &::fleet::Other) -> Other<'_> {
    Other {
        cause: &it.cause,
        ns_per_hour: it.rate_ns,
        others_ns_per_hour: it.others_ns,
        time_ns: it.total_ns,
        since: it.since.map(super::words::date),
    }
}

fn worst(it: &Pause) -> Worst<'_> {
    let start = it.start_ns.and_then(|it| jiff::Timestamp::from_nanosecond(i128::from(it)).ok());
    Worst {
        start: start.map(|it| format!("{it:.9}")),
        duration_ns: it.duration_ns,
        cause: it.cause.as_deref(),
        certainty: it.certainty.as_deref(),
        mechanism: it.mechanism.as_deref(),
        culprit: it.culprit.as_ref().map(|(kind, name)| Who { kind, name }),
        file: it.file.as_deref(),
        source: &it.source,
    }
}

fn host(it: &::fleet::HostRow) -> Host<'_> {
    Host {
        host: &it.host,
        jvms: it.jvms,
        pauses: it.pauses,
        stopped_ns: it.stopped_ns,
        observed_ns: it.covered_ns,
        ns_per_hour: it.rate_ns,
        p50_ns: it.p50_ns,
        p99_ns: it.p99_ns,
        p99_9_ns: it.p99_9_ns,
        longest_ns: it.longest_ns,
        cause: it.cause.as_deref(),
        worst: it.worst.iter().map(worst).collect(),
    }
}

fn cause(it: &::fleet::CauseRow) -> Cause<'_> {
    Cause {
        id: &it.cause,
        hosts: it.hosts,
        pauses: it.pauses,
        time_ns: it.ns,
        longest_ns: it.longest_ns,
        days_ns: &it.days_ns,
        hours_ns: &it.hours_ns,
    }
}

fn culprit(it: &::fleet::CulpritRow) -> CulpritRow<'_> {
    CulpritRow {
        cause: &it.sum.cause,
        kind: &it.sum.kind,
        name: &it.sum.name,
        hosts: it.hosts,
        pauses: it.sum.pauses,
        time_ns: it.sum.ns,
    }
}
