#!/usr/bin/env bash
# Runs a command in a container, made of what util-linux has: a root on overlayfs (lower: this
# host's root, upper: DIRECTORY/upper), and mount, pid, cgroup, ipc and uts namespaces of its own.
#
#   container.sh DIRECTORY COMMAND [ARGUMENT...]
#
# DIRECTORY is new or empty; DIRECTORY/volume is mounted at /volume in the container.
# Environment:
#   GROUPS_TO_JOIN   directories of control groups, separated by blanks, that it is put into first:
#                    the cgroup namespace begins there
#   AS_UID           run as root of a user namespace, which is this user outside
#   HOST_PID         not empty: no pid namespace of its own, as with `docker run --pid=host`
#   CAPABILITIES     as `bpf,perfmon,sys_ptrace,syslog`: it has these and no others
# Needs root. Everything is gone when the command has ended, but for DIRECTORY.
set -euo pipefail

if [ -z "${CONTAINER_STAGE:-}" ]; then
    for group in ${GROUPS_TO_JOIN:-}; do
        echo $$ > "$group/cgroup.procs"
    done
    mkdir -p "$1/upper" "$1/work" "$1/root" "$1/tmp-upper" "$1/tmp-work" "$1/empty" "$1/volume"
    chmod 755 "$1" "$1/upper"
    chmod 1777 "$1/tmp-upper" "$1/volume"
    export CONTAINER_STAGE=mounts
    exec unshare --mount --cgroup --ipc --uts --propagation private bash "$0" "$@"
fi

directory=$1
shift
root=$directory/root
mount -t overlay -o "lowerdir=/,upperdir=$directory/upper,workdir=$directory/work" overlay "$root"
mount -t overlay -o "lowerdir=$directory/empty,upperdir=$directory/tmp-upper,workdir=$directory/tmp-work" overlay "$root/tmp"
mkdir -p "$root/volume" "$root/.old"
mount --bind "$directory/volume" "$root/volume"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount --bind /proc "$root/proc"
hostname container
cd "$root"
pivot_root . .old
umount -l /.old
cd /
unset CONTAINER_STAGE GROUPS_TO_JOIN

# Below, the command itself is the last word of each line.
if [ -n "${AS_UID:-}" ]; then
    # A user namespace has to own the others for its root to mount `proc`.
    # `keep`: it still ends with whoever started this script, if that was asked for.
    exec setpriv --reuid "$AS_UID" --regid "$AS_UID" --clear-groups --pdeathsig keep \
        unshare --user --map-root-user --mount --pid --cgroup --ipc --uts --fork --kill-child --mount-proc "$@"
fi
if [ -n "${CAPABILITIES:-}" ]; then
    set -- setpriv --inh-caps=-all --ambient-caps=-all --bounding-set="-all,+${CAPABILITIES//,/,+}" "$@"
fi
if [ -n "${HOST_PID:-}" ]; then
    exec "$@"
fi
exec unshare --mount --pid --fork --kill-child --mount-proc "$@"
