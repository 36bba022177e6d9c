// Who had the CPUs while threads of the JVM waited for one. For each CPU the longest runs of the recent
// past: the one that had it last may have had it for microseconds. In a stop also every longer run of
// another process, on all CPUs: a thread that waits behind a thread of its own process would have had
// the CPU that another process has.
#pragma once
#include "state.bpf.h"

// Of a wait, the longest run names who had the CPU, if it is a fourth of the wait or a millisecond.
// Shorter waits than a millisecond name nobody.
#define HOLDER_PART 4
#define HOLDER_NS 1000000
#define RUN_NS (HOLDER_NS / HOLDER_PART)
#define RUNS 8

// So many runs of one stop are sent from RUN_NS on; after each as many more only those of twice the length,
// up to 8 ms, so that a long stop on a large host does not fill the ring buffer.
#define RUNS_SHIFT 11
#define MOST_DOUBLED 5
// After a stop of LONG_STOP_NS, whoever had a CPU when it ended leaves that within TAIL_NS: its run is
// sent up to the end of the stop.
#define LONG_STOP_NS 1000000
#define TAIL_NS 4000000

struct cpu_user {
	u64 start;
	u64 end;
	u32 tgid;
	char name[COMM];
};

struct cpu_users {
	u64 since; // the last switch that was seen
	u32 next;
	struct cpu_user runs[RUNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu_users);
} cpu_users SEC(".maps");

static __always_inline u64 shortest_run_sent(void)
{
	u32 doubled = safepoint.runs >> RUNS_SHIFT;

	return (u64)RUN_NS << (doubled > MOST_DOUBLED ? MOST_DOUBLED : doubled);
}

static __noinline void send_run(struct cpu_user *user)
{
	struct run *record;

	if (user->end - user->start < shortest_run_sent())
		return;
	record = RESERVE(struct run);
	if (!record)
		return lost();
	// Two CPUs may count as one here: it is a bound.
	safepoint.runs++;
	set_head(&record->head, RECORD_RUN, bpf_get_smp_processor_id(), user->tgid, user->start);
	record->end = user->end;
	__builtin_memcpy(record->name, user->name, COMM);
	submit(record);
}

// The task that leaves the CPU has had it since the last switch. Switches are looked at inside of
// safepoints only, so before the first one of these it has had it since the begin at least.
static __noinline void note_cpu_user(struct task_struct *task, u64 now)
{
	u32 zero = 0;
	struct cpu_users *users = bpf_map_lookup_elem(&cpu_users, &zero);
	struct cpu_user *user;
	u64 start;

	if (!users)
		return;
	start = users->since > safepoint.begin ? users->since : safepoint.begin;
	users->since = now;
	if (!safepoint.open) {
		if (now > safepoint.end + TAIL_NS)
			safepoint.tail = 0;
		now = safepoint.end;
	}
	if (!task->pid || start + RUN_NS > now)
		return;
	user = &users->runs[users->next & (RUNS - 1)];
	users->next++;
	user->start = start;
	user->end = now;
	user->tgid = task->tgid;
	bpf_probe_read_kernel(user->name, COMM, task->group_leader->comm);
	if (task->tgid != config.tgid)
		send_run(user);
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
		struct cpu_user *run = &users->runs[i];
		u64 start = run->start > wake ? run->start : wake;

		if (run->end < start + longest)
			continue;
		longest = run->end - start;
		record->holder = run->tgid;
		__builtin_memcpy(record->holder_name, run->name, COMM);
	}
}
