# shellcheck shell=bash
# Long work in pieces: each part that is done is kept with its result, and the same build does not do
# it again. Source it after lib.sh.
#
# A file of results has a line for each part that was done: its name, `ok`, `failed` or `skipped`, the
# seconds it took, the day, the build, and why it was skipped, with tabs between them. Where all parts
# asked for are done their lines go to FILE.last, so that the next start begins anew; so does RESUME=0.

# No part begins that would not end within so many seconds.
piece_limit="${LIMIT:-2100}"

# Commit, and a sum of what was changed since: what is kept of another build counts for nothing. The
# page of results is no part of it, or it would be of another build as soon as it is written.
this_build() {
    local commit what=(HEAD -- . ':!docs/nightly.md')
    commit="$(git rev-parse --short=12 HEAD 2>/dev/null)" || { echo unknown; return; }
    if git diff --quiet "${what[@]}" 2>/dev/null; then
        echo "$commit"
    else
        echo "$commit+$(git diff "${what[@]}" 2>/dev/null | sha256sum | head -c 8)"
    fi
}

# `result_of FILE BUILD PART`: the last result, or nothing.
result_of() {
    [ ! -f "$1" ] || awk -F '\t' -v build="$2" -v part="$3" '$1 == part && $5 == build { result = $2 } END { print result }' "$1"
}

# `seconds_of FILE PART`: what it took the last time, or what a part takes; or a minute.
seconds_of() {
    local file files=()
    for file in "$1.last" "$1"; do [ ! -f "$file" ] || files+=("$file"); done
    awk -F '\t' -v part="$2" '
        { sum += $3; parts++ }
        $1 == part { took = $3; known = 1 }
        END { print known ? took : parts ? int(sum / parts) : 60 }' "${files[@]}" </dev/null
}

# `in_pieces FILE FUNCTION PART...`: calls FUNCTION with each part of which FILE has no result. Where it
# returns 4 the part was skipped, and `why` may say why; where it returns 3 the part itself has some left.
# Returns 1 where one failed, and 3 where some are left for want of time.
in_pieces() {
    local file="$1" act="$2" build part number=0 tried=0 begun=$SECONDS from left expected status why
    shift 2
    [[ "$piece_limit" =~ ^[0-9]+$ ]] || fail "LIMIT is \`$piece_limit\`" "LIMIT=SECONDS"
    build="$(this_build)"
    mkdir -p "$(dirname "$file")"
    [ "${RESUME:-1}" != 0 ] || rm -f "$file"
    for part in "$@"; do
        number=$((number + 1))
        if [ -n "$(result_of "$file" "$build" "$part")" ]; then
            say "$number of $#: $part: $(result_of "$file" "$build" "$part"), kept in $file"
            continue
        fi
        expected="$(seconds_of "$file" "$part")"
        # The first always begins, or a part longer than the limit would never be done.
        if [ "$tried" -gt 0 ] && [ $((SECONDS - begun + expected)) -gt "$piece_limit" ]; then
            say "$((number - 1)) of $# done; start it again to go on"
            return 3
        fi
        left="$(seconds_left "$file" "$build" "$@")"
        step "$number of $#: $part; about $(((left + 59) / 60)) min left"
        from=$SECONDS status=0 why="" tried=$((tried + 1))
        "$act" "$part" || status=$?
        case "$status" in
            0) keep_part ok ;;
            3)
                say "$((number - 1)) of $# done; start it again to go on"
                return 3
                ;;
            4) keep_part skipped ;;
            *) keep_part failed ;;
        esac
    done
    end_pieces "$file" "$build" "$@"
}

# What all parts without a result will take, in seconds.
seconds_left() {
    local file="$1" build="$2" part sum=0
    shift 2
    for part in "$@"; do
        [ -n "$(result_of "$file" "$build" "$part")" ] || sum=$((sum + $(seconds_of "$file" "$part")))
    done
    echo "$sum"
}

# Of the part under way in `in_pieces`.
keep_part() {
    printf '%s\t%s\t%s\t%s\t%s%s\n' "$part" "$1" "$((SECONDS - from))" "$(date -u +%F)" "$build" \
        "${why:+$'\t'$why}" >>"$file"
}

end_pieces() {
    local file="$1" build="$2" part failures=()
    shift 2
    for part in "$@"; do
        [ "$(result_of "$file" "$build" "$part")" != failed ] || failures+=("$part")
    done
    # Those of a longer run that was cut stay.
    printf '%s\n' "$@" | awk -F '\t' -v last="$file.last.new" -v rest="$file.new" '
        NR == FNR { asked[$0]; next }
        { print > ($1 in asked ? last : rest) }' - "$file"
    mv "$file.last.new" "$file.last"
    if [ -f "$file.new" ]; then mv "$file.new" "$file"; else rm "$file"; fi
    say "$# of $# done; each result is a line of $file.last"
    [ ${#failures[@]} -eq 0 ] || { say "failed: ${failures[*]}"; return 1; }
}
