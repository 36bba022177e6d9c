#!/usr/bin/env bash
# Whether a stop that is under way when a recording begins is explained: keeps a thread faulting on a mapped
# file of a slow disk, records again and again, and looks at those recordings that begin in a stop. At least
# 98 % of the stopped time of each must be attributed.
#
# Needs root, a JDK and Python. WHYPAUSE=PROGRAM checks another build, SCENARIO=ID another fault, JDK=HOME
# another JVM: one without probes, such as JDK 8, has its stops counted.
#
#   begin-in-stop.sh [RECORDINGS]    how many that begin in a stop, with probes and again without any
#                                    right; 20 where nothing is given; CHECK=1: 3
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause="${WHYPAUSE:-target/release/whypause}"
wanted="${1:-20}"
[ -z "${CHECK:-}" ] || wanted=3

# One recording of the JVM; prints how much of its stopped time is attributed, where it begins in a stop.
record() {
    local jvm="$1" out="$2"
    shift 2
    rm -rf "$out"
    "$whypause" record -p "$jvm" -d 2s -o "$out" "$@" >"$out.said" 2>&1 </dev/null || {
        cat "$out.said" >&2
        return 1
    }
    "$whypause" explain "$out" --format json --all-pauses 2>/dev/null | python3 -c '
import json, sys
told = json.load(sys.stdin)
pauses = sorted(told["longest"], key=lambda it: it["start_ns"])
if pauses and pauses[0].get("cut") == "begin":
    total, rest = told["pauses"]["total_ns"], told["unattributed_ns"]
    first = pauses[0]["unattributed_ns"]
    print(f"{100 * (1 - rest / total):.2f} {total / 1e6:.0f} {rest / 1e6:.1f} {first / 1e6:.1f}")'
}

# What runs while the fault is kept going.
record_all() {
    local jvm="$1" out="$2" way="$3" share total rest first told=0 bad=0 options=()
    [ "$way" = probes ] || options=(--without-ebpf)
    for _ in $(seq $((wanted * 4))); do
        [ "$told" -lt "$wanted" ] || break
        read -r share total rest first < <(record "$jvm" "$out" "${options[@]}") || continue
        told=$((told + 1))
        echo "$way: $share % of $total ms attributed, $rest ms are not, $first ms of the first stop"
        awk "BEGIN { exit !($share < 98) }" && bad=$((bad + 1))
    done
    echo "$way: $told recordings began in a stop, $bad of them with less than 98 % attributed"
    [ "$told" -ge "$wanted" ] && [ "$bad" -eq 0 ]
}

if [ "${1:-}" = --record ]; then
    wanted="$5"
    record_all "$2" "$3" "$4"
    exit
fi

is_root || { echo "SKIPPED: $(why_not_root)" && exit 0; }
jdk_is_there || { echo "SKIPPED: there is no JDK" && exit 0; }
have python3 || { echo "SKIPPED: no python3" && exit 0; }
[ -n "${WHYPAUSE:-}" ] || scripts/build.sh
work="$(mktemp -d -p /dev/shm)"
trap 'rm -rf "$work"' EXIT
wrong=0
for way in probes samples; do
    "$whypause" lab hold "${SCENARIO:-mapped-file-fault}" --on-this-host ${JDK:+--jdk "$JDK"} -- \
        env WHYPAUSE="$whypause" "$root_dir/scripts/begin-in-stop.sh" --record %pid "$work/recording" "$way" "$wanted" ||
        wrong=1
done
exit "$wrong"
