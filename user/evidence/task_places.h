/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attributes the time for which tasks of requests waited outside of any thread (unit/held_request.h) to places where tasks waited then.
 *
 * A look at a process says how many of its tasks wait in each place, and not for which request. Tasks that wait for a request are
 * there while requests wait, and others, such as those that wait for the next request or that do something now and then, are
 * not more often there then. So the number of tasks in a place counts by the correlation of its changes, from look to look, with
 * those of the number of requests that wait, and less the number that is always there.
 */
#ifndef SCOPE_EVIDENCE_TASK_PLACES_H
#define SCOPE_EVIDENCE_TASK_PLACES_H

#include "evidence/attribute.h"
#include "evidence/task_rows.h"

/* Adds items to the attributor's evidence. 0 or -ENOMEM. */
int scope_evidence_task_places_collect(struct scope_attributor *attributor, const struct scope_task_rows *looks);

#endif
