#!/usr/bin/env bash
# The checks of `scripts/test-systemd.sh`, in the guest: a first part, a reboot, a second part.
#
# On the second serial line, for the host: `NAME<tab>ok|failed<tab>what was seen`.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
whypause=/usr/bin/whypause
here=/var/lib/checks
# Where the JVMs of this user have their counters.
counters="${TMPDIR:-/tmp}/hsperfdata_orders"
mkdir -p "$here"
# Where a step fails that all others need.
trap 'poweroff -f' EXIT

tells() { printf '%s\n' "$1" >/dev/ttyS1; }

# `check NAME WHAT COMMAND...`: whether the command succeeds.
check() {
    local name="$1" what="$2"
    shift 2
    if "$@" >"$here/last" 2>&1; then
        tells "$name"$'\t'"ok"$'\t'"$what"
    else
        tells "$name"$'\t'"failed"$'\t'"$what: $(tail -n 3 "$here/last" | tr '\n\t' '  ')"
    fi
}

main_pid() { systemctl show -p MainPID --value orders.service; }
starts_with() { tr '\0' '\n' <"/proc/$(main_pid)/environ" | grep -q -- "$1"; }
not() { ! "$@"; }

# `waits COMMAND...`: until it succeeds, for a minute.
waits() {
    local deadline=$((SECONDS + 60))
    until "$@"; do
        [ $SECONDS -lt $deadline ] || return 1
        sleep 0.2
    done
}

is_ready() { grep -q ready /var/log/orders/out; }

set_up() {
    cp /checks/whypause "$whypause"
    cp /checks/*.service /etc/systemd/system/
    useradd -r orders
    mkdir -p /var/log/orders /srv/java
    cp -r /checks/java/. /srv/java/
    chown orders /var/log/orders
    # A disk of its own for the log, and one that somebody fills.
    mkfs.ext4 -q /dev/vdc
    mount /dev/vdc /mnt
    mkdir /mnt/log
    chown orders /mnt/log
    cat >/etc/systemd/system/orders.service <<UNIT
[Service]
User=orders
Environment=JAVA_TOOL_OPTIONS=-Dname=value
ExecStart=/usr/bin/java -Xmx64m -Xlog:gc*:file=/mnt/log/gc.log:tn:filecount=0 -cp /srv/java Alloc
StandardOutput=file:/var/log/orders/out
UNIT
    cat >/etc/systemd/system/backup.service <<UNIT
[Service]
ExecStart=/bin/sh -c 'while :; do dd if=/dev/zero of=/mnt/backup bs=1M count=64 conv=fsync 2>/dev/null; done'
UNIT
    systemctl daemon-reload
    systemctl start orders.service
    waits is_ready
}

# Bytes that were written to the disk in five seconds.
written() {
    local before
    before="$(awk '{ print $7 }' /sys/block/vdc/stat)"
    sleep 5
    echo "$((($(awk '{ print $7 }' /sys/block/vdc/stat) - before) * 512))"
}

# A limit of a unit is seen in what reaches the disk.
limited() {
    local bytes
    bytes="$(written)"
    echo "$bytes bytes in 5 s" | tee "$here/bytes"
    [ "$bytes" -lt $((5 * 3 * 1048576)) ]
}

unlimited() { not limited; }

# A JVM of another user in a group that is called as the group of a service, as a container can make one, with
# options in its own environment.
guest_of() {
    local group=/sys/fs/cgroup/payload/system.slice/orders.service
    mkdir -p "$group" /srv/guest
    useradd -r guest
    chown guest /srv/guest
    JAVA_TOOL_OPTIONS=-Devil=1 setpriv --reuid guest --regid guest --clear-groups \
        java -Xmx64m -Xlog:gc*:file=/srv/guest/gc.log:tn:filecount=0 -cp /srv/java Alloc >/srv/guest/out 2>&1 &
    guest=$!
    echo "$guest" >"$group/cgroup.procs"
    # It only has to be there, and not to take the CPU from what is measured.
    renice -n 19 -p "$guest"
    waits grep -q ready /srv/guest/out
}

# Nothing of the service is changed for the sake of a process that only looks like it.
unchanged_by_guest() {
    "$whypause" fix gc-log-async -p "$guest" --apply >"$here/refused" 2>&1 && return 1
    cat "$here/refused"
    grep -q 'no unit of systemd starts this one' "$here/refused"
    not ls /etc/systemd/system/orders.service.d
}

memory_low() { cat /sys/fs/cgroup/system.slice/orders.service/memory.low; }

is_protected() { [ "$(memory_low)" -gt 0 ]; }

# The heap of one that only looks like it is protected in its own group, if at all.
unprotected_by_guest() {
    "$whypause" fix heap-residency -p "$guest" --apply || true
    local low
    low="$(memory_low)"
    "$whypause" fix --undo heap-residency
    [ "$low" = 0 ]
}

# A file system for the counters is not mounted where their owner has put a link.
mounts_no_link() {
    mv "$counters" "$counters.aside"
    ln -s /srv/java "$counters"
    local started=0
    systemctl start tmp-hsperfdata_orders.mount && started=1
    rm "$counters"
    mv "$counters.aside" "$counters"
    [ -f /etc/systemd/system/tmp-hsperfdata_orders.mount ] && [ "$started" = 0 ] && not findmnt /srv/java
}

# `says SERVICE WHAT`: within a minute; what it says where that is something else.
says() {
    waits in_journal "$@" && return
    journalctl -o cat -u "$1" | grep -v '^whypause-.*[.]service: ' | tail -n 3
    return 1
}

in_journal() { journalctl -u "$1" | grep -F -- "$2"; }

# It is the service's user that keeps; root lists it.
keeps_on_reload() {
    systemctl reload whypause-watch@Alloc
    if ! waits sh -c 'ls /var/lib/whypause-watch/Alloc/kept/Alloc/*_asked_*/coverage-0000.parquet' 2>/dev/null; then
        # What it said beside its rows of pauses.
        journalctl -o cat -u whypause-watch@Alloc | grep -v '^20' | tail -n 4 | tr '\n' ' '
        find /var/lib/whypause-watch/Alloc/ | tail -n 5 | tr '\n' ' '
        return 1
    fi
    "$whypause" explain /var/lib/whypause-watch/Alloc/kept | grep 'on request'
}

# It has the seat of the one that tunes, and was not started again.
tunes() {
    systemctl start whypause-thp-tuner@Alloc
    if ! waits has_seat; then
        journalctl -o cat -u whypause-thp-tuner@Alloc | grep error: | tail -n 3
        return 1
    fi
    systemctl show -p NRestarts whypause-thp-tuner@Alloc | grep -x NRestarts=0
}

has_seat() {
    local seat=/run/whypause/fix/thp-tuner.lock
    [ -e "$seat" ] && not flock -n "$seat" true
}

first_part() {
    set_up
    check guest-starts "a JVM runs in a group that is called as a service's" guest_of
    check guest-is-no-service "a group that is called as a service's makes nobody that service" unchanged_by_guest
    check guest-memory "nor is that service's memory protected for it" unprotected_by_guest
    check memory-low-applied "memory of the service is protected (memory.low)" \
        "$whypause" fix heap-residency -p "$(main_pid)" --apply
    check memory-low-works "the kernel has it" is_protected
    check memory-low-undone "it is undone" "$whypause" fix --undo heap-residency
    check memory-low-after "the kernel has none" grep -qx 0 /sys/fs/cgroup/system.slice/orders.service/memory.low
    check start-flag-applied "a drop-in with -Xlog:async" \
        "$whypause" fix gc-log-async -p "$(main_pid)" --apply
    check start-flag-verified "systemd reads the unit with it" systemd-analyze verify orders.service
    systemctl restart orders.service
    waits is_ready
    check start-flag-works "the restarted JVM has it, and what the unit gave before" \
        starts_with 'JAVA_TOOL_OPTIONS=-Dname=value -Xlog:async'

    systemctl start backup.service
    sleep 3
    check limit-before "the backup is not limited" unlimited
    check limit-applied "IOWriteBandwidthMax of backup.service" \
        "$whypause" fix background-io -p "$(main_pid)" --unit backup.service --limit 1M --apply
    check limit-works "what reaches the disk: at most 3 MiB/s, once what was queued is written" waits limited
    tells "limit-bytes"$'\t'"ok"$'\t'"$(cat "$here/bytes")"
    check limit-undone "the limit is gone" "$whypause" fix --undo background-io
    check limit-after "the backup is not limited any more" waits unlimited
    check limit-found "the unit is found by who writes most" \
        "$whypause" fix background-io -p "$(main_pid)" --limit 1M
    systemctl stop backup.service

    check hsperfdata-applied "a mount unit for the next boot" \
        "$whypause" fix hsperfdata-to-tmpfs -p "$(main_pid)" --apply
    check hsperfdata-not-yet "the running JVM keeps its file" not findmnt "$counters"
    check hsperfdata-link "nothing is mounted through a link" mounts_no_link
    check log-moved "the log of the JVM is in memory" \
        "$whypause" fix gc-log-to-tmpfs -p "$(main_pid)" --apply

    # The keeper as a service.
    echo line >/dev/shm/kept.log
    local unit
    unit="$(systemd-escape --path --template=whypause-gc-log-keeper@.service /dev/shm/kept.log)"
    systemctl start "$unit"
    echo another >>/dev/shm/kept.log
    check keeper-service "the copy ends with the last line" \
        waits sh -c 'zstdcat /var/log/whypause/kept.log.zst | tail -n 1 | grep -q another'
    check keeper-hardened "it runs hardened" systemctl is-active "$unit"
    tells "keeper-exposure"$'\t'"ok"$'\t'"$(systemd-analyze security --no-pager "$unit" | tail -n 1)"
    check keeper-stops "it ends when it is asked to" systemctl stop "$unit"
    systemctl start whypause-watch@Alloc
    check watch-waits "two JVMs have the name, and the service says so" says whypause-watch@Alloc 'matches 2 JVMs'
    systemctl stop whypause-watch@Alloc
    echo 'WATCH_OPTIONS=--service orders.service' >/etc/default/whypause-watch@Alloc
    systemctl start whypause-watch@Alloc
    check watch-service "the watching service watches the one of its service" \
        says whypause-watch@Alloc "(pid $(main_pid))"
    check watch-active "and runs" systemctl is-active whypause-watch@Alloc
    check watch-keeps "a reload keeps the last seconds, in a directory of the service alone" keeps_on_reload
    systemctl stop whypause-watch@Alloc
    systemctl start whypause-thp-tuner@Alloc
    check tuner-refuses "nobody else's JVM decides over the host's huge pages" says whypause-thp-tuner@Alloc 'matches 2 JVMs'
    systemctl stop whypause-thp-tuner@Alloc
    echo 'TUNER_OPTIONS=--service orders.service' >/etc/default/whypause-thp-tuner@Alloc
    check tuner-service "the tuner finds the one of its service, though it opens no connection" tunes
    systemctl stop whypause-thp-tuner@Alloc
    kill "$guest" || true
    sync
    touch "$here/rebooted"
    trap - EXIT
    systemctl reboot
}

second_part() {
    mount /dev/vdc /mnt
    check hsperfdata-mounted "tmpfs is there before the JVM starts" \
        sh -c "findmnt -n -o FSTYPE $counters | grep -q tmpfs"
    systemctl start orders.service
    waits is_ready
    check hsperfdata-used "the JVM keeps its counters there" \
        waits sh -c "[ -e $counters/$(main_pid) ]"
    check start-flag-stays "the flag outlives the boot" starts_with Xlog:async
    "$whypause" fix --undo --print >"$here/print" 2>&1 || true
    check boot-forgets "what the boot undid is not kept: the moved log" not grep -q jcmd "$here/print"
    check boot-keeps "what outlives it is" grep -q 50-whypause-gc-log-async.conf "$here/print"
    check busy-told "a file system that is in use stays, and that is said" \
        sh -c "$whypause fix --undo hsperfdata-to-tmpfs 2>&1 | grep 'it may be in use; undo again'"
    systemctl stop orders.service
    check all-undone "everything is undone after the boot" "$whypause" fix --undo
    check no-drop-in "no drop-in is left" not ls /etc/systemd/system/orders.service.d
    check no-mount-unit "no mount unit is left" not ls /etc/systemd/system/tmp-hsperfdata_orders.mount
    check no-mount "no mount is left" not findmnt "$counters"
    systemctl start orders.service
    waits is_ready
    check as-before "the JVM starts as it did before" not starts_with Xlog:async
    tells "end"
    poweroff -f
}

if [ -e "$here/rebooted" ]; then second_part; else first_part; fi
