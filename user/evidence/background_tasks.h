/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Goroutines that work for no request.
 *
 * A thread that runs a request's goroutine may run others before it looks for news again, and then their time is in the request's unit. One that
 * sleeps by a timer between its rounds, as what keeps a cache fresh does, and is never seen to wait for a peer, serves nobody: what it
 * runs is no reason why the request took long, unless goroutines wait for locks, of which it may hold one.
 */
#ifndef SCOPE_EVIDENCE_BACKGROUND_TASKS_H
#define SCOPE_EVIDENCE_BACKGROUND_TASKS_H

#include "evidence/evidence.h"
#include "evidence/task_rows.h"

/* Marks items of units in which such goroutines run. 0 or -ENOMEM. */
int scope_evidence_background_tasks_mark(const struct scope_task_rows *rows, struct scope_evidence *evidence);

#endif
