// SPDX-License-Identifier: GPL-2.0-only
/* The syscalls of chosen units, in order. */
#include "report/path.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

struct collector {
	const struct scope_units *units;
	struct scope_path *path;
	size_t count;
};

#define GAP_SHARE 10 /* time between calls is told from this part of the unit on */

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
	path->call[path->calls++] = (struct scope_path_call){.nr = nr, .count = 1, .ns = ns};
	return 0;
}

/* Up to now_ns no call was made. */
static int append_gap(struct scope_path *path, const struct scope_unit *unit, uint64_t now_ns)
{
	uint64_t since_ns = path->last_ns > unit->begin_ns ? path->last_ns : unit->begin_ns;

	if (now_ns <= since_ns || (now_ns - since_ns) * GAP_SHARE < scope_unit_wall(unit))
		return 0;
	return append(path, SCOPE_NR_NONE, now_ns - since_ns);
}

static int take_exit(void *user, uint32_t thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct collector *collector = user;
	int err = 0;

	(void)ret;
	for (size_t i = 0; !err && i < collector->count; i++) {
		const struct scope_unit *unit = &collector->units->unit[collector->path[i].unit];

		if (unit->thread != thread || exit_ns > unit->end_ns)
			continue;
		/* The pick-up that the unit begins behind: the time in it was spent idle. */
		if (exit_ns == unit->begin_ns) {
			err = append(&collector->path[i], call->nr, 0);
		} else if (call->enter_ns >= unit->begin_ns) {
			err = append_gap(&collector->path[i], unit, call->enter_ns);
			if (!err)
				err = append(&collector->path[i], call->nr,
					     exit_ns - call->enter_ns);
		}
		if (exit_ns >= unit->begin_ns)
			collector->path[i].last_ns = exit_ns;
	}
	return err;
}

int scope_path_collect(struct scope_trace *trace, const struct scope_units *units,
		       struct scope_path *path, size_t count)
{
	static const struct scope_timeline_ops ops = {.exit = take_exit};
	struct collector collector = {units, path, count};
	struct scope_timeline *timeline;
	int err;

	if (!count)
		return 0;
	err = scope_timeline_create(trace, &timeline);
	if (err)
		return err;
	err = scope_timeline_run(timeline, trace, &ops, &collector);
	scope_timeline_destroy(timeline);
	for (size_t i = 0; !err && i < count; i++) {
		const struct scope_unit *unit = &units->unit[path[i].unit];

		err = append_gap(&path[i], unit, unit->end_ns);
	}
	return err;
}

int scope_path_align(struct scope_path *path, const struct scope_path *other)
{
	size_t n = path->calls < SCOPE_PATH_ALIGNED ? path->calls : SCOPE_PATH_ALIGNED;
	size_t m = other->calls < SCOPE_PATH_ALIGNED ? other->calls : SCOPE_PATH_ALIGNED;
	size_t row = m + 1, i, j;
	uint16_t *common = calloc((n + 1) * row, sizeof(*common)); /* of the calls from i, j on */

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
