//! The flags of all findings as one line: a log in, the line out.
use crate::pause;
use diagnose::log_text;
use remedy::FlagLine;

fn line(log: &str) -> FlagLine {
    remedy::flag_line(&log_text::diagnose(log))
}

/// The line and what goes, as text.
fn shown(line: &FlagLine) -> String {
    let goes = match line.replaces.as_slice() {
        [] => String::new(),
        gone => format!(" in place of {}", gone.join(" ")),
    };
    line.words().join(" ") + &goes
}

/// Humongous objects, a slow reference phase that cuts eden, and no region left.
fn story(version: &str, flags: &str) -> String {
    let young = |at: u64, id: u64, reference: &str, before: u64, after: u64| {
        format!(
            "[{s}.000s][debug][gc,phases] GC({id})     Reference Processing: {reference}ms\n\
             [{s}.000s][info ][gc,heap  ] GC({id}) Eden regions: {before}->0({after})\n{}",
            pause(at, id, "Young (Normal) (G1 Evacuation Pause) 150M->20M(200M)", 150),
            s = at / 1000
        )
    };
    format!(
        "[0.001s] Using G1\n[0.002s][info][gc,init] Version: {version}\n\
         [0.002s][info][gc,init] Heap Region Size: 1M\n[0.002s][info][gc,init] Heap Max Capacity: 1G\n\
         [0.002s][info][gc,init] CommandLine flags: {flags}\n\
         [0.9s][debug][gc,ergo] Request concurrent cycle initiation (occupancy higher than threshold) occupancy: 477102080B allocation request: 1572864B threshold: 483183820B (45.00) source: concurrent humongous allocation\n{}{}{}{}{}{}",
        pause(950, 0, "Young (Concurrent Start) (G1 Humongous Allocation) 99M->98M(100M)", 30),
        young(1000, 1, "4.0", 300, 300),
        young(5000, 2, "101.3", 300, 30),
        young(6000, 3, "4.0", 30, 229),
        young(7000, 4, "4.0", 229, 300),
        pause(
            8000,
            9,
            "Young (Normal) (G1 Evacuation Pause) (Evacuation Failure) 63M->63M(64M)",
            400
        ),
    )
}

#[test]
fn every_finding_has_its_flag_and_none_comes_twice() {
    let of_8 = line(&story("1.8.0_412", ""));
    let new = line(&story("17.0.15+6", "-XX:+UseG1GC"));
    assert_eq!(
        shown(&new),
        "-XX:+UnlockExperimentalVMOptions -XX:G1HeapRegionSize=4m -XX:G1NewSizePercent=29 \
         -XX:InitiatingHeapOccupancyPercent=30 -XX:-G1UseAdaptiveIHOP -XX:G1ReservePercent=20"
    );
    assert!(!shown(&of_8).contains("G1UseAdaptiveIHOP"), "{}", shown(&of_8));
    for it in of_8.flags.iter().chain(&new.flags) {
        assert!(it.why.ends_with('.') && !it.why.contains(".."), "{}", it.why);
    }
    let why = |flag: &str| new.flags.iter().find(|it| it.flag.contains(flag)).map(|it| &*it.why);
    let size = why("G1HeapRegionSize").unwrap_or_default();
    assert!(size.contains("1 pause (30 ms)") && size.contains("1.5 MiB"), "{size}");
    let floor = why("G1NewSizePercent").unwrap_or_default();
    assert!(floor.contains("Eden had 300 MiB of a heap of 1 GiB"), "{floor}");
}

#[test]
fn given_flags_are_not_repeated_and_other_values_are_replaced() {
    let given = "-XX:+UseG1GC -XX:G1HeapRegionSize=1m -XX:G1NewSizePercent=5 -XX:InitiatingHeapOccupancyPercent=40";
    let line = line(&story("17.0.15+6", given));
    assert_eq!(
        shown(&line),
        "-XX:G1HeapRegionSize=4m -XX:G1ReservePercent=20 in place of -XX:G1HeapRegionSize=1m"
    );
}

#[test]
fn the_flags_of_cms_go_and_none_of_its_own_is_advised_beside_g1() {
    let log = format!(
        "[0.001s] Using Concurrent Mark Sweep\n[0.002s][info][gc,init] Version: 11.0.31+11\n\
         [0.002s][info][gc,init] CommandLine flags: -XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=75 -Xmx1g\n{}",
        pause(3000, 2, "Full (Allocation Failure) 90M->30M(100M)", 2800)
    );
    let line = line(&log);
    assert_eq!(
        shown(&line),
        "-XX:+UseG1GC in place of -XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=75"
    );
    assert!(line.flags[0].why.contains("2.80 s"), "{}", line.flags[0].why);
}

#[test]
fn another_collector_is_a_choice_with_two_sides() {
    let of = |version: &str| line(&story(version, "-XX:+UseG1GC")).other_collector;
    let zgc = of("21.0.4+7").expect("ZGC with generations");
    assert_eq!(zgc.flags, ["-XX:+UseZGC", "-XX:+ZGenerational"]);
    assert!(zgc.in_favour[0].contains("took 400 ms in a heap of up to 1 GiB"), "{zgc:?}");
    assert!(zgc.against.iter().any(|it| it.contains("no compressed pointers")), "{zgc:?}");
    assert_eq!(of("25+36").expect("ZGC").flags, ["-XX:+UseZGC"]);
    assert_eq!(of("17.0.15+6").expect("Shenandoah").flags, ["-XX:+UseShenandoahGC"]);
    assert_eq!(of("11.0.31+11"), None);
    let short = |ms| {
        let log = pause(1000, 1, "Young (Normal) (G1 Evacuation Pause) 150M->20M(200M)", ms);
        line(&format!("[0.001s] Using G1\n[0.002s][info][gc,init] Version: 25+36\n{log}"))
    };
    assert!(short(99).other_collector.is_none() && short(100).other_collector.is_some());
}

/// What the team in the story set after weeks, out of two lines of its log.
#[test]
fn the_story_of_a_slow_reference_phase_has_the_flags_that_ended_it() {
    let log = include_str!("../../../../testdata/stories/espresso-eden-shrunk/gc.log");
    assert_eq!(
        shown(&line(log)),
        "-XX:+UnlockExperimentalVMOptions -XX:G1NewSizePercent=40 -XX:+ParallelRefProcEnabled"
    );
}
