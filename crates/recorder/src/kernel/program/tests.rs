//! One program after the other is made such that the kernel refuses it.
use super::*;
use crate::host::ProbedLibrary;
use crate::{
    Roots, Windows,
    kernel::{
        Target,
        load::{self, FILE_FAULT, SYMBOLS, USDT, plan},
    },
};
use std::{collections::BTreeSet, path::Path, time::Duration};

/// A JVM that is killed when the test ends.
struct Java(spawn::Running);

/// A JVM with probes, where programs can be loaded; otherwise says why not.
fn java() -> Option<Java> {
    let why = if !rustix::process::geteuid().is_root() {
        "not root"
    } else if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        "the kernel has no BTF"
    } else {
        let mut command = spawn::command("java");
        command.args(["-Xmx64m", "-XX:+UseSerialGC"]).arg(testing::program("Alloc"));
        match spawn::Running::start_heard(command) {
            Ok(mut child) => {
                child.says("ready", Duration::from_secs(120)).unwrap();
                return Some(Java(child));
            }
            Err(_) => "no `java` in the path",
        }
    };
    println!("SKIPPED: {why}");
    None
}

fn target(java: &Java, windows: Windows, refuse: Option<&'static str>) -> Target {
    let pid = java.0.id();
    let roots = Roots::default();
    let jvm = crate::jvm(&roots, pid).unwrap();
    Target {
        pid,
        libjvm: crate::host::open_libjvm(&roots, &jvm),
        probed: ProbedLibrary::of(&roots, &jvm),
        windows,
        measure: false,
        // somewhere: what matters is that the program is wanted
        counters: Some((4096, 8192)),
        late_code: true,
        stalls_over: std::time::Duration::ZERO,
        small_for: None,
        cpus: vec![0],
        refuse,
        without_tracepoint: false,
    }
}

fn recorded(coverage: &Coverage) -> BTreeSet<Source> {
    coverage.sources.keys().copied().filter(|it| coverage.has(*it)).collect()
}

/// The programs that run for `target`, and what is covered.
fn attach(target: &Target) -> (BTreeSet<String>, Coverage) {
    let (kernel, coverage) = Kernel::attach(target).unwrap();
    (kernel.programs().map(|it| it.0).collect(), coverage)
}

/// What is lost with a program: its sources, and other programs.
fn lost_with(program: &str) -> (Vec<Source>, Vec<&'static str>) {
    let usdt = USDT.map(|it| it.0);
    let symbols = SYMBOLS.map(|it| it.0);
    let optional = OPTIONAL.iter().find(|it| it.1.contains(&program));
    match program {
        EXIT => (vec![], vec![]),
        CLOCK => (vec![Source::LateCode], vec![]),
        COUNTERS_FAULT => (vec![Source::CounterFaults], vec![]),
        FILE_FAULT | FILE_FAULT_ENTRY => (vec![Source::FileFaults], vec![]),
        _ if SCHEDULER.contains(&program) => {
            let on_tracepoints = OPTIONAL.iter().flat_map(|it| it.1).copied();
            let mut sources = vec![Source::Scheduler, Source::CpuThrottling];
            sources.extend([Source::CounterFaults, Source::FileFaults]);
            sources.extend(OPTIONAL.map(|it| it.0));
            let on_faults = [COUNTERS_FAULT, FILE_FAULT, FILE_FAULT_ENTRY];
            (sources, on_tracepoints.chain(SCHEDULER).chain(on_faults).collect())
        }
        _ if usdt.contains(&program) || symbols.contains(&program) => (
            vec![Source::SafepointProbes, Source::SafepointSymbols, Source::LateCode],
            usdt.into_iter().chain(symbols).chain([CLOCK]).collect(),
        ),
        // the rest of its group is loaded, and not attached
        _ => (vec![optional.unwrap().0], vec![]),
    }
}

fn each_refusal_costs_its_own_sources(target: &Target) {
    let (all, whole) = attach(target);
    for program in &all {
        let name: &'static str = Box::leak(program.clone().into_boxed_str());
        let (left, coverage) = attach(&Target { refuse: Some(name), ..target.clone() });
        let (sources, programs) = lost_with(name);
        let with_it = |it: &String| it == name || programs.contains(&it.as_str());
        let expected: BTreeSet<_> = all.iter().filter(|it| !with_it(it)).cloned().collect();
        assert_eq!(left, expected, "{name}");
        let mut expected = recorded(&whole);
        expected.retain(|it| !sources.contains(it));
        assert_eq!(recorded(&coverage), expected, "{name}");
        let mut reported = coverage.notes.iter().map(|it| it.message.as_str()).collect::<Vec<_>>();
        reported.extend(coverage.sources.values().filter_map(|it| match it {
            SourceState::Missing(why) | SourceState::Partial(why) => Some(why.as_str()),
            SourceState::Recorded => None,
        }));
        let verifier = "the verifier says: last insn is not an exit or jmp";
        let why = |it: &&str| it.contains(&format!("prog '{name}'")) && it.contains(verifier);
        assert!(reported.iter().any(why), "{name}: {reported:?}");
    }
    println!("{} programs, {:?}", all.len(), target.windows);
}

#[test]
fn a_program_that_the_kernel_refuses_costs_its_own_sources_only() {
    let Some(java) = java() else { return };
    each_refusal_costs_its_own_sources(&target(&java, Windows::Usdt, None));
    let symbols = target(&java, Windows::Symbols, None);
    if matches!(plan(&symbols), Plan::Symbols(_)) {
        each_refusal_costs_its_own_sources(&symbols);
    } else {
        println!("SKIPPED: this libjvm has no symbol table");
    }
}

fn why_missing(coverage: &Coverage, source: Source) -> &str {
    match coverage.sources.get(&source) {
        Some(SourceState::Missing(why)) => why,
        _ => panic!("{:?}", coverage.sources),
    }
}

/// On any kernel, as one before Linux 6.12 does it.
#[test]
fn missing_file_fault_tracepoint_is_replaced_by_function_probe() {
    let Some(java) = java() else { return };
    let mut target = target(&java, Windows::Usdt, None);
    let (programs, whole) = attach(&target);
    assert_ne!(programs.contains(FILE_FAULT), programs.contains(FILE_FAULT_ENTRY), "{programs:?}");
    target.without_tracepoint = true;
    let (programs, coverage) = attach(&target);
    assert!(!programs.contains(FILE_FAULT), "{programs:?}");
    let others = |coverage: &Coverage| {
        let mut others = recorded(coverage);
        others.remove(&Source::FileFaults);
        others
    };
    assert_eq!(others(&coverage), others(&whole));
    if coverage.has(Source::FileFaults) {
        assert!(programs.contains(FILE_FAULT_ENTRY), "{programs:?}");
        each_refusal_costs_its_own_sources(&target);
    } else {
        println!("SKIPPED: {}", why_missing(&coverage, Source::FileFaults));
    }
}

#[test]
fn with_neither_tracepoint_nor_function_the_reason_tells_of_both() {
    let Some(java) = java() else { return };
    let mut target = target(&java, Windows::Usdt, Some(FILE_FAULT_ENTRY));
    target.without_tracepoint = true;
    let (programs, coverage) = attach(&target);
    assert!(!programs.contains(FILE_FAULT_ENTRY), "{programs:?}");
    let why = why_missing(&coverage, Source::FileFaults);
    let said = why.strip_prefix(NO_FILE_FAULT).unwrap_or_else(|| panic!("{why}"));
    assert!(said.starts_with(": prog 'file_fault_entry': "), "{why}");
    assert!(!why.contains('\n'), "{why}");
}

#[test]
fn where_the_windows_cannot_be_attached_the_scheduler_still_runs() {
    let Some(java) = java() else { return };
    let mut target = target(&java, Windows::Usdt, None);
    // above any process id, so that the kernel has nothing to attach probes to
    target.pid = i32::MAX as u32;
    let (programs, coverage) = attach(&target);
    assert!(coverage.has(Source::Scheduler), "{:?}", coverage.sources);
    assert!(programs.contains("on_switch") && !programs.contains("usdt_safepoint_begin"));
    let why = why_missing(&coverage, Source::SafepointProbes);
    assert!(why.contains("usdt_safepoint_end"), "{why}");
}

#[test]
fn with_neither_windows_nor_the_scheduler_there_is_nothing_to_record_with() {
    let Some(java) = java() else { return };
    let mut target = target(&java, Windows::Auto, Some("on_switch"));
    target.libjvm = Ok(Arc::new(std::fs::File::open("/etc/passwd").unwrap()));
    let Err(load::KernelError::Other(why)) = Kernel::attach(&target) else { panic!() };
    assert!(why.contains("prog 'on_switch'"), "{why}");
}
