// SPDX-License-Identifier: GPL-2.0-only
/* Attributes the time for which tasks of requests waited to places where tasks waited then. */
#include "evidence/task_places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define CORRELATION_MIN 0.2 /* of a place with the requests that wait: with less it has nothing to do with them, … */
#define CORRELATION_Z 3.3   /* … and with fewer standard errors that may be chance */
#define PROCESSES_MAX 64    /* no rule: processes whose looks are compared */

/* Who ends what a task waits for. One of a lower level may keep those of the higher ones waiting. */
enum level {
	LEVEL_OTHER,  /* no task: a clock, a peer, a child */
	LEVEL_FUTURE, /* another task, or a thread */
	LEVEL_TASK,   /* only another task: a lock, a channel, a group */
	LEVELS,
};

/* How the number of tasks in a place changed from look to look. */
struct place {
	double squares, with_requests; /* sums over all changes, of its own and with those of requests */
	uint32_t looks, least;	       /* looks in which it was; the least number of tasks in these */
	uint32_t tasks;		       /* in the last look of its process … */
	uint64_t seen;		       /* … if it was at this time, and else 0 */
	bool settled;
	double weight; /* its correlation */
	/*
	 * Number of looks in which more tasks were in it than in all looks; of these, the looks in which others of a
	 * higher level waited.
	 */
	uint32_t above, beside;
	bool keeps; /* the others wait for those in it */
};

/* A process as of its last look. */
struct process {
	uint32_t tgid, looks;
	double waiting;
	const struct scope_task_row *row;
	size_t rows;
	double squares;		 /* of changes of `waiting` */
	uint32_t waited[LEVELS]; /* looks in which tasks of a higher level waited */
};

/* A request whose task waited. */
struct waiting {
	uint64_t begin_ns, end_ns;
	uint32_t tgid, unit;
};

struct tasks {
	struct scope_attributor *attributor;
	const struct scope_task_rows *looks;
	struct place *place;	 /* as of looks */
	struct waiting *waiting; /* by begin */
	size_t waitings, waiting_capacity;
	uint32_t *active; /* those that wait as a look was taken */
	size_t actives;
	struct process process[PROCESSES_MAX];
	unsigned processes;
};

/* ---- which requests wait ---- */

static int compare_waiting(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static int list_waiting(struct tasks *tasks)
{
	const struct scope_units *units = tasks->attributor->units;

	for (size_t i = 0; i < units->count; i++) {
		const struct scope_unit *unit = &units->unit[i];

		if (!scope_unit_task_ns(unit))
			continue;
		if (scope_grow(&tasks->waiting, &tasks->waiting_capacity, tasks->waitings + 1, sizeof(*tasks->waiting)))
			return -ENOMEM;
		tasks->waiting[tasks->waitings++] = (struct waiting){
			.begin_ns = unit->begin_ns - scope_unit_task_ns(unit),
			.end_ns = unit->begin_ns,
			.tgid = scope_timeline_threads_at(units->timeline->threads, unit->thread)->tgid,
			.unit = (uint32_t)i,
		};
	}
	if (!tasks->waitings)
		return 0;
	qsort(tasks->waiting, tasks->waitings, sizeof(*tasks->waiting), compare_waiting);
	tasks->active = calloc(tasks->waitings, sizeof(*tasks->active));
	return tasks->active ? 0 : -ENOMEM;
}

/* Updates the list of requests that wait to that time. *next: the first request that had not begun. */
static void go_to(struct tasks *tasks, uint64_t time_ns, size_t *next)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->actives; i++)
		if (tasks->waiting[tasks->active[i]].end_ns >= time_ns)
			tasks->active[kept++] = tasks->active[i];
	tasks->actives = kept;
	for (; *next < tasks->waitings && tasks->waiting[*next].begin_ns <= time_ns; ++*next)
		if (tasks->waiting[*next].end_ns >= time_ns)
			tasks->active[tasks->actives++] = (uint32_t)*next;
}

/* Calls each() with every look: rows of one process at one time. */
static int for_each_look(struct tasks *tasks,
			 int (*each)(struct tasks *tasks, const struct scope_task_row *row, size_t count))
{
	size_t next = 0;
	int err = 0;

	tasks->actives = 0;
	for (size_t from = 0, end; !err && from < tasks->looks->rows; from = end) {
		end = scope_evidence_task_rows_look_end(tasks->looks, from);
		go_to(tasks, tasks->looks->row[from].time_ns, &next);
		err = each(tasks, &tasks->looks->row[from], end - from);
	}
	return err;
}

/* ---- how they go together ---- */

static struct process *process_of(struct tasks *tasks, uint32_t tgid)
{
	unsigned at = 0;

	while (at < tasks->processes && tasks->process[at].tgid != tgid)
		at++;
	if (at == PROCESSES_MAX)
		return NULL;
	if (at == tasks->processes)
		tasks->process[tasks->processes++] = (struct process){ .tgid = tgid };
	return &tasks->process[at];
}

static void count_change(struct place *place, double change, double waiting)
{
	place->squares += change * change;
	place->with_requests += change * waiting;
}

/*
 * Changes from look to look are compared, and not the numbers: connections come and go in a window, and with them tasks that wait
 * for requests.
 */
static int count_look(struct tasks *tasks, const struct scope_task_row *row, size_t count)
{
	struct process *process = process_of(tasks, row->tgid);
	double waiting = 0, change;

	if (!process)
		return 0;
	for (size_t i = 0; i < tasks->actives; i++)
		waiting += tasks->waiting[tasks->active[i]].tgid == row->tgid;
	change = process->looks ? waiting - process->waiting : 0;
	process->squares += change * change;
	/* What is in neither look does not change; what is in the last one alone goes to 0. */
	for (size_t i = 0; i < count; i++) {
		struct place *place = row[i].place < SCOPE_TASK_PLACES_MAX ? &tasks->place[row[i].place] : NULL;

		if (!place)
			continue;
		if (process->looks)
			count_change(place, (double)row[i].tasks - place->tasks, change);
		place->looks++;
		place->tasks = row[i].tasks;
		place->least = row[i].tasks < place->least ? row[i].tasks : place->least;
		place->seen = row->time_ns;
	}
	for (size_t i = 0; i < process->rows; i++) {
		struct place *place =
			process->row[i].place < SCOPE_TASK_PLACES_MAX ? &tasks->place[process->row[i].place] : NULL;

		if (!place || place->seen == row->time_ns)
			continue;
		count_change(place, -(double)place->tasks, change);
		place->tasks = 0;
	}
	process->looks++;
	process->waiting = waiting;
	process->row = row;
	process->rows = count;
	return 0;
}

/*
 * What comes from the other end of such a connection is written by another task, which is where it is: this one says nothing. A loop of asyncio
 * has such a connection to wake itself.
 */
static bool waits_for_itself(const struct tasks *tasks, const struct scope_task_row *row)
{
	const struct scope_task_place *place = &tasks->looks->place[row->place];

	return tasks->looks->within && !place->asyncio && place->class == SCOPE_WAIT_NETWORK;
}

static void correlate(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->looks->rows; i++) {
		const struct scope_task_row *row = &tasks->looks->row[i];
		struct place *place = row->place < SCOPE_TASK_PLACES_MAX ? &tasks->place[row->place] : NULL;
		const struct process *process = place && !place->settled ? process_of(tasks, row->tgid) : NULL;

		if (!process)
			continue;
		place->settled = true;
		if (place->looks < process->looks)
			place->least = 0;
		if (tasks->looks->place[row->place].node.node == SCOPE_TREE_ROOT || place->squares <= 0 ||
		    process->squares <= 0 || waits_for_itself(tasks, row))
			continue;
		place->weight = place->with_requests / sqrt(place->squares * process->squares);
		if (place->weight < fmax(CORRELATION_MIN, CORRELATION_Z / sqrt(process->looks)))
			place->weight = 0;
	}
}

static double weight_of(const struct tasks *tasks, const struct scope_task_row *row)
{
	const struct place *place = row->place < SCOPE_TASK_PLACES_MAX ? &tasks->place[row->place] : NULL;

	return place ? place->weight * (row->tasks - place->least) : 0;
}

/* ---- which ones wait for which ---- */

static enum level level_of(const struct tasks *tasks, const struct scope_task_row *row)
{
	const struct scope_task_place *place = &tasks->looks->place[row->place];

	return place->class != SCOPE_WAIT_FUTEX ? LEVEL_OTHER : place->future ? LEVEL_FUTURE : LEVEL_TASK;
}

static int count_beside(struct tasks *tasks, const struct scope_task_row *row, size_t count)
{
	struct process *process = process_of(tasks, row->tgid);
	enum level highest = LEVEL_OTHER;

	for (size_t i = 0; i < count; i++)
		if (weight_of(tasks, &row[i]) > 0 && level_of(tasks, &row[i]) > highest)
			highest = level_of(tasks, &row[i]);
	if (process)
		for (unsigned level = 0; level < highest; level++)
			process->waited[level]++;
	for (size_t i = 0; i < count; i++) {
		if (weight_of(tasks, &row[i]) <= 0)
			continue;
		tasks->place[row[i].place].above++;
		tasks->place[row[i].place].beside += level_of(tasks, &row[i]) < highest;
	}
	return 0;
}

/* Tasks are waited for if they are where they are while others wait more often than by chance (hypergeometric distribution). */
static void find_keepers(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->looks->rows; i++) {
		const struct scope_task_row *row = &tasks->looks->row[i];
		const struct process *process = process_of(tasks, row->tgid);
		double above, deviation, waited;
		struct place *place;

		if (!process || row->place == SCOPE_TASK_PLACES_MAX)
			continue;
		place = &tasks->place[row->place];
		above = place->above / (double)process->looks;
		waited = process->waited[level_of(tasks, row)];
		deviation = sqrt(waited * above * (1 - above) * (1 - waited / process->looks));
		place->keeps = deviation > 0 && place->beside > waited * above + CORRELATION_Z * deviation;
	}
}

static int add(struct tasks *tasks, const struct scope_task_row *row, uint32_t unit, double weight_ns)
{
	const struct scope_task_place *place = &tasks->looks->place[row->place];
	const uint8_t mark = tasks->attributor->kept->mark[unit];
	const struct scope_stretch stretch = {
		.begin_ns = row->time_ns,
		.end_ns = row->time_ns,
		.weight_ns = weight_ns,
		.task = true,
		.class = place->class,
		.nr = SCOPE_NR_NONE,
		.unit = unit,
	};

	if (scope_anomaly_mark_abnormal(mark)) {
		tasks->attributor->evidence->stacks++;
		scope_evidence_tree_vote(&tasks->attributor->evidence->tree, place->node.node, place->node.circle,
					 place->node.circles);
	}
	/* No thread waits there, so no other one waits for that thread. */
	return scope_evidence_attributor_add(tasks->attributor, UINT32_MAX, &stretch, place->node);
}

/* The lowest level of tasks that keep others waiting; LEVELS: none does. */
static enum level keeper_of(const struct tasks *tasks, const struct scope_task_row *row, size_t count)
{
	enum level lowest = LEVELS;

	for (size_t i = 0; i < count; i++)
		if (weight_of(tasks, &row[i]) > 0 && tasks->place[row[i].place].keeps &&
		    level_of(tasks, &row[i]) < lowest)
			lowest = level_of(tasks, &row[i]);
	return lowest;
}

/* Blame follows the wait: beside tasks that are waited for, those that wait for a task do not count. */
static int attribute_look(struct tasks *tasks, const struct scope_task_row *row, size_t count)
{
	const enum level keeper = keeper_of(tasks, row, count);
	double all = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		if (weight_of(tasks, &row[i]) > 0 && level_of(tasks, &row[i]) <= keeper)
			all += weight_of(tasks, &row[i]);
	if (all <= 0)
		return 0;
	for (size_t i = 0; !err && i < tasks->actives; i++) {
		const struct waiting *waiting = &tasks->waiting[tasks->active[i]];

		for (size_t j = 0; !err && waiting->tgid == row->tgid && j < count; j++) {
			const double weight = weight_of(tasks, &row[j]);

			if (weight > 0 && level_of(tasks, &row[j]) <= keeper)
				err = add(tasks, &row[j], waiting->unit, (double)row[j].since_ns * weight / all);
		}
	}
	return err;
}

int scope_evidence_task_places_collect(struct scope_attributor *attributor, const struct scope_task_rows *looks)
{
	struct tasks tasks = { .attributor = attributor, .looks = looks };
	int err = list_waiting(&tasks);

	if (!err && tasks.waitings && looks->rows) {
		tasks.place = calloc(looks->places, sizeof(*tasks.place));
		err = tasks.place ? 0 : -ENOMEM;
		for (size_t i = 0; !err && i < looks->places; i++)
			tasks.place[i].least = UINT32_MAX;
		if (!err)
			err = for_each_look(&tasks, count_look);
		if (!err) {
			correlate(&tasks);
			err = for_each_look(&tasks, count_beside);
		}
		if (!err) {
			find_keepers(&tasks);
			err = for_each_look(&tasks, attribute_look);
		}
	}
	free(tasks.place);
	free(tasks.waiting);
	free(tasks.active);
	return err;
}
