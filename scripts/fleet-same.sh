#!/usr/bin/env bash
# Whether all that reads a fleet says the same of it: the program, the library with DuckDB and with Polars, and
# a cluster of Spark with one and with two workers. Counts, sums, the longest pause and p99.9 of all, of each
# host and of each kernel are compared, and so is what cannot be read; what each took is a table in
# docs/fleet-measured.md.
#
# scripts/fleet-same.sh [--check] [DIR]
#   --check   a small fleet, builds of the tests, and nothing of docs/ is written
#   DIR       a fleet that fleet-data made, instead of one of 200 hosts, 1 GB of logs and 2,000 recordings
#
# What a step has measured is kept in target/fleet-same/, and the same command goes on there, with exit code 3
# where LIMIT=SECONDS (default: 2100) ended it before the last; RESUME=0 begins anew.
# WHYPAUSE_WHEEL=FILE and WHYPAUSE=PROGRAM are tried instead of what is built.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
log=target/test-logs/fleet-same.log
# shellcheck source=scripts/python/lib.sh
source scripts/python/lib.sh

check=''
data=''
for argument in "$@"; do
    case "$argument" in
        --check) check=yes ;;
        -*) fail "unknown argument \`$argument\`" "scripts/fleet-same.sh [--check] [DIR]" ;;
        *) data="$(realpath "$argument")" ;;
    esac
done
results="target/fleet-same/full"
[ -z "$check" ] || results="target/fleet-same/check"
[ "${RESUME:-1}" != 0 ] || rm -rf "$results"
mkdir -p "${log%/*}" "$results"
: >"$log"
begun=$SECONDS

profile=(--release)
program=target/release/whypause
if [ -n "$check" ]; then profile=() program=target/debug/whypause; fi
if [ -z "${WHYPAUSE:-}" ]; then
    step "the program"
    cargo build --locked -q "${profile[@]}" -p whypause
fi
program="${WHYPAUSE:-$program}"
if [ -z "$data" ]; then
    data="$root_dir/$results/fleet"
    size=(--hosts 200 --log-bytes 1G --recordings 2000 --damage 1%)
    [ -z "$check" ] || size=(--hosts 12 --log-bytes 4M --recordings 24 --damage 10% --long-line 10M)
    if [ ! -f "$results/fleet.made" ]; then
        step "a fleet"
        rm -rf "$data"
        cargo run --locked -q "${profile[@]}" -p fleet-data -- "${size[@]}" "$data" >>"$log" 2>&1
        touch "$results/fleet.made"
    fi
fi
[ -d "$data/logs" ] || fail "there is no \`logs\` in \`$data\`" "give a directory that fleet-data made"

if ! has_environment dev python/requirements-dev.txt; then
    skip "what a fleet says: the libraries could not be downloaded, or there is no Python for them"
    exit 0
fi
find_wheel ${check:+--check}
[ -n "$wheel" ] || exit 0
install_wheel dev

# Whether there is no time for another step.
is_late() { [ $((SECONDS - begun)) -ge "${LIMIT:-2100}" ]; }

# Measures a step "$1" with the Python "$2"; what is there already is kept.
measure() {
    [ ! -s "$results/$1.json" ] || return 0
    if is_late; then exit 3; fi
    step "$1"
    WHYPAUSE="$program" WHYPAUSE_SHELL="$$" WHYPAUSE_SPARK="${master:-}" timeout 2400 \
        "$python_dir/$2/bin/python" scripts/python/fleet_same.py "$1" "$data" "$results" >>"$log" 2>&1 ||
        { tail -n 20 "$log" >&2; fail "\`$1\` failed" "all output is in $log"; }
}

for it in cli-logs cli-hours duckdb-hours duckdb-pauses polars-logs polars-hours polars-pauses parquet; do
    measure "$it" dev
done
java_home="$(find_jdks | awk '$1 >= 17 && $1 <= 21 { print $2; exit }')"
if [ -z "$java_home" ]; then
    skip "Spark: no JDK of version 17 to 21"
elif ! has_environment spark python/requirements-spark.txt; then
    skip "Spark: it could not be downloaded, or there is no Python for it"
elif [ ! -s "$results/spark-2-pauses.json" ]; then
    install_wheel spark
    # shellcheck source=scripts/python/spark.sh
    source scripts/python/spark.sh
    start_master
    for workers in 1 2; do
        start_worker "$workers"
        measure "spark-$workers-hours" spark
        measure "spark-$workers-pauses" spark
    done
fi

step "the same?"
page=(docs/fleet-measured.md)
[ -z "$check" ] || page=()
"$python_dir/dev/bin/python" scripts/python/fleet_same.py --compare "$results" "${page[@]}"
