// SPDX-License-Identifier: GPL-2.0-only
/* Packs events into sub-buffers, as the module would have written them. */
#include "trace/packer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/decode.h"
#include "trace/encode.h"

#define SUBBUF_BYTES_USUAL (256u << 10)

/* The sub-buffer that one CPU fills. */
struct lane {
	struct scope_subbuf *subbuf; /* NULL: none was begun on this CPU yet */
	bool open;
	bool after_state; /* the last record is the STATE of state_tid */
	uint32_t state_tid;
	uint32_t tid;			/* on this CPU */
	uint64_t time_ns;		/* of the last record */
	uint64_t number, lost, records; /* for the next sub-buffer's head */
};

struct scope_packer {
	int (*take)(const struct scope_subbuf *subbuf, void *context);
	void *context;
	struct scope_writer *writer; /* NULL: take() is no writer's */
	uint32_t subbuf_bytes;
	struct lane *lane; /* by CPU */
	size_t lanes, capacity;
	uint64_t record[(SCOPE_RECORD_BYTES_MAX + 7) / 8];
};

int scope_trace_packer_create_for(int (*take)(const struct scope_subbuf *subbuf, void *context), void *context,
				  uint32_t subbuf_bytes, struct scope_packer **ret_packer)
{
	struct scope_packer *packer;

	if (!subbuf_bytes)
		subbuf_bytes = SUBBUF_BYTES_USUAL;
	if (subbuf_bytes < SCOPE_SUBBUF_BYTES_MIN || subbuf_bytes > SCOPE_SUBBUF_BYTES_MAX)
		return -EINVAL;
	packer = calloc(1, sizeof(*packer));
	if (!packer)
		return -ENOMEM;
	packer->take = take;
	packer->context = context;
	packer->subbuf_bytes = subbuf_bytes & ~7u;
	*ret_packer = packer;
	return 0;
}

static int to_writer(const struct scope_subbuf *subbuf, void *context)
{
	return scope_trace_writer_subbuf(context, subbuf);
}

int scope_trace_packer_create(struct scope_writer *writer, uint32_t subbuf_bytes, struct scope_packer **ret_packer)
{
	int err = scope_trace_packer_create_for(to_writer, writer, subbuf_bytes, ret_packer);

	if (!err)
		(*ret_packer)->writer = writer;
	return err;
}

static int lane_of(struct scope_packer *packer, uint32_t cpu, struct lane **ret_lane)
{
	struct lane *lane;

	if (cpu >= packer->lanes) {
		if (scope_grow(&packer->lane, &packer->capacity, cpu + 1ul, sizeof(*lane)))
			return -ENOMEM;
		memset(packer->lane + packer->lanes, 0, (cpu + 1ul - packer->lanes) * sizeof(*lane));
		packer->lanes = cpu + 1ul;
	}
	lane = &packer->lane[cpu];
	if (!lane->subbuf)
		lane->subbuf = malloc(packer->subbuf_bytes);
	if (!lane->subbuf)
		return -ENOMEM;
	*ret_lane = lane;
	return 0;
}

static int close_lane(struct scope_packer *packer, struct lane *lane)
{
	if (!lane->open)
		return 0;
	lane->subbuf->end_ns = lane->time_ns;
	lane->open = false;
	lane->number++;
	return packer->take(lane->subbuf, packer->context);
}

static void open_lane(struct lane *lane, uint32_t cpu, uint32_t tid, uint64_t time_ns)
{
	*lane->subbuf = (struct scope_subbuf){
		.magic = SCOPE_SUBBUF_MAGIC,
		.used_bytes = sizeof(*lane->subbuf),
		.cpu = cpu,
		.tid = tid,
		.number = lane->number,
		.begin_ns = time_ns,
		.lost = lane->lost,
		.records = lane->records,
	};
	lane->open = true;
	lane->after_state = false;
	lane->tid = tid;
	lane->time_ns = time_ns;
}

static void append(struct lane *lane, const void *record, size_t bytes, uint64_t time_ns)
{
	uint8_t *place = (uint8_t *)lane->subbuf + lane->subbuf->used_bytes;
	uint32_t delta_ns = time_ns - lane->time_ns;

	memcpy(place, record, bytes);
	*(uint32_t *)place |= delta_ns << SCOPE_TYPE_BITS;
	lane->subbuf->used_bytes += bytes;
	lane->time_ns = time_ns;
}

static void append_time(struct lane *lane, uint64_t time_ns)
{
	struct scope_record_time time = {
		.word = scope_record_word(SCOPE_RECORD_TIME, 0),
		.time_ns = time_ns,
	};

	lane->time_ns = time_ns;
	append(lane, &time, sizeof(time), time_ns);
	lane->after_state = false;
}

static void append_thread(struct lane *lane, uint32_t tid, uint64_t time_ns)
{
	struct scope_record_thread thread = {
		.word = scope_record_word(SCOPE_RECORD_THREAD, 0),
		.tid = tid,
	};

	append(lane, &thread, sizeof(thread), time_ns);
	lane->tid = tid;
	lane->after_state = false;
}

/* True if a reader would attribute a record at this place to another thread. */
static bool needs_thread(const struct lane *lane, const struct scope_event *event)
{
	uint32_t tid;

	if (!scope_trace_event_context(event, &tid))
		return false;
	if (event->kind == SCOPE_EVENT_STACK && event->stack.reason == SCOPE_STACK_SYSCALL && lane->after_state)
		return lane->state_tid != tid;
	return lane->tid != tid;
}

static void follow(struct lane *lane, const struct scope_event *event)
{
	lane->records++;
	lane->after_state = event->kind == SCOPE_EVENT_STATE;
	if (event->kind == SCOPE_EVENT_STATE)
		lane->state_tid = event->state.record->tid;
	else if (event->kind == SCOPE_EVENT_SWITCH)
		lane->tid = event->sched.next_tid;
	else if (event->kind == SCOPE_EVENT_EXEC)
		lane->tid = event->tid;
}

static int pack_lost(struct scope_packer *packer, struct lane *lane, const struct scope_event *event)
{
	int err = close_lane(packer, lane);

	if (!event->lost.count)
		lane->number++;
	lane->lost += event->lost.count;
	open_lane(lane, event->cpu, lane->tid, event->time_ns);
	return err;
}

static int pack_record(struct scope_packer *packer, struct lane *lane, const struct scope_event *event, size_t bytes)
{
	size_t extra = sizeof(struct scope_record_time) + sizeof(struct scope_record_thread);
	uint32_t tid = lane->tid;
	int err = 0;

	if (lane->open && lane->subbuf->used_bytes + extra + bytes > packer->subbuf_bytes)
		err = close_lane(packer, lane);
	if (!lane->open) {
		scope_trace_event_context(event, &tid);
		open_lane(lane, event->cpu, tid, event->time_ns);
	}
	if (event->time_ns - lane->time_ns > SCOPE_DELTA_MAX)
		append_time(lane, event->time_ns);
	if (needs_thread(lane, event)) {
		scope_trace_event_context(event, &tid);
		append_thread(lane, tid, event->time_ns);
	}
	append(lane, packer->record, bytes, event->time_ns);
	follow(lane, event);
	return err;
}

static int describe(const struct scope_packer *packer, int err, struct scope_error *error)
{
	const char *text = packer->writer ? scope_trace_writer_error(packer->writer) : "";

	return err ? scope_error_set(error, err, "%s", *text ? text : strerror(-err)) : 0;
}

int scope_trace_packer_event(struct scope_packer *packer, const struct scope_event *event, struct scope_error *error)
{
	size_t room = packer->subbuf_bytes - sizeof(struct scope_subbuf) - sizeof(struct scope_record_time) -
		      sizeof(struct scope_record_thread);
	struct lane *lane;
	size_t bytes = 0;
	int err;

	err = lane_of(packer, event->cpu, &lane);
	if (err)
		return describe(packer, err, error);
	if (event->time_ns < lane->time_ns)
		return scope_error_set(error, -ERANGE, "earlier than the event before it on CPU %u", event->cpu);
	if (event->time_ns >= SCOPE_TIME_LIMIT_NS)
		return scope_error_set(error, -EINVAL, "a time beyond any clock");
	if (event->kind == SCOPE_EVENT_LOST)
		return describe(packer, pack_lost(packer, lane, event), error);
	err = scope_trace_event_encode(event, packer->record, error, &bytes);
	if (err)
		return err;
	if (bytes > room)
		return scope_error_set(error, -E2BIG, "%zu bytes; a sub-buffer has room for %zu", bytes, room);
	return describe(packer, pack_record(packer, lane, event, bytes), error);
}

int scope_trace_packer_flush(struct scope_packer *packer, struct scope_error *error)
{
	int err = 0;

	for (size_t i = 0; i < packer->lanes && !err; i++)
		err = close_lane(packer, &packer->lane[i]);
	return describe(packer, err, error);
}

void scope_trace_packer_destroy(struct scope_packer *packer)
{
	if (!packer)
		return;
	for (size_t i = 0; i < packer->lanes; i++)
		free(packer->lane[i].subbuf);
	free(packer->lane);
	free(packer);
}
