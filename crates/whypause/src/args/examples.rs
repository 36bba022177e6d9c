//! The examples at the end of each help text. Every command has some; a test looks.

pub(super) const WHYPAUSE: &str = "\
EXAMPLES:
  whypause record 4242 -d 60s         record the JVM with pid 4242 for a minute
  whypause explain gc.log             explain a GC log
  whypause watch -p kafka.Kafka       print long pauses as they happen
  whypause doctor 4242                what may stop it, before it does
  whypause compare a.log b.log        what changed between two runs
  whypause fleet logs/                what many hosts have in common
  whypause check gc.log --fail-if 'max>200ms'
  whypause fix 4242                   what would help, and how to apply it
  whypause ps                         list the JVMs of this host

EXIT CODES:
  0 fine    1 a gate failed    2 wrong arguments or input    3 not enough evidence
  130 interrupted (Ctrl-C is the ordinary end of `record` and `watch`: 0)";

pub(super) const RECORD: &str = "\
EXAMPLES:
  whypause record 4242                             record for a minute; the same as -p 4242
  whypause record -p kafka.Kafka -d 10m -o rec     by a part of the main class
  whypause record -p 4242 -d 1d --max-size 1G      for a day
  whypause record -p 4242 --without-ebpf           as the JVM's user, without privileges
  whypause record -p 4242 --ask-jvm                with the names of threads as in Java
  whypause record -p 4242 --redact                 to send to others: without names of files and hosts
  whypause record -- java -jar app.jar             start a program and record it until it ends

Recording ends when the duration has elapsed, with Ctrl-C, or when the JVM exits; the recording
is complete in each case. The next step is `whypause explain DIR`.";

pub(super) const EXPLAIN: &str = "\
EXAMPLES:
  whypause explain rec                             a recording
  whypause explain rec --full                      all that is known of it
  whypause explain gc.log --over 200ms             a GC log, pauses from 200 ms
  whypause explain gc.log.0.gz                     also in .gz, .zst and .zip
  whypause explain logs/                           a directory: rotated files make one log
  whypause explain 'logs/gc.log*'                  a pattern
  kubectl logs pod | whypause explain -            standard input
  whypause explain rec --json | jq '.causes[0].id'
  whypause explain a.log b.log --json | jq '.answers[].verdict'
                                                   of several inputs: one document
  whypause explain rec --format csv > pauses.csv   one row per pause; of several inputs: one table
  whypause explain gc.log --format parquet --label rack=r7 > pauses.parquet
                                                   typed rows for DuckDB, Spark, pandas
  whypause explain gc.log --zone log               times of day as the log has them; --utc: in UTC
  whypause explain kept --at 04:12                 of what watch --keep kept, the one of that time
  whypause explain kept --format html > night.html all of that on one time line
  whypause explain rec --redact                    to show to others: without names of files and hosts";

pub(super) const WATCH: &str = "\
EXAMPLES:
  whypause watch 4242                              pauses from 50 ms, until Ctrl-C
  whypause watch -p kafka.Kafka --over 200ms       only the worst
  whypause watch --match kafka.Kafka --wait        as a service does: across restarts of the JVM
  whypause watch --all --metrics 9464              every JVM of this host, up to 64
  whypause watch 4242 --stalls-over none           pauses alone, and no stalls of threads
  whypause watch 4242 --utc                        times of day in UTC
  whypause watch 4242 --serve 8080                 a page that shows each pause as it ends
  whypause watch 4242 --metrics 9464               for Prometheus: 127.0.0.1:9464/metrics
  whypause watch 4242 --otlp http://127.0.0.1:4318 for an OpenTelemetry collector
  whypause watch --all --keep kept                 the worst of each hour as recordings: explain kept
  whypause watch --keep-now                        the last 15 s, of each watch that keeps
  whypause watch --all --rows rows                 a row of every pause, as Parquet: whypause fleet rows
  whypause watch 4242 --json | jq -r .text         one JSON object a line
  whypause watch 4242 --exec /usr/local/bin/notify a command for the longest in each 10 s
  whypause watch --all --webhook @/etc/whypause/webhook --alert-over 1s
                                                   Slack, PagerDuty or another, at a URL in a file
  whypause watch -p 4242 --redact                  without names of files, hosts and users";

pub(super) const DOCTOR: &str = "\
EXAMPLES:
  whypause doctor                                  every JVM of this host, and the host
  whypause doctor 4242                             one, by its process id
  whypause doctor -p kafka.Kafka                   one, by a part of its main class
  whypause doctor --flags '-Xmx4g -Xlog:gc:file=gc.log' --jdk 17
  whypause doctor rec                              what a recording shows
  whypause doctor -p 4242 --fail-on likely --format sarif > doctor.sarif
  whypause doctor -p 4242 --accept gc-log-on-disk

HAZARDS:
  cpu-quota-unseen        A CPU quota that the JVM does not know of
  gc-threads-over-quota   More GC threads than the CPU quota has CPUs
  cpu-quota-used-up       The CPU quota is used up
  hsperfdata-on-disk      hsperfdata on a disk
  memory-in-swap          Memory of the JVM is in swap
  memory-may-be-swapped   Nothing keeps the heap out of swap
  heap-over-memory-high   A heap larger than memory.high
  huge-pages-fragmented   Huge pages where free memory is fragmented
  heap-over-limit         A heap that fills the memory limit
  memory-limit-unseen     A memory limit that the JVM does not know of
  zone-reclaim            Memory is reclaimed on one node while another has free memory
  gc-log-on-disk          GC log written to a disk while the application is stopped
  gc-log-on-stdout        GC log written to a pipe or terminal while the application is stopped
  deleted-files-mapped    Deleted files that the JVM still has mapped
  output-reader-stopped   The process that reads standard output is stopped
  humongous-objects       Objects larger than half a region
  flags-refused           The JVM does not start with these flags
  flags-ignored           Flags that do nothing
  young-size-fixed        A young generation of fixed size with a pause target
  pretouch-in-pauses      A heap that grows is touched in pauses
  ihop-adapts             A start of marking that G1 changes by itself
  gc-log-unbounded        A GC log without rotation
  pressure-off            Pressure stall information is off

ACCEPTED HAZARDS:
  A file has a line for each: an id, and a reason behind `#`. The id of a cause accepts all its
  hazards, and in `check` the gates on that cause. What is accepted is listed, and never fails.

EXIT CODES:
  0 nothing was found that `--fail-on` names    1 something was found
  2 wrong arguments or input    3 the JVM does not respond, or one did not with `--fail-on`";

pub(super) const COMPARE: &str = "\
EXAMPLES:
  whypause compare before.log after.log            two GC logs
  whypause compare rec-cms rec-g1                  two recordings
  whypause compare before.log after.log --format markdown > change.md
  whypause compare before.log after.log --json     for programs
  whypause compare rec-a rec-b --redact            to show to others: without names of files and hosts

A difference is `significant` only where chance explains it in less than 1 of 100 cases, each
number by the test that fits it; the longest pause alone never proves anything.";

pub(super) const FLEET: &str = "\
EXAMPLES:
  whypause fleet logs/                             logs/host=NAME/gc.log, kept/host=NAME/…, of many hosts
  whypause fleet logs/ --inventory hosts.csv       compare hosts by rack, deploy, kernel, …
  whypause fleet rows/                             Parquet files of `watch --rows` and `explain --format parquet`
  whypause fleet logs/ --format html > fleet.html  hosts by hour, to look at
  whypause fleet logs/ --json | jq '.findings[0]'
  whypause fleet logs/ --sql 'from worst_hosts limit 10'

Hosts that have a kernel, JVM, flag or label are compared with those that have not, host by host, and days
with the days before; what is listed is more than chance explains, all comparisons taken together.";

pub(super) const CHECK: &str = "\
EXAMPLES:
  whypause check gc.log --fail-if 'max>200ms'      one limit
  whypause check gc.log --fail-if 'p99>50ms' --fail-if 'full>0' --junit gates.xml
  whypause check a.log b.log --fail-if 'cause(humongous-allocation)>1%'
  whypause check rec --fail-if 'throughput<95%' --json
  whypause check rec --fail-if 'stalls>250ms'      a thread that stood while the JVM ran
  whypause check gc.log --fail-if 'max>200ms' --format github
                                                   annotations of a run of GitHub Actions
  whypause check gc.log --fail-if 'max>200ms' --exit-zero
                                                   report, and never fail: for a dashboard
  whypause check rec --fail-if 'max>200ms' --redact  without names of files and hosts
  whypause check rec --fail-if 'cause(swap-in)>0s' --accept swap-in

OPERATORS:
  >  >=  <  <=  ==  !=

METRICS:
  max, mean, p50, p90, p99, p99.9    length of the pauses: 200ms
  total                              the total of all pauses: 5s
  count                              number of pauses: 1000 or 10/h
  over(TIME)                         number of pauses longer than TIME: 3 or 10/h
  stopped, throughput                share of the time, stopped or not: 5%
  unexplained                        stopped time without a cause: 2s, or 5% of the stopped time
  cause(ID)                          stopped time of a cause: 0s, 1% of the stopped time, 3 pauses
  tts.max, tts.mean, tts.total       time to safepoint: 100ms
  gc.max, gc.mean, gc.p50, gc.p90, gc.p99, gc.p99.9, gc.total
                                     collection pauses alone: 200ms
  remark.max                         the longest pause that ends marking: 100ms
  stalls, stalls.total               stalls of threads while the JVM ran: the longest 250ms, all together 10s
  stalls.threads                     how many threads stalled: 4
  collections, full, cycles          collections, full ones, concurrent cycles: 3 or 10/h
  allocation, promotion              1GiB/s
  live, heap                         the most that was live or in use: 512MiB, or 80% of the limit

EXIT CODES:
  0 no gate failed, or --exit-zero    1 a gate failed    2 wrong arguments or input
  3 none failed, but the input cannot decide all of them";

pub(super) const FIX: &str = "\
EXAMPLES:
  whypause fix -p kafka.Kafka                      record for 30 s, and list remedies that would help
  whypause fix 4242                                the same of a process id
  whypause fix gc-log-to-tmpfs 4242                show what would be changed
  whypause fix gc-log-to-tmpfs -p 4242 --apply --verify 60s
                                                   apply it, and compare before and after
  whypause fix background-io -p 4242 --limit 5M --apply
  whypause fix gc-log-keeper /dev/shm/gc.log /var/log/kafka --apply
  whypause fix gc-log-async --apply --verify 60s -- java -Xlog:gc:file=gc.log -jar app.jar
  whypause fix cfs-advice -p 4242                  record, and find the CPU quota and GC threads that end throttling
  whypause fix cfs-advice --from rec/ --quota 1.4 --gc-threads 2
                                                   what these would have done
  whypause fix thp-tuner -p 4242 --apply           switch huge pages off while memory is short, until stopped
  whypause fix --undo                              undo everything
  whypause fix --undo --print                      the commands that would

Previous values are saved before a change, so it can be undone after a crash, too.
A value that someone else has changed since is left as it is.";

pub(super) const PS: &str = "\
EXAMPLES:
  whypause ps
  sudo whypause ps                                 also the JVMs of other users
  whypause ps --json | jq '.jvms[].pid'
  whypause ps --redact                             without names of users and files";

pub(super) const CAUSE: &str = "\
EXAMPLES:
  whypause cause                                   list all causes
  whypause cause gc-log-write-blocked              what happens, what proves it, what to do
  whypause cause journal-commit                    a mechanism, and the cause that it belongs to
  whypause cause --json | jq -r '.causes[].id'     for programs";

pub(super) const SCHEMA: &str = "\
EXAMPLES:
  whypause schema > whypause.schema.json           to validate answers, or to generate types
  whypause schema watch > event.schema.json        likewise lines of `watch --json`";

pub(in crate::args) const LAB: &str = "\
EXAMPLES:
  whypause lab list
  whypause lab demo                                needs root; not for a production host
  whypause lab run gc-log-write-blocked            needs root; not for a production host
  whypause lab run gc-log-write-blocked --on-this-host
                                                   although others use this host
  whypause lab clean";

pub(in crate::args) const LAB_LIST: &str = "\
EXAMPLES:
  whypause lab list
  whypause lab list swap-in                        what it does, what it needs, what you see
  whypause lab list --json | jq -r '.scenarios[].id'";

pub(in crate::args) const LAB_DEMO: &str = "\
EXAMPLES:
  whypause lab demo                                needs root and a JVM of JDK 17 or later
  whypause lab demo --keep ./demo
  whypause lab demo --on-this-host                 with other JVMs or a build running";

pub(in crate::args) const LAB_RUN: &str = "\
EXAMPLES:
  whypause lab run gc-log-write-blocked
  whypause lab run mapped-file-fault -d 30s --variants fault
  whypause lab run gc-log-write-blocked --jdk 17,/opt/jdk-25 --runs 10 --keep ./runs
  whypause lab run late-java-thread --on-this-host with other JVMs or a build running

Where other JVMs, busy CPUs or much memory in use are seen, the lab refuses to run; --on-this-host
makes it run anyway.";

pub(in crate::args) const LAB_HOLD: &str = "\
EXAMPLES:
  whypause lab hold gc-log-write-blocked           until Ctrl-C; use another terminal meanwhile
  whypause lab hold gc-log-write-blocked -- whypause fix gc-log-to-tmpfs -p %pid --apply --verify 20s
  whypause lab hold mapped-file-fault -d 2m -- whypause watch -p %pid";

pub(in crate::args) const LAB_DISK: &str = "\
EXAMPLES:
  whypause lab disk -- java -Xlog:gc:%dir/gc.log -jar app.jar
                                                   a GC log on a disk of 5 MiB/s; needs root
  whypause lab disk --busy --write-limit 20M -- java -Dlogs=%dir -jar app.jar
                                                   another process keeps the disk busy
  whypause lab disk --size 256M -- dd if=/dev/urandom of=%dir/file bs=1M count=50 conv=fsync";

pub(in crate::args) const LAB_MATRIX: &str = "\
EXAMPLES:
  whypause lab matrix --short
  whypause lab matrix --jdk 17,25 --results runs.jsonl > accuracy.md
  whypause lab matrix swap-in cfs-throttling --collectors g1 --runs 5 --format json
  whypause lab matrix --short --on-this-host       with other JVMs or a build running";

pub(in crate::args) const LAB_SWEEP: &str = "\
EXAMPLES:
  whypause lab sweep --quick
  whypause lab sweep --jdk 25 --format json > sweep.json
  whypause lab sweep --quick --svg ./pictures
  whypause lab sweep --quick --on-this-host        with other JVMs or a build running";

pub(in crate::args) const LAB_REPRODUCE: &str = "\
EXAMPLES:
  whypause lab reproduce                           all of it, into ./reproduced; needs root
  whypause lab reproduce --quick -o /tmp/figures
  whypause lab reproduce paper-gc-log kafka-4614   two parts; the page keeps the others
  whypause lab reproduce --on-this-host            with other JVMs or a build running";

pub(in crate::args) const LAB_CLEAN: &str = "\
EXAMPLES:
  whypause lab clean";

pub(super) const COMPLETIONS: &str = "\
EXAMPLES:
  whypause completions bash > /etc/bash_completion.d/whypause
  whypause completions zsh > \"${fpath[1]}/_whypause\"
  whypause completions fish > ~/.config/fish/completions/whypause.fish";

pub(super) const MAN: &str = "\
EXAMPLES:
  whypause man record | man -l -
  whypause man --write packaging";
