//! Words that several formats share.
use crate::{
    clean::{MOST_NAME, MOST_PATH, clean, clean_name},
    counted, duration, share,
    value::has_percentile,
};
use diagnose::{
    Attribution, Detail, Diagnosis, Finding, JvmSummary, Pause, PauseKind, WaitLocation,
};
use recording::{Source, SourceState};
use remedy::{AdviceWhen, Command};
use std::time::Duration;

/// `1 stop`, `2 stops`.
pub(crate) fn stops(n: u64) -> String {
    counted(n, "stop")
}

pub(crate) fn hiccups(n: u64) -> String {
    counted(n, "hiccup")
}

/// Whether pauses are distinguished as stops and hiccups. What an application noticed by itself may
/// be either.
fn counts_hiccups_apart(diagnosis: &Diagnosis) -> bool {
    diagnosis.statistics.hiccups.count > 0 && !is_of_application(diagnosis)
}

/// `18 stops and 6 hiccups`, `18 stops`, `6 hiccups`: the number of stops must be that of the
/// JVM's own log.
pub(crate) fn pauses(diagnosis: &Diagnosis) -> String {
    let statistics = &diagnosis.statistics;
    match (statistics.stops(), statistics.hiccups.count) {
        _ if !counts_hiccups_apart(diagnosis) => stops(statistics.all.count),
        (0, n) => hiccups(n),
        (n, m) => format!("{} and {}", stops(n), hiccups(m)),
    }
}

/// Whether a pause is to be called a hiccup.
pub(crate) fn is_hiccup(diagnosis: &Diagnosis, pause: &Pause) -> bool {
    pause.kind == PauseKind::Hiccup && counts_hiccups_apart(diagnosis)
}

/// What a hiccup is, where the text speaks of any.
pub(crate) fn what_a_hiccup_is(diagnosis: &Diagnosis) -> Option<&'static str> {
    counts_hiccups_apart(diagnosis)
        .then_some("hiccup: application threads did not run, though no safepoint was under way")
}

/// What the service is called: its main class or jar, else the input's file name.
pub(crate) fn service(diagnosis: &Diagnosis) -> String {
    let path = || diagnosis.inputs.first().map_or("", |input| input.path.trim_end_matches('/'));
    let input = || path().rsplit('/').next().unwrap_or_default();
    let name = if diagnosis.jvm.main.is_empty() { input() } else { &diagnosis.jvm.main };
    if name.is_empty() { "the JVM".to_owned() } else { clean_name(name, MOST_NAME) }
}

/// `JDK 17.0.15`, without the build number; empty where unknown.
pub(crate) fn jdk(jvm: &JvmSummary) -> String {
    let version = jvm.version.split(['+', '-', ' ']).next().unwrap_or_default();
    if version.is_empty() {
        String::new()
    } else {
        format!("JDK {}", clean_name(version, MOST_NAME))
    }
}

/// `G1, 2 GC threads`; empty where unknown.
pub(crate) fn collector(jvm: &JvmSummary) -> String {
    let name = match jvm.collector.as_str() {
        "g1" => "G1",
        "parallel" => "Parallel",
        "serial" => "Serial",
        "cms" => "CMS",
        "shenandoah" => "Shenandoah",
        "zgc" => "ZGC",
        "epsilon" => "Epsilon",
        "native-image" => "GraalVM native image",
        other => other,
    };
    let threads = match jvm.gc_threads {
        0 => String::new(),
        1 => "1 GC thread".to_owned(),
        n => format!("{n} GC threads"),
    };
    match (name.is_empty(), threads.is_empty()) {
        (false, false) => format!("{}, {threads}", clean_name(name, MOST_NAME)),
        (false, true) => clean_name(name, MOST_NAME),
        (true, _) => threads,
    }
}

/// The service, its JVM and the time that was looked at, in order; nothing for what is unknown.
///
/// Of a main class only its own name, unless in `full`.
pub(crate) fn header(diagnosis: &Diagnosis, full: bool) -> Vec<String> {
    let all = diagnosis.statistics.all;
    let pid = match diagnosis.jvm.pid {
        0 => String::new(),
        pid => format!("pid {pid}"),
    };
    let count = match is_of_application(diagnosis) {
        true => format!("{} noticed", counted(all.count, "pause")),
        false => pauses(diagnosis),
    };
    let jvm = &diagnosis.jvm;
    let span = match diagnosis.span {
        Duration::ZERO => String::new(),
        known => duration(known),
    };
    let service = service(diagnosis);
    let class = service.rsplit('.').next().filter(|it| it.starts_with(char::is_uppercase));
    let service = if full { service.as_str() } else { class.unwrap_or(&service) };
    let mut items = vec![service.to_owned(), pid, jdk(jvm), collector(jvm), span, count];
    items.retain(|item| !item.is_empty());
    items
}

/// The totals of all pauses, in order; nothing where there was none.
pub(crate) fn totals(diagnosis: &Diagnosis, over: Duration) -> Vec<String> {
    let all = diagnosis.statistics.all;
    if all.count == 0 {
        return Vec::new();
    }
    let stopped = match share::of(all.total, diagnosis.span) {
        _ if diagnosis.span.is_zero() => format!("stopped {}", duration(all.total)),
        part => format!("stopped {} ({})", duration(all.total), crate::percent(part)),
    };
    let mut items = vec![stopped];
    if all.count > 1 {
        items.push(format!("longest {}", duration(all.max)));
        let p99 = duration(diagnosis.statistics.quantiles.p99);
        let is_shown = has_percentile("p99", all.count) && p99 != duration(all.max);
        items.extend(is_shown.then(|| format!("p99 {p99}")));
    }
    let long = diagnosis.pauses.iter().filter(|it| it.pause.duration >= over).count();
    // Of a long log not all pauses are at hand.
    let least = if long > 0 && long == diagnosis.pauses.len() && all.count > long as u64 {
        "at least "
    } else {
        ""
    };
    items.push(format!("{least}{long} over {}", duration(over)));
    if !all.total.is_zero() {
        let (share, what) = explained(diagnosis);
        items.push(match what {
            EXPLAINED => format!("{what} {}", crate::percent(share)),
            what => format!("{} {what}", crate::percent(share)),
        });
    }
    items
}

/// The share of the stopped time that has a cause.
const EXPLAINED: &str = "explained";

/// The share of the stopped time of which more is known than its length, and what: where a log has the
/// length of collections alone, that they were collections is all of it.
pub(crate) fn explained(diagnosis: &Diagnosis) -> (f64, &'static str) {
    let share = 1.0 - share::of(diagnosis.statistics.unattributed, diagnosis.statistics.all.total);
    let is_collections =
        is_of_application(diagnosis) || diagnosis.findings.first().is_some_and(is_length_alone);
    (share, if is_collections && share > 0.0 { "in collections" } else { EXPLAINED })
}

/// Whether of a cause nothing is known but for how long it was.
pub(crate) fn is_length_alone(finding: &Finding) -> bool {
    finding.detail == Detail::LengthAlone
}

/// The command that would record this JVM.
pub(crate) fn record_command(diagnosis: &Diagnosis) -> Command {
    let pid = match diagnosis.jvm.pid {
        0 => "PID".to_owned(),
        pid => pid.to_string(),
    };
    let command = Command::new("whypause");
    match when_again(diagnosis) {
        Again::Within(time) => command.args(["record", "-p"]).arg(pid).args(["-d", &time]),
        Again::Rarely(over) => command.args(["watch", "-p"]).arg(pid).args(["--over", over]),
    }
}

/// When what a log shows will be there to be recorded.
enum Again {
    /// Most likely within this time, as an option has it.
    Within(String),
    /// Too rarely to wait for it: pauses of this length tell that it is there.
    Rarely(&'static str),
}

/// How often it should happen during the recording.
const TIMES: u32 = 3;
/// A recording is not shorter than this, nor longer than that.
const RECORDED: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(3600));

fn when_again(diagnosis: &Diagnosis) -> Again {
    let symptom = diagnosis.findings.iter().find(|it| !it.suspects.is_empty());
    let each = symptom.and_then(|it| {
        let pauses = u32::try_from(it.pauses).unwrap_or(u32::MAX);
        Some((diagnosis.span.checked_div(pauses)?, it.longest))
    });
    let Some((each, longest)) = each else { return Again::Within("60s".to_owned()) };
    let time = each.saturating_mul(TIMES).max(RECORDED.0);
    if time > RECORDED.1 {
        let limits = [(5_000, "1s"), (1_000, "500ms"), (500, "200ms"), (200, "100ms")];
        let ms = longest.as_millis();
        return Again::Rarely(limits.iter().find(|it| ms >= it.0).map_or("50ms", |it| it.1));
    }
    match time.as_secs() {
        ..=60 => Again::Within("60s".to_owned()),
        seconds => Again::Within(format!("{}m", seconds.div_ceil(60))),
    }
}

/// A part of a pause for people: time and cause, as in `3.35 s GC log write blocked`.
pub(crate) fn parts(attribution: &Attribution, most: usize) -> Vec<String> {
    let whole = attribution.pause.duration;
    let shown = attribution
        .parts
        .iter()
        .enumerate()
        .filter(|(n, part)| *n == 0 || (*n < most && is_worth_listing(part.time, whole)));
    let mut items: Vec<String> = shown
        .clone()
        .map(|(_, part)| format!("{} {}", duration(part.time), part.cause.short))
        .collect();
    let reported: Duration = shown.map(|(_, part)| part.time).sum();
    let rest = whole.saturating_sub(reported).saturating_sub(attribution.unattributed);
    if is_worth_listing(rest, whole) {
        items.push(format!("{} other causes", duration(rest)));
    }
    if is_worth_listing(attribution.unattributed, whole) || items.is_empty() {
        items.push(format!("{} unexplained", duration(attribution.unattributed)));
    }
    items
}

/// How long a pause was, as far as that was seen: `3.20 s`, `at least 3.20 s`.
pub(crate) fn length(pause: &Pause) -> String {
    let seen = duration(pause.duration);
    if pause.cut.is_part() { format!("at least {seen}") } else { seen }
}

/// Why a recording without pauses does not say that there were none, and how to know.
pub(crate) fn lacks_for_stops(diagnosis: &Diagnosis) -> String {
    let why = |source| match diagnosis.coverage.sources.get(&source) {
        Some(SourceState::Missing(why)) => format!(" ({})", clean(why)),
        _ => String::new(),
    };
    match diagnosis.lacks_for_stops() {
        Some(Source::StopState) => {
            let dump = Command::new("jcmd").arg(diagnosis.jvm.pid.to_string()).arg("Thread.print");
            format!(
                "whether the JVM was stopped all the time could not be read{}; its thread dump tells, which does not come from a JVM that is stopped: `{}`",
                why(Source::StopState),
                dump.typed().unwrap_or_default()
            )
        }
        _ => "this recording has neither probes nor counters nor a GC log of this JVM; `whypause record --log-safepoints` has the JVM log every stop".to_owned(),
    }
}

/// What of a pause was not seen; `None` where all of it was.
pub(crate) fn unseen_part(pause: &Pause) -> Option<&'static str> {
    match (pause.cut.begin, pause.cut.end) {
        (false, false) => None,
        (true, false) => Some("had begun before the recording"),
        (false, true) => Some("was not over when the recording ended"),
        (true, true) => {
            Some("had begun before the recording and was not over when the recording ended")
        }
    }
}

/// Parts below this share of a pause are left out of the list of pauses,
const SMALL_SHARE: f64 = 0.01;
/// unless they are at least this long. They are in the findings and in the JSON in any case.
const SMALL_TIME: Duration = Duration::from_millis(5);

fn is_worth_listing(part: Duration, whole: Duration) -> bool {
    part >= SMALL_TIME || (!part.is_zero() && share::of(part, whole) >= SMALL_SHARE)
}

/// `3.79 s in 2 stops`; `in 2 hiccups` where no stop is among them, `in 7 pauses` where both are.
pub(crate) fn extent(diagnosis: &Diagnosis, finding: &Finding) -> String {
    let pauses = match (finding.pauses, finding.hiccups) {
        (0, _) if !finding.lost_outside.is_zero() => {
            return format!("{} outside the pauses", duration(finding.lost_outside));
        }
        (0, _) => return "outside the pauses".to_owned(),
        (n, 0) => stops(n),
        (n, _) if !counts_hiccups_apart(diagnosis) => stops(n),
        (n, m) if m >= n => hiccups(n),
        (n, _) => counted(n, "pause"),
    };
    format!("{} in {pauses}", duration(finding.time))
}

/// `VM Thread in write() to /var/log/gc.log (ext4 on sdb1)`; empty where nothing is known.
pub(crate) fn place(place: &WaitLocation) -> String {
    let mut out = clean_name(&place.thread, MOST_NAME);
    if !place.call.is_empty() {
        let call = clean_name(&place.call, MOST_NAME);
        out = if out.is_empty() { call } else { format!("{out} in {call}") };
    }
    if !place.path.is_empty() {
        let path = clean_name(&place.path, MOST_PATH);
        out = if out.is_empty() { path } else { format!("{out}, {path}") };
    }
    match (place.file_system.is_empty(), place.device.is_empty()) {
        (false, false) => {
            format!(
                "{out} ({} on {})",
                clean_name(&place.file_system, MOST_NAME),
                clean_name(&place.device, MOST_NAME)
            )
        }
        (false, true) => format!("{out} ({})", clean_name(&place.file_system, MOST_NAME)),
        (true, false) => format!("{out} (on {})", clean_name(&place.device, MOST_NAME)),
        (true, true) => out,
    }
}

/// When an advice can be followed, as its JSON value.
pub(crate) fn when_id(when: AdviceWhen) -> &'static str {
    match when {
        AdviceWhen::Now => "now",
        AdviceWhen::NextStart => "next-start",
        AdviceWhen::Code => "code",
    }
}

/// What to do so that a source is there the next time; a phrase.
pub(crate) fn how_to_record(source: Source) -> &'static str {
    match source {
        Source::SafepointProbes | Source::SafepointSymbols => {
            "needs a JDK with safepoint probes or a symbol table, and `whypause record` as root"
        }
        Source::GcLog => "needs a JVM that writes a GC log, as with `-Xlog:gc*,safepoint:file=…`",
        Source::Scheduler | Source::KernelStacks | Source::FileFaults => {
            "needs `whypause record` as root on a kernel with BTF"
        }
        Source::Reclaim | Source::Compaction => {
            "needs the kernel's reclaim and compaction tracepoints, and `whypause record` as root"
        }
        Source::CpuThrottling => "needs `whypause record` as root and the cgroup's `cpu.stat`",
        Source::Writers
        | Source::Files
        | Source::HostCounters
        | Source::MemoryUsers
        | Source::CpuUsers => {
            "needs `whypause record` with the right to read other processes in /proc"
        }
        Source::ThreadSamples => "needs `whypause record --without-ebpf` as the JVM's user",
        Source::SafepointCounters => {
            "needs a JVM with its counters file (not with -XX:-UsePerfData)"
        }
        Source::CounterFaults => {
            "needs `whypause record` as root on x86-64, and a JVM with its counters file on a disk"
        }
        Source::Sleeper => "needs a new recording",
        Source::StopState => "needs a JVM whose libjvm has its symbol table, and CAP_SYS_PTRACE",
        Source::LateCode => "needs `whypause record --ask-jvm` as root and JDK 9 or later",
        Source::CgroupLimits => {
            "needs `whypause record` where the host's /sys/fs/cgroup is mounted"
        }
    }
}

/// Why nothing that was not seen is ruled out; a phrase.
pub(crate) fn doubt(diagnosis: &Diagnosis) -> String {
    diagnosis.doubt().map_or_else(|| "not known".to_owned(), |it| it.to_string())
}

/// Whether the input is the log of an application that noticed pauses by itself, and no GC log.
pub(crate) fn is_of_application(diagnosis: &Diagnosis) -> bool {
    let gc_log = diagnosis.coverage.sources.get(&Source::GcLog);
    !is_recording(diagnosis) && matches!(gc_log, Some(SourceState::Missing(_)))
}

/// Whether the input is a recording (and not a log alone).
pub(crate) fn is_recording(diagnosis: &Diagnosis) -> bool {
    diagnosis.inputs.iter().any(|input| input.kind == "recording")
}
