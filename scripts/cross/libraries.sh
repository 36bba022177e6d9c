#!/usr/bin/env bash
# Gets Debian's libelf and zlib of another architecture into target/, and prints where.
#
# scripts/cross/libraries.sh ARCHITECTURE
# Nothing of the system changes: apt keeps its lists for this in target/ as well.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../lib.sh"

architecture="$1"
here="$PWD/target/cross/$architecture"
if [ ! -e "$here/complete" ]; then
    have apt-get || fail "libelf and zlib for $architecture come from Debian, and there is no apt-get"
    rm -rf "$here"
    mkdir -p "$here/apt/lists/partial" "$here/apt/cache/archives/partial" "$here/debs"
    touch "$here/apt/status"
    apt() {
        apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
            -o Dir::State::Lists="$here/apt/lists" -o Dir::State::status="$here/apt/status" \
            -o Dir::Cache="$here/apt/cache" -o APT::Sandbox::User= "$@" >&2
    }
    apt update
    (cd "$here/debs" && apt download libelf-dev zlib1g-dev)
    for package in "$here"/debs/*.deb; do dpkg-deb -x "$package" "$here"; done
    rm -rf "$here/apt" "$here/debs"
    touch "$here/complete"
fi
printf '%s\n' "$here"
