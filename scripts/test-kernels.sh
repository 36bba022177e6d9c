#!/usr/bin/env bash
# Boots kernels of Debian in QEMU (no KVM needed), and looks whether whypause works on them.
#
# scripts/test-kernels.sh [--prepare] [--page] [KERNEL]...
#
# KERNEL is the beginning of a version (6.1), `newest`, or a package (linux-image-6.1.0-56-cloud-amd64);
# without any: 6.1 and 6.12. No suite of Debian has 5.15.
# --prepare  only makes what is booted
# --page     also writes what is known of all kernels, of this run and of those before it, to docs/kernels.md
#
# Environment:
#   PROGRAM  what to check: a program or a .deb (default: target/release/whypause, which is built)
#   JDK      the package of the guest's JVM (default: openjdk-17-jre-headless)
#   CGROUP   the guest's control groups: v2 (default), v2none, hybrid, v1
#   CHECKS   only these, separated by commas; names are those of scripts/kernels/guest/checks.sh, where
#            those that begin with long_ run only if they are named: demo, memory_high_ten_times, matrix
#   MEMORY   of a guest (default: 3G)
#   LIMIT    seconds for all guests (default: 2100); what is not done then is done by the next start
#   RESUME   0: also do again what the same build has done
#   JOBS     how many guests at a time (default: 1)
#   MIRROR   the Debian archive (default: this host's)
#
# Everything is kept in target/kernels: what is booted, in out/ what each guest said and recorded, and
# in results/ the verdict of each check, with its day and build. A check that the same build has done
# on a kernel is not done again. Ends with 1 where a check failed, and with 3 where some are left.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/pieces.sh
source scripts/pieces.sh
# shellcheck source=scripts/kernels/cache.sh
source scripts/kernels/cache.sh
# shellcheck source=scripts/kernels/debian.sh
source scripts/kernels/debian.sh
# shellcheck source=scripts/kernels/images.sh
source scripts/kernels/images.sh
# shellcheck source=scripts/kernels/guest.sh
source scripts/kernels/guest.sh

jdk="${JDK:-openjdk-17-jre-headless}"
layout="${CGROUP:-v2}"
checks="${CHECKS:-}"
memory="${MEMORY:-3G}"
limit="$piece_limit"
jobs="${JOBS:-1}"
program="${PROGRAM:-target/release/whypause}"

main() {
    local only_prepare=false page=false kernels=() packages=() package
    while [ $# -gt 0 ]; do
        case "$1" in
            --prepare) only_prepare=true ;;
            --page) page=true ;;
            --help | -h) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
            -*) fail "unknown option \`$1\`" "scripts/test-kernels.sh --help" ;;
            *) kernels+=("$1") ;;
        esac
        shift
    done
    [ ${#kernels[@]} -gt 0 ] || kernels=(6.1 6.12)
    check_settings
    prepare
    build="$(this_build)"
    for package in "${kernels[@]}"; do packages+=("$(package_of "$package")"); done
    for package in "${packages[@]}"; do make_kernel "$package"; done
    ! $only_prepare || exit 0
    [ "${RESUME:-1}" != 0 ] || for package in "${packages[@]}"; do forget "$package"; done
    run_guests "${packages[@]}"
    show "$page" "${packages[@]}"
}

check_settings() {
    case "$layout" in
        v1 | hybrid | v2 | v2none) ;;
        *) fail "CGROUP is \`$layout\`" "one of v2, v2none, hybrid, v1" ;;
    esac
    [[ "$limit" =~ ^[0-9]+$ && "$jobs" =~ ^[1-9][0-9]*$ ]] || fail "LIMIT and JOBS take numbers"
    local name
    for name in ${checks//,/ }; do
        [[ " $(all_checks)" == *" $name "* ]] || fail "there is no check \`$name\`" "there are $(all_checks)"
    done
}

prepare() {
    local need
    [ "$(uname -m)" = x86_64 ] || fail "the guests are x86-64, and this host is $(uname -m)"
    scripts/setup.sh scripts/kernels/packages.txt
    for need in qemu-system-x86_64 mmdebstrap mke2fs cpio xz zstd depmod dpkg-deb apt-get; do
        have "$need" || fail "no $need" "as root: apt-get install $(awk '/^[a-z]/ { printf "%s ", $1 }' scripts/kernels/packages.txt)"
    done
    [ -n "${PROGRAM:-}" ] || scripts/build.sh
    [ -f "$program" ] || fail "no program \`$program\`"
    mkdir -p "$work/out" "$work/results"
    make_classes
    make_root "$jdk"
    prepare_apt
}

# Where the results of a kernel are.
out_of() { echo "$work/out/${1#linux-image-}-$layout"; }

# Less than this is not worth a boot.
least_seconds=300

run_guests() {
    local package number=0 begun=$SECONDS
    say
    trap 'kill $(jobs -rp) 2>/dev/null; wait; exit 130' INT TERM
    for package in "$@"; do
        number=$((number + 1))
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
        checks="$(missing_checks "$package")"
        if [ -z "$checks" ]; then
            say "$number of $#: ${package#linux-image-}: all of it is kept"
            continue
        fi
        limit=$((piece_limit - (SECONDS - begun)))
        if [ "$SECONDS" -gt "$begun" ] && [ "$limit" -lt "$least_seconds" ]; then break; fi
        say "$number of $#: ${package#linux-image-}: $(wc -w <<<"${checks//,/ }") checks, at most $((limit / 60)) min"
        run_guest "$package" &
    done
    wait
}

# The checks that are wanted.
wanted_checks() {
    if [ -n "${CHECKS:-}" ]; then echo "${CHECKS//,/ }"; else sed -En 's/^check_([a-z0-9_]*)\(\) .*/\1/p' scripts/kernels/guest/checks.sh | tr '\n' ' '; fi
}

# `is_kept PACKAGE CHECK`: whether this build has a verdict.
is_kept() {
    [ ! -f "$(kept_of "$1")" ] && return 1
    awk -F '\t' -v build="$build" -v check="$2" '$1 == check && $5 == build { found = $2 != "unfinished" } END { exit !found }' "$(kept_of "$1")"
}

# Those wanted of which this build has no verdict on a kernel, separated by commas.
missing_checks() {
    local check missing=()
    for check in $(wanted_checks); do is_kept "$1" "$check" || missing+=("$check"); done
    (IFS=,; echo "${missing[*]}")
}

run_guest() {
    local out guest
    out="$(out_of "$1")"
    rm -rf "$out"
    boot "$1" "$out" &
    guest=$!
    trap 'kill "$guest" 2>/dev/null; exit 130' TERM
    follow "$1" "$out" "$guest"
    {
        echo "package $(cat "$(kernel_dir "$1")/version")"
        echo "groups $layout"
        echo "date $(date -u +%F)"
        echo "build $build"
        tr -d '\r' <"$out/said" | made_by "$(date -u +%F)" "$build"
        # What was under way when the time was over has not failed.
        ! is_over "$out" || echo cut
    } >"$out/result"
    keep "$1"
}

# Adds day and build to each verdict.
made_by() { awk -F '\t' -v OFS='\t' -v day="$1" -v build="$2" 'NF >= 2 { $3 = $3; $4 = day; $5 = build } { print }'; }

# What is known of a kernel, of which a run with CHECKS renews only a part.
kept_of() { echo "$work/results/${1#linux-image-}-$layout"; }

# The runs of the check `matrix` so far, which take more than one guest.
matrix_of() { echo "$(kept_of "$1").jsonl"; }

keep() {
    local new to before=/dev/null
    new="$(out_of "$1")/result" to="$(kept_of "$1")"
    mkdir -p "$work/results"
    [ ! -f "$to" ] || before="$to"
    # Later lines count.
    { grep -P '^\w+\t' "$before" || true; cat "$new"; } >"$to.new"
    mv "$to.new" "$to"
}

# Drops what this build has of the checks wanted.
forget() {
    local to
    to="$(kept_of "$1")"
    [ -f "$to" ] || return 0
    awk -F '\t' -v build="$build" -v wanted=" $(wanted_checks) " \
        '!($5 == build && index(wanted, " " $1 " "))' "$to" >"$to.new"
    mv "$to.new" "$to"
}

# In the order of the table.
all_checks() { sed -En 's/^(check|long)_([a-z0-9_]*)\(\) .*/\2/p' scripts/kernels/guest/checks.sh | tr '\n' ' '; }

table() { awk -v order="$(all_checks)" -f scripts/kernels/table.awk "$@"; }

# Shows what this build has of the checks that were wanted, and writes all that is kept to the page.
# Fails where a check did, or where some are left.
show() {
    local page="$1" results=() package failed=0 left=0 all=0
    shift
    for package in "$@"; do
        all=$((all + $(wanted_checks | wc -w)))
        left=$((left + $(missing_checks "$package" | tr ',' '\n' | grep -c . || true)))
        [ -f "$(kept_of "$package")" ] || continue
        of_this_build "$package" >"$work/results/.shown-${package#linux-image-}"
        results+=("$work/results/.shown-${package#linux-image-}")
    done
    say
    [ ${#results[@]} -eq 0 ] || table "${results[@]}" || failed=1
    ! $page || write_page
    if [ "$left" -gt 0 ]; then
        say "$((all - left)) of $all checks done; start it again to go on"
        exit 3
    fi
    exit "$failed"
}

# What is kept of a kernel, of this build and of the checks wanted.
of_this_build() {
    awk -F '\t' -v build="$build" -v wanted=" $(wanted_checks) " \
        'NF < 2 || ($5 == build && index(wanted, " " $1 " "))' "$(kept_of "$1")"
}

write_page() {
    local results
    mapfile -t results < <(find "$work/results" -type f -not -name '*.new' -not -name '*.jsonl' -not -name '.shown-*' | sort -V)
    {
        cat docs/kernels.head.md
        echo
        table -v markdown=1 "${results[@]}" || true
    } >docs/kernels.md
    say "written: docs/kernels.md"
}

main "$@"
