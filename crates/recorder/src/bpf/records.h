// What the programs hand to user space. `src/kernel/record.rs` reads these by offset: change both.
#pragma once

// Who woke a thread from an uninterruptible wait. Where that was for a lock of the kernel, it was held by
// this one; where it was for a device, it is whoever the interrupt came upon.
struct release {
	u32 pid; // 0: nobody is known
	u32 tid;
	s32 call;
};

enum record_kind {
	RECORD_BEGIN = 1, // safepoint__begin
	RECORD_OPERATION, // a VM operation that ended
	RECORD_WAKE,      // the VM thread woke a thread after an operation
	RECORD_END,       // safepoint__end
	RECORD_SLICE,     // a thread's time off a CPU and on it again
	RECORD_WORK,      // kernel work of a thread
	RECORD_WRITER,    // a process that wrote much has exited
	RECORD_CODE,      // where a thread was that had not stopped yet
	RECORD_RUN,       // another process had a CPU in a stop
};

// Every record starts with this.
struct head {
	u16 kind;
	u16 flags;
	u32 tid; // the thread it is about; the process in RECORD_WRITER
	u64 at;  // when; the start where it is about an interval
};

#define OPERATION_NAME 64
#define COMM 16

struct operation {
	struct head head;
	u64 end;
	char name[OPERATION_NAME];
};

enum total { TOTAL_ON_CPU, TOTAL_RUNNABLE, TOTAL_THROTTLED, TOTAL_BLOCKED, TOTAL_WAITING, TOTALS };

struct end {
	struct head head; // at: the end probe
	u64 begin; // 0 where that was before the programs
	u64 cgroup_throttled_ns;
	u64 totals_ns[2][TOTALS]; // reaching, operating
};

// `head.at`: when the thread left its CPU; 0 where that part is not wanted or was sent before.
enum slice_flag {
	SLICE_BLOCKED = 1,   // it had to be woken; otherwise it could have run on
	SLICE_STOPPED = 2,   // by a signal, a tracer or the freezer
	SLICE_THROTTLED = 4, // runnable, but its cgroup's quota was used up
	SLICE_IDLE = 8,      // in a system call that waits for work or for another thread
	SLICE_HICCUP = 16,   // so long that it counts outside of stops as well
	SLICE_FROZEN = 32,   // with SLICE_STOPPED: by a freezer, and not by a signal or a tracer
	SLICE_UNINTERRUPTIBLE = 64, // no signal but SIGKILL ends it
	SLICE_STALL = 128,   // it could not go on though it wanted to, so long that it counts outside of stops
	SLICE_RELEASED = 256, // `holder` is who woke it from an uninterruptible wait, and not who had the CPU
};

struct slice {
	struct head head;
	u64 wake; // when it could run again
	u64 on;   // when it got a CPU
	u64 out;  // when it left that CPU; 0 where it has not yet
	u64 merged_ns; // waits for a CPU inside [on, out) that were too short to keep apart
	s32 stack;     // key into `stacks`, negative where there is none
	s32 syscall;   // -1: page fault
	u32 fd;        // first argument of the system call
	u32 waker;     // thread of this JVM that woke it through a futex
	u64 inode;     // of the file mapping that last faulted; in a stall what the descriptor is open on
	u32 device;    // its device, as the kernel encodes it (12:20)
	u32 holder;    // process that had the CPU longest, where the wait for it was long; 0: unknown.
		       // With SLICE_RELEASED the process that woke the thread
	char holder_name[COMM];
	u64 taken_ns;     // of [on, out): interrupts and the hypervisor had the CPU
	u64 fault_offset; // in the file of counters, where the fault is on it; otherwise NO_OFFSET
	u32 releaser;     // with SLICE_RELEASED: the thread of `holder` that woke it
	s32 release_call; // and in which system call; -1: in none
};

#define NO_OFFSET (~0ULL)

enum work_kind { WORK_RECLAIM, WORK_COMPACTION };

struct work {
	struct head head; // flags: work_kind
	u64 end;
};

// In a stop: the run of a thread of another process on one CPU. `head.tid` is the process, `head.flags`
// the CPU, `head.at` when it got that, or when the stop began.
struct run {
	struct head head;
	u64 end;
	char name[COMM];
};

struct code {
	struct head head;
	u64 address;
};

struct writer {
	struct head head;
	u64 bytes;
	char name[COMM];
	u32 parent; // the process that may wait for it, and then has its bytes counted as well
	u32 unused;
};
