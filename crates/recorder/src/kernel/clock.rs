//! A clock on each CPU, for a program to run at.
use libbpf_rs::libbpf_sys;
use std::{
    io, mem,
    os::fd::{FromRawFd, OwnedFd},
};

/// Time between two samples, on each CPU. Short enough to see a stop of some 10 ms a few times, and
/// long enough that an interrupt of a microsecond costs a CPU a few parts in ten thousand.
const EVERY_NS: u64 = 5_000_000;

/// Opens a clock on this CPU (`perf_event_open(2)`: a software event, so it runs in virtual
/// machines as well). It runs as long as the descriptor is open.
///
/// # Errors
/// Where the kernel refuses, and where the CPU is not online (`ENODEV`).
#[expect(unsafe_code, reason = "neither rustix nor libbpf-rs has perf_event_open")]
pub(super) fn open(cpu: i32) -> io::Result<OwnedFd> {
    // SAFETY: a plain C structure of numbers, for which zeros are the defaults.
    let mut about: libbpf_sys::perf_event_attr = unsafe { mem::zeroed() };
    about.type_ = libbpf_sys::PERF_TYPE_SOFTWARE;
    about.size = u32::try_from(size_of_val(&about)).unwrap_or(0);
    about.config = u64::from(libbpf_sys::PERF_COUNT_SW_CPU_CLOCK);
    about.__bindgen_anon_1.sample_period = EVERY_NS;
    let (any_process, no_group) = (-1, -1);
    // SAFETY: reads `about`, which outlives the call, and returns a descriptor or -1.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const about,
            any_process,
            cpu,
            no_group,
            libbpf_sys::PERF_FLAG_FD_CLOEXEC,
        )
    };
    match i32::try_from(fd) {
        // SAFETY: the descriptor was just made for us and nothing else has it.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}
