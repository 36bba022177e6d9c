// Page faults on the JVM's file of performance counters.
//
// HotSpot writes its counters to `/tmp/hsperfdata_*/PID` through a shared mapping, also in the
// middle of a safepoint. Each time the kernel has written the page back, the next write faults, and
// may then wait for the disk. Which counter it was tells where in HotSpot it was.
#pragma once
#include "state.bpf.h"

// Grows when a fault is over (`mm_account_fault`).
static __always_inline u64 faults_of(struct task_struct *task)
{
	return task->min_flt + task->maj_flt;
}

// Runs at every fault of every process: most end at the first comparison.
SEC("raw_tp/page_fault_user")
int counters_fault(struct bpf_raw_tracepoint_args *ctx)
{
	u64 address = ctx->args[0];
	struct task_struct *task;
	struct thread *it;

	if (address < config.counters_start || address >= config.counters_end)
		return 0;
	if (!is_jvm_current())
		return 0;
	task = bpf_get_current_task_btf();
	it = thread_of(task);
	if (!it)
		return 0;
	it->fault_address = address;
	it->fault_count = faults_of(task);
	return 0;
}

// Called when the thread blocks: whether it is still in that fault.
static __always_inline void check_counters_fault(struct thread *it, struct task_struct *task)
{
	if (it->fault_address && (it->syscall != -1 || it->fault_count != faults_of(task)))
		it->fault_address = 0;
}

static __always_inline u64 counters_offset(struct thread *it)
{
	return it->fault_address ? it->fault_address - config.counters_start : NO_OFFSET;
}
