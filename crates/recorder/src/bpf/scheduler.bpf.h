// What each thread of the JVM does, to the nanosecond.
//
// One record covers one cycle: the time off the CPU and the time on it after that. It is sent when
// the thread leaves the CPU, or at once where the time off was long. Outside of safepoints only
// hiccups are sent; the times are kept because a thread may already wait when a safepoint begins.
#pragma once
#include "counters_file.bpf.h"
#include "cpu_users.bpf.h"
#include "freezer.bpf.h"
#include "hiccups.bpf.h"
#include "stalls.bpf.h"
#include "taken.bpf.h"
#include "task_state.bpf.h"
#include "wakes.bpf.h"

// Shorter waits for a CPU are summed in the slice around them: GC workers that wait for their
// peers yield up to 50,000 times a second.
#define MERGED_WAIT_NS 50000
// A longer time off the CPU is sent when it ends, and a longer wait for a CPU names who had it.
#define LONG_NS 1000000

static __always_inline bool is_futex_current(struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	return is_futex(SYSCALL_OF(regs));
}

// Two buckets of the stack map can collide. The same stack with its innermost frames (those of the
// tracepoint itself) left out has another hash.
static __noinline s32 take_stack(void *ctx)
{
	s32 id = bpf_get_stackid(ctx, &stacks, 0);

	if (id == -17 /* EEXIST */)
		id = bpf_get_stackid(ctx, &stacks, 1);
	if (id == -17)
		id = bpf_get_stackid(ctx, &stacks, 2);
	if (id < 0)
		count(COUNTER_LOST_STACKS);
	return id;
}

// Adds the time up to `now` to one of the totals of the VM thread.
static __always_inline void account_vm_thread(u32 which, u64 now)
{
	if (safepoint.phase > 1 || which >= TOTALS)
		return;
	if (now > safepoint.cursor) {
		safepoint.totals_ns[safepoint.phase & 1][which] += now - safepoint.cursor;
		safepoint.cursor = now;
	}
}

static __always_inline void account_vm_wait(u64 wake, u64 now, u16 flags)
{
	if (flags & SLICE_BLOCKED)
		account_vm_thread(flags & SLICE_IDLE ? TOTAL_WAITING : TOTAL_BLOCKED, wake ? wake : now);
	account_vm_thread(flags & SLICE_THROTTLED ? TOTAL_THROTTLED : TOTAL_RUNNABLE, now);
}

static __always_inline bool is_accounted(u32 tid)
{
	return safepoint.open && safepoint.vm_tid == tid;
}

static __always_inline void fill_cycle(struct slice *record, struct thread *it, u32 tid, u64 out)
{
	set_head(&record->head, RECORD_SLICE, it->flags, tid, it->off);
	record->wake = it->wake;
	record->on = it->on;
	record->out = out;
	record->merged_ns = it->merged;
	record->stack = it->stack;
	record->syscall = it->syscall;
	record->fd = it->fd;
	record->waker = it->waker;
	record->inode = it->inode;
	record->device = it->device;
	record->holder = 0;
	record->holder_name[0] = 0;
	record->taken_ns = it->taken;
	record->fault_offset = counters_offset(it);
	record->releaser = 0;
	record->release_call = -1;
}

static __noinline void end_cycle(struct thread *it, u32 tid, u64 out)
{
	struct slice *record;

	if (!it->on)
		return;
	if (is_long_run(it, out))
		it->flags |= SLICE_HICCUP;
	else if (!overlaps_safepoint(it->off ? it->off : it->on))
		return;
	record = RESERVE(struct slice);
	if (!record)
		return lost();
	fill_cycle(record, it, tid, out);
	submit(record);
}

// Whether a thread that leaves its CPU may have a record to send, or time to account.
static __always_inline bool has_run_near_stop(struct thread *it, u64 now)
{
	return it->off || overlaps_safepoint(it->on) || is_long_run(it, now);
}

static __noinline void leave_near_stop(struct thread *it, struct task_struct *task, bool blocks,
				       u64 now)
{
	if (is_accounted(task->pid))
		account_vm_thread(TOTAL_ON_CPU, now);
	if (overlaps_safepoint(it->on))
		account_taken(it, task);
	if (blocks)
		end_cycle(it, task->pid, now);
}

static __always_inline void leave_cpu(void *ctx, struct thread *it, struct task_struct *task,
				      bool preempt, u64 now)
{
	long state = preempt ? 0 : state_of(task);
	struct pt_regs *regs;
	long nr;

	notice_run(now);
	if (has_run_near_stop(it, now))
		leave_near_stop(it, task, state, now);
	if (!state) {
		it->out = now;
		it->out_flags = is_throttled(task) ? SLICE_THROTTLED : 0;
		return;
	}
	regs = (void *)bpf_task_pt_regs(task);
	nr = SYSCALL_OF(regs);
	it->off = now;
	it->on = 0;
	it->out = 0;
	it->merged = 0;
	it->taken = 0;
	it->wake = it->wake + WAKE_RACE_NS > now ? now : 0;
	it->waker = 0;
	it->waker_stalled = 0;
	it->syscall = nr;
	it->stack = -1;
	it->flags = SLICE_BLOCKED | stop_flags(task, state);
	if (state & STATE_UNINTERRUPTIBLE)
		it->flags |= SLICE_UNINTERRUPTIBLE;
	it->fd = FIRST_ARGUMENT_OF(regs);
	check_counters_fault(it, task);
	if (state & STATE_FROZEN)
		notice_frozen(now);
	if (!(it->flags & SLICE_STOPPED) && is_idle(nr) && !(state & STATE_UNINTERRUPTIBLE))
		it->flags |= SLICE_IDLE;
	if (!(it->flags & SLICE_IDLE))
		it->stack = take_stack(ctx);
	if (state & STATE_DEAD)
		give_back(task->pid);
}

// Whether the wait that just ended is worth a record of its own, and at all.
static __always_inline bool is_wait_wanted(struct thread *it)
{
	if (!overlaps_safepoint(it->off))
		return false;
	// Idle across the end of the safepoint: it waited for that end, or for work.
	return safepoint.open || !(it->flags & SLICE_IDLE) || it->wake < safepoint.operations_end;
}

// Who let the thread go on. The record has one place for this and for who had the CPU after that.
static __always_inline void name_releaser(struct slice *record, struct release *it, u32 tid)
{
	struct wake *place = wake_of(tid);

	record->head.flags |= SLICE_RELEASED;
	record->holder = it->pid;
	record->releaser = it->tid;
	record->release_call = it->call;
	if (place->tid == tid && place->release.tid == it->tid)
		__builtin_memcpy(record->holder_name, place->releaser, COMM);
}

static __always_inline void send_wait(struct thread *it, u32 tid, bool seen, u64 now)
{
	struct slice *record = RESERVE(struct slice);

	if (!record)
		return lost();
	fill_cycle(record, it, tid, 0);
	if (seen && now - it->wake >= LONG_NS)
		name_holder(record, it->wake, now);
	else if (it->flags & SLICE_UNINTERRUPTIBLE && it->release.pid)
		name_releaser(record, &it->release, tid);
	submit(record);
}

// The wait so far, up to `end`.
static __always_inline void send_wait_until(struct thread *it, u32 tid, u64 end)
{
	struct slice *record = RESERVE(struct slice);

	if (!record)
		return lost();
	fill_cycle(record, it, tid, 0);
	record->wake = record->on = end;
	submit(record);
}

// The thread slept, and is frozen since `since`. What came before was its own wait.
static __always_inline void part_from_freeze(struct thread *it, u32 tid, u64 since)
{
	if (since <= it->off)
		since = it->off;
	else if (safepoint.open)
		send_wait_until(it, tid, since);
	it->off = since;
	it->flags = SLICE_BLOCKED | SLICE_STOPPED | SLICE_FROZEN;
	it->stack = -1;
}

// Most waits end far from any safepoint and are short: nothing of them needs to be known.
static __always_inline bool is_wait_of_no_interest(struct thread *it, u64 now)
{
	return !it->out && it->off && !overlaps_safepoint(it->off) &&
	       now - it->off < shortest_hiccup();
}

// `seen`: at the switch itself, and not repaired later.
static __noinline void take_cpu(struct thread *it, struct task_struct *task, bool seen, u64 now)
{
	u32 tid = task->pid;

	if (it->out) {
		if (is_accounted(tid))
			account_vm_wait(0, now, it->out_flags);
		if (it->on && now - it->out < MERGED_WAIT_NS && !it->out_flags) {
			it->merged += now - it->out;
			it->out = 0;
			return;
		}
		end_cycle(it, tid, it->out);
		it->off = it->out;
		it->wake = it->out;
		it->flags = it->out_flags;
		it->syscall = -1;
		it->stack = -1;
		it->waker = 0;
		it->waker_stalled = 0;
		it->out = 0;
		it->merged = 0;
		it->taken = 0;
	} else if (it->off) {
		fetch_wake(it, tid);
		if (!it->wake) {
			it->wake = now;
			it->release.pid = 0;
		}
		if (is_accounted(tid))
			account_vm_wait(it->wake, now, it->flags);
	}
	it->on = now;
	if (!it->off)
		return;
	if (is_hiccup(it, now)) {
		it->flags |= SLICE_HICCUP;
		note_stall(it, it->off, now);
	} else if (is_stall(it, task, now)) {
		it->flags |= SLICE_STALL;
	} else if (!is_wait_wanted(it)) {
		it->off = 0;
		return;
	}
	if (!safepoint.open || now - it->wake >= LONG_NS ||
	    (now - it->off >= LONG_NS && !(it->flags & SLICE_IDLE))) {
		send_wait(it, tid, seen, now);
		it->off = 0;
	}
}

// The first safepoint may begin on a thread that has not left its CPU since the programs started.
static __always_inline void start_current(u64 now)
{
	struct thread *it;

	if (!config.scheduler)
		return;
	it = thread_of(bpf_get_current_task_btf());
	if (!it)
		return lost();
	if (!it->on) {
		it->on = now;
		it->ran_from = now - bpf_get_current_task_btf()->se.sum_exec_runtime;
		it->taken_clock = taken_clock(bpf_get_current_task_btf());
	}
}

// Some switches are not seen: those before the programs started, and those of a task for which the
// kernel keeps programs from running. When the thread leaves its CPU, the kernel's own account
// tells since when it had it.
static __noinline void repair_arrival(struct thread *it, struct task_struct *task, u64 now)
{
	u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
	u64 arrival = ran < now ? now - ran : now;

	if (it->off || it->out)
		count(COUNTER_REPAIRED);
	if (arrival < it->off)
		arrival = it->off;
	if (arrival < it->out)
		arrival = it->out;
	take_cpu(it, task, false, arrival);
	it->ran_from = now - task->se.sum_exec_runtime;
	it->taken_clock = taken_clock(task);
}

// Sends what the current thread did up to here, as if it left the CPU, and goes on from here.
//
// Unlike the scheduler's programs this runs where the thread can lose its CPU, and they then
// change its state. So all that takes time comes before the time is read. Where the thread left since
// then, what it did so far is theirs to send, and nothing is left to do here. Between the last
// question and the last store that cannot be helped, and is counted.
static __always_inline void flush_current(void)
{
	struct slice *record;
	struct thread *it;
	u32 tid = (u32)bpf_get_current_pid_tgid(), leaves;
	u64 now;

	if (!config.scheduler)
		return;
	it = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);
	if (!it)
		return;
	record = RESERVE(struct slice);
	if (!record)
		return lost();
	leaves = it->leaves;
	barrier();
	// Its arrival was not seen: that is repaired when it leaves.
	if (!it->on || it->out) {
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
		return;
	}
	now = bpf_ktime_get_ns();
	account_taken(it, bpf_get_current_task_btf());
	fill_cycle(record, it, tid, now);
	barrier();
	if (it->leaves != leaves) {
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
		return;
	}
	it->on = now;
	it->off = 0;
	it->merged = 0;
	it->taken = 0;
	barrier();
	if (it->leaves != leaves)
		lost();
	submit(record);
}

static __always_inline void leave(void *ctx, struct task_struct *task, bool preempt, u64 now)
{
	struct thread *it = thread_of(task);

	if (!it)
		return lost();
	it->leaves++;
	if (it->out || !it->on)
		repair_arrival(it, task, now);
	leave_cpu(ctx, it, task, preempt, now);
}

// It had a CPU as far as was seen, and gets one: a switch between the two was not seen. The kernel's
// own account tells for how long it ran. What it did after that is not known; where that was shorter than
// what is kept apart, it is in the run.
static __noinline void repair_leave(struct thread *it, struct task_struct *task, u64 now)
{
	u64 left = it->ran_from + task->se.sum_exec_runtime;

	count(COUNTER_REPAIRED);
	if (left > now)
		left = now;
	if (left < it->on)
		left = it->on;
	if (now - left < MERGED_WAIT_NS) {
		it->merged += now - left;
		return;
	}
	end_cycle(it, task->pid, left);
	it->on = now;
	it->off = 0;
	it->merged = 0;
	it->taken = 0;
}

// Whether neither a switch to the thread nor one from it was seen. In a stop that is under way user space has
// looked at the threads, and knows their stacks.
static __always_inline bool is_new(struct thread *it)
{
	return !it->off && !it->on && !it->out && !it->ran_from && safepoint.watched_since &&
	       !safepoint.open && config.stall_us;
}

// The thread was not seen before, and had begun to wait before the programs ran: since then at least it
// has been off its CPU. Only of a call that waits for a disk or a reader is it known what it waited for.
static __noinline void note_older_wait(struct thread *it, struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	long nr = SYSCALL_OF(regs);
	enum call_kind kind = kind_of(nr);

	if (task->start_time > safepoint.watched_since || (kind != CALL_WRITES && kind != CALL_ON_PATH))
		return;
	it->off = safepoint.watched_since;
	it->flags = SLICE_BLOCKED;
	it->syscall = nr;
	it->fd = FIRST_ARGUMENT_OF(regs);
	it->stack = -1;
}

static __always_inline void come(struct task_struct *task, u64 now)
{
	struct thread *it = thread_of(task);

	if (!it)
		return lost();
	if (is_new(it))
		note_older_wait(it, task);
	if (it->on && !it->out) {
		repair_leave(it, task, now);
	} else if (is_wait_of_no_interest(it, now)) {
		it->on = now;
		it->off = 0;
	} else {
		take_cpu(it, task, true, now);
	}
	it->ran_from = now - task->se.sum_exec_runtime;
	it->taken_clock = taken_clock(task);
}

// Half of all tasks that switch are idle ones, and so much of them is at hand.
static __always_inline bool is_of_jvm(struct task_struct *task)
{
	return !(task->flags & FLAG_IDLE) && task->tgid == config.tgid;
}

// What is done rarely, here and at wake-ups, is in functions of its own: each switch comes upon
// cold caches, and what is done at each of them takes the fewer lines of them.
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	bool leaves = is_of_jvm(prev), comes = is_of_jvm(next);
	u64 now;

	if (!leaves && !comes && !safepoint.open && !safepoint.tail)
		return 0;
	now = bpf_ktime_get_ns();
	if (safepoint.open || safepoint.tail)
		note_cpu_user(prev, now);
	if (!leaves && !comes)
		return 0;
	count(COUNTER_SWITCHES);
	if (leaves)
		leave(ctx, prev, preempt, now);
	if (comes)
		come(next, now);
	return 0;
}

// Sends the stalls that are not over: user space has it called for each task at the end.
SEC("iter/task")
int standing(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *it;
	u64 now = bpf_ktime_get_ns();

	if (!task || task->tgid != config.tgid || !state_of(task))
		return 0;
	it = thread_of(task);
	if (!it)
		return 0;
	if (is_new(it))
		note_older_wait(it, task);
	if (!it->off || it->on || it->out || it->flags & (SLICE_IDLE | SLICE_STOPPED))
		return 0;
	if (now - it->off < config.stall_us * 1000ULL || !wants_to_go_on(it, task))
		return 0;
	it->flags |= SLICE_STALL;
	send_wait_until(it, task->pid, now);
	return 0;
}
