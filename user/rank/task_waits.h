/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts the function that runs before those that wait for it, where tasks of a runtime wait for one another. */
#ifndef SCOPE_RANK_TASK_WAITS_H
#define SCOPE_RANK_TASK_WAITS_H

#include <stddef.h>

struct scope_finding;

/*
 * Findings are in their order. A task that waits for a lock, a channel or a group of the program waits for another
 * task. While that one runs, looks show nothing about it. If such a wait comes first, and one function has most of the
 * running time of the excess, that one moves before it.
 */
void scope_rank_task_waits_order(struct scope_finding *finding, size_t count);

#endif
