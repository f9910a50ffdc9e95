/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a trace one by one as they happened: a call entered, a call returned, in order of
 * time over all CPUs.
 *
 * In a trace a call that returned at once is one event, told as it returns, and the entry of one that
 * blocked is told as its thread leaves the CPU. Between an entry and the event that tells it the same
 * thread stays on the CPU, so an entry is never earlier than the last call, or switch, told there: up
 * to then, on the CPU that is farthest behind, events are final.
 */
#ifndef SCOPE_EXPORT_ORDER_H
#define SCOPE_EXPORT_ORDER_H

#include "trace/trace.h"

struct scope_order;

/* Runs through the trace from its first event on; it stays the caller's. 0 or -errno. */
int scope_export_order_create(struct scope_trace *trace, struct scope_order **ret_order);
void scope_export_order_destroy(struct scope_order *order); /* NULL is fine */

/*
 * 1 and the next event, 0 at the end, -errno. There are no events of kind SYSCALL: ENTER and EXIT
 * stand for it, with the time of each. Pointers hold until the next call.
 */
int scope_export_order_next(struct scope_order *order, struct scope_event *ret_event);

#endif
