// SPDX-License-Identifier: GPL-2.0-only
/* One unit as a picture: what its thread did, and the threads that ended its long sleeps. */
#include "report/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plain.h"
#include "base/syscall_name.h"

#define BINS 400		       /* parts of the unit: spans are multiples of one part */
#define ROWS_MAX 6		       /* threads */
#define WAKES_MAX 200		       /* arrows */
#define CALLS_MAX 120		       /* of the unit's thread: the longest ones */
#define SLEEP_PARTS 100		       /* a longer sleep than this part of the unit gets an arrow */
#define NR_UNKNOWN (SCOPE_NR_NONE - 1) /* it began before the unit, and has not ended yet */

enum state {
	STATE_UNKNOWN,
	STATE_RUN,
	STATE_QUEUE,
	STATE_ASLEEP,
	STATES,
};

static const char *const state_names[STATES] = { "unknown", "run", "queue", "asleep" };

/* A sleep that another thread ended. */
struct wake {
	uint64_t time_ns, slept_ns;
	uint32_t tid, waker_tid; /* 0: an interrupt, or not known */
};

struct call {
	uint16_t nr;
	uint64_t begin_ns, end_ns;
};

/* A thread, while the events are read. */
struct row {
	uint32_t tid;
	enum state state;
	uint16_t nr; /* the open call; SCOPE_NR_NONE: none; or NR_UNKNOWN */
	uint64_t enter_ns, since_ns;
	bool seen;
	float time[BINS][STATES]; /* ns */
	uint16_t call[BINS];	  /* the last one slept in */
};

struct scene {
	uint64_t begin_ns, end_ns;
	struct row row[ROWS_MAX];
	unsigned rows;
	struct wake *wake;
	size_t wakes, wake_capacity;
	struct call *call; /* of the first row */
	size_t calls, call_capacity;
	uint64_t calls_all;
};

/* ---- the threads that ended long sleeps ---- */

/* Threads that sleep, by tid, in a table of open addressing. */
#define SLEEPERS 4096 /* a power of two */

struct sleeper {
	uint32_t tid;
	uint64_t since_ns;
};

static struct sleeper *find_sleeper(struct sleeper *table, uint32_t tid)
{
	for (unsigned i = 0, at = tid * 2654435761u >> 20; i < 16; i++, at++) {
		struct sleeper *sleeper = &table[at % SLEEPERS];

		if (!sleeper->tid || sleeper->tid == tid) {
			sleeper->tid = tid;
			return sleeper;
		}
	}
	return NULL;
}

static int note_wake(struct scene *scene, struct sleeper *table, const struct scope_event *event)
{
	struct sleeper *sleeper = find_sleeper(table, event->tid);
	const uint64_t since_ns = sleeper && sleeper->since_ns ? sleeper->since_ns : scene->begin_ns;

	if (sleeper)
		sleeper->since_ns = 0;
	if ((event->time_ns - since_ns) * SLEEP_PARTS < scene->end_ns - scene->begin_ns)
		return 0;
	if (scope_grow(&scene->wake, &scene->wake_capacity, scene->wakes + 1, sizeof(*scene->wake)))
		return -ENOMEM;
	scene->wake[scene->wakes++] =
		(struct wake){ event->time_ns, event->time_ns - since_ns, event->tid, event->waking.waker_tid };
	return 0;
}

static int find_wakes(struct scope_trace *trace, struct scene *scene)
{
	struct sleeper *table = calloc(SLEEPERS, sizeof(*table));
	struct scope_event event;
	int more = 0, err = table ? scope_trace_seek(trace, scene->begin_ns) : -ENOMEM;

	while (!err && (more = scope_trace_next(trace, &event)) > 0 && event.time_ns <= scene->end_ns) {
		if (event.kind == SCOPE_EVENT_SWITCH && event.sched.prev_tid && !scope_trace_switch_runnable(&event)) {
			struct sleeper *sleeper = find_sleeper(table, event.sched.prev_tid);

			if (sleeper)
				sleeper->since_ns = event.time_ns;
		} else if (event.kind == SCOPE_EVENT_WAKING && event.tid) {
			err = note_wake(scene, table, &event);
		}
	}
	free(table);
	return err ? err : more < 0 ? more : 0;
}

static int row_of(const struct scene *scene, uint32_t tid)
{
	for (unsigned i = 0; i < scene->rows; i++)
		if (scene->row[i].tid == tid)
			return (int)i;
	return -1;
}

/* The thread without a row that ended most of the sleep of those with a row; 0: none. */
static uint32_t next_waker(const struct scene *scene)
{
	uint64_t most_ns = 0;
	uint32_t most = 0;

	for (size_t i = 0; i < scene->wakes; i++) {
		const struct wake *wake = &scene->wake[i];
		uint64_t sum_ns = 0;

		if (!wake->waker_tid || row_of(scene, wake->tid) < 0 || row_of(scene, wake->waker_tid) >= 0)
			continue;
		for (size_t j = i; j < scene->wakes && j < i + 1000; j++)
			if (scene->wake[j].waker_tid == wake->waker_tid && row_of(scene, scene->wake[j].tid) >= 0)
				sum_ns += scene->wake[j].slept_ns;
		if (sum_ns > most_ns) {
			most_ns = sum_ns;
			most = wake->waker_tid;
		}
	}
	return most;
}

static void add_row(struct scene *scene, uint32_t tid)
{
	scene->row[scene->rows] = (struct row){
		.tid = tid,
		.nr = scene->rows ? NR_UNKNOWN : SCOPE_NR_NONE, /* a unit begins when a call has ended */
		.since_ns = scene->begin_ns,
	};
	scene->rows++;
}

/* ---- what the threads of the rows did ---- */

/* Adds the time up to now to the state that the thread was in. */
static void account(const struct scene *scene, struct row *row, uint64_t now_ns, enum state state, uint16_t nr)
{
	const double bin_ns = (double)(scene->end_ns - scene->begin_ns) / BINS;
	const double from = (double)(row->since_ns - scene->begin_ns);
	const double to = (double)((now_ns < scene->end_ns ? now_ns : scene->end_ns) - scene->begin_ns);

	for (int bin = (int)(from / bin_ns); bin < BINS && bin * bin_ns < to; bin++) {
		const double low = from > bin * bin_ns ? from : bin * bin_ns;
		const double high = to < (bin + 1) * bin_ns ? to : (bin + 1) * bin_ns;

		if (high <= low)
			continue;
		row->time[bin][state] += (float)(high - low);
		if (state == STATE_ASLEEP)
			row->call[bin] = nr;
	}
	if (now_ns > row->since_ns)
		row->since_ns = now_ns;
}

/* before: its state until now, used if no state is known. */
static void pass(const struct scene *scene, struct row *row, uint64_t now_ns, enum state before, enum state next)
{
	account(scene, row, now_ns, row->seen ? row->state : before, row->nr);
	row->seen = true;
	row->state = next;
}

/* The call that was open when the unit began is nr, or SCOPE_NR_NONE. */
static void learn_first(struct row *row, uint16_t nr)
{
	if (row->nr != NR_UNKNOWN)
		return;
	for (int bin = 0; bin < BINS; bin++)
		if (row->call[bin] == NR_UNKNOWN)
			row->call[bin] = nr;
	row->nr = SCOPE_NR_NONE;
}

static int end_call(struct scene *scene, struct row *row, const struct scope_event *event)
{
	const uint64_t enter_ns = event->kind == SCOPE_EVENT_SYSCALL ? event->syscall.enter_ns : row->enter_ns;

	row->nr = SCOPE_NR_NONE;
	if (row != scene->row || enter_ns < scene->begin_ns)
		return 0;
	scene->calls_all++;
	if (scope_grow(&scene->call, &scene->call_capacity, scene->calls + 1, sizeof(*scene->call)))
		return -ENOMEM;
	scene->call[scene->calls++] = (struct call){ event->syscall.nr, enter_ns, event->time_ns };
	return 0;
}

static int take_event(struct scene *scene, struct row *row, const struct scope_event *event)
{
	switch (event->kind) {
	case SCOPE_EVENT_ENTER:
		pass(scene, row, event->time_ns, STATE_RUN, STATE_RUN);
		learn_first(row, SCOPE_NR_NONE);
		row->nr = event->syscall.nr;
		row->enter_ns = event->syscall.enter_ns;
		return 0;
	case SCOPE_EVENT_SYSCALL:
	case SCOPE_EVENT_EXIT:
		pass(scene, row, event->time_ns, STATE_RUN, STATE_RUN);
		learn_first(row, event->kind == SCOPE_EVENT_SYSCALL && event->syscall.enter_ns > scene->begin_ns
					 ? SCOPE_NR_NONE
					 : event->syscall.nr);
		return end_call(scene, row, event);
	case SCOPE_EVENT_WAKING:
		if (row->seen && row->state != STATE_ASLEEP)
			return 0;
		pass(scene, row, event->time_ns, STATE_ASLEEP, STATE_QUEUE);
		return 0;
	default:
		return 0;
	}
}

static int follow(struct scope_trace *trace, struct scene *scene)
{
	struct scope_event event;
	int more, index, err = scope_trace_seek(trace, scene->begin_ns);

	while (!err && (more = scope_trace_next(trace, &event)) > 0 && event.time_ns <= scene->end_ns) {
		if (event.kind == SCOPE_EVENT_SWITCH) {
			index = event.sched.prev_tid ? row_of(scene, event.sched.prev_tid) : -1;
			if (index >= 0)
				pass(scene, &scene->row[index], event.time_ns, STATE_RUN,
				     scope_trace_switch_runnable(&event) ? STATE_QUEUE : STATE_ASLEEP);
			index = event.sched.next_tid ? row_of(scene, event.sched.next_tid) : -1;
			if (index >= 0)
				pass(scene, &scene->row[index], event.time_ns, STATE_QUEUE, STATE_RUN);
			continue;
		}
		index = event.tid ? row_of(scene, event.tid) : -1;
		if (index >= 0)
			err = take_event(scene, &scene->row[index], &event);
	}
	for (unsigned i = 0; i < scene->rows; i++)
		account(scene, &scene->row[i], scene->end_ns,
			scene->row[i].seen ? scene->row[i].state
			: i		   ? STATE_UNKNOWN
					   : STATE_RUN,
			scene->row[i].nr);
	return err;
}

/* ---- as JSON: times are from the unit's begin ---- */

static json_t *make_call_name(uint16_t nr)
{
	const char *name = nr == SCOPE_NR_NONE ? NULL : nr == NR_UNKNOWN ? "?" : scope_syscall_name(nr);

	return name ? json_string(name) : nr == SCOPE_NR_NONE ? json_null() : json_integer(nr);
}

static enum state most_of(const float *time)
{
	enum state most = STATE_UNKNOWN;

	for (enum state state = STATE_UNKNOWN; state < STATES; state++)
		if (time[state] > time[most])
			most = state;
	return most;
}

/* [state, from, to, call]: the most frequent state of a thread in parts of the unit. */
static json_t *make_spans(const struct scene *scene, const struct row *row)
{
	const double bin_ns = (double)(scene->end_ns - scene->begin_ns) / BINS;
	json_t *spans = json_array();

	for (int bin = 0, end; bin < BINS; bin = end) {
		const enum state state = most_of(row->time[bin]);

		for (end = bin + 1; end < BINS && most_of(row->time[end]) == state &&
				    (state != STATE_ASLEEP || row->call[end] == row->call[bin]);
		     end++)
			;
		json_array_append_new(spans,
				      json_pack("[s, I, I, o]", state_names[state], (json_int_t)(bin * bin_ns),
						(json_int_t)(end * bin_ns),
						state == STATE_ASLEEP ? make_call_name(row->call[bin]) : json_null()));
	}
	return spans;
}

static json_t *make_rows(const struct scene *scene, const struct scope_units *units)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < scene->rows; i++) {
		const long index = scope_timeline_threads_find(units->timeline->threads, scene->row[i].tid);
		const struct scope_thread *thread =
			index < 0 ? NULL : scope_timeline_threads_at(units->timeline->threads, (size_t)index);
		char *name = scope_plain_copy(thread ? thread->comm : "?", SCOPE_PLAIN_SENTENCE);

		json_array_append_new(rows, json_pack("{s:I, s:I, s:s?, s:o}", "tid", (json_int_t)scene->row[i].tid,
						      "pid", (json_int_t)(thread ? thread->tgid : 0), "name", name,
						      "spans", make_spans(scene, &scene->row[i])));
		free(name);
	}
	return rows;
}

/* [time, row of the waker or -1, row of the woken thread] */
static json_t *make_wakes(const struct scene *scene)
{
	json_t *wakes = json_array();

	for (size_t i = 0; i < scene->wakes && json_array_size(wakes) < WAKES_MAX; i++) {
		const struct wake *wake = &scene->wake[i];
		const int from = wake->waker_tid ? row_of(scene, wake->waker_tid) : -1, to = row_of(scene, wake->tid);

		if (to >= 0)
			json_array_append_new(
				wakes, json_pack("[I, i, i]", (json_int_t)(wake->time_ns - scene->begin_ns), from, to));
	}
	return wakes;
}

static int compare_length(const void *a, const void *b)
{
	const struct call *one = a, *other = b;
	const uint64_t length = one->end_ns - one->begin_ns, length_other = other->end_ns - other->begin_ns;

	if (length != length_other)
		return length < length_other ? 1 : -1;
	return one->begin_ns < other->begin_ns ? -1 : one->begin_ns > other->begin_ns;
}

static int compare_begin(const void *a, const void *b)
{
	const struct call *one = a, *other = b;

	return one->begin_ns < other->begin_ns ? -1 : one->begin_ns > other->begin_ns;
}

/* [name, from, to], in order of time; at most CALLS_MAX, the longest ones. */
static json_t *make_calls(struct scene *scene)
{
	size_t count = scene->calls < CALLS_MAX ? scene->calls : CALLS_MAX;
	json_t *calls = json_array();

	if (scene->calls)
		qsort(scene->call, scene->calls, sizeof(*scene->call), compare_length);
	if (count)
		qsort(scene->call, count, sizeof(*scene->call), compare_begin);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(calls, json_pack("[o, I, I]", make_call_name(scene->call[i].nr),
						       (json_int_t)(scene->call[i].begin_ns - scene->begin_ns),
						       (json_int_t)(scene->call[i].end_ns - scene->begin_ns)));
	return calls;
}

int scope_report_picture_scene(struct scope_trace *trace, const struct scope_units *units, uint32_t unit,
			       json_t **ret_scene)
{
	const struct scope_unit *of = &units->unit[unit];
	struct scene *scene = calloc(1, sizeof(*scene));
	uint32_t waker;
	int err;

	if (!scene)
		return -ENOMEM;
	/* For a request that was held this includes the work of its loop for others in between. */
	scene->begin_ns = of->earlier ? of->earlier->part.begin_ns : of->begin_ns;
	scene->end_ns = of->end_ns > scene->begin_ns ? of->end_ns : scene->begin_ns + 1;
	add_row(scene, scope_timeline_threads_at(units->timeline->threads, of->thread)->tid);
	err = find_wakes(trace, scene);
	while (!err && scene->rows < ROWS_MAX && (waker = next_waker(scene)))
		add_row(scene, waker);
	if (!err)
		err = follow(trace, scene);
	if (!err)
		*ret_scene = json_pack("{s:I, s:I, s:o, s:o, s:o, s:I}", "begin_ns", (json_int_t)scene->begin_ns,
				       "end_ns", (json_int_t)scene->end_ns, "threads", make_rows(scene, units), "wakes",
				       make_wakes(scene), "calls", make_calls(scene), "calls_all",
				       (json_int_t)scene->calls_all);
	free(scene->wake);
	free(scene->call);
	free(scene);
	return err;
}
