# shellcheck shell=bash disable=SC2154 # `test-kernels.sh` sets them
# Packages of several Debian suites, without touching what this host has of apt.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Each has other kernels: 5.10, 6.1, 6.12, and the newest.
suites=(bullseye bookworm trixie forky sid experimental)

# Package lists are fetched anew after this many minutes.
lists_last_min=720

# The archive that this host itself uses, unless MIRROR names one.
mirror() {
    local found="${MIRROR:-}"
    # shellcheck disable=SC2016 # it is apt that puts something there
    [ -n "$found" ] || found="$(env -u APT_CONFIG apt-get indextargets --format '$(REPO_URI)' 2>/dev/null |
        grep -m 1 -E '/debian/?$')" || true
    [ -n "$found" ] || fail "not known where this host gets Debian's packages" "name the archive: MIRROR=http://…/debian"
    echo "${found%/}"
}

# The security archive beside it, for the suites that have one.
sources() {
    local suite archive="$1"
    for suite in "${suites[@]}"; do
        echo "deb [signed-by=$keyring] $archive $suite main"
        case "$suite" in
            bookworm | trixie) echo "deb [signed-by=$keyring] $archive-security $suite-security main" ;;
        esac
    done
}

# A directory of apt's own, with the lists of all suites.
prepare_apt() {
    local apt="$work/apt"
    export APT_CONFIG="$apt/apt.conf"
    if [ -n "$(find "$apt/fetched" -mmin -$lists_last_min 2>/dev/null)" ]; then return; fi
    step "package lists of ${suites[*]}"
    mkdir -p "$apt"/{etc/apt.conf.d,etc/preferences.d,lists/partial,cache/archives/partial}
    sources "$(mirror)" >"$apt/sources.list"
    # A mirror may lag behind the day on which a list says it expires; signatures count all the same.
    cat >"$APT_CONFIG" <<CONFIG
Dir::Etc "$apt/etc";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$apt/lists";
Dir::State::Status "/dev/null";
Dir::Cache "$apt/cache";
APT::Architecture "amd64";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
CONFIG
    apt-get -qq update >"$apt/log" 2>&1 ||
        say "warning: not all package lists could be fetched; see target/kernels/apt/log"
    touch "$apt/fetched"
}

# `package_of NAME`: the newest kernel whose version begins so, as `6.1`; or of all, as `newest`;
# or the package of this name.
package_of() {
    local name="$1" begin found
    case "$name" in
        linux-image-*) echo "$name"; return ;;
        newest) begin='[0-9]' ;;
        *[!0-9.]* | '') fail "no kernel is called \`$name\`" "a version, as 6.1; newest; or a package, as linux-image-6.1.0-56-cloud-amd64" ;;
        *) begin="${name//./\\.}([.+-]|\$)" ;;
    esac
    while read -r found; do
        # Some packages only depend on the newest of their kind.
        if ! apt-cache show "linux-image-$found-cloud-amd64" | grep -q '^Depends: linux-image-'; then
            echo "linux-image-$found-cloud-amd64"
            return
        fi
    done < <(apt-cache pkgnames linux-image- | sed -n 's/^linux-image-\([0-9].*\)-cloud-amd64$/\1/p' |
        grep -E "^$begin" | sort -rV)
    fail "no suite has a kernel $name" "suites: ${suites[*]}; 5.15 is in none of them"
}

# `version_of PACKAGE`: its version, which changes where its name does not.
version_of() { apt-cache show --no-all-versions "$1" 2>/dev/null | sed -n 's/^Version: //p'; }

# `fetch DIR PACKAGE`: unpacked into DIR/root.
fetch() {
    (cd "$1" && apt-get -qq download "$2" >>"$work/apt/log" 2>&1) || return 1
    dpkg-deb -x "$1"/"$2"_*.deb "$1/root"
    rm "$1"/"$2"_*.deb
}
