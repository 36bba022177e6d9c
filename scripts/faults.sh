#!/usr/bin/env bash
# Breaks whatever can break while a JVM is recorded, hundreds of times, as root.
#
# scripts/faults.sh [NAME OF A TEST]...
# scripts/faults.sh --check       one that takes seconds, to see that it works
#
# `make test` has the same tests with a few faults each. Here it is 200 times SIGKILL of the
# recorder, 50 times of the JVM, and 60 disks that fill up, in a quarter of an hour or more.
# WHYPAUSE_FAULTS_SEED=n repeats a run: each test prints its number. WHYPAUSE_FAULTS_CLOCK=1 sets
# the clock of this whole machine an hour forth and back as well, for some milliseconds.
#
# Each test that ended is kept with its result in target/faults.tsv; what was cut goes on there when
# it is started again with the same build, and RESUME=0 begins anew. No test begins that would not
# end within LIMIT seconds (default: 2100); the exit code is 3 then.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/pieces.sh
source scripts/pieces.sh

can_be_root || fail "faults are injected as root" "run it as root"
export WHYPAUSE_FAULTS=full
runner=()
is_root || runner=(--config "target.'cfg(unix)'.runner = 'sudo -n -E'")

program_tests=(cargo test "${runner[@]}" --locked --package whypause --test faults --)

# A test of the program, or `full`: what the writer does on a full disk.
one() {
    case "$1" in
        full) cargo test "${runner[@]}" --locked --package recording --lib -- --nocapture full ;;
        *) "${program_tests[@]}" --nocapture --test-threads=1 --exact "$1" ;;
    esac
}

[ "${1:-}" != --check ] || set -- a_directory_that_is_removed_is_reported
step "every fault, many times"
names="$("${program_tests[@]}" --list "$@" | sed -n 's/: test$//p')"
[ -n "$names" ] || fail "no test has such a name"
mapfile -t tests <<<"$names"
[ $# -gt 0 ] || tests=(full "${tests[@]}")
# One after another: what they measure themselves by is how long a recorder lives.
in_pieces target/faults.tsv one "${tests[@]}"
