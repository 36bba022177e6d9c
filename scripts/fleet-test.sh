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

python="$root_dir/$python_dir/spark/bin/python"
work="$(mktemp -d)"
running=()
# A worker that is ended by TERM ends what it runs for the job, too. What does not end in time is killed.
clean_up() {
    [ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
    for _ in $(seq 100); do
        [ -n "$(jobs -rp)" ] || break
        sleep 0.1
    done
    [ ${#running[@]} -eq 0 ] || kill -KILL "${running[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    cat "$work"/*.log >>"$log" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

export JAVA_HOME="$java_home" SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$work" SPARK_WORKER_DIR="$work"
export PYSPARK_PYTHON="$python" SPARK_LOG_DIR="$work" SPARK_NO_DAEMONIZE=1
SPARK_HOME="$("$python" -c 'import pyspark; print(pyspark.__path__[0])')"
export SPARK_HOME
# Each JVM here lives for a minute: what compiles for longer runs takes longer than it saves.
short='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
if [ -n "$check" ]; then
    export SPARK_DAEMON_JAVA_OPTS="$short" WHYPAUSE_EXECUTOR_OPTIONS="$short"
    export PYSPARK_SUBMIT_ARGS="--driver-java-options '$short' pyspark-shell"
fi

# Starts a part "$1" of the cluster with arguments "$2"…; it ends with this script, even where that is killed.
start() {
    local name="$1"
    shift
    scripts/with-parent.sh "$SPARK_HOME/bin/spark-class" "$@" >"$work/$name.log" 2>&1 </dev/null &
    running+=("$!")
}

# Waits two minutes at most for a line of the log "$1".
until_says() {
    for _ in $(seq 1200); do
        grep -q "$2" "$work/$1.log" && return
        sleep 0.1
    done
    fail "no \`$2\` of the cluster's $1" "its output is in $log"
}

worker() {
    start "worker-$1" org.apache.spark.deploy.worker.Worker --cores 1 --memory 1536m --host 127.0.0.1 --port 0 \
        --webui-port 0 --work-dir "$work/worker-$1" "$master"
    until_says "worker-$1" 'Successfully registered with master'
}

# Has the cluster of "$1" workers read everything, and compares.
try() {
    WHYPAUSE_SPARK="$master" WHYPAUSE_FLEET="$data" WHYPAUSE_WORKERS="$1" \
        run_pytest "$python_dir/spark" -s python/tests/spark || true
    sed -n "s/^TIME $1 /  $1 /p" "$log" >&2
}

start master org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
until_says master 'Starting Spark master at'
master="$(sed -n 's|.*Starting Spark master at \(spark://[0-9.:]*\).*|\1|p' "$work/master.log" | head -n 1)"
say "the master is $master"
worker 1
[ -n "$check" ] || try 1
worker 2
try 2
verdict "the cluster"
