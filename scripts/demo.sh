#!/usr/bin/env bash
# Makes two pauses happen, explains them, and makes them go away. About two minutes after the build.
#
# Without root it explains a recording that was made before.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause=target/release/whypause
kept=target/demo

tell() {
    printf '\n'
    printf '%s\n' "$@"
}

# Runs the fault and one fix of scenario "$1", then explains both recordings.
# $2: the fix; $3: what the fault is, $4: what the fix is, for people.
show() {
    local scenario="$1" fix="$2" variant recording status=0
    tell "── $scenario ──" "The fault: $3" "The fix:   $4"
    as_root "$whypause" lab run "$scenario" --variants "fault,$fix" --duration 15s \
        --keep "$kept/$scenario" || status=$?
    # What was recorded is worth reading even if the run did not end as it should.
    [ -d "$kept/$scenario" ] || exit "$status"
    [ "$status" -eq 0 ] || verdict="$status"
    for variant in fault "$fix"; do
        # The lab names each recording after its JDK, variant and number.
        for recording in "$kept/$scenario"/*-"$variant"-*/recording; do
            [ -d "$recording" ] || continue
            tell "What whypause says of \`$variant\` (whypause explain $recording):" ""
            as_root "$whypause" explain "$recording"
        done
    done
}

# Why the live part cannot be shown; empty if it can.
obstacle() {
    if [ ${#features[@]} -gt 0 ]; then
        echo "it was built without recording"
    elif ! can_be_root; then
        why_not_root
    elif ! jdk_is_there; then
        echo "there is no JDK"
    elif [ ! -e /sys/kernel/btf/vmlinux ]; then
        echo "the kernel has no BTF (/sys/kernel/btf/vmlinux)"
    fi
}

# Explains the recordings that come with the project.
show_recorded() {
    local recording
    for recording in testdata/recordings/*/; do
        [ -d "$recording" ] || continue
        tell "── whypause explain ${recording}recording ──" ""
        "$whypause" explain "${recording}recording"
    done
}

scripts/build.sh
rust_is_there
choose_features 2>/dev/null
verdict=0

why="$(obstacle)"
if [ -n "$why" ]; then
    tell "left out: making pauses happen here ($why)" \
        "Instead, this is what whypause says of recordings that were made in the lab:"
    show_recorded
    exit 0
fi

as_root rm -rf "$kept"
mkdir -p "$kept"

tell "Two pauses that no GC setting explains, made on purpose on a slow disk in a file." \
    "Everything the lab changes on this machine is undone at its end."

show gc-log-write-blocked fixed-async \
    "the JVM writes its GC log to a disk that another process keeps busy." \
    "-Xlog:async, so that the VM thread no longer writes the log itself."

show mapped-file-fault fixed-read \
    "a Java thread reads a mapped file on a slow disk, and every stop waits for it." \
    "reading through a channel, so that the thread waits where a stop need not."

tell "The recordings are in $kept." \
    "Next: whypause ps, then whypause record -p PID -d 60s on a JVM of your own."
exit "$verdict"
