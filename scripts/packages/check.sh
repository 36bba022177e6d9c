#!/usr/bin/env bash
# Installs the .deb in a clean, minimal Debian with a Java runtime and nothing of Rust or clang, and
# runs it there; runs the container image with the capabilities that docs/start names, and no others.
#
# Not part of `make test`: it needs packages, which take minutes to build, and a system from the
# archive. Needs root.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../lib.sh"

packages=target/packages
deb="$(find "$packages" -maxdepth 1 -name "whypause_*_$(dpkg --print-architecture).deb" | sort | tail -n 1)"
[ -n "$deb" ] || fail "no .deb in $packages" "scripts/packages.sh"
can_be_root || fail "a clean system needs root, and $(why_not_root)"
have mmdebstrap || fail "no mmdebstrap" "apt-get install mmdebstrap"

# A minimal system of this Debian's release with a JRE, made once. No `apt`, no `man`, no systemd.
make_base() {
    [ ! -e "$packages/clean-root.tar" ] || return 0
    step "a clean system (once; a minute or two)"
    local release
    release="$(. /etc/os-release && echo "$VERSION_CODENAME")"
    as_root mmdebstrap --quiet --variant=minbase --include=openjdk-17-jre-headless,e2fsprogs,mount \
        "$release" "$packages/clean-root.tar.part"
    as_root mv "$packages/clean-root.tar.part" "$packages/clean-root.tar"
}

make_base
root="$(mktemp -d "$packages/clean.XXXXXX")"
trap 'as_root rm -rf "$root"' EXIT
step "a clean system with $(basename "$deb")"
as_root tar -C "$root" -xf "$packages/clean-root.tar"
as_root cp "$deb" "$root/whypause.deb"
as_root install -D -m 644 testdata/gclogs/jdk17/g1.log "$root/gc.log" 2>/dev/null ||
    as_root install -D -m 644 "$(find testdata/gclogs -name '*.log' | sort | head -n 1)" "$root/gc.log"
as_root cp -r java/workloads/src/main/java "$root/java"
as_root cp scripts/packages/in-clean-root.sh "$root/in-clean-root.sh"
classes="$(mktemp -d "$packages/classes.XXXXXX")"
trap 'as_root rm -rf "$root" "$classes"' EXIT
jdk_is_there && javac -nowarn -d "$classes" java/workloads/src/main/java/whypause/workloads/*.java 2>/dev/null
as_root cp -r "$classes" "$root/classes"
as_root chmod -R a+rX "$root/classes"
# Mounts and processes go away with the namespace. Its pids are those of the host, which the
# kernel programs count in.
as_root unshare --mount --propagation private bash "$root/in-clean-root.sh" "$root"
