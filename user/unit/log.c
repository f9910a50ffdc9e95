// SPDX-License-Identifier: GPL-2.0-only
/* What one run through a trace told of units, sleeps and stacks, to be told again without it. */
#include "unit/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/spool.h"

#define VARINT_BYTES 10
#define UNIT_BYTES (2 + 9 * VARINT_BYTES) /* without its calls */
#define CALL_BYTES (3 + 3 + 5)
#define WAIT_BYTES (2 + 9 * VARINT_BYTES)

/* First byte of a row: a unit, or a sleep; and what is true of it. */
enum {
	ROW_WAIT = 1,
	ROW_OPEN = 2, /* a unit */
	ROW_LOCK = 2, /* a sleep */
	ROW_IDLE = 4, /* likewise */
};

struct scope_unit_log {
	struct scope_spool *rows;   /* units and sleeps */
	struct scope_spool *stacks; /* struct scope_logged_stack */
	uint64_t last_ns; /* end of the last row */
	uint64_t from_ns; /* what ended before is not told again */
	struct scope_logged_state *state; /* by thread */
	size_t states, state_capacity;
};

int scope_unit_log_create(struct scope_unit_log **ret_log)
{
	struct scope_unit_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	if (scope_spool_create(SCOPE_SPOOL_MEMORY, &log->rows) ||
	    scope_spool_create(SCOPE_SPOOL_MEMORY, &log->stacks)) {
		scope_unit_log_destroy(log);
		return -ENOMEM;
	}
	*ret_log = log;
	return 0;
}

void scope_unit_log_destroy(struct scope_unit_log *log)
{
	if (!log)
		return;
	scope_spool_destroy(log->rows);
	scope_spool_destroy(log->stacks);
	free(log->state);
	free(log);
}

/* Seven bits a byte, the lowest first; the top bit tells that more follow. */
static inline uint8_t *put(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static inline const uint8_t *get(const uint8_t *from, uint64_t *ret_value)
{
	uint64_t value = *from & 0x7f;

	for (unsigned shift = 7; *from++ & 0x80; shift += 7)
		value |= (uint64_t)(*from & 0x7f) << shift;
	*ret_value = value;
	return from;
}

/* Rows end nearly in order of time: small differences of either sign come to few bytes. */
static uint8_t *put_end(struct scope_unit_log *log, uint8_t *to, uint64_t end_ns)
{
	int64_t step = (int64_t)(end_ns - log->last_ns);

	log->last_ns = end_ns;
	return put(to, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
}

static const uint8_t *get_end(const uint8_t *from, uint64_t *last_ns)
{
	uint64_t step;

	from = get(from, &step);
	*last_ns += step >> 1 ^ -(step & 1);
	return from;
}

int scope_unit_log_unit(struct scope_unit_log *log, const struct scope_unit *unit,
			const struct scope_unit_call *call)
{
	uint8_t *row = scope_spool_room(log->rows, UNIT_BYTES + unit->calls * CALL_BYTES);
	uint8_t *to = row;

	if (!row)
		return -ENOMEM;
	*to++ = unit->open ? ROW_OPEN : 0;
	to = put_end(log, to, unit->end_ns);
	to = put(to, unit->thread);
	to = put(to, unit->vector);
	to = put(to, unit->end_ns - unit->begin_ns);
	to = put(to, unit->run_ns);
	to = put(to, unit->queue_ns);
	to = put(to, unit->blocked_ns);
	to = put(to, unit->bytes);
	to = put(to, unit->calls);
	for (unsigned i = 0; i < unit->calls; i++) {
		to = put(to, call[i].nr);
		to = put(to, call[i].count);
		to = put(to, call[i].us);
	}
	scope_spool_use(log->rows, to - row);
	return 0;
}

int scope_unit_log_wait(struct scope_unit_log *log, const struct scope_wait *wait)
{
	uint8_t *row = scope_spool_room(log->rows, WAIT_BYTES), *to = row;

	if (!row)
		return -ENOMEM;
	*to++ = ROW_WAIT | (wait->lock ? ROW_LOCK : 0) | (wait->idle ? ROW_IDLE : 0);
	*to++ = wait->class;
	to = put_end(log, to, wait->end_ns);
	to = put(to, wait->thread);
	to = put(to, wait->waker_tid);
	to = put(to, (uint64_t)(wait->waker + 1));
	to = put(to, wait->nr);
	to = put(to, wait->object);
	to = put(to, wait->end_ns - wait->begin_ns);
	to = put(to, wait->end_ns - wait->wake_ns);
	scope_spool_use(log->rows, to - row);
	return 0;
}

static const uint8_t *get_unit(const uint8_t *from, uint64_t *last_ns,
			       const struct scope_groups *groups, struct scope_unit *unit,
			       struct scope_unit_call *call)
{
	uint64_t thread, vector, wall, run, queue, blocked, bytes, calls;
	bool open = *from++ & ROW_OPEN;

	from = get_end(from, last_ns);
	from = get(from, &thread);
	from = get(from, &vector);
	from = get(from, &wall);
	from = get(from, &run);
	from = get(from, &queue);
	from = get(from, &blocked);
	from = get(from, &bytes);
	from = get(from, &calls);
	*unit = (struct scope_unit){
		.begin_ns = *last_ns - wall, .end_ns = *last_ns, .run_ns = run, .queue_ns = queue,
		.bytes = bytes, .blocked_ns = blocked, .thread = (uint32_t)thread,
		.group = groups->of_thread[thread], .vector = (uint32_t)vector,
		.calls = (uint16_t)calls, .open = open,
	};
	unit->granularity = groups->group[unit->group].granularity;
	for (unsigned i = 0; i < calls; i++) {
		uint64_t nr, count, us;

		from = get(from, &nr);
		from = get(from, &count);
		from = get(from, &us);
		call[i] = (struct scope_unit_call){(uint16_t)nr, (uint16_t)count, (uint32_t)us};
	}
	return from;
}

static const uint8_t *get_wait(const uint8_t *from, uint64_t *last_ns, struct scope_wait *wait)
{
	uint64_t thread, waker_tid, waker, nr, object, wall, wake;
	uint8_t class = from[1];
	bool lock = *from & ROW_LOCK, idle = *from & ROW_IDLE;

	from = get_end(from + 2, last_ns);
	from = get(from, &thread);
	from = get(from, &waker_tid);
	from = get(from, &waker);
	from = get(from, &nr);
	from = get(from, &object);
	from = get(from, &wall);
	from = get(from, &wake);
	*wait = (struct scope_wait){
		.thread = (uint32_t)thread, .waker_tid = (uint32_t)waker_tid,
		.waker = (int32_t)waker - 1, .nr = (uint16_t)nr, .class = class, .lock = lock,
		.idle = idle,
		.object = object, .begin_ns = *last_ns - wall, .wake_ns = *last_ns - wake,
		.end_ns = *last_ns,
	};
	return from;
}

static int replay_piece(const uint8_t *from, size_t bytes, uint64_t *last_ns, uint64_t from_ns,
			const struct scope_groups *groups, const struct scope_unit_sink *sink)
{
	const uint8_t *end = from + bytes;
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	int ret = 0;

	while (!ret && from < end) {
		if (*from & ROW_WAIT) {
			struct scope_wait wait;

			from = get_wait(from, last_ns, &wait);
			ret = sink->wait && *last_ns >= from_ns ? sink->wait(sink->user, &wait) : 0;
		} else {
			struct scope_unit unit;

			from = get_unit(from, last_ns, groups, &unit, call);
			ret = *last_ns >= from_ns ? sink->unit(sink->user, &unit, call, NULL) : 0;
		}
	}
	return ret;
}

void scope_unit_log_forget(struct scope_unit_log *log, uint64_t from_ns)
{
	log->from_ns = from_ns;
}

int scope_unit_log_replay(struct scope_unit_log *log, const struct scope_groups *groups,
			  const struct scope_unit_sink *sink)
{
	const uint8_t *data;
	uint64_t last_ns = 0;
	size_t bytes;
	int ret;

	scope_spool_rewind(log->rows);
	while ((ret = scope_spool_next(log->rows, &data, &bytes)) > 0) {
		ret = replay_piece(data, bytes, &last_ns, log->from_ns, groups, sink);
		if (ret)
			break;
	}
	return ret;
}

int scope_unit_log_stack(struct scope_unit_log *log, const struct scope_unit_stack *stack,
			 const struct scope_trace *trace, const struct scope_event *event,
			 uint32_t tgid)
{
	struct scope_logged_stack *row =
		(struct scope_logged_stack *)scope_spool_room(log->stacks, sizeof(*row));

	if (!row)
		return -ENOMEM;
	*row = (struct scope_logged_stack){
		.stack = *stack,
		.place = scope_trace_place(trace, event),
		.time_ns = event->time_ns,
		.tgid = tgid,
		.bytes = event->stack.bytes,
		.ips = event->stack.ips,
		.regs = event->stack.regs,
		.reason = event->stack.reason,
		.flags = event->flags,
	};
	scope_spool_use(log->stacks, sizeof(*row));
	return 0;
}

int scope_unit_log_stacks(struct scope_unit_log *log,
			  int (*each)(void *user, const struct scope_logged_stack *stack),
			  void *user)
{
	const uint8_t *data;
	size_t bytes;
	int ret;

	scope_spool_rewind(log->stacks);
	while ((ret = scope_spool_next(log->stacks, &data, &bytes)) > 0) {
		const struct scope_logged_stack *stack = (const void *)data;

		ret = 0;
		for (size_t i = 0; !ret && i < bytes / sizeof(*stack); i++)
			ret = each(user, &stack[i]);
		if (ret)
			break;
	}
	return ret;
}

int scope_unit_log_state(struct scope_unit_log *log, uint32_t thread,
			 const struct scope_event *event)
{
	const uint16_t regs = event->state.record->regs;

	if (!regs || regs > SCOPE_REG_MAX)
		return 0;
	if (scope_grow(&log->state, &log->state_capacity, thread + 1ul, sizeof(*log->state)))
		return -ENOMEM;
	while (log->states <= thread)
		log->state[log->states++].regs = 0;
	log->state[thread].regs = regs;
	memcpy(log->state[thread].reg, event->state.reg, regs * sizeof(*event->state.reg));
	return 0;
}

const struct scope_logged_state *scope_unit_log_state_of(const struct scope_unit_log *log,
							 uint32_t thread)
{
	return thread < log->states && log->state[thread].regs ? &log->state[thread] : NULL;
}
