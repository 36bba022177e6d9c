#!/usr/bin/env bash
# Checks the format, the lints and the scripts, as far as the tools for it are there; or one of these.
#
# scripts/lint.sh [format | lints | scripts]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

rust_is_there || fail "no Rust toolchain of version $(wanted_rust) or newer" "run scripts/setup.sh"
choose_features 2>/dev/null # who calls this has been told

# The version that CI uses. Another one may know lints that this code was never shown.
pinned="$(sed -n 's/^channel *= *"\(.*\)"/\1/p' rust-toolchain.toml)"

check_format() {
    if cargo fmt --version >/dev/null 2>&1; then
        cargo fmt --all --check
    else
        say "SKIPPED: the format: no rustfmt"
    fi
}

check_lints() {
    if ! cargo clippy --version >/dev/null 2>&1; then
        say "SKIPPED: the lints: no clippy"
    elif [ "$(rust_version)" = "$pinned" ]; then
        cargo clippy --locked --workspace --all-targets "${features[@]}" -- -D warnings
    else
        say "this is Rust $(rust_version) and not $pinned: warnings are shown and do not count"
        cargo clippy --locked --workspace --all-targets "${features[@]}"
    fi
}

check_scripts() {
    if have shellcheck; then
        shellcheck -x scripts/*.sh scripts/*/*.sh scripts/kernels/guest/{first,init,run,*.sh} .ci/run
    else
        say "SKIPPED: the scripts: no shellcheck"
    fi
}

case "${1:-all}" in
    format) check_format ;;
    lints) check_lints ;;
    scripts) check_scripts ;;
    all)
        for part in format lints scripts; do
            step "$part"
            "check_$part"
        done
        ;;
    *) fail "what is \`$1\`?" "scripts/lint.sh [format | lints | scripts]" ;;
esac
