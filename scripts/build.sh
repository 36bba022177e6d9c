#!/usr/bin/env bash
# Builds the program: `target/release/whypause`; or the one of the tests, which works the same but more
# slowly: `target/debug/whypause`.
#
# scripts/build.sh [--quick]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

case "${1:-}" in
    '') profile=release program=target/release/whypause ;;
    --quick) profile=dev program=target/debug/whypause ;;
    *) fail "unknown argument \`$1\`" "scripts/build.sh [--quick]" ;;
esac
scripts/setup.sh
rust_is_there
jdk_is_there || true
choose_features
# Results of the lab say which build they are of. Not those of tests, for each commit would be compiled anew.
if [ "$profile" = release ] && commit="$(git describe --always --dirty=+ --abbrev=12 --exclude='*' 2>/dev/null)"; then
    export WHYPAUSE_COMMIT="$commit"
fi
step "building"
cargo build --locked --profile "$profile" -p whypause "${features[@]}"
say "built: $program"
