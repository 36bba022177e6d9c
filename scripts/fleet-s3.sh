#!/usr/bin/env bash
# Ships rows to an object store and asks them there: a server that speaks S3 on loopback, `aws s3 sync`, and what
# reads from it. Everything ends with the script.
#
# scripts/fleet-s3.sh [DIR]
#   DIR   what is shipped, instead of some rows of the tests
#
# The server is `moto` of PyPI. WHYPAUSE_S3=URL is another one, which has a bucket `whypause-test`; what is in it
# below `rows/` is removed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
log=target/test-logs/fleet-s3.log
# shellcheck source=scripts/python/lib.sh
source scripts/python/lib.sh
# shellcheck source=scripts/python/store.sh
source scripts/python/store.sh

mkdir -p "${log%/*}"
: >"$log"
step "an object store"
if ! has_environment s3 python/requirements-s3.txt; then
    skip "the object store: what it is made of could not be downloaded"
    exit 0
fi
bin="$root_dir/$python_dir/s3/bin"
work="$(mktemp -d)"
running=()
trap '[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null; wait 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

start_store "$work" whypause-test

from="${1:-}"
if [ -z "$from" ]; then
    from="$work/rows"
    "$bin/python" scripts/python/s3_check.py --make "$from"
fi
aws() { "$bin/aws" "$@" --endpoint-url "$store" --only-show-errors >>"$log" 2>&1; }

check "what was there is removed" aws s3 rm s3://whypause-test/rows --recursive
# The last two lines are what a host runs, each ten minutes.
check "all is shipped" aws s3 sync "$from" s3://whypause-test/rows
check "all is there, and says the same" "$bin/python" scripts/python/s3_check.py --same "$from" "$store" whypause-test/rows
check "what is there is not shipped again" [ -z "$("$bin/aws" s3 sync "$from" s3://whypause-test/rows --endpoint-url "$store" --dryrun)" ]
check "it comes back" aws s3 sync s3://whypause-test/rows "$work/back"
check "it is the same" diff -r "$from" "$work/back"

wheel="$(find target/wheels -name '*.whl' 2>/dev/null | head -n 1)"
if [ -n "$wheel" ]; then
    install_wheel s3
    for name in mixed young; do
        mkdir -p "$work/logs/host=$name"
        cp "testdata/gclogs/jdk17/g1/$name.log" "$work/logs/host=$name/gc.log"
    done
    : >"$work/logs/host=young/empty.log"
    check "logs are shipped" aws s3 sync "$work/logs" s3://whypause-test/rows/logs
    check "logs are read where they are" "$bin/python" scripts/python/s3_check.py --logs "$work/logs" "$store" whypause-test/rows/logs
else
    skip "logs in an object store: the library for Python is not built (\`make wheel\`)"
fi
verdict "the object store"
