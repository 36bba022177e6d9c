# shellcheck shell=bash
# A cluster of Spark on loopback, which ends with the script. Source it after scripts/python/lib.sh, when the
# environment `spark` is there; `java_home` is a JDK, and `short` options for JVMs that live for a minute.

: "${root_dir:?}" "${python_dir:?}" "${log:?}"
spark_work="$(mktemp -d)"
running=()
# A worker that is ended by TERM ends what it runs for the job, too. What does not end in time is killed.
end_cluster() {
    [ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
    for _ in $(seq 100); do
        [ -n "$(jobs -rp)" ] || break
        sleep 0.1
    done
    [ ${#running[@]} -eq 0 ] || kill -KILL "${running[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    cat "$spark_work"/*.log >>"$log" 2>/dev/null || true
    rm -rf "$spark_work"
}
trap end_cluster EXIT
trap 'exit 130' INT TERM

PYSPARK_PYTHON="$root_dir/$python_dir/spark/bin/python"
SPARK_HOME="$("$PYSPARK_PYTHON" -c 'import pyspark; print(pyspark.__path__[0])')"
export PYSPARK_PYTHON SPARK_HOME JAVA_HOME="${java_home:?}" SPARK_LOCAL_IP=127.0.0.1
export SPARK_LOCAL_DIRS="$spark_work" SPARK_WORKER_DIR="$spark_work" SPARK_LOG_DIR="$spark_work" SPARK_NO_DAEMONIZE=1
if [ -n "${short:-}" ]; then
    export SPARK_DAEMON_JAVA_OPTS="$short" WHYPAUSE_EXECUTOR_OPTIONS="$short"
    export PYSPARK_SUBMIT_ARGS="--driver-java-options '$short' pyspark-shell"
fi

# Starts a part "$1" of the cluster with arguments "$2"…; it ends with this script, even where that is killed.
start_part() {
    local name="$1"
    shift
    scripts/with-parent.sh "$SPARK_HOME/bin/spark-class" "$@" >"$spark_work/$name.log" 2>&1 </dev/null &
    running+=("$!")
}

# Waits two minutes at most for a line of the log "$1".
until_says() {
    for _ in $(seq 1200); do
        grep -q "$2" "$spark_work/$1.log" && return
        sleep 0.1
    done
    fail "no \`$2\` of the cluster's $1" "its output is in $log"
}

# Starts the master; its address is in `master` then.
start_master() {
    start_part master org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
    until_says master 'Starting Spark master at'
    master="$(sed -n 's|.*Starting Spark master at \(spark://[0-9.:]*\).*|\1|p' "$spark_work/master.log" | head -n 1)"
    say "the master is $master"
}

# Starts the worker number "$1".
start_worker() {
    start_part "worker-$1" org.apache.spark.deploy.worker.Worker --cores 1 --memory 1536m --host 127.0.0.1 --port 0 \
        --webui-port 0 --work-dir "$spark_work/worker-$1" "$master"
    until_says "worker-$1" 'Successfully registered with master'
}
