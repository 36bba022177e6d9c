#!/usr/bin/env bash
# Builds the Java libraries, and tests them with each JDK that is found, with the oldest and the
# newest version of each logging framework. `scripts/java.sh publish` makes what is
# published, and looks at it.
#
# JAVA_TEST_HOMES="DIR DIR" tests with those JDKs instead.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

log="target/test-logs/java.log"

# Runs Maven with arguments "$@"; all it says is in the log.
maven() {
    timeout 3600 mvn -B -f java/pom.xml "$@" >>"$log" 2>&1 </dev/null
}

# Whether the last lines of the log say that nothing could be downloaded.
is_offline() {
    tail -n 100 "$log" | grep -q -E 'Could not (transfer|find) artifact|UnknownHost|Unknown host|Connection refused'
}

# Says what was left out, here and in the log.
skip() {
    say "SKIPPED: $1"
    echo "SKIPPED: $1" >>"$log"
}

# Adds what the reports of the last run say to the log, as cargo would put it.
add_result() {
    find java -path '*/surefire-reports/*.txt' -exec cat {} + |
        awk -F '[:,]' '/^Tests run:/ { run += $2; failed += $4 + $6; skipped += $8 }
             END { printf "test result: %s. %d passed; %d failed; %d ignored\n",
                   failed ? "FAILED" : "ok", run - failed - skipped, failed, skipped }' |
        tee -a "$log"
}

# Tests with what is in "$1", for people, and Maven's arguments "$2"….
test_with() {
    local what="$1" result=0
    shift
    find java -name surefire-reports -prune -exec rm -rf {} +
    maven "$@" || result=1
    if [ "$result" = 1 ] && is_offline; then
        skip "Java libraries with $what: what they are built and tested with could not be downloaded"
        return 0
    fi
    say "Java libraries with $what: $(add_result)"
    if [ "$result" = 1 ]; then
        say "all output is in $log"
    fi
    return "$result"
}

mkdir -p "${log%/*}"
: >"$log"
step "Java libraries"
if ! have mvn || ! jdk_is_there; then
    skip "Java libraries: no Maven, or no JDK"
    exit 0
fi
case "${1:-test}" in
    publish) exec scripts/publish-java.sh ;;
    test) ;;
    *) fail "what is \`$1\`?" "scripts/java.sh [test | publish]" ;;
esac

# The newest versions of the frameworks; the oldest are in the modules' pom.xml, which are compiled
# against them. Their classes are tested as they are.
newest=(-Dmaven.main.skip -Dlogback.version=1.6.6 -Dslf4j.version=2.0.19 -Dlog4j.version=2.26.1
    -pl "logback,log4j2" -am -Dtest="CompressedFileAppenderTest,LayoutsTest,TriggersAndLayoutsTest" -Dsurefire.failIfNoSpecifiedTests=false)
newest_spring=(-Dmaven.main.skip -Dspring.boot.version=4.1.2
    -pl spring-boot -am -Dtest=CompressedLogApplicationTest -Dsurefire.failIfNoSpecifiedTests=false)
# The first JDK that the newest Logback runs on, and Spring Boot.
newest_needs=11
spring_needs=17

result=0
goal="package"
jdks="$(find_jdks)"
while read -r version home; do
    spring=()
    [ "$version" -ge "$spring_needs" ] || spring=(-Dspring.skip)
    test_with "JDK $version" "$goal" -Dtest.java="$home/bin/java" "${spring[@]}" || result=1
    # the classes are made once, by the JDK of the build
    goal="test"
done <<<"$jdks"
while read -r version home; do
    [ "$version" -ge "$newest_needs" ] || continue
    test_with "JDK $version and the newest Logback and Log4j" test "${newest[@]}" \
        -Dtest.java="$home/bin/java" || result=1
    [ "$version" -ge "$spring_needs" ] || continue
    test_with "JDK $version and the newest Spring Boot" test "${newest_spring[@]}" \
        -Dtest.java="$home/bin/java" || result=1
done <<<"$jdks"
if [ "$result" != 0 ]; then
    # at the end, as whoever looks for it looks there
    errors="$(grep -m 60 -E '^\[ERROR\]' "$log" || echo "Maven did not say what failed")"
    tee -a "$log" <<<"$errors" >&2
fi
exit "$result"
