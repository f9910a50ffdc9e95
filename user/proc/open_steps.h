/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks a name up within a root directory component by component, for kernels without openat2(). */
#ifndef SCOPE_PROC_OPEN_STEPS_H
#define SCOPE_PROC_OPEN_STEPS_H

#include <stdbool.h>

/*
 * Looks up path within the directory root: a descriptor that is not open for reading, or -errno. itself: a link in the
 * last part is not followed. ".." does not leave the root, and a link that begins with a slash starts at the root.
 */
int scope_proc_look_up_by_steps(int root, const char *path, bool itself);

#endif
