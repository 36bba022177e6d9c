// What differs between architectures: system call numbers and where a trapped thread keeps them.
#pragma once

#if defined(__TARGET_ARCH_x86)

#define SYSCALL_OF(regs) ((long)(regs)->orig_ax)
#define FIRST_ARGUMENT_OF(regs) ((u32)(regs)->di)
#define ADDRESS_OF(regs) ((u64)(regs)->ip)

static __always_inline bool is_futex(long nr)
{
	return nr == 202 || (nr >= 454 && nr <= 456) || nr == 449;
}

// Calls that mean "waiting for work" or "waiting for another thread". No stack is taken for
// them: it costs a microsecond and says nothing.
static __always_inline bool is_idle(long nr)
{
	if (is_futex(nr))
		return true;
	switch (nr) {
	case 7:   // poll
	case 23:  // select
	case 34:  // pause
	case 35:  // nanosleep
	case 43:  // accept
	case 45:  // recvfrom
	case 47:  // recvmsg
	case 61:  // wait4
	case 128: // rt_sigtimedwait
	case 130: // rt_sigsuspend
	case 208: // io_getevents
	case 219: // restart_syscall: of a futex or a sleep
	case 230: // clock_nanosleep
	case 232: // epoll_wait
	case 247: // waitid
	case 270: // pselect6
	case 271: // ppoll
	case 281: // epoll_pwait
	case 288: // accept4
	case 299: // recvmmsg
	case 441: // epoll_pwait2
		return true;
	}
	return false;
}

// Calls that take `mmap_lock` for writing, or that may give up the last reference to a file.
static __always_inline bool is_memory_call(long nr)
{
	switch (nr) {
	case 3:  // close
	case 9:  // mmap
	case 10: // mprotect
	case 11: // munmap
	case 12: // brk
	case 25: // mremap
	case 28: // madvise
		return true;
	}
	return false;
}

#elif defined(__TARGET_ARCH_arm64)

// Compiles, but has not been run. On arm64 `syscallno` is -1 outside of system calls as well.
#define SYSCALL_OF(regs) ((long)(regs)->syscallno)
#define FIRST_ARGUMENT_OF(regs) ((u32)(regs)->orig_x0)
#define ADDRESS_OF(regs) ((u64)(regs)->pc)

static __always_inline bool is_futex(long nr)
{
	return nr == 98 || (nr >= 454 && nr <= 456) || nr == 449;
}

static __always_inline bool is_idle(long nr)
{
	if (is_futex(nr))
		return true;
	switch (nr) {
	case 4:   // io_getevents
	case 22:  // epoll_pwait
	case 72:  // pselect6
	case 73:  // ppoll
	case 95:  // waitid
	case 101: // nanosleep
	case 115: // clock_nanosleep
	case 128: // restart_syscall
	case 133: // rt_sigsuspend
	case 137: // rt_sigtimedwait
	case 202: // accept
	case 207: // recvfrom
	case 212: // recvmsg
	case 242: // accept4
	case 243: // recvmmsg
	case 260: // wait4
	case 441: // epoll_pwait2
		return true;
	}
	return false;
}

static __always_inline bool is_memory_call(long nr)
{
	switch (nr) {
	case 57:  // close
	case 214: // brk
	case 215: // munmap
	case 216: // mremap
	case 222: // mmap
	case 226: // mprotect
	case 233: // madvise
		return true;
	}
	return false;
}

#else
#error "no system call table for this architecture"
#endif
