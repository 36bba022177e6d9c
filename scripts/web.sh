#!/usr/bin/env bash
# Rebuilds the page's front end and compares it with what is committed, then opens pages of real
# recordings and logs in Chromium, from disk and without a network.
#
# WEB_SCREENSHOTS=DIR keeps a picture of each page there, light and dark, 1280 and 390 pixels wide, for people
# to look at. `scripts/web.sh --pictures [DIR]` makes those of the README anew, in docs/images
# or another directory, and does nothing else.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

log="target/test-logs/web.log"
screenshots=()
[ -z "${WEB_SCREENSHOTS:-}" ] || screenshots=(--screenshots "$WEB_SCREENSHOTS")
program="${WHYPAUSE:-target/debug/whypause}"
# What the front end may weigh, gzipped, in bytes.
most_bytes=$((120 * 1024))

# Says what was left out, here and in the log.
skip() {
    say "SKIPPED: $1"
    echo "SKIPPED: $1" >>"$log"
}

# Counts a check that is not the browser's own: name "$1", and whether it is good.
passed=0
failed=0
check() {
    local name="$1"
    shift
    if "$@" >>"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok    $name" >>"$log"
    else
        failed=$((failed + 1))
        say "FAIL  $name"
    fi
}

# Whether node is at least of version "$1"."$2".
node_is() {
    node -e 'const [a, b] = process.versions.node.split(".").map(Number);
        process.exit(a > +process.argv[1] || (a === +process.argv[1] && b >= +process.argv[2]) ? 0 : 1)' "$1" "$2"
}

same_as_committed() {
    cmp "$1/page.js" web/dist/page.js && cmp "$1/page.css" web/dist/page.css
}

is_small() {
    local bytes
    bytes="$(cat web/dist/page.js web/dist/page.css | gzip -9 | wc -c)"
    echo "the front end has $bytes bytes gzipped"
    [ "$bytes" -le "$most_bytes" ]
}

# Builds the front end anew, beside the one that is committed: were that one written, all that it is a part of
# would be compiled once more.
rebuild() {
    local built="$root_dir/target/page"
    check "types" npm --prefix web run -s check
    if npm --prefix web run -s build -- --outDir "$built" --emptyOutDir >>"$log" 2>&1; then
        check "the front end that is committed is the one that its sources make" same_as_committed "$built"
    else
        failed=$((failed + 1))
        say "FAIL  the front end cannot be built; all output is in $log"
    fi
}

# The pictures of the documentation: of a real recording, as its page begins.
documentation() {
    local page
    [ -d web/node_modules ] || timeout 300 npm --prefix web ci --no-progress >>"$log" 2>&1 </dev/null
    page="$(mktemp --suffix .html)"
    "$program" explain testdata/recordings/gc-log-write-blocked/recording --format html >"$page"
    timeout 120 node web/test/page.mjs "$page" --picture "$1" </dev/null
    rm -f "$page"
}

# One page of each recording and of logs of every kind, and pages whose names are markup.
make_pages() {
    local pages="$1" recording log_file name
    for recording in testdata/recordings/*/recording; do
        name="$(basename "$(dirname "$recording")")"
        "$program" explain "$recording" --format html >"$pages/$name.html"
    done
    for log_file in testdata/stories/a14-every-two-hours/gc.log testdata/stories/a22-pause-without-gc/gc.log \
        testdata/stories/espresso-eden-shrunk/gc.log testdata/gclogs/jdk8/cms/failure.log \
        testdata/gclogs/jdk17/parallel/usual.log testdata/gclogs/jdk17/g1/mixed.log \
        testdata/gclogs/jdk25/zgc/usual.log testdata/gclogs/jdk25/shenandoah/usual.log; do
        name="log-$(echo "${log_file#testdata/}" | tr '/' '-')"
        "$program" explain "$log_file" --format html >"$pages/$name.html"
    done
}

# Two recordings, two logs, two logs of which one knows its collections alone, and a run beside itself.
compared_pages() {
    local pages="$1" recordings=testdata/recordings logs=testdata/gclogs
    "$program" compare $recordings/{gc-log-write-blocked,mapped-file-fault}/recording --format html >"$pages/compare-recordings.html"
    "$program" compare $logs/jdk17/g1/{mixed,young}.log --format html >"$pages/compare-logs.html"
    "$program" compare $logs/jdk17/g1/{full,young}.log --format html >"$pages/compare-collections.html"
    "$program" compare $logs/jdk25/zgc/usual.log $logs/jdk25/zgc/usual.log --format html >"$pages/compare-same.html"
}

# Many hosts, and one.
fleet_pages() {
    local pages="$1"
    "$program" fleet testdata/gclogs testdata/recordings/*/recording --format html >"$pages/fleet.html"
    "$program" fleet testdata/stories/a14-every-two-hours/gc.log --format html >"$pages/fleet-one.html"
}

# Names that are markup, script and very long: of a log, and in every text of a page; and threads that stand.
hostile_pages() {
    local pages="$1" made="$1/made" long
    mkdir "$made"
    long="$(printf 'x%.0s' {1..10000})"
    for name in '<img src=x onerror=alert(1)>' '</script><script>alert(1)</script>' "$long"; do
        printf '[9.%03ds][info][safepoint] Safepoint "%s", Time since last: 5 ns, Reaching safepoint: 300000000 ns, At safepoint: 200000 ns, Total: 300200000 ns\n' \
            "${#name}" "$name"
    done >"$made/log.txt"
    "$program" explain "$made/log.txt" --format html >"$pages/hostile-log.html"
    "$program" compare "$made/log.txt" "$made/log.txt" --format html >"$pages/hostile-compare.html"
    mkdir "$made/<img src=x onerror=alert(1)>"
    cp "$made/log.txt" "$made/<img src=x onerror=alert(1)>/gc.log"
    "$program" fleet "$made/<img src=x onerror=alert(1)>" --format html >"$pages/hostile-fleet.html"
    # The thread, file and group names of a recording: the page is put together as the program does it.
    if have python3; then
        "$program" explain testdata/recordings/gc-log-write-blocked/recording \
            --format json --all-pauses >"$made/explained.json"
        python3 web/sample/make.py "$made/explained.json" "$made/hostile-names.json" --opened --stalls --hostile
        python3 web/sample/make.py "$made/explained.json" "$made/stalls.json" --opened --stalls
        python3 web/sample/make.py "$made/explained.json" "$made/stalls-alone.json" --empty --stalls
        node web/dev.mjs "$made"/{hostile-names,stalls,stalls-alone}.json --to "$pages"
    fi
    rm -rf "$made"
}

# Traces for Perfetto, read back with its own classes.
traces() {
    local venv=target/venv result=0
    if ! have python3 || ! { [ -x "$venv/bin/python" ] || python3 -m venv "$venv" >>"$log" 2>&1; } ||
        ! timeout 300 "$venv/bin/pip" install -q perfetto protobuf >>"$log" 2>&1 </dev/null; then
        skip "traces for Perfetto: its classes for Python could not be installed"
        return
    fi
    timeout 300 "$venv/bin/python" scripts/check-perfetto.py "$program" testdata/recordings/*/recording \
        testdata/stories/a14-every-two-hours/gc.log testdata/gclogs/jdk25/zgc/usual.log >>"$log" 2>&1 || result=1
    check "traces for Perfetto say what the JSON says" [ "$result" = 0 ]
}

mkdir -p "${log%/*}"
: >"$log"
[ -x "$program" ] || fail "no program \`$program\`" "cargo build"
if [ "${1:-}" = --pictures ]; then
    documentation "${2:-docs/images}"
    exit
fi
step "the page, and traces for Perfetto"
traces
if ! have node || ! have npm; then
    skip "the page's front end: no node, or no npm"
    exit 0
fi
if ! timeout 300 npm --prefix web ci --no-progress >>"$log" 2>&1 </dev/null; then
    skip "the page's front end: what it is built and tested with could not be downloaded"
    exit 0
fi
check "at most 120 KB gzipped" is_small
if node_is 20 19; then
    rebuild
else
    skip "the page's front end is not rebuilt: node is older than 20.19"
fi
check "numbers, clocks, store and pictures" npm --prefix web test -s

pages="$(mktemp -d)"
trap 'rm -rf "$pages"' EXIT
make_pages "$pages"
check "pages of two runs" compared_pages "$pages"
check "pages of many hosts" fleet_pages "$pages"
check "pages with hostile names" hostile_pages "$pages"
opened="$log.pages"
result=0
# Those of pages that are there no more would be taken for new ones.
[ -z "${WEB_SCREENSHOTS:-}" ] || rm -f "$WEB_SCREENSHOTS"/*-{light,dark}-{1280,390}.png
timeout 3600 node web/test/page.mjs "$pages" "${screenshots[@]}" >"$opened" 2>&1 </dev/null || result=1
if [ "$result" = 0 ] && ! grep -q '^SKIPPED: ' "$opened"; then
    timeout 1800 node web/test/live.mjs "$pages/gc-log-write-blocked.html" \
        >>"$opened" 2>&1 </dev/null || result=1
fi
cat "$opened" >>"$log"
grep '^SKIPPED: ' "$opened" || true
grep '^FAIL' "$opened" >&2 || true
grep ' screenshots in ' "$opened" >&2 || true
good="$(grep -c '^ok ' "$opened" || true)"
bad="$(grep -c '^FAIL' "$opened" || true)"
if [ "$result" = 1 ] && [ "$bad" = 0 ]; then
    bad=1
    tail -n 20 "$opened" >&2
fi
rm -f "$opened"
passed=$((passed + good))
failed=$((failed + bad))
verdict=ok
[ "$failed" = 0 ] || verdict=FAILED
say "the page: $(echo "test result: $verdict. $passed passed; $failed failed; 0 ignored" | tee -a "$log")"
[ "$failed" = 0 ]
