// SPDX-License-Identifier: GPL-2.0-only
/* Gives groups of a window the names that they have in the window with which it is compared. */
#include "metrics/rejoin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

struct rejoin {
	struct scope_metrics_view *view;
	const struct scope_metrics_grouped *now, *then;
	size_t *line_of;		  /* line of a present group; NONE: it has none */
	struct scope_metric_cells *cells; /* cells of one thread, one for each step of the view */
};

static bool works(const struct scope_group *group)
{
	return group->pickup != SCOPE_CALL_PLAIN || group->reads;
}

/* The group of threads with the same name and way to pick up work; NONE: there is none. */
static size_t find_alike(const struct scope_groups *groups, const struct scope_group *like)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct scope_group *group = &groups->group[i];

		if (!group->request && group->threads && !strcmp(group->name, like->name) &&
		    group->pickup == like->pickup && group->reads == like->reads)
			return i;
	}
	return NONE;
}

static size_t find_line(const struct scope_metrics_view *view, const char *name)
{
	for (size_t i = 0; i < view->lines; i++)
		if (!view->line[i].host && !strcmp(view->line[i].name, name))
			return i;
	return NONE;
}

/* Gives lines of groups that existed before their earlier names. */
static void rename_lines(struct rejoin *rejoin)
{
	const struct scope_groups *groups = rejoin->now->groups;
	char name[SCOPE_METRICS_NAME];

	for (size_t i = 0; i < groups->count; i++) {
		scope_metrics_view_name_group(groups, i, name);
		rejoin->line_of[i] = groups->group[i].request ? NONE : find_line(rejoin->view, name);
	}
	for (size_t i = 0; i < groups->count; i++) {
		const size_t alike = find_alike(rejoin->then->groups, &groups->group[i]);

		if (alike != NONE && rejoin->line_of[i] != NONE)
			scope_metrics_view_name_group(rejoin->then->groups, alike,
						      rejoin->view->line[rejoin->line_of[i]].name);
	}
}

/* True if both threads are the same, by their counts of CPU time at two times. */
static bool is_same(const struct scope_thread *a, const struct scope_thread *b)
{
	return a->tgid == b->tgid && (a->start_run_ns >= b->stop_run_ns || b->start_run_ns >= a->stop_run_ns);
}

/* The group in which a thread picked up work in the earlier window; NONE: it did not, or did not exist. */
static size_t group_then(const struct rejoin *rejoin, size_t thread)
{
	const struct scope_metrics_grouped *now = rejoin->now, *then = rejoin->then;
	struct scope_threads *threads = then->distributions->run->timeline->threads;
	const struct scope_thread *one = scope_timeline_threads_at(now->distributions->run->timeline->threads, thread);
	const long found = scope_timeline_threads_find(threads, one->tid);
	size_t group;

	if (found < 0 || (size_t)found >= then->groups->threads ||
	    !is_same(one, scope_timeline_threads_at(threads, (size_t)found)))
		return NONE;
	group = then->groups->of_thread[found];
	return works(&then->groups->group[group]) && !strcmp(then->groups->group[group].name,
							     now->groups->group[now->groups->of_thread[thread]].name)
		       ? group
		       : NONE;
}

/* The line of a group of the earlier window; a new one if there is none. NONE: no memory. */
static size_t line_of_then(struct rejoin *rejoin, size_t group)
{
	const struct scope_group *of = &rejoin->then->groups->group[group];
	struct scope_metrics_view *view = rejoin->view;
	struct scope_metric_line *line;
	char name[SCOPE_METRICS_NAME];
	size_t found;

	scope_metrics_view_name_group(rejoin->then->groups, group, name);
	found = find_line(view, name);
	if (found != NONE) {
		line = &view->line[found];
		if (line->pickup == SCOPE_CALL_PLAIN && !line->serves)
			scope_metrics_view_describe_group(of, line);
		return found;
	}
	line = realloc(view->line, (view->lines + 2) * sizeof(*line));
	if (!line)
		return NONE;
	view->line = line;
	line += view->lines;
	*line = (struct scope_metric_line){ .cell = calloc(view->steps, sizeof(*line->cell)) };
	if (!line->cell)
		return NONE;
	memcpy(line->name, name, sizeof(name));
	scope_metrics_view_describe_group(of, line);
	line->threads = 0;
	return view->lines++;
}

/* Moves the sums of a thread from one line to another. The units of a thread that picks up no work are no requests. */
static void move(struct rejoin *rejoin, size_t thread, struct scope_metric_line *from, struct scope_metric_line *to)
{
	const struct scope_metrics_view *view = rejoin->view;

	memset(rejoin->cells, 0, view->steps * sizeof(*rejoin->cells));
	scope_metrics_store_sum(&view->metrics->thread, thread, rejoin->cells, view->steps);
	for (size_t i = 0; i < view->steps; i++)
		for (unsigned j = 0; j < SCOPE_METRICS; j++) {
			const uint64_t value = rejoin->cells[i].value[j];
			const bool goes = j != SCOPE_METRIC_UNITS && j != SCOPE_METRIC_UNIT_TIME;

			from->cell[i].value[j] -= value;
			from->total.value[j] -= value;
			to->cell[i].value[j] += goes ? value : 0;
			to->total.value[j] += goes ? value : 0;
		}
	from->threads--;
	to->threads++;
}

static void drop_empty(struct scope_metrics_view *view)
{
	size_t kept = 0;

	for (size_t i = 0; i < view->lines; i++) {
		if (view->line[i].emptied && !view->line[i].threads)
			free(view->line[i].cell);
		else
			view->line[kept++] = view->line[i];
	}
	view->lines = kept;
}

/* Moves threads that pick up no work to the line of the group in which they did before. 0 or -ENOMEM. */
static int move_threads(struct rejoin *rejoin)
{
	const struct scope_groups *groups = rejoin->now->groups;
	const size_t series = rejoin->view->metrics->thread.count;

	for (size_t i = 0; i < groups->threads && i < series; i++) {
		const uint32_t group = groups->of_thread[i];
		size_t to, line;

		if (works(&groups->group[group]) || rejoin->line_of[group] == NONE ||
		    i >= scope_metrics_series(rejoin->view->metrics, SIZE_MAX))
			continue;
		to = group_then(rejoin, i);
		if (to == NONE)
			continue;
		line = line_of_then(rejoin, to);
		if (line == NONE)
			return -ENOMEM;
		rejoin->view->line[rejoin->line_of[group]].emptied = true;
		move(rejoin, i, &rejoin->view->line[rejoin->line_of[group]], &rejoin->view->line[line]);
	}
	return 0;
}

int scope_metrics_view_rejoin(struct scope_metrics_view *view, const struct scope_metrics_grouped *now,
			      const struct scope_metrics_grouped *then)
{
	struct rejoin rejoin = {
		.view = view,
		.now = now,
		.then = then,
		.line_of = calloc(now->groups->count + 1, sizeof(*rejoin.line_of)),
		.cells = calloc(view->steps + 1, sizeof(*rejoin.cells)),
	};
	int err = -ENOMEM;

	if (rejoin.line_of && rejoin.cells) {
		rename_lines(&rejoin);
		err = move_threads(&rejoin);
	}
	if (!err) {
		drop_empty(view);
		scope_metrics_view_sort(view);
	}
	free(rejoin.line_of);
	free(rejoin.cells);
	return err;
}
