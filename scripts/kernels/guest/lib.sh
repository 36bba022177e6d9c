# shellcheck shell=bash disable=SC2154,SC2034 # what `run` sets, and checks use
# What the checks share. A check is a function that `run` calls in a process of its own: it ends
# with `failed` or `unable`, or is fine. Its files are in $here.

groups=/sys/fs/cgroup
recordings=/dev/shm/recordings
java=(/usr/lib/jvm/*/bin/java)
program="$(command -v whypause || echo /checks/whypause)"
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# What the kernel's version lets the program do.
has_ebpf() { is_since 5.15; }

# Whether this kernel is of this version or a later one.
is_since() { [ "$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]; }
if has_ebpf; then certainty=measured; else certainty=inferred; fi

# Ends a check. The first word is its verdict, the others are why.
failed() { echo "failed $*" >"$here/verdict"; exit 1; }
unable() { echo "unable $*" >"$here/verdict"; exit 1; }
unfinished() { echo "unfinished $*" >"$here/verdict"; exit 1; }

# What the table says beside `ok`.
note() { echo "$*" >"$here/note"; }

# The group of the JVM, and the one above it, which some checks limit.
parent="$groups/checks.slice/parent"
child="$parent/child"

has_groups() { [ -f "$groups/cgroup.controllers" ] && grep -qw cpu "$groups/cgroup.subtree_control"; }
needs_groups() { has_groups || unable "no CPU controller of cgroup v2"; }

make_groups() {
    has_groups || return 0
    mkdir -p "$child"
    local each
    for each in "$groups/checks.slice" "$parent"; do echo '+cpu +memory' >"$each/cgroup.subtree_control"; done
}

# Takes back every limit of a check, whatever became of it.
set_free() {
    local each
    for each in "$parent" "$child"; do
        [ -d "$each" ] || continue
        echo 'max 100000' >"$each/cpu.max"
        [ ! -e "$each/cpu.max.burst" ] || echo 0 >"$each/cpu.max.burst"
        echo 0 >"$each/cgroup.freeze"
    done
    ! has_jvm || kill -CONT "$jvm"
    for each in second container; do
        [ ! -f "/run/$each.pid" ] || kill -KILL "$(cat "/run/$each.pid")" 2>/dev/null
    done
}

has_jvm() { jvm="$(cat /run/jvm 2>/dev/null)" && kill -0 "$jvm" 2>/dev/null; }

# The JVM of most checks, in $jvm: it allocates, as an ordinary user, in a group of its own.
# It stays from check to check, as every start takes long here. Its heap is there from the begin: one
# that grows takes mmap_lock in its pauses, and then that is what is found.
the_jvm() {
    ! has_jvm || return 0
    make_groups
    starts the "${as_nobody[@]}"
    echo "$jvm" >/run/jvm
}

# Nothing of ours may take the lab's CPU time.
stop_the_jvm() { ! has_jvm || kill -KILL "$jvm"; }

jdk_feature() { jdk_version | cut -d . -f 1; }
jdk_version() { sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "${java[0]%/bin/java}/release"; }

# `starts NAME [COMMAND]...`: another one like it, started by COMMAND.
starts() {
    local name="$1" tries
    shift
    rm -f "/run/$name.pid"
    # shellcheck disable=SC2016 # it is the inner shell that expands them
    setsid bash -c 'echo $$ >"$0"; exec "$@"' "/run/$name.pid" "$@" \
        "${java[0]}" -XX:+UseG1GC -Xms256m -Xmx256m -XX:+AlwaysPreTouch -Xmn16m -XX:ParallelGCThreads=2 \
        "-Xlog:gc*,safepoint*:file=/dev/shm/$name.log:tn,time,uptime,level,tags" \
        -cp /checks/classes whypause.workloads.AllocLoad threads=2 rate=1500 queue=2000 drop=1000 \
        >"$here/$name.out" 2>"$here/$name.err" &
    for tries in $(seq 240); do
        sleep 0.5
        jvm="$(cat "/run/$name.pid" 2>/dev/null)" || continue
        if grep -qs ready=1 "$here/$name.out"; then return; fi
        kill -0 "$jvm" || failed "the JVM did not start: $(tail -n 1 "$here/$name.err")"
    done
    failed "the JVM did not start in $((tries / 2)) s"
}

# For `starts`: as an ordinary user, in the group of the checks where there are groups.
# shellcheck disable=SC2016 # it is the inner shell that expands them
as_nobody=(bash -c '[ ! -e "$0" ] || echo 0 >"$0"; cd /tmp && exec "$@"' "$child/cgroup.procs" "${nobody[@]}")

# `records NAME SECONDS [ARGUMENT]...`: a recording, and what is said of it in $answer.
records() {
    local name="$1" seconds="$2"
    shift 2
    timeout 300 "${as_user[@]}" "$program" record -p "$jvm" -d "${seconds}s" \
        -o "$recordings/$name" "$@" >"$here/$name.record" 2>&1 ||
        failed "record: $(tail -n 2 "$here/$name.record" | tr '\n' ' ')"
    explains "$name"
}

# `explains NAME [RECORDING]`: what is said of it in $answer.
explains() {
    answer="$here/$1.json"
    timeout 300 "$program" explain --format json "${2:-$recordings/$1}" >"$answer" 2>"$here/$1.explain" ||
        failed "explain: $(tail -n 2 "$here/$1.explain" | tr '\n' ' ')"
}

# `answers FILTER WHY`: what jq must find true of the answer.
answers() { jq -e "$1" "$answer" >/dev/null || failed "$2"; }

# `names CAUSE`: the cause that must be first, known as firmly as this kernel lets it be.
names() {
    local first
    first="$(jq -r '.causes[0] | "\(.id), \(.certainty)"' "$answer")"
    [ "$first" = "$1, $certainty" ] || failed "first is $first; must be $1, $certainty"
}

# That the answer rests on what all the kernel's programs saw.
is_whole() {
    answers '.coverage.missing == []' "not recorded: $(jq -c .coverage.missing "$answer")"
    answers '.coverage.cost.switches > 0' "no context switch was seen"
    answers '.coverage.lost_events == 0' "events were lost"
}

# `scenario ID`: the lab makes a fault, and the same load without it. Of the faults that the lab can
# make, the right one must be first, and have ten times what it has without. $answer is what is said of
# the fault.
# The lab's own verdict also asks how long a collection is beside it, and here those are endless.
scenario() {
    local rights=() status=0 kept="$here/lab.json" wrong
    has_ebpf || rights=(--unprivileged)
    stop_the_jvm
    timeout 1200 "$program" lab run "$1" --variants baseline,fault --duration 12s --format json \
        --on-this-host --keep "$here/kept" "${rights[@]}" >"$kept" 2>"$here/lab.err" || status=$?
    ! grep -q 'cannot run' "$here/lab.err" || unable "$(grep -m 1 'cannot run' "$here/lab.err")"
    [ $status -le 1 ] || failed "lab: $(tail -n 2 "$here/lab.err" | tr '\n' ' ') ($status)"
    wrong="$(jq -r --arg id "$1" --arg certainty "$certainty" -f judge.jq "$kept")" || failed "no answer of the lab"
    [ -z "$wrong" ] || failed "$wrong"
    # Said, as who reads the answer sees these first.
    note "$(jq -r --arg id "$1" '.results[] | select(.role == "fault") | ([.causes[] | select(.id == $id) | .time][0]) as $time
        | [.causes[] | select(.time > $time) | .id] | select(. != []) | "behind \(join(", "))"' "$kept")"
    explains fault "$(find "$here/kept" -path '*-fault-1/recording')"
    rm -rf "$here/kept"
}
