//! A process, by its number and when it began.

/// One process, as no later process with its number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// When it was started, in clock ticks since boot: field 22 of `/proc/PID/stat` (`proc(5)`).
    pub start_ticks: u64,
}
