// Time in which a thread had a CPU and the CPU did not run it: the hypervisor had taken it away, or
// it served an interrupt.
//
// A run queue has two clocks, and the second leaves out what the kernel knows of both
// (`update_rq_clock_task` in kernel/sched/core.c): `sum_exec_runtime` is kept by it. So the time
// taken since the thread came is what the two have moved apart since then. Where the kernel does
// not account for it (no CONFIG_PARAVIRT_TIME_ACCOUNTING, no CONFIG_IRQ_TIME_ACCOUNTING) they stay
// together.
#pragma once
#include "state.bpf.h"

static __always_inline u64 taken_clock(struct task_struct *task)
{
	struct cfs_rq *queue = 0;
	struct rq *rq;

	if (!bpf_core_field_exists(queue->rq))
		return 0;
	queue = task->se.cfs_rq;
	if (!queue)
		return 0;
	rq = queue->rq;
	return rq ? rq->clock - rq->clock_task : 0;
}

// Both clocks move at each switch, and at each tick in between.
static __always_inline void account_taken(struct thread *it, struct task_struct *task)
{
	u64 clock = taken_clock(task);

	if ((s64)(clock - it->taken_clock) > 0)
		it->taken += clock - it->taken_clock;
	it->taken_clock = clock;
}
