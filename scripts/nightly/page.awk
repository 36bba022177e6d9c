#!/usr/bin/awk -f
# The table of docs/nightly.md: the rows that a page has, and newer results instead of them.
#
# -v order=… names the parts that there are. A file is a page, or has results of scripts/pieces.sh; a
# later line counts. With -v tsv=1 what is known is printed in the form of the latter.

function keep(part, how, took, date, of) {
    result[part] = how
    seconds[part] = took
    day[part] = date
    build[part] = of
}

/^\| / {
    count = split($0, cell, / *\| */)
    if (count == 7 && cell[4] ~ /^[0-9]+$/) keep(cell[2], cell[3], cell[4], cell[5], cell[6])
    next
}

/\t/ {
    split($0, cell, /\t/)
    why = cell[6]
    # a bar would end the cell
    gsub(/\|/, "/", why)
    keep(cell[1], cell[2] == "skipped" ? "SKIPPED: " why : cell[2], cell[3], cell[4], cell[5])
}

function as_tsv(part,    why, how) {
    if (!(part in result)) return
    why = result[part]
    how = sub(/^SKIPPED: /, "", why) ? "skipped" : result[part]
    printf "%s\t%s\t%s\t%s\t%s", part, how, seconds[part], day[part], build[part]
    print how == "skipped" ? "\t" why : ""
}

function as_row(part) {
    printf "| %s | %s ", part, part in result ? result[part] : "not run yet"
    if (part in result) printf "| %s | %s | %s |\n", seconds[part], day[part], build[part]
    else print "| | | |"
}

END {
    count = split(order, parts, " ")
    if (!tsv) print "| Part | Result | Seconds | Date (UTC) | Build |\n|---|---|---:|---|---|"
    for (at = 1; at <= count; at++) {
        if (tsv) as_tsv(parts[at])
        else as_row(parts[at])
    }
}
