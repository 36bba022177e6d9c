#!/usr/bin/env bash
# Measures how fast GC logs are read on this machine, and prints it as a Markdown table.
#
# Arguments go to bench/log_speed.py; `scripts/bench-logs.sh --help` lists them.
# Fails only if it could not measure: the numbers are for people to judge.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

have python3 || fail "no python3" "apt-get install python3"
case " $* " in
    *" --help "* | *" -h "* | *" --program "*) ;;
    *) scripts/build.sh ;;
esac
PYTHONDONTWRITEBYTECODE=1 exec python3 bench/log_speed.py "$@"
