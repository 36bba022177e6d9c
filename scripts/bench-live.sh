#!/usr/bin/env bash
# Measures how long after its end a pause is on the page of `whypause watch --serve`, on an idle machine
# and with all CPUs busy, and prints it as a Markdown table.
#
# Arguments go to bench/live_delay.py; `scripts/bench-live.sh --help` lists them.
# Fails only if it could not measure: the numbers are for people to judge.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

have python3 || fail "no python3" "apt-get install python3"
case " $* " in
    *" --help "* | *" -h "*) exec python3 bench/live_delay.py --help ;;
esac
can_be_root || fail "watching needs root, and $(why_not_root)"
jdk_is_there || fail "there is no JDK"

[ -n "${WHYPAUSE:-}" ] || scripts/build.sh
as_root env PATH="$PATH" WHYPAUSE="${WHYPAUSE:-target/release/whypause}" PYTHONDONTWRITEBYTECODE=1 \
    python3 bench/live_delay.py "$@"
