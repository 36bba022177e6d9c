#!/usr/bin/env bash
# Installs what is missing, then runs every check and every test.
#
# What needs root is run as root where that is possible, and says SKIPPED otherwise.
# WHYPAUSE_TEST_LIMIT=MINUTES (or SECONDSs, as 90s) is how long all of it may take, 40 minutes where
# nothing is said. What is over then is killed, and it is said which tests were running.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

log_dir="target/test-logs"
all="$log_dir/make-test.log"
# The output of the `cargo test` that runs, or ran last.
current="$log_dir/current"

# Runs all tests with cargo's arguments "$2"…, shows the verdicts, and keeps all of it in log "$1".
#
# The output goes to a file: whoever waits for the end of a pipe waits for all that hold it.
run_tests() {
    local log="$log_dir/$1" tests status=0
    shift
    : >"$log"
    ln -sfn "${log##*/}" "$current"
    cargo test --locked --workspace --no-fail-fast "${features[@]}" "$@" -- --show-output \
        >"$log" 2>&1 </dev/null &
    tests=$!
    tail -n +1 -f --pid="$tests" "$log" | scripts/show-verdicts.awk
    wait "$tests" || status=$?
    return "$status"
}

# Lists what was skipped in log "$1", with the number of tests for each reason.
list_skipped() {
    # A test that prints several lines is one test: libtest heads its output with its name.
    awk '/^---- .* stdout ----$/ { test = $2 }
         match($0, /SKIPPED: .*/) { reason = substr($0, RSTART); if (!seen[test, reason]++) count[reason]++ }
         END { for (reason in count) printf "%6d  %s\n", count[reason], reason }' "$1" | sort -k2
}

# Every check and every test.
check_all() {
    local result=0 log=user.log skipped host
    scripts/setup.sh
    rust_is_there
    jdk_is_there || true
    choose_features
    scripts/lint.sh
    scripts/cross/check.sh

    scripts/java.sh || result=1

    step "tests"
    if is_root; then log=root.log; fi
    run_tests "$log" || result=1
    scripts/web.sh || result=1

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

    # what was tested in Java and in a browser counts, too
    cat "$log_dir/java.log" "$log_dir/web.log" >>"$log_dir/$log"
    skipped="$(list_skipped "$log_dir/$log")"
    if [ -n "$skipped" ]; then
        step "skipped, with the number of tests"
        say "$skipped"
    else
        step "nothing was skipped"
    fi

    # The closing line, for people and for CI: the sum over all test programs of the last run.
    awk '/^test result: / { passed += $4; failed += $6 }
         END { printf "\n%d passed, %d failed\n", passed, failed }' "$log_dir/$log"
    return "$result"
}

limit_seconds() {
    local limit="${WHYPAUSE_TEST_LIMIT:-40}"
    case "$limit" in
        *[!0-9s]* | '' | s) fail "WHYPAUSE_TEST_LIMIT is \`$limit\`" "a number of minutes, or of seconds as \`90s\`" ;;
        *s) echo "${limit%s}" ;;
        *) echo $((limit * 60)) ;;
    esac
}

mkdir -p "$log_dir"
case "${1:-}" in
    --checks)
        check_all
        exit
        ;;
    --tied) ;;
    *)
        # Whoever started this may be killed: then this ends, too.
        exec scripts/with-parent.sh "$BASH" "$root_dir/scripts/test.sh" --tied
        ;;
esac

seconds="$(limit_seconds)"
: >"$all"
: >"$log_dir/none"
ln -sfn none "$current"
# In a session of its own, so that all of it can be killed at once.
setsid scripts/with-parent.sh "$BASH" scripts/test.sh --checks >"$all" 2>&1 </dev/null &
checks=$!
# A compiler does not end with cargo, so somebody waits for the end of this script. Debian's sh knows
# no `--` behind `kill -KILL`.
# shellcheck disable=SC2016 # the other shell is to expand it
setsid sh -c 'tail --pid="$1" -f /dev/null; kill -s KILL -- "-$2"' sh $$ "$checks" \
    >/dev/null 2>&1 </dev/null &
watch=$!
scripts/with-parent.sh tail -n +1 -f --pid="$checks" "$all" &
shown=$!

stop() {
    kill -KILL -- "-$watch" "-$checks" 2>/dev/null || true
    # bash would say of each that it was killed
    wait "$watch" "$checks" "$shown" 2>/dev/null || true
}
trap 'stop; exit 130' INT TERM HUP

while kill -0 "$checks" 2>/dev/null; do
    if [ "$SECONDS" -ge "$seconds" ]; then
        what="$(scripts/show-running.sh "$current")"
        stop
        say "error: not done within $seconds s: $what"
        say "hint: all output is in $all; WHYPAUSE_TEST_LIMIT=MINUTES gives it more time"
        exit 1
    fi
    sleep 1
done
result=0
wait "$checks" || result=$?
# bash would say that it was killed
{
    kill -KILL -- "-$watch" || true
    wait "$watch" "$shown" || true
} 2>/dev/null
exit "$result"
