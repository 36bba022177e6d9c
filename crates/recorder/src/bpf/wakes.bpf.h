// When each thread was last woken, and by whom.
//
// A wake-up comes from any CPU, and what a thread's own CPU keeps writing is far away from there:
// taking that over costs more than all the rest. So wake-ups are left in a place of their own, and
// are fetched from there only where they are wanted, when the thread has its CPU.
#pragma once
#include "state.bpf.h"

// A thread may be woken between deciding to sleep and the tracepoint.
#define WAKE_RACE_NS 2000
// A power of two. A thread finds its place taken only where more threads than this live, or where
// two have numbers that far apart; then its wake-ups are kept with the rest of it.
#define WAKES 4096

// One cache line each: neighbours are woken by different CPUs.
struct wake {
	u64 at;
	u32 tid;   // whose this is; 0 while it is nobody's
	u32 waker; // the thread of this JVM that woke it through a futex; 0 otherwise
	u64 waker_stalled; // since when that had stalled; 0 where it had not
	u64 released_at; // when `release` was noted
	struct release release;
	u32 unused;
	char releaser[COMM];
};

struct wake wakes[WAKES] __attribute__((aligned(64))) = {};

static __always_inline struct wake *wake_of(u32 tid)
{
	return &wakes[tid & (WAKES - 1)];
}

// Whether the place is the thread's from now on.
static __always_inline bool claim(struct wake *place, u32 tid)
{
	if (place->tid)
		return false;
	place->tid = tid;
	return true;
}

static __always_inline void leave_wake(struct wake *place, u32 waker, u64 stalled, u64 now)
{
	place->at = now;
	place->waker = waker;
	place->waker_stalled = stalled;
}

// Notes the current thread as the one that lets another go on.
static __always_inline void note_release(struct release *it)
{
	u64 current = bpf_get_current_pid_tgid();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());

	it->pid = current >> 32;
	it->tid = (u32)current;
	it->call = SYSCALL_OF(regs);
}

// The same in the thread's place, with the name.
static __always_inline void leave_release(struct wake *place, u64 now)
{
	note_release(&place->release);
	bpf_get_current_comm(place->releaser, sizeof(place->releaser));
	place->released_at = now;
}

// The thread has left its CPU for the last time.
static __always_inline void give_back(u32 tid)
{
	struct wake *place = wake_of(tid);

	if (place->tid == tid)
		place->tid = 0;
}

// Takes over the wake-up that ended the wait since `it->off`, if it was left in the thread's place.
static __always_inline void fetch_wake(struct thread *it, u32 tid)
{
	struct wake *place = wake_of(tid);

	if (place->tid != tid || place->at + WAKE_RACE_NS <= it->off)
		return;
	it->wake = place->at > it->off ? place->at : it->off;
	it->waker = place->waker;
	it->waker_stalled = place->waker_stalled;
	if (place->released_at == place->at)
		it->release = place->release;
	else
		it->release.pid = 0;
}
