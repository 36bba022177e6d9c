#!/usr/bin/env bash
# Installs what is missing, then runs every check and every test.
#
# What needs root is run as root where that is possible, and says SKIPPED otherwise.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
rust_is_there
jdk_is_there || true
choose_features
scripts/lint.sh
scripts/cross/check.sh

log_dir="target/test-logs"
mkdir -p "$log_dir"

# Runs all tests with cargo's arguments "$2"…, shows the verdicts, and keeps all of it in log "$1".
run_tests() {
    local log="$log_dir/$1" status=0
    shift
    cargo test --locked --workspace --no-fail-fast "${features[@]}" "$@" -- --show-output 2>&1 |
        tee "$log" | scripts/show-verdicts.awk || status=$?
    return "$status"
}

# Lists what was skipped in log "$1", with the number of tests for each reason.
list_skipped() {
    # A test that prints several lines is one test: libtest heads its output with its name.
    awk '/^---- .* stdout ----$/ { test = $2 }
         match($0, /SKIPPED: .*/) { reason = substr($0, RSTART); if (!seen[test, reason]++) count[reason]++ }
         END { for (reason in count) printf "%6d  %s\n", count[reason], reason }' "$1" | sort -k2
}

step "tests"
result=0
log=user.log
if is_root; then log=root.log; fi
run_tests "$log" || result=1

if ! is_root && grep -q 'SKIPPED: ' "$log_dir/$log"; then
    if can_be_root; then
        step "the same tests as root, for those that need it"
        host="$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')"
        export "CARGO_TARGET_${host}_RUNNER=sudo -n -E"
        log=root.log
        run_tests "$log" --tests || result=1
        # What root left in target/ would be in the way of the next build.
        sudo -n find target -user root -exec chown -h "$(id -u):$(id -g)" {} +
    else
        say "left out: tests that need root ($(why_not_root))"
    fi
fi

skipped="$(list_skipped "$log_dir/$log")"
if [ -n "$skipped" ]; then
    step "skipped, with the number of tests"
    say "$skipped"
else
    step "nothing was skipped"
fi

# The closing line, for people and for CI: the sum over all test programs of the last run.
awk '/^test result:/ { passed += $4; failed += $6 }
     END { printf "\n%d passed, %d failed\n", passed, failed }' "$log_dir/$log"
exit "$result"
