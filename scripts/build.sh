#!/usr/bin/env bash
# Builds the program: `target/release/whypause`.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
rust_is_there
jdk_is_there || true
choose_features
step "building"
cargo build --locked --release -p whypause "${features[@]}"
say "built: target/release/whypause"
