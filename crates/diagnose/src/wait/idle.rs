//! Waits for another thread, for a timer or for work: the account goes on with the thread that ended them.
use crate::facts::{index::Index, syscalls};
use recording::{OffCpuCause, ThreadRole, ThreadSlice, ThreadState};

/// Whether a slice is a wait for a thread, a timer or work: the recorder takes no stack there.
pub(crate) fn is_idle(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    is_in_native_code(index, slice) || is_idle_outside_of_stops(index, slice)
}

/// The same of a thread while the JVM is not stopped: a call of native code holds it up then.
pub(crate) fn is_idle_outside_of_stops(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    let samples_a_file = slice.sampled && slice.file.is_some();
    slice.state == ThreadState::Blocked
        && slice.stack.is_none()
        && !is_disk_call(index, slice)
        && !samples_a_file
}

/// A sample of a Java thread in a call is one of native code, for which no stop waits: how long it went
/// on beyond the stop a sample tells too badly. Only the log is written with the world waiting.
fn is_in_native_code(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    slice.sampled
        && matches!(slice.entered, Some(OffCpuCause::Syscall(_)))
        && index.role(slice.tid) == ThreadRole::Java
        && (slice.file.is_none() || slice.file != index.jvm.and_then(|jvm| jvm.gc_log_file))
}

/// A block in a call that can only be a device or a kernel lock, though its stack was lost.
fn is_disk_call(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    matches!(slice.entered, Some(OffCpuCause::PageFault))
        || syscalls::is_log_call(index.architecture(), slice.entered)
}
