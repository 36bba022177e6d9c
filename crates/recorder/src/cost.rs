//! What recording costs, and what the JVM used meanwhile.
use crate::host::{Status, cpu_of};
use rustix::time::{ClockId, clock_gettime};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// CPU time of this process, all threads.
fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Largest resident memory of this process so far, in bytes (`VmHWM`). 0 where unknown.
fn own_peak_bytes(proc: &Path) -> u64 {
    let status = fs::read_to_string(proc.join("self/status")).unwrap_or_default();
    Status(&status).bytes("VmHWM").unwrap_or(0)
}

/// Measures from its making on.
#[derive(Debug)]
pub(crate) struct Cost {
    proc: PathBuf,
    jvm_stat: PathBuf,
    own_before: Duration,
    jvm_before: Option<Duration>,
    /// The last reading: when the JVM is gone there is no other.
    jvm_last: Option<Duration>,
}

impl Cost {
    pub(crate) fn new(proc: &Path, pid: u32) -> Cost {
        let mut cost = Cost {
            jvm_stat: proc.join(pid.to_string()).join("stat"),
            proc: proc.to_owned(),
            own_before: own_cpu(),
            jvm_before: None,
            jvm_last: None,
        };
        cost.read_jvm_cpu();
        cost.jvm_before = cost.jvm_last;
        cost
    }

    /// Reads the JVM's time.
    pub(crate) fn read_jvm_cpu(&mut self) {
        let stat = fs::read_to_string(&self.jvm_stat).ok();
        let now = stat.and_then(|it| cpu_of(&it, rustix::param::clock_ticks_per_second()));
        self.jvm_last = now.or(self.jvm_last);
    }

    /// CPU time of this process since the making.
    pub(crate) fn own_cpu(&self) -> Duration {
        own_cpu().saturating_sub(self.own_before)
    }

    /// Largest resident memory of this process, in bytes.
    pub(crate) fn own_peak_bytes(&self) -> u64 {
        own_peak_bytes(&self.proc)
    }

    /// CPU time of the JVM between the making and the last look.
    pub(crate) fn jvm_cpu(&self) -> Duration {
        let (before, last) =
            (self.jvm_before.unwrap_or_default(), self.jvm_last.unwrap_or_default());
        last.saturating_sub(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_gone_used_what_was_read_last() {
        let root = tempfile::tempdir().unwrap();
        let stat = root.path().join("7/stat");
        fs::create_dir(root.path().join("7")).unwrap();
        fs::write(&stat, "7 (java) S 1 2 3 4 5 6 7 8 9 10 100 0").unwrap();
        let mut cost = Cost::new(root.path(), 7);
        let ticks = rustix::param::clock_ticks_per_second();
        fs::write(&stat, format!("7 (java) S 1 2 3 4 5 6 7 8 9 10 {} 0", 100 + ticks)).unwrap();
        cost.read_jvm_cpu();
        fs::remove_file(&stat).unwrap();
        cost.read_jvm_cpu();
        assert_eq!(cost.jvm_cpu(), Duration::from_secs(1));
    }
}
