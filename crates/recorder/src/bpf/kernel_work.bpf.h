// Kernel work that a thread does on its own account: freeing and moving memory, reading files in.
// Everything here is optional.
#pragma once
#include "hiccups.bpf.h"

static __always_inline int work_begin(u32 kind)
{
	struct thread *it;

	if (!is_jvm_current())
		return 0;
	it = thread_of(bpf_get_current_task_btf());
	if (it)
		it->work_since[kind] = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int work_end(u32 kind)
{
	struct thread *it;
	struct work *record;
	u64 since, now;

	if (!is_jvm_current())
		return 0;
	it = thread_of(bpf_get_current_task_btf());
	if (!it || !it->work_since[kind])
		return 0;
	since = it->work_since[kind];
	it->work_since[kind] = 0;
	now = bpf_ktime_get_ns();
	if (!overlaps_safepoint(since) && now - since < HICCUP_NS)
		return 0;
	record = RESERVE(struct work);
	if (!record) {
		lost();
		return 0;
	}
	set_head(&record->head, RECORD_WORK, kind, (u32)bpf_get_current_pid_tgid(), since);
	record->end = now;
	submit(record);
	return 0;
}

SEC("raw_tp/mm_vmscan_direct_reclaim_begin")
int reclaim_begin(void *ctx)
{
	return work_begin(WORK_RECLAIM);
}

SEC("raw_tp/mm_vmscan_direct_reclaim_end")
int reclaim_end(void *ctx)
{
	return work_end(WORK_RECLAIM);
}

SEC("raw_tp/mm_vmscan_memcg_reclaim_begin")
int memcg_reclaim_begin(void *ctx)
{
	return work_begin(WORK_RECLAIM);
}

SEC("raw_tp/mm_vmscan_memcg_reclaim_end")
int memcg_reclaim_end(void *ctx)
{
	return work_end(WORK_RECLAIM);
}

SEC("raw_tp/mm_compaction_begin")
int compaction_begin(void *ctx)
{
	return work_begin(WORK_COMPACTION);
}

SEC("raw_tp/mm_compaction_end")
int compaction_end(void *ctx)
{
	return work_end(WORK_COMPACTION);
}

// Names the file whose page the thread is about to wait for.
static __always_inline int fault_on(struct address_space *mapping)
{
	struct thread *it = thread_of(bpf_get_current_task_btf());
	struct inode *inode;

	if (!it)
		return 0;
	inode = BPF_CORE_READ(mapping, host);
	it->inode = BPF_CORE_READ(inode, i_ino);
	it->device = BPF_CORE_READ(inode, i_sb, s_dev);
	return 0;
}

// One of these two. Both are on the faults of all processes on mapped files, so whose fault it is
// comes first.

SEC("raw_tp/mm_filemap_fault") // 6.12
int file_fault(struct bpf_raw_tracepoint_args *ctx)
{
	if (!is_jvm_current())
		return 0;
	return fault_on((struct address_space *)ctx->args[0]);
}

SEC("fentry/filemap_fault") // before; file systems with a handler of their own call it
int BPF_PROG(file_fault_entry, struct vm_fault *fault)
{
	if (!is_jvm_current())
		return 0;
	return fault_on(BPF_CORE_READ(fault, vma, vm_file, f_mapping));
}

// A process that writes much and lives shortly (`dd` in a loop) would be missed by looking
// through /proc every now and then.
#define WRITER_BYTES (1024 * 1024)
// Bytes dirtied and then truncated away were never written.
#define WRITTEN(io) ((s64)((io).write_bytes - (io).cancelled_write_bytes))

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct writer *record;
	s64 bytes;

	if (task->signal->live.counter != 0 || !bpf_core_field_exists(task->ioac.write_bytes))
		return 0;
	// Threads that are gone are in the sum of the process, this one and the leader are not yet.
	bytes = WRITTEN(task->signal->ioac) + WRITTEN(task->ioac);
	if (task->pid != task->tgid)
		bytes += WRITTEN(task->group_leader->ioac);
	if (bytes < WRITER_BYTES)
		return 0;
	record = RESERVE(struct writer);
	if (!record) {
		lost();
		return 0;
	}
	set_head(&record->head, RECORD_WRITER, 0, task->tgid, bpf_ktime_get_ns());
	record->bytes = bytes;
	record->parent = task->group_leader->real_parent->tgid;
	record->unused = 0;
	// The leader's name is the process's.
	bpf_probe_read_kernel_str(record->name, COMM, task->group_leader->comm);
	submit(record);
	return 0;
}
