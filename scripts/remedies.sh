#!/usr/bin/env bash
# Applies remedies to the faults that they are for, in the lab, and writes before and after to
# docs/remedies.md. Needs root; ten minutes. Not for a production host.
#
#   scripts/remedies.sh            all of them
#   scripts/remedies.sh NAME…      only these; the others stay as they are on the page
#   scripts/remedies.sh --check    one, for seconds, to see that it works; writes target/remedies/check.md instead
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# WHYPAUSE=PROGRAM takes another build than a new one.
whypause="${WHYPAUSE:-$PWD/target/release/whypause}"
results=target/remedies
written=docs/remedies.md
seconds=30
names=(gc-log-async gc-log-to-tmpfs gc-log-off-stdout background-io perf-shared-mem-off
    cfs-advice heap-residency g1-advice)

# The arguments of `lab hold` for a remedy: the fault, and the command that fights it.
hold() {
    local verify=(--apply --verify "${seconds}s")
    case "$1" in
        gc-log-async) say_hold gc-log-write-blocked "$whypause" fix "$1" "${verify[@]}" -- %java ;;
        gc-log-to-tmpfs)
            say_hold gc-log-write-blocked sh -c "$then_undo" "$whypause" "$1" %pid "${verify[@]}" ;;
        background-io)
            say_hold gc-log-write-blocked sh -c "$then_undo" "$whypause" "$1" %pid "${verify[@]}" ;;
        gc-log-off-stdout)
            variant=fault-slow-reader say_hold gc-log-write-blocked \
                sh -c "$then_undo" "$whypause" "$1" %pid "${verify[@]}" ;;
        perf-shared-mem-off)
            say_hold hsperfdata-write-blocked "$whypause" fix "$1" "${verify[@]}" -- \
                nsenter -t %pid -m -- %java ;;
        cfs-advice)
            say_hold cfs-throttling sh -c "$then_undo" "$whypause" "$1" %pid -d 10s "${verify[@]}" ;;
        heap-residency)
            # The JVM and the other process fill the limit of one group: nothing less than a higher
            # limit gives both of them room.
            say_hold swap-in sh -c "$then_undo" "$whypause" "$1" %pid --group-limit 3G "${verify[@]}" ;;
        g1-advice)
            # No fault of the lab: objects of 1.5 MB in a heap whose regions have 1 MiB.
            jdk_is_there || fail "no JDK with javac"
            compile_workloads "$results/classes"
            timeout 300 "$whypause" fix "$1" "${verify[@]}" -- \
                java -Xmx512m -XX:+UseG1GC "-Xlog:gc*=debug:file=$results/g1-advice.gc.log" \
                -cp "$results/classes" whypause.workloads.AllocLoad \
                size=1500000 rate=60 queue=60 drop=30 ;;
    esac
}

# What is applied is taken back while the JVM still runs. Its arguments: program, remedy, process.
# shellcheck disable=SC2016
then_undo='program=$0 remedy=$1 pid=$2; shift 2
"$program" fix "$remedy" -p "$pid" "$@" && "$program" fix --undo "$remedy" >&2'

say_hold() {
    local scenario="$1"
    shift
    timeout 600 "$whypause" lab hold "$scenario" --variant "${variant:-fault}" --on-this-host -- "$@"
}

try() {
    local name="$1"
    say "$name"
    if ! hold "$name" >"$results/$name.out" 2>"$results/$name.err" </dev/null; then
        tail -n 5 "$results/$name.err" >&2
        fail "\`$name\` could not be tried: see $results/$name.err"
    fi
}

measured_on() {
    printf 'Measured on %s, %s CPUs, Linux %s, with JDK 17 and %s s before and after.\n' \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | sed 's/  */ /g')" \
        "$(nproc)" "$(uname -r | cut -d - -f 1)" "$seconds"
}

# The comparison in what was printed: it begins with the paragraph above the two runs, or with what was
# throttled. What the JVM itself writes when it ends is none of ours.
comparison() {
    local begin
    begin="$(awk '/^throttled for / { print NR; exit }
        /^alloc_|^ready=|^Picked up|^$/ { above = 0; next }
        /^  before / { print last; exit }
        !above { above = last = NR }' "$1")"
    [ -n "$begin" ] || fail "no comparison is in $1"
    tail -n "+$begin" "$1" | sed '/^alloc_\|^ready=\|^Picked up/d; s/^\(.\)/    \1/'
}

# What was just seen of a remedy.
section() {
    local name="$1"
    printf '\n## %s\n\n' "$name"
    # What is told before the comparison, of the remedies that measure more.
    if grep -q '^in swap: ' "$results/$name.err"; then
        sed -n 's/^in swap: /    In swap: /p' "$results/$name.err"
        printf '\n'
    fi
    if grep -q '^with -' "$results/$name.err" && [ "$name" = g1-advice ]; then
        sed -n 's/^with -/    With: -/p' "$results/$name.err"
        printf '\n'
    fi
    comparison "$results/$name.out"
    if [ -e "docs/remedies.$name.md" ]; then
        printf '\n'
        cat "docs/remedies.$name.md"
    fi
}

# What the page has of a remedy.
kept_section() {
    awk -v name="$1" '
        /^## / { ours = $2 == name; if (ours) print "" }
        ours { lines = lines $0 "\n" }
        END { sub(/\n+$/, "\n", lines); printf "%s", lines }' docs/remedies.md
}

# The page, with what was seen of remedies "$@".
page() {
    local name
    cat docs/remedies.head.md
    measured_on
    for name in "${names[@]}"; do
        if [[ " $* " == *" $name "* ]]; then section "$name"; else kept_section "$name"; fi
    done
}

[ "$(id -u)" = 0 ] || fail "this needs root"
if [ "${1:-}" = --check ]; then
    set -- gc-log-async
    seconds=5
    written="$results/check.md"
elif [ $# -eq 0 ]; then
    set -- "${names[@]}"
elif [ "$(grep '^Measured on ' docs/remedies.md)" != "$(measured_on)" ]; then
    fail "the others on the page are of another machine or kernel" "scripts/remedies.sh tries all of them"
fi
for name in "$@"; do
    [[ " ${names[*]} " == *" $name "* ]] || fail "no remedy \`$name\` is tried here" "one of ${names[*]}"
done
mkdir -p "$results"
[ -n "${WHYPAUSE:-}" ] || scripts/build.sh
for name in "$@"; do
    try "$name"
done
page "$@" >"$results/page.md"
# Every remedy has its section, whether it was tried now or before.
diff <(printf '## %s\n' "${names[@]}") <(grep '^## ' "$results/page.md") >&2 ||
    fail "the page lacks a remedy: see $results/page.md"
cp "$results/page.md" "$written"
say "written: $written"
