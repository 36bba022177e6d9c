#!/usr/bin/env bash
# Closes shared mappings of whypause-unmap while other threads read and write them, beside load, on
# each JDK that is found and in each mode of compilation; prints a table in Markdown.
#   scripts/stress-unmap.sh [--closes N] [--arena]
# --arena: not with our guard but with the JVM's own shared arena, which may crash JDK 22 to 26:
#   to see whether the test finds what it looks for. A crash is no failure then.
# environment: JAVA_TEST_HOMES="DIR DIR" for those JDKs; CHECK=1 for a few closes of each; SEED;
#   BUSY=N for so many busy loops beside it (two for each CPU without it).
# It ends with 1 if a JVM crashed or read a wrong byte.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

closes=20000
how="ours"
[ -z "${CHECK:-}" ] || closes=100
while [ $# -gt 0 ]; do
    case "$1" in
        --closes) closes="${2:?--closes needs a number}"; shift 2 ;;
        --arena) how="arena"; shift ;;
        *) fail "what is \`$1\`?" "scripts/stress-unmap.sh [--closes N] [--arena]" ;;
    esac
done
if ! jdk_is_there; then
    say "SKIPPED: closing mappings beside load: no JDK"
    exit 0
fi

work="$(mktemp -d)"
loads=()
finish() {
    [ "${#loads[@]}" = 0 ] || kill "${loads[@]}" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

mkdir "$work/classes" "$work/files"
find java/unmap/src/main/java java/unmap/src/test/java -name '*.java' \
    \( -path '*/main/*' -o -name 'Stress*.java' \) -print0 |
    xargs -0 javac --release 8 -nowarn -Xlint:-options -encoding UTF-8 -d "$work/classes"
for ((i = 0; i < ${BUSY:-$(($(nproc) * 2))}; i++)); do
    # shellcheck disable=SC2016 # the other shell is to expand it
    "$BASH" -c 'while kill -0 "$0" 2>/dev/null; do for ((i = 0; i < 1000000; i++)); do :; done; done' $$ &
    loads+=("$!")
done

# The second one stops in the compiler at each call, where a thread cannot be told to throw.
modes=(
    "as it is:"
    "C1, with calls of the compiler:-XX:TieredStopAtLevel=3 -XX:Tier3InvokeNotifyFreqLog=0 -XX:Tier23InlineeNotifyFreqLog=0"
    "C1 alone:-XX:TieredStopAtLevel=1"
    "C2 alone:-XX:-TieredCompilation"
    "interpreter:-Xint"
)

# One JVM: home "$1", mode "$2", flags "$3". Prints a row.
row() {
    local out version result=0 right="right"
    version="$("$1/bin/java" -version 2>&1 | sed -n 's/.*version "\(.*\)".*/\1/p')"
    # shellcheck disable=SC2086 # several flags
    out="$(cd "$work/files" && timeout 3600 "$1/bin/java" -Xmx64m -XX:+UseSerialGC -XX:ThreadPriorityPolicy=1 $3 \
        -XX:ErrorFile="$work/hs_err" -cp "$work/classes" io.github.whypause.unmap.Stress \
        . "$how" "$closes" "${SEED:-1}" 4 2>&1 </dev/null)" || result=$?
    [ "$result" = 0 ] || right="**exit status $result: $(grep -m 1 -o -E 'SIG[A-Z]+|read [0-9a-f-]+ of the file.*' <<<"$out" || echo "see below")**"
    echo "| $version | $2 | $(grep -o '^[0-9]* closes' <<<"$out" | head -n 1 || true) |" \
        "$(grep -o '[0-9]* accesses' <<<"$out" | head -n 1 || true) | $right |"
    [ "$result" = 0 ] || { [ "$how" = arena ] || tail -n 30 <<<"$out" >&2; }
    return "$result"
}

echo "| JDK | compiled by | closes | accesses | |"
echo "|---|---|---|---|---|"
failed=0
while read -r feature home; do
    [ "$how" = ours ] || [ "$feature" -ge 22 ] || continue
    for mode in "${modes[@]}"; do
        row "$home" "${mode%%:*}" "${mode#*:}" || failed=1
    done
done < <(find_jdks)
[ "$how" = arena ] || exit "$failed"
