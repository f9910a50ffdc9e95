/* SPDX-License-Identifier: GPL-2.0-only */
/* A copy of an event that is its holder's own, with all that the event points to. */
#ifndef SCOPE_TRACE_EVENT_COPY_H
#define SCOPE_TRACE_EVENT_COPY_H

#include <stddef.h>

#include "trace/event.h"

/* How many bytes the things take that the event points to, each rounded up to 8. */
size_t scope_trace_event_payload_bytes(const struct scope_event *event);

/* Copies them to room, of that size and aligned to 8, and lets the event point there. NULL stays NULL. */
void scope_trace_event_own(struct scope_event *event, void *room);

#endif
