//! Threads that are ready to run and do not.
use crate::advised;

const THROTTLED: &str = "
    jvm 17.0.15 g1
    kernel 6.1.0
    cpus 8 gc-threads 8
    cgroup quota 100ms period 100ms
    thread 1 vm-thread VM Thread
    thread 2 gc-worker GC Thread#0
    safepoint 0ms 200ms op G1CollectForAllocation 1ms 199ms vm 1
    1 on-cpu 0ms 5ms
    1 waiting 5ms 195ms by 2
    1 on-cpu 195ms 200ms
    2 on-cpu 5ms 18ms
    2 throttled 18ms 105ms
    2 on-cpu 105ms 118ms
    2 throttled 118ms 190ms
    2 on-cpu 190ms 196ms";

fn throttled(facts: &str) -> String {
    advised("cfs-throttling", facts)
}

#[test]
fn gc_threads_are_advised_only_where_they_exceed_the_quota() {
    assert!(throttled(THROTTLED).contains("-XX:ParallelGCThreads=1"));
    let enough = THROTTLED.replace("quota 100ms", "quota 800ms");
    assert!(!throttled(&enough).contains("ParallelGCThreads"));
    let more = THROTTLED.replace("quota 100ms", "quota 799ms");
    assert!(
        throttled(&more).contains("-XX:ParallelGCThreads=7 (it has 8 GC threads on a quota of")
    );
    let given = THROTTLED.replace("g1", "g1 flags -XX:ParallelGCThreads=1");
    assert!(!throttled(&given).contains("ParallelGCThreads"));
}

#[test]
fn quota_advice_covers_gc_threads_and_fits_cgroup_version() {
    let advice = throttled(THROTTLED);
    assert!(advice.contains("echo '800000 100000' > /sys/fs/cgroup/app/cpu.max ("), "{advice}");
    let v1 = throttled(&THROTTLED.replace("period 100ms", "period 100ms v1"));
    assert!(v1.contains("echo 800000 > /sys/fs/cgroup/cpu/app/cpu.cfs_quota_us ("), "{v1}");
}

/// It was: 16 GC threads, and 16 times the quota of 1 CPU, on 2 CPUs.
#[test]
fn a_quota_above_the_hosts_cpus_is_not_advised() {
    let small = THROTTLED.replace("cpus 8 gc-threads 8", "cpus 2 gc-threads 16");
    let advice = throttled(&small);
    assert!(advice.contains("echo '200000 100000' >"), "{advice}");
    let all = throttled(&small.replace("quota 100ms", "quota 200ms"));
    assert!(!all.contains("echo '") && all.contains("a larger CPU quota, or none"), "{all}");
}

#[test]
fn a_burst_is_advised_where_the_kernel_has_it_and_nobody_set_it() {
    assert!(throttled(THROTTLED).contains("cpu.max.burst"));
    assert!(!throttled(&THROTTLED.replace("kernel 6.1.0", "kernel 5.13.0")).contains("burst"));
    assert!(throttled(&THROTTLED.replace("kernel 6.1.0", "kernel 5.14.0")).contains("burst"));
    let given = THROTTLED.replace("period 100ms", "period 100ms burst 50ms");
    assert!(!throttled(&given).contains("burst"));
}

const QUEUED: &str = "
    missing cpu-users
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 2 gc-worker GC Thread#0
    safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
    1 on-cpu 0ms 5ms
    1 waiting 5ms 95ms by 2
    1 on-cpu 95ms 100ms
    2 runnable 5ms 65ms held 77 stress
    2 on-cpu 65ms 96ms";

#[test]
fn gc_threads_are_advised_only_where_they_exceed_the_cpus() {
    let of = |line: &str| advised("cpu-contention", &format!("{line}\n{QUEUED}"));
    assert!(!of("cpus 2 gc-threads 2").contains("ParallelGCThreads"));
    assert!(
        of("cpus 2 gc-threads 3").contains("-XX:ParallelGCThreads=2 (it has 3 GC threads on 2")
    );
    assert!(of("cpus 2 gc-threads 2").contains("CPUs of its own"));
}

/// More threads of the JVM that want a CPU.
const CROWD: &str = "
    thread 6 java C2 CompilerThread0
    thread 7 java C1 CompilerThread0
    6 on-cpu 0ms 100ms
    7 on-cpu 0ms 100ms";

#[test]
fn neighbours_were_blamed_for_the_threads_of_the_jvm_itself() {
    let of = |facts: &str, holder: &str| {
        advised("cpu-contention", &format!("{facts}\n{}", QUEUED.replace("77 stress", holder)))
    };
    let own = of(&format!("cpus 2 gc-threads 2{CROWD}"), "4242 java");
    assert!(
        own.contains("more CPUs for the JVM (the host has 2 CPUs), or fewer GC threads"),
        "{own}"
    );
    assert!(!own.contains("neighbours"), "{own}");
    let limited = format!("cpus 2 gc-threads 8\ncgroup quota 400ms period 100ms{CROWD}");
    let quota = of(&limited, "4242 java");
    assert!(quota.contains("a larger CPU quota for the JVM (it has 4 CPUs)"), "{quota}");
    let others = of("cpus 2 gc-threads 2", "77 stress");
    assert!(others.contains("neighbours") && !others.contains("for the JVM"), "{others}");
    let both = QUEUED.replace("missing cpu-users", "cpu-user 77 stress 5ms 45ms cpu 1");
    let both = advised("cpu-contention", &format!("cpus 2 gc-threads 2{CROWD}\n{both}"));
    let [own, others] = ["for the JVM", "neighbours"].map(|it| both.find(it).expect(it));
    assert!(own < others, "who ran most comes first: {both}");
}

/// It was: `=1` for the quota and `=2` for the CPUs, on one screen.
#[test]
fn one_number_of_gc_threads_is_advised_in_one_answer() {
    let both = THROTTLED.replace("cpus 8 gc-threads 8", "cpus 2 gc-threads 8").replace(
        "2 on-cpu 190ms 196ms",
        "2 runnable 190ms 194ms held 77 stress\n2 on-cpu 194ms 196ms",
    );
    let one = "-XX:ParallelGCThreads=1 (it has 8 GC threads on a quota of 1 CPU)";
    assert!(throttled(&both).contains(one));
    assert!(advised("cpu-contention", &both).contains(one));
}

#[test]
fn interrupts_are_asked_for_where_the_hypervisor_is_not_known_to_be_it() {
    let stolen = |more: &str| {
        format!(
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
             1 on-cpu 0ms 100ms taken 40ms
             {more}"
        )
    };
    assert!(advised("cpu-steal", &stolen("")).contains("/proc/interrupts"));
    let counted = "sample cpu.steal_ms 0ms 0\nsample cpu.steal_ms 1000ms 500";
    assert!(!advised("cpu-steal", &stolen(counted)).contains("/proc/interrupts"));
}
