#!/usr/bin/env bash
# Breaks whatever can break while a JVM is recorded, hundreds of times, as root.
#
# scripts/faults.sh [NAME OF A TEST]...
#
# `make test` has the same tests with a few faults each. Here it is 200 times SIGKILL of the
# recorder, 50 times of the JVM, and 60 disks that fill up, in a quarter of an hour or more.
# WHYPAUSE_FAULTS_SEED=n repeats a run: each test prints its number. WHYPAUSE_FAULTS_CLOCK=1 sets
# the clock of this whole machine an hour forth and back as well, for some milliseconds.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

can_be_root || fail "faults are injected as root" "run it as root"
export WHYPAUSE_FAULTS=full
runner=()
is_root || runner=(--config "target.'cfg(unix)'.runner = 'sudo -n -E'")
step "every fault, many times"
# One after another: what they measure themselves by is how long a recorder lives.
cargo test "${runner[@]}" --locked --package recording --lib -- --nocapture full
cargo test "${runner[@]}" --locked --package whypause --test faults -- --nocapture --test-threads=1 "$@"
