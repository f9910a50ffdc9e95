/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process a thread belongs to, what both are called, and its control group. */
#ifndef SCOPE_PROC_TASK_H
#define SCOPE_PROC_TASK_H

#include <stdint.h>

#include <scope/abi.h>

#define SCOPE_TASK_GROUP_BYTES 256

struct scope_proc_task {
	uint32_t tgid;
	char comm[SCOPE_COMM_BYTES];	    /* of the process: of its first thread */
	char group[SCOPE_TASK_GROUP_BYTES]; /* path of its control group, cut at the end; "": none but the top */
};

/* 0; -errno: it has ended, or cannot be read. */
int scope_proc_task_read(uint32_t tid, struct scope_proc_task *ret_task);

#endif
