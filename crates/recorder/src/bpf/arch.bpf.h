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
