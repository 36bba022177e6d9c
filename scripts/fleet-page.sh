#!/usr/bin/env bash
# Runs every command of docs/fleet.md in their order, on a fleet that is made for it: what a host does, beside a
# JVM that runs; an object store on loopback; and what is asked on one machine. Everything ends with the script.
#
# scripts/fleet-page.sh
#
# WHYPAUSE=PROGRAM and FLEET_DATA=PROGRAM are the programs; those of `make test` where nothing is said. Takes the
# library for Python (`make wheel`).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
log=target/test-logs/fleet-page.log
# shellcheck source=scripts/python/lib.sh
source scripts/python/lib.sh
# shellcheck source=scripts/python/store.sh
source scripts/python/store.sh

# How long a watch of the page runs, in seconds.
watch_seconds=12
page=docs/fleet.md

mkdir -p "${log%/*}"
: >"$log"
step "what docs/fleet.md says"
whypause="$(realpath "${WHYPAUSE:-target/debug/whypause}")"
maker="$(realpath "${FLEET_DATA:-target/debug/fleet-data}")"
wheel="$(find target/wheels -name '*.whl' 2>/dev/null | head -n 1)"
if [ ! -x "$whypause" ] || [ ! -x "$maker" ] || [ -z "$wheel" ]; then
    skip "the page: the program, \`fleet-data\` and the library for Python are not built"
    exit 0
fi
if ! has_environment s3 python/requirements-s3.txt || ! has_environment dev python/requirements-dev.txt; then
    skip "the page: what it takes could not be downloaded"
    exit 0
fi
install_wheel dev

work="$(mktemp -d)"
running=()
trap '[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null; wait 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# What the commands are called on the page.
mkdir -p "$work/bin" "$work/home" "$work/host" "$work/one"
ln -s "$whypause" "$work/bin/whypause"
ln -s "$root_dir/$python_dir/s3/bin/aws" "$work/bin/aws"
start_store "$work/home" fleet
export AWS_ENDPOINT_URL="$store"

# The commands of blocks "$1" of the page.
commands() { awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } /^```/ { on = 0 } on' "$page"; }

# Runs a command of the page in folder "$1". A watch would run until it is ended.
run() {
    local folder="$1" line="$2"
    case "$line" in
        "whypause watch "*) line="timeout --foreground --preserve-status -s INT $watch_seconds $line" ;;
    esac
    (cd "$work/$folder" && PATH="$work/bin:$root_dir/$python_dir/dev/bin:$PATH" timeout 600 "$BASH" -euo pipefail -c "$line")
}

host() {
    local java line
    java="$(find_jdks | awk '$1 >= 17 { print $2; exit }')"
    if [ -z "$java" ] || ! is_root; then
        skip "what a host does: no JDK of version 17 or newer, or $(why_not_root)"
        return
    fi
    cp scripts/python/Load.java "$work/host/"
    (cd "$work/host" && exec "$root_dir/scripts/with-parent.sh" "$java/bin/java" -Xmx64m -XX:+UseSerialGC \
        -Xlog:gc*,safepoint:file=gc.log:time,uptime,level,tags Load.java) >>"$log" 2>&1 </dev/null &
    running+=("$!")
    for _ in $(seq 300); do
        ! grep -qs safepoint "$work/host/gc.log" || break
        sleep 0.1
    done
    while read -r line; do
        check "${line%% --*}" run host "$line"
    done < <(commands "sh host")
    check "the watch wrote rows" ls "$work"/host/rows/pauses/date=*/host=*/*.parquet
    check "an explanation became rows" [ -s "$work/host/hours.parquet" ]
}

one_machine() {
    local line
    "$maker" --hosts 60 --log-bytes 20M --recordings 400 "$work/data" >>"$log" 2>&1
    check "hosts have shipped" aws_sync "$work/data" s3://fleet
    cp "$work/data/hosts.csv" "$work/one/"
    while read -r line; do
        check "${line%% --*}" run one "$line"
    done < <(commands "sh")
    check "it names the kernel and the day" grep -q \
        'on all 4 hosts with kernel 6.8.0-45-generic since' <(run one "whypause fleet fleet/ --inventory hosts.csv" | tr -s '\n ' ' ')
    check "the page has the finding, too" grep -q '6.8.0-45-generic' "$work/one/fleet.html"
}

aws_sync() { "$work/bin/aws" s3 sync "$1" "$2" --only-show-errors; }

host
one_machine
verdict "the page"
