#!/usr/bin/env bash
# Runs a command beside load, and ends the load with it.
#
# scripts/beside.sh LOAD COMMAND [ARGUMENT]...
#   loops      two loops that use a CPU each
#   compiler   cargo compiles the program, over and over, into target/beside
#   walker     a process walks through /proc and all mounts
#   jvm        a JVM collects all the time, and `whypause watch` watches it (as root)
#
# For instance: scripts/beside.sh compiler make test
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

load="${1:-}"
[ $# -ge 2 ] || fail "which load, and which command?" "scripts/beside.sh loops|compiler|walker|jvm COMMAND"
shift
loads=()
work="$(mktemp -d)"

# Starts a part of the load in a process group of its own, which ends with this script.
begin() {
    setsid scripts/with-parent.sh "$@" >>"$work/output" 2>&1 </dev/null &
    loads+=("$!")
}
# shellcheck disable=SC2317 # the trap calls it
finish() {
    local pid
    for pid in "${loads[@]}"; do kill -KILL -- "-$pid" 2>/dev/null || true; done
    wait "${loads[@]}" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

case "$load" in
    loops)
        for _ in 1 2; do begin "$BASH" -c 'while :; do :; done'; done
        ;;
    compiler)
        rust_is_there || fail "no Rust toolchain of version $(wanted_rust) or newer" "run scripts/setup.sh"
        choose_features 2>/dev/null
        begin "$BASH" -c 'while :; do rm -rf target/beside; cargo build --locked --target-dir target/beside "$@"; sleep 1; done' \
            compiler -p whypause "${features[@]}"
        ;;
    walker)
        # /proc/PID/mem and the like are neither opened nor read: names and what `ls` and `ps` look at
        # shellcheck disable=SC2016 # the other shell is to expand it
        begin "$BASH" -c 'while :; do
            find /proc -maxdepth 3 -ls >/dev/null 2>&1
            cat /proc/[0-9]*/{stat,status,cmdline,mountinfo} >/dev/null 2>&1
            cut -d " " -f 2 /proc/self/mounts | while read -r at; do timeout 5 ls -la "$at" >/dev/null 2>&1; df "$at" >/dev/null 2>&1; done
        done'
        ;;
    jvm)
        jdk_is_there || fail "no JDK" "run scripts/setup.sh"
        whypause="${WHYPAUSE:-target/debug/whypause}"
        [ -x "$whypause" ] || whypause=target/release/whypause
        [ -x "$whypause" ] || fail "no program \`$whypause\`" "cargo build"
        cp "$whypause" "$work/whypause"
        # A name of its own: tests look for their JVM by its name.
        cp crates/testing/java/Alloc.java "$work/Load.java"
        begin java -XX:+UseG1GC -Xmx128m -Xmn32m "$work/Load.java"
        for _ in {1..100}; do ! grep -q ready "$work/output" || break; sleep 0.2; done
        begin "$work/whypause" watch -p "${loads[0]}"
        ;;
    *) fail "no load is called \`$load\`" "loops, compiler, walker or jvm" ;;
esac

status=0
"$@" || status=$?
for pid in "${loads[@]}"; do
    kill -0 "$pid" 2>/dev/null || {
        say "warning: a part of the load \`$load\` has ended:"
        tail -n 5 "$work/output" >&2
    }
done
exit "$status"
