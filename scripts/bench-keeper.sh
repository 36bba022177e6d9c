#!/usr/bin/env bash
# Measures what it costs to copy a log from memory to a disk on this machine, and prints it as a
# Markdown table.
#
# scripts/bench-keeper.sh [SECONDS [DIRECTORY]]
#
# Each row takes SECONDS, 30 by default; copies go to DIRECTORY, target/tmp by default.
# Fails only if it could not measure: the numbers are for people to judge.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

have java || fail "no java to make a log with" "apt-get install default-jdk-headless"
seconds="${1:-30}"
mkdir -p "${2:-target/tmp}"
to="$(mktemp -d "${2:-target/tmp}/keeper.XXXXXX")"
from="$(mktemp -d /dev/shm/keeper.XXXXXX)"
trap 'rm -rf -- "$from" "$to"' EXIT

# A log as JVMs are told to write it, of a JVM that collects all the time.
timeout 30 java -XX:+UseG1GC -Xmx64m -Xmn4m "-Xlog:gc*,safepoint:file=$from/gc.log::filecount=0" \
    crates/keeper/tests/java/Log.java 2000 >"$from/said" 2>&1 || [ $? -eq 124 ] ||
    fail "the JVM failed: $(cat "$from/said")"

processor="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
say "$(nproc) CPUs of ${processor:-$(uname -m)}, Linux $(uname -r), copies on $(stat -f -c %T "$to")"
say "log: $(wc -c <"$from/gc.log") bytes of -Xlog:gc*,safepoint; a round each 5 s; rows of $seconds s"
cargo bench --quiet --locked -p keeper --bench cost -- "$from/gc.log" "$(realpath "$to")" "$seconds"
