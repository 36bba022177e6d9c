// Waits that hold the application up outside of safepoints as well: it was throttled, stopped, or
// waited for memory.
#pragma once
#include "state.bpf.h"

// Shorter ones are not told apart from the ordinary life of a thread.
#define HICCUP_NS 10000000
// Where nothing tells of safepoints, whatever is longer is kept: the log will tell what of it was in
// a stop. A thread that came late may have lost its CPU to others many times on its way.
#define WINDOWLESS_NS 1000000

static __always_inline u64 shortest_hiccup(void)
{
	if (config.windowless)
		return WINDOWLESS_NS;
	return config.stall_us && config.stall_us * 1000ULL < HICCUP_NS ? config.stall_us * 1000ULL :
									HICCUP_NS;
}

static __always_inline bool is_long_run(struct thread *it, u64 out)
{
	return config.windowless && out - it->on >= WINDOWLESS_NS;
}

// About the wait that ends now. Waiting for a CPU, for other threads and for one's own files is
// nobody's hiccup.
static __always_inline bool is_hiccup(struct thread *it, u64 now)
{
	// A thread that was woken and got no CPU is late, however idle it was before.
	if (config.windowless)
		return now - (it->flags & SLICE_IDLE ? it->wake : it->off) >= WINDOWLESS_NS;
	if (now - it->off < HICCUP_NS)
		return false;
	if (it->flags & SLICE_THROTTLED)
		return now - it->wake >= HICCUP_NS;
	if (it->flags & SLICE_STOPPED)
		return true;
	if (!(it->flags & SLICE_BLOCKED) || it->flags & SLICE_IDLE)
		return false;
	return it->wake - it->off >= HICCUP_NS && (it->syscall == -1 || is_memory_call(it->syscall));
}
