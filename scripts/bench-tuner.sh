#!/usr/bin/env bash
# Makes each of the three switches of `whypause fix thp-tuner` go off and on again on this host, and
# measures what the tuner costs. Needs root, 5 GiB of free memory and 3 minutes. Not for a production host:
# it has the kernel compact its memory, and khugepaged work.
#
# scripts/bench-tuner.sh [SECONDS]     for so long the cost is measured, 60 by default
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause="$PWD/target/release/whypause"
huge=/sys/kernel/mm/transparent_hugepage
seconds="${1:-60}"
work="$(mktemp -d)"
[ "$(id -u)" = 0 ] || fail "this needs root"
scripts/build.sh

values() { cat "$huge/enabled" "$huge/defrag" "$huge/khugepaged/defrag"; }
before="$(values)"
sleep_ms="$(cat "$huge/khugepaged/scan_sleep_millisecs")"
pages="$(cat "$huge/khugepaged/pages_to_scan")"
jvm='' tuner='' hog=''
end() {
    for it in $tuner $hog $jvm; do kill "$it" 2>/dev/null || true; done
    echo "$sleep_ms" >"$huge/khugepaged/scan_sleep_millisecs"
    echo "$pages" >"$huge/khugepaged/pages_to_scan"
    rm -rf "$work"
}
trap end EXIT

javac -d "$work" crates/testing/java/Alloc.java
java -Xms512m -Xmx512m -XX:+UseTransparentHugePages -XX:+AlwaysPreTouch -cp "$work" Alloc \
    >"$work/java.out" 2>&1 </dev/null &
jvm=$!
sleep 2

start() {
    "$whypause" fix thp-tuner -p "$jvm" --apply "$@" >"$work/lines" 2>"$work/said" </dev/null &
    tuner=$!
    sleep 1
}

stop() {
    kill "$tuner"
    wait "$tuner"
    tuner=''
    cat "$work/said"
    [ "$(values)" = "$before" ] || fail "the settings are not as before"
}

until_said() {
    for _ in $(seq 1 600); do
        grep -q "$1" "$work/said" && return
        sleep 0.1
    done
    fail "not within 60 s: $1"
}

say "memory: another process takes 4 GiB and gives them back"
available="$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)"
start --period 200ms --footprint "$(((available - 700000) * 8 / 10))k"
python3 -c 'b = bytearray(b"x") * (4 << 30)
import time; time.sleep(3)' &
hog=$!
until_said '^enabled: .* -> never'
wait "$hog"
hog=''
until_said '^enabled: never -> '
stop

say "direct scanning: the kernel is told to compact its memory, for 2 s"
start --period 200ms --footprint 512m
for _ in $(seq 1 20); do
    echo 1 >/proc/sys/vm/compact_memory
    sleep 0.1
done
until_said '^defrag: .* -> never'
until_said '^defrag: never -> '
stop

say "khugepaged: it never sleeps, for 2 s"
start --period 200ms --footprint 512m
echo 0 >"$huge/khugepaged/scan_sleep_millisecs"
echo 1000000 >"$huge/khugepaged/pages_to_scan"
until_said '^khugepaged/defrag: 1 -> 0'
echo "$sleep_ms" >"$huge/khugepaged/scan_sleep_millisecs"
echo "$pages" >"$huge/khugepaged/pages_to_scan"
until_said '^khugepaged/defrag: 0 -> 1'
stop

say "cost: every 2 s, for $seconds s"
start
ticks() { awk '{ print $14 + $15 }' "/proc/$tuner/stat"; }
first="$(ticks)"
sleep "$seconds"
last="$(ticks)"
resident="$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$tuner/status")"
nanos="$(awk '{ print $1 }' "/proc/$tuner/schedstat")"
stop
printf 'CPU time in %s s: %s ticks of 10 ms (whole life: %s ms); resident: %s KiB\n' \
    "$seconds" "$((last - first))" "$((nanos / 1000000))" "$resident"
