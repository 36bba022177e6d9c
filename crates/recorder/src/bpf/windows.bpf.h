// Begin and end of safepoints and of the VM operations in them, from the JVM's own probes.
#pragma once
#include "state.bpf.h"
#include "scheduler.bpf.h"

// The woken threads of interest are the Java threads that continue first; the VM thread wakes
// few others before them.
#define WAKES_WANTED 8
#define CGROUP_DEPTH 8

// Sum of the throttled time of the current thread's cgroup and its ancestors.
static __always_inline u64 cgroup_throttled_ns(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_group *group = BPF_CORE_READ(task, sched_task_group);
	u64 sum = 0;

	if (!bpf_core_field_exists(group->cfs_bandwidth))
		return 0;
	for (int i = 0; i < CGROUP_DEPTH && group; i++) {
		sum += BPF_CORE_READ(group, cfs_bandwidth.throttled_time);
		group = BPF_CORE_READ(group, parent);
	}
	return sum;
}

// This program runs on the VM thread and can be preempted at any point. So what the scheduler's
// programs need is set before the time is read, and the place in the ring buffer is taken before
// them, so that none of their records comes before this one.
static __always_inline void safepoint_begin(void)
{
	struct head *record;
	u64 now;

	if (!is_jvm_current())
		return;
	safepoint.vm_tid = (u32)bpf_get_current_pid_tgid();
	safepoint.assumed = 0;
	safepoint.wakes_wanted = 0;
	safepoint.runs = 0;
	safepoint.phase = 0;
	safepoint.depth = 0;
	safepoint.operation_begin = 0;
	__builtin_memset(safepoint.totals_ns, 0, sizeof(safepoint.totals_ns));
	safepoint.cgroup_throttled_ns = cgroup_throttled_ns();
	safepoint.cursor = ~0ULL; // nothing is accounted yet
	barrier();
	safepoint.open = 1;
	record = RESERVE(struct head);
	barrier();
	now = bpf_ktime_get_ns();
	safepoint.cursor = now;
	safepoint.begin = now;
	if (record) {
		set_head(record, RECORD_BEGIN, 0, safepoint.vm_tid, now);
		submit(record);
	} else {
		lost();
	}
	start_current(now);
}

// The safepoint is reached and the first operation begins. Later ones do not change the phase.
static __always_inline void operating(u64 now)
{
	account_vm_thread(TOTAL_ON_CPU, now);
	safepoint.phase = 1;
}

static __always_inline void operation_begin(const char *name)
{
	u64 now = bpf_ktime_get_ns();

	if (!safepoint.open || !is_jvm_current() || safepoint.depth++ > 0)
		return;
	operating(now);
	safepoint.wakes_wanted = 0;
	safepoint.operation_begin = now;
	safepoint.name[0] = 0;
	if (name)
		bpf_probe_read_user_str(safepoint.name, sizeof(safepoint.name), name);
}

static __always_inline void operation_end(void)
{
	u64 now = bpf_ktime_get_ns();
	struct operation *record;

	// A depth of zero is an operation whose begin was before the attach, or outside of a safepoint.
	if (!safepoint.open || !is_jvm_current() || safepoint.depth == 0 || --safepoint.depth > 0)
		return;
	safepoint.operations_end = now;
	safepoint.wakes_wanted = WAKES_WANTED;
	record = RESERVE(struct operation);
	if (record) {
		set_head(&record->head, RECORD_OPERATION, 0, safepoint.vm_tid, safepoint.operation_begin);
		record->end = now;
		__builtin_memcpy(record->name, safepoint.name, sizeof(record->name));
		submit(record);
	} else {
		lost();
	}
	flush_current();
}

static __always_inline void safepoint_end_alone(u64 now)
{
	struct end *record = RESERVE(struct end);

	if (!record)
		return lost();
	set_head(&record->head, RECORD_END, 0, (u32)bpf_get_current_pid_tgid(), now);
	record->begin = 0;
	record->cgroup_throttled_ns = 0;
	__builtin_memset(record->totals_ns, 0, sizeof(record->totals_ns));
	submit(record);
}

static __always_inline void safepoint_end(void)
{
	u64 now = bpf_ktime_get_ns();
	struct end *record;

	if (!is_jvm_current())
		return;
	// The begin was before the programs: all that is known is that it is over.
	if (!safepoint.open)
		return safepoint_end_alone(now);
	account_vm_thread(TOTAL_ON_CPU, now);
	flush_current();
	safepoint.end = now;
	safepoint.tail = now - safepoint.begin >= LONG_STOP_NS;
	safepoint.open = 0;
	record = RESERVE(struct end);
	if (!record)
		return lost();
	set_head(&record->head, RECORD_END, 0, safepoint.vm_tid, now);
	record->begin = safepoint.begin;
	record->cgroup_throttled_ns =
		safepoint.assumed ? 0 : cgroup_throttled_ns() - safepoint.cgroup_throttled_ns;
	__builtin_memcpy(record->totals_ns, safepoint.totals_ns, sizeof(record->totals_ns));
	submit(record);
}

// How the cookie of a probe tells where its first argument is: the offset of a register in
// `struct pt_regs`, whether it is known at all, whether it is in memory where that register leads to,
// and what is added to it then. `src/kernel/usdt.rs` writes it: change both.
#define ARGUMENT_REGISTER 0xffff
#define ARGUMENT_KNOWN (1 << 16)
#define ARGUMENT_IN_MEMORY (1 << 17)

static __always_inline const char *first_argument(struct pt_regs *ctx)
{
	u64 place = bpf_get_attach_cookie(ctx), value = 0;

	if (!(place & ARGUMENT_KNOWN))
		return 0;
	if (bpf_probe_read_kernel(&value, sizeof(value), (void *)ctx + (place & ARGUMENT_REGISTER)))
		return 0;
	if (place & ARGUMENT_IN_MEMORY) {
		const void *at = (const void *)(value + (s64)(s32)(place >> 32));

		if (bpf_probe_read_user(&value, sizeof(value), at))
			return 0;
	}
	return (const char *)value;
}

SEC("usdt")
int usdt_safepoint_begin(struct pt_regs *ctx)
{
	safepoint_begin();
	return 0;
}

SEC("usdt")
int usdt_safepoint_end(struct pt_regs *ctx)
{
	safepoint_end();
	return 0;
}

SEC("usdt")
int usdt_operation_begin(struct pt_regs *ctx)
{
	operation_begin(first_argument(ctx));
	return 0;
}

SEC("usdt")
int usdt_operation_end(struct pt_regs *ctx)
{
	operation_end();
	return 0;
}

// Where libjvm has no USDT: entries of HotSpot functions, found in its symbol table.

SEC("uprobe")
int symbol_safepoint_begin(void *ctx) // RuntimeService::record_safepoint_begin
{
	safepoint_begin();
	return 0;
}

SEC("uprobe")
int symbol_synchronized(void *ctx) // RuntimeService::record_safepoint_synchronized
{
	operation_begin(0);
	return 0;
}

SEC("uprobe")
int symbol_operations_end(void *ctx) // SafepointSynchronize::end
{
	operation_end();
	return 0;
}

SEC("uprobe")
int symbol_safepoint_end(void *ctx) // RuntimeService::record_safepoint_end
{
	safepoint_end();
	return 0;
}
