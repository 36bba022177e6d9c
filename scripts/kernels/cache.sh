# shellcheck shell=bash disable=SC2034 # used by who sources it
# What took long to make is kept in $work, and made again if what it was made of has changed.

# Everything that the kernels' tests make or fetch.
work="$PWD/target/kernels"

# `kept DIR WORD...`: whether DIR was made to its end, and of these words.
kept() {
    local dir="$1"
    shift
    [ "$(cat "$dir/made-of" 2>/dev/null)" = "$(made_of "$@")" ]
}

# `made DIR WORD...`: from now on DIR is kept. It was made as DIR.new.
made() {
    local dir="$1"
    shift
    made_of "$@" >"$dir.new/made-of"
    rm -rf "$dir"
    mv "$dir.new" "$dir"
}

made_of() { printf '%s\n' "$@" | sha256sum | cut -d ' ' -f 1; }

# The files' contents as one word.
contents() { cat "$@" | sha256sum | cut -d ' ' -f 1; }
