// SPDX-License-Identifier: GPL-2.0-only
/* Attributes the time for which tasks of requests waited to places where tasks waited then. */
#include "evidence/task_places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define PLACES_MAX 4096	    /* no rule: different stacks; others are left out */
#define PLACE_BUCKETS 16384 /* no rule: a power of two, above PLACES_MAX */
#define ROWS_MAX 8000000    /* no rule: rows of looks */
#define CORRELATION_MIN 0.2 /* of a place with the requests that wait: with less it has nothing to do with them, … */
#define CORRELATION_Z 3.3   /* … and with fewer standard errors that may be chance */
#define PROCESSES_MAX 64    /* no rule: processes whose looks are compared */

/* Tasks in one place at one time. */
struct row {
	uint64_t time_ns, since_ns;
	uint32_t tgid, place, tasks;
};

struct place {
	uint64_t hash;
	struct scope_stack_node node;
	uint8_t class;
	double squares, with_requests; /* sums over all changes, of its own and with those of requests */
	uint32_t looks, least;	       /* looks in which it was; the least number of tasks in these */
	uint32_t tasks;		       /* in the last look of its process … */
	uint64_t seen;		       /* … if it was at this time, and else 0 */
	bool settled;
	double weight; /* its correlation */
};

/* A process as of its last look. */
struct process {
	uint32_t tgid, looks;
	double waiting;
	const struct row *row;
	size_t rows;
	double squares; /* of changes of `waiting` */
};

/* A request whose task waited. */
struct waiting {
	uint64_t begin_ns, end_ns;
	uint32_t tgid, unit;
};

struct tasks {
	struct scope_attributor *attributor;
	struct scope_trace *trace;
	const struct scope_stack_nodes *stack_nodes;
	struct place *place;
	size_t places;
	uint32_t *bucket; /* place + 1 by hash */
	struct row *row;
	size_t rows, row_capacity;
	struct waiting *waiting; /* by begin */
	size_t waitings, waiting_capacity;
	uint32_t *active; /* those that wait as a look was taken */
	size_t actives;
	struct process process[PROCESSES_MAX];
	unsigned processes;
};

/* ---- what waits where ---- */

/* The names of Go's libraries for what a task waits for. */
static const struct {
	const char *begin;
	uint8_t class;
} classes[] = {
	{ "time.Sleep", SCOPE_WAIT_TIMER },	  { "net.", SCOPE_WAIT_NETWORK },
	{ "net/", SCOPE_WAIT_NETWORK },		  { "crypto/tls.", SCOPE_WAIT_NETWORK },
	{ "database/sql.", SCOPE_WAIT_NETWORK },  { "os.(*File)", SCOPE_WAIT_PIPE },
	{ "os/exec.", SCOPE_WAIT_CHILD },	  { "os.(*Process)", SCOPE_WAIT_CHILD },
	{ "internal/poll.", SCOPE_WAIT_NETWORK }, { "sync.", SCOPE_WAIT_FUTEX },
	{ "runtime.", SCOPE_WAIT_FUTEX },
};

static uint8_t class_of(const struct scope_function *below)
{
	for (size_t i = 0; below && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strncmp(below->name, classes[i].begin, strlen(classes[i].begin)))
			return classes[i].class;
	return SCOPE_WAIT_OTHER;
}

static uint64_t hash_of(uint32_t tgid, const struct scope_event *event)
{
	uint64_t hash = 14695981039346656037ull ^ tgid; /* no rule: FNV-1a, of words */

	for (uint16_t i = 0; i < event->stack.ips; i++)
		hash = (hash ^ event->stack.ip[i]) * 1099511628211ull; /* no rule */
	return hash ^ hash >> 29;				       /* no rule */
}

/* PLACES_MAX: there are too many. 0 or -ENOMEM. */
static int find_place(struct tasks *tasks, uint32_t tgid, const struct scope_event *event, uint32_t *ret_place)
{
	const uint64_t hash = hash_of(tgid, event);
	uint32_t at = (uint32_t)(hash % PLACE_BUCKETS);
	struct place *place;
	int err;

	for (; tasks->bucket[at]; at = (at + 1) % PLACE_BUCKETS)
		if (tasks->place[tasks->bucket[at] - 1].hash == hash) {
			*ret_place = tasks->bucket[at] - 1;
			return 0;
		}
	*ret_place = PLACES_MAX;
	if (tasks->places == PLACES_MAX)
		return 0;
	place = &tasks->place[tasks->places];
	*place = (struct place){ .hash = hash, .least = UINT32_MAX };
	err = scope_evidence_stack_node_of_event(tasks->stack_nodes, tgid, event, &place->node);
	if (err)
		return err;
	place->class = class_of(place->node.below);
	*ret_place = (uint32_t)tasks->places++;
	tasks->bucket[at] = (uint32_t)tasks->places;
	return 0;
}

static int read_row(void *user, const struct scope_logged_stack *logged)
{
	struct tasks *tasks = user;
	struct scope_event event;
	uint32_t place;
	int err;

	if (tasks->rows == ROWS_MAX)
		return 0;
	err = scope_unit_log_stack_at(tasks->trace, logged, &event);
	if (!err)
		err = find_place(tasks, logged->tgid, &event, &place);
	if (err)
		return err;
	if (scope_grow(&tasks->row, &tasks->row_capacity, tasks->rows + 1, sizeof(*tasks->row)))
		return -ENOMEM;
	tasks->row[tasks->rows++] =
		(struct row){ logged->time_ns, logged->since_ns, logged->tgid, place, logged->tasks };
	return 0;
}

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

		if (!unit->task_ns)
			continue;
		if (scope_grow(&tasks->waiting, &tasks->waiting_capacity, tasks->waitings + 1, sizeof(*tasks->waiting)))
			return -ENOMEM;
		tasks->waiting[tasks->waitings++] = (struct waiting){
			.begin_ns = unit->begin_ns - unit->task_ns,
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

/* Brings the list of those that wait up to that time; *next: the first that had not begun. */
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
static int for_each_look(struct tasks *tasks, int (*each)(struct tasks *tasks, const struct row *row, size_t count))
{
	size_t next = 0;
	int err = 0;

	tasks->actives = 0;
	for (size_t from = 0, end; !err && from < tasks->rows; from = end) {
		for (end = from + 1; end < tasks->rows && tasks->row[end].time_ns == tasks->row[from].time_ns &&
				     tasks->row[end].tgid == tasks->row[from].tgid;
		     end++)
			;
		go_to(tasks, tasks->row[from].time_ns, &next);
		err = each(tasks, &tasks->row[from], end - from);
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
static int count_look(struct tasks *tasks, const struct row *row, size_t count)
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
		struct place *place = row[i].place < PLACES_MAX ? &tasks->place[row[i].place] : NULL;

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
		struct place *place = process->row[i].place < PLACES_MAX ? &tasks->place[process->row[i].place] : NULL;

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

static void correlate(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->rows; i++) {
		struct place *place = tasks->row[i].place < PLACES_MAX ? &tasks->place[tasks->row[i].place] : NULL;
		const struct process *process = place && !place->settled ? process_of(tasks, tasks->row[i].tgid) : NULL;

		if (!process)
			continue;
		place->settled = true;
		if (place->looks < process->looks)
			place->least = 0;
		if (place->node.node == SCOPE_TREE_ROOT || place->squares <= 0 || process->squares <= 0)
			continue;
		place->weight = place->with_requests / sqrt(place->squares * process->squares);
		if (place->weight < fmax(CORRELATION_MIN, CORRELATION_Z / sqrt(process->looks)))
			place->weight = 0;
	}
}

static double weight_of(const struct tasks *tasks, const struct row *row)
{
	const struct place *place = row->place < PLACES_MAX ? &tasks->place[row->place] : NULL;

	return place ? place->weight * (row->tasks - place->least) : 0;
}

static int add(struct tasks *tasks, const struct row *row, uint32_t unit, double weight_ns)
{
	const struct place *place = &tasks->place[row->place];
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

static int attribute_look(struct tasks *tasks, const struct row *row, size_t count)
{
	double all = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		all += weight_of(tasks, &row[i]);
	if (all <= 0)
		return 0;
	for (size_t i = 0; !err && i < tasks->actives; i++) {
		const struct waiting *waiting = &tasks->waiting[tasks->active[i]];

		for (size_t j = 0; !err && waiting->tgid == row->tgid && j < count; j++) {
			const double weight = weight_of(tasks, &row[j]);

			if (weight > 0)
				err = add(tasks, &row[j], waiting->unit, (double)row[j].since_ns * weight / all);
		}
	}
	return err;
}

static int collect(struct tasks *tasks)
{
	struct scope_evidence *evidence = tasks->attributor->evidence;
	/* Most stacks are of tasks that have nothing to do with requests, and say nothing about what is named. */
	const struct scope_evidence before = *evidence;
	int err = scope_unit_log_tasks(tasks->attributor->kept->log, read_row, tasks);

	evidence->stacks = before.stacks;
	evidence->complete = before.complete;
	evidence->cut = before.cut;
	evidence->broken = before.broken;
	evidence->nameless = before.nameless;
	evidence->language = before.language;
	if (!err)
		err = for_each_look(tasks, count_look);
	if (err)
		return err;
	correlate(tasks);
	return for_each_look(tasks, attribute_look);
}

int scope_evidence_tasks_collect(struct scope_attributor *attributor, struct scope_trace *trace,
				 const struct scope_stack_nodes *stack_nodes)
{
	struct tasks tasks = { .attributor = attributor, .trace = trace, .stack_nodes = stack_nodes };
	int err = list_waiting(&tasks);

	if (!err && tasks.waitings) {
		tasks.place = calloc(PLACES_MAX, sizeof(*tasks.place));
		tasks.bucket = calloc(PLACE_BUCKETS, sizeof(*tasks.bucket));
		err = tasks.place && tasks.bucket ? collect(&tasks) : -ENOMEM;
	}
	free(tasks.place);
	free(tasks.bucket);
	free(tasks.row);
	free(tasks.waiting);
	free(tasks.active);
	return err;
}
