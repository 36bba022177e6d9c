//! # Leave the service CPUs to run on
//!
//! ## What it changes
//! Where other processes ran on the CPUs, the service gets CPUs of its own (`cpuset.cpus`), or a higher `cpu.weight` than its neighbours.
//! Where threads of the JVM itself did, it gets more CPUs or a larger quota, or fewer threads that run at once.
//!
//! ## What it costs
//! The neighbours get less, or collections take longer with fewer threads.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`cpu.weight`, `cpuset.cpus`).
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation, text};

pub(super) static REMEDY: Remedy = Remedy {
    id: "cpu-headroom",
    title: "Leave the service CPUs to run on",
    summary: "Fewer neighbours, more CPUs, or a higher CPU weight for the service.",
    page: diagnose::page!("cpu_headroom.rs"),
    advise,
    ..Remedy::BASE
};

/// Waits of less than this share of the stopped time are worth neither more CPUs nor slower collections.
const WORTH_IT: f64 = 0.2;

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::CpuHolders { others, own } = finding.detail else { return Vec::new() };
    let mut advice = Vec::new();
    if own && finding.share >= WORTH_IT {
        advice.push(of_own_threads(situation));
    }
    if others {
        let what = "give the service CPUs of its own, or a higher CPU weight than its neighbours";
        advice.push(Advice::now(Action::say(what), ""));
    }
    if finding.culprits.is_empty() && finding.share >= WORTH_IT {
        let what = "give the service more CPUs, or let less run beside it";
        advice.push(Advice::now(Action::say(what), "what ran on the CPUs was not recorded"));
    }
    advice
}

/// Where the JVM's own threads ran on the CPUs: more of those, or fewer of these.
fn of_own_threads(situation: &Situation) -> Advice {
    let quota = situation.cgroup.as_ref().and_then(|it| it.milli_cpus());
    let host = situation.host.as_ref().map(|it| it.cpus).filter(|it| *it > 0);
    let host = host.map(|it| u64::from(it) * 1000);
    let more = match (quota, host) {
        (Some(milli), _) => {
            format!("a larger CPU quota for the JVM (it has {})", text::cpus(milli))
        }
        (None, Some(milli)) => {
            format!("more CPUs for the JVM (the host has {})", text::cpus(milli))
        }
        (None, None) => "more CPUs for the JVM".to_owned(),
    };
    let threads = situation.jvm.as_ref().map_or(0, |it| it.gc_threads);
    let fewer = match threads {
        2.. => format!("fewer GC threads (-XX:ParallelGCThreads, now {threads})"),
        _ => "fewer threads of its own that run at once".to_owned(),
    };
    let what = format!("{more}, or {fewer}");
    Advice::now(Action::say(what), "threads of the JVM itself ran on the CPUs meanwhile")
}
