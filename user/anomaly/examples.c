// SPDX-License-Identifier: GPL-2.0-only
/* Takes regular examples of units, for what explains how long they take. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anomaly/explain.h"
#include "base/grow.h"

#define EXAMPLES_MAX 8192 /* no rule: of a list; a power of two */

struct gathering {
	scope_examples_choose *choose;
	const void *user;
	struct scope_examples *list;
	uint64_t *last_ns; /* by thread: when its last unit ended; 0: it had none */
	size_t threads, thread_capacity;
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
	for (size_t i = 0; list->settings && i < EXAMPLES_MAX / 2; i++)
		list->setting[i] = list->setting[2 * i];
	list->count = EXAMPLES_MAX / 2;
	list->every *= 2;
}

/* Returns when the thread's last unit had ended, 0: it had none; and notes that this one has. UINT64_MAX: no memory. */
static uint64_t note_end(struct gathering *all, const struct scope_unit *unit)
{
	uint64_t last_ns;

	if (scope_grow(&all->last_ns, &all->thread_capacity, unit->thread + 1u, sizeof(*all->last_ns)))
		return UINT64_MAX;
	while (all->threads <= unit->thread)
		all->last_ns[all->threads++] = 0;
	last_ns = all->last_ns[unit->thread];
	all->last_ns[unit->thread] = unit->end_ns;
	return last_ns;
}

static struct scope_setting setting_of(const struct scope_unit *unit, uint64_t last_ns)
{
	double pause_ns = unit->begin_ns > last_ns ? (double)(unit->begin_ns - last_ns) : 0;

	return (struct scope_setting){
		.begin_ns = unit->begin_ns,
		.pause_ns = last_ns ? pause_ns : NAN,
		.thread = unit->thread,
		.first = unit->first,
	};
}

static int add(struct scope_examples *list, const struct scope_unit *unit, const struct scope_unit_call *call,
	       uint64_t last_ns)
{
	double calls = 0;

	if (!list->every)
		list->every = 1;
	if (list->count == EXAMPLES_MAX)
		thin_out(list);
	list->next += list->every;
	if (scope_grow(&list->example, &list->capacity, list->count + 1, sizeof(*list->example)))
		return -ENOMEM;
	if (list->settings) {
		if (scope_grow(&list->setting, &list->setting_capacity, list->count + 1, sizeof(*list->setting)))
			return -ENOMEM;
		list->setting[list->count] = setting_of(unit, last_ns);
	}
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
	struct gathering *all = user;
	uint32_t number[SCOPE_EXAMPLES_LISTS];
	uint64_t last_ns;
	unsigned lists;
	int err = 0;

	if (unit->granularity != SCOPE_UNIT_REQUEST || unit->open)
		return 0;
	last_ns = note_end(all, unit);
	if (last_ns == UINT64_MAX)
		return -ENOMEM;
	lists = all->choose(all->user, unit, number);
	for (unsigned i = 0; !err && i < lists; i++)
		if (is_due(&all->list[number[i]]))
			err = add(&all->list[number[i]], unit, call, last_ns);
	return err;
}

int scope_anomaly_examples_take(const struct scope_distributions *distributions, const struct scope_groups *groups,
				scope_examples_choose *choose, const void *user, struct scope_examples *list)
{
	struct gathering all = { .choose = choose, .user = user, .list = list };
	const struct scope_unit_sink sink = { .unit = gather, .user = &all };

	int err = scope_unit_distributions_replay(distributions, groups, &sink);

	free(all.last_ns);
	return err;
}

void scope_anomaly_examples_free(struct scope_examples *list, size_t lists)
{
	for (size_t i = 0; list && i < lists; i++) {
		free(list[i].example);
		free(list[i].setting);
	}
	free(list);
}
