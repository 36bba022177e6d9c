#!/usr/bin/env bash
# Whether the whole workspace, the kernel programs included, compiles for arm64; or only these crates.
#
# scripts/cross/check.sh [CRATE]...
#
# Says SKIPPED where something for it is not to be had. Nothing is run: that needs such a machine.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../lib.sh"

target=aarch64-unknown-linux-gnu
step "compiling for arm64"
if [ "$(uname -m)" = aarch64 ]; then
    say "nothing to do: this is arm64"
    exit 0
fi
scripts/setup.sh scripts/cross/packages.txt
rust_is_there
jdk_is_there || true
choose_features 2>/dev/null
left_out() {
    say "SKIPPED: compiling for arm64: $1"
    exit 0
}
has_std "$target" || left_out "no Rust library for $target"
have aarch64-linux-gnu-gcc || left_out "no aarch64-linux-gnu-gcc"
[ -e /usr/aarch64-linux-gnu/include/asm/unistd.h ] || left_out "no kernel headers for arm64"
crates=(--workspace)
[ $# -eq 0 ] || crates=("${@/#/-p}")
cargo check --quiet --locked "${crates[@]}" --target "$target" "${features[@]}"
say "it compiles"
