#!/usr/bin/env bash
# Runs the .deb in the clean system "$1". Started by check.sh in a mount namespace of its own.
# shellcheck disable=SC2317 # functions are called through `check`
set -euo pipefail

root="$1"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
for directory in run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$directory"; done
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$root" "$@"; }

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
    env -i PATH=/usr/bin:/usr/sbin chroot "$root" \
        setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'umask 077; exec "$@"' - \
        java -Xmx128m -XX:+UseG1GC "-Xlog:gc*,safepoint:file=/tmp/app.log" \
        -jar /whypause-check.jar seconds=300 >"$root/run/java.out" 2>&1 &
    java=$!
    for _ in {1..150}; do
        ! grep -qs Pause "$root/tmp/app.log" || return 0
        sleep 0.2
    done
    cat "$root/run/java.out"
}

check "installs with dpkg alone" 'Setting up whypause' in_root dpkg -i /whypause.deb
check "has no more than it says" '^/usr/lib/systemd/system/whypause-watch@.service$' in_root dpkg -L whypause
check "--version" '^whypause [0-9]' in_root whypause --version
check "explains a GC log" 'stopped' in_root whypause explain /gc.log
check "lab list" '^mapped-file-fault' in_root whypause lab list

start_java
wanted_ebpf=' context switches seen, nothing lost'
[ -e /sys/kernel/btf/vmlinux ] || wanted_ebpf='^no ebpf'
check "ps" "^ *$java .*whypause-check" in_root whypause ps
check "record" "$wanted_ebpf" in_root whypause record -p "$java" -d 5s -o /run/rec
check "explain" 'GC work' in_root whypause explain /run/rec
check "watch" ' ms .*GC work' in_root whypause watch -p "$java" --over 1ms -d 4s

# The service: a user that owns nothing, these capabilities, and no way to more.
only="$(sed -n 's/^CapabilityBoundingSet=//p' "$root/usr/lib/systemd/system/whypause-watch@.service" |
    tr '[:upper:]' '[:lower:]' | sed 's/cap_/+/g; s/ /,/g')"
as_service() {
    in_root setpriv --reuid 61234 --regid 61234 --clear-groups --no-new-privs \
        --bounding-set "-all,$only" --inh-caps "-all,$only" --ambient-caps "-all,$only" "$@"
}
check "the service's rights: watch" ' ms .*GC work' as_service whypause watch --wait --match whypause-check --over 1ms -d 4s
check "the service's rights: record" "$wanted_ebpf" as_service whypause record --match whypause-check -d 5s -o /tmp/rec-service
check "the service's rights: GC log, kernel stacks" '(100|9[0-9.]*) % explained' in_root whypause explain /tmp/rec-service

# The container: the image's files and nothing else, root's name, these capabilities, no new ones.
if [ -d "$root/image" ]; then
    mkdir -p "$root/image/proc" "$root/image/sys" "$root/image/dev/shm"
    mount -t proc proc "$root/image/proc"
    mount --rbind -o ro /sys "$root/image/sys"
    mount -t tmpfs tmpfs "$root/image/dev/shm"
    as_container() {
        # sys_chroot is for chroot itself, which no runtime of containers needs
        env -i PATH=/usr/bin LANG=C.UTF-8 "$(type -P setpriv)" --no-new-privs \
            --bounding-set "-all,$only,+sys_chroot" --inh-caps "-all,$only" \
            "$(type -P chroot)" "$root/image" "$@"
    }
    check "the container: --version" '^whypause [0-9]' as_container whypause --version
    check "the container: watch" ' ms .*GC work' as_container whypause watch --wait --match whypause-check --over 1ms -d 4s
    check "the container: record" "$wanted_ebpf" as_container whypause record --match whypause-check -d 5s
fi
exit "$failed"
