#!/usr/bin/env bash
# Runs everything that `make test` does not, one part after another, and writes docs/nightly.md. As root.
#
# scripts/nightly.sh [PART]...     all parts, or only these
# scripts/nightly.sh --list        the parts: how each ended the last time, and what it needs
#
# For a host of its own: parts slow down disks, take memory, change settings of the kernel for a while,
# and kill what they start.
#
# The parts are functions of scripts/nightly/parts.sh. What one prints goes to target/nightly-logs/PART.log;
# it has failed where it does, takes longer than 50 minutes, or changes a file of the project. Its result
# is kept in target/nightly.tsv. No part begins that would not end within LIMIT seconds (default: 2100);
# the exit code is 3 while parts are left: start it again to go on. RESUME=0 begins anew.
# docs/nightly.md is written where all parts asked for are done; those that were not keep what it says of them.
# KERNELS='6.1 6.12' boots these kernels, 6.1 where nothing is said.
#
# shellcheck disable=SC2317 # functions are called by their names
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/pieces.sh
source scripts/pieces.sh

definitions=scripts/nightly/parts.sh
logs=target/nightly-logs
kept=target/nightly.tsv
page=docs/nightly.md
most_seconds=3000

# The parts in order, each with what it needs.
definition_lines() { sed -En 's/^part_([a-z0-9_]+)\(\) \{ # (.*)/\1 \2/p' "$definitions"; }
all_parts() { definition_lines | awk '{ gsub(/_/, "-", $1); print $1 }'; }
needs_of() { definition_lines | awk -v part="${1//-/_}" '$1 == part { sub(/^[^ ]* /, ""); print }'; }

# What pages and results say of the parts.
table() { awk -v order="$(all_parts | tr '\n' ' ')" -f scripts/nightly/page.awk "$@"; }

list() {
    local part
    for part in $(all_parts); do
        printf '%-20s %-34s needs: %s\n' "$part" "$(last_of "$part")" "$(needs_of "$part")"
    done
}

last_of() {
    table -v tsv=1 "$old" | awk -F '\t' -v part="$1" '$1 == part { last = $2 ", " $3 " s, " $4 }
        END { print last == "" ? "not run yet" : last }'
}

# Everything that git sees, to find out what a part has changed.
tree() { { git status --porcelain && git diff HEAD; } 2>/dev/null || true; }

# Does a part; 4 where it was skipped, with `why` set.
run_part() {
    local log="$logs/$1.log" before status=0
    before="$(tree)"
    # Its children end with it: a part is a process group, of which `timeout` is the head.
    # What runs in the background ignores Ctrl-C, and so would all that it starts.
    # shellcheck disable=SC2016 # the other shell is to expand it
    setpriv --pdeathsig TERM timeout --kill-after=30 "$most_seconds" \
        env --default-signal=INT,QUIT -u LIMIT -u RESUME "$BASH" -euo pipefail \
        -c 'source scripts/lib.sh; source "$1"; "$2"' bash "$definitions" "part_${1//-/_}" \
        >"$log" 2>&1 </dev/null &
    running=$!
    wait "$running" || status=$?
    running=
    [ "$status" -ne 124 ] || echo "error: not done within $most_seconds s" >>"$log"
    if [ "$(tree)" != "$before" ]; then
        { echo "error: it has changed files of the project:"; git status --short; } >>"$log"
        status=1
    fi
    tell "$status" "$log"
}

# Says how it ended.
tell() {
    case "$1" in
        0) ;;
        3)
            say "it has some left: see $2"
            return 3
            ;;
        *)
            tail -n 20 "$2" >&2
            say "failed: all output is in $2"
            return 1
            ;;
    esac
    why="$(sed -n 's/^SKIPPED: //p' "$2" | head -n 1)"
    [ -n "$why" ] || return 0
    say "SKIPPED: $why"
    return 4
}

write_page() {
    {
        cat docs/nightly.head.md
        printf '\nThe last run was on %s, %s CPUs, Linux %s.\n\n' \
            "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | sed 's/  */ /g')" \
            "$(nproc)" "$(uname -r)"
        table "$old" "$kept.last"
    } >"$kept.page"
    mv "$kept.page" "$page"
    say "written: $page"
}

old="$page"
[ -f "$old" ] || old=/dev/null
case "${1:-}" in
    --list) list; exit ;;
    --help | -h) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
esac
mapfile -t parts < <(all_parts)
for part in "$@"; do
    [[ " ${parts[*]} " == *" $part "* ]] || fail "there is no part \`$part\`" "scripts/nightly.sh --list"
done
[ $# -gt 0 ] || set -- "${parts[@]}"
is_root || fail "parts of it need root" "run it as root"

running=
stop() {
    trap - INT TERM HUP
    # `timeout` passes it on to all of the part
    [ -z "$running" ] || { kill -TERM "$running"; wait "$running"; } 2>/dev/null || true
    exit 130
}
trap stop INT TERM HUP
mkdir -p "$logs" "${kept%.tsv}"
# The page knows how long a part takes.
table -v tsv=1 "$old" >"$kept.last"

found=0
in_pieces "$kept" run_part "$@" || found=$?
[ "$found" -eq 3 ] || write_page
exit "$found"
