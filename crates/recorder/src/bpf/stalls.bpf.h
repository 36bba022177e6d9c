// Stalls: a thread that cannot go on though it wants to, while the JVM is not stopped. It waits for a disk,
// for whoever reads what it writes, for a CPU, or for a thread of this JVM that itself stalled.
//
// All is decided when the wait is over, so that a short one costs nothing.
#pragma once
#include "hiccups.bpf.h"
#include "task_state.bpf.h"

// Who wakes another thread so long after a stall, at most, is taken for one that had to release it. As
// long before the stall, at most, the other may have begun to wait.
#define RELEASE_NS 10000000
// Of more stalls in 67 ms the rest is counted, and not sent: they must leave room for stops.
#define MOST_STALLS 1024
#define STALLS_SHIFT 26

// Read at every wake-up, and written at the end of a stall.
struct {
	u64 last_end;
	u64 slot; // of MOST_STALLS, and how many it has
	u32 sent;
	u32 unused[11];
} stalls __attribute__((aligned(64))) = {};

static __always_inline bool has_stall_ended(u64 now)
{
	return now < stalls.last_end + RELEASE_NS;
}

// Since when the current thread had stalled, where that was over a moment ago.
static __always_inline u64 stall_of_current(u64 now)
{
	struct thread *it;

	if (!has_stall_ended(now))
		return 0;
	it = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);
	return it && now < it->stall_end + RELEASE_NS ? it->stalled_since : 0;
}

// One stall soon after another is the same to who waits for that thread.
static __always_inline void note_stall(struct thread *it, u64 since, u64 now)
{
	if (it->stall_end + RELEASE_NS < since || since < it->stalled_since)
		it->stalled_since = since;
	it->stall_end = now;
	stalls.last_end = now;
}

#define S_IFMT 0170000
#define S_IFREG 0100000

// Notes what the descriptor is open on, and says whether that is a regular file.
static __noinline bool name_descriptor(struct thread *it, struct task_struct *task)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **all, *file = 0;
	struct inode *inode;

	it->inode = 0;
	if (it->fd >= BPF_CORE_READ(table, max_fds))
		return false;
	all = BPF_CORE_READ(table, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), all + it->fd) || !file)
		return false;
	inode = BPF_CORE_READ(file, f_inode);
	it->inode = BPF_CORE_READ(inode, i_ino);
	it->device = BPF_CORE_READ(inode, i_sb, s_dev);
	return (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFREG;
}

// Whether a thread that is blocked in the kernel wants to go on.
static __always_inline bool wants_to_go_on(struct thread *it, struct task_struct *task)
{
	enum call_kind kind = kind_of(it->syscall);
	bool is_file = (kind == CALL_READS || kind == CALL_WRITES) && name_descriptor(it, task);

	if (it->flags & SLICE_UNINTERRUPTIBLE)
		return kind != CALL_WAITS_FOR_CHILD;
	// A signal may end it: it waits for a server of files, or for who reads what it writes. One that
	// reads anything else waits for work.
	return kind == CALL_WRITES || kind == CALL_ON_PATH || (kind == CALL_READS && is_file);
}

static __always_inline bool is_room(u64 now)
{
	u64 slot = now >> STALLS_SHIFT;

	if (stalls.slot != slot) {
		stalls.slot = slot;
		stalls.sent = 0;
	}
	if (stalls.sent >= MOST_STALLS) {
		count(COUNTER_DROPPED_STALLS);
		return false;
	}
	stalls.sent++;
	return true;
}

// It was idle, and then wanted to go on and got no CPU: of its wait only that is of interest.
static __always_inline void part_from_idleness(struct thread *it)
{
	it->off = it->wake;
	it->flags = 0;
	it->syscall = -1;
	it->stack = -1;
	it->waker = 0;
}

// About the wait that ends now, which is no hiccup.
static __noinline bool is_stall(struct thread *it, struct task_struct *task, u64 now)
{
	u64 least = config.stall_us * 1000ULL, since = it->off;

	if (!least || config.windowless || now - it->off < least || it->flags & SLICE_STOPPED)
		return false;
	if (now - it->wake >= least) {
		if (it->flags & SLICE_THROTTLED)
			return false;
		since = it->wake;
		if (it->flags & SLICE_IDLE && !overlaps_safepoint(it->off))
			part_from_idleness(it);
	} else if (!(it->flags & SLICE_BLOCKED) || it->wake - it->off < least) {
		return false;
	} else if (it->flags & SLICE_IDLE) {
		// The VM thread has stalled who waits for the end of a stop.
		if (!it->waker_stalled || it->waker == safepoint.vm_tid ||
		    it->off + RELEASE_NS < it->waker_stalled)
			return false;
		since = it->waker_stalled;
	} else if (!wants_to_go_on(it, task)) {
		return false;
	}
	note_stall(it, since, now);
	return is_room(now);
}
