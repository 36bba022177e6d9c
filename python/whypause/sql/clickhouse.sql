-- The tables of `whypause` in ClickHouse, and the views that `views.sql` has for DuckDB, as far as they need no
-- histograms.
--
--   clickhouse-client --multiquery < clickhouse.sql
--   whypause explain logs/ --format parquet --table pauses > pauses.parquet
--   clickhouse-client --query "insert into pauses from infile 'pauses.parquet' format Parquet"
--
-- and likewise `--table hours` and `--table stalls`. Columns go by their names, so a file of a later version with more
-- of them is read as well. A file that is inserted twice is in the table twice: where a day is written again, drop its
-- rows first, `alter table hours delete where host = 'h1' and toDate(hour) = '2026-11-30'`.
-- Rows are ordered by host and time, as most queries are about a host or a day; what repeats is LowCardinality, so
-- that a row of `pauses` takes some tens of bytes. To forget old rows: `alter table pauses modify ttl
-- toDateTime(ifNull(start, now())) + interval 400 day`.

create table if not exists pauses (
    host LowCardinality(String),
    cluster LowCardinality(Nullable(String)),
    labels Map(LowCardinality(String), String) codec(ZSTD(1)),
    boot LowCardinality(Nullable(String)),
    kernel LowCardinality(Nullable(String)),
    main LowCardinality(Nullable(String)),
    pid Nullable(Int64) codec(ZSTD(1)),
    java_version LowCardinality(Nullable(String)),
    java_vendor LowCardinality(Nullable(String)),
    collector LowCardinality(Nullable(String)),
    heap_max_bytes Nullable(Int64) codec(ZSTD(1)),
    flags Nullable(String) codec(ZSTD(1)),
    flags_hash LowCardinality(Nullable(String)),
    container LowCardinality(Nullable(String)),
    pod LowCardinality(Nullable(String)),
    source String codec(ZSTD(1)),
    source_kind LowCardinality(String),
    coverage LowCardinality(String),
    start Nullable(DateTime64(9, 'UTC')) codec(Delta, ZSTD(1)),
    zone_known Bool,
    duration_ns Int64 codec(T64, ZSTD(1)),
    kind LowCardinality(String),
    operation LowCardinality(Nullable(String)),
    gc_id Nullable(Int64) codec(Delta, ZSTD(1)),
    gc_cause LowCardinality(Nullable(String)),
    reaching_ns Int64 codec(T64, ZSTD(1)),
    at_ns Int64 codec(T64, ZSTD(1)),
    collection_ns Nullable(Int64) codec(T64, ZSTD(1)),
    cut Bool,
    detailed Bool,
    parts Array(Tuple(cause String, mechanism Nullable(String), ns Int64, certainty String)) codec(ZSTD(1)),
    cause LowCardinality(Nullable(String)),
    cause_ns Nullable(Int64) codec(T64, ZSTD(1)),
    certainty LowCardinality(Nullable(String)),
    mechanism LowCardinality(Nullable(String)),
    culprit_kind LowCardinality(Nullable(String)),
    culprit Nullable(String) codec(ZSTD(1)),
    culprit_ns Nullable(Int64) codec(T64, ZSTD(1)),
    file Nullable(String) codec(ZSTD(1)),
    device LowCardinality(Nullable(String)),
    unexplained_ns Int64 codec(T64, ZSTD(1)),
    symptom LowCardinality(Nullable(String))
)
engine = MergeTree
partition by toYYYYMM(ifNull(start, toDateTime64(0, 9, 'UTC')))
order by (host, ifNull(start, toDateTime64(0, 9, 'UTC')));

create table if not exists hours (
    host LowCardinality(String),
    cluster LowCardinality(Nullable(String)),
    labels Map(LowCardinality(String), String) codec(ZSTD(1)),
    boot LowCardinality(Nullable(String)),
    kernel LowCardinality(Nullable(String)),
    main LowCardinality(Nullable(String)),
    pid Nullable(Int64) codec(ZSTD(1)),
    java_version LowCardinality(Nullable(String)),
    java_vendor LowCardinality(Nullable(String)),
    collector LowCardinality(Nullable(String)),
    heap_max_bytes Nullable(Int64) codec(ZSTD(1)),
    flags Nullable(String) codec(ZSTD(1)),
    flags_hash LowCardinality(Nullable(String)),
    container LowCardinality(Nullable(String)),
    pod LowCardinality(Nullable(String)),
    source String codec(ZSTD(1)),
    source_kind LowCardinality(String),
    coverage LowCardinality(String),
    hour Nullable(DateTime64(9, 'UTC')) codec(Delta, ZSTD(1)),
    covered_ns Int64 codec(T64, ZSTD(1)),
    recorded_ns Int64 codec(T64, ZSTD(1)),
    pauses Int64 codec(T64, ZSTD(1)),
    stopped_ns Int64 codec(T64, ZSTD(1)),
    longest_ns Int64 codec(T64, ZSTD(1)),
    lengths String codec(ZSTD(1)),
    unexplained_ns Int64 codec(T64, ZSTD(1)),
    causes Array(Tuple(cause String, pauses Int64, ns Int64, longest_ns Int64)) codec(ZSTD(1)),
    culprits Array(Tuple(cause String, kind String, name String, pauses Int64, ns Int64)) codec(ZSTD(1)),
    worst Array(Tuple(
        start Nullable(DateTime64(9, 'UTC')), duration_ns Int64, cause Nullable(String), certainty Nullable(String),
        mechanism Nullable(String), culprit_kind Nullable(String), culprit Nullable(String), file Nullable(String),
        source String)) codec(ZSTD(1))
)
engine = MergeTree
partition by toYYYYMM(ifNull(hour, toDateTime64(0, 9, 'UTC')))
order by (host, ifNull(hour, toDateTime64(0, 9, 'UTC')));

create table if not exists stalls (
    host LowCardinality(String),
    cluster LowCardinality(Nullable(String)),
    labels Map(LowCardinality(String), String) codec(ZSTD(1)),
    boot LowCardinality(Nullable(String)),
    kernel LowCardinality(Nullable(String)),
    main LowCardinality(Nullable(String)),
    pid Nullable(Int64) codec(ZSTD(1)),
    java_version LowCardinality(Nullable(String)),
    java_vendor LowCardinality(Nullable(String)),
    collector LowCardinality(Nullable(String)),
    heap_max_bytes Nullable(Int64) codec(ZSTD(1)),
    flags Nullable(String) codec(ZSTD(1)),
    flags_hash LowCardinality(Nullable(String)),
    container LowCardinality(Nullable(String)),
    pod LowCardinality(Nullable(String)),
    source String codec(ZSTD(1)),
    source_kind LowCardinality(String),
    coverage LowCardinality(String),
    start Nullable(DateTime64(9, 'UTC')) codec(Delta, ZSTD(1)),
    duration_ns Int64 codec(T64, ZSTD(1)),
    longest_ns Int64 codec(T64, ZSTD(1)),
    stalls Int64 codec(T64, ZSTD(1)),
    threads Int64 codec(T64, ZSTD(1)),
    time_ns Int64 codec(T64, ZSTD(1)),
    waiting_threads Int64 codec(T64, ZSTD(1)),
    waiting_ns Int64 codec(T64, ZSTD(1)),
    cause LowCardinality(Nullable(String)),
    certainty LowCardinality(Nullable(String)),
    mechanism LowCardinality(Nullable(String)),
    pool Nullable(String) codec(ZSTD(1)),
    thread Nullable(String) codec(ZSTD(1)),
    call Nullable(String) codec(ZSTD(1)),
    file Nullable(String) codec(ZSTD(1)),
    device LowCardinality(Nullable(String)),
    holder Nullable(String) codec(ZSTD(1)),
    unexplained_ns Int64 codec(T64, ZSTD(1))
)
engine = MergeTree
partition by toYYYYMM(ifNull(start, toDateTime64(0, 9, 'UTC')))
order by (host, ifNull(start, toDateTime64(0, 9, 'UTC')));

-- Hosts, those with most time stopped per hour observed first.
create or replace view worst_hosts as
select h.host as host, cluster, kernel, jvms, h.pauses as pauses, stopped_ns, covered_ns,
    accurateCastOrNull(round(stopped_ns / (covered_ns / 3.6e12)), 'Int64') as ns_per_hour, longest_ns, nullIf(c.cause, '') as cause
from (
    select host, any(cluster) as cluster, max(kernel) as kernel,
        uniqExact(tuple(boot, pid, main, flags_hash)) as jvms, sum(hours.pauses) as pauses,
        sum(hours.stopped_ns) as stopped_ns, sum(hours.covered_ns) as covered_ns, max(hours.longest_ns) as longest_ns
    from hours group by host
) as h
left join (
    select host, argMax(cause, ns) as cause
    from (select host, it.cause as cause, sum(it.ns) as ns from hours array join causes as it group by host, cause)
    group by host
) as c on h.host = c.host
order by ns_per_hour desc nulls last, stopped_ns desc, host;

-- The longest pauses, as far as they are among the five longest of their JVM and hour.
create or replace view longest_pauses as
select host, kernel, it.start as start, it.duration_ns as duration_ns, it.cause as cause, it.certainty as certainty,
    it.mechanism as mechanism, it.culprit_kind as culprit_kind, it.culprit as culprit, it.file as file,
    it.source as source
from hours array join worst as it
order by duration_ns desc, host, start;

-- What each cause took, over all hosts. A pause with parts of two causes is one of each.
create or replace view causes as
select it.cause as cause, uniqExact(host) as hosts, sum(it.pauses) as pauses, sum(it.ns) as ns,
    max(it.longest_ns) as longest_ns
from hours array join causes as it
group by cause
order by ns desc, cause;

-- The same for each host.
create or replace view causes_by_host as
select host, it.cause as cause, sum(it.pauses) as pauses, sum(it.ns) as ns, max(it.longest_ns) as longest_ns
from hours array join causes as it
group by host, cause
order by ns desc, host, cause;

-- The same for each hour, and which of the day that is.
create or replace view causes_by_hour as
select hour, toHour(hour) as hour_of_day, it.cause as cause, uniqExact(host) as hosts, sum(it.pauses) as pauses,
    sum(it.ns) as ns, max(it.longest_ns) as longest_ns
from hours array join causes as it
group by hour, cause
order by hour, ns desc, cause;

-- Who did it, as far as they are among the 16 with most time of their JVM and hour.
create or replace view culprits as
select it.cause as cause, it.kind as kind, it.name as name, uniqExact(host) as hosts, sum(it.pauses) as pauses,
    sum(it.ns) as ns
from hours array join culprits as it
group by cause, kind, name
order by ns desc, cause, kind, name;

-- Hosts by the release of their kernel.
create or replace view by_kernel as
select kernel, uniqExact(host) as hosts, uniqExact(tuple(host, boot, pid, main, flags_hash)) as jvms,
    sum(h.pauses) as pauses, sum(h.stopped_ns) as stopped_ns, sum(h.covered_ns) as covered_ns,
    accurateCastOrNull(round(stopped_ns / (covered_ns / 3.6e12)), 'Int64') as ns_per_hour, max(h.longest_ns) as longest_ns
from hours as h
group by kernel
order by ns_per_hour desc nulls last, kernel;

-- Days. Quantiles are those of `pause_lengths`.
create or replace view daily as
select toDate(hour) as day, uniqExact(host) as hosts, sum(h.pauses) as pauses, sum(h.stopped_ns) as stopped_ns,
    sum(h.covered_ns) as covered_ns,
    accurateCastOrNull(round(stopped_ns / (covered_ns / 3.6e12)), 'Int64') as ns_per_hour, max(h.longest_ns) as longest_ns,
    sum(h.unexplained_ns) as unexplained_ns
from hours as h
group by day
order by day;

-- Causes of the last day that no day before it had.
create or replace view new_causes as
select it.cause as cause, min(toDate(hour)) as since, uniqExact(host) as hosts, sum(it.pauses) as pauses,
    sum(it.ns) as ns, max(it.longest_ns) as longest_ns
from hours array join causes as it
where hour is not null
group by cause
having since = (select max(toDate(hour)) from hours) and since > (select min(toDate(hour)) from hours)
order by ns desc, cause;

-- Quantiles of each host, of its pauses themselves: ClickHouse does not read the histograms of `hours`.
create or replace view pause_lengths as
select host, count() as pauses, quantileExact(0.5)(duration_ns) as p50_ns, quantileExact(0.99)(duration_ns) as p99_ns,
    quantileExact(0.999)(duration_ns) as p999_ns, max(duration_ns) as longest_ns
from pauses
group by host
order by p999_ns desc, host;
