// The few kernel types that the programs look at.
//
// Only the fields named here are used, and every access is relocated against the running kernel's
// BTF (`preserve_access_index`), so neither order, offset nor size need to agree with any kernel.
// Fields that some kernels lack are read behind `bpf_core_field_exists`.
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

#include <linux/bpf.h>
#include <stdbool.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	u64 regs[31];
	u64 sp, pc, pstate;
};
struct pt_regs {
	union {
		struct user_pt_regs user_regs;
		struct {
			u64 regs[31];
			u64 sp, pc, pstate;
		};
	};
	u64 orig_x0;
	s32 syscallno;
};
#endif

typedef struct {
	int counter;
} atomic_t;

struct task_io_accounting {
	u64 write_bytes;
	u64 cancelled_write_bytes;
};

struct signal_struct {
	atomic_t live;
	struct task_io_accounting ioac;
};

struct cfs_bandwidth {
	u64 throttled_time;
};

struct task_group {
	struct task_group *parent;
	struct cfs_bandwidth cfs_bandwidth;
};

// One per CPU. What lies between its two clocks is the time that interrupts and the hypervisor took.
struct rq {
	u64 clock;
	u64 clock_task;
};

// Up to 6.17 a whole run queue is throttled.
struct cfs_rq {
	struct rq *rq; // with group scheduling
	int throttle_count;
};

struct sched_entity {
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	unsigned int __state; // 5.14
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	unsigned int frozen : 1; // 5.2: by the cgroup v2 freezer
	struct sched_entity se;
	struct task_group *sched_task_group;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct signal_struct *signal;
	struct files_struct *files;
	struct task_io_accounting ioac;
	u64 start_time;
	unsigned long min_flt;
	unsigned long maj_flt;
};

struct task_struct___before_5_14 {
	volatile long state;
};

// From 6.18 tasks are throttled one by one, on their way back to user space.
struct task_struct___since_6_18 {
	bool throttled;
};

struct bpf_iter__task { // 5.8
	struct task_struct *task;
};

struct super_block {
	u32 s_dev;
};

struct inode {
	u16 i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct address_space {
	struct inode *host;
};

struct file {
	struct address_space *f_mapping;
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct vm_area_struct {
	struct file *vm_file;
};

// Later kernels have the field in an unnamed struct, which relocation looks into.
struct vm_fault {
	struct vm_area_struct *vma;
};

#pragma clang attribute pop
#endif
