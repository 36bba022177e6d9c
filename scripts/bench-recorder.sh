#!/usr/bin/env bash
# Measures what recording costs on this machine, and prints it as a Markdown table.
#
# Arguments go to bench/recorder_cost.py; `scripts/bench-recorder.sh --help` lists them.
# Fails only if it could not measure: the numbers are for people to judge.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

have python3 || fail "no python3" "apt-get install python3"
case " $* " in
    *" --help "* | *" -h "*) exec python3 bench/recorder_cost.py --help ;;
esac
can_be_root || fail "recording needs root, and $(why_not_root)"

scripts/build.sh
as_root env PATH="$PATH" PYTHONDONTWRITEBYTECODE=1 python3 bench/recorder_cost.py "$@"
