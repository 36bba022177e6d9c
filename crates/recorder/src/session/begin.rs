//! What a session finds out before it begins: whether this host and this JVM can be recorded, and how.
use crate::{
    AttachError, Duties, Jvm, Options, Roots,
    host::{CountersFile, ProbedLibrary, ProcessDir, open_libjvm},
    kernel::{Stacks, Symbols, Target},
    process::in_initial_pid_namespace,
    sampler::CountedStops,
};
use recording::{Coverage, Source, SourceState};
use std::{num::NonZeroU64, path::Path};

/// How late the kernel may wake up who waits for a time. Most of what a sample costs is a
/// timer of its own: with some leeway it comes along with another one.
const LEEWAY: NonZeroU64 = NonZeroU64::new(10_000_000).expect("not 0");

/// Has this thread, and those that it will start, woken up together with others. Only where a tenth of
/// a second is the shortest time that any of them waits, and this thread does no work for its caller.
pub(super) fn wake_up_with_others(duties: Option<Duties>, counted: Option<&CountedStops>) {
    if duties.is_some() && counted.is_none() {
        // Without it all is as exact as ever.
        let _ = rustix::thread::set_current_timer_slack(Some(LEEWAY));
    }
}

/// The stops that the JVM counts, where no probe reports them.
pub(super) fn counted_stops(
    roots: &Roots,
    jvm: &Jvm,
    file: Option<&CountersFile>,
    coverage: &mut Coverage,
) -> Option<CountedStops> {
    if coverage.has(Source::SafepointProbes) || coverage.has(Source::SafepointSymbols) {
        return None;
    }
    let dir = ProcessDir::open(roots, jvm.pid).ok();
    let counted = file.zip(dir.as_ref()).and_then(|(file, dir)| CountedStops::open(file, dir));
    let why_not = || dir.map_or_else(String::new, |dir| CountersFile::why_not(file, &dir));
    let state = match counted {
        Some(_) => SourceState::Recorded,
        None => SourceState::Missing(why_not()),
    };
    coverage.sources.insert(Source::SafepointCounters, state);
    counted
}

/// Whether no source at all reports stops.
pub(super) fn is_blind(coverage: &Coverage) -> bool {
    let reported = [Source::SafepointProbes, Source::SafepointSymbols, Source::SafepointCounters];
    !reported.iter().any(|it| coverage.has(*it))
}

/// What is to be attached to: a JVM with this number of threads.
pub(super) fn target(
    jvm: &Jvm,
    options: &Options,
    counters: Option<&CountersFile>,
    threads: usize,
) -> Target {
    Target {
        pid: jvm.pid,
        libjvm: open_libjvm(&options.roots, jvm),
        probed: ProbedLibrary::of(&options.roots, jvm),
        windows: options.windows,
        measure: options.measure_kernel_time,
        late_code: options.late_code,
        stalls_over: options.stalls_over,
        small_for: options.one_of_many.then_some(threads),
        cpus: allowed_cpus(jvm.pid),
        counters: counters.and_then(CountersFile::watched),
        #[cfg(test)]
        refuse: None,
        #[cfg(test)]
        without_tracepoint: false,
    }
}

/// The CPUs on which the process may run. Threads with another choice than its main thread are
/// seen on these only.
fn allowed_cpus(pid: u32) -> Vec<i32> {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let Ok(set) = rustix::thread::sched_getaffinity(pid) else { return Vec::new() };
    let cpus = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
    cpus.filter_map(|cpu| i32::try_from(cpu).ok()).collect()
}

/// What must be true of the host before anything can be attached.
pub(super) fn check_host(roots: &Roots) -> Result<(), AttachError> {
    if !roots.sys.join("kernel/btf/vmlinux").exists() {
        return Err(AttachError::NoBtf);
    }
    if !in_initial_pid_namespace(&roots.proc) {
        return Err(AttachError::PidNamespace);
    }
    Ok(())
}

pub(super) fn read_symbols(proc: &Path, coverage: &mut Coverage) -> Option<Stacks> {
    let read = Symbols::shared(proc);
    let state = match &read {
        Ok(_) => SourceState::Recorded,
        Err(error) => SourceState::Missing(error.to_string()),
    };
    coverage.sources.insert(Source::KernelStacks, state);
    read.ok().map(Stacks::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_type_information_is_said_to_have_none() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots { proc: "/proc".into(), sys: root.path().into() };
        assert_eq!(check_host(&roots), Err(AttachError::NoBtf));
    }
}
