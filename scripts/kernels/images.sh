# shellcheck shell=bash disable=SC2154 # `test-kernels.sh` sets them
# What is booted: a root image, and for each kernel its file, its first files and its modules.

# The guest is a Debian 12 of the least size that can run a JVM and make file systems.
root_suite=bookworm
root_packages=(e2fsprogs xfsprogs btrfs-progs mount kmod procps util-linux libelf1 zlib1g jq iproute2 bubblewrap)

# A kernel needs these to find its disk, and the checks need those.
modules_of_disk=(virtio_pci virtio_blk ext4 crc32c_generic)
modules_of_checks=(loop fuse ext4 xfs btrfs overlay crc32c_generic crc32c_intel)

# Where the root image is, with the JDK package $1.
root_image() { echo "$work/root-$1/image"; }

make_root() {
    local jdk="$1" dir archive
    dir="$(dirname "$(root_image "$jdk")")"
    archive="$(mirror)"
    kept "$dir" "$root_suite" "$jdk" "${root_packages[@]}" && return
    step "root image: Debian $root_suite with $jdk (about three minutes, once)"
    can_be_root || fail "making a root image needs root, and $(why_not_root)"
    as_root rm -rf "$dir.new"
    mkdir -p "$dir.new"
    # Without the folders of manual pages the JDK cannot be installed, so those stay.
    as_root env -u APT_CONFIG mmdebstrap --variant=essential --mode=root \
        --dpkgopt='path-exclude=/usr/share/doc/*' \
        --include="$jdk,$(IFS=,; echo "${root_packages[*]}")" \
        "$root_suite" "$dir.new/root" \
        "deb $archive $root_suite main" "deb $archive-security $root_suite-security main" \
        >"$work/root.log" 2>&1 || fail "mmdebstrap: $(grep -E '^(E|dpkg): ' "$work/root.log" | head -n 1)" "see target/kernels/root.log"
    as_root rm -rf "$dir.new/root/var/cache/apt" "$dir.new/root/var/lib/apt/lists"
    as_root mke2fs -q -t ext4 -m 0 -E lazy_itable_init=1,lazy_journal_init=1,root_owner=0:0 \
        -d "$dir.new/root" "$dir.new/image" 8G
    as_root chown "$(id -u)" "$dir.new/image"
    as_root rm -rf "$dir.new/root"
    made "$dir" "$root_suite" "$jdk" "${root_packages[@]}"
}

# `make_kernel PACKAGE`: `kernel`, `initrd` and `modules/` below kernel_dir.
kernel_dir() { echo "$work/kernel-${1#linux-image-}"; }

make_kernel() {
    local package="$1" version="${1#linux-image-}" dir own part of
    of=("$(version_of "$1")" "${modules_of_disk[*]}" "${modules_of_checks[*]}"
        "$(contents scripts/kernels/guest/{first,init})")
    dir="$(kernel_dir "$package")"
    kept "$dir" "${of[@]}" && return
    step "kernel $version"
    rm -rf "$dir.new"
    mkdir -p "$dir.new/fetched/root"
    own="$dir.new/fetched"
    fetch "$own" "$package" || fail "$package could not be fetched" "see target/kernels/apt/log"
    # Kernels since 7 are in parts.
    for part in "linux-base-$version" "linux-binary-$version" "linux-modules-$version"; do
        [ -z "$(version_of "$part")" ] || fetch "$own" "$part" || fail "$part could not be fetched"
    done
    # Modules may be below /usr/lib, or some files of them.
    [ ! -d "$own/root/usr/lib/modules" ] || { mkdir -p "$own/root/lib"; cp -a "$own/root/usr/lib/modules" "$own/root/lib/"; }
    cp "$(find "$own/root" -name 'vmlinuz*' | head -n 1)" "$dir.new/kernel"
    find "$own/root/lib/modules" -name '*.ko.xz' -exec xz -d {} +
    find "$own/root/lib/modules" -name '*.ko.zst' -exec zstd -q -d --rm {} +
    depmod -b "$own/root" "$version"
    copy_modules "$own/root" "$version" "$dir.new/modules"
    pack_initrd "$own/root" "$version" "$dir.new"
    version_of "$package" >"$dir.new/version"
    rm -rf "$own"
    made "$dir" "${of[@]}"
}

# `files_of ROOT VERSION MODULE...`: their files with those that they need, in the order to load them.
files_of() {
    local root="$1" version="$2" module
    shift 2
    for module in "$@"; do
        modprobe -d "$root" -S "$version" --show-depends "$module" 2>/dev/null || true
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

copy_modules() {
    local root="$1" version="$2" to="$3/$2" file
    mkdir -p "$to"
    for file in $(files_of "$root" "$version" "${modules_of_checks[@]}"); do
        install -D -m 644 "$file" "$to/${file#*/modules/"$version"/}"
    done
    cp "$root/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "$to/"
    mkdir -p "$3/b/lib/modules"
    mv "$to" "$3/b/lib/modules/"
    depmod -b "$3/b" "$version"
    mv "$3/b/lib/modules/$version" "$3/"
    rm -r "$3/b"
}

pack_initrd() {
    local root="$1" version="$2" tree="$3/tree" file number=100
    mkdir -p "$tree"/{bin,proc,sys,dev,root,modules}
    cp /bin/busybox "$tree/bin/"
    for file in $(files_of "$root" "$version" "${modules_of_disk[@]}"); do
        number=$((number + 1))
        cp "$file" "$tree/modules/$number-${file##*/}"
    done
    install -m 755 scripts/kernels/guest/first "$tree/init"
    install -m 755 scripts/kernels/guest/init "$tree/init-of-root"
    (cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$3/initrd"
    rm -r "$tree"
}
