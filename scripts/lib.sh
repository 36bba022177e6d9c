# shellcheck shell=bash
# What the scripts share. Source it; it changes into the project's folder.

root_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root_dir" || exit 2

# mkfs, losetup and mount live in sbin, which is not on an ordinary user's path.
# Rust from rustup is not on the path of a shell that has not read its profile.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin"

# Programs are looked for below target/, wherever this user has cargo put those of other projects.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR

say() { printf '%s\n' "$*" >&2; }
step() { printf '\n== %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

fail() {
    say "error: $1"
    [ $# -lt 2 ] || say "hint: $2"
    exit 2
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# Whether commands can be run as root without anybody typing a password.
can_be_root() { is_root || { have sudo && sudo -n true 2>/dev/null; }; }

# Runs a command as root, directly or through sudo. Only after `can_be_root`.
as_root() {
    if is_root; then "$@"; else sudo -n "$@"; fi
}

# Why no command can be run as root, for people.
why_not_root() {
    if have sudo; then
        echo "this is not root, and sudo asks for a password"
    else
        echo "this is not root, and there is no sudo"
    fi
}

# `version_at_least 1.96.0 1.95`
version_at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# The oldest Rust that compiles the workspace, from the one place that says so.
wanted_rust() { sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml; }

# The version of the compiler that cargo would use here; fails where there is none.
rust_version() { rustc --version 2>/dev/null | awk '{ print $2 }' | grep .; }

# Whether cargo and a compiler that is new enough are found.
# Where rustup has no toolchain of the pinned version and cannot get it,
# another one it has may do; then `RUSTUP_TOOLCHAIN` names that one.
rust_is_there() {
    local version toolchain
    have cargo || return 1
    if version="$(rust_version)"; then
        version_at_least "$version" "$(wanted_rust)"
        return
    fi
    have rustup || return 1
    for toolchain in $(rustup toolchain list 2>/dev/null | awk '{ print $1 }'); do
        if version="$(RUSTUP_TOOLCHAIN="$toolchain" rust_version)" &&
            version_at_least "$version" "$(wanted_rust)"; then
            export RUSTUP_TOOLCHAIN="$toolchain"
            return 0
        fi
    done
    return 1
}

# Whether Rust's own library for target "$1" is there, after getting it where rustup can.
has_std() {
    if have rustup; then
        rustup target add "$1" >/dev/null 2>&1 || true
    fi
    [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]
}

# Whether a JDK with a compiler is found. Afterwards it is on the path.
jdk_is_there() {
    local javac
    have javac && return 0
    for javac in "${JAVA_HOME:-/nonexistent}/bin/javac" /usr/lib/jvm/*/bin/javac; do
        if [ -x "$javac" ]; then
            export PATH="$PATH:${javac%/javac}"
            return 0
        fi
    done
    return 1
}

# Homes of JDKs, one for each feature release: "17 /usr/lib/jvm/…"; JAVA_TEST_HOMES="DIR DIR" are others.
find_jdks() {
    local home version
    for home in ${JAVA_TEST_HOMES:-"${JAVA_HOME:-/nonexistent}" /usr/lib/jvm/*}; do
        [ -x "$home/bin/java" ] || continue
        version="$("$home/bin/java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\?\([0-9]*\).*/\2/p')"
        [ -z "$version" ] || echo "$version $home"
    done | sort -n -u -k1,1
}

# The sources of the lab's Java programs, and of the libraries that they use.
workload_sources() { find java/{workloads,unmap,logging}/src/main/java -name '*.java' | sort; }

# Compiles them into a directory, for every JDK from 8 on.
compile_workloads() {
    local sources
    mapfile -t sources < <(workload_sources)
    mkdir -p "$1"
    javac --release 8 -nowarn -Xlint:-options -encoding UTF-8 -d "$1" "${sources[@]}"
}

# Whether the recorder's kernel programs can be compiled.
bpf_can_be_built() {
    have clang && have pkg-config && pkg-config --exists libelf zlib &&
        [ -e /usr/include/linux/bpf.h ] && [[ "$(clang --print-targets)" == *" bpf "* ]]
}

# Sets the array `features` to what cargo must be given on this machine.
# shellcheck disable=SC2034 # the scripts that source this file use it
choose_features() {
    features=()
    if ! bpf_can_be_built; then
        features=(--no-default-features)
        say "left out: recording through eBPF (building that needs clang, pkg-config, libelf-dev, zlib1g-dev and linux-libc-dev)"
    fi
}
