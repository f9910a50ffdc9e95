// SPDX-License-Identifier: GPL-2.0-only
/* Counts the other units of a group that were open as each example began. */
#include <errno.h>
#include <stdlib.h>

#include "anomaly/explain.h"

/* An example's begin. */
struct begin {
	uint64_t ns;
	size_t example;
};

/* The examples of a group by their begins. */
struct begins {
	struct begin *begin; /* NULL: the group is left out */
	int64_t *change;     /* how many more units are open at this begin than at the one before */
	size_t count;
	size_t at; /* the first begin that is no earlier than the end of the last unit */
};

static int compare(const void *a, const void *b)
{
	const struct begin *one = a, *other = b;

	return one->ns < other->ns ? -1 : one->ns > other->ns;
}

/* Are they units of several threads, and enough? */
static bool is_wanted(const struct scope_examples *list)
{
	if (!list->settings || list->count < SCOPE_EXAMPLES_MIN)
		return false;
	for (size_t i = 1; i < list->count; i++)
		if (list->setting[i].thread != list->setting[0].thread)
			return true;
	return false;
}

static int prepare(const struct scope_examples *list, struct begins *begins)
{
	begins->begin = calloc(list->count, sizeof(*begins->begin));
	begins->change = calloc(list->count + 1, sizeof(*begins->change));
	if (!begins->begin || !begins->change)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		begins->begin[i] = (struct begin){ list->setting[i].begin_ns, i };
	qsort(begins->begin, list->count, sizeof(*begins->begin), compare);
	begins->count = list->count;
	return 0;
}

/*
 * The unit is open at all begins in it but its own. Units come nearly in order of their ends, so the place of the last
 * one is near, and the begins in a unit are few for each thread of the group.
 */
static int count_open(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct begins *begins = (struct begins *)user + unit->group;
	size_t from;

	(void)call;
	if (!begins->begin || unit->granularity != SCOPE_UNIT_REQUEST)
		return 0;
	while (begins->at < begins->count && begins->begin[begins->at].ns < unit->end_ns)
		begins->at++;
	while (begins->at && begins->begin[begins->at - 1].ns >= unit->end_ns)
		begins->at--;
	for (from = begins->at; from && begins->begin[from - 1].ns > unit->begin_ns;)
		from--;
	begins->change[from]++;
	begins->change[begins->at]--;
	return 0;
}

static void fill_in(const struct begins *begins, struct scope_setting *setting)
{
	int64_t open = 0;

	for (size_t i = 0; i < begins->count; i++) {
		open += begins->change[i];
		setting[begins->begin[i].example].at_work = (uint32_t)open;
	}
}

int scope_anomaly_examples_at_work(const struct scope_distributions *distributions, const struct scope_groups *groups,
				   struct scope_examples *list)
{
	struct begins *begins = calloc(groups->count + 1, sizeof(*begins));
	const struct scope_unit_sink sink = { .unit = count_open, .user = begins };
	bool any = false;
	int err = begins ? 0 : -ENOMEM;

	for (size_t g = 0; !err && g < groups->count; g++) {
		if (!is_wanted(&list[g]))
			continue;
		err = prepare(&list[g], &begins[g]);
		any = true;
	}
	if (!err && any)
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	for (size_t g = 0; !err && g < groups->count; g++)
		if (begins[g].begin)
			fill_in(&begins[g], list[g].setting);
	for (size_t g = 0; begins && g < groups->count; g++) {
		free(begins[g].begin);
		free(begins[g].change);
	}
	free(begins);
	return err;
}
