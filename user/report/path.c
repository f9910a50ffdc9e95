// SPDX-License-Identifier: GPL-2.0-only
/* The syscalls of chosen units, in order. */
#include "report/path.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define GAP_SHARE 10 /* shorter times between calls than this part of the unit are only shown as their sum */

static int append(struct scope_path *path, uint16_t nr, uint64_t ns)
{
	struct scope_path_call *last = path->calls ? &path->call[path->calls - 1] : NULL;

	if (last && last->nr == nr) {
		last->count++;
		last->ns += ns;
		return 0;
	}
	if (scope_grow(&path->call, &path->capacity, path->calls + 1, sizeof(*path->call)))
		return -ENOMEM;
	path->call[path->calls++] = (struct scope_path_call){ .nr = nr, .count = 1, .ns = ns };
	return 0;
}

/* Adds the time without a call up to now_ns, if it is long enough; what of it was spent waiting for a CPU apart, if that is. */
static int append_gap(struct scope_path *path, const struct scope_unit *unit, uint64_t now_ns)
{
	const uint64_t since_ns = path->last_ns > unit->begin_ns ? path->last_ns : unit->begin_ns;
	const uint64_t least_ns = (scope_unit_wall(unit) + GAP_SHARE - 1) / GAP_SHARE;
	uint64_t gap_ns = now_ns > since_ns ? now_ns - since_ns : 0, queue_ns = path->queue_ns;
	int err = 0;

	if (path->queue_since_ns && now_ns > path->queue_since_ns)
		queue_ns += now_ns - path->queue_since_ns;
	path->queue_ns = 0;
	if (!gap_ns || gap_ns < least_ns) {
		queue_ns = queue_ns < gap_ns ? queue_ns : gap_ns;
		path->short_queue_ns += queue_ns;
		path->short_ns += gap_ns - queue_ns;
		return 0;
	}
	if (queue_ns < least_ns || queue_ns > gap_ns)
		return append(path, SCOPE_NR_NONE, gap_ns);
	gap_ns -= queue_ns;
	/* A wait for a CPU, however long, hides no running. */
	if (gap_ns * GAP_SHARE >= scope_unit_wall(unit) - unit->queue_ns)
		err = append(path, SCOPE_NR_NONE, gap_ns);
	return err ? err : append(path, SCOPE_PATH_QUEUE, queue_ns);
}

/* Adds the sums of the times between calls that were too short, where they are not: twenty calls in a row hide what runs between them. */
static int append_short(struct scope_path *path, const struct scope_unit *unit)
{
	int err = 0;

	if (path->short_ns && path->short_ns * GAP_SHARE >= scope_unit_wall(unit))
		err = append(path, SCOPE_PATH_BETWEEN, path->short_ns);
	if (!err && path->short_queue_ns && path->short_queue_ns * GAP_SHARE >= scope_unit_wall(unit))
		err = append(path, SCOPE_PATH_QUEUE, path->short_queue_ns);
	return err;
}

/* Counts the time in which the thread waits for a CPU outside of calls. */
static void take_switch(struct scope_path *path, const struct scope_event *event, uint32_t tid, bool in_call)
{
	if (event->sched.prev_tid == tid && !in_call && scope_trace_switch_runnable(event))
		path->queue_since_ns = event->time_ns;
	if (event->sched.next_tid == tid && path->queue_since_ns) {
		path->queue_ns += event->time_ns - path->queue_since_ns;
		path->queue_since_ns = 0;
	}
}

/* Adds a return to the path; enter_ns 0: the call was entered before the first event read. */
static int take_exit(struct scope_path *path, const struct scope_unit *unit, uint16_t nr, uint64_t enter_ns,
		     uint64_t exit_ns)
{
	int err = 0;

	if (exit_ns > unit->end_ns)
		return 0;
	/* This call is the pick-up before the unit: its time was idle. */
	if (exit_ns == unit->begin_ns) {
		err = append(path, nr, 0);
	} else if (enter_ns >= unit->begin_ns) {
		err = append_gap(path, unit, enter_ns);
		if (!err)
			err = append(path, nr, exit_ns - enter_ns);
	}
	if (exit_ns >= unit->begin_ns)
		path->last_ns = exit_ns;
	return err;
}

/* Appends what the thread did in that part of the unit. */
static int collect_part(struct scope_trace *trace, const struct scope_unit *unit, const struct scope_unit_part *part,
			uint32_t tid, struct scope_path *path)
{
	struct scope_unit within = *unit;
	struct scope_event event;
	uint64_t enter_ns = 0;
	int more, err = scope_trace_seek(trace, part->begin_ns);

	within.begin_ns = part->begin_ns;
	within.end_ns = part->end_ns;
	path->last_ns = path->queue_since_ns = path->queue_ns = 0;
	if (err)
		return err;
	while ((more = scope_trace_next(trace, &event)) > 0 && event.time_ns <= part->end_ns) {
		if (event.kind == SCOPE_EVENT_SWITCH)
			take_switch(path, &event, tid, enter_ns != 0);
		if (event.kind == SCOPE_EVENT_SWITCH || event.tid != tid)
			continue;
		if (event.kind == SCOPE_EVENT_ENTER) {
			enter_ns = event.syscall.enter_ns;
		} else if (event.kind == SCOPE_EVENT_SYSCALL || event.kind == SCOPE_EVENT_EXIT) {
			if (event.kind == SCOPE_EVENT_SYSCALL)
				enter_ns = event.syscall.enter_ns;
			err = take_exit(path, &within, event.syscall.nr, enter_ns, event.time_ns);
			enter_ns = 0;
		}
		if (err)
			return err;
	}
	return more < 0 ? more : append_gap(path, &within, part->end_ns);
}

static int collect(struct scope_trace *trace, const struct scope_units *units, struct scope_path *path)
{
	struct scope_threads *threads = units->timeline->threads;
	const struct scope_unit *unit = &units->unit[path->unit];
	const struct scope_unit_part own = { unit->begin_ns, unit->end_ns, unit->thread };
	int err = 0;

	if (unit->earlier)
		err = collect_part(trace, unit, &unit->earlier->part,
				   scope_timeline_threads_at(threads, unit->earlier->part.thread)->tid, path);
	if (!err && scope_unit_task_ns(unit))
		err = append(path, SCOPE_PATH_TASK, scope_unit_task_ns(unit));
	if (!err)
		err = collect_part(trace, unit, &own, scope_timeline_threads_at(threads, unit->thread)->tid, path);
	return err ? err : append_short(path, unit);
}

int scope_report_path_collect(struct scope_trace *trace, const struct scope_units *units, struct scope_path *path,
			      size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = collect(trace, units, &path[i]);
	return err;
}

int scope_report_path_align(struct scope_path *path, const struct scope_path *other)
{
	size_t n = path->calls < SCOPE_PATH_ALIGNED ? path->calls : SCOPE_PATH_ALIGNED;
	size_t m = other->calls < SCOPE_PATH_ALIGNED ? other->calls : SCOPE_PATH_ALIGNED;
	size_t row = m + 1, i, j;
	uint16_t *common = calloc((n + 1) * row, sizeof(*common)); /* longest length from calls i, j on */

	if (!common)
		return -ENOMEM;
	for (i = n; i-- > 0;)
		for (j = m; j-- > 0;) {
			uint16_t *at = &common[i * row + j];

			if (path->call[i].nr == other->call[j].nr)
				*at = at[row + 1] + 1;
			else
				*at = at[row] > at[1] ? at[row] : at[1];
		}
	for (i = 0, j = 0; i < n;) {
		const uint16_t *at = &common[i * row + j];
		bool same = j < m && path->call[i].nr == other->call[j].nr;

		if (j < m && !same && at[1] > at[row]) {
			j++;
			continue;
		}
		path->call[i++].extra = !same;
		j += same;
	}
	free(common);
	return 0;
}
