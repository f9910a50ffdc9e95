/* SPDX-License-Identifier: GPL-2.0-only */
/* First steps of a forked process that must not hold anything of the session. */
#ifndef SCOPE_PROC_CHILD_H
#define SCOPE_PROC_CHILD_H

#include <sys/types.h>

/* This process will end with the process that forked it, and ignores signals of the terminal. */
void scope_proc_child_detach(pid_t parent);

/*
 * Closes all of the caller's descriptors but fd, so that no program waits for a terminal or pipe that a hanging process
 * holds.
 */
void scope_proc_child_close(int fd);

/*
 * Drops all capabilities but those that reading other processes may need. Does nothing without CAP_SYS_PTRACE: then the
 * kernel lets this process read only processes of its own user that have no capability which this process lacks.
 */
void scope_proc_child_drop_capabilities(void);

#endif
