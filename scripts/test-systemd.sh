#!/usr/bin/env bash
# Boots Debian with systemd in QEMU, and looks whether what `whypause fix` does through systemd works:
# drop-ins, the mount unit, limits of units, the keeper's service; each applied, seen to work, undone,
# and a reboot between. Prints a line for each check; ends with 1 where one failed.
#
# Environment: PROGRAM (default: target/release/whypause, which is built), MIRROR, LIMIT (seconds, 1500).
# Without KVM, which takes ten minutes.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/kernels/cache.sh
source scripts/kernels/cache.sh
# shellcheck source=scripts/kernels/debian.sh
source scripts/kernels/debian.sh
# shellcheck source=scripts/kernels/images.sh
source scripts/kernels/images.sh

jdk=openjdk-17-jre-headless
program="${PROGRAM:-target/release/whypause}"
root_packages+=(systemd systemd-sysv dbus passwd zstd)
root_image() { echo "$work/root-systemd-$1/image"; }

[ "$(uname -m)" = x86_64 ] || fail "the guest is x86-64, and this host is $(uname -m)"
scripts/setup.sh scripts/kernels/packages.txt
[ -n "${PROGRAM:-}" ] || scripts/build.sh
mkdir -p "$work"
make_root "$jdk"
prepare_apt
package="$(package_of 6.1)"
make_kernel "$package"

out="$work/out/systemd"
rm -rf "$out"
mkdir -p "$out/in/java"
install -m 755 "$program" "$out/in/whypause"
cp scripts/systemd/guest.sh "$out/in/"
cp packaging/systemd/*.service "$out/in/"
cp -r "$(kernel_dir "$package")/modules" "$out/in/"
javac --release 17 -d "$out/in/java" crates/testing/java/Alloc.java
tar -C "$out/in" --owner 0 --group 0 -cf "$out/in.tar" .
truncate -s %1M "$out/in.tar"
truncate -s 2G "$out/disk"

# No `-no-reboot`: the guest reboots, and its disk stays what it was.
TMPDIR="$out" timeout --foreground "${LIMIT:-1500}" qemu-system-x86_64 -accel tcg,thread=single,tb-size=512 \
    -cpu Nehalem -smp 2 -m 2G -nodefaults -display none \
    -serial "file:$out/console" -serial "file:$out/said" \
    -kernel "$(kernel_dir "$package")/kernel" -initrd "$(kernel_dir "$package")/initrd" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check boot=systemd systemd.show_status=0" \
    -drive "file=$(root_image "$jdk"),format=raw,if=virtio,snapshot=on,cache=unsafe" \
    -drive "file=$out/in.tar,format=raw,if=virtio,readonly=on" \
    -drive "file=$out/disk,format=raw,if=virtio,cache=unsafe" </dev/null >"$out/qemu" 2>&1 || true

tr -d '\r' <"$out/said"
grep -q '^end' "$out/said" || fail "the guest ended early" "see ${out#"$PWD"/}/console"
! grep -q '	failed' "$out/said" || exit 1
