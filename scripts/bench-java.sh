#!/usr/bin/env bash
# The Java libraries, measured: the appenders beside those of the frameworks, and what an access to a mapping costs.
#   scripts/bench-java.sh jmh [--log-dir DIR] [--check]
#     CPU of the whole process for each line, from the first line until all are compressed and on disk, in one
#     run of about 5 minutes; prints Markdown. Logs go to DIR (default: java/benchmarks/target/logs).
#   scripts/bench-java.sh kafka [--log-dir DIR] [--kafka VERSION] [--seconds N] [--rate RECORDS] [--runs N] [--check]
#     A Kafka broker (KRaft, one node, loopback only) that logs each request, with the appenders that come with
#     Kafka and with ours, in turns; a producer measures latencies. Its application log goes to DIR, which may be
#     on a slow disk; its data do not. VERSION is 4.4.0 by default; 3.9.1 works, too.
#   scripts/bench-java.sh access [--check]
#     What an access to a mapping costs: a MappedByteBuffer, ours for one thread, ours for all threads with our
#     guard and with the JVM's (JDK 22 and newer), in about 5 minutes; prints the table of JMH.
# --check: each once and for seconds, to see that it works; the numbers are worth nothing.
# Says SKIPPED where what it is built with cannot be downloaded.
# environment: JAVA: the JVM to run with (default: java)
set -euo pipefail
cd "$(dirname "$0")/../java"

java=${JAVA:-java}
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' ../scripts/bench-java.sh; }

# Maven with arguments "$@". What it could not download is no fault of ours.
maven() {
  local said
  said=$(mvn -q -B "$@" </dev/null 2>&1) && return
  echo "$said" >&2
  grep -q -E 'Could not (transfer|find) artifact|UnknownHost|Unknown host|Connection refused' <<<"$said" || exit 1
  echo "SKIPPED: the Java appenders beside others: what they are built with could not be downloaded"
  exit 0
}
build() { maven -P bench -pl benchmarks -am -DskipTests package; }
# What was measured on, with what kind of file system "$1" are in: those of directory "$2".
machine() {
  echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, $(uname -sr)," \
    "$1 in $(df --output=fstype "$2" | tail -1)"
}

jmh() {
  local dir=benchmarks/target/logs
  local -a more=()
  while [ $# -gt 0 ]; do
    case $1 in
      --log-dir) dir=${2:?--log-dir needs a directory}; shift 2 ;;
      --check) more=(once); shift ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  build
  mkdir -p "$dir"
  machine logs "$dir"
  "$java" -cp "benchmarks/target/classes:benchmarks/target/lib/*" \
    io.github.whypause.benchmarks.Main "$(realpath "$dir")" "${more[@]}"
}

access() {
  local -a more=()
  while [ $# -gt 0 ]; do
    case $1 in
      --check) more=(-f 1 -wi 0 -i 1 -r 10ms); shift ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  build
  machine files /tmp
  "$java" -version 2>&1 | head -1
  local with='AccessBenchmark'
  [ "$("$java" -version 2>&1 | sed -n '1s/[^"]*"\([0-9]*\).*/\1/p')" -ge 22 ] ||
    with='AccessBenchmark\..*(Plain|Confined|Guarded)'
  "$java" -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main -foe true "${more[@]}" "$with" |
    sed -n '/^Benchmark /,$p'
}

# Ends what was started, by its number, whatever happens.
broker=
end_broker() {
  [ -n "$broker" ] || return 0
  kill "$broker" 2>/dev/null || true
  for _ in $(seq 300); do
    kill -0 "$broker" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$broker" 2>/dev/null || true
  wait "$broker" 2>/dev/null || true
  broker=
}

free_port() {
  local port
  for port in $(seq "$1" $(($1 + 100))); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  echo "error: no free port from $1 on" >&2
  exit 1
}

write_properties() {
  cat > "$1/server.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$3
listeners=PLAINTEXT://127.0.0.1:$2,CONTROLLER://127.0.0.1:$3
advertised.listeners=PLAINTEXT://127.0.0.1:$2
controller.listener.names=CONTROLLER
log.dirs=$1/data
num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.bytes=200000000
EOF
}

start_broker() {
  local name=$1 run=$2 logs=$3 port=$4
  "$java" -cp "$jars" -Dlog4j2.configurationFile=benchmarks/kafka/quiet.xml kafka.tools.StorageTool format \
    -t MkU3OEVBNTcwNTJENDM2Qk -c "$run/server.properties" >"$run/format.out" 2>&1
  "$java" -Xms512m -Xmx512m -cp "benchmarks/target/classes:logging/target/classes:log4j2/target/classes:$jars" \
    -Dlog4j2.configurationFile="benchmarks/kafka/$name.xml" -Dbench.logs="$logs" -Dbench.report="$run/report" \
    -Dbench.switch="$run/switch" kafka.Kafka "$run/server.properties" >"$run/broker.out" 2>&1 </dev/null &
  broker=$!
  for _ in $(seq 300); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
    kill -0 "$broker" 2>/dev/null || break
    sleep 0.2
  done
  echo "error: the broker does not answer; its output:" >&2
  tail -20 "$run/broker.out" >&2
  exit 1
}

produce() {
  "$java" -Xmx256m -cp "$jars" -Dlog4j2.configurationFile=benchmarks/kafka/quiet.xml \
    org.apache.kafka.tools.ProducerPerformance --topic bench --num-records "$2" --record-size 200 \
    --throughput "$3" "${@:4}" --producer-props "bootstrap.servers=127.0.0.1:$1" acks=1 linger.ms=0 batch.size=400
}

written() { sed -n 's/^write_bytes: //p' "/proc/$broker/io"; }

kafka_run() {
  local name=$1 logs=$2/$1 seconds=$3 rate=$4 warm_up=$5
  local run port before after line report
  local -a skip=()
  # The first seconds of the producer are compilation; only newer ones can leave them out.
  [ "${version%%.*}" -lt 4 ] || skip=(--warmup-records $((rate * warm_up)))
  run=$(realpath benchmarks/target)/kafka-run
  rm -rf "$run" "$logs"
  mkdir -p "$run" "$logs"
  port=$(free_port 19092)
  write_properties "$run" "$port" "$(free_port $((port + 1)))"
  start_broker "$name" "$run" "$logs" "$port"
  produce "$port" $((rate * warm_up)) "$rate" >"$run/warm.out" 2>&1
  before=$(written)
  touch "$run/switch"
  produce "$port" $((rate * (seconds + warm_up))) "$rate" "${skip[@]}" >"$run/producer.out" 2>"$run/producer.err"
  rm "$run/switch"
  sleep 2
  after=$(written)
  end_broker
  line=$(tail -1 "$run/producer.out")
  report=$(cat "$run/report")
  # .. N records sent, .. records/sec (..), A ms avg latency, M ms max latency, P ms 50th, ..
  awk -v name="$name" -v line="$line" -v report="$report" -v mb=$(((after - before) / 1000000)) \
    -v size="$(du -sk --apparent-size "$logs" | cut -f1)" 'BEGIN {
      n = split(line, part, ", ")
      for (i = 1; i <= n; i++) {
        split(part[i], w, " ")
        if (part[i] ~ /max latency/) max = w[1]
        if (part[i] ~ /50th/) p50 = w[1]
        if (part[i] ~ /99th/) p99 = w[1]
        if (part[i] ~ /99.9th/) p999 = w[1]
      }
      split(report, r, " ")
      printf "| %s | %s | %s | %s | %s | %d | %.1f µs | %d | %.0f ms | %.0f ms | %d | %.1f | %d |\n", name, p50, p99,
        p999, max, r[1], r[1] ? r[2] * 1000 / r[1] : 0, r[3], r[4], r[5], r[6], size / 1000, mb
    }'
}

kafka() {
  local dir=benchmarks/target/kafka-logs version=4.4.0 seconds=30 rate=2000 runs=2 warm_up=10
  while [ $# -gt 0 ]; do
    case $1 in
      --log-dir) dir=${2:?--log-dir needs a directory}; shift 2 ;;
      --kafka) version=${2:?--kafka needs a version}; shift 2 ;;
      --seconds) seconds=${2:?--seconds needs a number}; shift 2 ;;
      --rate) rate=${2:?--rate needs a number}; shift 2 ;;
      --runs) runs=${2:?--runs needs a number}; shift 2 ;;
      --check) seconds=3 runs=1 warm_up=3; shift ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  mkdir -p "$dir"
  dir=$(realpath "$dir")
  build
  local lib
  lib=$(realpath benchmarks/target)/kafka-$version
  [ -d "$lib" ] || maven -f benchmarks/kafka/pom.xml dependency:copy-dependencies \
    -Dkafka.version="$version" -DoutputDirectory="$lib"
  jars="$lib/*"
  trap end_broker EXIT
  machine logs "$dir"
  echo "Kafka $version, $rate records of 200 bytes a second for $seconds s"
  echo
  echo "| appender | latency p50 ms | p99 | p99.9 | max | events | mean time in the appender | calls of 5 ms and more" \
    "| their time | longest | lines dropped | log MB | written by the broker MB |"
  echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  local name
  for _ in $(seq "$runs"); do
    for name in own ours; do
      kafka_run "$name" "$dir" "$seconds" "$rate" "$warm_up"
    done
  done
}

case ${1:-} in
  jmh) shift; jmh "$@" ;;
  kafka) shift; kafka "$@" ;;
  access) shift; access "$@" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
