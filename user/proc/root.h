/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a process as it sees them, held so that they can still be read once it has ended.
 *
 * Its root directory is held, and its mount namespace too: a namespace that nobody is in any more
 * is taken apart, and what was mounted below the root goes with it.
 */
#ifndef SCOPE_PROC_ROOT_H
#define SCOPE_PROC_ROOT_H

#include <stdint.h>

struct scope_proc_root {
	int root, mounts; /* descriptors; -1: not held */
	char path[32];	  /* of the root, for this process and what it forks; "": not held */
};

#define SCOPE_PROC_ROOT_NONE ((struct scope_proc_root){ .root = -1, .mounts = -1 })

/*
 * To be called again now and then: it may change its root. The path stays the same. Of a process that
 * has ended, or may not be asked, what is held already remains.
 */
void scope_proc_root_hold(struct scope_proc_root *root, uint32_t tgid);
void scope_proc_root_release(struct scope_proc_root *root); /* more than once is fine */

#endif
