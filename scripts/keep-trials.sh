#!/usr/bin/env bash
# The black box under stress: a JVM with many pauses is watched with `--keep`, the watch is killed at random moments,
# and what is left is looked at: nothing but whole recordings, never more bytes than allowed, the longest pauses kept.
# Then a watch with and without `--keep` by turns: their CPU time and memory. Prints a line for each part; ends with 1
# where one failed.
#
# Environment: PROGRAM (default: target/release/whypause, which is built), KILLS (50), PAUSES (1000), SIZE (50M),
# PAIRS (3), OUT (a directory for what is kept, in memory by default).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

kills="${KILLS:-50}" pauses="${PAUSES:-1000}" size="${SIZE:-50M}" pairs="${PAIRS:-3}"
[ -n "${PROGRAM:-}" ] || scripts/build.sh
program="$(realpath "${PROGRAM:-target/release/whypause}")"
out="${OUT:-$(mktemp -d /dev/shm/keep-trials.XXXXXX)}"
mkdir -p "$out"
# shellcheck disable=SC2317 # the trap calls it
cleanup() {
    [ -z "${jvm:-}" ] || kill "$jvm" 2>/dev/null || true
    [ -z "${watch:-}" ] || kill "$watch" 2>/dev/null || true
    [ -n "${OUT:-}" ] || rm -rf "$out"
}
trap cleanup EXIT

mkdir -p "$out/java"
javac --release 17 -d "$out/java" crates/testing/java/Pauser.java
java -Xmx1g -XX:+UseSerialGC -cp "$out/java" Pauser 2000 100 >"$out/jvm" 2>&1 </dev/null &
jvm=$!
step "The black box: $pauses pauses with --keep-size $size, $kills kills"

# Whole recordings, and all bytes of the directory.
look() {
    python3 - "$out/kept" "$program" <<'E2'
import json, os, subprocess, sys
directory, program = sys.argv[1:]
used = sum(os.stat(os.path.join(at, it)).st_blocks * 512 for at, _, files in os.walk(directory) for it in files)
listed = subprocess.run([program, "explain", directory, "--json"], capture_output=True, text=True)
kept = json.loads(listed.stdout)["kept"] if listed.returncode == 0 else []
torn = 0
for it in kept:
    files = os.listdir(it["path"])
    torn += not files or any(not name.endswith(".parquet") for name in files)
    torn += subprocess.run([program, "explain", it["path"]], capture_output=True).returncode != 0
print(len(kept), torn, used)
E2
}

most=0 failed=0
start=$SECONDS
for n in $(seq "$kills"); do
    "$program" watch --utc -p "$jvm" --over 20ms --keep "$out/kept" --keep-size "$size" --keep-worst 1000 \
        >>"$out/lines" 2>>"$out/said" </dev/null &
    watch=$!
    sleep "$(python3 -c 'import random; print(2 + 4 * random.random())')"
    kill -9 "$watch"
    wait "$watch" 2>/dev/null || true
    watch=
    if [ $((n % 10)) = 0 ]; then
        read -r kept torn used <<<"$(look)"
        [ "$used" -le "$most" ] || most="$used"
        [ "$torn" = 0 ] || failed=1
        say "after $n kills: $kept kept, $torn of them not whole, $((used >> 10)) KiB"
    fi
done

"$program" watch --utc -p "$jvm" --over 20ms --keep "$out/kept" --keep-size "$size" --keep-worst 1000 \
    >>"$out/lines" 2>>"$out/said" </dev/null &
watch=$!
printed() { grep -c '^20' "$out/lines" || true; }
while [ "$(printed)" -lt "$pauses" ] && kill -0 "$watch"; do sleep 1; done
kill "$watch"
wait "$watch" || failed=1
watch=
read -r kept torn used <<<"$(look)"
[ "$used" -le "$most" ] || most="$used"
[ "$torn" = 0 ] || failed=1
say "$(printed) pauses in $((SECONDS - start)) s: $kept kept, $torn of them not whole, at most $((most >> 10)) KiB of $size"
[ "$most" -le "$(numfmt --from=iec "$size")" ] || failed=1
COLUMNS=200 "$program" explain "$out/kept" --utc 2>/dev/null | head -n 1
left="$(find "$out/kept" -name '.*' -mindepth 2 | wc -l)"
say "$left begun by a watch that was killed less than a minute ago"
tail -n 1 "$out/said"

# Watches for 40 s with these options; CPU time in ms and the most memory in KiB.
cost() {
    "$program" watch --utc -p "$jvm" --over 20ms "$@" >/dev/null 2>&1 </dev/null &
    watch=$!
    sleep 40
    awk -v hz="$(getconf CLK_TCK)" '{ printf "%d ", ($14 + $15) * 1000 / hz }' "/proc/$watch/stat"
    awk '/VmHWM/ { print $2 }' "/proc/$watch/status"
    kill "$watch"
    wait "$watch" || true
    watch=
}
for pair in $(seq "$pairs"); do
    rm -rf "$out/new"
    read -r without_ms without_kib <<<"$(cost)"
    # The default, and a directory that is empty at first: the most that is written.
    read -r with_ms with_kib <<<"$(cost --keep "$out/new" --keep-size "$size")"
    say "40 s, pair $pair: $without_ms ms of CPU and $((without_kib >> 10)) MiB without, $with_ms ms and $((with_kib >> 10)) MiB with --keep, $(find "$out/new" -mindepth 2 -maxdepth 2 | wc -l) kept"
done
exit "$failed"
