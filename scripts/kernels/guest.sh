# shellcheck shell=bash disable=SC2154 # `test-kernels.sh` sets them
# Boots a kernel, and waits for what the checks in it say.

# The load of the checks: the lab's own.
make_classes() {
    local sources of
    mapfile -t sources < <(workload_sources)
    of="$(contents "${sources[@]}")"
    kept "$work/classes" "$of" && return
    jdk_is_there || fail "no JDK to compile the load with" "run scripts/setup.sh"
    rm -rf "$work/classes.new"
    compile_workloads "$work/classes.new" || fail "the load could not be compiled"
    made "$work/classes" "$of"
}

# `boot PACKAGE OUT`: boots it with what is in $program, $jdk, $layout and $checks; OUT is new,
# and OUT/said has the verdicts as they come.
boot() {
    local package="$1" out="$2" kernel
    kernel="$(kernel_dir "$package")"
    mkdir -p "$out/in"
    cp scripts/kernels/guest/{run,lib.sh,checks.sh,judge.jq} "$out/in/"
    install -m 755 crates/recorder/tests/container/container.sh "$out/in/"
    cp -r "$work/classes" "$kernel/modules" "$out/in/"
    [ ! -f "$(matrix_of "$package")" ] || cp "$(matrix_of "$package")" "$out/in/matrix.jsonl"
    case "$program" in
        *.deb) cp "$program" "$out/in/whypause.deb" ;;
        *) install -m 755 "$program" "$out/in/whypause" ;;
    esac
    tar -C "$out/in" --owner 0 --group 0 -cf "$out/in.tar" .
    rm -r "$out/in"
    truncate -s %1M "$out/in.tar"
    truncate -s 512M "$out/out.tar"
    # One thread for all processors: with one each QEMU 7.2 now and then runs a breakpoint that the
    # kernel put into its own text for a moment and has taken out again, and the kernel dies of it.
    TMPDIR="$out" timeout --foreground "$limit" qemu-system-x86_64 -accel tcg,thread=single,tb-size=512 \
        -cpu Nehalem -smp 2 -m "$memory" -nodefaults -display none -no-reboot \
        -pidfile "$out/pid" -serial "file:$out/console" -serial "file:$out/said" \
        -kernel "$kernel/kernel" -initrd "$kernel/initrd" \
        -append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check groups=$layout only=$checks" \
        -drive "file=$(root_image "$jdk"),format=raw,if=virtio,snapshot=on,cache=unsafe" \
        -drive "file=$out/in.tar,format=raw,if=virtio,readonly=on" \
        -drive "file=$out/out.tar,format=raw,if=virtio,cache=unsafe" </dev/null >"$out/qemu" 2>&1 &
    # Whoever ends this ends the guest.
    trap 'kill $! 2>/dev/null' TERM
    local ended=0
    wait $! || ended=$?
    # What `timeout` says.
    [ "$ended" -ne 124 ] || : >"$out/over"
    tar -C "$out" -xf "$out/out.tar" 2>/dev/null || true
    [ ! -f "$out/matrix/matrix.jsonl" ] || cp "$out/matrix/matrix.jsonl" "$(matrix_of "$package")"
    rm -f "$out/in.tar" "$out/out.tar"
}

# `follow PACKAGE OUT PROCESS`: tells what is being done there, until the process has ended.
follow() {
    local name="${1#linux-image-}" out="$2" process="$3" line=0 from running=true
    from="$(date +%s)"
    while $running; do
        kill -0 "$process" 2>/dev/null || running=false
        while read -r said; do
            line=$((line + 1))
            case "$said" in "stop this guest for "*) hold "$out" "${said//[^0-9]/}" ;; esac
            tell "$name" "$(($(date +%s) - from))" "${said%$'\r'}"
        done < <(tail -n +$((line + 1)) "$out/said" 2>/dev/null)
        ! $running || sleep 1
    done
    wait "$process" || true
    if is_over "$out"; then
        say "the time is over: what the guest of $name has done is kept"
    elif ! grep -q '^end' "$out/said" 2>/dev/null; then
        say "error: the guest of $name ended early, after $(($(date +%s) - from)) s; the last it said:"
        { tail -q -n 5 "$out/console" "$out/qemu" 2>/dev/null || true; } | sed 's/^/    /' >&2
        say "hint: all of it is in ${out#"$PWD"/}"
    fi
}

# `hold OUT SECONDS`: the guest of OUT stands still, as one does that its hypervisor pauses. It goes on whatever
# becomes of this.
hold() {
    local guest
    guest="$(cat "$1/pid" 2>/dev/null)" || return 0
    (
        trap 'kill -CONT "$guest" 2>/dev/null' EXIT
        trap 'exit 130' INT TERM
        kill -STOP "$guest" 2>/dev/null || exit 0
        sleep "$2"
    )
}

# Whether the guest of OUT was ended because its time was over.
is_over() { [ -f "$1/over" ]; }

# `tell KERNEL SECONDS LINE`. What is under way only on a terminal, where the verdict then takes its place.
tell() {
    local check verdict why line
    case "$3" in
        "begin "*) check="${3#begin }" verdict=… why='' ;;
        *$'\t'*) IFS=$'\t' read -r check verdict why <<<"$3" ;;
        *) return 0 ;;
    esac
    line="$(printf '%-26s %4d s  %-18s %s' "$1" "$2" "${check//_/ }" "$verdict${why:+: $why}")"
    if [ "$verdict" != … ]; then
        [ ! -t 2 ] || printf '\r\033[K' >&2
        say "$line"
    elif [ -t 2 ]; then
        printf '\r\033[K%s' "$line" >&2
    fi
}
