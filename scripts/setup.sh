#!/usr/bin/env bash
# Installs what is missing of `packages.txt`, after saying what that is; or of the list that is named.
#
# As root, or with a sudo that asks for no password; otherwise it only says what is missing.
# Set WHYPAUSE_NO_INSTALL to have nothing installed at all.
# Succeeds if the workspace can be built, even if a part has to be left out.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# Whether the thing that a package is wanted for is there already.
holds() {
    case "$1" in
        command:*) have "${1#command:}" ;;
        file:*) [ -e "${1#file:}" ] ;;
        rust) rust_is_there ;;
        jdk) jdk_is_there ;;
        venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        *) fail "packages.txt: unknown proof \`$1\`" ;;
    esac
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Fills `missing`, and `reason` for each of them.
find_missing() {
    local package proof comment
    missing=()
    while read -r package proof comment; do
        case "$package" in '' | '#'*) continue ;; esac
        holds "$proof" || is_installed "$package" || {
            missing+=("$package")
            reason[$package]="${comment#\# }"
        }
    done <"$list"
}

has_candidate() {
    local policy
    policy="$(apt-cache policy "$1" 2>/dev/null)"
    [[ "$policy" == *"Candidate: "* && "$policy" != *"Candidate: (none)"* ]]
}

# Installs `missing`. Fails if something of it could not be installed.
install_missing() {
    local package available=()
    as_root apt-get update -qq || say "warning: the package lists could not be refreshed"
    for package in "${missing[@]}"; do
        if has_candidate "$package"; then
            available+=("$package")
        else
            say "warning: this system offers no package \`$package\`"
        fi
    done
    [ ${#available[@]} -gt 0 ] || return 1
    mkdir -p target
    # --no-remove: a missing package is better than one taken away from somebody else.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends --no-remove "${available[@]}" >target/setup.log 2>&1 || {
        tail -n 5 target/setup.log >&2
        return 1
    }
}

list="${1:-scripts/packages.txt}"
[ -f "$list" ] || fail "no list of packages \`$list\`"
declare -A reason
find_missing
if [ ${#missing[@]} -gt 0 ]; then
    step "missing on this system"
    for package in "${missing[@]}"; do
        say "  $(printf '%-24s' "$package") ${reason[$package]}"
    done
    if [ -n "${WHYPAUSE_NO_INSTALL:-}" ]; then
        say "nothing is installed: WHYPAUSE_NO_INSTALL is set"
    elif ! have apt-get; then
        say "nothing is installed: this system has no apt-get; install what corresponds to these packages"
    elif ! can_be_root; then
        say "nothing is installed: $(why_not_root)"
        say "hint: as root: apt-get install --no-install-recommends ${missing[*]}"
    else
        step "installing them with apt-get (a minute or two; what it prints goes to target/setup.log)"
        install_missing || say "warning: not all of it could be installed"
        hash -r
    fi
fi

rust_is_there || fail "no Rust toolchain of version $(wanted_rust) or newer" \
    "install one with rustup, see https://rustup.rs, and start again"
have cc || fail "no C compiler to link with" "install gcc"
jdk_is_there || say "left out: everything that needs a JVM (no JDK was found)"
