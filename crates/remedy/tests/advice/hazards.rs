//! What is advised before anything strikes.
use diagnose::{Exposure, Scope, examine};
use recording::{CgroupFact, JvmFact, Survey};
use std::time::Duration;

/// What is advised about each hazard, one piece a line: `ID at the next start: …`.
fn advised(pid: u32, version: &str, gc_threads: u32, flags: &str) -> String {
    let mut survey = Survey::default();
    survey.facts.jvm = Some(JvmFact {
        pid,
        version: version.into(),
        collector: "g1".into(),
        gc_threads,
        flags: flags.split_whitespace().map(str::to_owned).collect(),
        ..JvmFact::default()
    });
    survey.facts.cgroup = Some(CgroupFact {
        version: 2,
        cpu_path: "/app".into(),
        cpu_quota: Some(Duration::from_millis(200)),
        cpu_period: Duration::from_millis(100),
        ..CgroupFact::default()
    });
    let exposure = Exposure::new(&survey);
    let hazards = examine(&exposure, Scope::Jvm).hazards;
    let all = remedy::advise_hazards(&exposure.situation, &hazards);
    assert_eq!(all.len(), hazards.len());
    let of = |(hazard, advice): (&diagnose::Hazard, Vec<remedy::Advice>)| {
        let line =
            |it: remedy::Advice| format!("{} {}: {}\n", hazard.kind.id, it.when.id(), it.action);
        advice.into_iter().map(line).collect::<String>()
    };
    hazards.iter().zip(all).map(of).collect()
}

#[test]
fn a_jvm_that_does_not_run_is_advised_flags_alone() {
    assert_eq!(
        advised(0, "17.0.15", 8, "-Xlog:gc:file=gc.log"),
        "gc-threads-over-quota at the next start: -XX:ParallelGCThreads=2\n\
         gc-log-on-disk at the next start: -Xlog:async\n"
    );
}

#[test]
fn one_that_runs_is_also_advised_what_helps_now() {
    let advice = advised(4242, "17.0.15", 8, "");
    let now = "gc-threads-over-quota now: echo '800000 100000' > /sys/fs/cgroup/app/cpu.max\n";
    assert!(advice.contains(now), "{advice}");
}

#[test]
fn a_jdk_without_an_asynchronous_log_is_told_to_use_memory() {
    let advice = advised(0, "11.0.20", 2, "-Xlog:gc:file=gc.log");
    assert!(!advice.contains("async") && advice.contains("file=/dev/shm/gc-%p.log"), "{advice}");
}

/// It says so itself, and a remedy beside it would be about something else.
#[test]
fn a_hazard_that_knows_what_to_do_is_left_to_it() {
    assert_eq!(advised(0, "17", 2, "-XX:+UseG1GC -XX:MaxGCPauseMillis=9 -Xmn1g"), "");
}
