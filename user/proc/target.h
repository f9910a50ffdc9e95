/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that a pid from the user selects: checks that the process can be traced, and finds its descendants. */
#ifndef SCOPE_PROC_TARGET_H
#define SCOPE_PROC_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include <scope/abi.h>

#include "base/error.h"

struct scope_target {
	uint32_t tgid;
	char comm[SCOPE_COMM_BYTES];
	char note[800]; /* a sentence for the user ("4243 is a thread of 4242 ..."), or "" */
};

/*
 * 0; or, with error filled, -ESRCH (there is no such process, or it has ended, or is a zombie) or -EINVAL (a kernel
 * thread, or not a process number). A thread's number means its process.
 */
int scope_proc_target_find(uint32_t pid, struct scope_error *error, struct scope_target *ret_target);

/*
 * The process and all its descendants that live now, target first, the others in ascending order.
 * The caller frees. 0 or -errno.
 */
int scope_proc_target_tree(uint32_t tgid, uint32_t **ret_tgids, size_t *ret_count);

#endif
