//! System calls whose first argument is a descriptor, by their numbers on this architecture.
use libc::c_long;

/// Those that may wait.
const FIRST_IS_DESCRIPTOR: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_ioctl,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_sendfile,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_getdents64,
    libc::SYS_fadvise64,
    libc::SYS_splice,
    libc::SYS_sync_file_range,
    libc::SYS_epoll_pwait,
    libc::SYS_fallocate,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_syncfs,
    libc::SYS_copy_file_range,
    // Younger architectures have `epoll_pwait` alone.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
];

/// Whether the first argument of the call with this number is a descriptor.
pub(crate) fn takes_descriptor(number: i32) -> bool {
    FIRST_IS_DESCRIPTOR.contains(&c_long::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_has_a_descriptor_and_a_futex_and_a_page_fault_have_none() {
        let number = |call: c_long| i32::try_from(call).unwrap();
        assert!(takes_descriptor(number(libc::SYS_write)));
        assert!(!takes_descriptor(number(libc::SYS_futex)));
        assert!(!takes_descriptor(-1));
    }
}
