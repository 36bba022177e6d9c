//! When a host counts as in use, and how that is said.
use super::*;

fn ticks(at: Instant, all: u64, processes: &[(i32, u64, &str)]) -> Ticks {
    let processes = processes.iter().map(|(pid, ticks, name)| (*pid, (*ticks, (*name).to_owned())));
    Ticks { at, all, processes: processes.collect() }
}

/// What is said after a second in which the CPUs worked for `percent` hundredths of one.
fn said(percent: u64) -> Option<String> {
    let (begin, ticks_of) =
        (Instant::now(), |it| it * rustix::param::clock_ticks_per_second() / 100);
    let before = ticks(begin, 1000, &[(1, 70, "init"), (991, 5, "cc1plus"), (12, 0, "a) (b")]);
    let end = begin + Duration::from_secs(1);
    let now = [(1, 70, "init"), (991, 5 + ticks_of(30), "cc1plus"), (12, ticks_of(9), "a) (b")];
    let load = before.until(ticks(end, 1000 + ticks_of(percent), &now));
    load.map(|it| Load { cpus: 2, ..it }.to_string())
}

#[test]
fn half_a_cpu_of_work_is_a_load() {
    assert_eq!(said(49), None);
    assert_eq!(said(50).unwrap(), "0.5 of 2 CPUs busy (991 cc1plus 0.3)");
    assert_eq!(said(170).unwrap(), "1.7 of 2 CPUs busy (991 cc1plus 0.3)");
}

#[test]
fn work_is_neither_idle_nor_waiting_nor_stolen() {
    assert_eq!(work("cpu  1 2 4 1000 2000 8 16 4000 32 64\ncpu0 9 9 9 9\n"), 31);
    assert_eq!(work("cpu  1 2\n"), 3);
    assert_eq!(work("cpu  x 18446744073709551615 7\n"), u64::MAX);
    assert_eq!(work(""), 0);
}

#[test]
fn a_process_is_read_whatever_it_calls_itself() {
    let stat = "12 (a) (b) S 1 2 3 4 5 6 7 8 9 10 40 2 0 0";
    assert_eq!(process(stat), Some((42, "a) (b".to_owned())));
    assert_eq!(process("12 (a) S 1 2"), None);
    assert_eq!(process(""), None);
}

/// What is said of a host with this much memory, and this much of it in use.
fn memory(all_mib: u64, used_mib: u64) -> Option<String> {
    let available = all_mib - used_mib;
    let meminfo =
        format!("MemTotal: {} kB\nMemAvailable:   {} kB\n", all_mib << 10, available << 10);
    Memory::of(&meminfo).map(|it| it.to_string())
}

#[test]
fn memory_is_in_use_from_what_an_idle_host_does_not_have() {
    assert_eq!(memory(24_576, 2048), None);
    assert_eq!(memory(24_576, 2049).unwrap(), "2.0 of 24.0 GiB of memory in use");
    assert_eq!(memory(3072, 1536), None);
    assert_eq!(memory(3072, 1537).unwrap(), "1.5 of 3.0 GiB of memory in use");
    assert_eq!(memory(524_288, 26_214), None);
    assert!(memory(524_288, 26_215).is_some());
    assert_eq!(Memory::of(""), None);
}

#[test]
fn what_others_call_themselves_is_shown_and_cannot_fake_a_line() {
    let jvms = vec![(77, "a\u{1b}[2J\nb".to_owned()), (4242, "k".repeat(900_000))];
    let unreadable = vec![(5, "x\r".to_owned())];
    let seen = InUse { jvms, unreadable, ..InUse::default() };
    let long = "k".repeat(60);
    let others = "1 process that could not be inspected and may be a JVM (5 x\\u{d})";
    assert_eq!(seen.to_string(), format!("2 JVMs (77 a\\u{{1b}}[2J b, 4242 {long}…); {others}"));
    let many = (1..=12).map(|it| (it, "x".to_owned())).collect();
    let seen = InUse { jvms: many, ..InUse::default() };
    assert_eq!(
        seen.to_string(),
        "12 JVMs (1 x, 2 x, 3 x, 4 x, 5 x, 6 x, 7 x, 8 x, 9 x, 10 x, 2 more)"
    );
    assert_eq!(LabError::InUse(seen.to_string()).hint().unwrap().split(';').count(), 2);
}

#[test]
fn the_host_is_looked_at_within_moments() {
    let begun = Instant::now();
    let seen = InUse::detect(&Interrupt::listen().unwrap()).unwrap();
    let text = seen.map(|it| it.to_string()).unwrap_or_default();
    assert!(!text.contains('\n'), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}
