/* SPDX-License-Identifier: GPL-2.0-only */
/* A deep copy of an event, with all data that the event points to. */
#ifndef SCOPE_TRACE_EVENT_COPY_H
#define SCOPE_TRACE_EVENT_COPY_H

#include <stddef.h>

#include "trace/event.h"

/* The size in bytes of all data that the event points to, each part rounded up to 8. */
size_t scope_trace_event_payload_bytes(const struct scope_event *event);

/*
 * Copies this data to room, which has that size and is aligned to 8, and sets the event's pointers to the copies. NULL
 * stays NULL.
 */
void scope_trace_event_own(struct scope_event *event, void *room);

#endif
