//! Diagnoses made by hand, to see how they are reported.
use diagnose::{
    Attribution, Cause, Certainty, Collected, Count, Culprit, CulpritKind, Detail, Diagnosis,
    Evidence, Finding, InputSummary, JvmSummary, MechanismShare, Part, Pause, PauseKind,
    PauseStatistics, Situation, Times, Verdict, WaitLocation, Watched,
};
use recording::{Clock, Coverage, Cut, JvmFact, Source, SourceState};
use std::time::Duration;

/// 2026-11-21 14:02:41.118 UTC.
const START_WALL_NS: i64 = 1_795_269_761_118_000_000;

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub(crate) fn cause(id: &str) -> &'static Cause {
    diagnose::causes().iter().find(|it| it.id == id).expect("a cause of this id")
}

/// A pause `at` milliseconds after the first, with its parts in milliseconds.
pub(crate) fn pause(at: u64, length: u64, parts: &[(&str, u64)]) -> Attribution {
    let parts: Vec<Part> = parts
        .iter()
        .map(|&(id, time)| Part {
            cause: cause(id),
            time: ms(time),
            certainty: Certainty::Measured,
        })
        .collect();
    let reported: Duration = parts.iter().map(|it| it.time).sum();
    Attribution {
        pause: Pause {
            kind: PauseKind::Safepoint,
            start_ns: 5_000_000_000 + at * 1_000_000,
            start_wall_ns: Some(START_WALL_NS + i64::try_from(at * 1_000_000).expect("small")),
            times: Times::Known,
            duration: ms(length),
            reaching: Duration::from_micros(120),
            operation: "G1CollectForAllocation".into(),
            collection: Some(ms(9)),
            detailed: length >= 10,
            cut: Cut::WHOLE,
        },
        parts,
        unattributed: ms(length) - reported,
        symptom: None,
        collected: Some(Collected::Young),
    }
}

/// A diagnosis of these pauses, with nothing found yet and every cause watched.
pub(crate) fn diagnosis(pauses: Vec<Attribution>) -> Diagnosis {
    let mut statistics = PauseStatistics::default();
    for it in &pauses {
        statistics.all.add(it.pause.duration);
        if it.pause.kind == PauseKind::Hiccup {
            statistics.hiccups.add(it.pause.duration);
        }
    }
    statistics.quantiles.p99 = statistics.all.max;
    statistics.unattributed = pauses.iter().map(|it| it.unattributed).sum();
    statistics.time_to_safepoint = Count { count: 1, total: ms(1), max: ms(1) };
    Diagnosis {
        stalls: Some(diagnose::Stalls::default()),
        opened: Vec::new(),
        host_lines: Vec::new(),
        inputs: vec![InputSummary {
            path: "rec".to_owned(),
            kind: "recording",
            bytes: 91_000,
            lines: 61,
            ..InputSummary::default()
        }],
        jvm: JvmSummary {
            main: "orders".to_owned(),
            pid: 4242,
            version: "17.0.15+6-Debian-1deb12u1".to_owned(),
            collector: "g1".to_owned(),
            gc_threads: 2,
        },
        situation: Situation {
            jvm: Some(JvmFact {
                pid: 4242,
                pid_in_namespace: 4242,
                version: "17.0.15+6-Debian-1deb12u1".to_owned(),
                collector: "g1".to_owned(),
                gc_threads: 2,
                gc_log: "/var/log/orders/gc.log".to_owned(),
                flags: vec!["-Xlog:gc*:file=/var/log/orders/gc.log".to_owned()],
                ..JvmFact::default()
            }),
            ..Situation::default()
        },
        clock: Clock::Monotonic,
        span: Duration::from_secs(60),
        unexplained: Vec::new(),
        pauses,
        statistics,
        gc: None,
        memory: None,
        cut_stop: None,
        restarts: 0,
        shares: None,
        findings: Vec::new(),
        watched: diagnose::causes()
            .iter()
            .map(|&cause| Watched { cause, verdict: Verdict::Absent })
            .collect(),
        coverage: coverage(),
    }
}

pub(crate) fn coverage() -> Coverage {
    let mut coverage = Coverage::default();
    for &source in Source::ALL {
        coverage.sources.insert(source, SourceState::Recorded);
    }
    coverage.recorded = Duration::from_secs(60);
    coverage.recorder_cpu = ms(120);
    coverage.recorder_rss_bytes = 21_000_000;
    coverage.jvm_cpu = Duration::from_secs(30);
    coverage.kernel_time = Some(ms(75));
    coverage.switches = 240_000;
    coverage.end = "duration elapsed".to_owned();
    coverage
}

/// A finding with nothing but its numbers.
pub(crate) fn finding(id: &str, pauses: u64, time: u64, share: f64) -> Finding {
    Finding {
        cause: cause(id),
        certainty: Certainty::Measured,
        pauses,
        hiccups: 0,
        in_hiccups: Duration::ZERO,
        time: ms(time),
        longest: ms(time / pauses.max(1)),
        squares: 0.0,
        share,
        mechanisms: Vec::new(),
        place: None,
        story: vec!["Something took time.".to_owned()],
        culprits: Vec::new(),
        evidence: Vec::new(),
        rhythm: None,
        lost_outside: std::time::Duration::ZERO,
        suspects: Vec::new(),
        detail: Detail::None,
    }
}

/// Two long pauses and some short ones; the GC log was on a slow disk.
pub(crate) fn slow_log() -> Diagnosis {
    let mut pauses = vec![
        pause(0, 3360, &[("gc-log-write-blocked", 3350), ("gc-work", 9)]),
        pause(6784, 440, &[("gc-log-write-blocked", 430), ("gc-work", 8), ("vm-operation", 1)]),
    ];
    pauses.extend((0..59).map(|n| pause(7000 + n * 500, 5, &[("gc-work", 5)])));
    let mut it = diagnosis(pauses);
    it.findings = vec![blocked_log(), finding("gc-work", 61, 312, 0.076)];
    for watched in &mut it.watched {
        if ["gc-log-write-blocked", "gc-work"].contains(&watched.cause.id) {
            watched.verdict = Verdict::Present;
        }
    }
    it
}

fn blocked_log() -> Finding {
    Finding {
        mechanisms: vec![
            MechanismShare { id: "journal-commit", phrase: "a journal commit", time: ms(3500) },
            MechanismShare { id: "dirty-throttling", phrase: "throttling", time: ms(280) },
        ],
        place: Some(WaitLocation {
            thread: "VM Thread".to_owned(),
            call: "write()".to_owned(),
            path: "/var/log/orders/gc.log".to_owned(),
            file_system: "ext4".to_owned(),
            device: "sdb1".to_owned(),
            stack: ["jbd2_log_wait_commit", "ext4_sync_file", "vfs_write"].map(Into::into).into(),
        }),
        story: vec![
            "The VM thread waited in write() for the GC log.".to_owned(),
            "Every application thread waited with it; the collections themselves took 17 ms."
                .to_owned(),
        ],
        culprits: vec![Culprit {
            kind: CulpritKind::Process,
            name: "dd".to_owned(),
            pid: Some(991),
            statement:
                "dd (pid 991, /etc/cron.daily/backup) wrote 412 MB to sdb1 in the 10 s before"
                    .to_owned(),
        }],
        evidence: vec![Evidence {
            source: Source::KernelStacks,
            certainty: Certainty::Measured,
            statement: "14 waits in write() of this file, the longest 3.35 s".to_owned(),
            time: ms(3780),
        }],
        ..finding("gc-log-write-blocked", 2, 3780, 0.921)
    }
}

/// A log alone: no wall clock, no pid, and the causes of the host cannot be seen.
pub(crate) fn log_alone() -> Diagnosis {
    let mut it =
        diagnosis(vec![pause(0, 900, &[("gc-work", 40)]), pause(2000, 7, &[("gc-work", 7)])]);
    it.inputs[0].kind = "gc-log";
    it.inputs[0].path = "gc.log".to_owned();
    it.inputs[0].lines_unrecognised = 3;
    it.jvm = JvmSummary { collector: "g1".to_owned(), ..JvmSummary::default() };
    it.situation = Situation::default();
    it.clock = Clock::Uptime;
    it.coverage = Coverage::default();
    for it in &mut it.pauses {
        it.pause.start_wall_ns = None;
    }
    it.findings = vec![finding("gc-work", 2, 47, 0.052)];
    for watched in &mut it.watched {
        watched.verdict = if watched.cause.is_fault() {
            Verdict::Unknown(watched.cause.needs.to_vec())
        } else {
            Verdict::Present
        };
    }
    it
}
