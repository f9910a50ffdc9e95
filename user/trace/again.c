// SPDX-License-Identifier: GPL-2.0-only
/* Reads again the stack of an event that was read before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/trace_internal.h"

static int open_frame(struct scope_trace *trace, uint64_t frame, const struct scope_trace_again **ret_again)
{
	const struct scope_frame *head = (const void *)(trace->data + frame);
	struct scope_trace_again *again;
	int err;

	if (!scope_trace_is_cpu(head->cpu))
		return -EBADMSG;
	if (scope_grow(&trace->again, &trace->again_capacity, head->cpu + 1ul, sizeof(*again)))
		return -ENOMEM;
	while (trace->agains <= head->cpu)
		memset(&trace->again[trace->agains++], 0, sizeof(*again));
	again = &trace->again[head->cpu];
	if (again->frame != frame) {
		again->frame = 0;
		again->data = NULL;
		/* Restoring all its records would take as long as the rest of a report. */
		err = head->flags & SCOPE_FRAME_COLUMNS
			      ? scope_trace_rests(trace, frame, &again->buffer, &again->capacity, &again->rests)
			      : scope_trace_payload(trace, frame, &again->buffer, &again->capacity, &again->data);
		if (err)
			return err;
		scope_trace_touched(trace, head->payload_bytes);
		again->bytes = head->raw_bytes;
		again->frame = frame;
	}
	*ret_again = again;
	return 0;
}

/* Returns `bytes` bytes at that offset of the sub-buffer; NULL: they are not there, or are not those of a stack. */
static const uint8_t *find(const struct scope_trace_again *again, uint64_t from, uint64_t bytes)
{
	const struct scope_columns_rest *rest;

	if (from + bytes > again->bytes)
		return NULL;
	if (again->data)
		return again->data + from;
	rest = scope_trace_columns_find_rest(&again->rests, from, bytes);
	return rest ? again->buffer + rest->at + (from - rest->from) : NULL;
}

int scope_trace_stack_at(struct scope_trace *trace, const struct scope_trace_place *place, struct scope_event *event)
{
	const uint64_t words = event->stack.ips ? event->stack.ips : event->stack.regs;
	const uint64_t more = event->flags & SCOPE_STACK_KERNEL_IP ? sizeof(event->stack.kernel_ip) : 0;
	/* A CHAIN may have only the kernel's address. */
	const bool chain = event->stack.ips || (!event->stack.regs && !event->stack.bytes);
	const uint64_t first_bytes = words * 8 + (chain ? more : 0);
	const uint64_t bytes = event->stack.bytes + (chain ? 0 : more);
	const struct scope_trace_again *again;
	const uint8_t *first = NULL, *data = NULL;
	int err = open_frame(trace, place->frame, &again);

	if (err)
		return err;
	if (first_bytes)
		first = find(again, place->first, first_bytes);
	if (bytes)
		data = find(again, place->data, bytes);
	if ((first_bytes && !first) || (bytes && !data))
		return -EBADMSG;
	event->stack.ip = event->stack.reg = (const uint64_t *)first;
	event->stack.data = data;
	if (more && chain)
		event->stack.kernel_ip = event->stack.ip[event->stack.ips];
	else if (more)
		memcpy(&event->stack.kernel_ip, event->stack.data + event->stack.bytes, more);
	return 0;
}

void scope_trace_again_destroy(struct scope_trace *trace)
{
	for (size_t i = 0; i < trace->agains; i++) {
		free(trace->again[i].buffer);
		free(trace->again[i].rests.rest);
	}
	free(trace->again);
}
