// What differs between architectures: system call numbers and where a trapped thread keeps them.
#pragma once
#include <asm/unistd.h>

#if defined(__TARGET_ARCH_x86)

#define SYSCALL_OF(regs) ((long)(regs)->orig_ax)
#define FIRST_ARGUMENT_OF(regs) ((u32)(regs)->di)
#define ADDRESS_OF(regs) ((u64)(regs)->ip)

#elif defined(__TARGET_ARCH_arm64)

// `syscallno` is -1 outside of system calls as well (`arch/arm64/kernel/entry.S`: `NO_SYSCALL`).
#define SYSCALL_OF(regs) ((long)(regs)->syscallno)
#define FIRST_ARGUMENT_OF(regs) ((u32)(regs)->orig_x0)
#define ADDRESS_OF(regs) ((u64)(regs)->pc)

#else
#error "no registers known for this architecture"
#endif

// Younger than the oldest headers to build with, and the same number on every architecture.
#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449 // 5.16
#endif
#ifndef __NR_futex_wake
#define __NR_futex_wake 454 // 6.7, with the next two
#define __NR_futex_wait 455
#define __NR_futex_requeue 456
#endif

static __always_inline bool is_futex(long nr)
{
	switch (nr) {
	case __NR_futex:
	case __NR_futex_waitv:
	case __NR_futex_wake:
	case __NR_futex_wait:
	case __NR_futex_requeue:
		return true;
	}
	return false;
}

// Calls that mean "waiting for work" or "waiting for another thread". No stack is taken for
// them: it costs a microsecond and says nothing.
static __always_inline bool is_idle(long nr)
{
	if (is_futex(nr))
		return true;
	switch (nr) {
#ifdef __NR_poll // older calls, which younger architectures never had
	case __NR_poll:
	case __NR_select:
	case __NR_pause:
	case __NR_epoll_wait:
#endif
	case __NR_nanosleep:
	case __NR_accept:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_wait4:
	case __NR_rt_sigtimedwait:
	case __NR_rt_sigsuspend:
	case __NR_io_getevents:
	case __NR_restart_syscall: // of a futex or a sleep
	case __NR_clock_nanosleep:
	case __NR_waitid:
	case __NR_pselect6:
	case __NR_ppoll:
	case __NR_epoll_pwait:
	case __NR_accept4:
	case __NR_recvmmsg:
	case __NR_epoll_pwait2:
		return true;
	}
	return false;
}

// Calls that take `mmap_lock` for writing, or that may give up the last reference to a file.
static __always_inline bool is_memory_call(long nr)
{
	switch (nr) {
	case __NR_close:
	case __NR_mmap:
	case __NR_mprotect:
	case __NR_munmap:
	case __NR_brk:
	case __NR_mremap:
	case __NR_madvise:
		return true;
	}
	return false;
}

// What a call that is no idle one may wait for. `file_call` in `crates/diagnose/src/facts/syscalls.rs` knows
// the same calls on files: change both.
enum call_kind {
	CALL_OTHER,
	CALL_READS,  // from a descriptor
	CALL_WRITES, // to a descriptor, or waits until what was written is on the disk
	CALL_ON_PATH,
	CALL_WAITS_FOR_CHILD, // to run another program, or until the other threads are gone
};

static __always_inline enum call_kind kind_of(long nr)
{
	switch (nr) {
	case __NR_read:
	case __NR_pread64:
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
	case __NR_getdents64:
	case __NR_fstat:
		return CALL_READS;
	case __NR_write:
	case __NR_pwrite64:
	case __NR_writev:
	case __NR_pwritev:
	case __NR_pwritev2:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_sendfile:
	case __NR_splice:
	case __NR_copy_file_range:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_sync_file_range:
	case __NR_syncfs:
	case __NR_ftruncate:
	case __NR_fallocate:
	case __NR_close:
		return CALL_WRITES;
#ifdef __NR_open
	case __NR_open:
	case __NR_creat:
	case __NR_stat:
	case __NR_lstat:
	case __NR_access:
	case __NR_rename:
	case __NR_unlink:
	case __NR_mkdir:
	case __NR_rmdir:
#endif
#ifdef __NR_renameat
	case __NR_renameat:
#endif
#ifdef __NR_newfstatat
	case __NR_newfstatat:
#endif
	case __NR_openat:
	case __NR_openat2:
	case __NR_statx:
	case __NR_faccessat:
	case __NR_faccessat2:
	case __NR_renameat2:
	case __NR_unlinkat:
	case __NR_mkdirat:
	case __NR_linkat:
	case __NR_symlinkat:
	case __NR_truncate:
	case __NR_statfs:
	case __NR_msync:
	case __NR_sync:
		return CALL_ON_PATH;
#ifdef __NR_vfork
	case __NR_vfork:
#endif
	case __NR_clone:
	case __NR_clone3:
	case __NR_exit:
	case __NR_exit_group:
		return CALL_WAITS_FOR_CHILD;
	}
	return CALL_OTHER;
}
