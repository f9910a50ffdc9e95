// SPDX-License-Identifier: GPL-2.0-only
/* Threads and requests over the window, as JSON for strips and curves. */
#include "report/picture.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/unit_mark.h"
#include "base/grow.h"
#include "base/plain.h"

#define BINS 240      /* parts of a thread's strip */
#define POINTS 120    /* of the curves */
#define ROWS_MAX 40   /* threads */
#define SLOW_MAX 1500 /* slow units: the longest ones */

struct row {
	uint32_t thread;
	uint64_t slow, busy_ns;
	bool stuck;	   /* hangs or spins */
	double busy[BINS]; /* ns in units */
};

struct slow {
	uint32_t thread;
	uint64_t begin_ns, end_ns;
};

/* The requests that ended in a part of the window. */
struct point {
	struct scope_sketch wall;
	uint64_t slow;
};

struct strips {
	const struct scope_analysis *analysis;
	uint64_t begin_ns, end_ns;
	struct row *row; /* by thread */
	size_t rows;
	struct slow *slow;
	size_t slows, slow_capacity;
	struct point point[POINTS];
};

static bool is_request(const struct strips *strips, const struct scope_unit *unit)
{
	const struct scope_distributions *distributions = strips->analysis->found.distributions;

	if (!distributions->requests)
		return true;
	return distributions->asked ? unit->asked : unit->granularity == SCOPE_UNIT_REQUEST;
}

static unsigned place(const struct strips *strips, uint64_t time_ns, unsigned parts)
{
	const double length = (double)(strips->end_ns - strips->begin_ns);
	const double at = time_ns > strips->begin_ns ? (double)(time_ns - strips->begin_ns) : 0;
	const unsigned part = length > 0 ? (unsigned)(at / length * parts) : 0;

	return part < parts ? part : parts - 1;
}

static void add_busy(const struct strips *strips, struct row *row, uint64_t begin_ns, uint64_t end_ns)
{
	const double bin_ns = (double)(strips->end_ns - strips->begin_ns) / BINS;
	const double from = (double)(begin_ns - strips->begin_ns), to = (double)(end_ns - strips->begin_ns);
	const unsigned last = place(strips, end_ns, BINS);

	for (unsigned bin = place(strips, begin_ns, BINS); bin <= last; bin++) {
		const double low = from > bin * bin_ns ? from : bin * bin_ns;
		const double high = to < (bin + 1) * bin_ns ? to : (bin + 1) * bin_ns;

		if (high > low)
			row->busy[bin] += high - low;
	}
}

/* What a thread did for a unit in that time. 0 or -1: no memory. */
static int take_part(struct strips *strips, const struct scope_unit_part *part, bool slow)
{
	const uint64_t begin_ns = part->begin_ns > strips->begin_ns ? part->begin_ns : strips->begin_ns;
	const uint64_t end_ns = part->end_ns < strips->end_ns ? part->end_ns : strips->end_ns;

	if (part->thread >= strips->rows || end_ns < begin_ns)
		return 0;
	add_busy(strips, &strips->row[part->thread], begin_ns, end_ns);
	strips->row[part->thread].busy_ns += end_ns - begin_ns;
	if (!slow)
		return 0;
	if (scope_grow(&strips->slow, &strips->slow_capacity, strips->slows + 1, sizeof(*strips->slow)))
		return -1;
	strips->slow[strips->slows++] = (struct slow){ part->thread, begin_ns, end_ns };
	return 0;
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct strips *strips = user;
	const struct scope_unit_part own = { unit->begin_ns, unit->end_ns, unit->thread };
	const bool slow = scope_anomaly_mark_abnormal(scope_analysis_unit_mark(strips->analysis, unit, call));
	struct point *point;

	if (unit->thread >= strips->rows || unit->end_ns < strips->begin_ns || unit->begin_ns > strips->end_ns)
		return 0;
	strips->row[unit->thread].slow += slow;
	if (is_request(strips, unit) && !unit->open) {
		point = &strips->point[place(strips, unit->end_ns < strips->end_ns ? unit->end_ns : strips->end_ns,
					     POINTS)];
		point->slow += slow;
		if (scope_sketch_count(&point->wall, scope_unit_wall(unit)))
			return -1;
	}
	if (unit->earlier && take_part(strips, &unit->earlier->part, slow))
		return -1;
	return take_part(strips, &own, slow);
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	if (one->stuck != other->stuck)
		return one->stuck ? -1 : 1;
	if (one->slow != other->slow)
		return one->slow < other->slow ? 1 : -1;
	if (one->busy_ns != other->busy_ns)
		return one->busy_ns < other->busy_ns ? 1 : -1;
	return one->thread < other->thread ? -1 : one->thread > other->thread;
}

/* The longest first. */
static int compare_slow(const void *a, const void *b)
{
	const struct slow *one = a, *other = b;
	const uint64_t length = one->end_ns - one->begin_ns, length_other = other->end_ns - other->begin_ns;

	if (length != length_other)
		return length < length_other ? 1 : -1;
	if (one->begin_ns != other->begin_ns)
		return one->begin_ns < other->begin_ns ? -1 : 1;
	return one->thread < other->thread ? -1 : one->thread > other->thread;
}

static json_t *make_row(const struct strips *strips, const struct row *row)
{
	const struct scope_thread *thread =
		scope_timeline_threads_at(strips->analysis->units->timeline->threads, row->thread);
	const double bin_ns = (double)(strips->end_ns - strips->begin_ns) / BINS;
	char *name = scope_plain_copy(thread->comm, SCOPE_PLAIN_SENTENCE);
	json_t *busy = json_array(), *made;

	for (unsigned bin = 0; bin < BINS; bin++) {
		const double percent = bin_ns > 0 ? 100 * row->busy[bin] / bin_ns : 0;

		json_array_append_new(busy, json_integer(percent > 100 ? 100 : (json_int_t)(percent + 0.5)));
	}
	made = json_pack("{s:I, s:I, s:s?, s:I, s:I, s:o}", "tid", (json_int_t)thread->tid, "pid",
			 (json_int_t)thread->tgid, "name", name, "slow", (json_int_t)row->slow, "busy_ns",
			 (json_int_t)row->busy_ns, "busy", busy);
	free(name);
	return made;
}

/* [row, begin, end] of each slow unit of a thread with a row. Sorts the rows. */
static json_t *make_slow(struct strips *strips, const uint32_t *number, size_t *ret_left_out)
{
	json_t *array = json_array();
	size_t written = 0;

	if (strips->slows)
		qsort(strips->slow, strips->slows, sizeof(*strips->slow), compare_slow);
	for (size_t i = 0; i < strips->slows && written < SLOW_MAX; i++) {
		const struct slow *slow = &strips->slow[i];

		if (number[slow->thread] == UINT32_MAX)
			continue;
		json_array_append_new(array, json_pack("[I, I, I]", (json_int_t)number[slow->thread],
						       (json_int_t)(slow->begin_ns - strips->begin_ns),
						       (json_int_t)(slow->end_ns - strips->begin_ns)));
		written++;
	}
	*ret_left_out = strips->slows - written;
	return array;
}

static json_t *make_points(const struct strips *strips)
{
	json_t *points = json_array();

	for (unsigned i = 0; i < POINTS; i++) {
		const struct scope_sketch *wall = &strips->point[i].wall;

		json_array_append_new(
			points, json_pack("[I, I, I, I, I]", (json_int_t)wall->total, (json_int_t)strips->point[i].slow,
					  (json_int_t)scope_sketch_quantile(wall, 0.5),
					  (json_int_t)scope_sketch_quantile(wall, 0.99), (json_int_t)wall->most));
	}
	return points;
}

/* Sorts the rows. */
static json_t *make(struct strips *strips)
{
	uint32_t *number = malloc((strips->rows + 1) * sizeof(*number));
	json_t *threads = json_array(), *slow;
	size_t left_out, hidden = 0;

	if (!number) {
		json_decref(threads);
		return NULL;
	}
	if (strips->rows)
		qsort(strips->row, strips->rows, sizeof(*strips->row), compare_rows);
	for (size_t i = 0; i < strips->rows; i++) {
		const bool shown = i < ROWS_MAX && (strips->row[i].busy_ns || strips->row[i].stuck);

		number[strips->row[i].thread] = shown ? (uint32_t)i : UINT32_MAX;
		if (shown)
			json_array_append_new(threads, make_row(strips, &strips->row[i]));
		else
			hidden += strips->row[i].busy_ns > 0;
	}
	slow = make_slow(strips, number, &left_out);
	free(number);
	return json_pack("{s:I, s:I, s:o, s:I, s:o, s:I, s:b, s:o}", "begin_ns", (json_int_t)strips->begin_ns, "end_ns",
			 (json_int_t)strips->end_ns, "threads", threads, "threads_left_out", (json_int_t)hidden, "slow",
			 slow, "slow_left_out", (json_int_t)left_out, "requests",
			 strips->analysis->found.distributions->requests > 0, "points", make_points(strips));
}

json_t *scope_report_picture_strips(const struct scope_analysis *analysis)
{
	const struct scope_timeline *timeline = analysis->units->timeline;
	struct strips *strips = calloc(1, sizeof(*strips));
	const struct scope_unit_sink sink = { .unit = take_unit, .user = strips };
	json_t *made = NULL;

	if (!strips)
		return NULL;
	strips->analysis = analysis;
	strips->begin_ns = timeline->begin_ns;
	strips->end_ns = timeline->end_ns;
	strips->rows = scope_timeline_threads_count(timeline->threads);
	strips->row = calloc(strips->rows + 1, sizeof(*strips->row));
	for (size_t i = 0; strips->row && i < strips->rows; i++)
		strips->row[i].thread = (uint32_t)i;
	for (size_t i = 0; strips->row && i < analysis->hang_count; i++)
		if (analysis->hangs[i].thread < strips->rows)
			strips->row[analysis->hangs[i].thread].stuck = true;
	if (strips->row &&
	    !scope_unit_distributions_replay(analysis->found.distributions, analysis->found.groups, &sink))
		made = make(strips);
	for (unsigned i = 0; i < POINTS; i++)
		scope_sketch_free(&strips->point[i].wall);
	free(strips->slow);
	free(strips->row);
	free(strips);
	return made;
}
