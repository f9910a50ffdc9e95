/* SPDX-License-Identifier: GPL-2.0-only */
/* What a forked process does first that must hold nothing of the session. */
#ifndef SCOPE_PROC_CHILD_H
#define SCOPE_PROC_CHILD_H

#include <sys/types.h>

/* It ends with the process that forked it, and by nothing that a terminal sends. */
void scope_proc_child_detach(pid_t parent);

/* Of the caller's descriptors fd stays. Its terminal and pipes do not wait for a process that hangs. */
void scope_proc_child_close(int fd);

#endif
