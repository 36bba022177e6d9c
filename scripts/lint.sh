#!/usr/bin/env bash
# Checks the format, the lints and the scripts, as far as the tools for it are there.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

rust_is_there || fail "no Rust toolchain of version $(wanted_rust) or newer" "run scripts/setup.sh"
choose_features 2>/dev/null # who calls this has been told

# The version that CI uses. Another one may know lints that this code was never shown.
pinned="$(sed -n 's/^channel *= *"\(.*\)"/\1/p' rust-toolchain.toml)"

step "format"
if cargo fmt --version >/dev/null 2>&1; then
    cargo fmt --all --check
else
    say "left out: the format (no rustfmt)"
fi

step "lints"
if ! cargo clippy --version >/dev/null 2>&1; then
    say "left out: the lints (no clippy)"
elif [ "$(rust_version)" = "$pinned" ]; then
    cargo clippy --locked --workspace --all-targets "${features[@]}" -- -D warnings
else
    say "this is Rust $(rust_version) and not $pinned: warnings are shown and do not count"
    cargo clippy --locked --workspace --all-targets "${features[@]}"
fi

step "scripts"
if have shellcheck; then
    shellcheck -x scripts/*.sh scripts/*/*.sh scripts/kernels/guest/{first,init,run,*.sh} .ci/run
else
    say "left out: the scripts (no shellcheck)"
fi
