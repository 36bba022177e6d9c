//! Events as one line of text each: for expected results of tests and for debugging, exact to the
//! nanosecond. Not a format for users or programs.
use crate::{
    AllocationStall, ClockJump, CollectionShare, ConcurrentCycle, CycleEdge, CycleScope, Event,
    Extent, GcEvent, Generation, InitFact, JvmEvent, MonitorPause, PhaseTime, References,
    Safepoint, Stamp, Transition,
};
use std::{fmt, time::Duration};

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Gc(event) => event.fmt(f),
            Event::Safepoint(event) => event.fmt(f),
            Event::Jvm(event) => event.fmt(f),
            Event::ConcurrentCycle(event) => event.fmt(f),
            Event::AllocationStall(event) => event.fmt(f),
            Event::HumongousAllocation(event) => {
                write!(f, "{}humongous allocation of {} bytes", event.stamp, event.bytes)
            }
            Event::FreeSpace(event) => write!(
                f,
                "{}free space {} bytes, largest {}",
                event.stamp, event.free_bytes, event.largest_bytes
            ),
            Event::MonitorPause(event) => event.fmt(f),
            Event::CollectionShare(event) => event.fmt(f),
            Event::ClockJump(event) => event.fmt(f),
        }
    }
}

/// The clocks with a value, in seconds with nine decimals; empty where there is none.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = |ns: Option<u64>| ns.map(i128::from);
        let clocks = [
            ("uptime", wide(self.uptime_ns)),
            ("wall", self.wall_ns.map(i128::from)),
            ("monotonic", wide(self.monotonic_ns)),
            ("unclear", wide(self.unclear_ns)),
        ];
        for (clock, ns) in clocks {
            if let Some(ns) = ns {
                let sign = if ns < 0 { "-" } else { "" };
                let (seconds, rest) = (ns.abs() / 1_000_000_000, ns.abs() % 1_000_000_000);
                write!(f, "{clock} {sign}{seconds}.{rest:09} ")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for GcEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let collector = self.collector.map_or("unknown", |it| it.id());
        write!(f, "{}GC({}) {collector} {}", self.stamp, self.gc_id, self.kind.id())?;
        if let Some(cause) = &self.cause {
            write!(f, " ({cause})")?;
        }
        write!(f, " {:?}", self.duration)?;
        if let Some(cpu) = self.cpu {
            write!(f, " cpu {:?}+{:?}/{:?}", cpu.user, cpu.sys, cpu.real)?;
        }
        if let Some(heap) = self.heap {
            f.write_str(" heap ")?;
            transition(f, heap, "K", 1024)?;
        }
        self.generations.iter().try_for_each(|it| write!(f, " {it}"))?;
        if let Some(start) = self.start.filter(|it| !it.is_empty()) {
            write!(f, " start {}", start.to_string().trim_end())?;
        }
        for PhaseTime { phase, duration } in &self.phases {
            write!(f, " {} {duration:?}", phase.id())?;
        }
        if let Some(it) = &self.references {
            let References { soft, weak, finalizable, phantom, jni_weak } = it;
            write!(f, " references {soft}/{weak}/{finalizable}/{phantom}/{jni_weak}")?;
        }
        if let Some(it) = &self.tenuring {
            let desired = it.desired_survivor_bytes;
            write!(f, " tenuring {}/{} desired {desired}", it.threshold, it.max_threshold)?;
        }
        let failures = [
            (self.failures.evacuation, " evacuation-failed"),
            (self.failures.promotion, " promotion-failed"),
            (self.failures.concurrent_mode, " concurrent-mode-failed"),
            (self.failures.pinned, " pinned"),
        ];
        for (failed, name) in failures {
            f.write_str(if failed { name } else { "" })?;
        }
        f.write_str(if self.nested { " nested" } else { "" })
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.space.id())?;
        match self.extent {
            Extent::Bytes(sizes) => transition(f, sizes, "K", 1024),
            Extent::Regions(sizes) => transition(f, sizes, "", 1),
        }
    }
}

fn transition(
    f: &mut fmt::Formatter<'_>,
    sizes: Transition,
    unit: &str,
    unit_size: u64,
) -> fmt::Result {
    write!(f, "{}{unit}->{}{unit}", sizes.before / unit_size, sizes.after / unit_size)?;
    match sizes.capacity {
        Some(capacity) => write!(f, "({}{unit})", capacity / unit_size),
        None => Ok(()),
    }
}

impl fmt::Display for Safepoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}stop \"{}\"", self.stamp, self.vm_operation)?;
        let mut part = |name: &str, duration: Option<Duration>| match duration {
            Some(duration) => write!(f, " {name} {duration:?}"),
            None => Ok(()),
        };
        part("reaching", self.time_to_safepoint)?;
        part("cleanup", self.cleanup)?;
        part("at", self.at_safepoint)?;
        part("leaving", self.leaving)?;
        part("total", Some(self.total))?;
        match self.threads {
            Some(threads) => write!(f, " threads {}/{}", threads.runnable, threads.total),
            None => Ok(()),
        }
    }
}

impl fmt::Display for JvmEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}jvm ", self.stamp)?;
        match &self.fact {
            InitFact::Version(version) => write!(f, "version {version}"),
            InitFact::Collector(collector) => write!(f, "collector {}", collector.id()),
            InitFact::Cpus { total, available } => write!(f, "cpus {available} of {total}"),
            InitFact::MemoryBytes(bytes) => write!(f, "memory {}M", bytes >> 20),
            InitFact::ParallelWorkers(count) => write!(f, "parallel workers {count}"),
            InitFact::ConcurrentWorkers(count) => write!(f, "concurrent workers {count}"),
            InitFact::RegionSizeBytes(bytes) => write!(f, "region size {}K", bytes >> 10),
            InitFact::MaxHeapBytes(bytes) => write!(f, "max heap {}M", bytes >> 20),
            InitFact::Flags(flags) => write!(f, "flags {flags}"),
            InitFact::PreTouch(is_on) => write!(f, "pre-touch {}", on(*is_on)),
            InitFact::TransparentHugePages(is_on) => {
                write!(f, "transparent huge pages {}", on(*is_on))
            }
            InitFact::Swap { total_bytes, free_bytes } => {
                write!(f, "swap {}M free of {}M", free_bytes >> 20, total_bytes >> 20)
            }
        }
    }
}

fn on(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

impl fmt::Display for ConcurrentCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = match self.scope {
            CycleScope::Whole => "",
            CycleScope::Young => "young ",
            CycleScope::Old => "old ",
        };
        write!(f, "{}GC({}) {scope}concurrent cycle ", self.stamp, self.gc_id)?;
        match self.edge {
            CycleEdge::Begin => f.write_str("begins")?,
            CycleEdge::End { duration: None } => f.write_str("ends")?,
            CycleEdge::End { duration: Some(duration) } => write!(f, "ends after {duration:?}")?,
        }
        if let Some(cause) = &self.cause {
            write!(f, " ({cause})")?;
        }
        if let Some(heap) = self.heap {
            f.write_str(" heap ")?;
            transition(f, heap, "K", 1024)?;
        }
        Ok(())
    }
}

impl fmt::Display for AllocationStall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}allocation stall of {} {:?}", self.stamp, self.thread, self.duration)
    }
}

impl fmt::Display for MonitorPause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} noticed {:?}", self.stamp, self.monitor.id(), self.duration)?;
        if let Some(gc_time) = self.gc_time {
            write!(f, " collections {gc_time:?}")?;
        }
        if let Some(count) = self.gc_count {
            write!(f, " in {count}")?;
        }
        if let Some(ran) = self.ran {
            write!(f, " ran {ran:?} before")?;
        }
        for (name, sizes) in [("heap", self.heap), ("old", self.old)] {
            if let Some(sizes) = sizes {
                write!(f, " {name} ")?;
                transition(f, sizes, "M", 1 << 20)?;
            }
        }
        f.write_str(if self.may_be_clock { " or the clock was set" } else { "" })
    }
}

impl fmt::Display for CollectionShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CollectionShare { stamp, spent, within, monitor, .. } = self;
        write!(f, "{stamp}{} counted {spent:?} of {within:?} in collections", monitor.id())
    }
}

impl fmt::Display for ClockJump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} saw the clock jump by {:?}", self.stamp, self.monitor.id(), self.by)
    }
}
