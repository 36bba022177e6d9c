#!/usr/bin/env bash
# Runs a program that ends when whoever started it does, even where that one is killed.
#
# scripts/with-parent.sh PROGRAM [ARGUMENT]...
#
# Cargo starts test programs through it (.cargo/config.toml).
set -euo pipefail
if setpriv --pdeathsig KILL true 2>/dev/null; then
    exec setpriv --pdeathsig KILL "$@"
fi
exec "$@"
