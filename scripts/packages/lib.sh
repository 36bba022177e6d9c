# shellcheck shell=bash
# What scripts/packages.sh does, one function for each step. Sourced after scripts/lib.sh.

packages=target/packages
version="$(sed -n '/^\[workspace.package\]/,/^\[/s/^version *= *"\(.*\)"/\1/p' Cargo.toml)"

# What a program that is shipped may be. Bars, and not what is hoped for.
most_bytes=15000000
most_start_ms=20

# Sets deb_arch, machine, triple and stage for `amd64`, `arm64`, or where nothing is given this host.
choose_target() {
    deb_arch="${1:-$(dpkg --print-architecture)}"
    case "$deb_arch" in
        amd64) machine=x86_64 ;;
        arm64) machine=aarch64 ;;
        *) fail "no packages are made for \`$deb_arch\`" "ARCH=amd64 or ARCH=arm64" ;;
    esac
    triple="$machine-unknown-linux-gnu"
    stage="$packages/stage-$deb_arch"
    [ "$machine" = "$(uname -m)" ] || prepare_cross
}

is_cross() { [ "$machine" != "$(uname -m)" ]; }

# Compiler, Rust's own library, and libelf and zlib of another architecture.
prepare_cross() {
    scripts/setup.sh scripts/cross/packages.txt
    have "$machine-linux-gnu-gcc" || fail "no compiler for $machine" "apt-get install gcc-$machine-linux-gnu"
    has_std "$triple" || fail "no Rust library for $triple" "rustup target add $triple"
    cross_libraries="$(scripts/cross/libraries.sh "$deb_arch")"
}

# Compiles the program, statically: of libelf and zlib the `.a` of the -dev packages are taken.
build_program() {
    local upper libraries="/usr/lib/$machine-linux-gnu"
    upper="$(printf %s "$triple" | tr 'a-z-' 'A-Z_')"
    step "building the program for $triple (some minutes)"
    if is_cross; then
        libraries="$cross_libraries/usr/lib/$machine-linux-gnu"
        export "CARGO_TARGET_${upper}_LINKER=$machine-linux-gnu-gcc"
        export LIBBPF_SYS_EXTRA_CFLAGS="-idirafter $cross_libraries/usr/include"
    fi
    if [ ! -e "$libraries/libelf.a" ] || [ ! -e "$libraries/libz.a" ]; then
        fail "no static libelf and zlib in $libraries" "they come with Debian's libelf-dev and zlib1g-dev"
    fi
    export "LIBBPF_SYS_LIBRARY_PATH_${triple//-/_}=$libraries"
    # Build scripts, which run here, have libbpf in them as well.
    ! is_cross || export "LIBBPF_SYS_LIBRARY_PATH_$(uname -m)_unknown_linux_gnu=/usr/lib/$(uname -m)-linux-gnu"
    # Packed relocations (DT_RELR), which glibc reads from 2.36 on: half a megabyte less. The flags are
    # for this program alone: what is compiled to run here (`tool`) cannot be linked so.
    # Random numbers come from getrandom(2), which a static program does not find by itself: reading
    # /dev/random instead, a recording waited minutes for its end on a machine that had just booted.
    env "CARGO_TARGET_${upper}_RUSTFLAGS=-C target-feature=+crt-static -C strip=symbols --cfg=getrandom_backend=\"linux_getrandom\"" \
        cargo rustc --locked --profile dist --target "$triple" -p whypause --bin whypause --features static -- \
        -C link-arg=-Wl,-z,pack-relative-relocs
    program="${CARGO_TARGET_DIR:-target}/$triple/dist/whypause"
}

# The median of 20 starts, in microseconds.
start_us() {
    local begun ended
    for _ in {1..20}; do
        begun=${EPOCHREALTIME//[!0-9]/}
        "$1" --version >/dev/null
        ended=${EPOCHREALTIME//[!0-9]/}
        echo $((ended - begun))
    done | sort -n | sed -n 10p
}

# Prints what the program is, and fails where it may not be so.
measure_program() {
    local bytes needed us
    bytes="$(stat -c %s "$program")"
    needed="$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
    step "the program"
    say "  size              $bytes bytes (bar: $most_bytes)"
    say "  shared libraries  ${needed:-none}"
    [ "$bytes" -le "$most_bytes" ] || fail "the program is too large"
    [ -z "$needed" ] || fail "the program needs shared libraries" "is a static library missing?"
    if is_cross; then
        say "  start             left out: it is for $machine"
    else
        us="$(start_us "$program")"
        say "  start             $us µs, the median of 20 (bar: ${most_start_ms}000 µs)"
        [ "$us" -le $((most_start_ms * 1000)) ] || fail "the program starts too slowly"
    fi
}

# Puts everything that packages hold below $stage, as it will be below /.
stage_files() {
    local share="$stage/usr/share" page
    rm -rf "$stage"
    install -D -m 755 "$program" "$stage/usr/bin/whypause"
    for page in packaging/man/*.1; do
        install -D -m 644 "$page" "$share/man/man1/${page##*/}"
    done
    gzip -9n "$share"/man/man1/*
    install -D -m 644 packaging/completions/whypause.bash "$share/bash-completion/completions/whypause"
    install -D -m 644 packaging/completions/_whypause "$share/zsh/site-functions/_whypause"
    install -D -m 644 packaging/completions/whypause.fish "$share/fish/vendor_completions.d/whypause.fish"
    install -D -m 644 -t "$stage/usr/lib/systemd/system" packaging/systemd/*.service
    install -D -m 644 -t "$share/doc/whypause" README.md docs/troubleshooting.md docs/accuracy.md docs/alerts.md
    install -D -m 644 -t "$share/doc/whypause/start" docs/start/*.md
    install -D -m 644 -t "$share/doc/whypause/examples" packaging/kubernetes/*.yaml \
        packaging/grafana/*.json packaging/prometheus/*.yml
    install -D -m 644 -t "$share/doc/whypause" CHANGELOG.md packaging/copyright
}

# Runs a cargo command that is kept in target/tools, so that nothing of the system changes.
# $1: the crate, $2: its version; the rest: the command.
tool() {
    local crate="$1" wanted="$2"
    shift 2
    if [ ! -e "target/tools/$crate-$wanted" ]; then
        step "compiling $crate $wanted into target/tools"
        # Each is run once for a few seconds: what matters is how long it takes to compile.
        CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
            cargo install --quiet --locked --root target/tools "$crate@$wanted"
        touch "target/tools/$crate-$wanted"
    fi
    PATH="$PWD/target/tools/bin:$PATH" "$@"
}

# What cargo is given to read: crates/whypause/Cargo.toml says what is in a package, and the staged
# files of this architecture are found under one name.
link_stage() { ln -sfn "${stage##*/}" "$packages/stage"; }

make_deb() {
    link_stage
    step ".deb"
    tool cargo-deb 3.8.0 cargo deb --quiet --no-build --no-strip -p whypause --target "$triple" \
        --output "$packages/whypause_${version}_$deb_arch.deb"
}

make_rpm() {
    link_stage
    step ".rpm"
    tool cargo-generate-rpm 0.21.1 cargo generate-rpm -p crates/whypause --auto-req disabled \
        --arch "$machine" --output "$packages/whypause-$version-1.$machine.rpm"
    if have rpm && rpm -qp --requires "$packages/whypause-$version-1.$machine.rpm" | grep -vE '^(rpmlib\(|/bin/sh$)'; then
        fail "the .rpm requires other packages"
    fi
}
