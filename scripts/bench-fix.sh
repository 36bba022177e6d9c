#!/usr/bin/env bash
# Measures how long it takes to move the GC log of a running JVM to memory and back, and for how long
# the JVM is stopped for that. Prints a table. Needs a JDK from 9 on.
#
# scripts/bench-fix.sh [MOVES]     20 by default
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause=target/release/whypause
moves="${1:-20}"
work="$(mktemp -d)"
fast="$(mktemp -d -p /dev/shm)"
trap 'kill "${jvm:-}" 2>/dev/null || true; rm -rf "$work" "$fast"' EXIT

scripts/build.sh
javac -d "$work" crates/testing/java/Alloc.java
# Its stops are logged to memory, where no disk can make one longer.
stops="$fast/stops"
java -Xmx64m "-Xlog:safepoint:file=$stops:tn:filecount=0" \
    "-Xlog:gc*:file=$work/gc.log:tn:filecount=0" -cp "$work" Alloc >/dev/null 2>&1 </dev/null &
jvm=$!
sleep 2

now_ns() { date +%s%N; }

# Milliseconds of each command, sorted.
apply=() undo=()
for _ in $(seq "$moves"); do
    begin="$(now_ns)"
    timeout 60 "$whypause" fix gc-log-to-tmpfs -p "$jvm" --apply >/dev/null 2>&1 </dev/null
    apply+=("$((($(now_ns) - begin) / 1000000))")
    begin="$(now_ns)"
    timeout 60 "$whypause" fix --undo gc-log-to-tmpfs >/dev/null 2>&1 </dev/null
    undo+=("$((($(now_ns) - begin) / 1000000))")
done

median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
longest() { printf '%s\n' "$@" | sort -n | tail -n 1; }

# Stops that are no collections, and how long they were.
others="$(grep -o 'Safepoint "[^"]*".*Total: *[0-9]* ns' "$stops" |
    grep -v '"G1\|"CGC\|"GenCollect\|"Cleanup' || true)"
count="$(printf '%s' "$others" | grep -c . || true)"
worst="$(printf '%s' "$others" | sed 's/.*Total: *\([0-9]*\) ns/\1/' | sort -n | tail -n 1)"

printf 'Machine: %s, %s CPUs, Linux %s\n\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -r)"
printf '| %s moves | median | longest |\n|---|---:|---:|\n' "$moves"
printf '| log to memory, with a keeper started | %s ms | %s ms |\n' "$(median "${apply[@]}")" "$(longest "${apply[@]}")"
printf '| log back, the copy completed | %s ms | %s ms |\n' "$(median "${undo[@]}")" "$(longest "${undo[@]}")"
printf '| stops of the JVM beside collections: %s | | %s µs |\n' "$count" "$((${worst:-0} / 1000))"
