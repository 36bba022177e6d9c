//! The functions of the kernel that tell what a thread sleeps for: each list once, for all who ask.
//!
//! A kernel that renames a function, and a compiler that inlines one, is served by adding a name here. What
//! refines a wait on its way to a disk, such as a journal commit, is a file in `mechanisms/`.

use strum::VariantArray;

/// What a stack shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub(crate) enum Sign {
    /// It faults on a mapping of a file.
    FileFault,
    /// It makes a page of a shared mapping writable.
    MakeWritable,
    /// It reads memory back from swap.
    SwapIn,
    /// It can only be that.
    SwapAlone,
    /// It sleeps until a page was read or written.
    Page,
    /// It queues to write.
    Queue,
    /// It is over `memory.high`.
    OverHigh,
    /// It frees memory of the host.
    ForHost,
    /// It frees memory of its group.
    ForGroup,
    /// It frees memory.
    Reclaim,
    /// It makes room for several pages together.
    Compaction,
    /// It moves pages.
    Moving,
    /// It waits until a page has been moved.
    Migration,
    /// It moves a page nearer to its CPU.
    Balancing,
    /// It waits to share the `mmap_lock`.
    MmapLockShared,
    /// It has that lock, for a fault.
    MmapLockHeld,
    /// It waits to hold that lock alone.
    MmapLockAlone,
    /// It is in a call that holds that lock alone.
    MmapCalls,
    /// It gives back the blocks of a deleted file.
    Evict,
    /// It was the last to use a file.
    LastUse,
    /// It waits for the process that reads a pipe or a terminal.
    OutputFull,
    /// It waits for room in the send buffer of a socket.
    SendBuffer,
    /// It waits for the answer of a server of files.
    FileServer,
    /// It waits for what a peer sends, or for a peer.
    Incoming,
}

impl Sign {
    /// The functions of which one is enough to show it, with the kernels and files that have them.
    fn functions(self) -> &'static [&'static str] {
        match self {
            Sign::FileFault => &FILE_FAULT,
            Sign::MakeWritable => &MAKE_WRITABLE,
            Sign::SwapIn => &SWAP_IN,
            Sign::SwapAlone => &SWAP_ALONE,
            Sign::Page => &PAGE,
            Sign::Queue => &QUEUE,
            Sign::OverHigh => &OVER_HIGH,
            Sign::ForHost => &FOR_HOST,
            Sign::ForGroup => &FOR_GROUP,
            Sign::Reclaim => &RECLAIM,
            Sign::Compaction => &COMPACTION,
            Sign::Moving => &MOVING,
            Sign::Migration => &MIGRATION,
            Sign::Balancing => &BALANCING,
            Sign::MmapLockShared => &MMAP_LOCK_SHARED,
            Sign::MmapLockHeld => &MMAP_LOCK_HELD,
            Sign::MmapLockAlone => &MMAP_LOCK_ALONE,
            Sign::MmapCalls => &MMAP_CALLS,
            Sign::Evict => &EVICT,
            Sign::LastUse => &LAST_USE,
            Sign::OutputFull => &OUTPUT_FULL,
            Sign::SendBuffer => &SEND_BUFFER,
            Sign::FileServer => &FILE_SERVER,
            Sign::Incoming => &INCOMING,
        }
    }
}

/// All that a stack shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs(u32);

impl Signs {
    /// Of the functions of a stack.
    pub(crate) fn of(frames: &[String]) -> Signs {
        let shows = |names: &[&str]| frames.iter().any(|it| names.contains(&it.as_str()));
        let shown = Sign::VARIANTS.iter().filter(|it| shows(it.functions()));
        Signs(shown.fold(0, |all, it| all | bit(*it)))
    }

    /// Whether it shows this.
    pub(crate) fn has(self, sign: Sign) -> bool {
        self.0 & bit(sign) != 0
    }
}

fn bit(sign: Sign) -> u32 {
    1 << sign as u32
}

/// Functions that only a fault on a file mapping passes through, Linux 4.18 to 6.18 (`mm/filemap.c`,
/// `mm/memory.c`, the file systems' `file.c`). Several, because compilers inline some of them
/// (`__do_fault`, `do_shared_fault`).
const FILE_FAULT: [&str; 9] = [
    "filemap_fault",
    "xfs_filemap_fault",
    "__xfs_filemap_fault",
    "do_page_mkwrite",
    "ext4_page_mkwrite",
    "btrfs_page_mkwrite",
    "filemap_page_mkwrite",
    "xfs_filemap_page_mkwrite",
    "fault_dirty_shared_page",
];

/// What a store to a clean page of a shared mapping passes through, Linux 4.18 to 6.18 (`mm/memory.c`,
/// `fs/inode.c`, the file systems' `file.c`).
const MAKE_WRITABLE: [&str; 10] = [
    "do_page_mkwrite",
    "ext4_page_mkwrite",
    "xfs_filemap_page_mkwrite",
    "xfs_write_fault",
    "btrfs_page_mkwrite",
    "filemap_page_mkwrite",
    "fault_dirty_shared_page",
    "wp_page_shared",
    "file_update_time",
    "file_update_time_flags",
];

/// From a fault on swapped memory down to the read, Linux 4.18 to 6.18 (`mm/memory.c`, `mm/swap_state.c`,
/// `mm/shmem.c`); some are inlined in each.
const SWAP_IN: [&str; 10] = [
    "do_swap_page",
    "swap_read_folio",
    "swap_readpage",
    "swapin_readahead",
    "swap_cluster_readahead",
    "swap_vma_readahead",
    "read_swap_cache_async",
    "__read_swap_cache_async",
    "shmem_swapin_folio",
    "shmem_swapin_page",
];

/// Where a thread sleeps for nothing but a page in swap (`mm/swap_state.c`).
const SWAP_ALONE: [&str; 2] = ["__read_swap_cache_async", "read_swap_cache_async"];

/// Where a thread sleeps until a page has been read or written, Linux 4.18 to 6.18 (`mm/filemap.c`): for
/// swap as for files.
const PAGE: [&str; 10] = [
    "folio_wait_bit_common",
    "folio_wait_bit",
    "folio_wait_bit_killable",
    "wait_on_page_bit_common",
    "wait_on_page_bit",
    "wait_on_page_bit_killable",
    "__folio_lock",
    "__folio_lock_killable",
    "__lock_page",
    "__lock_page_killable",
];

/// Where a thread queues to write (`block/blk-rq-qos.c`, `block/blk-wbt.c`). In a page fault it writes to
/// swap, to make room for what it reads.
const QUEUE: [&str; 3] = ["rq_qos_wait", "wbt_wait", "__wbt_wait"];

/// The sleep for being over `memory.high`, by its two names (the second until Linux 6.3 and in builds that
/// do not inline it), and the freeing before it (`mm/memcontrol.c`).
const OVER_HIGH: [&str; 3] =
    ["__mem_cgroup_handle_over_high", "mem_cgroup_handle_over_high", "reclaim_high"];

/// Reclaim for the host (`mm/vmscan.c`, `mm/page_alloc.c`),
const FOR_HOST: [&str; 4] = [
    "try_to_free_pages",
    "__alloc_pages_direct_reclaim",
    "throttle_direct_reclaim",
    "__perform_reclaim",
];

/// and for a group's limit (`mm/memcontrol.c`).
const FOR_GROUP: [&str; 4] = [
    "try_to_free_mem_cgroup_pages",
    "mem_cgroup_try_charge",
    "try_charge_memcg",
    "mem_cgroup_reclaim",
];

/// What both do, Linux 4.18 to 6.18 (`mm/vmscan.c`); the last ones with the multi- generational list.
const RECLAIM: [&str; 11] = [
    "shrink_node",
    "shrink_lruvec",
    "shrink_inactive_list",
    "shrink_page_list",
    "shrink_folio_list",
    "do_shrink_slab",
    "reclaim_throttle",
    "wait_iff_congested",
    "do_try_to_free_pages",
    "evict_folios",
    "try_to_shrink_lruvec",
];

/// Making room for an allocation of several pages, Linux 4.18 to 6.18 (`mm/compaction.c`,
/// `mm/page_alloc.c`).
const COMPACTION: [&str; 5] = [
    "__alloc_pages_direct_compact",
    "try_to_compact_pages",
    "compact_zone_order",
    "compact_zone",
    "isolate_migratepages_block",
];

/// Moving pages, for whatever reason (`mm/migrate.c`): compaction only in a page fault that does not
/// balance nodes.
const MOVING: [&str; 3] = ["migrate_pages", "migrate_pages_batch", "unmap_and_move"];

/// Waiting until another task has moved a page, Linux 4.18 to 6.18 (`mm/migrate.c`).
const MIGRATION: [&str; 5] = [
    "migration_entry_wait",
    "__migration_entry_wait",
    "migration_entry_wait_on_locked",
    "migration_entry_wait_huge",
    "pmd_migration_entry_wait",
];

/// Moving a page nearer to the CPU that uses it (`mm/migrate.c`, `mm/memory.c`, `mm/huge_memory.c`).
const BALANCING: [&str; 4] =
    ["migrate_misplaced_folio", "migrate_misplaced_page", "do_numa_page", "do_huge_pmd_numa_page"];

/// Waiting to share the `mmap_lock`, Linux 4.18 to 6.18 (`mm/memory.c`, `mm/mmap_lock.c`,
/// `kernel/locking/rwsem.c`).
const MMAP_LOCK_SHARED: [&str; 6] = [
    "lock_mm_and_find_vma",
    "mmap_read_lock_killable",
    "down_read_killable",
    "rwsem_down_read_slowpath",
    "rwsem_down_read_failed",
    "rwsem_down_read_failed_killable",
];

/// Beyond these a fault holds it already, and waits for something else (`mm/memory.c`).
const MMAP_LOCK_HELD: [&str; 3] = ["handle_mm_fault", "__handle_mm_fault", "do_fault"];

/// Waiting to hold it alone (`kernel/locking/rwsem.c`).
const MMAP_LOCK_ALONE: [&str; 5] = [
    // Faults that hold a part of the address space (since 6.4).
    "__vma_start_write",
    "rwsem_down_write_slowpath",
    "rwsem_down_write_failed",
    "rwsem_down_write_failed_killable",
    "down_write_killable",
];

/// Calls that hold it alone (`mm/mmap.c`, `mm/mprotect.c`, `mm/madvise.c`, `mm/mremap.c`).
const MMAP_CALLS: [&str; 11] = [
    "vm_mmap_pgoff",
    "vm_munmap",
    "__vm_munmap",
    "__x64_sys_munmap",
    "do_mprotect_pkey",
    "do_madvise",
    "madvise_lock",
    "__do_sys_madvise",
    "__do_sys_brk",
    "__x64_sys_brk",
    "__do_sys_mremap",
];

/// Giving back the blocks of a deleted file, Linux 4.18 to 6.18 (`fs/inode.c`, the file systems'
/// `inode.c`).
const EVICT: [&str; 8] = [
    "evict",
    "ext4_evict_inode",
    "xfs_inactive",
    "xfs_inodegc_flush",
    "xfs_fs_destroy_inode",
    "btrfs_evict_inode",
    "destroy_inode",
    "truncate_inode_pages_final",
];

/// Because the last use of it ended (`fs/file_table.c`, `fs/dcache.c`, `mm/mmap.c`).
const LAST_USE: [&str; 5] = ["__fput", "____fput", "task_work_run", "__dentry_kill", "remove_vma"];

/// A write to a pipe (`fs/pipe.c`) or a terminal (`drivers/tty/n_tty.c`, `drivers/tty/tty_io.c`), Linux 4.18
/// to 6.18.
const OUTPUT_FULL: [&str; 8] = [
    "pipe_write",
    "anon_pipe_write",
    "fifo_pipe_write",
    "pipe_wait_writable",
    "n_tty_write",
    "file_tty_write",
    "tty_write",
    "redirected_tty_write",
];

/// Waiting for room to send, Linux 4.18 to 6.18: `net/core/stream.c` for TCP, `net/core/sock.c` for the others,
/// `net/unix/af_unix.c` for a receiver whose queue is full.
const SEND_BUFFER: [&str; 5] = [
    "sk_stream_wait_memory",
    "sock_wait_for_wmem",
    "sock_alloc_send_pskb",
    "unix_wait_for_peer",
    "sctp_wait_for_sndbuf",
];

/// Waiting for data or a connection, Linux 4.18 to 6.18: `net/core/sock.c` (TCP), `net/core/datagram.c`,
/// `net/unix/af_unix.c`, `net/ipv4/inet_connection_sock.c`, `fs/pipe.c`, `drivers/tty/n_tty.c`, `fs/eventfd.c`.
const INCOMING: [&str; 11] = [
    "sk_wait_data",
    "__skb_wait_for_more_packets",
    "__skb_recv_datagram",
    "unix_stream_data_wait",
    "unix_stream_read_generic",
    "inet_csk_accept",
    "pipe_read",
    "anon_pipe_read",
    "fifo_pipe_read",
    "n_tty_read",
    "eventfd_read",
];

/// Waiting for a server's answer, Linux 4.18 to 6.18: a process that serves files (`fs/fuse/dev.c`), NFS
/// (`net/sunrpc/sched.c`, `fs/nfs`), SMB (`fs/smb/client/transport.c`), Ceph (`fs/ceph/mds_client.c`,
/// `net/ceph/osd_client.c`) and 9p (`net/9p/client.c`).
const FILE_SERVER: [&str; 18] = [
    "request_wait_answer",
    "__fuse_request_send",
    "__fuse_simple_request",
    "fuse_simple_request",
    "fuse_wait_on_page_writeback",
    "rpc_wait_bit_killable",
    "__rpc_execute",
    "rpc_execute",
    "nfs_wait_bit_killable",
    "nfs4_call_sync",
    "nfs_wb_folio",
    "wait_for_response",
    "cifs_send_recv",
    "compound_send_recv",
    "ceph_mdsc_wait_request",
    "ceph_osdc_wait_request",
    "p9_client_rpc",
    "p9_client_zc_rpc",
];

/// The kind of page that a fault waits for in this function: `mm/memory.c`, `mm/filemap.c`, `mm/shmem.c`,
/// `mm/userfaultfd.c`.
pub(crate) fn page_of_fault(frame: &str) -> Option<&'static str> {
    match frame {
        "do_swap_page" => Some("a page in swap"),
        "filemap_fault" => Some("a page of a mapped file"),
        "shmem_fault" => Some("a page of shared memory"),
        "handle_userfault" => Some("a page that another process is to give"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_shows_what_its_list_stands_for() {
        for sign in Sign::VARIANTS {
            for name in sign.functions() {
                assert!(Signs::of(&[(*name).to_owned()]).has(*sign), "{name}: {sign:?}");
            }
        }
        assert_eq!(Signs::of(&["vfs_write".to_owned()]), Signs::default());
    }
}
