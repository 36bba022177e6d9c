//! # Frozen file system
//!
//! ## What happens
//! To take a snapshot of a disk, a backup freezes the file system: nothing may change it until it is thawed.
//! A thread that writes in the meantime, or changes a mapped page, waits; usually for a second, and for as long as a backup script takes when it goes wrong.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with `percpu_rwsem_wait` or `__sb_start_write`.
//!
//! ## What looks alike
//! `journal-commit`: an ordinary commit; a freeze begins with one.
//!
//! ## Remedies
//! Take snapshots when waiting does no harm, or of another file system than the one of logs and of `/tmp`.
//! Virtual machines: the guest agent freezes on behalf of the hypervisor's backup; exclude the file system there.
//!
//! ## References
//! Linux `fs/super.c` (`freeze_super`, `sb_start_write`), `kernel/locking/percpu-rwsem.c`; `fsfreeze(8)`.
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "file-system-freeze",
    title: "Frozen file system",
    phrase: "the end of a snapshot: the file system was frozen",
    causes: &[
        "gc-log-write-blocked",
        "mapped-file-fault",
        "hsperfdata-write-blocked",
        "deleted-file-unmap",
    ],
    page: crate::page!("file_system_freeze.rs"),
    frames: &[
        "percpu_rwsem_wait",
        "__sb_start_write",
        "sb_start_write",
        "sb_start_pagefault",
        "__percpu_down_read",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn a_writer_waits_for_the_thaw() {
        check("percpu_rwsem_wait __percpu_down_read vfs_write ksys_write", "file-system-freeze");
        check("percpu_rwsem_wait ext4_page_mkwrite do_page_mkwrite", "file-system-freeze");
        check("__sb_start_write mnt_want_write do_sys_openat2", "file-system-freeze");
    }

    #[test]
    fn plain_write_is_not_a_file_system_freeze() {
        check("vfs_write ksys_write", "none");
    }
}
