/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the names of untraced threads that took the CPU from traced ones, or woke them. */
#ifndef SCOPE_CAPTURE_OTHERS_H
#define SCOPE_CAPTURE_OTHERS_H

#include "trace/walk.h"

struct scope_others;
struct scope_writer;

int scope_capture_others_create(struct scope_others **ret_others); /* 0 or -ENOMEM */
void scope_capture_others_destroy(struct scope_others *others);	   /* NULL is fine */

/* Notes such a thread when it occurs for the first time in a record of these types. */
#define SCOPE_OTHERS_TYPES (SCOPE_WALK(SWITCH) | SCOPE_WALK(WAKING_FROM))
void scope_capture_others_note(struct scope_others *others, const void *record);

/* Writes SCOPE_META_TASK for each noted thread that has not ended. 0, or -errno of the writer. */
int scope_capture_others_write(struct scope_others *others, struct scope_writer *writer);
/*
 * At the end: writes SCOPE_META_TASK_RAN for each that has not ended: for how long it ran since its row was written. 0,
 * or -errno of the writer.
 */
int scope_capture_others_end(const struct scope_others *others, struct scope_writer *writer);

#endif
