#!/usr/bin/env bash
# Whether `watch` tells each stop once: watches busy JVMs many times, with probes and with nobody's rights,
# and compares rows, closing sum, metrics and the JVM's own log of its stops. Every second watch ends by
# itself; the others are interrupted while the JVM is stopped, after its metrics were read.
#
# Needs root, a JDK and Python. WHYPAUSE=PROGRAM checks another build.
#
#   watch-rows.sh [WATCHES]      how many times, 100 where nothing is given; CHECK=1: 6
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause="${WHYPAUSE:-target/release/whypause}"
watches="${1:-100}"
[ -z "${CHECK:-}" ] || watches=6
# Side by side, each on a JVM of its own: two with probes, one without any right.
lanes=(root root nobody)

is_root || { echo "SKIPPED: $(why_not_root)" && exit 0; }
jdk_is_there || { echo "SKIPPED: there is no JDK" && exit 0; }
have python3 || { echo "SKIPPED: no python3" && exit 0; }
[ -n "${WHYPAUSE:-}" ] || scripts/build.sh

work="$(mktemp -d -p /dev/shm)"
running=()
finish() {
    # A JVM that is stopped ends by nothing else.
    kill -KILL "${running[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
# The kernel hangs up on a group with a stopped process whose parents have ended.
trap '' HUP
chmod 711 "$work"
javac -d "$work/classes" crates/testing/java/Alloc.java
cp "$whypause" "$work/whypause"
chmod -R a+rX "$work/classes" "$work/whypause"

as_user() {
    local user="$1"
    shift
    [ "$user" != root ] || exec "$@"
    exec setpriv --reuid nobody --regid nogroup --clear-groups "$@"
}

# The metrics of a watch that said where they are.
get_metrics() {
    local address
    address="$(sed -n 's|.*metrics at http://\([^/]*\)/.*|\1|p' "$1")"
    exec 9<>"/dev/tcp/${address%:*}/${address#*:}"
    printf 'GET /metrics HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$address" >&9
    cat <&9
    exec 9>&-
}

# Waits until a watch of a JVM that is stopped has told all: what diagnoses is the last to get a CPU.
settle() {
    local before=none now same=0
    for _ in $(seq 60); do
        sleep 0.5
        get_metrics "$1.said" >"$1.metrics" || true
        now="$(wc -l <"$1.rows") $(grep '^whypause_stw_limit_exceeded_total' "$1.metrics" || true)"
        same=$((same + 1))
        [ "$now" = "$before" ] || same=0
        # Short stops are counted once a second.
        [ "$same" -lt 4 ] || return 0
        before="$now"
    done
}

# One watch of a JVM: rows in `$3.rows`, what was said in `$3.said`, metrics in `$3.metrics`.
watch() {
    local user="$1" jvm="$2" out="$3" ends="$4" pid limit=()
    [ "$ends" != by-itself ] || limit=(-d 2s)
    (as_user "$user" "$work/whypause" watch -p "$jvm" "${limit[@]}" --over 1ms --stalls-over none --metrics 0 --utc) \
        >"$out.rows" 2>"$out.said" </dev/null &
    pid=$!
    if [ "$ends" != by-itself ]; then
        for _ in $(seq 300); do
            ! grep -q 'watching ' "$out.said" || break
            sleep 0.1
        done
        sleep 1.5
        kill -STOP "$jvm"
        settle "$out"
        kill -INT "$pid"
    fi
    wait "$pid" || true
    kill -CONT "$jvm"
}

lane() {
    local number="$1" user="$2" jvm at dir="$work/lane$1" wrong=0 ends
    mkdir "$dir"
    [ "$user" = root ] || chown nobody "$dir"
    (as_user "$user" java -Xmx64m -XX:+UseParallelGC "-Xlog:safepoint:file=$dir/log:utctime:filesize=0" \
        -cp "$work/classes" Alloc 2 2048) >"$dir/jvm" 2>&1 </dev/null &
    jvm=$!
    trap 'kill -KILL $jvm 2>/dev/null || true' EXIT
    sleep 3
    for at in $(seq "$number" "${#lanes[@]}" "$watches"); do
        ends=by-itself
        [ $((at / ${#lanes[@]} % 2)) -eq 0 ] || ends=interrupted
        watch "$user" "$jvm" "$dir/$at" "$ends"
        python3 scripts/check-rows.py "$user, $ends" "$dir/$at" "$dir/log" || wrong=$((wrong + 1))
        rm -f "$dir/$at".*
    done
    return "$wrong"
}

for at in "${!lanes[@]}"; do
    lane "$((at + 1))" "${lanes[at]}" >"$work/said$at" 2>&1 &
    running+=("$!")
done
wrong=0
for pid in "${running[@]}"; do
    wait "$pid" || wrong=$((wrong + $?))
done
cat "$work"/said*
echo "$watches watches, $wrong of them wrong"
[ "$wrong" -eq 0 ]
