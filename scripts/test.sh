#!/usr/bin/env bash
# Installs what is missing, then runs every check and every test.
#
# scripts/test.sh [--only WORD]... [--times N]
#   --only WORD   only what has WORD in its name, as `make test` prints it: --only 'recorder hostile'
#   --times N     each N times, to find what fails now and then
#
# What needs root is run as root where that is possible, and says SKIPPED otherwise. Nothing limits the
# whole: a slow machine is no fault. WHYPAUSE_TEST_LIMIT=MINUTES (or SECONDSs, as 90s) is how long a single
# test may take, 20 minutes where nothing is said; what neither prints nor computes anything for half of
# that is killed, too. All output is kept in target/test-logs/.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

if [ "${1:-}" = --tied ]; then
    shift
else
    # Whoever started this may be killed: then this ends, too.
    exec scripts/with-parent.sh "$BASH" "$root_dir/scripts/test.sh" --tied "$@"
fi

step "step 1: what is missing on this system"
scripts/setup.sh
rust_is_there
jdk_is_there || true
choose_features
arguments=("$@")
[ -z "${WHYPAUSE_TEST_LIMIT:-}" ] || arguments+=(--limit "$WHYPAUSE_TEST_LIMIT")
if ! is_root; then
    if can_be_root; then
        arguments+=(--sudo)
    else
        say "left out: tests that need root ($(why_not_root))"
    fi
fi
mkdir -p target/test-logs
cargo build --quiet --locked -p suite
exec "${CARGO_TARGET_DIR:-target}/debug/suite" "${arguments[@]}" -- "${features[@]}"
