//! What is predicted of made-up demands, and of facts.
use super::*;

fn ms(it: u64) -> Duration {
    Duration::from_millis(it)
}

const TODAY: CpuLimits = CpuLimits {
    period: ms_const(100),
    quota: Some(ms_const(100)),
    burst: Duration::ZERO,
    gc_threads: 8,
};

const fn ms_const(it: u64) -> Duration {
    Duration::from_millis(it)
}

/// `times` rounds: the application runs, is free to, and a collection needs these times of the VM thread
/// and of the workers.
fn demand(times: usize, phase: [u64; 4]) -> Demand {
    let [between, free, serial, parallel] = phase.map(ms);
    Demand::of_phases(TODAY, 8, &vec![(between, free, serial, parallel); times])
}

#[test]
fn what_fits_into_the_quota_is_not_throttled() {
    let light = demand(100, [20, 200, 0, 8]);
    let predicted = light.under(&TODAY).unwrap();
    assert_eq!((predicted.throttled, predicted.throttled_periods), (ms(0), 0));
    assert_eq!(what_if(&light), None);
}

#[test]
fn a_burst_of_gc_threads_is_throttled_and_fewer_threads_are_not() {
    // A collection of 150 ms of CPU time each half second: two CPUs do it within one period's quota.
    let bursts = demand(100, [50, 500, 0, 150]);
    let today = bursts.under(&TODAY).unwrap();
    assert!(today.throttled > Duration::from_secs(5), "{today:?}");
    let one = bursts.under(&CpuLimits { gc_threads: 1, ..TODAY }).unwrap();
    assert!(one.throttled < today.throttled / 20, "{one:?}");
    let free = bursts.under(&CpuLimits { quota: None, ..TODAY }).unwrap();
    assert_eq!((free.throttled, free.longest_stop), (ms(0), Duration::from_micros(18_750)));
}

#[test]
fn a_limit_of_1000m_throttles_where_1100m_does_not() {
    // One thread that always runs, and little beside it: some 1.03 CPUs.
    let busy = demand(200, [97, 97, 1, 5]);
    let limits = CpuLimits { gc_threads: 1, ..TODAY };
    let exact = busy.under(&limits.with_milli_cpus(1000)).unwrap();
    let more = busy.under(&limits.with_milli_cpus(1100)).unwrap();
    assert!(exact.throttled >= Duration::ZERO && more.throttled.is_zero(), "{exact:?} {more:?}");
}

#[test]
fn the_smallest_quota_that_ends_it_is_advised() {
    let busy = demand(100, [200, 100, 0, 100]);
    let found = what_if(&busy).unwrap();
    let advice = found.advice().unwrap();
    assert!(advice.ended_percent >= 98, "{found:?}");
    let quota = advice.limits.milli_cpus().unwrap();
    let less = advice.limits.with_milli_cpus(quota - 200);
    let less = busy.under(&less).unwrap();
    assert!(less.throttled * 50 > found.predicted.throttled, "{found:?}");
    let now = found.without_restart().unwrap();
    assert_eq!((now.lever, now.limits.gc_threads), (Lever::Quota, 8), "{found:?}");
    assert!(now.limits.milli_cpus() >= advice.limits.milli_cpus(), "{found:?}");
    let levers: Vec<&str> = found.tried.iter().map(|it| it.lever.id()).collect();
    assert_eq!(levers, ["burst", "gc-threads", "quota", "quota-and-gc-threads"]);
}

/// A stop of 20 ms each half second for `seconds`, with a quota, throttled in one part of it.
fn recorded(seconds: u64) -> recording::Facts {
    use recording::{CgroupFact, HostFact, MonoTime, SafepointFact, SafepointTotals, Sample};
    let at = |millis: u64| MonoTime(millis * 1_000_000);
    let mut facts = recording::Facts {
        host: Some(HostFact { cpus: 4, ..HostFact::default() }),
        cgroup: Some(CgroupFact {
            version: 2,
            cpu_quota: Some(ms(100)),
            cpu_period: ms(100),
            ..CgroupFact::default()
        }),
        jvm: Some(recording::JvmFact { gc_threads: 4, ..recording::JvmFact::default() }),
        ..recording::Facts::default()
    };
    for n in 0..seconds * 2 {
        let begin = n * 500;
        let totals =
            SafepointTotals { on_cpu: ms(1), waiting: ms(19), ..SafepointTotals::default() };
        facts.safepoints.push(SafepointFact {
            begin: at(begin),
            resumed: Some(at(begin + 20)),
            end_probe: at(begin + 20),
            vm_tid: 1,
            operations: Vec::new(),
            detailed: false,
            reaching: SafepointTotals::default(),
            operating: totals,
            cgroup_throttled: Duration::ZERO,
            cut: recording::Cut::WHOLE,
        });
    }
    for second in 0..=seconds {
        let sample =
            |counter: &str, value| Sample { at: at(second * 1000), counter: counter.into(), value };
        facts.samples.push(sample("cgroup.cpu.usage_ns", second * 900_000_000));
        let throttled = second.clamp(100, 200) * 50_000_000;
        facts.samples.push(sample("cgroup.cpu.throttled_ns", throttled));
    }
    facts
}

#[test]
fn demand_uses_the_worst_minutes_of_an_hour() {
    let demand = Demand::of(&recorded(3_600), Duration::from_secs(100)).unwrap();
    let measured = demand.measured();
    assert_eq!(measured.wall, Duration::from_secs(100));
    assert_eq!(measured.throttled, Duration::from_secs(5), "those in which it was throttled");
    let whole = Demand::of(&recorded(60), Duration::from_secs(100)).unwrap().measured();
    assert_eq!((whole.wall, whole.cpu), (Duration::from_secs(60), Duration::from_secs(54)));
}

#[test]
fn demand_of_five_minutes_can_be_replayed() {
    let demand = Demand::of(&recorded(3_600), Duration::from_secs(300)).unwrap();
    assert_eq!(demand.measured().wall, Duration::from_secs(300));
    assert!(demand.under(&CpuLimits { gc_threads: 32, ..demand.today() }).is_some());
}

#[test]
fn what_a_recording_lacks_is_said() {
    let of = |change: fn(&mut recording::Facts)| {
        let mut facts = recorded(10);
        change(&mut facts);
        Demand::of(&facts, Duration::from_secs(100)).unwrap_err().to_string()
    };
    assert_eq!(of(|it| it.cgroup = None), "the JVM has no CPU quota");
    assert_eq!(of(|it| it.safepoints.clear()), "no stops were recorded");
    assert_eq!(of(|it| it.samples.clear()), "the recording has no CPU time of the control group");
}
