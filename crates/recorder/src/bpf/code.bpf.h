// Which code the threads run that have not stopped a while after they were asked to.
//
// A clock of each CPU asks. The registers of a thread of Java tell the method by its address; the
// callers cannot be told, because compiled Java keeps no frame pointer.
#pragma once
#include "state.bpf.h"

// Whoever stops earlier is not late: `MIN_LATE` of the cause `late-java-thread`.
#define LATE_NS 1000000

SEC("perf_event")
int on_clock(struct pt_regs *ctx)
{
	u64 address = ADDRESS_OF(ctx), begin, now;
	struct code *record;

	if (!safepoint.open || safepoint.phase || !is_jvm_current())
		return 0;
	// An address of the kernel says nothing of Java.
	if ((s64)address < 0)
		return 0;
	begin = safepoint.begin;
	now = bpf_ktime_get_ns();
	// Until the begin is written it is that of the last one, which has ended.
	if (begin <= safepoint.end || now < begin + LATE_NS)
		return 0;
	record = RESERVE(struct code);
	if (!record) {
		lost();
		return 0;
	}
	set_head(&record->head, RECORD_CODE, 0, (u32)bpf_get_current_pid_tgid(), now);
	record->address = address;
	submit(record);
	return 0;
}
