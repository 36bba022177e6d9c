// When the whole JVM was frozen.
//
// A thread that sleeps is frozen where it is (`__freeze_task` in kernel/freezer.c, since 6.1): its
// state changes, and no switch is seen. A wake-up meanwhile is kept until the thaw and then becomes
// one from the frozen state. So that tells when the thaw was; the freeze was when the first thread
// was seen to enter it, or, where all of them slept, when the last one ran.
#pragma once
#include "state.bpf.h"

// How exactly it is known when the JVM last ran at all.
#define RUN_TICK_NS 1000000
// Between two wake-ups of one thaw there is less than this, and two freezes are further apart.
#define THAW_NS 20000000

// The last time the whole JVM was frozen, as far as that is seen.
struct {
	u64 last_run; // when a thread of it was last seen on a CPU, within a millisecond
	u64 since;    // when the first of its threads was frozen; after `until` while it is
	u64 until;    // when the last of them was let go
} freeze = {};

static __always_inline void notice_run(u64 now)
{
	// Written rarely, or the CPUs would fight for it.
	if (now - freeze.last_run >= RUN_TICK_NS)
		freeze.last_run = now;
}

static __always_inline void notice_frozen(u64 now)
{
	if (freeze.since > freeze.until)
		return;
	freeze.since = now;
}

// The threads are let go one after the other, and what they do then is no sign of a next freeze.
static __always_inline u64 thaw(u64 now)
{
	if (freeze.since <= freeze.until && now - freeze.until > THAW_NS)
		freeze.since = freeze.last_run;
	freeze.until = now;
	return freeze.since;
}
