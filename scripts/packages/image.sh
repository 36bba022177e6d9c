#!/usr/bin/env bash
# Makes a container image of nothing but the program and its licence, without a daemon.
#
# scripts/packages/image.sh STAGE ARCHIVE ARCHITECTURE VERSION
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/../lib.sh"

stage="$1" archive="$2" architecture="$3" version="$4"
if ! have umoci; then
    say "left out: the container image (no umoci)"
    exit 0
fi
step "container image"
work="$(mktemp -d target/packages/image.XXXXXX)"
trap 'rm -rf "$work"' EXIT
image="$work/layout:$version"
# The same bytes for the same commit.
created="$(git log -1 --format=%cI 2>/dev/null || date -u +%FT%TZ)"

umoci init --layout "$work/layout"
umoci new --image "$image"
install -D -m 755 "$stage/usr/bin/whypause" "$work/root/usr/bin/whypause"
install -D -m 644 LICENSE "$work/root/usr/share/doc/whypause/LICENSE"
install -D -m 644 packaging/copyright "$work/root/usr/share/doc/whypause/copyright"
umoci insert --rootless --image "$image" "$work/root/usr" /usr
# The user is root: a container gives its capabilities to nobody else. Which ones are needed is in
# docs/start/kubernetes.md; none are for logs and recordings.
umoci config --image "$image" --no-history \
    --created "$created" --architecture "$architecture" --os linux \
    --config.entrypoint /usr/bin/whypause --config.cmd --help \
    --config.env LANG=C.UTF-8 --config.env PATH=/usr/bin --config.user 0:0 --config.workingdir / \
    --config.label org.opencontainers.image.title=whypause \
    --config.label "org.opencontainers.image.description=Finds why a HotSpot JVM was paused, and what to do about it" \
    --config.label "org.opencontainers.image.version=$version" \
    --config.label org.opencontainers.image.licenses=Apache-2.0 \
    --config.label "org.opencontainers.image.created=$created"
umoci gc --layout "$work/layout"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$created" -C "$work/layout" -cf "$archive" .
umoci stat --image "$image" | sed 's/^/  /' >&2
