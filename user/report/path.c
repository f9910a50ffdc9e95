// SPDX-License-Identifier: GPL-2.0-only
/* The syscalls of chosen units, in order. */
#include "report/path.h"

#include <errno.h>

#include "base/grow.h"

struct collector {
	const struct scope_units *units;
	struct scope_path *path;
	size_t count;
};

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
	path->call[path->calls++] = (struct scope_path_call){nr, 1, ns};
	return 0;
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
		if (exit_ns == unit->begin_ns)
			err = append(&collector->path[i], call->nr, 0);
		else if (call->enter_ns >= unit->begin_ns)
			err = append(&collector->path[i], call->nr, exit_ns - call->enter_ns);
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
	return err;
}
