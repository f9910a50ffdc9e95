/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process that works on a copy of this one's memory, beside it and after its own work. */
#ifndef SCOPE_BASE_FORKED_H
#define SCOPE_BASE_FORKED_H

#include <stdint.h>
#include <sys/types.h>

/*
 * As fork(). The child is killed when this process ends, and has a lower priority. It must end with _exit().
 */
pid_t scope_forked(void);

/*
 * Gives a child of scope_forked() that has run for 1 s, waited_ns, the priority of usual processes: on a host without a CPU to spare it
 * would come to no end. It never gets more than these. Without the privilege nothing changes.
 */
void scope_forked_hurry(pid_t child, uint64_t waited_ns);

#endif
