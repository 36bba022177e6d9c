#!/usr/bin/env bash
# Runs the installed .deb in the clean system "$1". Started by check.sh in a mount namespace of its own.
set -euo pipefail

root="$1"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
for directory in run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$directory"; done
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$root" "$@"; }

failed=0
# check NAME PATTERN COMMAND...: the output of the command has a line that fits.
check() {
    local name="$1" pattern="$2" output status=0
    shift 2
    output="$("$@" 2>&1)" || status=$?
    if [ "$status" -eq 0 ] && grep -qE -- "$pattern" <<<"$output"; then
        printf '  ok    %s\n' "$name"
    else
        printf '  FAIL  %s (exit code %s, wanted: %s)\n%s\n' "$name" "$status" "$pattern" "$output" | head -n 25
        failed=1
    fi
}

java=
trap '[ -z "$java" ] || kill -KILL "$java"' EXIT
# Starts a JVM as nobody, with a GC log that others may not read.
start_java() {
    setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH=/usr/bin \
        chroot --skip-chdir "$root" true 2>/dev/null || true
    in_root setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'umask 077; exec "$@"' - \
        java -Xmx128m -XX:+UseG1GC "-Xlog:gc*,safepoint:file=/tmp/app.log" \
        -cp /classes whypause.workloads.AllocLoad "$@" >"$root/run/java.out" 2>&1 &
    java=$!
    for _ in {1..100}; do
        [ ! -s "$root/tmp/app.log" ] || ! grep -q Pause "$root/tmp/app.log" || return 0
        sleep 0.2
    done
    cat "$root/run/java.out"
}

check "installs with nothing but dpkg" 'Setting up whypause' in_root dpkg -i /whypause.deb
check "--version" '^whypause [0-9]' in_root whypause --version
check "man pages" 'whypause-record.1.gz' in_root dpkg -L whypause
check "explains a GC log" 'stopped' in_root whypause explain /gc.log
start_java 300
check "ps" "^ *$java .*AllocLoad" in_root whypause ps
check "record" 'context switches seen, nothing lost' in_root whypause record -p "$java" -d 5s -o /run/rec
check "explain" '(100|9[0-9.]*) %.*explained|GC work' in_root whypause explain /run/rec
check "watch" ' ms .*GC work' in_root whypause watch -p "$java" --over 1ms -d 4s
check "lab list" '^mapped-file-fault' in_root whypause lab list
# As the service runs it: a user without files of its own, these capabilities, and no new ones.
only=+bpf,+perfmon,+sys_ptrace,+dac_read_search,+syslog
as_service() {
    in_root setpriv --reuid 61234 --regid 61234 --clear-groups --no-new-privs \
        --bounding-set "-all,$only" --inh-caps "-all,$only" --ambient-caps "-all,$only" "$@"
}
check "watch with the service's capabilities alone" ' ms .*GC work$' \
    as_service whypause watch --match AllocLoad --over 1ms -d 4s
check "the same with eBPF" '(context switches seen|ebpf|eBPF|watched for)' \
    as_service whypause watch --match AllocLoad --over 1ms -d 2s
exit "$failed"
