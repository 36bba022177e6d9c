#!/usr/bin/env bash
# Installs the .deb in a clean, minimal Debian with a Java runtime and nothing of Rust or clang, and
# runs it there: as root, as the service does, and as the container does.
#
# Not part of `make test`: it needs packages, which take minutes to build, and a system from the
# archive. Needs root.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../lib.sh"

packages=target/packages
architecture="$(dpkg --print-architecture)"
newest() { find "$packages" -maxdepth 1 -name "$1" | sort -V | tail -n 1; }
deb="$(newest "whypause_*_$architecture.deb")"
[ -n "$deb" ] || fail "no .deb in $packages" "scripts/packages.sh"
can_be_root || fail "a clean system needs root, and $(why_not_root)"
have mmdebstrap || fail "no mmdebstrap" "apt-get install mmdebstrap"
jdk_is_there || fail "the JVM that is recorded needs its classes, and there is no JDK" "apt-get install openjdk-17-jdk-headless"

# A minimal system of this Debian's release with a JRE, made once: no apt, no man, no systemd.
make_base() {
    [ ! -e "$packages/clean-root.tar" ] || return 0
    step "a clean system (once; a minute or two)"
    local release
    release="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
    as_root mmdebstrap --quiet --format=tar --variant=minbase \
        --include=openjdk-17-jre-headless,e2fsprogs,mount "$release" "$packages/clean-root.tar.part"
    as_root mv "$packages/clean-root.tar.part" "$packages/clean-root.tar"
}

make_base
root="$(mktemp -d "$packages/clean.XXXXXX")"
classes="$(mktemp -d)"
trap 'as_root rm -rf "$root" "$classes"' EXIT
step "$(basename "$deb") in a clean system"
as_root tar -C "$root" -xf "$packages/clean-root.tar"
as_root cp "$deb" "$root/whypause.deb"
as_root cp testdata/gclogs/jdk21/parallel/usual.log "$root/gc.log"
as_root cp scripts/packages/in-clean-root.sh "$root/"
compile_workloads "$classes"
as_root "$(command -v jar)" --create --file "$root/whypause-check.jar" \
    --main-class whypause.workloads.AllocLoad -C "$classes" .
image="$(newest "whypause-*-$architecture.oci.tar")"
if [ -n "$image" ] && have umoci; then
    as_root mkdir "$root/oci"
    as_root tar -C "$root/oci" -xf "$image"
    tag="$(sed -n 's/.*ref.name":"\([^"]*\)".*/\1/p' "$root/oci/index.json")"
    as_root umoci --log=error raw unpack --image "$root/oci:$tag" "$root/image"
fi
# Mounts go away with the namespace. Its pids are those of the host, which the kernel programs
# count in.
as_root unshare --mount --propagation private bash "$root/in-clean-root.sh" "$root"
