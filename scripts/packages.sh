#!/usr/bin/env bash
# Makes the packages, with all that they hold, in target/packages/: .deb, .rpm, and a container image.
#
# scripts/packages.sh            makes them, and measures the program in them
# scripts/packages.sh --check    also installs and runs them in a clean system (needs root)
# ARCH=arm64 scripts/packages.sh makes those of the other architecture
#
# The program in them is linked statically against glibc, so it runs on each Linux that the recorder
# works on, and reads logs as fast as any other build.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/packages/lib.sh
source scripts/packages/lib.sh

case "${1:-}" in
    '' | --check) ;;
    *) fail "unknown argument \`$1\`" "scripts/packages.sh [--check]" ;;
esac

scripts/setup.sh
scripts/setup.sh scripts/packages/packages.txt
rust_is_there
jdk_is_there || fail "the packages carry the lab's Java programs, and there is no JDK" "apt-get install openjdk-17-jdk-headless"
bpf_can_be_built || fail "the packages carry the recorder, and its kernel programs cannot be built here" "see scripts/packages.txt for what that needs"

choose_target "${ARCH:-}"
build_program
measure_program
stage_files
make_deb
make_rpm
scripts/packages/image.sh "$stage" "$packages/whypause-$version-$deb_arch.oci.tar" "$deb_arch" "$version"

step "packages"
find "$packages" -maxdepth 1 -type f \( -name "*$deb_arch*" -o -name "*$machine*" \) -printf '  %8s  %p\n' | sort -k2 >&2
[ "${1:-}" != --check ] || scripts/packages/check.sh
