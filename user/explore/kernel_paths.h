/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds where threads sleep below a system call, from their kernel stacks: the search space of probes in the kernel. */
#ifndef SCOPE_EXPLORE_KERNEL_PATHS_H
#define SCOPE_EXPLORE_KERNEL_PATHS_H

#include "explore/call_paths.h"

struct scope_proc_reader;

/* Adds the kernel stacks of the threads of the process and its descendants that are in that call now. */
void scope_explore_kernel_look(uint32_t tgid, uint16_t nr, struct scope_proc_reader *reader,
			       struct scope_call_paths *paths);

#endif
