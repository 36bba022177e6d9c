-- Views over the tables of `whypause`, for DuckDB: the questions that are asked first.
--
-- `whypause fleet PATHS --sql 'from worst_hosts limit 10'` has them. Elsewhere they take the tables `hours`,
-- which all of them read, and the functions of `whypause.sql.register`.
-- Lengths are in nanoseconds, times and days are UTC. `ns_per_hour` is the time stopped per hour observed.
-- All pauses of an hour belong to the hour in which they began; those of unknown time are in the sums, and
-- where a view is about times, `hour` or `day` is null.

-- Hosts, those with most time stopped per hour observed first.
create or replace view worst_hosts as
with by_cause as (
    select host, cause.cause as cause, sum(cause.ns) as ns
    from (select host, unnest(causes) as cause from hours)
    group by all
), first as (
    select host, arg_max(cause, ns) as cause from by_cause group by host
), sums as (
    select host,
        any_value(cluster) as cluster,
        max(kernel) as kernel,
        count(distinct (boot, pid, main, flags_hash)) as jvms,
        try_cast(sum(pauses) as bigint) as pauses,
        try_cast(sum(stopped_ns) as bigint) as stopped_ns,
        try_cast(sum(covered_ns) as bigint) as covered_ns,
        try_cast(sum(stopped_ns) / (nullif(sum(covered_ns), 0) / 3.6e12) as bigint) as ns_per_hour,
        merge_hours(list(lengths)) as lengths,
        max(longest_ns) as longest_ns
    from hours
    group by host
)
select host, cluster, kernel, jvms, pauses, stopped_ns, covered_ns, ns_per_hour,
    quantile_ns(lengths, 0.5) as p50_ns,
    quantile_ns(lengths, 0.99) as p99_ns,
    quantile_ns(lengths, 0.999) as p999_ns,
    longest_ns, first.cause
from sums left join first using (host)
order by ns_per_hour desc nulls last, stopped_ns desc, host;

-- The longest pauses, as far as they are among the five longest of their JVM and hour.
create or replace view longest_pauses as
select host, kernel, pause.start as start, pause.duration_ns as duration_ns, pause.cause as cause,
    pause.certainty as certainty, pause.mechanism as mechanism, pause.culprit_kind as culprit_kind,
    pause.culprit as culprit, pause.file as file, pause.source as source
from (select host, kernel, unnest(worst) as pause from hours)
order by duration_ns desc, host, start;

-- What each cause took, over all hosts. A pause with parts of two causes is one of each.
create or replace view causes as
select cause.cause as cause, count(distinct host) as hosts, try_cast(sum(cause.pauses) as bigint) as pauses,
    try_cast(sum(cause.ns) as bigint) as ns, max(cause.longest_ns) as longest_ns
from (select host, unnest(causes) as cause from hours)
group by all
order by ns desc, cause;

-- The same for each host.
create or replace view causes_by_host as
select host, cause.cause as cause, try_cast(sum(cause.pauses) as bigint) as pauses,
    try_cast(sum(cause.ns) as bigint) as ns, max(cause.longest_ns) as longest_ns
from (select host, unnest(causes) as cause from hours)
group by all
order by ns desc, host, cause;

-- The same for each hour, and which of the day that is.
create or replace view causes_by_hour as
select hour, extract(hour from hour)::integer as hour_of_day, cause.cause as cause,
    count(distinct host) as hosts, try_cast(sum(cause.pauses) as bigint) as pauses,
    try_cast(sum(cause.ns) as bigint) as ns, max(cause.longest_ns) as longest_ns
from (select host, hour, unnest(causes) as cause from hours)
group by all
order by hour, ns desc, cause;

-- Who did it, as far as they are among the 16 with most time of their JVM and hour.
create or replace view culprits as
select culprit.cause as cause, culprit.kind as kind, culprit.name as name,
    count(distinct host) as hosts, try_cast(sum(culprit.pauses) as bigint) as pauses, try_cast(sum(culprit.ns) as bigint) as ns
from (select host, unnest(culprits) as culprit from hours)
group by all
order by ns desc, cause, kind, name;

-- Hosts by the release of their kernel.
create or replace view by_kernel as
select kernel, hosts, jvms, pauses, stopped_ns, covered_ns, ns_per_hour,
    quantile_ns(lengths, 0.5) as p50_ns,
    quantile_ns(lengths, 0.99) as p99_ns,
    quantile_ns(lengths, 0.999) as p999_ns,
    longest_ns
from (
    select kernel,
        count(distinct host) as hosts,
        count(distinct (host, boot, pid, main, flags_hash)) as jvms,
        try_cast(sum(pauses) as bigint) as pauses,
        try_cast(sum(stopped_ns) as bigint) as stopped_ns,
        try_cast(sum(covered_ns) as bigint) as covered_ns,
        try_cast(sum(stopped_ns) / (nullif(sum(covered_ns), 0) / 3.6e12) as bigint) as ns_per_hour,
        merge_hours(list(lengths)) as lengths,
        max(longest_ns) as longest_ns
    from hours
    group by kernel
)
order by ns_per_hour desc nulls last, kernel;

-- JVMs by each of their flags: how they differ from those without it, `by_flag` says of both.
create or replace view by_flag as
with flag as (
    select distinct unnest(string_split(flags, ' ')) as flag from hours
), sums as (
    select flags, host, count(*) as hours, sum(pauses) as pauses, sum(stopped_ns) as stopped_ns,
        sum(covered_ns) as covered_ns, max(longest_ns) as longest_ns
    from hours where flags is not null
    group by all
)
select flag,
    count(distinct host) filter (has) as hosts,
    try_cast(sum(pauses) filter (has) as bigint) as pauses,
    try_cast(sum(stopped_ns) filter (has) as bigint) as stopped_ns,
    max(longest_ns) filter (has) as longest_ns,
    try_cast((sum(stopped_ns) filter (has)) / (nullif(sum(covered_ns) filter (has), 0) / 3.6e12) as bigint) as ns_per_hour,
    try_cast((sum(stopped_ns) filter (not has)) / (nullif(sum(covered_ns) filter (not has), 0) / 3.6e12) as bigint)
        as others_ns_per_hour
from (select flag, sums.*, list_contains(string_split(flags, ' '), flag) as has from flag cross join sums)
where flag <> ''
group by flag
order by ns_per_hour desc nulls last, flag;

-- Hosts by each of their labels, such as `rack` or `deploy`.
create or replace view by_label as
select label.key as label, label.value as value, hosts, pauses, stopped_ns, covered_ns, ns_per_hour,
    quantile_ns(lengths, 0.99) as p99_ns,
    quantile_ns(lengths, 0.999) as p999_ns,
    longest_ns
from (
    select label,
        count(distinct host) as hosts,
        try_cast(sum(pauses) as bigint) as pauses,
        try_cast(sum(stopped_ns) as bigint) as stopped_ns,
        try_cast(sum(covered_ns) as bigint) as covered_ns,
        try_cast(sum(stopped_ns) / (nullif(sum(covered_ns), 0) / 3.6e12) as bigint) as ns_per_hour,
        merge_hours(list(lengths)) as lengths,
        max(longest_ns) as longest_ns
    from (select unnest(map_entries(labels)) as label, * from hours)
    group by label
)
order by label, ns_per_hour desc nulls last, value;

-- Days, the last one last.
create or replace view daily as
select day, hosts, pauses, stopped_ns, covered_ns, ns_per_hour,
    quantile_ns(lengths, 0.5) as p50_ns,
    quantile_ns(lengths, 0.99) as p99_ns,
    quantile_ns(lengths, 0.999) as p999_ns,
    longest_ns, unexplained_ns
from (
    select hour::date as day,
        count(distinct host) as hosts,
        try_cast(sum(pauses) as bigint) as pauses,
        try_cast(sum(stopped_ns) as bigint) as stopped_ns,
        try_cast(sum(covered_ns) as bigint) as covered_ns,
        try_cast(sum(stopped_ns) / (nullif(sum(covered_ns), 0) / 3.6e12) as bigint) as ns_per_hour,
        merge_hours(list(lengths)) as lengths,
        max(longest_ns) as longest_ns,
        try_cast(sum(unexplained_ns) as bigint) as unexplained_ns
    from hours
    group by all
)
order by day;

-- Causes of the last day that no day before it had.
create or replace view new_causes as
with days as (
    select host, hour::date as day, unnest(causes) as cause from hours where hour is not null
), last as (
    select max(hour)::date as day from hours
)
select cause.cause as cause, any_value(day) as since, count(distinct host) as hosts,
    try_cast(sum(cause.pauses) as bigint) as pauses, try_cast(sum(cause.ns) as bigint) as ns, max(cause.longest_ns) as longest_ns
from days
group by cause.cause
having min(day) = (select day from last) and (select min(hour)::date from hours) < (select day from last)
order by ns desc, cause;
