#!/usr/bin/env bash
# Runs the .deb in the clean system in folder "$1". Started by check.sh in a mount namespace of its own.
# shellcheck disable=SC2317 # functions are called through `check`
set -euo pipefail

# First on the host, until the clean system is the root of this mount namespace, as in a container.
if [ $# -gt 0 ]; then
    mount --bind "$1" "$1"
    cd "$1"
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev
    for directory in run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$directory"; done
    mkdir host
    pivot_root . host
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 COLUMNS=200 /bin/bash /in-clean-root.sh
fi
umount -l /host

failed=0
# check NAME PATTERN COMMAND...: it ends well, and its output has a line that fits.
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
# A JVM of another user, whose GC log only that user may read.
start_java() {
    setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'umask 077; exec "$@"' - \
        java -Xmx128m -XX:+UseG1GC "-Xlog:gc*,safepoint:file=/run/app.log" \
        -jar /whypause-check.jar queue=2000 drop=1000 seconds=300 >/run/java.out 2>&1 &
    java=$!
    for _ in {1..150}; do
        ! grep -qs Pause /run/app.log || return 0
        sleep 0.2
    done
    cat /run/java.out
}

check "installs with dpkg alone" 'Setting up whypause' dpkg -i /whypause.deb
check "has no more than it says" '^/usr/lib/systemd/system/whypause-watch@.service$' dpkg -L whypause
check "--version" '^whypause [0-9]' whypause --version
check "explains a GC log" 'stopped' whypause explain /gc.log
check "lab list" '^mapped-file-fault' whypause lab list

start_java
wanted_ebpf=' context switches seen, nothing lost'
[ -e /sys/kernel/btf/vmlinux ] || wanted_ebpf='^no eBPF'
check "ps" "^ *$java .*whypause-check" whypause ps
check "record" "$wanted_ebpf" whypause record -p "$java" -d 5s -o /run/rec
# By its title, or among what is small.
check "explain" 'Garbage collection work|GC work' whypause explain /run/rec
check "watch" ' ms .*GC work' whypause watch -p "$java" --over 1ms -d 4s

# The service: a user that owns nothing, these capabilities, and no way to more.
only="$(sed -n 's/^CapabilityBoundingSet=//p' "/usr/lib/systemd/system/whypause-watch@.service" |
    tr '[:upper:]' '[:lower:]' | sed 's/cap_/+/g; s/ /,/g')"
as_service() {
    setpriv --reuid 61234 --regid 61234 --clear-groups --no-new-privs \
        --bounding-set "-all,$only" --inh-caps "-all,$only" --ambient-caps "-all,$only" "$@"
}
check "the service's rights: watch" ' ms .*GC work' as_service whypause watch --wait --match whypause-check --over 1ms -d 4s
check "the service's rights: record" "$wanted_ebpf" as_service whypause record --match whypause-check -d 5s -o /run/rec-service
check "the service's rights: GC log, kernel stacks" 'explained (100|9[0-9.]*) %' whypause explain /run/rec-service

# The container: the image's files and nothing else, root's name, these capabilities, no new ones.
if [ -d /image ]; then
    mkdir -p /image/proc /image/sys /image/dev/shm
    mount -t proc proc /image/proc
    mount --rbind -o ro /sys /image/sys
    mount -t tmpfs tmpfs /image/dev/shm
    # every runtime of containers provides it
    touch /image/dev/null
    mount --bind /dev/null /image/dev/null
    as_container() {
        # sys_chroot is for chroot itself, which no runtime of containers needs
        env -i PATH=/usr/bin LANG=C.UTF-8 "$(type -P setpriv)" --no-new-privs \
            --bounding-set "-all,$only,+sys_chroot" --inh-caps "-all,$only" \
            "$(type -P chroot)" /image "$@"
    }
    check "the container: --version" '^whypause [0-9]' as_container whypause --version
    check "the container: watch" ' ms .*GC work' as_container whypause watch --wait --match whypause-check --over 1ms -d 4s
    check "the container: record" "$wanted_ebpf" as_container whypause record --match whypause-check -d 5s
fi
exit "$failed"
