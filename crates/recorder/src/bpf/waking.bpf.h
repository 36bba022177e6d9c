// Wake-ups of the JVM's threads: when each could run again, and who let it.
#pragma once
#include "scheduler.bpf.h"

static __noinline void send_wake(u32 tid, u64 now)
{
	struct head *record = RESERVE(struct head);

	safepoint.wakes_wanted--;
	if (!record)
		return lost();
	set_head(record, RECORD_WAKE, 0, tid, now);
	submit(record);
}

// Who woke the thread matters in a stop, where nothing tells of stops, and after a stall. On JDK 11 the VM
// thread lets the others go on after the end.
static __always_inline bool is_waker_wanted(struct task_struct *task, struct task_struct *waker,
					    u64 now)
{
	return safepoint.open || config.windowless || waker->pid == safepoint.vm_tid ||
	       task->pid == safepoint.vm_tid || has_stall_ended(now);
}

static __always_inline u32 waker_of(struct task_struct *task, u64 now)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	if (!is_waker_wanted(task, waker, now) || waker->tgid != config.tgid ||
	    !is_futex_current(waker))
		return 0;
	return waker->pid;
}

// The thread is let go on after it was frozen.
static __always_inline void leave_freeze(struct thread *it, u32 tid, u64 now)
{
	u64 since = thaw(now);

	if (!(it->flags & SLICE_STOPPED))
		part_from_freeze(it, tid, since);
}

// All that is left to do in the middle of a stop, or where the thread has no place of its own.
static __noinline void wake_thread(struct task_struct *task, struct wake *place, u32 waker,
				   u64 now)
{
	struct thread *it = bpf_task_storage_get(&threads, task, 0, 0);
	bool held;

	if (!it)
		return;
	// In both places, for two threads may claim one at once, and then one of them loses it.
	it->wake = now;
	it->waker = waker;
	it->waker_stalled = waker ? stall_of_current(now) : 0;
	held = state_of(task) & STATE_UNINTERRUPTIBLE;
	it->release.pid = 0;
	if (held)
		note_release(&it->release);
	if (place->tid == task->pid || claim(place, task->pid)) {
		leave_wake(place, waker, it->waker_stalled, now);
		if (held)
			leave_release(place, now);
	}
	if (state_of(task) & STATE_FROZEN && it->off && !it->on)
		leave_freeze(it, task->pid, now);
	if (it->off && (safepoint.open || THROTTLED_WHILE_ASLEEP) && is_throttled(task))
		it->flags |= SLICE_THROTTLED;
}

// The tracepoint fires only where the wake-up changes the task's state, so the last one counts.
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct wake *place = wake_of(task->pid);
	long state;
	u32 waker;
	u64 now;

	if (task->tgid != config.tgid)
		return 0;
	now = bpf_ktime_get_ns();
	waker = waker_of(task, now);
	if (waker && waker == safepoint.vm_tid && safepoint.wakes_wanted)
		send_wake(task->pid, now);
	state = state_of(task);
	if (place->tid == task->pid && !safepoint.open && !THROTTLED_WHILE_ASLEEP &&
	    !(state & STATE_FROZEN)) {
		leave_wake(place, waker, waker ? stall_of_current(now) : 0, now);
		if (state & STATE_UNINTERRUPTIBLE)
			leave_release(place, now);
	} else {
		wake_thread(task, place, waker, now);
	}
	return 0;
}
