#!/usr/bin/env bash
# Makes two pauses happen, explains them, and makes them go away. About two minutes after the build.
#
# Without root it explains a recording that was made before. Where others use this host it asks, or
# refuses; `--on-this-host`, or ON_THIS_HOST=1 for make, has it run all the same.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

whypause=target/debug/whypause
kept=target/demo
# What the program is built without; known once it is built.
features=()

tell() {
    printf '\n'
    printf '%s\n' "$@"
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

# Whoever waits for the build shall not learn only then that it is refused.
if [ $# -eq 0 ] && [ ! -t 0 ] && [ -z "$(obstacle)" ] && have pgrep && pgrep -x java >/dev/null; then
    fail "this host is in use: a JVM runs on it, and there is no terminal to ask at" \
        "make demo ON_THIS_HOST=1 runs the demo all the same: two minutes of load on all CPUs"
fi

scripts/build.sh --quick
rust_is_there
choose_features 2>/dev/null

why="$(obstacle)"
if [ -n "$why" ]; then
    tell "left out: making pauses happen here ($why)" \
        "Instead, this is what whypause says of recordings that were made in the lab:"
    show_recorded
    exit 0
fi

as_root rm -rf "$kept"
as_root env PATH="$PATH" "$whypause" lab demo --keep "$kept" "$@"
