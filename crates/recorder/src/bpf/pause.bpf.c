// The kernel side of the recorder: safepoint windows of one JVM and what its threads did in them.
//
// Nothing here needs kprobes, and nothing slows a system call. Each header is one topic.
#include "vmlinux.h"
#include "state.bpf.h"
#include "scheduler.bpf.h"
#include "waking.bpf.h"
#include "windows.bpf.h"
#include "kernel_work.bpf.h"
#include "code.bpf.h"

char LICENSE[] SEC("license") = "GPL";
