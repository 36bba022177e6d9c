#!/usr/bin/env bash
# Measures how often the answers are right on this machine, and writes docs/accuracy.md.
#
# Every scenario of the lab runs with every JDK found and every collector that makes sense.
# Takes one to two hours, in pieces: each run that ended is kept in target/accuracy.jsonl with its day
# and build, and no run begins that would not end within LIMIT seconds (default: 2100). The exit code
# is 3 while runs are left: start it again to go on. The page says which run is of which build.
# RESUME=0 begins anew.
# Arguments go to `whypause lab matrix`, for instance `--jdk 17,/opt/jdk8 --runs 3`; where others use this
# host it asks, or refuses, unless `--on-this-host` is among them.
# `scripts/accuracy.sh --check` runs one scenario for seconds, to see that it works, and writes
# target/accuracy-check.md instead.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

can_be_root || fail "the lab needs root, and $(why_not_root)"
scripts/build.sh
results=target/accuracy.jsonl
page=target/accuracy.md
written=docs/accuracy.md
found=0
if [ "${1:-}" = --check ]; then
    shift
    results=target/accuracy-check.jsonl
    page=target/accuracy-check.table.md
    written=target/accuracy-check.md
    as_root rm -f "$results"
    set -- gc-log-write-blocked --short --collectors g1 "$@"
fi
[ "${RESUME:-1}" != 0 ] || as_root rm -f "$results"
as_root env PATH="$PATH" target/release/whypause lab matrix --results "$results" --for "${LIMIT:-2100}s" "$@" >"$page" || found=$?
if [ "$found" -eq 3 ]; then
    say "$page is of the runs so far, and $written is as it was"
    exit 3
fi
# 1: a bar was not met, which belongs on the page too
[ "$found" -le 1 ] || exit "$found"
{
    cat docs/accuracy.head.md
    echo
    cat "$page"
} >"$written"
say "written: $written; each recording is a line of $results"
exit "$found"
