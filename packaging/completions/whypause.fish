# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_whypause_global_optspecs
    string join \n color= h/help V/version
end

function __fish_whypause_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_whypause_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_whypause_using_subcommand
    set -l cmd (__fish_whypause_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c whypause -n "__fish_whypause_needs_command" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_needs_command" -s V -l version -d 'Print version'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "record" -d 'Record a running JVM and why it pauses'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "explain" -d 'Explain the pauses of a recording or a GC log'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "watch" -d 'Print each long pause of a running JVM as it ends, with its cause'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "doctor" -d 'Find what may stop a JVM before it happens, from its flags, files, limits and the kernel\'s settings'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "compare" -d 'Compare two runs, and separate changes from noise'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "fleet" -d 'Find what many hosts have in common, and what changed on which of them'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "check" -d 'Fail where a run breaks a limit, for CI'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "fix" -d 'Apply a remedy, verify it, undo it'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "ps" -d 'List the JVMs of this host'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "cause" -d 'Show the page of a cause of pauses'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "schema" -d 'Print the JSON Schema of `explain --format json`, or of `watch --json`'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "lab" -d 'Make a pause happen on purpose, diagnose it, fix it, compare'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "completions" -d 'Print the completions of a shell'
complete -c whypause -n "__fish_whypause_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c whypause -n "__fish_whypause_using_subcommand record" -s p -l pid -d 'Process id, or a part of the main class if only one JVM has it' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -l match -d 'The same by name only: a part of the main class or jar' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -l user -d 'Only a JVM that this user runs, by name or number (in a container by number alone); a main class can be imitated by any user, the user cannot' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -l service -d 'Only a JVM of this service of systemd: `kafka.service`' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -s d -l duration -d 'How long to record, from 100ms to 7d [default: 60s; with a command, until it ends]' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -s o -l output -d 'Directory to write to; must be new or empty [default: a new one in memory, on tmpfs]' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand record" -l detail-over -d 'Keep every thread\'s activity for pauses of at least this, from 0s to 1m; totals for all others' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -l stalls-over -d 'Report threads that cannot run on for at least this while the JVM is not stopped, from 1ms to 1m; or none' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -l max-size -d 'Keep the recording below this, at least 1M (K, M, G: powers of 1024); detail goes first' -r
complete -c whypause -n "__fish_whypause_using_subcommand record" -l html -d 'Also write a page to look at: a new HTML file, as `explain --format html` does' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand record" -l windows -d 'How the beginning and end of a pause are seen' -r -f -a "auto\t'The best that this JVM has'
usdt\t'USDT probes of libjvm'
symbols\t'Functions in libjvm\'s symbol table'"
complete -c whypause -n "__fish_whypause_using_subcommand record" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand record" -l self-cost -d 'Let the kernel measure what recording costs it (adds about 50 ns to each event)'
complete -c whypause -n "__fish_whypause_using_subcommand record" -l redact -d 'Record path-1, host-1, … instead of paths, arguments, and names of hosts, users and control groups; of the GC log only the lines that are used'
complete -c whypause -n "__fish_whypause_using_subcommand record" -l without-ebpf -d 'Sample the threads from /proc as a user without privileges must: causes are only inferred'
complete -c whypause -n "__fish_whypause_using_subcommand record" -l ask-jvm -d 'Attach to the JVM, which stops for that at the beginning, for the full names of its threads; with eBPF and JDK 9 or later also for the code that late threads run; if any was late, `record` requests a thread dump at the end, and the JVM stops until the late thread has stopped; where threads stall for a second and more, one is requested meanwhile, at most every 5 s'
complete -c whypause -n "__fish_whypause_using_subcommand record" -l log-safepoints -d 'Have the JVM (JDK 9 or later) log its safepoints, in memory, while it is recorded'
complete -c whypause -n "__fish_whypause_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l at -d 'Of the recordings that `whypause watch --keep DIR` has kept, explain that of this time: 04:12, 04:12:33, 2026-11-30 04:12, 2026-11-30' -r
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l format -d 'How to write the answer; of several inputs JSON is one document, and CSV and rows are one table; of a directory of kept recordings HTML shows all on one time line' -r -f -a "text\t'For people'
json\t'For programs; the schema only grows'
markdown\t'For tickets and post-mortems'
html\t'To look at: one file with all pauses, which opens in a browser'
perfetto\t'A trace for Perfetto\'s viewer (ui.perfetto.dev) and Firefox Profiler'
csv\t'One row per pause'
parquet\t'Rows as a Parquet file, for DuckDB, Spark, pandas and the like'
arrow\t'The same rows as a stream of Arrow IPC, for a pipe'"
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l table -d 'Which rows --format parquet and --format arrow write [default: pauses]' -r -f -a "pauses\t'one row for each stop-the-world pause, and for each hiccup'
stalls\t'one row for each episode of threads that stood while the JVM ran'
hours\t'one row for each JVM and hour, with sums and a histogram that merge'"
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l host -d 'Name of the host in rows [default: that of the recording, or of the host that is watched]' -r
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l cluster -d 'Name of the cluster in rows' -r
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l label -d 'A label of the host in rows, such as deploy=b or rack=r7; may be given up to 32 times' -r
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l over -d 'List pauses of at least this, from 0s to 7d [default: 50ms; all that a watch has kept]' -r
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l zone -d 'Show times of day in this zone: local, utc, log (that of the dates in the GC log, UTC if it has none), or a name such as Europe/Berlin; JSON and CSV have UTC [default: local]' -r
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l full -d 'Everything that is known, and not only what fits a screen'
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l all-pauses -d 'List every pause, and not only the longest: a log is read again for that, and of a pipe the longest million or so are listed'
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l utc -d 'Show times of day in UTC; the same as --zone utc'
complete -c whypause -n "__fish_whypause_using_subcommand explain" -l redact -d 'Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …'
complete -c whypause -n "__fish_whypause_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -s p -l pid -d 'Process id, or a part of the main class if only one JVM has it' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l match -d 'The same by name only: a part of the main class or jar' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l user -d 'Only a JVM that this user runs, by name or number (in a container by number alone); a main class can be imitated by any user, the user cannot' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l service -d 'Only a JVM of this service of systemd: `kafka.service`' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l over -d 'Print pauses, and stalls of threads while the JVM runs, of at least this, from 1ms to 7d' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l stalls-over -d 'Report threads that cannot run on for at least this while the JVM is not stopped, from 1ms to 1m; or none' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l zone -d 'Show times of day in this zone: local, utc, log (that of the dates in the GC log, UTC if it has none), or a name such as Europe/Berlin; JSON and CSV have UTC [default: local]' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -s d -l duration -d 'How long to watch, from 100ms to 7d [default: until Ctrl-C]' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l serve -d 'Serve a page that shows each pause as it ends, at an address that is printed and cannot be guessed; a PORT alone is one of 127.0.0.1, 0 any that is free. With --wait it stays the same, with --all it is one page of all JVMs' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l metrics -d 'Let Prometheus read numbers of all stops from http://ADDRESS:PORT/metrics: seconds stopped by cause, a histogram; a PORT alone is one of 127.0.0.1' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l otlp -d 'Send the same numbers to an OpenTelemetry collector every 15 s, by OTLP over HTTP without TLS: `http://HOST[:4318][/v1/metrics]`' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l keep -d 'Keep the worst pauses and stalls as recordings of the 15 s before, the pause and a second after, in this directory, one of your own: `whypause explain DIR` lists them' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l keep-size -d 'Bytes that all of them may take, at least 16M' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l keep-age -d 'How old they may become, from 1m to 365d' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l keep-worst -d 'How many pauses, and how many stalls, of one JVM in an hour: the longest, and beside them the longest of each cause' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l rows -d 'Write a row of every pause, also of those that --over does not print, of every stall, and sums by hour as Parquet below this directory, one of your own: DIR/pauses/date=YYYY-MM-DD/host=NAME/part-….parquet, and stalls and hours likewise, for `whypause fleet DIR`, DuckDB and Spark' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l rows-every -d 'How often a file of them is completed, from 1s to 1h: what a killed watch loses at most' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l rows-size -d 'Bytes that all of them of this host may take, at least 16M: the oldest go first' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l rows-age -d 'How old they may become, from 1h to 3650d' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l host -d 'Name of the host in rows [default: that of the recording, or of the host that is watched]' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l cluster -d 'Name of the cluster in rows' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l label -d 'A label of the host in rows, such as deploy=b or rack=r7; may be given up to 32 times' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l format -d 'How to print each pause and each stall as it ends: a line of text, or a JSON object on a line' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l exec -d 'Start this command for pauses and stalls, with a JSON object on its standard input, as in --json; words are split as a shell does it, nothing is expanded, and no shell is used. It has 10 s and no capabilities' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l webhook -d 'POST the same object to this URL: `http://` or `https://`. A file has it in its first line [default: $WHYPAUSE_WEBHOOK]' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l webhook-format -d 'What the webhook takes; PagerDuty\'s routing key is $WHYPAUSE_PAGERDUTY_KEY, or in the second line of the file [default: by the host in the URL]' -r -f -a "json\t'The object itself'
slack\t'An incoming webhook of Slack, or of what takes the same'
pagerduty\t'Events API v2 of PagerDuty'"
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l alert-every -d 'Send no more than one alert in this time, from 100ms to 1d; the longest of those that came meanwhile is sent, with the number of the others [default: 10s]' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l alert-over -d 'Send alerts of pauses and stalls of at least this, from 1ms to 7d [default: that of --over]' -r
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l wait -d 'Wait until one JVM has this name, and for the next one when it exits: for a service'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l all -d 'Watch all JVMs of this host, or those that --match names, as they come and go: up to 64'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l utc -d 'Show times of day in UTC; the same as --zone utc'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l redact -d 'Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l keep-now -d 'Have the watches with --keep that run here keep the last 15 s now, as SIGUSR1 does'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l without-ebpf -d 'Sample the threads from /proc as a user without privileges must: causes are only inferred'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l ask-jvm -d 'Attach to the JVM, which stops for that at the beginning, for the full names of its threads; with eBPF and JDK 9 or later also for the code that late threads run; if any was late, `record` requests a thread dump at the end, and the JVM stops until the late thread has stopped; where threads stall for a second and more, one is requested meanwhile, at most every 5 s'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -l log-safepoints -d 'Have the JVM (JDK 9 or later) log its safepoints, in memory, while it is recorded'
complete -c whypause -n "__fish_whypause_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -s p -l pid -d 'Process id, or a part of the main class if only one JVM has it' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l match -d 'The same by name only: a part of the main class or jar' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l user -d 'Only a JVM that this user runs, by name or number (in a container by number alone); a main class can be imitated by any user, the user cannot' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l service -d 'Only a JVM of this service of systemd: `kafka.service`' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l flags -d 'Check flags that no JVM has yet, in one argument: \'-Xmx4g -Xlog:gc:file=gc.log\'' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l jdk -d 'The version of the JDK that will get them: 17, 1.8.0_412' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l format -d 'How to write the answer' -r -f -a "text\t'For people'
json\t'For programs; the schema only grows'
sarif\t'For servers that show findings of tools: SARIF 2.1.0'"
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l fail-on -d 'Exit with 1 where a hazard is found that is not accepted: any, likely, none, or ID,ID,…' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l accept -d 'Accept this hazard, or this cause with all its hazards; can be given several times' -r
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l accept-file -d 'Read accepted ids from this file, a line each: `ID # reason` [default: .whypause-accept here and /etc/whypause/accepted, where they are]' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -l redact -d 'Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …'
complete -c whypause -n "__fish_whypause_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand compare" -l format -d 'How to write the answer' -r -f -a "text\t'For people'
json\t'For programs; the schema only grows'
markdown\t'For tickets and post-mortems'
html\t'To look at: one file, which opens in a browser'
csv\t'One row per number'"
complete -c whypause -n "__fish_whypause_using_subcommand compare" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand compare" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand compare" -l redact -d 'Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …'
complete -c whypause -n "__fish_whypause_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l inventory -d 'A CSV file of what is known of the hosts: a column `host`, and others such as `cluster`, `kernel`, `rack` or `deploy`, by which hosts are compared' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l sql -d 'Answer this query in SQL: tables pauses, hours and stalls, and views such as worst_hosts, by DuckDB (takes Python with `pip install \'whypause[fleet]\'`)' -r
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l python -d 'The Python that answers --sql' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l format -d 'How to write the answer' -r -f -a "text\t'For people'
json\t'For programs; the schema only grows'
html\t'To look at: one file, which opens in a browser'
csv\t'For tables; of an answer to `--sql`'"
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l zone -d 'Show times of day in this zone: local, utc, log (that of the dates in the GC log, UTC if it has none), or a name such as Europe/Berlin; JSON and CSV have UTC [default: local]' -r
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l full -d 'Everything that is known, and not only what fits a screen'
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -l utc -d 'Show times of day in UTC; the same as --zone utc'
complete -c whypause -n "__fish_whypause_using_subcommand fleet" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand check" -l fail-if -d 'Fail where this is true, such as \'p99>200ms\'; can be given several times' -r
complete -c whypause -n "__fish_whypause_using_subcommand check" -l format -d 'How to write the answer' -r -f -a "text\t'For people'
json\t'For programs; the schema only grows'
junit\t'For CI servers: JUnit XML'
github\t'For GitHub Actions: an annotation for each gate that failed or cannot be judged'"
complete -c whypause -n "__fish_whypause_using_subcommand check" -l junit -d 'Write JUnit XML to this file as well' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand check" -l zone -d 'Show times of day in this zone: local, utc, log (that of the dates in the GC log, UTC if it has none), or a name such as Europe/Berlin; JSON and CSV have UTC [default: local]' -r
complete -c whypause -n "__fish_whypause_using_subcommand check" -l accept -d 'Accept this hazard, or this cause with all its hazards; can be given several times' -r
complete -c whypause -n "__fish_whypause_using_subcommand check" -l accept-file -d 'Read accepted ids from this file, a line each: `ID # reason` [default: .whypause-accept here and /etc/whypause/accepted, where they are]' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand check" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand check" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand check" -l exit-zero -d 'Exit with 0 whatever became of the gates; input that cannot be read is an error all the same'
complete -c whypause -n "__fish_whypause_using_subcommand check" -l utc -d 'Show times of day in UTC; the same as --zone utc'
complete -c whypause -n "__fish_whypause_using_subcommand check" -l redact -d 'Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …'
complete -c whypause -n "__fish_whypause_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -s p -l pid -d 'Process id, or a part of the main class if only one JVM has it' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l match -d 'The same by name only: a part of the main class or jar' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l user -d 'Only a JVM that this user runs, by name or number (in a container by number alone); a main class can be imitated by any user, the user cannot' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l service -d 'Only a JVM of this service of systemd: `kafka.service`' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l verify -d 'Record this long before and after, and compare, from 1s to 1h' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l quota -d 'cfs-advice: what this quota would do, in CPUs such as 1.4' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l burst -d 'cfs-advice: what this burst would do' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l gc-threads -d 'cfs-advice: what this number of stop-the-world GC threads would do' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l from -d 'Do not record: list what would help by this recording or GC log; also for cfs-advice (a recording) and g1-advice' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand fix" -s d -l duration -d 'How long to record for the list, cfs-advice and g1-advice, from 1s to 1h' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l process -d 'background-io: the process to limit [default: the one that writes most to the GC log\'s disk]' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l unit -d 'background-io: the systemd unit to limit' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l limit -d 'background-io: write limit per second (K, M, G: powers of 1024) [default: half of what it writes]' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l footprint -d 'thp-tuner, heap-residency: memory that the JVM may need in total [default: its largest heap and a quarter of it]' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l group-limit -d 'heap-residency: raise the memory limit of the JVM\'s control group to this' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l period -d 'How often a log is copied [default: 5s], or memory checked by thp-tuner [default: 2s]; from 100ms to 1h' -r
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l format -d 'How to write the list or plan' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l apply -d 'Apply the plan; previous values are saved first'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l undo -d 'Undo what was applied: this remedy, or all'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l dry-run -d 'thp-tuner: only print what it would do, until stopped'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l print -d 'Print the commands that would undo everything, without running them'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l hard -d 'heap-residency: memory.min in place of memory.low, at the risk of the OOM killer'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l foreground -d 'gc-log-keeper: copy in this process until stopped, for a service'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand fix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand ps" -l format -d 'How to write the list' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand ps" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand ps" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand ps" -l redact -d 'Replace paths, arguments, and names of hosts, users and control groups by path-1, host-1, …'
complete -c whypause -n "__fish_whypause_using_subcommand ps" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand cause" -l format -d 'How to write the list or the page' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand cause" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand cause" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand cause" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand schema" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "list" -d 'List the scenarios, and what this host lacks for each'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "demo" -d 'Make two pauses happen, explain them, and make them go away (about three minutes)'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "run" -d 'Run a scenario: baseline, fault and fixes, side by side'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "hold" -d 'Keep a fault going, so that something can be tried on it'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "disk" -d 'Run a command with a slow disk of its own, and remove the disk when it has ended'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "matrix" -d 'Run all scenarios with all JDKs, and count how often the answers are right'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "sweep" -d 'Run a load under CPU quotas with several numbers of GC threads, and print the tables'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "reproduce" -d 'Make the figures and tables of the documents behind this program again, on this host'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "clean" -d 'Undo what a killed run left behind'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and not __fish_seen_subcommand_from list demo run hold disk matrix sweep reproduce clean help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from list" -l format -d 'How to write the list' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from list" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from list" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from demo" -l keep -d 'Keep recordings, logs and answers here; new or empty [default: a new one in memory, on tmpfs]' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from demo" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from demo" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from demo" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l variants -d 'Only these variants, separated by commas [default: all]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l jdk -d 'JDKs by feature release or home, separated by commas [default: 17, or the newest]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l collector -d 'The collector: g1, parallel or serial [default: the scenario\'s first]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -s d -l duration -d 'How long each variant is recorded, from 1s to 1h [default: the scenario\'s own time]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l runs -d 'How often to run each variant, from 1 to 1000' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l keep -d 'Keep recordings, logs and answers in this directory' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l format -d 'How to write the results' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l unprivileged -d 'Record with no more rights than the JVM has itself, thus without eBPF'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l verify-writes -d 'Also measure blocked writes to the GC log in another way, and compare'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -l variant -d 'Which of its variants' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -l jdk -d 'The JDK by feature release or home [default: 17, or the newest]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -l collector -d 'The collector: g1, parallel or serial [default: the scenario\'s first]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -s d -l duration -d 'For how long, from 1s to 1h [default: until Ctrl-C, or until the command ends]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from hold" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from disk" -l write-limit -d 'How much the disk writes in a second, from 4K on' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from disk" -l size -d 'How large it is, from 64M on; what is not zero on it is held in memory' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from disk" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from disk" -l busy -d 'Have another process write to it as fast as it can'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from disk" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from disk" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l jdk -d 'JDKs by feature release or home, separated by commas [default: all found]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l variants -d 'Only these variants, separated by commas [default: all, or those of --short]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l collectors -d 'Of the collectors that make sense only these, separated by commas: g1, parallel, and serial, which runs only on request' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l rights -d 'Record only with these rights [default: with both at the same time]' -r -f -a "privileged\t'Those of the lab, which may use eBPF'
unprivileged\t'No more than the JVM has itself'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -s d -l duration -d 'How long each variant is recorded, from 1s to 1h [default: the scenario\'s own time]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l runs -d 'How often to run each variant, from 1 to 1000' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l results -d 'Add each run to this file as it ends, and do not repeat those that it has' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l for -d 'Begin no run that would not end within this, from 1m to 24h; start it again to go on' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l keep -d 'Keep recordings, logs and answers in this directory' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l format -d 'How to write the results; the text is Markdown' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l short -d 'One JDK and collector, baseline and fault only, a few seconds each'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from matrix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l jdk -d 'The JDK by feature release or home [default: 17, or the newest]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -s d -l duration -d 'How long the load runs for each pair, in whole seconds [default: 8s, or 4s if quick]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l format -d 'How to write the results' -r -f -a "text\t'For people'
json\t'For programs'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l svg -d 'Also draw four pictures into this directory' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l quick -d 'Fewer quotas and numbers of threads, for half as long: a minute instead of five'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l json -d 'The short form of --format json'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from reproduce" -l jdk -d 'The JDK by feature release or home, from 9 on [default: 17, or the newest]' -r
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from reproduce" -s o -l output -d 'Where the page, the figures (SVG) and the numbers (JSON) go; what is there of other parts stays' -r -F
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from reproduce" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from reproduce" -l quick -d 'Shorter runs, and fewer of them: six minutes instead of 25'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from reproduce" -l on-this-host -d 'Run although other JVMs, busy CPUs or memory in use are seen: the lab takes CPUs and memory from them, and changes settings of the whole host for a while'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from reproduce" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from clean" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from clean" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the scenarios, and what this host lacks for each'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "demo" -d 'Make two pauses happen, explain them, and make them go away (about three minutes)'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "run" -d 'Run a scenario: baseline, fault and fixes, side by side'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "hold" -d 'Keep a fault going, so that something can be tried on it'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "disk" -d 'Run a command with a slow disk of its own, and remove the disk when it has ended'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "matrix" -d 'Run all scenarios with all JDKs, and count how often the answers are right'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "sweep" -d 'Run a load under CPU quotas with several numbers of GC threads, and print the tables'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "reproduce" -d 'Make the figures and tables of the documents behind this program again, on this host'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "clean" -d 'Undo what a killed run left behind'
complete -c whypause -n "__fish_whypause_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c whypause -n "__fish_whypause_using_subcommand completions" -l color -d 'When to colour: always, never, or auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless the environment says otherwise'
always\t'Always'
never\t'Never'"
complete -c whypause -n "__fish_whypause_using_subcommand completions" -s h -l help -d 'Print help'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "record" -d 'Record a running JVM and why it pauses'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "explain" -d 'Explain the pauses of a recording or a GC log'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "watch" -d 'Print each long pause of a running JVM as it ends, with its cause'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "doctor" -d 'Find what may stop a JVM before it happens, from its flags, files, limits and the kernel\'s settings'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "compare" -d 'Compare two runs, and separate changes from noise'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "fleet" -d 'Find what many hosts have in common, and what changed on which of them'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "check" -d 'Fail where a run breaks a limit, for CI'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "fix" -d 'Apply a remedy, verify it, undo it'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "ps" -d 'List the JVMs of this host'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "cause" -d 'Show the page of a cause of pauses'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "schema" -d 'Print the JSON Schema of `explain --format json`, or of `watch --json`'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "lab" -d 'Make a pause happen on purpose, diagnose it, fix it, compare'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "completions" -d 'Print the completions of a shell'
complete -c whypause -n "__fish_whypause_using_subcommand help; and not __fish_seen_subcommand_from record explain watch doctor compare fleet check fix ps cause schema lab completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "list" -d 'List the scenarios, and what this host lacks for each'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "demo" -d 'Make two pauses happen, explain them, and make them go away (about three minutes)'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "run" -d 'Run a scenario: baseline, fault and fixes, side by side'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "hold" -d 'Keep a fault going, so that something can be tried on it'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "disk" -d 'Run a command with a slow disk of its own, and remove the disk when it has ended'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "matrix" -d 'Run all scenarios with all JDKs, and count how often the answers are right'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "sweep" -d 'Run a load under CPU quotas with several numbers of GC threads, and print the tables'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "reproduce" -d 'Make the figures and tables of the documents behind this program again, on this host'
complete -c whypause -n "__fish_whypause_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "clean" -d 'Undo what a killed run left behind'
