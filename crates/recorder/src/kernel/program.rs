//! Loads the programs, attaches them to one JVM, and talks to their maps.
use super::{
    Counters, Function, Inbox, KernelError, RunTime, Sources, Target, clock,
    load::{
        CLOCK, COUNTERS_FAULT, EXIT, Plan, SYMBOLS, USDT, keep_warning, kernel_error, load, locked,
        plan, reason,
    },
};
use libbpf_rs::{
    Link, MapCore, MapFlags, Object, PrintLevel, ProgramMut, RingBuffer, RingBufferBuilder,
    set_print,
};
use recording::{Source, SourceState};
use std::{
    collections::btree_map::Entry,
    fs,
    os::fd::{AsFd, AsRawFd, FromRawFd, IntoRawFd, OwnedFd},
    sync::{Arc, Mutex},
    time::Duration,
};

/// Records taken in one drain at most, so that it ends even where they come as fast.
const MAX_DRAINED: usize = 256 * 1024;

const SCHEDULER: [&str; 2] = ["on_switch", "on_waking"];
/// Programs on tracepoints that some kernels lack. Each source needs all of its own.
const OPTIONAL: [(Source, &[&str]); 3] = [
    (
        Source::Reclaim,
        &["reclaim_begin", "reclaim_end", "memcg_reclaim_begin", "memcg_reclaim_end"],
    ),
    (Source::Compaction, &["compaction_begin", "compaction_end"]),
    (Source::FileFaults, &["file_fault"]),
];

/// Sources that say nothing where safepoints were to be seen and are not.
const WITHIN_SAFEPOINTS: [Source; 6] = [
    Source::Scheduler,
    Source::CpuThrottling,
    Source::Reclaim,
    Source::Compaction,
    Source::FileFaults,
    Source::CounterFaults,
];

/// The loaded programs. Dropping it detaches them; so does the death of this process.
pub(crate) struct Kernel {
    // Declared first, dropped first: nothing is sent any more when the ring buffer goes.
    links: Vec<Link>,
    ring: RingBuffer<'static>,
    object: Object,
    inbox: Arc<Mutex<Inbox>>,
    measuring: Option<OwnedFd>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("links", &self.links.len()).finish_non_exhaustive()
    }
}

impl Kernel {
    /// Loads the programs and attaches them to `target`. What cannot be attached becomes a missing
    /// source; an error is only what leaves nothing to record with.
    ///
    /// # Errors
    ///
    /// Where the kernel refuses the programs or the maps.
    pub(crate) fn attach(target: &Target) -> Result<(Kernel, Sources), KernelError> {
        set_print(Some((PrintLevel::Warn, keep_warning)));
        let plan = plan(target);
        let measuring = if target.measure { enable_stats() } else { None };
        let mut sources = Sources::new();
        let object = match load(target, &plan, true) {
            Err(KernelError::Other(why)) => {
                missing(&mut sources, &[Source::Scheduler], &why);
                load(target, &plan, false)?
            }
            loaded => loaded?,
        };
        let inbox = Arc::new(Mutex::new(Inbox::default()));
        let ring = ring(&object, &inbox)?;
        let mut kernel = Kernel { links: Vec::new(), ring, object, inbox, measuring };
        kernel.attach_all(target, &plan, &mut sources);
        Ok((kernel, sources))
    }

    fn attach_all(&mut self, target: &Target, plan: &Plan, sources: &mut Sources) {
        // Optional: without it, writers are seen by looking through /proc only.
        let _ = self.attach_programs(&[EXIT]);
        // It is there already where its programs could not be loaded.
        if let Entry::Vacant(scheduler) = sources.entry(Source::Scheduler) {
            scheduler.insert(self.attach_programs(&SCHEDULER));
        }
        for (source, programs) in OPTIONAL {
            let state = self.attach_programs(programs);
            sources.insert(source, state);
        }
        let counters = match target.counters {
            Some(_) => self.attach_programs(&[COUNTERS_FAULT]),
            // A file in memory, or none: no fault on it waits, and so nothing is missed.
            None => SourceState::Recorded,
        };
        sources.insert(Source::CounterFaults, counters);
        let throttling = sources.get(&Source::Scheduler).cloned();
        sources.extend(throttling.map(|state| (Source::CpuThrottling, state)));
        match plan {
            // Long waits and runs are kept all the same, for the stops that the log will tell.
            Plan::None(why) => {
                missing(sources, &[Source::SafepointProbes, Source::SafepointSymbols], why);
            }
            _ => self.attach_windows(target, plan, sources),
        }
        if target.late_code {
            let seen = [Source::SafepointProbes, Source::SafepointSymbols]
                .iter()
                .any(|it| sources.get(it) == Some(&SourceState::Recorded));
            let state = match seen {
                true => self.attach_clocks(&target.cpus),
                false => SourceState::Missing("not without safepoint probes".into()),
            };
            sources.insert(Source::LateCode, state);
        }
    }

    /// On each of these CPUs that is online now.
    fn attach_clocks(&mut self, cpus: &[i32]) -> SourceState {
        let mut links = Vec::new();
        for cpu in cpus {
            let clock = match clock::open(*cpu) {
                Ok(clock) => clock,
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => continue,
                Err(error) => return SourceState::Missing(format!("no clock: {error}")),
            };
            match self.link(CLOCK, |it| it.attach_perf_event(clock.as_raw_fd())) {
                Ok(link) => links.push(link),
                Err(why) => return SourceState::Missing(why),
            }
            // It is the link's from here on (libbpf `bpf_link_perf_detach` closes it).
            let _ = clock.into_raw_fd();
        }
        self.links.extend(links);
        SourceState::Recorded
    }

    fn attach_windows(&mut self, target: &Target, plan: &Plan, sources: &mut Sources) {
        let (source, result) = match plan {
            Plan::Symbols(functions) => {
                let why = "this libjvm has no usdt probes, or they were not asked for";
                missing(sources, &[Source::SafepointProbes], why);
                (Source::SafepointSymbols, self.attach_symbols(target, functions))
            }
            _ => (Source::SafepointProbes, self.attach_usdt(target)),
        };
        if result.is_err() {
            // Without a window nothing is sent, and the programs would run for nothing.
            self.links.clear();
            missing(sources, &WITHIN_SAFEPOINTS, "not without safepoint probes");
        }
        let state = result.map_or_else(SourceState::Missing, |()| SourceState::Recorded);
        sources.insert(source, state);
    }

    fn attach_usdt(&mut self, target: &Target) -> Result<(), String> {
        let pid = i32::try_from(target.pid).unwrap_or(i32::MAX);
        for (program, provider, name) in USDT {
            let link = self.link(program, |it| it.attach_usdt(pid, &target.libjvm, provider, name));
            self.links.push(link?);
        }
        Ok(())
    }

    fn attach_symbols(
        &mut self,
        target: &Target,
        functions: &[(Function, u64)],
    ) -> Result<(), String> {
        let pid = i32::try_from(target.pid).unwrap_or(i32::MAX);
        for (program, wanted) in SYMBOLS {
            let offset = functions.iter().find(|(function, _)| *function == wanted);
            let offset = offset.and_then(|(_, offset)| usize::try_from(*offset).ok());
            let offset = offset.ok_or("the symbol table lacks a function")?;
            let link =
                self.link(program, |it| it.attach_uprobe(false, pid, &target.libjvm, offset));
            self.links.push(link?);
        }
        Ok(())
    }

    fn attach_programs(&mut self, programs: &[&str]) -> SourceState {
        let mut links = Vec::new();
        for program in programs {
            match self.link(program, |it| it.attach()) {
                Ok(link) => links.push(link),
                Err(why) => return SourceState::Missing(why),
            }
        }
        self.links.extend(links);
        SourceState::Recorded
    }

    fn link(
        &self,
        program: &str,
        attach: impl FnOnce(&ProgramMut<'_>) -> libbpf_rs::Result<Link>,
    ) -> Result<Link, String> {
        let found = self.object.progs_mut().find(|it| it.name() == program);
        let found = found.ok_or_else(|| format!("there is no program `{program}`"))?;
        attach(&found).map_err(|error| reason(&format!("cannot attach `{program}`"), &error))
    }

    /// Takes what the kernel has sent and returns where it went.
    pub(crate) fn drain(&self) -> Arc<Mutex<Inbox>> {
        // An error could only come from the callback, which has none.
        let _ = self.ring.consume_raw_n(MAX_DRAINED);
        Arc::clone(&self.inbox)
    }

    /// Where records go.
    pub(crate) fn inbox(&self) -> &Mutex<Inbox> {
        &self.inbox
    }

    /// The addresses of a stack, innermost first, zero where it is shorter than the longest.
    pub(crate) fn stack(&self, id: u32) -> Option<Vec<u64>> {
        let map = self.object.maps().find(|it| it.name() == "stacks")?;
        let bytes = map.lookup(&id.to_ne_bytes(), MapFlags::ANY).ok()??;
        Some(bytes.chunks_exact(8).map(number).collect())
    }

    /// Sums over all CPUs so far.
    pub(crate) fn counters(&self) -> Counters {
        let map = self.object.maps().find(|it| it.name() == "counters");
        let sum = |which: u32| -> u64 {
            let values = map
                .as_ref()
                .and_then(|it| it.lookup_percpu(&which.to_ne_bytes(), MapFlags::ANY).ok()?);
            values.iter().flatten().map(|it| number(it)).sum()
        };
        let missed: u64 =
            self.fdinfos().map(|(_, fdinfo)| field(&fdinfo, "recursion_misses:")).sum();
        Counters {
            switches: sum(0),
            lost: sum(1) + missed,
            lost_stacks: sum(2),
            repaired: sum(3),
            half_seen: sum(4),
        }
    }

    /// What the programs cost so far, where it is measured.
    pub(crate) fn run_time(&self) -> Option<RunTime> {
        self.measuring.as_ref()?;
        let cost = |(name, fdinfo): (String, String)| {
            let time = Duration::from_nanos(field(&fdinfo, "run_time_ns:"));
            (name, field(&fdinfo, "run_cnt:"), time)
        };
        Some(RunTime { programs: self.fdinfos().map(cost).collect() })
    }

    /// Name and `/proc/self/fdinfo` of each program that is loaded.
    fn fdinfos(&self) -> impl Iterator<Item = (String, String)> {
        self.object.progs().filter(|it| it.autoload()).filter_map(|it| {
            let name = it.name().to_string_lossy().into_owned();
            let path = format!("/proc/self/fdinfo/{}", it.as_fd().as_raw_fd());
            Some((name, fs::read_to_string(path).ok()?))
        })
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_ne_bytes)
}

/// A number of the `fdinfo` of a program; 0 where this kernel does not have it.
fn field(fdinfo: &str, name: &str) -> u64 {
    let line = fdinfo.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
}

fn missing(sources: &mut Sources, which: &[Source], why: &str) {
    for source in which {
        sources.insert(*source, SourceState::Missing(why.to_owned()));
    }
}

fn ring(object: &Object, inbox: &Arc<Mutex<Inbox>>) -> Result<RingBuffer<'static>, KernelError> {
    let failed = |error: libbpf_rs::Error| kernel_error("cannot open the ring buffer", &error);
    let map = object.maps().find(|it| it.name() == "records");
    let map = map.ok_or_else(|| KernelError::Other("the programs have no ring buffer".into()))?;
    let inbox = Arc::clone(inbox);
    let mut builder = RingBufferBuilder::new();
    let receive = move |data: &[u8]| {
        locked(&inbox).receive(data);
        0
    };
    builder.add(&map, receive).map_err(failed)?;
    builder.build().map_err(failed)
}

/// Lets the kernel measure the run time of programs for as long as the descriptor is open.
/// `None` where it cannot (before 5.8).
#[expect(unsafe_code, reason = "libbpf-rs has no wrapper for BPF_ENABLE_STATS")]
fn enable_stats() -> Option<OwnedFd> {
    // SAFETY: takes a number and returns a descriptor or a negative error.
    let fd = unsafe {
        libbpf_rs::libbpf_sys::bpf_enable_stats(libbpf_rs::libbpf_sys::BPF_STATS_RUN_TIME)
    };
    // SAFETY: the descriptor was just made for us and nobody else has it.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_read_from_fdinfo() {
        let fdinfo = "pos:\t0\nrun_time_ns:\t1500\nrun_cnt:\t3\nrecursion_misses:\t0\n";
        assert_eq!(field(fdinfo, "run_time_ns:"), 1500);
        assert_eq!(field(fdinfo, "run_cnt:"), 3);
        assert_eq!(field("", "run_cnt:"), 0);
    }
}
