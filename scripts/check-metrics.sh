#!/usr/bin/env bash
# Has a real Prometheus scrape a JVM that is watched, and compares what it stores with what the JVM
# itself logged; `promtool` checks the metrics and the alert rules, and every query of the dashboard runs.
#
# Needs root, a JDK and Debian's package `prometheus` (scripts/metrics/packages.txt). Everything listens
# on loopback and ends with the script. WHYPAUSE=PROGRAM checks another build.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

skip() {
    echo "SKIPPED: $1"
    exit 0
}

collections=40
rules=packaging/prometheus/whypause-alerts.yml
dashboard=packaging/grafana/whypause.json
whypause="${WHYPAUSE:-target/release/whypause}"

is_root || skip "$(why_not_root)"
jdk_is_there || skip "there is no JDK"
have promtool || scripts/setup.sh scripts/metrics/packages.txt >&2 || true
{ have promtool && have prometheus; } || skip "there is no Prometheus (Debian's package \`prometheus\`)"
[ -n "${WHYPAUSE:-}" ] || [ -x "$whypause" ] || scripts/build.sh

work="$(mktemp -d -p /dev/shm)"
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT

# Waits half a minute at most until a command succeeds.
until_so() {
    local what="$1"
    shift
    for _ in $(seq 300); do
        "$@" && return 0
        sleep 0.1
    done
    fail "still not so: $what"
}

# The body of an answer; "$1" is HOST:PORT, "$2" a path, "$3" what is accepted.
get() {
    local line
    exec 9<>"/dev/tcp/${1%:*}/${1#*:}" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\nConnection: close\r\n\r\n' "$2" "$1" "${3:-*/*}" >&9
    while IFS= read -r line <&9 && [ "$line" != $'\r' ]; do :; done
    cat <&9
    exec 9>&-
}

# What Prometheus answers to a query: one number.
query() { promtool query instant "http://$prometheus" "$1" | sed -n 's/.*=> \([^ ]*\) @.*/\1/p; s/^scalar: \([^ ]*\) .*/\1/p' | head -n 1; }

# Whether awk finds a condition on numbers true.
is_true() { awk "BEGIN { exit !($1) }"; }

step "rules"
promtool check rules "$rules"

step "a watched JVM"
log="$work/safepoints"
java -Xmx64m -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0 "-Xlog:safepoint:file=$log" \
    crates/testing/java/Burst.java "$work/go" "$collections" >"$work/jvm" 2>&1 </dev/null &
jvm=$!
running+=("$jvm")
until_so "the JVM is ready" grep -q ready "$work/jvm"
"$whypause" watch -p "$jvm" --over 1ms --metrics 0 >"$work/watch" 2>"$work/said" </dev/null &
running+=("$!")
until_so "it is watched" grep -q '^.*watching ' "$work/said"
metrics="$(sed -n 's|.*metrics at http://\([^/]*\)/.*|\1|p' "$work/said")"
before="$(grep -c 'Total:' "$log" || true)"

step "a Prometheus that scrapes it"
cat >"$work/prometheus.yml" <<CONFIG
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["$PWD/$rules"]
scrape_configs:
  - job_name: whypause
    static_configs: [{ targets: ["$metrics"] }]
CONFIG
promtool check config "$work/prometheus.yml"
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
    --enable-feature=exemplar-storage --web.listen-address=127.0.0.1:0 \
    >"$work/prometheus" 2>&1 </dev/null &
running+=("$!")
until_so "Prometheus listens" grep -q 'Listening on' "$work/prometheus"
prometheus="$(sed -n 's/.*msg="Listening on".*address=\([0-9.:]*\).*/\1/p' "$work/prometheus" | head -n 1)"
is_up() { [ "$(query 'up{job="whypause"}' 2>/dev/null)" = 1 ]; }
until_so "it scrapes" is_up

step "what is served"
get "$metrics" /metrics >"$work/text"
promtool check metrics <"$work/text"
get "$metrics" /metrics 'application/openmetrics-text; version=1.0.0' >"$work/openmetrics"
tail -n 1 "$work/openmetrics" | grep -qx '# EOF'

step "what is stored"
touch "$work/go"
until_so "the JVM has collected" grep -q '^done' "$work/jvm"
logged="$(grep 'Total:' "$log" | tail -n "+$((before + 1))")"
count="$(printf '%s\n' "$logged" | wc -l)"
seconds="$(printf '%s\n' "$logged" | awk '{ for (i = 1; i < NF; i++) if ($i == "Total:") sum += $(i + 1) } END { print sum / 1e9 }')"
has_all() { is_true "$(query 'sum(whypause_stw_pause_seconds_count)') + 0 >= $count"; }
until_so "all stops are stored" has_all
stored="$(query 'sum(whypause_stw_pause_seconds_sum)')"
causes="$(query 'sum(whypause_stw_attributed_seconds_total)')"
printf 'the JVM logged %s stops of %s s; Prometheus has %s of %s s, by cause %s s\n' "$count" "$seconds" \
    "$(query 'sum(whypause_stw_pause_seconds_count)')" "$stored" "$causes"
is_true "$stored > 0.8 * $seconds && $stored < 1.2 * $seconds" || fail "the sums differ"
is_true "($causes - $stored) ^ 2 < 1e-10" || fail "the causes are not all of it"
query_exemplars="/api/v1/query_exemplars?query=whypause_stw_attributed_seconds_total&start=$(($(date +%s) - 600))&end=$(($(date +%s) + 60))"
get "$prometheus" "$query_exemplars" >"$work/exemplars"
grep -q stopped_seconds "$work/exemplars" || fail "no exemplar was stored"

step "each query of the dashboard"
queries=0
while IFS= read -r expression; do
    expression="${expression//\\\"/\"}"
    expression="${expression//\$__rate_interval/1m}"
    expression="${expression//\$__range_s/60}"
    expression="${expression//\$__range/1m}"
    expression="${expression//\$instance/.*}"
    expression="${expression//\$jvm/.*}"
    expression="${expression//\$user/.*}"
    promtool query instant "http://$prometheus" "$expression" | grep -q . ||
        fail "no answer to \`$expression\`"
    queries=$((queries + 1))
done < <(sed -n 's/^ *"expr": "\(.*\)",$/\1/p' "$dashboard")
[ "$queries" -gt 8 ] || fail "only $queries queries were found in $dashboard"
echo "$queries queries answered"

step "how long a scrape takes"
query 'max_over_time(scrape_duration_seconds{job="whypause"}[1m])' | sed 's/$/ s at most/'
