//! Stands in for the kernel side in a build without it (cargo feature `bpf` off).
use super::{Counters, Inbox, OpenStop, RunTime, Target};
use recording::{Coverage, MonoTime};
use std::sync::{Arc, Mutex};

/// Never exists in this build.
#[derive(Debug)]
pub(crate) enum Kernel {}

/// Why the programs could not be loaded.
#[derive(Debug)]
#[expect(dead_code, reason = "the build with the kernel side has the others")]
pub(crate) enum KernelError {
    /// This build has no kernel side.
    NotBuilt,
    /// The kernel refused for lack of a capability.
    Permission(String),
    /// Anything else.
    Other(String),
}

impl Kernel {
    pub(crate) fn attach(_: &Target) -> Result<(Kernel, Coverage), KernelError> {
        Err(KernelError::NotBuilt)
    }

    pub(crate) fn drain(&self) -> Arc<Mutex<Inbox>> {
        match *self {}
    }

    pub(crate) fn send_standing(&mut self) {
        match *self {}
    }

    pub(crate) fn inbox(&self) -> &Mutex<Inbox> {
        match *self {}
    }

    pub(crate) fn assume_stop(&self, _: u32, _: bool, _: MonoTime) -> bool {
        match *self {}
    }

    pub(crate) fn retract_stop(&self, _: MonoTime) {
        match *self {}
    }

    pub(crate) fn open_stop(&self) -> Option<OpenStop> {
        match *self {}
    }

    pub(crate) fn stack(&self, _: u32) -> Option<Vec<u64>> {
        match *self {}
    }

    pub(crate) fn can_be_read(&self) -> bool {
        match *self {}
    }

    pub(crate) fn counters(&self) -> Counters {
        match *self {}
    }

    pub(crate) fn run_time(&self) -> Option<RunTime> {
        match *self {}
    }
}
