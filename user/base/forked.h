/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process that works on a copy of this process's memory, at the same time and at a lower priority. */
#ifndef SCOPE_BASE_FORKED_H
#define SCOPE_BASE_FORKED_H

#include <stdint.h>
#include <sys/types.h>

/* Like fork(), but the child has a lower priority and is killed when this process ends. It must end with _exit(). */
pid_t scope_forked(void);

/*
 * If a child of scope_forked() has run for 1 s or longer (waited_ns), gives it the priority of usual processes: with a
 * lower one it would never end on a host without a CPU to spare. Without the privilege nothing changes.
 */
void scope_forked_hurry(pid_t child, uint64_t waited_ns);

#endif
