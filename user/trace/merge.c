// SPDX-License-Identifier: GPL-2.0-only
/* Give the events of all CPUs in order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/decode.h"
#include "trace/reader.h"

/* One CPU's place in the trace, with at most one sub-buffer decompressed. */
struct cursor {
	struct scope_decoder decoder;
	const struct scope_trace_cpu *index;
	uint32_t cpu;
	size_t next; /* frame to open when this sub-buffer is done */
	uint8_t *buffer;
	size_t buffer_capacity;
	uint64_t number, lost; /* expected of the next sub-buffer; lost before the last one */
	uint64_t lost_count;
	bool lost_pending; /* tell it before the first event of this sub-buffer */
	bool broken;	   /* part of the sub-buffer before was not read */
};

/* A CPU that waits. Its key stands here, so that comparing does not touch the cursors. */
struct waiting {
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t cursor;
};

/*
 * The heap holds the CPUs that wait; the current one runs on as long as its next event comes before
 * limit_ns, the time of the earliest that waits. Work per event does not grow with CPUs then, only
 * work per change of CPU does.
 */
struct scope_merge {
	struct cursor *current; /* NULL at the end */
	uint64_t limit_ns;
	struct waiting *heap;
	size_t waiting;
	size_t cpus;
	struct cursor cursor[];
};

/* Of two events at the same time that of the lower CPU goes first. */
static bool earlier(const struct waiting *a, const struct waiting *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->cpu < b->cpu);
}

static struct waiting waiting_of(const struct scope_merge *merge, const struct cursor *cursor)
{
	return (struct waiting){
		.time_ns = cursor->decoder.next_ns,
		.cpu = cursor->cpu,
		.cursor = cursor - merge->cursor,
	};
}

/* Puts an entry in the place of the first. */
static void sift_down(struct scope_merge *merge, struct waiting entry)
{
	struct waiting *heap = merge->heap;
	size_t place = 0, child;

	while ((child = 2 * place + 1) < merge->waiting) {
		if (child + 1 < merge->waiting && earlier(&heap[child + 1], &heap[child]))
			child++;
		if (!earlier(&heap[child], &entry))
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = entry;
}

static void push(struct scope_merge *merge, struct waiting entry)
{
	struct waiting *heap = merge->heap;
	size_t place = merge->waiting++;

	while (place && earlier(&entry, &heap[(place - 1) / 2])) {
		heap[place] = heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap[place] = entry;
}

static void set_current(struct scope_merge *merge, struct cursor *cursor)
{
	const struct waiting *second = &merge->heap[0];

	merge->current = cursor;
	merge->limit_ns = UINT64_MAX;
	if (cursor && merge->waiting)
		merge->limit_ns = second->time_ns + (cursor->cpu < second->cpu);
}

/* The current CPU has no more events. */
static void drop_current(struct scope_merge *merge)
{
	struct cursor *cursor = NULL;

	if (merge->waiting) {
		cursor = &merge->cursor[merge->heap[0].cursor];
		merge->waiting--;
		sift_down(merge, merge->heap[merge->waiting]);
	}
	set_current(merge, cursor);
}

static void change_current(struct scope_merge *merge)
{
	struct cursor *next = &merge->cursor[merge->heap[0].cursor];

	sift_down(merge, waiting_of(merge, merge->current));
	set_current(merge, next);
}

static void note_subbuf(struct scope_trace *trace, struct cursor *cursor, const char *why)
{
	struct scope_damage *damage = &trace->damage;

	cursor->broken = true;
	cursor->decoder.pos = cursor->decoder.end = NULL;
	if (!damage->subbufs++) {
		damage->first_subbuf = cursor->index->frame[cursor->next - 1];
		damage->why_cpu = cursor->cpu;
		damage->why = why;
	}
	scope_damage_tell(damage);
}

/* -EBADMSG, noted, where that sub-buffer cannot be used; -ENOMEM. */
static int open_subbuf(struct scope_trace *trace, struct cursor *cursor)
{
	uint64_t offset = cursor->index->frame[cursor->next++];
	const struct scope_frame *frame = (const void *)(trace->data + offset);
	const struct scope_subbuf *subbuf;
	const uint8_t *data;
	int ret = scope_trace_payload(trace, offset, &cursor->buffer, &cursor->buffer_capacity,
				      &data);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		note_subbuf(trace, cursor, "its checksum or compression is wrong");
		return ret;
	}
	subbuf = (const struct scope_subbuf *)data;
	ret = scope_decoder_begin(&cursor->decoder, subbuf, frame->raw_bytes);
	if (!ret && subbuf->cpu != cursor->cpu) {
		cursor->decoder.problem = "it names another CPU";
		ret = -EBADMSG;
	}
	if (ret) {
		note_subbuf(trace, cursor, cursor->decoder.problem);
		return ret;
	}
	cursor->lost_count = subbuf->lost > cursor->lost ? subbuf->lost - cursor->lost : 0;
	cursor->lost_pending = cursor->broken || cursor->lost_count ||
			       subbuf->number != cursor->number;
	cursor->lost = subbuf->lost;
	cursor->number = subbuf->number + 1;
	cursor->broken = false;
	return 0;
}

/* 1 with decoder.next_ns set, 0 at the end of this CPU, -ENOMEM. */
static int peek(struct scope_trace *trace, struct cursor *cursor)
{
	for (;;) {
		int ret;

		if (__builtin_expect(cursor->lost_pending, 0)) {
			cursor->decoder.next_ns = cursor->decoder.time_ns;
			return 1;
		}
		if (scope_decoder_peek(&cursor->decoder))
			return 1;
		if (cursor->next == cursor->index->count)
			return 0;
		ret = open_subbuf(trace, cursor);
		if (ret == -ENOMEM)
			return ret;
	}
}

static void take_lost(struct cursor *cursor, struct scope_event *event)
{
	event->time_ns = cursor->decoder.next_ns;
	event->tid = 0;
	event->cpu = cursor->cpu;
	event->kind = SCOPE_EVENT_LOST;
	event->flags = 0;
	event->lost.count = cursor->lost_count;
	cursor->lost_pending = false;
}

static int start(struct scope_trace *trace, struct scope_merge *merge)
{
	merge->current = NULL;
	merge->waiting = 0;
	for (size_t i = 0; i < merge->cpus; i++) {
		struct cursor *cursor = &merge->cursor[i];
		int ret;

		memset(&cursor->decoder, 0, sizeof(cursor->decoder));
		cursor->index = &trace->cpu[i];
		cursor->cpu = cursor->index->cpu;
		cursor->next = 0;
		cursor->number = cursor->lost = 0;
		cursor->lost_pending = cursor->broken = false;
		ret = peek(trace, cursor);
		if (ret < 0)
			return ret;
		if (ret)
			push(merge, waiting_of(merge, cursor));
	}
	drop_current(merge);
	return 0;
}

int scope_trace_rewind(struct scope_trace *trace)
{
	struct scope_merge *merge = trace->merge;
	int ret;

	if (!merge) {
		merge = calloc(1, sizeof(*merge) + trace->cpus * sizeof(merge->cursor[0]));
		if (!merge)
			return -ENOMEM;
		merge->cpus = trace->cpus;
		merge->heap = calloc(trace->cpus + 1, sizeof(*merge->heap));
		if (!merge->heap) {
			free(merge);
			return -ENOMEM;
		}
	}
	trace->merge = NULL; /* a rewind that fails leaves nothing half done */
	/* Each round finds the same sub-buffers damaged: count them once. */
	trace->damage.subbufs = 0;
	scope_damage_tell(&trace->damage);
	ret = start(trace, merge);
	if (ret) {
		scope_merge_destroy(merge);
		return ret;
	}
	trace->merge = merge;
	return 0;
}

int scope_trace_next(struct scope_trace *trace, struct scope_event *ret_event)
{
	struct scope_merge *merge = trace->merge;
	struct cursor *cursor;
	int ret;

	if (!merge) {
		ret = scope_trace_rewind(trace);
		if (ret)
			return ret;
		merge = trace->merge;
	}
	while ((cursor = merge->current)) {
		ret = peek(trace, cursor);
		if (ret < 0)
			return ret;
		if (!ret) {
			drop_current(merge);
			continue;
		}
		if (cursor->decoder.next_ns >= merge->limit_ns) {
			change_current(merge);
			continue;
		}
		if (cursor->lost_pending) {
			take_lost(cursor, ret_event);
			return 1;
		}
		if (!scope_decoder_take(&cursor->decoder, ret_event))
			return 1;
		note_subbuf(trace, cursor, cursor->decoder.problem);
	}
	return 0;
}

void scope_merge_destroy(struct scope_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->cpus; i++)
		free(merge->cursor[i].buffer);
	free(merge->heap);
	free(merge);
}
