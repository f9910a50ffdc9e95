// SPDX-License-Identifier: GPL-2.0-only
/* Gives the events of a trace one by one in the order of their times. */
#include "export/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/event_copy.h"

#define HELD_MAX (1u << 20) /* of more events the oldest are given in any case */

/* An event with a copy of the data of its pointers. */
struct held {
	struct scope_event event;
	uint64_t number; /* events of equal time keep their order */
	void *payload;
};

struct lane {
	bool running;	  /* a traced thread is on the CPU, so an entry may come late */
	uint64_t sure_ns; /* no entry earlier than this will come */
};

struct scope_order {
	struct scope_trace *trace;
	struct held *heap; /* the earliest on top */
	size_t held, capacity;
	struct lane *lane;
	size_t lanes, lane_capacity;
	uint64_t number, now_ns, last_ns;
	bool ended;
	void *payload; /* data of the last event that was given */
};

int scope_export_order_create(struct scope_trace *trace, struct scope_order **ret_order)
{
	struct scope_order *order = calloc(1, sizeof(*order));
	int err;

	if (!order)
		return -ENOMEM;
	order->trace = trace;
	err = scope_trace_rewind(trace);
	if (err) {
		free(order);
		return err;
	}
	*ret_order = order;
	return 0;
}

void scope_export_order_destroy(struct scope_order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->held; i++)
		free(order->heap[i].payload);
	free(order->heap);
	free(order->lane);
	free(order->payload);
	free(order);
}

static bool earlier(const struct held *a, const struct held *b)
{
	if (a->event.time_ns != b->event.time_ns)
		return a->event.time_ns < b->event.time_ns;
	return a->number < b->number;
}

static void push(struct scope_order *order, const struct held *held)
{
	size_t at = order->held++;

	while (at && earlier(held, &order->heap[(at - 1) / 2])) {
		order->heap[at] = order->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	order->heap[at] = *held;
}

static struct held pop(struct scope_order *order)
{
	struct held top = order->heap[0], last = order->heap[--order->held];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < order->held) {
		if (child + 1 < order->held && earlier(&order->heap[child + 1], &order->heap[child]))
			child++;
		if (!earlier(&order->heap[child], &last))
			break;
		order->heap[at] = order->heap[child];
		at = child;
	}
	order->heap[at] = last;
	return top;
}

/* Copies the data of the event; NULL if it points to none. 0 or -ENOMEM. */
static int own(struct scope_event *event, void **ret_payload)
{
	const size_t bytes = scope_trace_event_payload_bytes(event);

	*ret_payload = bytes ? malloc(bytes) : NULL;
	if (bytes && !*ret_payload)
		return -ENOMEM;
	scope_trace_event_own(event, *ret_payload);
	return 0;
}

static int hold(struct scope_order *order, const struct scope_event *event)
{
	struct held held = { .event = *event, .number = order->number++ };

	if (scope_grow(&order->heap, &order->capacity, order->held + 1, sizeof(*order->heap)) ||
	    own(&held.event, &held.payload))
		return -ENOMEM;
	push(order, &held);
	return 0;
}

static struct lane *get_lane(struct scope_order *order, uint32_t cpu)
{
	if (scope_grow(&order->lane, &order->lane_capacity, cpu + 1, sizeof(*order->lane)))
		return NULL;
	while (order->lanes <= cpu)
		order->lane[order->lanes++] = (struct lane){ 0 };
	return &order->lane[cpu];
}

/* Adds one event of the trace, a complete call as two. */
static int take(struct scope_order *order, const struct scope_event *event)
{
	struct lane *lane = get_lane(order, event->cpu);
	struct scope_event part = *event;
	int err = 0;

	if (!lane)
		return -ENOMEM;
	order->now_ns = event->time_ns;
	if (event->kind == SCOPE_EVENT_SYSCALL || event->kind == SCOPE_EVENT_ENTER) {
		part.kind = SCOPE_EVENT_ENTER;
		part.time_ns = event->syscall.enter_ns;
		err = hold(order, &part);
	}
	if (event->kind == SCOPE_EVENT_SYSCALL) {
		part.kind = SCOPE_EVENT_EXIT;
		part.time_ns = event->time_ns;
		part.syscall.args = 0;
		err = err ? err : hold(order, &part);
	} else if (event->kind != SCOPE_EVENT_ENTER) {
		err = hold(order, event);
	}
	switch (event->kind) {
	case SCOPE_EVENT_SWITCH:
		lane->running = event->sched.next_tid != 0;
		lane->sure_ns = event->time_ns;
		break;
	case SCOPE_EVENT_SYSCALL:
	case SCOPE_EVENT_ENTER:
	case SCOPE_EVENT_EXIT:
		lane->running = true;
		lane->sure_ns = event->time_ns;
		break;
	}
	return err;
}

/* True if no event can still come that is earlier than the earliest one held. */
static bool top_is_sure(const struct scope_order *order)
{
	uint64_t sure_ns = order->now_ns;

	if (order->ended || order->held > HELD_MAX)
		return true;
	for (size_t i = 0; i < order->lanes; i++)
		if (order->lane[i].running && order->lane[i].sure_ns < sure_ns)
			sure_ns = order->lane[i].sure_ns;
	return order->heap[0].event.time_ns <= sure_ns;
}

int scope_export_order_next(struct scope_order *order, struct scope_event *ret_event)
{
	struct held top;

	free(order->payload);
	order->payload = NULL;
	while (!order->held || !top_is_sure(order)) {
		struct scope_event event;
		int more, err;

		if (order->ended)
			return 0;
		more = scope_trace_next(order->trace, &event);
		if (more < 0)
			return more;
		order->ended = !more;
		err = more ? take(order, &event) : 0;
		if (err)
			return err;
	}
	top = pop(order);
	order->payload = top.payload;
	/* The first call of a CPU may have been entered before the first record of that CPU. */
	if (top.event.time_ns < order->last_ns)
		top.event.time_ns = order->last_ns;
	order->last_ns = top.event.time_ns;
	*ret_event = top.event;
	return 1;
}
