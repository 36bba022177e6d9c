#!/usr/bin/env bash
# Builds the library for Python into target/wheels, and tries it: its types, its tests beside the libraries that
# take its tables, and in an environment that has nothing else, with each Python from 3.10 on that is found.
#
# scripts/wheel.sh [--check] [--build | --fleet]
#   --check   the wheel of the tests, which works the same but more slowly, and is compiled faster
#   --build   builds it and tries nothing
#   --fleet   tries a cluster and an object store with it, too, and what docs/fleet.md says
#             (scripts/fleet-test.sh, scripts/fleet-s3.sh, scripts/fleet-page.sh)
# WHEEL_ZIG=1 links against the C library of old systems (manylinux2014), with the compiler of PyPI's `ziglang`.
# PYTHON_TEST_HOMES="DIR DIR" tries those Pythons, too. WHYPAUSE=PROGRAM is the program to compare with.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
log=target/test-logs/wheel.log
# shellcheck source=scripts/python/lib.sh
source scripts/python/lib.sh

profile=release
try=yes
fleet=''
check=()
for argument in "$@"; do
    case "$argument" in
        --check) profile=dev check=(--check) ;;
        --fleet) fleet=yes ;;
        --build) try='' ;;
        *) fail "unknown argument \`$argument\`" "scripts/wheel.sh [--check] [--build | --fleet]" ;;
    esac
done

# The type checker on the sources, and on what the module in Rust really has.
types() {
    (cd python && "../$python_dir/dev/bin/mypy") &&
        "$python_dir/dev/bin/python" -m mypy.stubtest --mypy-config-file python/pyproject.toml whypause._native
}

# The wheel alone in a new environment: with Python "$1", which is the program "$2".
alone() {
    local venv="$python_dir/alone-$1" nanoarrow
    nanoarrow="$(grep '^nanoarrow==' python/requirements-dev.txt)"
    rm -rf "$venv"
    "$2" -m venv "$venv" &&
        timeout 600 "$venv/bin/pip" install -q --disable-pip-version-check "$wheel" "$nanoarrow" &&
        "$venv/bin/python" python/tests/alone.py testdata
}

mkdir -p "${log%/*}"
: >"$log"
rust_is_there || fail "no Rust toolchain of version $(wanted_rust) or newer" "run scripts/setup.sh"
step "the library for Python"
if [ -z "$(main_python)" ]; then
    skip "the library for Python: no Python from 3.11 to 3.13 with its module \`venv\`"
    exit 0
fi
if ! has_environment dev python/requirements-dev.txt; then
    skip "the library for Python: what it is built and tested with could not be downloaded"
    exit 0
fi
old=()
if [ -n "${WHEEL_ZIG:-}" ]; then
    "$python_dir/dev/bin/pip" install -q --disable-pip-version-check 'ziglang==0.17.0' >>"$log" 2>&1 </dev/null
    PATH="$root_dir/$python_dir/dev/bin:$PATH"
    old=(--zig --compatibility manylinux2014)
fi
build_wheel "$profile" "${old[@]}" || { tail -n 30 "$log" >&2; fail "the wheel cannot be built" "all output is in $log"; }
say "built: $wheel ($(($(stat -c %s "$wheel") / 1024)) KiB)"
[ -n "$try" ] || exit 0

install_wheel dev
check "types" types
run_pytest "$python_dir/dev" python/tests --ignore python/tests/spark --ignore python/tests/clickhouse || true
while read -r version program; do
    check "alone, with Python $version" alone "$version" "$program"
done < <(find_pythons)
result=0
verdict "the library for Python" || result=1
if [ -n "$fleet" ]; then
    scripts/fleet-test.sh "${check[@]}" || result=1
    scripts/fleet-s3.sh || result=1
    scripts/fleet-page.sh || result=1
fi
[ "$result" = 0 ]
