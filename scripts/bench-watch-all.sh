#!/usr/bin/env bash
# Measures what it takes to watch many JVMs at once: memory of the processes and of the kernel, CPU, the
# time of the programs in the kernel, what is lost, and how long a scrape takes. Prints a table. Needs
# root, control groups and a JDK, and a minute for each number. WHYPAUSE=PROGRAM measures another build.
#
#   bench-watch-all.sh [JVMS…]      numbers of JVMs to try, 1 10 50 where none is given
#   bench-watch-all.sh --check      two JVMs for a few seconds, to see that it works
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause="${WHYPAUSE:-target/release/whypause}"
seconds=30 counted_seconds=10
if [ "${1:-}" = --check ]; then
    set -- 2
    seconds=5 counted_seconds=2
fi
[ $# -gt 0 ] || set -- 1 10 50
work="$(mktemp -d -p /dev/shm)"
# Version 1 of control groups where it has the memory controller, else version 2.
if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
    group="/sys/fs/cgroup/memory/whypause-bench-$$" limit=memory.limit_in_bytes usage=memory.usage_in_bytes
else
    group="/sys/fs/cgroup/whypause-bench-$$" limit=memory.max usage=memory.current
fi
running=()
counts_programs="$(cat /proc/sys/kernel/bpf_stats_enabled)"

finish() {
    echo "$counts_programs" >/proc/sys/kernel/bpf_stats_enabled
    [ ${#running[@]} -eq 0 ] || kill -KILL "${running[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rmdir "$group"/{jvms,watch} "$group" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

is_root || fail "$(why_not_root)"
jdk_is_there || fail "there is no JDK"
[ -n "${WHYPAUSE:-}" ] || scripts/build.sh
mkdir "$group"
[ "$limit" = memory.limit_in_bytes ] || echo +memory >"$group/cgroup.subtree_control"
mkdir "$group/jvms" "$group/watch"
# So many JVMs must not take the host's memory.
echo 6G >"$group/jvms/$limit"
echo 2G >"$group/watch/$limit"
javac -d "$work" crates/testing/java/Few.java

# Starts a command in one of the groups; its output goes to a file.
start_in() {
    local of="$1" out="$2"
    shift 2
    (
        echo 0 >"$group/$of/cgroup.procs"
        exec "$@"
    ) >"$out" 2>&1 </dev/null &
    running+=("$!")
}

# Reads the metrics into `scraped`, without another process, whose start would be measured.
get_metrics() {
    exec 9<>"/dev/tcp/${1%:*}/${1#*:}"
    printf 'GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" >&9
    mapfile -t scraped <&9
    exec 9>&-
}

now_us() { echo "${EPOCHREALTIME/[.,]/}"; }
of_status() { sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$watch/status"; }
# All processes of the watch.
processes() { cat "$group/watch/cgroup.procs"; }
# CPU time of them and of those that have ended so far: a tick is 10 ms.
cpu_ms() {
    for pid in $(processes); do
        cat "/proc/$pid/stat"
    done | awk '{ sub(/.*\) /, ""); sum += 10 * ($12 + $13 + $14 + $15) } END { print sum + 0 }'
}
# Memory of all of them in KiB, what they share counted once.
pss_kib() {
    for pid in $(processes); do
        cat "/proc/$pid/smaps_rollup"
    done | awk '/^Pss:/ { sum += $2 } END { print sum }'
}
# What the kernel counts of the programs so far: nanoseconds.
programs_ns() { cat "/proc/$watch"/fdinfo/* | awk '/^run_time_ns:/ { sum += $2 } END { print sum + 0 }'; }
mib() { awk "BEGIN { printf \"%.1f\", $1 / 1048576 }"; }
sum_of() { awk -v name="$1" 'index($0, name) == 1 { sum += $NF } END { print sum + 0 }' "$work/scraped"; }

# One row.
measure() {
    local jvms="$1" n began took worst=0 cpu charged pss programs
    running=()
    for n in $(seq "$jvms"); do
        start_in jvms "$work/jvm$n" java -Xmx16m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
            -XX:CICompilerCount=1 -cp "$work" Few
    done
    sleep $((5 + jvms / 5))
    start_in watch "$work/watch" "$whypause" watch --all --match Few --over 50ms --metrics 0
    watch="${running[-1]}"
    for _ in $(seq 600); do
        [ "$(grep -c 'watching .*(pid' "$work/watch")" -ge "$jvms" ] && break
        sleep 0.2
    done
    address="$(sed -n 's|.*metrics at http://\([^/]*\)/.*|\1|p' "$work/watch")"
    cpu="$(cpu_ms)"
    began="$(now_us)"
    sleep "$seconds"
    cpu=$(($(cpu_ms) - cpu))
    cpu="$(awk "BEGIN { printf \"%.1f\", 100000 * $cpu / ($(now_us) - $began) }")"
    # Counting takes time itself, so not meanwhile.
    echo 1 >/proc/sys/kernel/bpf_stats_enabled
    programs="$(programs_ns)"
    began="$(now_us)"
    sleep "$counted_seconds"
    programs=$(($(programs_ns) - programs))
    programs="$(awk "BEGIN { printf \"%.1f\", $programs / 10 / ($(now_us) - $began) }")"
    echo "$counts_programs" >/proc/sys/kernel/bpf_stats_enabled
    for _ in $(seq 10); do
        began="${EPOCHREALTIME/[.,]/}"
        get_metrics "$address"
        took=$((${EPOCHREALTIME/[.,]/} - began))
        [ "$took" -le "$worst" ] || worst="$took"
    done
    printf '%s\n' "${scraped[@]}" >"$work/scraped"
    charged="$(cat "$group/watch/$usage")"
    pss="$(pss_kib)"
    printf '| %s | %s | %s MiB | %s MiB | %s MiB | %s %% | %s %% | %s | %s | %s ms |\n' "$jvms" \
        "$(sum_of 'whypause_watched_jvms{')" "$(mib "$(($(of_status VmHWM) * 1024))")" \
        "$(mib "$((pss * 1024))")" "$(mib "$charged")" "$cpu" "$programs" \
        "$(sum_of 'whypause_stw_pause_seconds_count{')" "$(sum_of 'whypause_recorder_dropped_events_total{')" \
        "$(awk "BEGIN { printf \"%.1f\", $worst / 1000 }")"
    kill -TERM "$watch"
    for _ in $(seq 100); do
        kill -0 "$watch" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "${running[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
}

printf 'Machine: %s, %s CPUs, Linux %s\n\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -r)"
echo '| JVMs | watched | memory of its process, at most | of all its processes | all charged to its group, with the kernel'\''s | CPU, of one core | programs in the kernel, of one core | stops | lost | longest scrape of 10 |'
echo '|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
for jvms in "$@"; do
    measure "$jvms"
done
