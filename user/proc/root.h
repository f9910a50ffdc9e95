/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds the root directory of a process, so that its files can still be read once it has ended.
 *
 * Its mount namespace is held, too, because the kernel unmounts all mounts of a namespace that no process uses any
 * more.
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
 * Call it repeatedly, because the process may change its root. The path stays the same. If the process has ended, or
 * may not be read, the last root is kept.
 */
void scope_proc_root_hold(struct scope_proc_root *root, uint32_t tgid);
void scope_proc_root_release(struct scope_proc_root *root); /* may be called more than once */

#endif
