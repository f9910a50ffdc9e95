/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes the time for which held requests waited to functions that work for them. */
#ifndef SCOPE_EVIDENCE_HELD_WAITS_H
#define SCOPE_EVIDENCE_HELD_WAITS_H

#include "evidence/attribute.h"
#include "evidence/task_rows.h"

/*
 * A request that waits between two turns of an event loop (unit/held_request.h) waits in no thread, and no stack shows
 * where: the function that asked for the wait has returned. The stacks of the work for such requests, before and after,
 * show which function works for them. It is the innermost one in half of these stacks or more that is at least twice as
 * frequent in them as in those of usual requests; if none is, the innermost one in half of both, which handles all
 * requests alike.
 *
 * looks: those at the tasks of processes that have such, whose time is attributed by these (evidence/task_places.h). 0 or -ENOMEM.
 */
int scope_evidence_held_waits_collect(struct scope_attributor *attributor, const struct scope_task_rows *looks);

#endif
