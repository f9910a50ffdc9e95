// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that have waited for too long in the middle of their work as the window ends. */
#include "evidence/stuck_tasks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WITHIN_NS 1000000000 /* a task of Python that begins to wait that soon after a request waits for it */
#define SHORT_MIN 5	     /* tasks of one start that waited shortly, summed over looks; fewer say nothing */
#define MOST 2		     /* inverse of a share of them */
#define SERVES_PART 20	     /* inverse of the part of stacks of requests in what started a task that serves */
#define P99_UNITS_MAX 4096   /* no rule: requests of which the quantile is taken */

/* Places that differ only in how long tasks have waited, or in the address within a function, are one spot. */
struct spot {
	uint32_t tgid, place; /* place: one of them */
	uint64_t mass;	      /* tasks, summed over looks */
	uint64_t short_mass;  /* of those, the ones that had not waited for a second */
	uint64_t seen_ns;     /* the last look in which any were there */
	uint64_t lasting_ns;  /* the last one with some that had waited for a second … */
	uint32_t tasks;	      /* … how many these were … */
	uint64_t since_ns;    /* … and since when the first of them had waited */
	uint32_t thread;
	bool unsure; /* it hangs, or idles */
};

/* Of lasting tasks in a place: since when the first of those waits that did in the last look with it. */
struct first {
	uint64_t since_ns;
	uint32_t waited_s;
};

struct finder {
	const struct scope_task_rows *rows;
	const struct scope_units *units;
	struct scope_evidence *evidence;
	struct spot *spot;
	uint32_t spots;
	uint32_t *spot_of;   /* by place */
	struct first *first; /* by place */
};

static void make_spots(struct finder *finder)
{
	const struct scope_task_place *place = finder->rows->place;

	for (uint32_t i = 0; i < finder->rows->places; i++) {
		uint32_t at = 0;

		for (; at < finder->spots; at++) {
			const struct scope_task_place *other = &place[finder->spot[at].place];

			if (other->tgid == place[i].tgid && other->node.node == place[i].node.node &&
			    other->start == place[i].start && other->waits == place[i].waits)
				break;
		}
		if (at == finder->spots)
			finder->spot[finder->spots++] = (struct spot){ .tgid = place[i].tgid, .place = i };
		finder->spot_of[i] = at;
	}
}

static void count_row(struct finder *finder, const struct scope_task_row *row)
{
	const uint64_t waited_ns = row->waited_s * 1000000000ull;
	const uint64_t since_ns = row->time_ns > waited_ns ? row->time_ns - waited_ns : 0;
	struct first *first;
	struct spot *spot;

	if (row->place == SCOPE_TASK_PLACES_MAX)
		return;
	spot = &finder->spot[finder->spot_of[row->place]];
	spot->mass += row->tasks;
	spot->thread = row->thread;
	spot->seen_ns = row->time_ns;
	first = &finder->first[row->place];
	/* With fewer seconds than before the first of them has gone on, and another one is the first. */
	if (row->waited_s < first->waited_s || since_ns < first->since_ns || !first->waited_s)
		first->since_ns = since_ns;
	first->waited_s = row->waited_s;
	if (!row->waited_s) {
		spot->short_mass += row->tasks;
		return;
	}
	if (spot->lasting_ns != row->time_ns)
		spot->tasks = 0;
	if (!spot->tasks || first->since_ns < spot->since_ns)
		spot->since_ns = first->since_ns;
	spot->tasks += row->tasks;
	spot->lasting_ns = row->time_ns;
}

/* True if they still waited as the process was looked at for the last time, and it has not ended since. */
static bool waits_at_end(const struct finder *finder, const struct spot *of)
{
	if (scope_timeline_threads_at(finder->units->timeline->threads, of->thread)->run == SCOPE_RUN_ENDED)
		return false;
	for (uint32_t i = 0; i < finder->spots; i++)
		if (finder->spot[i].tgid == of->tgid && finder->spot[i].seen_ns > of->lasting_ns)
			return false;
	return of->lasting_ns;
}

static int compare_times(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* How long a task of the process has to wait, ns. */
static double limit_of(const struct finder *finder, uint32_t tgid)
{
	const struct scope_units *units = finder->units;
	double time[P99_UNITS_MAX];
	size_t count = 0;

	/* Of many, some that are spread over the window. */
	for (size_t i = 0; i < units->count; i += units->count / P99_UNITS_MAX + 1) {
		const struct scope_unit *unit = &units->unit[i];

		if (unit->granularity != SCOPE_UNIT_REQUEST || !unit->asked ||
		    scope_timeline_threads_at(units->timeline->threads, unit->thread)->tgid != tgid)
			continue;
		time[count++] = (double)scope_unit_wall(unit);
	}
	if (!count)
		return SCOPE_HANG_MIN_NS;
	qsort(time, count, sizeof(*time), compare_times);
	return fmax(SCOPE_HANG_MIN_NS, SCOPE_HANG_TIMES_P99 * time[(size_t)(0.99 * (double)(count - 1))]);
}

static bool lies_above(const struct scope_tree *tree, uint32_t above, uint32_t node)
{
	if (above == node)
		return false;
	while (node != SCOPE_TREE_ROOT && node != above)
		node = tree->node[node].parent;
	return node == above;
}

/* True if most tasks that were started as these wait nearer to the start: there they wait for work. */
static bool idle_above(const struct finder *finder, const struct spot *of)
{
	const struct scope_task_place *place = finder->rows->place;

	for (uint32_t i = 0; i < finder->spots; i++) {
		const struct spot *spot = &finder->spot[i];

		if (spot->tgid == of->tgid && place[spot->place].start == place[of->place].start &&
		    spot->mass >= of->mass &&
		    lies_above(&finder->evidence->tree, place[spot->place].node.node, place[of->place].node.node))
			return true;
	}
	return false;
}

/* True if a request came right before that time, and was not answered. */
static bool began_with_request(const struct finder *finder, const struct spot *spot)
{
	const struct scope_unanswered *unanswered = finder->units->unanswered;

	for (uint32_t i = 0; i < unanswered->requests && i < SCOPE_UNANSWERED_KEPT; i++)
		if (unanswered->kept[i].tgid == spot->tgid && spot->since_ns >= unanswered->kept[i].came_ns &&
		    spot->since_ns - unanswered->kept[i].came_ns < WITHIN_NS)
			return true;
	return false;
}

/* Of tasks that were started as these and waited shortly: how many, summed over looks. */
static uint64_t short_mass_of_start(const struct finder *finder, const struct spot *of)
{
	const struct scope_task_place *place = finder->rows->place;
	uint64_t all = 0;

	for (uint32_t i = 0; i < finder->spots; i++) {
		const struct spot *spot = &finder->spot[i];

		if (spot->tgid == of->tgid && place[spot->place].start == place[of->place].start)
			all += spot->short_mass;
	}
	return all;
}

/* True if most tasks that were started as these wait shortly, and elsewhere: they serve requests, of which this one has not ended. */
static bool is_among_short(const struct finder *finder, const struct spot *of)
{
	const uint64_t all = short_mass_of_start(finder, of);

	return all >= SHORT_MIN && of->short_mass * MOST < all;
}

/* Of a process: number of requests that are in work at one time, on average. */
static double requests_in_work(const struct finder *finder, uint32_t tgid)
{
	const struct scope_timeline *timeline = finder->units->timeline;
	double time_ns = 0;

	for (size_t i = 0; i < finder->units->count; i++) {
		const struct scope_unit *unit = &finder->units->unit[i];

		if (unit->granularity == SCOPE_UNIT_REQUEST && unit->asked &&
		    scope_timeline_threads_at(timeline->threads, unit->thread)->tgid == tgid)
			time_ns += (double)scope_unit_wall(unit);
	}
	return time_ns / (double)(timeline->end_ns - timeline->begin_ns);
}

/*
 * True if most tasks that were started as these wait here shortly, and there are more of them than requests are in work (Little's law): a
 * connection is idle here between its requests.
 */
static bool idles_between(const struct finder *finder, const struct spot *of)
{
	const double looks = (double)scope_evidence_task_rows_looks(finder->rows, of->tgid);

	return of->short_mass >= SHORT_MIN && of->short_mass * MOST >= short_mass_of_start(finder, of) &&
	       (double)of->short_mass > MOST * looks * requests_in_work(finder, of->tgid);
}

static bool is_below(const struct scope_tree *tree, uint32_t node, const struct scope_function *function)
{
	while (node != SCOPE_TREE_ROOT && tree->node[node].function != function)
		node = tree->node[node].parent;
	return node != SCOPE_TREE_ROOT;
}

/* True if requests run in the function that started these. It may run for other reasons, too. */
static bool serves(const struct finder *finder, const struct spot *spot)
{
	const struct scope_function *start = finder->rows->place[spot->place].start;
	const struct scope_evidence *evidence = finder->evidence;
	size_t all = 0, within = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_unit *unit;

		if (item->kind != SCOPE_ITEM_RUN || item->task || item->reference || item->node == SCOPE_TREE_ROOT)
			continue;
		unit = &finder->units->unit[item->unit];
		if (!unit->asked ||
		    scope_timeline_threads_at(finder->units->timeline->threads, unit->thread)->tgid != spot->tgid)
			continue;
		all++;
		within += is_below(&evidence->tree, item->node, start);
	}
	return within >= SHORT_MIN && within * SERVES_PART >= all;
}

static bool is_stuck(const struct finder *finder, struct spot *spot)
{
	const struct scope_task_place *place = &finder->rows->place[spot->place];

	if (!spot->tasks || place->node.node == SCOPE_TREE_ROOT || !place->start || !waits_at_end(finder, spot) ||
	    (double)(finder->units->timeline->end_ns - spot->since_ns) < limit_of(finder, spot->tgid))
		return false;
	if (place->lock)
		return true;
	if (place->asyncio && place->class != SCOPE_WAIT_NETWORK &&
	    (began_with_request(finder, spot) || (!place->choice && is_among_short(finder, spot))))
		return true;
	spot->unsure = place->asyncio && place->class != SCOPE_WAIT_NETWORK && !place->choice &&
		       !idles_between(finder, spot) && serves(finder, spot);
	if (spot->unsure)
		return true;
	if (scope_evidence_task_name_begins(place->start, "runtime.") || place->class == SCOPE_WAIT_NETWORK)
		return false;
	return place->start->library || (!place->choice && idle_above(finder, spot));
}

int scope_evidence_stuck_tasks_find(const struct scope_task_rows *rows, const struct scope_units *units,
				    struct scope_evidence *evidence)
{
	struct finder finder = { .rows = rows, .units = units, .evidence = evidence };
	int err = 0;

	if (!rows->rows)
		return 0;
	finder.spot = calloc(rows->places + 1, sizeof(*finder.spot));
	finder.spot_of = calloc(rows->places + 1, sizeof(*finder.spot_of));
	finder.first = calloc(rows->places + 1, sizeof(*finder.first));
	evidence->stuck = calloc(rows->places + 1, sizeof(*evidence->stuck));
	if (!finder.spot || !finder.spot_of || !finder.first || !evidence->stuck)
		err = -ENOMEM;
	if (!err) {
		make_spots(&finder);
		for (size_t i = 0; i < rows->rows; i++)
			count_row(&finder, &rows->row[i]);
	}
	for (uint32_t i = 0; !err && i < finder.spots; i++) {
		const struct scope_task_place *place = &rows->place[finder.spot[i].place];
		struct spot *spot = &finder.spot[i];

		if (!is_stuck(&finder, spot))
			continue;
		evidence->stuck[evidence->stucks++] = (struct scope_stuck_tasks){
			.node = place->node,
			.waits = place->node.below,
			.since_ns = spot->since_ns,
			.thread = spot->thread,
			.tasks = spot->tasks,
			.class = place->class,
			.asyncio = place->asyncio,
			.lock = place->lock,
			.unsure = spot->unsure || (place->choice && !place->lock),
		};
		scope_evidence_tree_vote(&evidence->tree, place->node.node, place->node.circle, place->node.circles);
	}
	free(finder.spot);
	free(finder.spot_of);
	free(finder.first);
	return err;
}
