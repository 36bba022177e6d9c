// Who had a CPU while a thread of the JVM waited for it: the longest runs of the recent past, for
// each CPU. The one that had it last may have had it for microseconds.
#pragma once
#include "state.bpf.h"

// Of a wait, the longest run names who had the CPU, if it is a fourth of the wait or a millisecond.
// Shorter waits than a millisecond name nobody.
#define HOLDER_PART 4
#define HOLDER_NS 1000000
#define RUN_NS (HOLDER_NS / HOLDER_PART)
#define RUNS 8

struct run {
	u64 start;
	u64 end;
	u32 tgid;
	char name[COMM];
};

struct cpu_users {
	u64 since; // the last switch that was seen
	u32 next;
	struct run runs[RUNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu_users);
} cpu_users SEC(".maps");

// The task that leaves the CPU has had it since the last switch. Switches are looked at inside of
// safepoints only, so before the first one of these it has had it since the begin at least.
static __noinline void note_cpu_user(struct task_struct *task, u64 now)
{
	u32 zero = 0;
	struct cpu_users *users = bpf_map_lookup_elem(&cpu_users, &zero);
	struct run *run;
	u64 start;

	if (!users)
		return;
	start = users->since > safepoint.begin ? users->since : safepoint.begin;
	users->since = now;
	if (!task->pid || start + RUN_NS > now)
		return;
	run = &users->runs[users->next & (RUNS - 1)];
	users->next++;
	run->start = start;
	run->end = now;
	run->tgid = task->tgid;
	bpf_probe_read_kernel(run->name, COMM, task->group_leader->comm);
}

// Names the process with the longest run inside of the wait.
static __always_inline void name_holder(struct slice *record, u64 wake, u64 now)
{
	u32 zero = 0;
	struct cpu_users *users = bpf_map_lookup_elem(&cpu_users, &zero);
	u64 longest = (now - wake) / HOLDER_PART;

	if (!users)
		return;
	if (longest > HOLDER_NS)
		longest = HOLDER_NS;
	for (int i = 0; i < RUNS; i++) {
		struct run *run = &users->runs[i];
		u64 start = run->start > wake ? run->start : wake;

		if (run->end < start + longest)
			continue;
		longest = run->end - start;
		record->holder = run->tgid;
		__builtin_memcpy(record->holder_name, run->name, COMM);
	}
}
