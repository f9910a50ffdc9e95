/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a thread's process, the names of both, and the control group. */
#ifndef SCOPE_PROC_TASK_H
#define SCOPE_PROC_TASK_H

#include <stdint.h>

#include <scope/abi.h>

#define SCOPE_TASK_GROUP_BYTES 256

struct scope_proc_task {
	uint32_t tgid;
	char comm[SCOPE_COMM_BYTES];	    /* name of the process, which is that of its first thread */
	char group[SCOPE_TASK_GROUP_BYTES]; /* path of its control group, cut at the end; "": only the top group */
};

/* 0, or -errno: the thread has ended, or cannot be read. */
int scope_proc_task_read(uint32_t tid, struct scope_proc_task *ret_task);

/*
 * CPU time of a thread so far, according to the kernel's scheduler, ns. 0, or -errno: it has ended, or the kernel does
 * not report it.
 */
int scope_proc_task_run_ns(uint32_t tgid, uint32_t tid, uint64_t *ret_run_ns);

#endif
