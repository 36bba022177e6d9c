#!/usr/bin/env bash
# Starts a cluster of Spark on loopback, a master and two workers, and has it read logs and recordings through
# the library for Python: with one worker, then with two; what it says is compared with what the library says
# here. Everything ends with the script.
#
# scripts/fleet-test.sh [--check] [DIR]
#   --check   with two workers alone, on the logs of the tests
#   DIR       hosts to read, as `host=NAME/…`, instead of those of the tests
#
# Needs a JDK from 17 on. PySpark is 456 MB from PyPI; it is installed once, into target/python/spark.
# WHYPAUSE_WHEEL=FILE tries that wheel.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
log=target/test-logs/fleet.log
# shellcheck source=scripts/python/lib.sh
source scripts/python/lib.sh

check=''
data=''
while [ $# -gt 0 ]; do
    case "$1" in
        --check) check=yes ;;
        -*) fail "unknown argument \`$1\`" "scripts/fleet-test.sh [--check] [DIR]" ;;
        *) data="$1" ;;
    esac
    shift
done

mkdir -p "${log%/*}"
: >"$log"
step "a cluster of Spark"
java_home="$(find_jdks | awk '$1 >= 17 && $1 <= 21 { print $2; exit }')"
if [ -z "$java_home" ]; then
    skip "the cluster: no JDK of version 17 to 21"
    exit 0
fi
if ! has_environment spark python/requirements-spark.txt; then
    skip "the cluster: PySpark could not be downloaded, or there is no Python for it"
    exit 0
fi
find_wheel ${check:+--check}
[ -n "$wheel" ] || exit 0
install_wheel spark

# Each JVM here lives for a minute: what compiles for longer runs takes longer than it saves.
short="${check:+-XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
# shellcheck source=scripts/python/spark.sh
source scripts/python/spark.sh

# Has the cluster of "$1" workers read everything, and compares.
try() {
    WHYPAUSE_SPARK="$master" WHYPAUSE_FLEET="$data" WHYPAUSE_WORKERS="$1" \
        run_pytest "$python_dir/spark" -s python/tests/spark || true
    sed -n "s/^TIME $1 /  $1 /p" "$log" >&2
}

start_master
start_worker 1
[ -n "$check" ] || try 1
start_worker 2
try 2
verdict "the cluster"
