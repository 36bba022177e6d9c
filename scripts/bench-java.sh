#!/usr/bin/env bash
# The Java appenders beside those of the frameworks.
#   scripts/bench-java.sh jmh [--log-dir DIR]
#     CPU of the whole process for each line, from the first line until all are compressed and on disk, in one
#     run of about 5 minutes; prints Markdown. Logs go to DIR (default: java/benchmarks/target/logs).
# environment: JAVA: the JVM to run with (default: java)
set -euo pipefail
cd "$(dirname "$0")/../java"

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' ../scripts/bench-java.sh; }

jmh() {
  local dir=benchmarks/target/logs
  while [ $# -gt 0 ]; do
    case $1 in
      --log-dir) dir=${2:?--log-dir needs a directory}; shift 2 ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  mvn -q -B -P bench -pl benchmarks -am -DskipTests package </dev/null
  mkdir -p "$dir"
  echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(uname -sr), logs in $(df --output=fstype "$dir" | tail -1)"
  "${JAVA:-java}" -cp "benchmarks/target/classes:benchmarks/target/lib/*" \
    io.github.whypause.benchmarks.Main "$(realpath "$dir")"
}

case ${1:-} in
  jmh) shift; jmh "$@" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
