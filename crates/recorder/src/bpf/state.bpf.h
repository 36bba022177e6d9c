// Maps, the state of the one JVM and of each of its threads, and what every topic needs.
#pragma once
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "records.h"
#include "arch.bpf.h"

// Set before loading. `src/kernel/program.rs` writes it by offset: change both.
const volatile struct {
	u32 tgid;      // the JVM, in the initial pid namespace
	u32 scheduler; // whether the scheduler programs are attached
	u64 counters_start; // where the JVM has its file of performance counters mapped
	u64 counters_end;   // 0 where that is not watched
	u32 windowless; // whether nothing tells of safepoints
	u32 stall_us;   // from how long on waits outside of safepoints are sent; 0 where they are not wanted
} config = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 * 1024 * 1024);
} records SEC(".maps");

// Sized for few collisions, and a collision is retried with another depth.
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(u32));
	__uint(value_size, 48 * sizeof(u64));
} stacks SEC(".maps");

enum counter {
	COUNTER_SWITCHES,
	COUNTER_LOST,
	COUNTER_LOST_STACKS,
	COUNTER_REPAIRED,
	COUNTER_DROPPED_STALLS,
	COUNTERS
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, u32);
	__type(value, u64);
} counters SEC(".maps");

// A value of more than 184 bytes is of a size of which the kernel has but one element at hand, and then a
// thread that is new is not watched (`prefill_mem_cache` of `kernel/bpf/memalloc.c`).
//
// One thread of the JVM. A cycle is a time off the CPU followed by a time on it. What each switch
// needs comes first, in one cache line.
struct thread {
	u64 off;    // when the cycle began; 0 where that part is not wanted any more
	u64 wake;   // when it could run again; 0 while it cannot
	u64 on;     // when it got a CPU; 0 where unknown
	u64 out;    // when it left the CPU still runnable; 0 otherwise
	u64 merged; // short waits inside [on, now)
	u64 taken;  // inside [on, now), while it had the CPU: what others than threads took of it
	u64 taken_clock; // of its CPU, when it got that or when `taken` was last brought up to date
	u16 flags;       // enum slice_flag of [off, on)
	u16 out_flags;   // likewise of [out, …)
	s32 syscall;
	u32 waker;
	s32 stack;
	u32 fd;
	u32 leaves; // how often it has left a CPU
	u32 device;
	struct release release; // of an uninterruptible wait
	u64 ran_from; // when it got its CPU, less what the kernel says it had run by then
	u64 inode;
	u64 work_since[2];  // by enum work_kind
	u64 fault_address;  // of the last fault on the file of counters; 0 where that is over
	u64 fault_count;    // faults it had before that
	u64 stalled_since;  // its last stall, or that of the thread that it waited for
	u64 stall_end;
	u64 waker_stalled;  // since when who woke it had stalled; 0 where that had not
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

// The safepoint under way, or the last one. One at a time: only the VM thread writes it. Each switch
// of the host reads the first cache line, so what changes in the middle of a stop is not in it.
// User space reads it, and begins the stop that had begun before the programs ran:
// `src/kernel/live.rs` has the offsets; change both.
struct {
	u64 begin;
	u64 end;            // of the last one
	u64 operations_end; // last vmops__end
	u32 open;           // between begin and end
	u32 vm_tid;
	u32 assumed;        // whether it had begun before the programs, and user space began it
	u32 tail;           // whether runs that reach into the last one may still be on a CPU
	u64 watched_since;  // when the programs began; 0 where that is not known
	u32 unused[4];
	u64 cursor; // up to here the totals are complete
	u64 cgroup_throttled_ns;
	u64 operation_begin;
	u32 phase; // 0 reaching, 1 operating
	u32 depth; // of nested VM operations
	u32 wakes_wanted;
	u32 runs; // of other processes, that were sent
	u64 totals_ns[2][TOTALS];
	char name[OPERATION_NAME];
} safepoint SEC(".data.safepoint") __attribute__((aligned(64))) = {};

static __always_inline void count(u32 which)
{
	u64 *value = bpf_map_lookup_elem(&counters, &which);

	if (value)
		(*value)++;
}

// User space drains on a timer. A wake-up per record would preempt the JVM, which makes records.
static __always_inline void submit(void *record)
{
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

// Whoever reserves a record asks once whether it is null, and counts it as lost where it is. A second
// question would have two answers for the verifier of Linux 5.15 to 6.3, which does not know that a
// record is not null any more (`reg_type_not_null`): "Unreleased reference".
#define RESERVE(type) ((type *)bpf_ringbuf_reserve(&records, sizeof(type), 0))

static __always_inline void lost(void)
{
	count(COUNTER_LOST);
}

static __always_inline void set_head(struct head *head, u16 kind, u16 flags, u32 tid, u64 at)
{
	head->kind = kind;
	head->flags = flags;
	head->tid = tid;
	head->at = at;
}

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline bool is_jvm_current(void)
{
	return bpf_get_current_pid_tgid() >> 32 == config.tgid;
}

// Whether something that lasted from `since` until now overlaps the open or the last safepoint.
static __always_inline bool overlaps_safepoint(u64 since)
{
	return safepoint.open || since < safepoint.end;
}
