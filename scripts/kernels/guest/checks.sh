# shellcheck shell=bash disable=SC2154,SC2034,SC2317 # what `lib.sh` and `run` set and use
# What must work in the guest, one function each, in the order of the table.
# Judged by causes and evidence: an emulated processor makes every length meaningless.

check_ps() {
    the_jvm
    "$program" ps --format json >"$here/ps.json"
    jq -e ".jvms | map(select(.pid == $jvm and .main == \"whypause.workloads.AllocLoad\")) | length == 1" \
        "$here/ps.json" >/dev/null || failed "the JVM is not listed"
}

# All programs in the kernel run and nothing is lost; on kernels without the means the reason is told.
check_record() {
    the_jvm
    records plain 8
    answers '.pauses.count > 0' "no pause was seen"
    if has_ebpf; then
        is_whole
        return
    fi
    grep -qi '^no eBPF' "$here/plain.record" || failed "no word of eBPF"
    grep -qi 'linux 5.15' "$here/plain.record" || failed "not told which kernel is needed"
    note "sampled, and says why"
}

# Collections explained, and no fault in a quiet run.
check_explain() {
    the_jvm
    [ -d "$recordings/plain" ] || records plain 8
    explains plain
    answers '.causes | map(.id) | index("gc-work")' "collections are not explained"
    answers '.unattributed_ns * 50 <= .pauses.total_ns' \
        "$(jq '.unattributed_ns / .pauses.total_ns * 100 | floor' "$answer") % is not explained"
    # Long it is by the collector's own word, and only then.
    local long=()
    ! grep -q 'Pause Remark .* \([5-9][0-9]\|[0-9]\{3,\}\)\.[0-9]*ms$' /dev/shm/the.log || long=(long-remark)
    answers "[.causes[] | select(.nature == \"fault\") | .id]
        - [\"cpu-contention\", \"cpu-steal\", \"host-stood-still\", \"late-java-thread\", \"${long[*]}\"] == []" \
        "a fault is named in a quiet run: $(jq -c '[.causes[] | select(.nature == "fault") | .id]' "$answer")"
}

check_watch() {
    the_jvm
    timeout 120 "$program" watch -p "$jvm" --over 1ms -d 8s >"$here/watch.txt" 2>"$here/watch.err"
    grep -q ' ms .*GC work' "$here/watch.txt" || failed "no line shows a collection"
}

check_unprivileged() {
    the_jvm
    as_user=("${nobody[@]}")
    chmod 1777 "$recordings"
    records user 8
    answers '.pauses.count > 0' "no pause was sampled"
    answers '[.causes[].certainty] | unique == ["inferred"]' "what was sampled is said to be measured"
    answers '.coverage.missing | length > 0' "not told what is missing"
}

# Each of two is recorded for itself, at the same time.
check_two_jvms() {
    local first second name
    the_jvm
    first=$jvm
    starts second "${as_nobody[@]}"
    second=$jvm
    (jvm=$first records one 8) &
    records two 8
    wait $! || exit 1
    kill -KILL "$second"
    for name in one two; do
        answer="$here/$name.json"
        answers '.pauses.count > 0' "no pause of $name"
        ! has_ebpf || is_whole
    done
    answer="$here/one.json" answers ".jvm.pid == $first" "the first is taken for another"
    answer="$here/two.json" answers ".jvm.pid == $second" "the second is taken for another"
}

check_quota() {
    needs_groups
    the_jvm
    echo '20000 100000' >"$child/cpu.max"
    records quota 8
    names cfs-throttling
    blames /checks.slice/parent/child
}

# The JVM's own group has no quota, the one above it has.
check_quota_of_parent() {
    needs_groups
    the_jvm
    echo '20000 100000' >"$parent/cpu.max"
    records parent 8
    names cfs-throttling
    blames /checks.slice/parent
}

# `blames GROUP`.
blames() {
    local named
    named="$(jq -r '.causes[0].culprits[0] | "\(.kind) \(.name)"' "$answer")"
    [ "$named" = "cgroup $1" ] || failed "the culprit is $named; must be cgroup $1"
}

# A burst that is set is not advised again.
check_quota_with_burst() {
    needs_groups
    [ -e "$child/cpu.max.burst" ] || unable "this kernel has no cpu.max.burst"
    the_jvm
    echo '20000 100000' >"$child/cpu.max"
    echo 10000 >"$child/cpu.max.burst"
    records burst 8
    names cfs-throttling
    answers '[.causes[0].remedies[] | select(.id == "cpu-burst")] == []' "advises the burst that is set"
}

# `again NAME COMMAND`: stops and goes on four times, once the recording of that name has begun: until the
# programs are loaded it takes seconds here, and what was under way then is known from samples alone.
again() {
    local _ name="$1"
    shift
    until grep -qs '^recording ' "$here/$name.record"; do sleep 0.2; done
    for _ in 1 2 3 4; do
        sleep 2
        "$1" true
        sleep 1
        "$1" false
    done
}

check_freezer() {
    needs_groups
    the_jvm
    freeze() { if $1; then echo 1; else echo 0; fi >"$child/cgroup.freeze"; }
    again frozen freeze &
    records frozen 15
    names frozen-or-traced
    answers '.causes[0].story | tostring | test("freezer")' "the freezer is not told"
    answers '.causes[0].story | tostring | test("signal|traced") | not' "the freezer is not told from a signal"
}

check_sigstop() {
    the_jvm
    stop() { if $1; then kill -STOP "$jvm"; else kill -CONT "$jvm"; fi; }
    again stopped stop &
    records stopped 15
    names frozen-or-traced
    answers '.causes[0].story | tostring | test("signal")' "the signal is not told"
}

# The host stops the guest: no process of it runs, and its kernel does not notice. Two threads that compute keep
# those of the JVM waiting for a CPU, so that something of it stands whenever that is.
check_host_stood_still() {
    local busy=()
    the_jvm
    for _ in 1 2; do
        (while :; do :; done) &
        busy+=($!)
    done
    stand() { ! "$1" || tells "stop this guest for 2 s"; }
    (again still stand; again still stand) &
    records still 30
    kill -KILL "${busy[@]}"
    # shellcheck disable=SC2016 # `$it` is jq's
    answers '([.causes[], .stalls.causes[]?] | map(select(.id == "host-stood-still"))) as $it
        | ($it | length > 0) and all($it[]; .certainty == "inferred") and any($it[]; .longest_ns > 1.5e9)' \
        "named are $(jq -c '[.causes[], .stalls.causes[]?] | map("\(.id) \(.longest_ns)")' "$answer")"
}

# The recorder alone is stopped for a second, and the JVM goes on. A single emulated processor stands by itself, but not
# for as long.
check_stopped_recorder() {
    local recorder
    the_jvm
    # What it starts itself is younger.
    stop() {
        recorder="$(pgrep -o -x whypause)"
        if $1; then kill -STOP "$recorder"; else kill -CONT "$recorder"; fi
    }
    again held stop &
    records held 15
    answers '[.causes[], .stalls.causes[]?] | map(select(.id == "host-stood-still" and .longest_ns > 5e8)) == []' \
        "the host is said to have stood still"
}

# A JVM with a root, users, processes and control groups of its own, recorded from outside; the quota
# is that of a group above its own, as of a pod.
check_container() {
    needs_groups
    make_groups
    stop_the_jvm
    starts container env GROUPS_TO_JOIN="$child" AS_UID=100000 ./container.sh /var/container
    jvm="$(pgrep -n -x java)"
    [ -n "$jvm" ] || failed "there is no JVM in the container"
    echo '20000 100000' >"$parent/cpu.max"
    records container 8
    names cfs-throttling
    blames /checks.slice/parent
    ! has_ebpf || is_whole
}

# Every scenario can run, but one that lacks memory on so small a host or needs a later kernel. What a single variant lacks is
# further in.
check_lab_list() {
    "$program" lab list >"$here/list.txt"
    local lacking
    lacking="$(awk '/^[a-z]/ { id = $1 } /^    cannot run here: / { sub(/^ *cannot run here: /, ""); print id ": " $0 }' "$here/list.txt")"
    [ -n "$lacking" ] || return 0
    local line needs
    while read -r line; do
        [[ "$line" =~ GiB|MiB ]] && continue
        needs="$(sed -n 's/.* needs Linux \([0-9][0-9.]*\).*/\1/p' <<<"$line")"
        if [ -z "$needs" ] || is_since "$needs"; then failed "$line"; fi
    done <<<"$lacking"
    note "but $(tr '\n' ';' <<<"$lacking" | sed 's/;$//; s/;/; /g')"
}

check_memory_high() { scenario memory-high-throttling; }
check_memory_max() { scenario direct-reclaim; }

# With the file, by the tracepoint or, before Linux 6.12, by the function that it is in.
check_mapped_file() {
    scenario mapped-file-fault
    has_ebpf || return 0
    answers '[.causes[] | select(.id == "mapped-file-fault")][0].place.path | endswith("/slow/data")' \
        "the file is not named: $(jq -c '.coverage.missing' "$answer")"
}

check_gc_log() { scenario gc-log-write-blocked; }
check_hsperfdata() { scenario hsperfdata-write-blocked; }

# Only on request, as these take long.

# The two pauses of the demonstration, and their fixes.
long_demo() {
    has_ebpf || unable "needs eBPF"
    stop_the_jvm
    timeout 1400 "$program" lab demo --on-this-host >"$here/demo.txt" 2>"$here/demo.err" ||
        failed "$(grep -h -m 3 'not as expected\|error' "$here/demo.txt" "$here/demo.err" | tr '\n' ' ')"
}

long_memory_high_ten_times() {
    stop_the_jvm
    timeout 1400 "$program" lab run memory-high-throttling --variants fault --runs 10 --duration 8s --on-this-host --format json \
        >"$here/lab.json" 2>"$here/lab.err"
    jq -r '"\([.results[] | select(.first == .scenario)] | length) of \(.results | length)"' "$here/lab.json" >"$here/right"
    [ "$(cat "$here/right")" = "10 of 10" ] || failed "right in $(cat "$here/right"); $(tail -n 1 "$here/lab.err")"
    note "right in 10 of 10"
}

# Every scenario that can run here, with all its variants: as many as fit into a part of an hour. The
# host keeps what was run, and gives it to the next guest.
long_matrix() {
    local ended=0
    stop_the_jvm
    [ ! -f matrix.jsonl ] || cp matrix.jsonl "$here/"
    timeout 3000 "$program" lab matrix --jdk "$(jdk_feature)" --collectors g1 --rights privileged --duration 6s \
        --on-this-host --results "$here/matrix.jsonl" --for 20m >"$here/matrix.md" 2>"$here/matrix.err" || ended=$?
    [ "$ended" -ne 3 ] || unfinished "$(tail -n 1 "$here/matrix.err")"
    [ "$ended" -eq 0 ] || failed "$(tail -n 1 "$here/matrix.err")"
}
