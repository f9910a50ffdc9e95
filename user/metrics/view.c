// SPDX-License-Identifier: GPL-2.0-only
/* Metrics by thread, group, object or kind of work. */
#include "metrics/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "metrics/host_line.h"

const char *const scope_metrics_by_name[SCOPE_METRICS_BYS] = {
	[SCOPE_METRICS_BY_THREAD] = "thread",
	[SCOPE_METRICS_BY_GROUP] = "group",
	[SCOPE_METRICS_BY_OBJECT] = "object",
	[SCOPE_METRICS_BY_KIND] = "kind",
};

static bool has_host(enum scope_metrics_by by)
{
	return by == SCOPE_METRICS_BY_THREAD || by == SCOPE_METRICS_BY_GROUP;
}

static bool has_objects(uint8_t family)
{
	return family != SCOPE_METRICS_SCHEDULING && family < SCOPE_METRICS_MEMORY;
}

const char *scope_metrics_view_lacks(const struct scope_metrics_view *view, enum scope_metric metric)
{
	const uint8_t family = scope_metrics_row[metric].family;

	if (family == SCOPE_METRICS_BLOCK && !view->metrics->block_events)
		return "no request to a block device is in the trace: record with --block, by the module";
	if (family == SCOPE_METRICS_MEMORY && !view->metrics->counters)
		return "what threads counted is not in the trace: record with --memory";
	if (family == SCOPE_METRICS_STALL && !view->metrics->stalls)
		return "the begin and end of reclaim are not in the trace: record by the module";
	if (family == SCOPE_METRICS_INTERRUPT && !view->metrics->interrupts)
		return "interrupts are not in the trace: record with --interrupts, by the module";
	if (family == SCOPE_METRICS_WORK && !view->metrics->units)
		return "the units of the trace were not looked for";
	if (family == SCOPE_METRICS_HOST)
		return scope_metrics_host_lacks(view->metrics, metric, has_host(view->by));
	if (view->by == SCOPE_METRICS_BY_OBJECT && !has_objects(family))
		return "threads have it, objects have not";
	if (view->by == SCOPE_METRICS_BY_KIND && family != SCOPE_METRICS_WORK && metric != SCOPE_METRIC_RUN &&
	    metric != SCOPE_METRIC_QUEUE)
		return "it is not known by kind of work";
	return NULL;
}

bool scope_metrics_view_has(const struct scope_metrics_view *view, const struct scope_metric_line *line,
			    enum scope_metric metric)
{
	return line->host == (scope_metrics_row[metric].family == SCOPE_METRICS_HOST) &&
	       !scope_metrics_view_lacks(view, metric);
}

uint64_t scope_metrics_view_base_ns(const struct scope_metrics_view *view, const struct scope_metric_line *line,
				    const struct scope_metric_cells *cells, uint64_t passed_ns)
{
	return has_host(view->by) && !line->host ? scope_metrics_present_ns(cells) : passed_ns;
}

uint64_t scope_metrics_present_ns(const struct scope_metric_cells *cells)
{
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < SCOPE_METRIC_STATES; i++)
		sum_ns += cells->value[i];
	return sum_ns;
}

uint64_t scope_metrics_view_step_ns(const struct scope_metrics_view *view, size_t step)
{
	const uint64_t begin_ns = view->begin_ns + step * view->step_ns;

	return begin_ns + view->step_ns > view->end_ns && view->end_ns > begin_ns ? view->end_ns - begin_ns
										  : view->step_ns;
}

static const struct scope_metric_store *store_of(const struct scope_metrics *metrics, enum scope_metrics_by by)
{
	return by == SCOPE_METRICS_BY_OBJECT ? &metrics->object
	       : by == SCOPE_METRICS_BY_KIND ? &metrics->kind
					     : &metrics->thread;
}

/* True for the series that all later threads share. */
static bool is_shared(const struct scope_metrics *metrics, size_t series)
{
	return series >= scope_metrics_series(metrics, SIZE_MAX);
}

static void name_thread(const struct scope_metrics *metrics, const struct scope_distributions *distributions, size_t at,
			struct scope_metric_line *line)
{
	const struct scope_thread *thread = scope_timeline_threads_at(distributions->run->timeline->threads, at);

	if (is_shared(metrics, at)) {
		snprintf(line->name, sizeof(line->name), "all later threads");
		return;
	}
	snprintf(line->name, sizeof(line->name), "%s", thread->comm);
	line->tid = thread->tid;
	line->tgid = thread->tgid;
}

/* How the group's threads wait for work, to distinguish groups with one name. */
static const char *pickup_name(const struct scope_group *group)
{
	switch (group->pickup) {
	case SCOPE_CALL_POLL:
		return "polls";
	case SCOPE_CALL_FUTEX:
		return "waits for a futex";
	case SCOPE_CALL_SLEEP:
		return "sleeps";
	case SCOPE_CALL_ACCEPT:
		return "accepts";
	case SCOPE_CALL_READ:
		return "reads";
	default:
		return group->reads ? "reads from clients" : "picks up nothing";
	}
}

void scope_metrics_view_name_group(const struct scope_groups *groups, size_t at, char name[SCOPE_METRICS_NAME])
{
	const struct scope_group *group = &groups->group[at];
	bool alone = true;

	for (size_t i = 0; i < groups->count; i++)
		alone = alone && (i == at || strcmp(groups->group[i].name, group->name));
	snprintf(name, SCOPE_METRICS_NAME, "%s%s%s%s%s", group->name, alone ? "" : " (",
		 alone ? "" : pickup_name(group),
		 !alone && group->reads && group->pickup != SCOPE_CALL_PLAIN ? ", for clients" : "", alone ? "" : ")");
}

void scope_metrics_view_describe_group(const struct scope_group *group, struct scope_metric_line *line)
{
	line->threads = group->threads;
	line->serves = group->reads;
	line->pickup = group->pickup == SCOPE_CALL_PLAIN && line->serves ? SCOPE_CALL_READ : group->pickup;
}

static const char *kind_name(uint8_t kind)
{
	static const char *const name[SCOPE_FD_KINDS] = {
		[SCOPE_FD_UNKNOWN] = "of no known kind",
		[SCOPE_FD_FILE] = "a file",
		[SCOPE_FD_LISTEN] = "listening",
		[SCOPE_FD_ACCEPTED] = "accepted",
		[SCOPE_FD_CONNECTED] = "connected",
		[SCOPE_FD_DATAGRAM] = "a socket",
		[SCOPE_FD_PIPE] = "a pipe",
		[SCOPE_FD_EPOLL] = "an epoll",
		[SCOPE_FD_EVENT] = "an event",
		[SCOPE_FD_TTY] = "a terminal",
	};

	return kind < SCOPE_FD_KINDS ? name[kind] : "?";
}

static void name_object(const struct scope_metric_object *object, struct scope_metric_line *line)
{
	line->tgid = object->tgid;
	switch (object->type) {
	case SCOPE_OBJECT_FUTEX:
		snprintf(line->name, sizeof(line->name), "futex %#" PRIx64 " of %u", object->id * 8, object->tgid);
		break;
	case SCOPE_OBJECT_DESCRIPTOR:
		if (object->id == UINT32_MAX)
			snprintf(line->name, sizeof(line->name), "descriptors of %u that are not known", object->tgid);
		else
			snprintf(line->name, sizeof(line->name), "descriptor %" PRIu64 " of %u, %s", object->id,
				 object->tgid, kind_name(object->kind));
		break;
	case SCOPE_OBJECT_DEVICE:
		snprintf(line->name, sizeof(line->name), "device %" PRIu64 ":%" PRIu64,
			 object->id >> SCOPE_BLOCK_MINOR_BITS, object->id & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1));
		break;
	default:
		snprintf(line->name, sizeof(line->name), "all others");
	}
}

/* Names a kind by its group and the first calls that its units make. */
static void name_kind(const struct scope_groups *groups, const struct scope_metric_kind *kind,
		      struct scope_metric_line *line)
{
	const struct scope_vector *vector;
	size_t used;

	if (kind->group >= groups->count) {
		snprintf(line->name, sizeof(line->name), "all others");
		return;
	}
	scope_metrics_view_name_group(groups, kind->group, line->name);
	vector = scope_cluster_vector_set_get(groups->group[kind->group].vectors, kind->vector);
	used = strlen(line->name);
	used += (size_t)snprintf(
		line->name + used, sizeof(line->name) - used,
		"%s:", groups->group[kind->group].reads && !scope_unit_vector_took(vector) ? ", no request" : "");
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX && used + 24 < sizeof(line->name); nr++) {
		const char *name = scope_cluster_vector_has(vector, nr) ? scope_syscall_name(nr) : NULL;

		if (name)
			used += (size_t)snprintf(line->name + used, sizeof(line->name) - used, " %.22s", name);
	}
}

static void sum_line(const struct scope_metrics_view *view, struct scope_metric_line *line)
{
	for (size_t i = 0; i < view->steps; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++)
			line->total.value[j] += line->cell[i].value[j];
}

static int compare_names(const void *left, const void *right)
{
	const struct scope_metric_line *a = left, *b = right;
	const int order = a->host != b->host ? (a->host ? -1 : 1) : strcmp(a->name, b->name);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

/* The sum of all times that are not states. */
static uint64_t weight(const struct scope_metric_line *line)
{
	uint64_t sum_ns = 0;

	for (unsigned i = SCOPE_METRIC_STATES; i < SCOPE_METRICS; i++)
		if (scope_metrics_row[i].unit == SCOPE_METRICS_TIME)
			sum_ns += line->total.value[i];
	return sum_ns;
}

static int compare_weights(const void *left, const void *right)
{
	const uint64_t a = weight(left), b = weight(right);

	return a != b ? (a < b) - (a > b) : compare_names(left, right);
}

void scope_metrics_view_sort(struct scope_metrics_view *view)
{
	const bool by_weight = view->by == SCOPE_METRICS_BY_OBJECT || view->by == SCOPE_METRICS_BY_KIND;

	if (view->lines)
		qsort(view->line, view->lines, sizeof(*view->line), by_weight ? compare_weights : compare_names);
}

/* Sums up a group; the number after the last group is for the series that threads share. */
static void sum_group(const struct scope_metrics_view *view, const struct scope_groups *groups, size_t at,
		      struct scope_metric_line *line)
{
	const struct scope_metrics *metrics = view->metrics;
	const struct scope_metric_store *store = &metrics->thread;

	for (size_t i = 0; i < store->count; i++) {
		const bool shared = is_shared(metrics, i);

		if (shared ? at == groups->count : i < groups->threads && groups->of_thread[i] == at)
			scope_metrics_store_sum(store, i, line->cell, view->steps);
	}
	if (at == groups->count) {
		snprintf(line->name, sizeof(line->name), "all later threads");
		return;
	}
	scope_metrics_view_name_group(groups, at, line->name);
	scope_metrics_view_describe_group(&groups->group[at], line);
	line->latency = metrics->units && at < metrics->groups ? &metrics->group_latency[at] : NULL;
}

/* Fills the last line, of the series or group `at`. */
static int fill_line(struct scope_metrics_view *view, const struct scope_distributions *distributions,
		     const struct scope_groups *groups, size_t at)
{
	const struct scope_metrics *metrics = view->metrics;
	const struct scope_metric_store *store = store_of(metrics, view->by);
	struct scope_metric_line *line = &view->line[view->lines - 1];

	line->cell = calloc(view->steps, sizeof(*line->cell));
	if (!line->cell)
		return -ENOMEM;
	if (view->by == SCOPE_METRICS_BY_GROUP) {
		sum_group(view, groups, at, line);
	} else {
		scope_metrics_store_sum(store, at, line->cell, view->steps);
	}
	if (view->by == SCOPE_METRICS_BY_THREAD)
		name_thread(metrics, distributions, at, line);
	if (view->by == SCOPE_METRICS_BY_OBJECT)
		name_object(&metrics->objects.object[at], line);
	if (view->by == SCOPE_METRICS_BY_KIND) {
		name_kind(groups, &metrics->kinds[at], line);
		line->latency = &metrics->kind_latency[at];
	}
	sum_line(view, line);
	return 0;
}

/* Adds the host as the first line, so that it is always on the screen. */
static int add_host(struct scope_metrics_view *view)
{
	struct scope_metric_line line = { .host = true };
	int err = scope_metrics_host_line(view->metrics, view->step_ns, view->steps, &line);

	if (err)
		return err;
	memmove(view->line + 1, view->line, view->lines * sizeof(line));
	view->lines++;
	view->line[0] = line;
	sum_line(view, &view->line[0]);
	return 0;
}

int scope_metrics_view_create(const struct scope_metrics *metrics, const struct scope_distributions *distributions,
			      const struct scope_groups *groups, enum scope_metrics_by by,
			      struct scope_metrics_view **ret_view)
{
	const struct scope_metric_store *store = store_of(metrics, by);
	const size_t lines = by != SCOPE_METRICS_BY_GROUP
				     ? store->count
				     : groups->count + (store->count && is_shared(metrics, store->count - 1));
	struct scope_metrics_view *view = calloc(1, sizeof(*view));
	int err = 0;

	if (!view)
		return -ENOMEM;
	view->metrics = metrics;
	view->by = by;
	view->begin_ns = metrics->begin_ns;
	view->end_ns = metrics->end_ns;
	view->step_ns = store->step_ns;
	view->steps = scope_metrics_steps(metrics, store);
	view->line = calloc(lines + 2, sizeof(*view->line));
	if (!view->line)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < lines; i++) {
		/* Lines of groups are of threads. */
		if (by == SCOPE_METRICS_BY_GROUP && i < groups->count && groups->group[i].request)
			continue;
		view->lines++;
		err = fill_line(view, distributions, groups, i);
	}
	if (err) {
		scope_metrics_view_destroy(view);
		return err;
	}
	scope_metrics_view_sort(view);
	err = metrics->host_rows > 1 && has_host(by) ? add_host(view) : 0;
	if (err)
		scope_metrics_view_destroy(view);
	else
		*ret_view = view;
	return err;
}

void scope_metrics_view_destroy(struct scope_metrics_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; view->line && i < view->lines; i++)
		free(view->line[i].cell);
	free(view->line);
	free(view);
}
