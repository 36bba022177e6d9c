//! A quota that the JVM's threads use up at once, or does not know of.
use crate::{
    HazardKind, Likelihood, Scope,
    cause::{
        exposure::{Awareness, Check, Exposed, Exposure},
        os_evidence::time_to_use_up,
    },
    text,
};

pub(super) static HAZARDS: [HazardKind; 3] = [
    HazardKind {
        id: "cpu-quota-unseen",
        title: "A CPU quota that the JVM does not know of",
        subject: "container support for CPUs",
        about: "A JVM that does not see its quota takes all CPUs of the host for its own, and starts as many GC and compiler threads. They use the quota up in a fraction of a period, and all threads wait for the next one.",
        scope: Scope::Jvm,
        check: unseen,
    },
    HazardKind {
        id: "gc-threads-over-quota",
        title: "More GC threads than the CPU quota has CPUs",
        subject: "GC threads",
        about: "A collection starts all its threads at once. Where there are more than the quota has CPUs, they use it up before the period ends, and the kernel takes every thread off the CPUs until the next one. That is so also after a quota was made smaller for a JVM that runs.",
        scope: Scope::Jvm,
        check: threads,
    },
    HazardKind {
        id: "cpu-quota-used-up",
        title: "The CPU quota is used up",
        subject: "CPU quota",
        about: "The control group uses its quota up again and again. Each time the kernel takes every thread of the JVM off the CPUs until the next period begins.",
        scope: Scope::Jvm,
        check: used_up,
    },
];

/// A start or a burst is throttled in fewer periods than one of this number.
const ONE_PERIOD_OF: u64 = 10;
/// Once may be by chance.
const MIN_PERIODS: u64 = 2;

fn unseen(exposure: &Exposure<'_>) -> Check {
    let Some(quota) = exposure.quota_cpus() else { return Check::Inapplicable };
    let flags = exposure.flags();
    let reported = flags.value("ActiveProcessorCount").or(flags.value("ParallelGCThreads"));
    let host = exposure.situation.host.as_ref().map_or(0, |it| u64::from(it.cpus));
    let why = match Awareness::of(exposure) {
        Awareness::Aware => return Check::Fine,
        Awareness::Unknown => return Check::Unknown("whether the JVM knows of its CPU quota"),
        Awareness::SwitchedOff => {
            "-XX:-UseContainerSupport keeps the JVM from seeing its CPU quota"
        }
        Awareness::TooOld => "This JDK does not see the CPU quota of its control group",
    };
    if reported.is_some() || host <= quota {
        return Check::Fine;
    }
    let of = exposure.situation.cgroup.as_ref().and_then(|it| it.milli_cpus());
    let statement = format!(
        "{why} of {}, and it sizes itself for the {host} CPUs of the host.",
        text::cpus(of.unwrap_or(quota * 1000))
    );
    Check::of(Some(Exposed::new(Likelihood::Likely, statement).mended_by(format!(
        "-XX:ActiveProcessorCount={quota}, or a JDK that knows of control groups"
    ))))
}

fn threads(exposure: &Exposure<'_>) -> Check {
    let (Some(cgroup), Some(quota)) = (exposure.situation.cgroup.as_ref(), exposure.quota_cpus())
    else {
        return Check::Inapplicable;
    };
    let threads = exposure.jvm().map_or(0, |it| it.gc_threads);
    if threads == 0 {
        return Check::Unknown("how many GC threads the JVM has");
    }
    if u64::from(threads) <= quota {
        return Check::Fine;
    }
    let cpus = text::cpus(cgroup.milli_cpus().unwrap_or(0));
    let name = if cgroup.cpu_path.is_empty() { "the group" } else { &cgroup.cpu_path };
    let online = exposure.situation.host.as_ref().map_or(0, |it| it.cpus);
    let used = time_to_use_up(cgroup, threads, online).map_or_else(String::new, |time| {
        let quota = text::duration(cgroup.cpu_quota.unwrap_or_default());
        format!(": together they use the {quota} of each period up in {}", text::duration(time))
    });
    let throttled = throttled(exposure);
    let likelihood = match &throttled {
        Some((periods, _)) if *periods > 0 => Likelihood::Likely,
        _ => Likelihood::Possible,
    };
    let statement =
        format!("The JVM has {threads} GC threads, and {name} a quota of {cpus}{used}.");
    Check::of(Some(
        Exposed::new(likelihood, statement).because(throttled.map(|(_, phrase)| phrase)),
    ))
}

/// In how many periods the group was throttled, and a phrase for it; `None` where that was not counted.
fn throttled(exposure: &Exposure<'_>) -> Option<(u64, String)> {
    let (throttled, time) = exposure.growth("cgroup.cpu.nr_throttled")?;
    let (periods, _) = exposure.growth("cgroup.cpu.nr_periods")?;
    let time = text::duration(time);
    Some((
        throttled,
        format!("the group was throttled in {throttled} of {periods} periods in {time}"),
    ))
}

fn used_up(exposure: &Exposure<'_>) -> Check {
    let Some(cgroup) = exposure.situation.cgroup.as_ref().filter(|it| it.cpu_quota.is_some())
    else {
        return Check::Inapplicable;
    };
    let counted =
        exposure.growth("cgroup.cpu.nr_throttled").zip(exposure.growth("cgroup.cpu.nr_periods"));
    let Some(((throttled, time), (periods, _))) = counted else {
        return Check::Unknown("whether the CPU quota is used up");
    };
    let often = throttled >= MIN_PERIODS && throttled.saturating_mul(ONE_PERIOD_OF) >= periods;
    let explained = matches!(threads(exposure), Check::Found(_));
    let found = (often && !explained).then(|| {
        let cpus = text::cpus(cgroup.milli_cpus().unwrap_or(0));
        let name = if cgroup.cpu_path.is_empty() { "The group" } else { &cgroup.cpu_path };
        Exposed::new(
            Likelihood::Likely,
            format!(
                "{name} used its quota of {cpus} up in {throttled} of {periods} periods in {}.",
                text::duration(time)
            ),
        )
    });
    Check::of(found)
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    const QUOTA: &str = "cgroup quota 200ms period 100ms";

    #[track_caller]
    fn hazards(text: &str, expected: &str) {
        check(text, &format!("cfs-throttling {expected}"));
    }

    #[test]
    fn more_threads_than_the_quota_has_cpus() {
        let of = |threads: u32| format!("jvm 17.0.15 g1\ncpus 8 gc-threads {threads}\n{QUOTA}");
        let said = "gc-threads-over-quota: The JVM has 3 GC threads, and /app a quota of 2 CPUs: together they use the 200 ms of each period up in 66.7 ms.";
        let said = said.replace("66.7", "67");
        hazards(&of(3), &format!("possible {said}"));
        hazards(&of(2), "");
        hazards(&of(3).replace(QUOTA, ""), "");
        let grown =
            format!("{}\ngrown cgroup.cpu.nr_throttled 1\ngrown cgroup.cpu.nr_periods 10", of(3));
        hazards(&grown, &format!("likely {said}"));
    }

    #[test]
    fn a_quota_of_part_of_a_cpu_is_rounded_up_as_the_jvm_does() {
        let text = "jvm 17.0.15 g1\ncpus 8 gc-threads 2\ncgroup quota 150ms period 100ms";
        hazards(text, "");
    }

    #[test]
    fn a_quota_that_is_used_up_again_and_again() {
        let of = |throttled: u32, periods: u32| {
            format!(
                "jvm 17.0.15 g1\ncpus 8 gc-threads 2\n{QUOTA}\n\
                 grown cgroup.cpu.nr_throttled {throttled}\ngrown cgroup.cpu.nr_periods {periods}"
            )
        };
        let said = "likely cpu-quota-used-up: /app used its quota of 2 CPUs up in 2 of 10 periods in 1.00 s.";
        hazards(&of(2, 10), said);
        hazards(&of(1, 10), "");
        hazards(&of(2, 21), "");
    }

    #[test]
    fn a_jvm_that_does_not_know_of_its_quota() {
        let of = |version: &str, flags: &str| {
            format!("jvm {version} g1 flags -Xmx1g {flags}\ncpus 8 gc-threads 0\n{QUOTA}")
        };
        let old = "likely cpu-quota-unseen: This JDK does not see the CPU quota of its control group of 2 CPUs, and it sizes itself for the 8 CPUs of the host.";
        hazards(&of("1.8.0_181", ""), old);
        hazards(&of("1.8.0_392", ""), "");
        hazards(&of("1.8.0_181", "-XX:ActiveProcessorCount=2"), "");
        let off = "likely cpu-quota-unseen: -XX:-UseContainerSupport keeps the JVM from seeing its CPU quota of 2 CPUs, and it sizes itself for the 8 CPUs of the host.";
        hazards(&of("17.0.1", "-XX:-UseContainerSupport"), off);
        hazards(&of("17.0.1", "-XX:-UseContainerSupport").replace("cpus 8", "cpus 2"), "");
    }
}
