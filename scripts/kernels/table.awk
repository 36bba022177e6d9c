#!/usr/bin/awk -f
# One column for each file (what a guest said), one row for each check of -v order=…; Markdown with
# -v markdown=1.
#
# A file's lines are `KEY VALUE` for its head and `CHECK<tab>VERDICT<tab>WHY<tab>DAY<tab>BUILD` for each
# check; what is of another day or build than the head says so. `cut` says that the guest had no more
# time. Ends with 1 where a check failed or a guest ended early.

BEGIN { FS = "\t" }
{ sub(/\r$/, "") }
FNR == 1 { column++ }
$0 ~ /^(kernel|package|jdk|program|groups|date|build) / {
    head[column, substr($0, 1, index($0, " ") - 1)] = substr($0, index($0, " ") + 1)
    next
}
/^begin / {
    check = substr($0, 7)
    known[check]
    verdict[column, check] = "failed"
    why[column, check] = "the guest ended"
    next
}
/^end / { ended[column] = 1 }
/^cut/ {
    ended[column] = 1
    if (why[column, check] == "the guest ended") { delete verdict[column, check]; delete why[column, check] }
    next
}
NF >= 2 {
    known[$1]
    verdict[column, $1] = $2
    why[column, $1] = $3
    day[column, $1] = $4
    build[column, $1] = $5
}

# Of which day and build a verdict is, where that is not what the head of its column says.
function made(c, check,    of) {
    if (build[c, check] == head[c, "build"] && day[c, check] == head[c, "date"]) return ""
    of = build[c, check] == "" ? "an earlier build" : day[c, check] ", build " build[c, check]
    return head[c, "build"] == "" ? "" : " (" of ")"
}

function name(check) { gsub(/_/, " ", check); return check }

function cell(c, check,    v, because) {
    v = verdict[c, check]
    because = why[c, check]
    if (v == "") return markdown ? "–" : "-"
    if (v != "ok") bad += (v == "failed")
    if (v == "unable") v = "not here"
    if (v == "failed") v = markdown ? "**failed**" : "FAILED"
    if (because == "") return v made(c, check)
    if (markdown) { gsub(/\|/, "\\|", because); return v ": " because made(c, check) }
    if (v != "ok") notes[++noted] = sprintf("%s, %s: %s", head[c, "kernel"], name(check), because)
    return v
}

function row(title, kind,    c, line) {
    line = markdown ? "| " title " |" : sprintf("%-24s", title)
    for (c = 1; c <= column; c++) {
        text = kind == "" ? cell(c, check_now) : head[c, kind]
        line = line (markdown ? " " text " |" : sprintf(" %-28s", text))
    }
    sub(/ +$/, "", line)
    print line
}

END {
    row(markdown ? "Linux" : "", "kernel")
    if (markdown) {
        line = "|---|"
        for (c = 1; c <= column; c++) line = line "---|"
        print line
    }
    row("package version", "package")
    row("JDK", "jdk")
    row("control groups", "groups")
    row("measured", "date")
    for (c = 1; c <= column; c++) has_build = has_build || head[c, "build"] != ""
    if (has_build) row("build", "build")
    rows = split(order, checks, " ")
    for (r = 1; r <= rows; r++) if (checks[r] in known) { check_now = checks[r]; row(name(checks[r]), "") }
    if (noted) print ""
    for (n = 1; n <= noted; n++) print notes[n]
    for (c = 1; c <= column; c++) if (!ended[c]) { print "\n" head[c, "kernel"] ": the guest ended early"; bad++ }
    exit bad > 0
}
