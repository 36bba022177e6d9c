//! What a scenario's variant is given to work with, and what it hands back.
use crate::{
    BackgroundWriter, Cleanup, Interrupt, Isolation, Jdk, LabError, SlowDisk, WorkDir,
    jvm::{Jvm, JvmCommand},
    slow_disk::DiskOptions,
};
use std::{path::Path, time::Duration};

/// How long a process may take to end once the disk is fast again.
pub(crate) const END_PATIENCE: Duration = Duration::from_secs(20);

/// The host, prepared for one run of one variant.
#[derive(Debug)]
pub struct Stage<'a> {
    /// Every change goes through this.
    pub cleanup: &'a mut Cleanup,
    /// Every wait asks this.
    pub interrupt: &'a Interrupt,
    /// The CPU group for the JVM, where the host offers one.
    pub isolation: Option<&'a Isolation>,
    /// The work directory, on a real disk.
    pub dir: &'a WorkDir,
    /// Class path of the workloads.
    pub classes: &'a Path,
    /// A directory of this run alone, in memory.
    pub fast: &'a Path,
    /// The JDK under test.
    pub jdk: &'a Jdk,
}

impl Stage<'_> {
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

    /// Starts the other process that writes to the disk.
    ///
    /// # Errors
    /// As [`BackgroundWriter::start`].
    pub fn writer(&mut self, disk: &SlowDisk) -> Result<BackgroundWriter, LabError> {
        BackgroundWriter::start(self.cleanup, disk.mount_point(), &self.fast.join("dd.err"))
    }
}

/// A variant on the stage: the JVM runs, and what disturbs it runs too.
#[derive(Debug)]
pub struct Staged {
    /// The JVM.
    pub jvm: Jvm,
    /// The process that disturbs it, where there is one.
    pub writer: Option<BackgroundWriter>,
}

impl Staged {
    /// Keeps what disturbs going, and checks that the JVM lives. Every wait calls it.
    ///
    /// # Errors
    /// [`LabError::Program`] where one of them ended on its own.
    pub fn keep_going(&mut self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        if let Some(writer) = &mut self.writer {
            writer.keep_going(cleanup)?;
        }
        self.jvm.check()
    }
}
