// SPDX-License-Identifier: GPL-2.0-only
/* Finds what changed from one window to another. */
#include "metrics/change.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/block_sums.h"

/* The degradation score of one share. */
static double score_of(double before, double after)
{
	const double score = before < SCOPE_CHANGE_NEW ? after : (after - before) / before * after;

	return fabs(score) < SCOPE_CHANGE_NOISE ? 0 : score;
}

static bool is_in(const struct scope_metrics_window *window, size_t step)
{
	return step >= window->first && step < window->end && step < window->view->steps &&
	       (step < window->skip_first || step >= window->skip_end);
}

static double seconds_of(const struct scope_metrics_window *window)
{
	double ns = 0;

	for (size_t i = 0; i < window->view->steps; i++)
		if (is_in(window, i))
			ns += (double)scope_metrics_view_step_ns(window->view, i);
	return ns / 1e9;
}

/* Units of threads that serve clients, if there are any; else of all threads. */
static double units_of(const struct scope_metrics_window *window, double seconds, bool serves)
{
	double units = 0;

	for (size_t i = 0; i < window->view->lines; i++)
		for (size_t j = 0; j < window->view->steps; j++)
			if (is_in(window, j) && (!serves || window->view->line[i].serves))
				units += (double)window->view->line[i].cell[j].value[SCOPE_METRIC_UNITS];
	return seconds > 0 ? units / seconds : 0;
}

/* A metric is a value over a base in each step: its time over that of the threads, or its count over the seconds. */
static void collect(const struct scope_metrics_window *window, const struct scope_metric_line *line,
		    enum scope_metric metric, struct scope_block_sums *sums)
{
	size_t count = 0;

	for (size_t i = 0; i < window->view->steps; i++) {
		const uint64_t step_ns = scope_metrics_view_step_ns(window->view, i);
		const struct scope_metric_cells *cell = &line->cell[i];

		if (!is_in(window, i))
			continue;
		sums->value[count] = (double)cell->value[metric];
		sums->of[count++] = scope_metrics_row[metric].unit == SCOPE_METRICS_TIME
					    ? (double)scope_metrics_view_base_ns(window->view, line, cell, step_ns)
					    : (double)step_ns / 1e9;
	}
	sums->count = count;
	scope_metrics_block_sums_fold(sums, SCOPE_CHANGE_STEPS_MAX);
}

/* True if both windows have that metric, and it is to be compared: latencies replace unit_time. */
static bool is_compared(const struct scope_metrics_view *a, const struct scope_metrics_view *b, unsigned metric)
{
	return metric != SCOPE_METRIC_UNIT_TIME && !scope_metrics_view_lacks(a, (enum scope_metric)metric) &&
	       !scope_metrics_view_lacks(b, (enum scope_metric)metric);
}

/* Times of block requests overlap, so they are not shares; unknown time is not the program's. */
static bool is_scored(unsigned metric)
{
	return scope_metrics_row[metric].unit == SCOPE_METRICS_TIME && metric != SCOPE_METRIC_UNKNOWN &&
	       scope_metrics_row[metric].family != SCOPE_METRICS_BLOCK;
}

/* Fills in the interval of a difference, and decides if it is sure. */
static void judge(const struct scope_block_sums sums[2], struct scope_metric_change *change)
{
	const size_t steps = sums[0].count < sums[1].count ? sums[0].count : sums[1].count;
	const double difference = fabs(change->after - change->before);
	const bool time = scope_metrics_row[change->metric].unit == SCOPE_METRICS_TIME;
	const double least = time ? SCOPE_CHANGE_SHARE : SCOPE_CHANGE_RATE * fmax(change->before, change->after);
	struct scope_block_interval interval;

	if (steps < SCOPE_CHANGE_STEPS_MIN)
		return;
	interval = scope_metrics_block_difference(&sums[0], &sums[1]);
	change->low = interval.low;
	change->high = interval.high;
	change->sure = steps >= SCOPE_CHANGE_STEPS_SURE && difference >= least &&
		       difference > SCOPE_CHANGE_Z * interval.error;
}

/*
 * The score without its jump, for sorting: new shares have the factor of growth, too. Otherwise a new share would come
 * after a larger one that grew by less.
 */
static double weight(const struct scope_metric_change *change)
{
	if (change->score == 0)
		return 0;
	return fabs(change->after - change->before) / fmax(change->before, SCOPE_CHANGE_NEW) * change->after;
}

static int compare_changes(const void *left, const void *right)
{
	const struct scope_metric_change *a = left, *b = right;
	const double of_a = weight(a), of_b = weight(b);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	return a->metric - b->metric;
}

/* True for a share of time in which a thread sleeps, and whose name contains the reason. */
static bool says_what_for(unsigned metric)
{
	return is_scored(metric) && metric != SCOPE_METRIC_RUN && metric != SCOPE_METRIC_QUEUE &&
	       metric != SCOPE_METRIC_SLEEP && metric != SCOPE_METRIC_WORK_WAIT &&
	       scope_metrics_row[metric].family != SCOPE_METRICS_INTERRUPT;
}

static bool is_for_a_page(unsigned metric)
{
	return metric == SCOPE_METRIC_FAULT_WAIT;
}

/* A time may be a sum. If a part of it grew by half as much or more, the part comes before the sum. */
static void put_part_first(struct scope_group_change *group, unsigned sum, bool (*is_part)(unsigned metric))
{
	struct scope_metric_change taken;
	size_t at = 0, part;
	double grew;

	while (at < group->changes && group->change[at].metric != sum)
		at++;
	if (at == group->changes)
		return;
	grew = group->change[at].after - group->change[at].before;
	for (part = at + 1; part < group->changes; part++)
		if (is_part(group->change[part].metric) &&
		    group->change[part].after - group->change[part].before >= SCOPE_CHANGE_PART * grew)
			break;
	if (grew <= 0 || part == group->changes)
		return;
	taken = group->change[part];
	memmove(&group->change[at + 1], &group->change[at], (part - at) * sizeof(taken));
	group->change[at] = taken;
}

static void put_parts_first(struct scope_group_change *group)
{
	put_part_first(group, SCOPE_METRIC_IOWAIT, is_for_a_page);
	put_part_first(group, SCOPE_METRIC_DISK, is_for_a_page);
	put_part_first(group, SCOPE_METRIC_WORK_WAIT, says_what_for);
}

/* The family of metrics to which the time of the call belongs by which threads pick up work; FAMILIES: none. */
static enum scope_metric_family pickup_family(uint8_t pickup, uint8_t family)
{
	switch (pickup) {
	case SCOPE_CALL_POLL:
		return SCOPE_METRICS_POLL;
	case SCOPE_CALL_FUTEX:
		return SCOPE_METRICS_FUTEX;
	case SCOPE_CALL_ACCEPT:
		return SCOPE_METRICS_NETWORK;
	case SCOPE_CALL_READ:
		return family == SCOPE_METRICS_PIPE || family == SCOPE_METRICS_OTHER ? (enum scope_metric_family)family
										     : SCOPE_METRICS_NETWORK;
	default:
		return SCOPE_METRICS_FAMILIES;
	}
}

/* True if some threads of a program pick up work, as servers do. */
static bool has_pickups(const struct scope_metrics_view *view)
{
	for (size_t i = 0; i < view->lines; i++)
		if (view->line[i].pickup != SCOPE_CALL_PLAIN)
			return true;
	return false;
}

/*
 * True for the sleep of a group without work: in the call by which it picks up work, or in any call if only other
 * groups pick up work. Such a group does background work, or waits until it is needed, and its share of time depends on
 * how many threads do that.
 */
static bool is_idle(const struct scope_metrics_view *view, const struct scope_metric_line *line, unsigned metric)
{
	const uint8_t family = scope_metrics_row[metric].family;

	if (line->host || !has_pickups(view))
		return false;
	if (metric == SCOPE_METRIC_SLEEP)
		return true;
	if (line->pickup != SCOPE_CALL_PLAIN)
		return family == pickup_family(line->pickup, family);
	return family == SCOPE_METRICS_FUTEX || family == SCOPE_METRICS_PIPE || family == SCOPE_METRICS_NETWORK ||
	       family == SCOPE_METRICS_POLL || family == SCOPE_METRICS_OTHER;
}

/*
 * True for a change of idle time that is no problem: threads that are idle for longer; and threads that are idle for
 * less time, unless they pick up work.
 */
static bool says_nothing(const struct scope_metrics_window *before, const struct scope_metric_line *one,
			 const struct scope_metrics_window *after, const struct scope_metric_line *other,
			 const struct scope_metric_change *change)
{
	return is_idle(before->view, one, change->metric) && is_idle(after->view, other, change->metric) &&
	       (other->pickup == SCOPE_CALL_PLAIN || change->after > change->before);
}

static int change_line(const struct scope_metrics_window *before, const struct scope_metric_line *one,
		       const struct scope_metrics_window *after, const struct scope_metric_line *other,
		       struct scope_block_sums sums[2], struct scope_group_change *group)
{
	double squares = 0;

	for (unsigned i = 0; i < SCOPE_METRICS; i++) {
		struct scope_metric_change *change = &group->change[group->changes];
		bool scored;

		if (!is_compared(before->view, after->view, i))
			continue;
		*change = (struct scope_metric_change){ .metric = (uint8_t)i, .low = NAN, .high = NAN };
		collect(before, one, (enum scope_metric)i, &sums[0]);
		collect(after, other, (enum scope_metric)i, &sums[1]);
		change->before = scope_metrics_block_ratio(&sums[0]);
		change->after = scope_metrics_block_ratio(&sums[1]);
		if (change->before == 0 && change->after == 0)
			continue;
		judge(sums, change);
		scored = is_scored(i) && !says_nothing(before, one, after, other, change);
		change->sure = change->sure && (scored || !is_scored(i));
		change->score = scored ? score_of(change->before, change->after) : 0;
		squares += change->score * change->score;
		group->clients = group->clients || (change->sure && change->score > 0);
		group->changes++;
	}
	group->score = sqrt(squares);
	group->clients = group->clients && one->serves && other->serves;
	qsort(group->change, group->changes, sizeof(*group->change), compare_changes);
	put_parts_first(group);
	return 0;
}

static const struct scope_metric_line *find(const struct scope_metrics_view *view, const char *name)
{
	for (size_t i = 0; i < view->lines; i++)
		if (!strcmp(view->line[i].name, name))
			return &view->line[i];
	return NULL;
}

static bool serves(const struct scope_metrics_view *view)
{
	for (size_t i = 0; i < view->lines; i++)
		if (view->line[i].serves)
			return true;
	return false;
}

static int compare_groups(const void *left, const void *right)
{
	const struct scope_group_change *a = left, *b = right;

	if (a->host != b->host)
		return a->host ? 1 : -1;
	if (a->clients != b->clients)
		return a->clients ? -1 : 1;
	if (a->score != b->score)
		return a->score < b->score ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int change_groups(const struct scope_metrics_window *before, const struct scope_metrics_window *after,
			 struct scope_block_sums sums[2], struct scope_metric_changes *changes)
{
	int err = 0;

	for (size_t i = 0; !err && i < after->view->lines; i++) {
		const struct scope_metric_line *line = &after->view->line[i], *old = find(before->view, line->name);
		struct scope_group_change *group = &changes->group[changes->groups++];

		memcpy(group->name, line->name, sizeof(group->name));
		group->host = line->host;
		group->new = !old;
		if (old)
			err = change_line(before, old, after, line, sums, group);
	}
	for (size_t i = 0; !err && i < before->view->lines; i++) {
		struct scope_group_change *group = &changes->group[changes->groups];

		if (find(after->view, before->view->line[i].name))
			continue;
		memcpy(group->name, before->view->line[i].name, sizeof(group->name));
		group->host = before->view->line[i].host;
		group->gone = true;
		changes->groups++;
	}
	return err;
}

int scope_metrics_change(const struct scope_metrics_window *before, const struct scope_metrics_window *after,
			 struct scope_metric_changes *ret_changes)
{
	struct scope_metric_changes changes = { .before_s = seconds_of(before), .after_s = seconds_of(after) };
	struct scope_block_sums sums[2] = { 0 };
	int err = scope_metrics_block_sums_create(before->view->steps, &sums[0]);

	if (!err)
		err = scope_metrics_block_sums_create(after->view->steps, &sums[1]);
	changes.group = calloc(before->view->lines + after->view->lines + 1, sizeof(*changes.group));
	if (!changes.group)
		err = -ENOMEM;
	changes.requests = serves(before->view) && serves(after->view);
	changes.before_units = units_of(before, changes.before_s, changes.requests);
	changes.after_units = units_of(after, changes.after_s, changes.requests);
	if (!err)
		err = change_groups(before, after, sums, &changes);
	scope_metrics_block_sums_free(&sums[0]);
	scope_metrics_block_sums_free(&sums[1]);
	if (err) {
		scope_metrics_changes_free(&changes);
		return err;
	}
	qsort(changes.group, changes.groups, sizeof(*changes.group), compare_groups);
	*ret_changes = changes;
	return 0;
}

void scope_metrics_changes_free(struct scope_metric_changes *changes)
{
	free(changes->group);
	*changes = (struct scope_metric_changes){ 0 };
}
