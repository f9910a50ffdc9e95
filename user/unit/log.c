// SPDX-License-Identifier: GPL-2.0-only
/* A log of the units and sleeps of one run through a trace, to replay them without the trace. */
#include "unit/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "unit/histogram.h"
#include "unit/log_internal.h"

#define VALUES_UNIT 8 /* no rule: of a row */
#define VALUES_WAIT 8 /* no rule */
#define VALUES_BYTES (4 + VALUES_WAIT * 8)
#define SLACK 8		/* no rule: bytes after a row that whole words may touch */
#define ASKED_SHIFT 2	/* no rule */
#define MARK_ROWS 65536 /* no rule: a replay of the log's end goes through as many rows before it at most */
#define ROW_BYTES (2 + VALUES_BYTES + SLACK)
#define COUNTED_BYTES 6 /* no rule: for the vector's id and the number of calls, which the calls follow */

/*
 * First byte of a row: a unit, or a sleep; and what is true of it. A row in the form of a sleep before that of a unit has what its request
 * did and waited for earlier. Of a sleep its class and futex follow, 4 bits
 * each. Then its values: 4 bits for the length of each in bytes, then those bytes. Of a unit without a call histogram
 * its vector and its calls follow.
 */
enum {
	ROW_WAIT = 1,
	ROW_OPEN = 2,	  /* for a unit; the bits above are the number of requests taken in it */
	ROW_LOCK = 2,	  /* a sleep */
	ROW_IDLE = 4,	  /* a sleep */
	ROW_OUTSIDE = 8,  /* the same */
	ROW_QUEUE = 16,	  /* the same */
	ROW_MANY = 32,	  /* the same */
	ROW_EARLIER = 64, /* no sleep: of the unit that follows */
	ROW_RESTS = 128,  /* a sleep */
};

#define CLASS_BITS 4 /* no rule */
_Static_assert(SCOPE_WAIT_CLASSES <= 1 << CLASS_BITS && SCOPE_FUTEXES <= 1 << CLASS_BITS, "both are in one byte");

int scope_unit_log_create(const struct scope_histograms *histograms, struct scope_unit_log **ret_log)
{
	struct scope_unit_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	log->histograms = histograms;
	if (scope_spool_create(SCOPE_SPOOL_MEMORY, &log->rows) ||
	    scope_spool_create(SCOPE_SPOOL_MEMORY, &log->stacks) ||
	    scope_spool_create(SCOPE_SPOOL_MEMORY, &log->tasks)) {
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
	scope_spool_destroy(log->tasks);
	scope_unit_late_free(&log->late);
	scope_unit_late_free(&log->moved);
	free(log->state);
	free(log->mark);
	free(log);
}

/* Every value is written as a whole word, and the next one overwrites its unused bytes. */
static inline uint8_t *put(uint8_t *to, const uint64_t *value, unsigned values)
{
	uint8_t *at = to + sizeof(uint32_t);
	uint32_t lengths = 0;

#pragma GCC unroll 8
	for (unsigned i = 0; i < values; i++) {
		const uint32_t length = value[i] ? 8 - (uint32_t)__builtin_clzll(value[i]) / 8 : 0;

		memcpy(at, &value[i], sizeof(value[i]));
		at += length;
		lengths |= length << 4 * i;
	}
	memcpy(to, &lengths, sizeof(lengths));
	return at;
}

static inline const uint8_t *get(const uint8_t *from, uint64_t *value, unsigned values)
{
	static const uint64_t mask[16] = {
		0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX,
	};
	uint32_t lengths;

	memcpy(&lengths, from, sizeof(lengths));
	from += sizeof(lengths);
#pragma GCC unroll 8
	for (unsigned i = 0; i < values; i++) {
		const uint32_t length = lengths >> 4 * i & 15;

		memcpy(&value[i], from, sizeof(value[i]));
		value[i] &= mask[length];
		from += length;
	}
	return from;
}

/* Rows end nearly in order of time, so differences are small, of either sign, and take few bytes. */
static inline uint64_t step_to(struct scope_unit_log *log, uint64_t end_ns)
{
	int64_t step = (int64_t)(end_ns - log->last_ns);

	log->last_ns = end_ns;
	if (end_ns > log->ended_ns)
		log->ended_ns = end_ns;
	return (uint64_t)step << 1 ^ (uint64_t)(step >> 63);
}

static inline uint64_t stepped(uint64_t last_ns, uint64_t step)
{
	return last_ns + (step >> 1 ^ -(step & 1));
}

struct scope_log_place scope_unit_log_end(const struct scope_unit_log *log)
{
	return (struct scope_log_place){ scope_spool_end(log->rows), log->last_ns };
}

struct scope_log_place scope_unit_log_find(const struct scope_unit_log *log, uint64_t from_ns)
{
	size_t low = 0, high = log->marks;

	/* The first mark before which a row ended then or later. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (log->mark[middle].ended_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? log->mark[low - 1].place : (struct scope_log_place){ 0 };
}

/* Before a unit or a sleep. 0 or -ENOMEM. */
static int mark(struct scope_unit_log *log)
{
	if (log->count++ % MARK_ROWS)
		return 0;
	if (scope_grow(&log->mark, &log->mark_capacity, log->marks + 1, sizeof(*log->mark)))
		return -ENOMEM;
	log->mark[log->marks++] = (struct scope_log_mark){ scope_unit_log_end(log), log->ended_ns };
	return 0;
}

#define HISTOGRAM_BITS 16 /* no rule */
_Static_assert(SCOPE_HISTOGRAMS_MAX < 1u << HISTOGRAM_BITS, "a histogram's number, and 1 more, has its bits");

#define GROUP_SHIFT (32 + HISTOGRAM_BITS) /* no rule: above the thread's number */

/*
 * Without a call histogram: 0 in its place. Above them the group of a kind of request, and 1 more: others follow from the
 * thread. There are fewer than 2^16 such groups: SCOPE_REQUEST_KINDS_MAX for each group of threads.
 */
static inline uint64_t thread_and_histogram(const struct scope_unit *unit)
{
	const uint64_t group = unit->request && unit->group < UINT16_MAX ? unit->group + 1u : 0;

	return group << GROUP_SHIFT | (uint64_t)unit->thread << HISTOGRAM_BITS | (unit->histogram + 1u);
}

#define CONNECTION_FIRST (1u << 31) /* no rule: set if the request is the first of its connection */

/* Of a unit without a call histogram. */
static uint8_t *put_calls(uint8_t *to, const struct scope_unit *unit, const struct scope_unit_call *call)
{
	memcpy(to, &unit->vector, sizeof(unit->vector));
	memcpy(to + sizeof(unit->vector), &unit->calls, sizeof(unit->calls));
	to += COUNTED_BYTES;
	memcpy(to, call, unit->calls * sizeof(*call));
	return to + unit->calls * sizeof(*call);
}

static const uint8_t *get_calls(const uint8_t *from, struct scope_unit *unit, struct scope_unit_call *call)
{
	memcpy(&unit->vector, from, sizeof(unit->vector));
	memcpy(&unit->calls, from + sizeof(unit->vector), sizeof(unit->calls));
	from += COUNTED_BYTES;
	memcpy(call, from, unit->calls * sizeof(*call));
	return from + unit->calls * sizeof(*call);
}

/* Of the unit that is logged next. 0 or -ENOMEM. */
static int log_earlier(struct scope_unit_log *log, const struct scope_unit_earlier *earlier)
{
	const struct scope_unit_part *part = &earlier->part;
	uint8_t *row = scope_spool_room(log->rows, ROW_BYTES), *to = row;

	if (!row)
		return -ENOMEM;
	*to++ = ROW_WAIT | ROW_EARLIER;
	*to++ = earlier->class;
	to = put(to,
		 (uint64_t[]){ step_to(log, part->end_ns), part->thread, part->end_ns - part->begin_ns,
			       earlier->task_ns, earlier->loop_ns, earlier->object, (uint32_t)(earlier->waker + 1), 0 },
		 VALUES_WAIT);
	scope_spool_use(log->rows, to - row);
	return 0;
}

int scope_unit_log_unit(struct scope_unit_log *log, const struct scope_unit *unit, const struct scope_unit_call *call)
{
	int err = mark(log);
	const bool counted = unit->histogram == SCOPE_HISTOGRAM_NONE;
	uint8_t *row, *to;

	if (!err && unit->earlier)
		err = log_earlier(log, unit->earlier);
	if (err)
		return err;
	row = to = scope_spool_room(log->rows, ROW_BYTES + (counted ? COUNTED_BYTES + unit->calls * sizeof(*call) : 0));
	if (!row)
		return -ENOMEM;
	*to++ = (uint8_t)((unit->open ? ROW_OPEN : 0) | unit->asked << ASKED_SHIFT);
	to = put(to,
		 (uint64_t[]){ step_to(log, unit->end_ns), thread_and_histogram(unit), unit->end_ns - unit->begin_ns,
			       unit->run_ns, unit->queue_ns, unit->blocked_ns, unit->bytes,
			       (unit->connection & ~CONNECTION_FIRST) | (unit->first ? CONNECTION_FIRST : 0) },
		 VALUES_UNIT);
	if (counted)
		to = put_calls(to, unit, call);
	scope_spool_use(log->rows, to - row);
	return 0;
}

int scope_unit_log_wait(struct scope_unit_log *log, const struct scope_wait *wait)
{
	uint8_t *row = mark(log) ? NULL : scope_spool_room(log->rows, ROW_BYTES), *to = row;

	if (!row || scope_unit_late_slices(&log->late, wait))
		return -ENOMEM;
	*to++ = ROW_WAIT | (wait->lock ? ROW_LOCK : 0) | (wait->idle ? ROW_IDLE : 0) |
		(wait->outside ? ROW_OUTSIDE : 0) | (wait->queue ? ROW_QUEUE : 0) | (wait->many ? ROW_MANY : 0) |
		(wait->rests ? ROW_RESTS : 0);
	*to++ = (uint8_t)(wait->class | wait->futex << CLASS_BITS);
	to = put(to,
		 (uint64_t[]){ step_to(log, wait->end_ns), wait->thread, wait->waker_tid,
			       (uint32_t)(wait->waker + 1) | (uint64_t)wait->owner << 32,
			       wait->nr | (uint32_t)wait->interrupt << 16, wait->object, wait->end_ns - wait->begin_ns,
			       wait->end_ns - wait->wake_ns },
		 VALUES_WAIT);
	scope_spool_use(log->rows, to - row);
	return 0;
}

int scope_unit_log_late(struct scope_unit_log *log, uint32_t thread, const struct scope_late_wait *wait)
{
	return scope_unit_late_add(wait->place ? &log->moved : &log->late, thread, wait);
}

/* call: room for the calls of a unit without a call histogram; ret_call: where its calls are. */
static const uint8_t *get_unit(const uint8_t *from, const struct scope_unit_log *log, uint64_t *last_ns,
			       const struct scope_groups *groups, struct scope_unit *unit, struct scope_unit_call *call,
			       const struct scope_unit_call **ret_call)
{
	const uint8_t flags = *from++;
	uint64_t value[VALUES_UNIT];
	uint32_t thread;

	from = get(from, value, VALUES_UNIT);
	thread = (uint32_t)(value[1] >> HISTOGRAM_BITS);
	*last_ns = stepped(*last_ns, value[0]);
	*unit = (struct scope_unit){
		.begin_ns = *last_ns - value[2],
		.end_ns = *last_ns,
		.run_ns = value[3],
		.queue_ns = value[4],
		.blocked_ns = value[5],
		.bytes = value[6],
		.connection = (uint32_t)value[7] & ~CONNECTION_FIRST,
		.first = value[7] & CONNECTION_FIRST,
		.thread = thread,
		.group = value[1] >> GROUP_SHIFT ? (uint32_t)(value[1] >> GROUP_SHIFT) - 1 : groups->of_thread[thread],
		.histogram = (uint32_t)(value[1] & ((1u << HISTOGRAM_BITS) - 1)) - 1,
		.open = flags & ROW_OPEN,
		.asked = flags >> ASKED_SHIFT,
	};
	unit->granularity = groups->group[unit->group].granularity;
	unit->request = groups->group[unit->group].request;
	if (unit->histogram == SCOPE_HISTOGRAM_NONE) {
		*ret_call = call;
		return get_calls(from, unit, call);
	}
	unit->vector = scope_unit_histogram_vector(log->histograms, unit);
	unit->calls = log->histograms->histogram[unit->histogram].calls;
	*ret_call = scope_unit_histogram_calls(log->histograms, &log->histograms->histogram[unit->histogram]);
	return from;
}

static const uint8_t *get_wait(const uint8_t *from, uint64_t *last_ns, struct scope_wait *wait)
{
	const uint8_t flags = from[0], class = from[1] & ((1u << CLASS_BITS) - 1), futex = from[1] >> CLASS_BITS;
	uint64_t value[VALUES_WAIT];

	from = get(from + 2, value, VALUES_WAIT);
	*last_ns = stepped(*last_ns, value[0]);
	*wait = (struct scope_wait){
		.thread = (uint32_t)value[1],
		.waker_tid = (uint32_t)value[2],
		.waker = (int32_t)(uint32_t)value[3] - 1,
		.owner = (uint32_t)(value[3] >> 32),
		.nr = (uint16_t)value[4],
		.interrupt = (uint8_t)(value[4] >> 16),
		.class = class,
		.futex = futex,
		.lock = flags & ROW_LOCK,
		.idle = flags & ROW_IDLE,
		.outside = flags & ROW_OUTSIDE,
		.rests = flags & ROW_RESTS,
		.queue = flags & ROW_QUEUE,
		.many = flags & ROW_MANY,
		.object = value[5],
		.begin_ns = *last_ns - value[6],
		.wake_ns = *last_ns - value[7],
		.end_ns = *last_ns,
	};
	return from;
}

/* Passes over values; *ret_first: the first two of them. */
static inline const uint8_t *pass_values(const uint8_t *from, uint64_t ret_first[2])
{
	uint32_t lengths;

	memcpy(&lengths, from, sizeof(lengths));
	get(from, ret_first, 2);
	lengths = (lengths & 0x0f0f0f0f) + (lengths >> 4 & 0x0f0f0f0f);
	return from + sizeof(lengths) + (lengths * 0x01010101u >> 24);
}

/* Passes over a row that nobody wants to have. */
static const uint8_t *pass_row(const uint8_t *from, uint64_t *last_ns)
{
	const bool unit = !(*from & ROW_WAIT);
	uint64_t value[2];
	uint16_t calls;

	from = pass_values(from + (unit ? 1 : 2), value);
	*last_ns = stepped(*last_ns, value[0]);
	if (!unit || (uint32_t)(value[1] & ((1u << HISTOGRAM_BITS) - 1)) - 1 != SCOPE_HISTOGRAM_NONE)
		return from;
	memcpy(&calls, from + sizeof(uint32_t), sizeof(calls));
	return from + COUNTED_BYTES + calls * sizeof(struct scope_unit_call);
}

/* How far a replay is. */
struct replay {
	const struct scope_unit_log *log;
	const struct scope_groups *groups;
	const struct scope_unit_sink *sink;
	uint64_t last_ns;
	struct scope_unit_earlier earlier; /* belongs to the unit that follows … */
	bool is_earlier;		   /* … if it has one */
};

/*
 * A slice that timed out is a part of the wait that its thread's waker ended later. A poll waited for the peer from
 * which the thread got data right after it. A sleep may have been in the middle of a request, or after it. For a thread
 * without clients this is known as soon as it is known which threads serve.
 */
static void complete(const struct replay *replay, struct scope_wait *wait)
{
	const struct scope_unit_log *log = replay->log;
	const struct scope_late_wait *moved, *late;

	if (wait->queue)
		return;
	moved = scope_unit_late_at(&log->moved, wait->thread, wait->begin_ns);
	if (wait->rests && wait->thread < replay->groups->threads && replay->groups->background)
		wait->outside |= replay->groups->background[wait->thread];
	if (moved) {
		wait->outside = moved->place == SCOPE_LATE_OUTSIDE;
		wait->idle = wait->many = false;
	}
	if (wait->class != SCOPE_WAIT_FUTEX && wait->class != SCOPE_WAIT_POLL)
		return;
	late = scope_unit_late_at(&log->late, wait->thread, wait->begin_ns);
	if (!late)
		return;
	if (wait->class == SCOPE_WAIT_POLL) {
		wait->class = SCOPE_WAIT_NETWORK;
		wait->object = (uint64_t)late->fd;
	} else if (wait->waker == SCOPE_WAIT_NO_THREAD) {
		wait->waker = late->waker;
		wait->waker_tid = late->waker_tid;
	}
}

static const uint8_t *get_earlier(struct replay *replay, const uint8_t *from)
{
	const uint8_t class = from[1];
	uint64_t value[VALUES_WAIT];

	from = get(from + 2, value, VALUES_WAIT);
	replay->last_ns = stepped(replay->last_ns, value[0]);
	replay->is_earlier = true;
	replay->earlier = (struct scope_unit_earlier){
		.part = { replay->last_ns - value[2], replay->last_ns, (uint32_t)value[1] },
		.task_ns = value[3],
		.loop_ns = value[4],
		.object = value[5],
		.waker = (int32_t)(uint32_t)value[6] - 1,
		.class = class,
	};
	return from;
}

static const uint8_t *replay_wait(struct replay *replay, const uint8_t *from, int *ret_err)
{
	struct scope_wait wait;

	from = get_wait(from, &replay->last_ns, &wait);
	complete(replay, &wait);
	*ret_err = replay->sink->wait(replay->sink->user, &wait);
	return from;
}

static const uint8_t *replay_unit(struct replay *replay, const uint8_t *from, int *ret_err)
{
	struct scope_unit_call room[SCOPE_UNIT_CALLS];
	const struct scope_unit_call *call;
	struct scope_unit unit;

	from = get_unit(from, replay->log, &replay->last_ns, replay->groups, &unit, room, &call);
	unit.earlier = replay->is_earlier ? &replay->earlier : NULL;
	replay->is_earlier = false;
	*ret_err = replay->sink->unit(replay->sink->user, &unit, call);
	return from;
}

static int replay_piece(struct replay *replay, const uint8_t *from, size_t bytes)
{
	const struct scope_unit_sink *sink = replay->sink;
	const uint8_t *end = from + bytes;
	int err = 0;

	while (!err && from < end) {
		const bool is_wait = *from & ROW_WAIT, earlier = is_wait && *from & ROW_EARLIER;

		if (earlier && sink->unit)
			from = get_earlier(replay, from);
		else if (earlier || (is_wait ? !sink->wait : !sink->unit))
			from = pass_row(from, &replay->last_ns);
		else if (is_wait)
			from = replay_wait(replay, from, &err);
		else
			from = replay_unit(replay, from, &err);
	}
	return err;
}

int scope_unit_log_replay(struct scope_unit_log *log, const struct scope_groups *groups,
			  const struct scope_log_place *from, const struct scope_log_place *until,
			  const struct scope_unit_sink *sink)
{
	struct replay replay = { .log = log, .groups = groups, .sink = sink, .last_ns = from->end_ns };
	const uint8_t *data;
	size_t bytes;
	int err;

	scope_spool_seek(log->rows, &from->row, &until->row);
	while ((err = scope_spool_next(log->rows, &data, &bytes)) > 0) {
		err = replay_piece(&replay, data, bytes);
		if (err)
			break;
	}
	return err;
}
