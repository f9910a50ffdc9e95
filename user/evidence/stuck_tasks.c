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

/* Places that differ only in how long tasks have waited, or in the address within a function, are one group. */
struct group {
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
	struct group *group;
	uint32_t groups;
	uint32_t *group_of;  /* by place */
	struct first *first; /* by place */
};

static void make_groups(struct finder *finder)
{
	const struct scope_task_place *place = finder->rows->place;

	for (uint32_t i = 0; i < finder->rows->places; i++) {
		uint32_t at = 0;

		for (; at < finder->groups; at++) {
			const struct scope_task_place *other = &place[finder->group[at].place];

			if (other->tgid == place[i].tgid && other->node.node == place[i].node.node &&
			    other->start == place[i].start && other->waits == place[i].waits)
				break;
		}
		if (at == finder->groups)
			finder->group[finder->groups++] = (struct group){ .tgid = place[i].tgid, .place = i };
		finder->group_of[i] = at;
	}
}

static void count_row(struct finder *finder, const struct scope_task_row *row)
{
	const uint64_t waited_ns = row->waited_s * 1000000000ull;
	const uint64_t since_ns = row->time_ns > waited_ns ? row->time_ns - waited_ns : 0;
	struct first *first;
	struct group *group;

	if (row->place == SCOPE_TASK_PLACES_MAX)
		return;
	group = &finder->group[finder->group_of[row->place]];
	group->mass += row->tasks;
	group->thread = row->thread;
	group->seen_ns = row->time_ns;
	first = &finder->first[row->place];
	/* With fewer seconds than before the first of them has gone on, and another one is the first. */
	if (row->waited_s < first->waited_s || since_ns < first->since_ns || !first->waited_s)
		first->since_ns = since_ns;
	first->waited_s = row->waited_s;
	if (!row->waited_s) {
		group->short_mass += row->tasks;
		return;
	}
	if (group->lasting_ns != row->time_ns)
		group->tasks = 0;
	if (!group->tasks || first->since_ns < group->since_ns)
		group->since_ns = first->since_ns;
	group->tasks += row->tasks;
	group->lasting_ns = row->time_ns;
}

/* True if they still waited as the process was looked at for the last time, and it has not ended since. */
static bool waits_at_end(const struct finder *finder, const struct group *of)
{
	if (scope_timeline_threads_at(finder->units->timeline->threads, of->thread)->run == SCOPE_RUN_ENDED)
		return false;
	for (uint32_t i = 0; i < finder->groups; i++)
		if (finder->group[i].tgid == of->tgid && finder->group[i].seen_ns > of->lasting_ns)
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
static bool idle_above(const struct finder *finder, const struct group *of)
{
	const struct scope_task_place *place = finder->rows->place;

	for (uint32_t i = 0; i < finder->groups; i++) {
		const struct group *group = &finder->group[i];

		if (group->tgid == of->tgid && place[group->place].start == place[of->place].start &&
		    group->mass >= of->mass &&
		    lies_above(&finder->evidence->tree, place[group->place].node.node, place[of->place].node.node))
			return true;
	}
	return false;
}

/* True if a request came right before that time, and was not answered. */
static bool began_with_request(const struct finder *finder, const struct group *group)
{
	const struct scope_unanswered *unanswered = finder->units->unanswered;

	for (uint32_t i = 0; i < unanswered->requests && i < SCOPE_UNANSWERED_KEPT; i++)
		if (unanswered->kept[i].tgid == group->tgid && group->since_ns >= unanswered->kept[i].came_ns &&
		    group->since_ns - unanswered->kept[i].came_ns < WITHIN_NS)
			return true;
	return false;
}

/* Of tasks that were started as these and waited shortly: how many, summed over looks. */
static uint64_t short_mass_of_start(const struct finder *finder, const struct group *of)
{
	const struct scope_task_place *place = finder->rows->place;
	uint64_t all = 0;

	for (uint32_t i = 0; i < finder->groups; i++) {
		const struct group *group = &finder->group[i];

		if (group->tgid == of->tgid && place[group->place].start == place[of->place].start)
			all += group->short_mass;
	}
	return all;
}

/* True if most tasks that were started as these wait shortly, and elsewhere: they serve requests, of which this one has not ended. */
static bool is_among_short(const struct finder *finder, const struct group *of)
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
static bool idles_between(const struct finder *finder, const struct group *of)
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
static bool serves(const struct finder *finder, const struct group *group)
{
	const struct scope_function *start = finder->rows->place[group->place].start;
	const struct scope_evidence *evidence = finder->evidence;
	size_t all = 0, within = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_unit *unit;

		if (item->kind != SCOPE_ITEM_RUN || item->task || item->reference || item->node == SCOPE_TREE_ROOT)
			continue;
		unit = &finder->units->unit[item->unit];
		if (!unit->asked ||
		    scope_timeline_threads_at(finder->units->timeline->threads, unit->thread)->tgid != group->tgid)
			continue;
		all++;
		within += is_below(&evidence->tree, item->node, start);
	}
	return within >= SHORT_MIN && within * SERVES_PART >= all;
}

static bool is_stuck(const struct finder *finder, struct group *group)
{
	const struct scope_task_place *place = &finder->rows->place[group->place];

	if (!group->tasks || place->node.node == SCOPE_TREE_ROOT || !place->start || !waits_at_end(finder, group) ||
	    (double)(finder->units->timeline->end_ns - group->since_ns) < limit_of(finder, group->tgid))
		return false;
	if (place->lock)
		return true;
	if (place->asyncio && place->class != SCOPE_WAIT_NETWORK &&
	    (began_with_request(finder, group) || (!place->choice && is_among_short(finder, group))))
		return true;
	group->unsure = place->asyncio && place->class != SCOPE_WAIT_NETWORK && !place->choice &&
			!idles_between(finder, group) && serves(finder, group);
	if (group->unsure)
		return true;
	if (scope_evidence_task_name_begins(place->start, "runtime.") || place->class == SCOPE_WAIT_NETWORK)
		return false;
	return place->start->library || (!place->choice && idle_above(finder, group));
}

int scope_evidence_stuck_tasks_find(const struct scope_task_rows *rows, const struct scope_units *units,
				    struct scope_evidence *evidence)
{
	struct finder finder = { .rows = rows, .units = units, .evidence = evidence };
	int err = 0;

	if (!rows->rows)
		return 0;
	finder.group = calloc(rows->places + 1, sizeof(*finder.group));
	finder.group_of = calloc(rows->places + 1, sizeof(*finder.group_of));
	finder.first = calloc(rows->places + 1, sizeof(*finder.first));
	evidence->stuck = calloc(rows->places + 1, sizeof(*evidence->stuck));
	if (!finder.group || !finder.group_of || !finder.first || !evidence->stuck)
		err = -ENOMEM;
	if (!err) {
		make_groups(&finder);
		for (size_t i = 0; i < rows->rows; i++)
			count_row(&finder, &rows->row[i]);
	}
	for (uint32_t i = 0; !err && i < finder.groups; i++) {
		const struct scope_task_place *place = &rows->place[finder.group[i].place];
		struct group *group = &finder.group[i];

		if (!is_stuck(&finder, group))
			continue;
		evidence->stuck[evidence->stucks++] = (struct scope_stuck_tasks){
			.node = place->node,
			.waits = place->node.below,
			.since_ns = group->since_ns,
			.thread = group->thread,
			.tasks = group->tasks,
			.class = place->class,
			.asyncio = place->asyncio,
			.lock = place->lock,
			.unsure = group->unsure || (place->choice && !place->lock),
		};
		scope_evidence_tree_vote(&evidence->tree, place->node.node, place->node.circle, place->node.circles);
	}
	free(finder.group);
	free(finder.group_of);
	free(finder.first);
	return err;
}
