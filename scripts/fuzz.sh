#!/usr/bin/env bash
# Gives whatever reads what others wrote all bytes that it may choke on, for so long.
#
# scripts/fuzz.sh TARGET SECONDS [ARGUMENT OF LIBFUZZER]...
# scripts/fuzz.sh all SECONDS
# scripts/fuzz.sh --tools         only gets what fuzzing needs, where that is missing
#
# The targets are the files of fuzz/fuzz_targets. Seeds are made here from testdata, or are the
# files of fuzz/seeds/TARGET; what was found to be of interest is kept in fuzz/corpus/TARGET, and
# what fails in fuzz/artifacts/TARGET. All are run even where one fails.
#
# Of `all`, each target that ended is kept with its result in target/fuzz.tsv; what was cut goes on
# there when it is started again with the same build, and RESUME=0 begins anew. More than ten minutes
# for each are done in several parts. No part begins that would not end within LIMIT seconds
# (default: 2100); the exit code is 3 then.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/pieces.sh
source scripts/pieces.sh

targets=()
for file in fuzz/fuzz_targets/*.rs; do
    name="$(basename "$file" .rs)"
    targets+=("$name")
done

# What it needs beyond a build: cargo-fuzz, in target/tools, and the compiler that knows sanitizers.
cargo_fuzz=0.13.2
export PATH="$PWD/target/tools/bin:$PATH"
have_nightly() { rustup toolchain list 2>/dev/null | grep -q '^nightly'; }
get_tools() {
    [ -z "${WHYPAUSE_NO_INSTALL:-}" ] || return 0
    if ! have cargo-fuzz; then
        step "compiling cargo-fuzz $cargo_fuzz into target/tools"
        cargo install --quiet --locked --root target/tools "cargo-fuzz@$cargo_fuzz" || true
    fi
    if have rustup && ! have_nightly; then
        step "installing a nightly toolchain with rustup"
        rustup toolchain install --profile minimal nightly || true
    fi
}
get_tools
have cargo-fuzz || fail "no cargo-fuzz" "cargo install cargo-fuzz"
have_nightly || fail "no nightly toolchain" "rustup toolchain install nightly"
[ "${1:-}" != --tools ] || exit 0
[ $# -ge 2 ] || fail "which target, and for how many seconds?" "scripts/fuzz.sh TARGET SECONDS, with TARGET one of ${targets[*]}, or all"

# A few small seeds, so that the fuzzer need not find out by itself what a log looks like.
make_seeds() {
    local target="$1" to="fuzz/corpus/$1" log name
    mkdir -p "$to"
    if [ -d "fuzz/seeds/$target" ]; then cp -- "fuzz/seeds/$target"/* "$to/"; fi
    case "$target" in
        lines | detect | containers | set_order) ;;
        *) return 0 ;;
    esac
    while IFS= read -r log; do
        name="$(printf '%s' "${log#testdata/gclogs/}" | tr / -)"
        case "$target" in
            lines) { printf '\101'; head -c 4000 "$log"; } >"$to/$name" ;;
            detect) head -c 1000 "$log" >"$to/$name" ;;
            containers)
                head -c 3000 "$log" >"$to/$name"
                head -c 3000 "$log" | gzip -9 >"$to/$name.gz"
                ! have zstd || head -c 3000 "$log" | zstd -q -c >"$to/$name.zst"
                ;;
        esac
    done < <(find testdata/gclogs -name '*.log' | sort)
    [ "$target" != containers ] || seed_archive "$to"
    [ "$target" != set_order ] || seed_names "$to"
}

seed_archive() {
    have python3 || return 0
    python3 - "$1" <<'PYTHON'
import glob, sys, zipfile
logs = sorted(glob.glob("testdata/gclogs/**/*.log", recursive=True))[:4]
for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(f"{sys.argv[1]}/ring-{method}.zip", "w", method) as archive:
        for number, log in enumerate(logs):
            archive.writestr(f"gc.log.{number}", open(log, "rb").read(1500))
PYTHON
}

seed_names() {
    printf 'gc.log.0=[5.0s] x\ngc.log.1=[9.0s] x\ngc.log.2=[1.0s] x\ngc.log=[0.1s] x\n' >"$1/ring"
    printf 'gc.log.0=1.5: [GC\ngc.log.1.current=2016-08-30 20:35:29 GC log file created x\n' >"$1/legacy"
    printf 'gc-2026-01-01.log=x\ngc-2026-01-02.log.gz=x\ngc.log=[2026-01-01T00:00:00.000+0000] x\n' >"$1/dates"
    printf 'gc.log.1=[7.0s] x\ngc.log.2.gz=[5.0s] x\ngc.log=[9.0s] x\ngc.log.1.gz=[7.0s] x\n' >"$1/logrotate"
}

fuzz() {
    local target="$1" seconds="$2"
    shift 2
    make_seeds "$target"
    step "fuzzing $target for $seconds s"
    # Memory and the time for one input have a bound, or an endless one would look like a slow one.
    # Threads that have just ended still hold their thread-locals, which a check for leaks takes for
    # leaks; the bound on memory finds real ones.
    cargo +nightly fuzz run --fuzz-dir fuzz "$target" -- \
        -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=20 -max_len=65536 \
        -detect_leaks=0 -print_final_stats=1 "$@"
}

# A part of `all`: a target, its seconds, and which part of them it is.
part_seconds=600
fuzz_part() {
    local name seconds
    read -r name seconds _ <<<"$1"
    fuzz "$name" "$seconds" "${more[@]}"
}

target="$1" seconds="$2" more=("${@:3}")
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || fail "\`$seconds\` are no seconds" "scripts/fuzz.sh TARGET SECONDS"
if [ "$target" = all ]; then
    parts=()
    for each in "${targets[@]}"; do
        for ((done = 0; done < seconds; done += part_seconds)); do
            rest=$((seconds - done))
            parts+=("$each $((rest < part_seconds ? rest : part_seconds)) s from $done")
        done
    done
    found=0
    in_pieces target/fuzz.tsv fuzz_part "${parts[@]}" || found=$?
    [ "$found" -ne 1 ] || say "hint: what they were given is in fuzz/artifacts"
    exit "$found"
else
    case " ${targets[*]} " in
        *" $target "*) fuzz "$target" "$seconds" "${more[@]}" ;;
        *) fail "no target is called \`$target\`" "one of ${targets[*]}" ;;
    esac
fi
