#!/usr/bin/env bash
# Kills the lab, `cargo test` or `make test` at random moments, and looks at what is left. As root.
#
# scripts/kill-trials.sh lab|tests|make [COUNT]
#
# Each trial prints one line: SIGKILL to that one process, and 10 s later nobody may hold a descriptor
# of who started it, no process of it may run or be stuck, and no mount, loop device, swap space or
# control group may be there that was not there before. Nobody else may run the lab or tests meanwhile.
# Finished trials are kept in target/kill-trials/results.txt; run it again for more of them.
# WHYPAUSE_TRIAL_SECONDS=n: a trial is killed within n seconds, instead of what is usual for its kind.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

what="${1:-}"
count="${2:-10}"
is_root || fail "trials are made as root" "run it as root"
rust_is_there || fail "no Rust toolchain of version $(wanted_rust) or newer" "run scripts/setup.sh"
jdk_is_there || fail "no JDK" "run scripts/setup.sh"
choose_features 2>/dev/null

dir="$root_dir/target/kill-trials"
mkdir -p "$dir"
results="$dir/results.txt"
# How long may pass from the kill on.
patience=10

case "$what" in
    lab)
        cargo build --quiet --locked "${features[@]}" --package whypause
        command=(target/debug/whypause lab run gc-log-write-blocked --variants fault -d 120s --on-this-host)
        longest=60
        ;;
    tests)
        command=(cargo test --locked --no-fail-fast "${features[@]}" -p spawn -p lab -p recorder -p whypause)
        "${command[@]}" --no-run --quiet
        longest=240
        ;;
    make)
        cargo test --quiet --locked --workspace "${features[@]}" --no-run
        command=(make test)
        longest=300
        ;;
    *) fail "what is to be killed is missing" "scripts/kill-trials.sh lab|tests|make [COUNT]" ;;
esac
longest="${WHYPAUSE_TRIAL_SECONDS:-$longest}"

# What there is on this host that outlives a process, a line each.
things() {
    losetup -l -n -O NAME,BACK-FILE 2>/dev/null | sed 's/^/loop device /'
    awk '{ print "mount on " $2 " of " $3 }' /proc/mounts
    sed '1d; s/^/swap space /' /proc/swaps
    grep -H . /sys/block/loop*/queue/{nr_requests,max_sectors_kb,stable_writes} 2>/dev/null | sed 's/^/setting /'
    find /sys/fs/cgroup -type d \( -name 'whypause-lab*' -o -name 'whypause-test*' \) 2>/dev/null |
        sed 's/^/group /'
}

# The processes that were started by the trial with mark "$1", with their states.
processes() {
    local environ pid found status=0
    # What ends meanwhile has no files any more; one that is stuck holds whoever reads them.
    found="$(timeout 5 grep -lsF "WHYPAUSE_TRIAL=$1" /proc/[0-9]*/environ 2>/dev/null)" || status=$?
    [ "$status" -ne 124 ] || echo "a process that does not let itself be read"
    for environ in $found; do
        pid="${environ#/proc/}"
        pid="${pid%/environ}"
        awk -v pid="$pid" '{ name = $0; sub(/^[^(]*/, "", name); sub(/\).*/, ")", name)
            rest = $0; sub(/.*\) /, "", rest); split(rest, field, " ")
            if (field[1] != "Z") print "process " pid " " name " in state " field[1] }' \
            < <(timeout 5 cat "/proc/$pid/stat" 2>/dev/null) || true
    done
}

now_ms() { date +%s%3N; }

# One trial with mark "$1". Prints its verdict; fails where something is left, or it ended by itself (2).
trial() {
    local mark="$1" pipe="$dir/pipe.$1" before="$dir/before" after_ms reader killed ms
    local ended="" gone="" left
    things | sort >"$before"
    rm -f "$pipe"
    mkfifo "$pipe"
    cat "$pipe" >"$dir/output" &
    reader=$!
    # One more descriptor than a program knows of, as a caller may have by accident.
    env "WHYPAUSE_TRIAL=$mark" WHYPAUSE_NO_INSTALL=1 "${command[@]}" \
        >"$pipe" 2>&1 9>"$pipe" </dev/null &
    killed=$!
    after_ms=$((RANDOM * RANDOM % (longest * 1000)))
    sleep "$((after_ms / 1000)).$(printf '%03d' $((after_ms % 1000)))"
    if ! kill -KILL "$killed" 2>/dev/null; then
        wait "$killed" || true
        wait "$reader" || true
        rm -f "$pipe"
        echo "$what: it ended by itself within $after_ms ms: $(tail -n 1 "$dir/output")"
        return 2
    fi
    ms="$(now_ms)"
    while [ $(($(now_ms) - ms)) -lt $((patience * 1000)) ]; do
        if [ -z "$ended" ] && ! kill -0 "$reader" 2>/dev/null; then
            ended=$(($(now_ms) - ms))
        fi
        left="$(processes "$mark"; things | sort | comm -13 "$before" -)"
        if [ -z "$left" ]; then gone=$(($(now_ms) - ms)); fi
        if [ -n "$gone" ] && [ -n "$ended" ]; then break; fi
        sleep 0.1
    done
    wait "$killed" 2>/dev/null || true
    rm -f "$pipe"
    if [ -n "$gone" ] && [ -n "$ended" ]; then
        echo "$what: killed after $after_ms ms: ok, end of file after $ended ms, nothing left after $gone ms"
        return 0
    fi
    [ -n "$ended" ] || kill "$reader" 2>/dev/null || true
    echo "$what: killed after $after_ms ms: FAILED, end of file after ${ended:-more than $((patience * 1000))} ms, left: ${left//$'\n'/; }"
    return 1
}

failed=0
for ((n = 1; n <= count; n++)); do
    for _ in 1 2 3; do
        status=0
        line="$(trial "$$-$n-$RANDOM")" || status=$?
        [ "$status" -eq 2 ] || break
        say "$line"
    done
    [ "$status" -eq 0 ] || failed=$((failed + 1))
    echo "$line" | tee -a "$results"
done
[ "$failed" -eq 0 ] || fail "$failed of $count trials left something behind" "all trials are in $results"
