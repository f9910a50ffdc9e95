/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives the events of a trace one by one in the order in which they happened, over all CPUs. The entry and the return
 * of a call are two events.
 *
 * In a trace a call that returned without blocking is one event at its return, and the entry of a call that blocked is
 * recorded when its thread leaves the CPU. Between an entry and its event the same thread stays on the CPU, so an entry
 * is never earlier than the last call or switch recorded on that CPU. The order of events is final up to the least such
 * time of all CPUs.
 */
#ifndef SCOPE_EXPORT_ORDER_H
#define SCOPE_EXPORT_ORDER_H

#include "trace/trace.h"

struct scope_order;

/* Begins at the trace's first event; the trace stays the caller's. 0 or -errno. */
int scope_export_order_create(struct scope_trace *trace, struct scope_order **ret_order);
void scope_export_order_destroy(struct scope_order *order); /* NULL is fine */

/*
 * 1 and the next event, 0 at the end, -errno. There are no events of kind SYSCALL: ENTER and EXIT
 * replace it, with the time of each. Pointers are valid until the next call.
 */
int scope_export_order_next(struct scope_order *order, struct scope_event *ret_event);

#endif
