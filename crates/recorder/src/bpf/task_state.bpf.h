// What a task says of itself: whether it runs, sleeps, is throttled, or was stopped from outside.
#pragma once
#include "state.bpf.h"

#define STATE_UNINTERRUPTIBLE 0x0002
#define STATE_STOPPED 0x0004
#define STATE_TRACED 0x0008
#define STATE_DEAD 0x0080
#define STATE_FROZEN 0x8000 // 6.1
#define FLAG_IDLE 0x2 // PF_IDLE
#define FLAG_FROZEN 0x10000 // PF_FROZEN, until then

static __always_inline long state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return ((struct task_struct___before_5_14 *)task)->state;
}

static __always_inline bool is_throttled(struct task_struct *task)
{
	struct task_struct___since_6_18 *since = (void *)task;
	struct cfs_rq *queue = 0;

	if (bpf_core_field_exists(since->throttled))
		return since->throttled;
	if (!bpf_core_field_exists(queue->throttle_count))
		return false;
	queue = task->se.cfs_rq;
	return queue && queue->throttle_count > 0;
}

// Up to 6.17 a thread can be woken in a run queue that is throttled, and then only that tells. Since
// then it is throttled on its way back to user space, and has left a CPU for it.
#define THROTTLED_WHILE_ASLEEP \
	(!bpf_core_field_exists(((struct task_struct___since_6_18 *)0)->throttled))

// `enum slice_flag` of a thread that leaves its CPU because it is stopped from outside; otherwise 0.
//
// The state comes first: with the freezer of version 2 `frozen` is set in a stop by a signal or a
// tracer as well, which counts as frozen (`do_signal_stop` and `ptrace_stop` call
// `cgroup_enter_frozen`, as `do_freezer_trap` does, each before it gives up the CPU).
static __always_inline u16 stop_flags(struct task_struct *task, long state)
{
	if (state & (STATE_STOPPED | STATE_TRACED))
		return SLICE_STOPPED;
	if (state & STATE_FROZEN || task->flags & FLAG_FROZEN)
		return SLICE_STOPPED | SLICE_FROZEN;
	if (bpf_core_field_exists(task->frozen) && BPF_CORE_READ_BITFIELD(task, frozen))
		return SLICE_STOPPED | SLICE_FROZEN;
	return 0;
}
