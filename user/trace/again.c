// SPDX-License-Identifier: GPL-2.0-only
/* Reads again the stack of an event that was read before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/trace_internal.h"

/*
 * Several steps of a report ask for the stacks, each in order of time, so decompressed stacks are kept for the next
 * step, up to this limit. Further ones are kept only until the next sub-buffer of their CPU. Older ones are not dropped
 * for newer ones, because the next step begins with the oldest.
 */
#define KEPT_BYTES_MAX (32u << 20) /* no rule: memory against time */

struct scope_trace_kept {
	uint64_t frame;
	const uint8_t *data; /* all `bytes` bytes of the sub-buffer; NULL: only the rests are kept, after `rest` */
	size_t bytes, size;
	size_t rests;
	struct scope_columns_rest rest[];
};

/* The data after the rests is read as words, so it is aligned. */
static size_t rests_size(size_t rests)
{
	return (rests * sizeof(struct scope_columns_rest) + 7) & ~(size_t)7;
}

/* Allocates one with room for `rests` rests and `bytes` bytes after the struct. */
static struct scope_trace_kept *make(uint64_t frame, uint64_t raw_bytes, size_t rests, size_t bytes)
{
	const size_t size = sizeof(struct scope_trace_kept) + rests_size(rests) + bytes;
	struct scope_trace_kept *kept = malloc(size);

	if (kept) {
		kept->frame = frame;
		kept->data = NULL;
		kept->bytes = raw_bytes;
		kept->size = size;
		kept->rests = rests;
	}
	return kept;
}

static uint8_t *bytes_of(struct scope_trace_kept *kept)
{
	return (uint8_t *)kept->rest + rests_size(kept->rests);
}

/* Copies trace->rests. NULL: no memory. */
static struct scope_trace_kept *copy_rests(const struct scope_trace *trace, uint64_t frame)
{
	const struct scope_frame *head = (const void *)(trace->data + frame);
	const struct scope_trace_columns_rests *rests = &trace->rests;
	struct scope_trace_kept *kept = make(frame, head->raw_bytes, rests->count, rests->bytes);

	if (kept && rests->count) {
		memcpy(kept->rest, rests->rest, rests->count * sizeof(*rests->rest));
		memcpy(bytes_of(kept), rests->data, rests->bytes);
	}
	return kept;
}

/* Restoring all records of a sub-buffer in columns would take as long as the rest of a report. */
static int read_rests(struct scope_trace *trace, uint64_t frame, struct scope_trace_kept **ret_kept)
{
	int err = scope_trace_rests(trace, frame, &trace->again_buffer, &trace->again_buffer_capacity, &trace->rests);

	if (err)
		return err;
	*ret_kept = copy_rests(trace, frame);
	return *ret_kept ? 0 : -ENOMEM;
}

static int read_all(struct scope_trace *trace, uint64_t frame, struct scope_trace_kept **ret_kept)
{
	const struct scope_frame *head = (const void *)(trace->data + frame);
	const uint8_t *data;
	struct scope_trace_kept *kept;
	int err = scope_trace_payload(trace, frame, &trace->again_buffer, &trace->again_buffer_capacity, NULL, &data);
	const bool mapped = !err && data != trace->again_buffer;

	if (err)
		return err;
	kept = make(frame, head->raw_bytes, 0, mapped ? 0 : head->raw_bytes);
	if (!kept)
		return -ENOMEM;
	kept->data = mapped ? data : memcpy(bytes_of(kept), data, head->raw_bytes);
	*ret_kept = kept;
	return 0;
}

/* The first kept sub-buffer that is not before that frame. */
static size_t place_of(const struct scope_trace_again *again, uint64_t frame)
{
	size_t low = 0, high = again->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (again->kept[middle]->frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* There is room in again->kept. */
static void insert(struct scope_trace *trace, struct scope_trace_again *again, struct scope_trace_kept *kept)
{
	const size_t at = place_of(again, kept->frame);

	memmove(&again->kept[at + 1], &again->kept[at], (again->count++ - at) * sizeof(*again->kept));
	again->kept[at] = again->last = kept;
	trace->kept_bytes += kept->size;
}

static int keep(struct scope_trace *trace, struct scope_trace_again *again, uint64_t frame)
{
	const struct scope_frame *head = (const void *)(trace->data + frame);
	struct scope_trace_kept *kept;
	int err;

	if (scope_grow(&again->kept, &again->capacity, again->count + 1, sizeof(*again->kept)))
		return -ENOMEM;
	err = head->flags & SCOPE_FRAME_COLUMNS ? read_rests(trace, frame, &kept) : read_all(trace, frame, &kept);
	if (err)
		return err;
	scope_trace_touched(trace, head->payload_bytes);
	if (trace->kept_bytes + kept->size > KEPT_BYTES_MAX) {
		free(again->passing);
		again->last = again->passing = kept;
		return 0;
	}
	insert(trace, again, kept);
	return 0;
}

/* Finds what is kept for the CPU of a frame. -EBADMSG, -ENOMEM. */
static int again_of(struct scope_trace *trace, uint64_t frame, struct scope_trace_again **ret_again)
{
	const struct scope_frame *head = (const void *)(trace->data + frame);

	if (!scope_trace_is_cpu(head->cpu))
		return -EBADMSG;
	if (scope_grow(&trace->again, &trace->again_capacity, head->cpu + 1ul, sizeof(*trace->again)))
		return -ENOMEM;
	while (trace->agains <= head->cpu)
		trace->again[trace->agains++] = (struct scope_trace_again){ 0 };
	*ret_again = &trace->again[head->cpu];
	return 0;
}

void scope_trace_keep_stacks(struct scope_trace *trace)
{
	trace->keeps_stacks = true;
}

int scope_trace_again_keep(struct scope_trace *trace, uint64_t frame)
{
	const struct scope_trace_columns_rests *rests = &trace->rests;
	struct scope_trace_kept *kept;
	struct scope_trace_again *again;
	size_t at;
	int err = again_of(trace, frame, &again);

	if (err || trace->kept_bytes + sizeof(*kept) + rests_size(rests->count) + rests->bytes > KEPT_BYTES_MAX)
		return err;
	at = place_of(again, frame);
	if (at < again->count && again->kept[at]->frame == frame)
		return 0;
	if (scope_grow(&again->kept, &again->capacity, again->count + 1, sizeof(*again->kept)))
		return -ENOMEM;
	kept = copy_rests(trace, frame);
	if (!kept)
		return -ENOMEM;
	insert(trace, again, kept);
	return 0;
}

static int open_frame(struct scope_trace *trace, uint64_t frame, struct scope_trace_kept **ret_kept)
{
	struct scope_trace_again *again;
	int err = again_of(trace, frame, &again);

	if (err)
		return err;
	if (!again->last || again->last->frame != frame) {
		const size_t at = place_of(again, frame);

		if (at < again->count && again->kept[at]->frame == frame)
			again->last = again->kept[at];
		else if (again->passing && again->passing->frame == frame)
			again->last = again->passing;
		else
			err = keep(trace, again, frame);
	}
	*ret_kept = again->last;
	return err;
}

/* Returns the `bytes` bytes at that offset of the sub-buffer; NULL: they are not kept, or do not belong to a stack. */
static const uint8_t *find(struct scope_trace_kept *kept, uint64_t from, uint64_t bytes)
{
	const struct scope_columns_rest *rest;

	if (from + bytes > kept->bytes)
		return NULL;
	if (kept->data)
		return kept->data + from;
	rest = scope_trace_columns_find_rest(kept->rest, kept->rests, from, bytes);
	return rest ? bytes_of(kept) + rest->at + (from - rest->from) : NULL;
}

int scope_trace_stack_at(struct scope_trace *trace, const struct scope_trace_place *place, struct scope_event *event)
{
	const uint64_t words = event->stack.ips ? event->stack.ips : event->stack.regs;
	const uint64_t more = event->flags & SCOPE_STACK_KERNEL_IP ? sizeof(event->stack.kernel_ip) : 0;
	/* A CHAIN may have only the kernel's address. */
	const bool chain = event->stack.ips || (!event->stack.regs && !event->stack.bytes);
	const uint64_t first_bytes = words * 8 + (chain ? more : 0);
	const uint64_t bytes = event->stack.bytes + (chain ? 0 : more);
	struct scope_trace_kept *kept;
	const uint8_t *first = NULL, *data = NULL;
	int err = open_frame(trace, place->frame, &kept);

	if (err)
		return err;
	if (first_bytes)
		first = find(kept, place->first, first_bytes);
	if (bytes)
		data = find(kept, place->data, bytes);
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
		for (size_t j = 0; j < trace->again[i].count; j++)
			free(trace->again[i].kept[j]);
		free(trace->again[i].kept);
		free(trace->again[i].passing);
	}
	free(trace->again);
	free(trace->again_buffer);
	free(trace->rests.rest);
}
