#!/usr/bin/env bash
# Makes what is published of the Java libraries, signed, in the form of a Maven repository, and looks
# at it as a public repository does that takes it or refuses it.
#   scripts/publish-java.sh [--key KEY] [DIR]     DIR: target/publish
# Without --key it signs with a key that is made for this and thrown away: a rehearsal.
# --twice: builds it a second time and compares all jars byte by byte.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

out="target/publish"
key=""
twice=""
while [ $# -gt 0 ]; do
    case "$1" in
        --key) key="${2:?--key needs a key}"; shift 2 ;;
        --twice) twice=1; shift ;;
        -*) fail "what is \`$1\`?" "scripts/publish-java.sh [--key KEY] [--twice] [DIR]" ;;
        *) out="$1"; shift ;;
    esac
done
for what in mvn gpg python3; do
    have "$what" || { say "SKIPPED: publishing the Java libraries: no $what"; exit 0; }
done
mkdir -p "$out"
out="$(cd "$out" && pwd)"
work="$(mktemp -d)"
finish() {
    [ -n "$key" ] || GNUPGHOME="$work/gpg" gpgconf --kill all 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
sign=()
if [ -z "$key" ]; then
    mkdir -m 700 "$work/gpg"
    export GNUPGHOME="$work/gpg"
    gpg --batch --quiet --pinentry-mode loopback --passphrase '' \
        --quick-generate-key 'whypause rehearsal <nobody@invalid>' default default 1d
else
    sign=(-Dgpg.keyname="$key")
fi

# Builds into the repository "$1".
build() {
    rm -rf "$1"
    timeout 1800 mvn -B -f java/pom.xml -P release,sign clean deploy -DskipTests "${sign[@]}" \
        -DaltDeploymentRepository="here::file://$1" >"$out.log" 2>&1 </dev/null && return
    if grep -q -E 'Could not (transfer|find) artifact|UnknownHost|Unknown host|Connection refused' "$out.log"; then
        say "SKIPPED: publishing the Java libraries: what they are built with could not be downloaded"
        exit 0
    fi
    grep '^\[ERROR\]' "$out.log" | head -n 20 >&2 || true
    fail "the build failed; all output is in $out.log"
}

build "$out"
python3 scripts/check-published.py "$out"
if [ -n "$twice" ]; then
    build "$work/again"
    result=0
    while read -r jar; do
        cmp "$out/$jar" "$work/again/$jar" || result=1
    done < <(cd "$out" && find . -name '*.jar' -o -name '*.pom' | sort)
    [ "$result" = 0 ] || fail "two builds differ"
    say "two builds are the same, byte by byte"
fi
