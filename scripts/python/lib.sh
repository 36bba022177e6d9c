# shellcheck shell=bash
# What the scripts about the library for Python share. Source it after scripts/lib.sh.

# What the script that sources this calls its log.
: "${log:=target/test-logs/python.log}"
# Everything that is installed for it is below this.
python_dir=target/python
# The oldest Python that a wheel is for, and the versions that are looked for.
python_versions='3.10 3.11 3.12 3.13 3.14 3.15'

# Says what was left out, here and in the log.
skip() {
    say "SKIPPED: $1"
    echo "SKIPPED: $1" >>"$log"
}

# Pythons that can make an environment, one for each version: "3.11 /usr/bin/python3.11";
# PYTHON_TEST_HOMES="DIR DIR" has others first, each with a bin/python3.
find_pythons() {
    local version program home
    {
        for home in ${PYTHON_TEST_HOMES:-}; do echo "$home/bin/python3"; done
        for version in $python_versions; do command -v "python$version" || true; done
        command -v python3 || true
        ls -d "${PYENV_ROOT:-${HOME:-/root}/.pyenv}"/versions/3.*/bin/python3 2>/dev/null || true
    } | {
        while read -r program; do
            version="$("$program" -c 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2])' 2>/dev/null </dev/null)" || continue
            [[ " $python_versions " != *" $version "* ]] || echo "$version $program"
        done
    } | sort -s -u -k1,1V
}

# The Python that everything but the wheel's own trials is run with: what its libraries are made for.
main_python() { find_pythons | sed -n 's/^3\.\(1[1-3]\) //p' | head -n 1; }

# Whether the environment target/python/"$1" has what the list "$2" names, after installing it.
# What was installed for the same list is kept.
has_environment() {
    local venv="$python_dir/$1" list="$2" python sum
    python="$(main_python)"
    [ -n "$python" ] || return 1
    sum="$(cat "$list" - <<<"$python" | sha256sum)"
    [ "$(cat "$venv/list.sum" 2>/dev/null)" != "$sum" ] || return 0
    step "installing what $list names into $venv"
    rm -rf "$venv"
    { "$python" -m venv "$venv" &&
        timeout 1800 "$venv/bin/pip" install -q --disable-pip-version-check -r "$list"; } >>"$log" 2>&1 </dev/null &&
        echo "$sum" >"$venv/list.sum"
}

# Builds the wheel with the profile "$1" of cargo, into target/wheels; its path is in `wheel` then.
# Needs the environment `dev`.
build_wheel() {
    rm -rf target/wheels
    "$python_dir/dev/bin/maturin" build --locked --profile "$1" --manifest-path python/Cargo.toml \
        --interpreter "$python_dir/dev/bin/python" --out target/wheels "${@:2}" >>"$log" 2>&1 </dev/null || return 1
    wheel="$(find target/wheels -name '*.whl')"
}

# Sets `wheel` to that of WHYPAUSE_WHEEL or the one that is built, or builds one with arguments "$@" of
# scripts/wheel.sh; it is empty where it cannot be built here.
find_wheel() {
    wheel="${WHYPAUSE_WHEEL:-$(find target/wheels -name '*.whl' 2>/dev/null | head -n 1)}"
    if [ -z "$wheel" ]; then
        scripts/wheel.sh --build "$@"
        wheel="$(find target/wheels -name '*.whl' 2>/dev/null | head -n 1)"
    fi
}

# Installs the wheel alone into the environment "$1".
install_wheel() {
    "$python_dir/$1/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$wheel" >>"$log" 2>&1 </dev/null
}

# Runs pytest of the environment "$1" with arguments "$2"…, and says its verdict as cargo would put it.
run_pytest() {
    local result=0 passed failed skipped venv="$1" output="$log.pytest"
    shift
    timeout 1800 "$venv/bin/python" -m pytest -p no:cacheprovider -rs "$@" >"$output" 2>&1 </dev/null || result=$?
    cat "$output" >>"$log"
    sed -n 's/^SKIPPED \[[0-9]*\] [^ ]* /SKIPPED: /p' "$output" | tee -a "$log"
    sed -n 's/^FAILED /FAIL  /p; s/^ERROR /FAIL  /p' "$output" >&2
    count() { sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" <<<" $(tail -n 1 "$output")"; }
    passed="$(count passed)" failed="$(count failed)" skipped="$(count skipped)"
    [ "$result" -le 1 ] || failed=$((${failed:-0} + 1))
    rm -f "$output"
    tests_passed=$((${tests_passed:-0} + ${passed:-0}))
    tests_failed=$((${tests_failed:-0} + ${failed:-0}))
    tests_skipped=$((${tests_skipped:-0} + ${skipped:-0}))
    [ "$result" = 0 ]
}

# Counts a check that is not pytest's: its name "$1", and the command.
check() {
    local name="$1"
    shift
    if "$@" >>"$log" 2>&1 </dev/null; then
        tests_passed=$((${tests_passed:-0} + 1))
        echo "ok    $name" >>"$log"
    else
        tests_failed=$((${tests_failed:-0} + 1))
        say "FAIL  $name"
    fi
}

# Says the sum of all verdicts, and fails where one is bad.
verdict() {
    local verdict=ok
    [ "${tests_failed:-0}" = 0 ] || verdict=FAILED
    say "$1: $(echo "test result: $verdict. ${tests_passed:-0} passed; ${tests_failed:-0} failed; 0 ignored" | tee -a "$log")"
    [ "${tests_failed:-0}" = 0 ] || { say "all output is in $log"; return 1; }
}
