#!/usr/bin/env bash
# Builds the program: `target/release/whypause`.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
rust_is_there
jdk_is_there || true
choose_features
# Results of the lab say which build they are of.
if commit="$(git describe --always --dirty=+ --abbrev=12 --exclude='*' 2>/dev/null)"; then
    export WHYPAUSE_COMMIT="$commit"
fi
step "building"
cargo build --locked --release -p whypause "${features[@]}"
say "built: target/release/whypause"
