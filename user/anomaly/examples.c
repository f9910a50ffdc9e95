// SPDX-License-Identifier: GPL-2.0-only
/* Takes regular examples of units, for what explains how long they take. */
#include <errno.h>
#include <stdlib.h>

#include "anomaly/explain.h"
#include "base/grow.h"

#define EXAMPLES_MAX 8192 /* no rule: of a list; a power of two */

struct gathering {
	scope_examples_choose *choose;
	const void *user;
	struct scope_examples *list;
};

/* Is the next unit of the list an example? */
static bool is_due(struct scope_examples *list)
{
	return list->units++ == list->next;
}

/* The room is full: every second one stays. */
static void thin_out(struct scope_examples *list)
{
	for (size_t i = 0; i < EXAMPLES_MAX / 2; i++)
		list->example[i] = list->example[2 * i];
	list->count = EXAMPLES_MAX / 2;
	list->every *= 2;
}

static int add(struct scope_examples *list, const struct scope_unit *unit, const struct scope_unit_call *call)
{
	double calls = 0;

	if (!list->every)
		list->every = 1;
	if (list->count == EXAMPLES_MAX)
		thin_out(list);
	list->next += list->every;
	if (scope_grow(&list->example, &list->capacity, list->count + 1, sizeof(*list->example)))
		return -ENOMEM;
	for (unsigned i = 0; i < unit->calls; i++)
		calls += call[i].count;
	list->example[list->count++] = (struct scope_example){
		.ns = (double)scope_unit_measure(unit),
		.feature = { (double)unit->bytes, calls },
	};
	return 0;
}

static int gather(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct gathering *all = user;
	uint32_t number[SCOPE_EXAMPLES_LISTS];
	unsigned lists;
	int err = 0;

	if (unit->granularity != SCOPE_UNIT_REQUEST || unit->open)
		return 0;
	lists = all->choose(all->user, unit, number);
	for (unsigned i = 0; !err && i < lists; i++)
		if (is_due(&all->list[number[i]]))
			err = add(&all->list[number[i]], unit, call);
	return err;
}

int scope_anomaly_examples_take(const struct scope_distributions *distributions, const struct scope_groups *groups,
				scope_examples_choose *choose, const void *user, struct scope_examples *list)
{
	struct gathering all = { .choose = choose, .user = user, .list = list };
	const struct scope_unit_sink sink = { .unit = gather, .user = &all };

	return scope_unit_distributions_replay(distributions, groups, &sink);
}

void scope_anomaly_examples_free(struct scope_examples *list, size_t lists)
{
	for (size_t i = 0; list && i < lists; i++)
		free(list[i].example);
	free(list);
}
