# shellcheck shell=bash
# shellcheck disable=SC2317 # parts are called by their names
# The parts of `make nightly`, in the order in which they run: what takes seconds first.
#
# A part is a function `part_NAME`; what it needs beyond root and a build is behind its brace. It runs in
# a bash of its own that stops at the first error. `skip WHY` ends one that cannot run on this machine,
# and so does a script that prints `SKIPPED: WHY`. No part may change a file that is committed: what
# generates one has to make it as it is, and what measures has a short form that writes elsewhere.
# Sourced after scripts/lib.sh.

skip() {
    echo "SKIPPED: $1"
    exit 0
}

# What only parts use; logs are beside it.
work=target/nightly

# What the page's front end is built and tested with.
get_node_modules() {
    if ! have node || ! have npm; then skip "no node, or no npm"; fi
    timeout 300 npm --prefix web ci --no-progress ||
        skip "what the page is built and tested with could not be downloaded"
}

part_help() { # nothing
    make -s help
}

part_setup() { # Debian's archive, where something is missing
    make -s setup
}

part_build() { # nothing
    make -s build
}

part_fmt() { # rustfmt
    cargo fmt --version || skip "no rustfmt"
    make -s fmt
}

part_gen() { # nothing
    make -s gen
}

part_flags() { # JDKs of OpenJDK
    have python3 || skip "no python3"
    scripts/flag-table.py --check /usr/lib/jvm/java-*-openjdk-* /usr/lib/jvm/temurin-*
}

part_cross() { # Debian's archive, rustup
    make -s cross
}

part_web() { # node from 20.19 on, npm's registry
    get_node_modules
    node -e 'const [a, b] = process.versions.node.split(".").map(Number);
        process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || skip "node is older than 20.19"
    make -s web
}

part_pictures() { # npm's registry, Chromium
    get_node_modules
    scripts/build.sh
    WHYPAUSE=target/release/whypause scripts/web.sh --pictures "$work/pictures"
}

# Pages of data that is made up: nothing found, many threads, many pauses; and how fast one is.
part_made_pages() { # npm's registry, Chromium, Python
    local kind pages="$work/pages"
    get_node_modules
    have python3 || skip "no python3"
    scripts/build.sh
    rm -rf "$pages"
    mkdir -p "$pages/data"
    target/release/whypause explain testdata/recordings/gc-log-write-blocked/recording \
        --format json --all-pauses >"$pages/data/explained"
    for kind in opened empty wide; do
        python3 web/sample/make.py "$pages/data/explained" "$pages/data/$kind.json" "--$kind"
    done
    python3 web/sample/make.py "$pages/data/explained" "$pages/data/many.json" --many 20000
    node web/dev.mjs "$pages"/data/{opened,empty,wide}.json --to "$pages"
    node web/dev.mjs "$pages/data/many.json"
    timeout 600 node web/test/page.mjs "$pages" --speed "$pages/data/many.html"
}

part_java_publish() { # Maven's repository
    scripts/java.sh publish
}

part_bench() { # Python
    make -s bench CHECK=1 BIG=1
}

part_bench_fix() { # a JDK from 9 on
    scripts/bench-fix.sh 2
}

part_bench_keeper() { # a JDK from 11 on
    scripts/bench-keeper.sh 2
}

part_bench_live() { # a JDK, Python
    make -s bench-live CHECK=1
}

part_bench_recorder() { # a JDK, Python
    make -s bench-recorder CHECK=1
}

part_bench_tuner() { # a JDK, Python, 6 GiB of free memory
    [ "$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)" -ge $((6 << 20)) ] ||
        skip "less than 6 GiB of memory are free"
    scripts/bench-tuner.sh 5
}

part_bench_watch_all() { # a JDK, control groups
    make -s bench-watch-all CHECK=1
}

part_bench_what_if() { # a JDK, Python, control groups
    scripts/build.sh
    python3 bench/what_if.py --seconds 5 --quotas 600 --threads 2
}

# Who had the CPUs and who wrote, with the scheduler's trace and with what was started as the truth.
part_culprits() { # a JDK, Python, clang, control groups
    scripts/build.sh
    python3 bench/who_had_the_cpu.py
    python3 bench/who_wrote.py
}

# Stalls beside the kernel's tracepoints. A code of 3 says that the host was not idle.
part_bench_stalls() { # a JDK from 17 on, Python, Maven's repository, control groups, tracepoints of system calls
    scripts/build.sh
    python3 bench/stalls_kafka.py --seconds 10
    python3 bench/stalls_output.py println --seconds 10
    python3 bench/stalls_lucene.py --seconds 10
    python3 bench/stalls_spark.py --seconds 10
    python3 bench/stalls_crowd.py --seconds 10
    python3 bench/stalls_idle.py --seconds 20 || [ $? -eq 3 ]
}

part_bench_java() { # Maven's repository
    make -s bench-java CHECK=1
}

part_stress_unmap() { # a JDK
    CHECK=1 scripts/stress-unmap.sh
}

part_watch_rows() { # a JDK, Python
    CHECK=1 scripts/watch-rows.sh
}

part_begin_in_stop() { # a JDK, Python
    CHECK=1 scripts/begin-in-stop.sh
}

part_check_metrics() { # a JDK, Debian's package prometheus
    make -s check-metrics
}

# Each kind of load, beside something short.
part_beside() { # a JDK
    local load
    scripts/build.sh
    for load in loops compiler walker jvm; do
        WHYPAUSE=target/release/whypause scripts/beside.sh "$load" sleep 5
    done
}

part_demo() { # a JDK
    make -s demo ON_THIS_HOST=1
}

part_accuracy() { # a JDK
    make -s accuracy CHECK=1 ON_THIS_HOST=1
}

part_remedies() { # JDK 17
    make -s remedies CHECK=1
}

part_faults() { # a JDK
    make -s faults CHECK=1
}

part_kill_trials_lab() { # a JDK
    make -s kill-trials CHECK=1 WHAT=lab
}

part_kill_trials_tests() { # a JDK
    WHYPAUSE_TRIAL_SECONDS=60 make -s kill-trials CHECK=1 WHAT=tests
}

part_kill_trials_make() { # a JDK
    WHYPAUSE_TRIAL_SECONDS=120 make -s kill-trials CHECK=1 WHAT=make
}

part_keep_trials() { # a JDK
    make -s keep-trials CHECK=1
}

# Two runs of `fix`, an undo and kills in any order, and one run after the other on one JVM.
part_interleavings() { # a JDK from 9 on
    WHYPAUSE_TEST_ROUNDS=200 timeout 2100 cargo test --locked -p whypause --test fix -- interleaved
}

part_fuzz() { # cargo-fuzz and a nightly toolchain, which it installs
    scripts/fuzz.sh --tools || skip "no cargo-fuzz or no nightly toolchain, and they could not be installed"
    make -s fuzz SECONDS=5
}

part_packages() { # Debian's archive, a JDK
    make -s packages
}

part_wheel() { # PyPI, Python from 3.11 on
    make -s wheel
}

part_fleet_test() { # PyPI, Python from 3.11 on, a JDK from 17 on
    make -s fleet-test
}

part_fleet_same() { # PyPI, Python from 3.11 on, a JDK from 17 on
    scripts/fleet-same.sh --check
}

# Nothing of them is run here, but they are made in another way.
part_packages_arm64() { # Debian's archive, a JDK, rustup
    ARCH=arm64 scripts/packages.sh
}

part_test_systemd() { # x86-64, Debian's archive
    [ "$(uname -m)" = x86_64 ] || skip "the guest is x86-64, and this machine is not"
    make -s test-systemd
}

# One kernel, where nothing else is asked for.
part_test_kernels() { # x86-64, Debian's archive
    [ "$(uname -m)" = x86_64 ] || skip "the guests are x86-64, and this machine is not"
    make -s test-kernels KERNELS="${KERNELS:-6.1}"
}
