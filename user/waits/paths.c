// SPDX-License-Identifier: GPL-2.0-only
/*
 * The critical paths of the slowest requests: for each moment of a request the thread that it depended on, across
 * threads.
 */
#include "waits/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_STEPS 100000 /* no rule: of a request; earlier ones are left out */
#define LATE 256	  /* no rule: a request is followed this many stretches later, because some come late */

struct finder {
	struct scope_paths *paths;
	const struct scope_distributions *distributions;
	size_t most;
	struct scope_history history;
	uint64_t stays;
	uint64_t *due; /* by path: the number of stretches at which it is followed; 0: its request has not ended */
	struct scope_path_part *part; /* of the one that is followed now, latest first */
	size_t parts;
	uint64_t left_out_ns;
};

static bool is_slower(const struct scope_slow_path *a, const struct scope_slow_path *b)
{
	const uint64_t a_ns = a->end_ns - a->begin_ns, b_ns = b->end_ns - b->begin_ns;

	if (a_ns != b_ns)
		return a_ns > b_ns;
	return a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : a->thread < b->thread;
}

static int choose_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct finder *finder = user;
	struct scope_paths *paths = finder->paths;
	const struct scope_slow_path one = { .begin_ns = unit->begin_ns,
					     .end_ns = unit->end_ns,
					     .thread = unit->thread };
	size_t at = paths->count;

	(void)call;
	if (!scope_unit_is_request(finder->distributions, unit) ||
	    (at == finder->most && !is_slower(&one, &paths->path[at - 1])))
		return 0;
	if (at == finder->most)
		at--;
	else
		paths->count++;
	for (; at && is_slower(&one, &paths->path[at - 1]); at--)
		paths->path[at] = paths->path[at - 1];
	paths->path[at] = one;
	return 0;
}

static uint32_t stay_at(void *user, uint32_t node, const struct scope_stay *sleep)
{
	(void)user;
	(void)sleep;
	return node;
}

static int take_part(void *user, const struct scope_part *part)
{
	struct finder *finder = user;
	struct scope_path_part *last = finder->parts ? &finder->part[finder->parts - 1] : NULL;

	if (part->end == SCOPE_END_LEFT)
		finder->left_out_ns += part->end_ns - part->begin_ns;
	else if (last && last->part.thread == part->thread && last->part.end == part->end &&
		 last->part.class == part->class && last->part.fd == part->fd && last->part.begin_ns == part->end_ns)
		last->part.begin_ns = part->begin_ns;
	else if (finder->parts == SCOPE_PATH_PARTS)
		finder->left_out_ns += part->end_ns - part->begin_ns;
	else
		finder->part[finder->parts++] = (struct scope_path_part){ .part = *part };
	return 0;
}

static int follow_path(struct finder *finder, struct scope_slow_path *path)
{
	const struct scope_cascade_listener listener = {
		.follow = stay_at, .part = take_part, .steps = PATH_STEPS, .user = finder
	};
	unsigned steps;
	int err;

	finder->parts = 0;
	finder->left_out_ns = 0;
	err = scope_waits_cascade_span(&finder->history, path->thread, path->begin_ns, path->end_ns, 0, &listener,
				       &steps);
	if (err)
		return err;
	path->part = calloc(finder->parts + 1, sizeof(*path->part));
	if (!path->part)
		return -ENOMEM;
	path->parts = finder->parts;
	path->left_out_ns = finder->left_out_ns;
	for (size_t i = 0; i < path->parts; i++)
		path->part[i] = finder->part[path->parts - 1 - i];
	return 0;
}

/* Follows the paths whose request ended long enough ago. */
static int follow_due(struct finder *finder, bool all)
{
	int err = 0;

	for (size_t i = 0; !err && i < finder->paths->count; i++) {
		if (!finder->due[i] || finder->paths->path[i].part || (!all && finder->due[i] > finder->stays))
			continue;
		err = follow_path(finder, &finder->paths->path[i]);
	}
	return err;
}

static int meet_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct finder *finder = user;

	(void)call;
	if (!scope_unit_is_request(finder->distributions, unit))
		return 0;
	for (size_t i = 0; i < finder->paths->count; i++) {
		const struct scope_slow_path *path = &finder->paths->path[i];

		if (path->thread == unit->thread && path->begin_ns == unit->begin_ns && path->end_ns == unit->end_ns)
			finder->due[i] = finder->stays + LATE;
	}
	return 0;
}

static int meet_wait(void *user, const struct scope_wait *wait)
{
	struct finder *finder = user;
	const struct scope_stay stay = scope_waits_history_stay(wait);
	int err = 0;

	if (stay.end_ns > stay.begin_ns)
		err = scope_waits_history_add(&finder->history, wait->thread, &stay);
	finder->stays++;
	return err ? err : follow_due(finder, false);
}

static int run(struct finder *finder, const struct scope_groups *groups)
{
	const struct scope_unit_sink choose = { .unit = choose_unit, .user = finder };
	const struct scope_unit_sink meet = { .unit = meet_unit, .wait = meet_wait, .user = finder };
	int err = scope_unit_distributions_replay(finder->distributions, groups, &choose);

	if (!err)
		err = scope_unit_distributions_replay(finder->distributions, groups, &meet);
	return err ? err : follow_due(finder, true);
}

int scope_waits_paths_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			     size_t most, struct scope_paths **ret_paths)
{
	struct finder finder = { .distributions = distributions, .most = most };
	int err = -ENOMEM;

	finder.paths = calloc(1, sizeof(*finder.paths));
	finder.due = calloc(most + 1, sizeof(*finder.due));
	finder.part = calloc(SCOPE_PATH_PARTS, sizeof(*finder.part));
	if (finder.paths)
		finder.paths->path = calloc(most + 1, sizeof(*finder.paths->path));
	if (finder.paths && finder.paths->path && finder.due && finder.part)
		err = run(&finder, groups);
	free(finder.due);
	free(finder.part);
	scope_waits_history_free(&finder.history);
	if (err)
		scope_waits_paths_destroy(finder.paths);
	else
		*ret_paths = finder.paths;
	return err;
}

void scope_waits_paths_destroy(struct scope_paths *paths)
{
	if (!paths)
		return;
	for (size_t i = 0; paths->path && i < paths->count; i++)
		free(paths->path[i].part);
	free(paths->path);
	free(paths);
}
