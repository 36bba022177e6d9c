//! How a recording is made, and what each step of it brings.
use crate::{Duties, Roots, Windows};
use recording::Facts;
use std::time::Duration;

/// How to record.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stops at least this long are always kept in detail.
    pub detail_over: Duration,
    /// Shorter ones are kept in detail as long as together they bring at most this many
    /// slice records per second. Likewise for long waits outside of stops.
    pub detail_budget_per_s: u32,
    /// From how long on a thread counts as stalled that cannot go on outside of stops; at least 1 ms, or
    /// zero for none.
    pub stalls_over: Duration,
    /// How safepoints are seen.
    pub windows: Windows,
    /// Let the kernel measure the run time of the recorder's programs, for
    /// [`Coverage::kernel_time`]. This itself costs some 50 ns per context switch.
    pub measure_kernel_time: bool,
    /// Look at what code the threads run that stop late, for [`CodeNames`](crate::CodeNames) to
    /// name. Needs a JVM whose safepoints are seen.
    pub late_code: bool,
    /// Whether this is one of many recordings of this process: it takes a tenth of the kernel's memory.
    pub one_of_many: bool,
    /// If given, this thread, and the threads of the recording, keep no rights after the attach but
    /// what these duties take, and the kernel ends this process first where memory runs out. Not to be
    /// undone: for a program that does nothing else and starts no other.
    pub duties_after: Option<Duties>,
    /// Where `/proc` and `/sys` are.
    pub roots: Roots,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            detail_over: Duration::from_millis(10),
            detail_budget_per_s: 2_000,
            stalls_over: Duration::from_millis(10),
            windows: Windows::Auto,
            measure_kernel_time: false,
            late_code: false,
            one_of_many: false,
            duties_after: None,
            roots: Roots::default(),
        }
    }
}

/// What one [`Session::step`](crate::Session::step) brought.
#[derive(Debug, Default)]
pub struct Step {
    /// Facts that became final. A safepoint comes with all its slices, some drains after its end.
    pub facts: Facts,
    /// The JVM has ended. Nothing more will come; finish the session.
    pub exited: bool,
}
