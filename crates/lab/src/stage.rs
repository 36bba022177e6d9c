//! What a scenario's variant is given to work with, and what it hands back.
use crate::{
    BackgroundWriter, BusyLoops, Cleanup, Collector, Disturbance, Interrupt, Isolation, Jdk,
    LabError, SlowDisk, Takes, WorkDir,
    background_writer::Writing,
    jvm::{GcLog, Jvm, JvmCommand},
    slow_disk::DiskOptions,
    workloads::Workload,
};
use std::{path::Path, time::Duration};

/// How long a process may take to end once the disk is fast again.
pub(crate) const END_PATIENCE: Duration = Duration::from_secs(20);

/// Largest heap of a load that fills it, with collectors that do not free the old generation: more
/// than [`Stage::promoting`] 4000 a second, two threads and objects of 10 KiB fill in 13 s.
pub(crate) const GROWING_MIB: u32 = 600;

/// Sizes of a heap that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrowingHeap {
    /// At the start, in MiB.
    pub(crate) start_mib: u32,
    /// At most, in MiB.
    pub(crate) most_mib: u32,
}

/// The host, prepared for one run of one variant.
#[derive(Debug)]
pub struct Stage<'a> {
    /// Every change goes through this.
    pub cleanup: &'a mut Cleanup,
    /// Every wait asks this.
    pub interrupt: &'a Interrupt,
    /// The CPU group for the JVM, where the host offers one.
    pub isolation: Option<&'a Isolation>,
    /// The work directory.
    pub dir: &'a WorkDir,
    /// Class path of the workloads.
    pub classes: &'a Path,
    /// A directory of this run alone, in memory.
    pub fast: &'a Path,
    /// The JDK under test.
    pub jdk: &'a Jdk,
    /// The collector under test.
    pub collector: Collector,
}

impl<'a> Stage<'a> {
    /// Makes a disk, not slow yet.
    ///
    /// # Errors
    /// As [`SlowDisk::create`].
    pub fn disk(&mut self, options: DiskOptions) -> Result<SlowDisk, LabError> {
        SlowDisk::create(self.cleanup, self.dir, "slow", options)
    }

    /// Starts a JVM and waits until its workload runs.
    ///
    /// # Errors
    /// As [`Jvm::start`].
    pub fn java(&mut self, command: &JvmCommand<'_>) -> Result<Jvm, LabError> {
        Jvm::start(self.cleanup, self.interrupt, self.isolation, command, self.fast)
    }

    /// As [`java`](Stage::java), in the CPU group given instead of the usual one.
    ///
    /// # Errors
    /// As [`Jvm::start`].
    pub fn java_in(
        &mut self,
        group: Option<&Isolation>,
        command: &JvmCommand<'_>,
    ) -> Result<Jvm, LabError> {
        Jvm::start(self.cleanup, self.interrupt, group, command, self.fast)
    }

    /// The usual command: 768 MiB of heap, a GC log in memory, two GC threads.
    #[must_use]
    pub fn command(&self, workload: Workload) -> JvmCommand<'a> {
        JvmCommand {
            jdk: self.jdk,
            classes: self.classes,
            heap_mib: 768,
            young_mib: 64,
            dies_young: false,
            collector: self.collector,
            gc_threads: 2,
            gc_log: GcLog {
                path: self.fast.join("gc.log"),
                asynchronous: false,
                detailed: false,
                to_stdout: false,
            },
            stdout_reader: false,
            flags: Vec::new(),
            groups: Vec::new(),
            perf_data: false,
            private_mount: None,
            workload,
            arguments: Vec::new(),
        }
    }

    /// The same for a fault that has nothing to do with the heap: few objects survive, so that a
    /// collection takes some 5 ms and none is a long pause by itself, not even on a busy host.
    #[must_use]
    pub fn light_command(&self) -> JvmCommand<'a> {
        let arguments = ["queue=1000", "drop=500"].map(str::to_owned).to_vec();
        JvmCommand { arguments, dies_young: true, ..self.command(Workload::AllocLoad) }
    }

    /// Objects per second of a load that is meant to fill the old generation, or whatever else must
    /// be in proportion to them: G1 frees that generation while the load runs, the others in a full
    /// collection, which is to come after the run, and so have half of what is given.
    pub(crate) fn promoting(&self, with_g1: u32) -> u32 {
        if self.collector == Collector::G1 { with_g1 } else { with_g1 / 2 }
    }

    /// A load that needs ever more of a heap of its own size: see [`Stage::growing_heap`].
    pub(crate) fn growing_command(&self) -> JvmCommand<'a> {
        let heap = self.growing_heap();
        JvmCommand {
            heap_mib: heap.most_mib,
            young_mib: 40,
            flags: vec![format!("-Xms{}m", heap.start_mib)],
            arguments: vec![
                format!("rate={}", self.promoting(4000)),
                "queue=10000".into(),
                "drop=5000".into(),
            ],
            ..self.command(Workload::AllocLoad)
        }
    }

    /// A heap that takes its memory from the kernel as it comes to need it. Parallel and Serial
    /// have more of it, as they free none before the run has ended, and the old generation in one
    /// piece from the start: they extend it in full collections. Nothing of it is touched either.
    pub(crate) fn growing_heap(&self) -> GrowingHeap {
        match self.collector {
            Collector::G1 => GrowingHeap { start_mib: 64, most_mib: 400 },
            Collector::Parallel | Collector::Serial => {
                GrowingHeap { start_mib: GROWING_MIB, most_mib: GROWING_MIB }
            }
        }
    }

    /// Starts processes that use CPUs: this many for each CPU of the host.
    ///
    /// # Errors
    /// As [`BusyLoops::start`].
    pub fn busy_loops(&mut self, per_cpu: u32) -> Result<BusyLoops, LabError> {
        self.cleanup.needs(&Takes::Loops { per_cpu })?;
        let cpus = crate::Host::cpus();
        BusyLoops::start(self.cleanup, cpus * per_cpu, &self.fast.join("loops.err"))
    }

    /// Starts the other process that writes to the disk.
    ///
    /// # Errors
    /// As [`BackgroundWriter::start`].
    pub fn writer(&mut self, disk: &SlowDisk) -> Result<BackgroundWriter, LabError> {
        self.writer_with(disk, Writing::default())
    }

    /// The same, in another way.
    ///
    /// # Errors
    /// As [`BackgroundWriter::start`].
    pub fn writer_with(
        &mut self,
        disk: &SlowDisk,
        how: Writing,
    ) -> Result<BackgroundWriter, LabError> {
        let said = self.fast.join("dd.err");
        BackgroundWriter::start(self.cleanup, how, disk.mount_point(), &said)
    }
}

/// A variant on the stage: the JVM runs, and what disturbs it runs too.
#[derive(Debug)]
pub struct Staged {
    /// The JVM.
    pub jvm: Jvm,
    /// What disturbs it, where there is something.
    pub disturbance: Option<Box<dyn Disturbance>>,
}

impl Staged {
    /// A JVM that nothing disturbs.
    #[must_use]
    pub fn alone(jvm: Jvm) -> Staged {
        Staged { jvm, disturbance: None }
    }

    /// A JVM and what disturbs it.
    #[must_use]
    pub fn disturbed(jvm: Jvm, by: impl Disturbance + 'static) -> Staged {
        Staged { jvm, disturbance: Some(Box::new(by)) }
    }

    /// Keeps what disturbs going, and checks that the JVM lives. Every wait calls it.
    ///
    /// # Errors
    /// [`LabError::Program`] where one of them ended on its own.
    pub fn keep_going(&mut self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        if let Some(disturbance) = &mut self.disturbance {
            disturbance.keep_going(cleanup)?;
        }
        self.jvm.check()
    }
}
