#!/usr/bin/env bash
# Says which tests of a `cargo test` were not over when its output ended.
#
# scripts/show-running.sh FILE
#
# Libtest names a test only when it is over. So the program that was running is asked for all its
# tests, and those without a verdict are what is left. It begins them in this order.
set -euo pipefail
log="$1"

# The last program that was begun, if it has no result.
program="$(awk '/^ *(Running|Doc-tests) / { program = ""; if (match($0, /\([^)]*\)$/)) program = substr($0, RSTART + 1, RLENGTH - 2) }
                /^test result: / { program = "" }
                END { print program }' "$log")"
if [ -z "$program" ] || [ ! -x "$program" ]; then
    echo "no test was running; what was, is at the end of the output"
    exit 0
fi
# Those of this program that are over.
over="$(awk -v program="$program" 'index($0, "(" program ")") { on = 1 }
        on && /^test .* \.\.\. (ok|FAILED|ignored)/ { print $2 }' "$log" | sort)"
left="$(timeout 10 "$program" --list --format terse 2>/dev/null </dev/null |
    sed -n 's/: test$//p' | grep -vxF -f <(printf '%s\n' "$over") || true)"
threads="${RUST_TEST_THREADS:-$(nproc)}"
echo "$program was running"
printf '%s\n' "$left" | awk -v threads="$threads" 'NF == 0 { next }
    NR <= threads { print "    running: " $1; next }
    { more++ }
    END { if (more) print "    and " more " tests had not begun, or just had" }'
