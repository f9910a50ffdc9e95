/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process each thread belongs to, by the records. */
#ifndef SCOPE_TRACE_OWNER_H
#define SCOPE_TRACE_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/walk.h"

struct scope_owners;

/* 0 or -ENOMEM. Free with scope_trace_owners_destroy(), which takes NULL. */
int scope_trace_owners_create(struct scope_owners **ret_owners);
void scope_trace_owners_destroy(struct scope_owners *owners);

/* From here on thread tid is of process tgid. A tid that Linux never assigns is ignored. */
void scope_trace_owners_put(struct scope_owners *owners, uint32_t tid, uint32_t tgid);

/* Reads a record of one of these types. Returns true if it is a stack of any kind or a STATE record. */
#define SCOPE_OWNERS_TYPES                                                                                             \
	(SCOPE_WALK(STATE) | SCOPE_WALK(FORK) | SCOPE_WALK(EXEC) | SCOPE_WALK(COMM) | SCOPE_WALK(STACK) |              \
	 SCOPE_WALK(CHAIN) | SCOPE_WALK(FRAMES))
bool scope_trace_owners_note(struct scope_owners *owners, const void *record);

/* The process of a thread; 0: no record names it. */
uint32_t scope_trace_owners_get(const struct scope_owners *owners, uint32_t tid);

/*
 * The process from which this one was forked, and whose mappings it has; itself if it existed before, or has called
 * exec.
 */
uint32_t scope_trace_owners_ancestor(const struct scope_owners *owners, uint32_t tgid);

#endif
