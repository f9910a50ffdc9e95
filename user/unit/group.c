// SPDX-License-Identifier: GPL-2.0-only
/* Groups of threads by name and way to pick up work; units are compared within a group. */
#include "unit/group_named.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* The name without the number of the thread: "worker-3" and "worker-4" are one group. */
static void group_name(const char *comm, char name[SCOPE_PLAIN_COMM_BYTES])
{
	size_t length = strnlen(comm, SCOPE_PLAIN_COMM_BYTES - 1);

	while (length > 1 && (isdigit((unsigned char)comm[length - 1]) || strchr("-_#:/. ", comm[length - 1])))
		length--;
	memcpy(name, comm, length);
	memset(name + length, 0, SCOPE_PLAIN_COMM_BYTES - length);
}

/* A loop over poll comes before the reads it leads to. */
static uint8_t role_of(const struct scope_pickup *pickup)
{
	if (!scope_unit_pickup_any(pickup))
		return SCOPE_CALL_PLAIN;
	return pickup->nr != SCOPE_NR_NONE ? scope_timeline_call_role(pickup->nr) : SCOPE_CALL_READ;
}

/* name: as group_name() makes it, all bytes of it. */
static long find_group(struct scope_groups *groups, const char name[SCOPE_PLAIN_COMM_BYTES],
		       const struct scope_pickup *of)
{
	const uint8_t pickup = role_of(of);
	const bool reads = of && of->reads;
	const uint8_t granularity = pickup == SCOPE_CALL_PLAIN ? SCOPE_UNIT_SWITCH : SCOPE_UNIT_REQUEST;
	struct scope_group *group;

	for (size_t i = 0; i < groups->count; i++)
		if (!groups->group[i].request && !memcmp(groups->group[i].name, name, sizeof(groups->group[i].name)) &&
		    groups->group[i].pickup == pickup && groups->group[i].reads == reads)
			return i;
	if (scope_grow(&groups->group, &groups->capacity, groups->count + 1, sizeof(*group)))
		return -ENOMEM;
	group = &groups->group[groups->count];
	*group = (struct scope_group){
		.granularity = granularity,
		.pickup = pickup,
		.reads = reads,
	};
	memcpy(group->name, name, sizeof(group->name));
	if (scope_cluster_vector_set_create(&group->vectors))
		return -ENOMEM;
	return groups->count++;
}

long scope_unit_groups_find_request(const struct scope_groups *groups, uint32_t of, uint8_t request)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->group[i].request == request && groups->group[i].of == of)
			return (long)i;
	return -1;
}

long scope_unit_groups_add_request(struct scope_groups *groups, uint32_t of, uint8_t request)
{
	struct scope_group *group;

	if (scope_grow(&groups->group, &groups->capacity, groups->count + 1, sizeof(*group)))
		return -ENOMEM;
	group = &groups->group[groups->count];
	*group = groups->group[of];
	group->request = request;
	group->of = of;
	memset(group->name, 0, sizeof(group->name));
	if (scope_cluster_vector_set_create(&group->vectors))
		return -ENOMEM;
	return (long)groups->count++;
}

/* named: NULL, or names instead of those that the threads have. */
static int extend(struct scope_groups *groups, const struct scope_pickups *pickups,
		  const char (*named)[SCOPE_PLAIN_COMM_BYTES])
{
	size_t threads = scope_unit_pickups_threads(pickups);

	if (scope_grow(&groups->of_thread, &groups->thread_capacity, threads + 1, sizeof(*groups->of_thread)))
		return -ENOMEM;
	for (; groups->threads < threads; groups->threads++) {
		size_t i = groups->threads;
		char name[SCOPE_PLAIN_COMM_BYTES] = "";
		long group;

		if (named)
			memcpy(name, named[i], strnlen(named[i], sizeof(name) - 1));
		else
			group_name(scope_unit_pickups_comm(pickups, i), name);
		group = find_group(groups, name, scope_unit_pickups_of(pickups, i));
		if (group < 0)
			return group;
		groups->of_thread[i] = group;
		groups->group[group].threads++;
	}
	return 0;
}

int scope_unit_groups_extend(struct scope_groups *groups, const struct scope_pickups *pickups)
{
	return extend(groups, pickups, NULL);
}

int scope_unit_groups_create_named(const struct scope_pickups *pickups, const char (*name)[SCOPE_PLAIN_COMM_BYTES],
				   struct scope_groups **ret_groups)
{
	struct scope_groups *groups = calloc(1, sizeof(*groups));
	int err;

	if (!groups)
		return -ENOMEM;
	err = extend(groups, pickups, name);
	if (err) {
		scope_unit_groups_destroy(groups);
		return err;
	}
	*ret_groups = groups;
	return 0;
}

int scope_unit_groups_create(const struct scope_pickups *pickups, struct scope_groups **ret_groups)
{
	return scope_unit_groups_create_named(pickups, NULL, ret_groups);
}

/* Threads of one process mostly follow one another. */
static int find_background(struct scope_groups *groups, const struct scope_pickups *pickups,
			   struct scope_threads *threads)
{
	uint32_t last_tgid = 0;
	bool last = false;

	free(groups->background);
	groups->background = calloc(groups->threads + 1, sizeof(*groups->background));
	if (!groups->background)
		return -ENOMEM;
	for (size_t i = 0; i < groups->threads; i++) {
		const uint32_t tgid = scope_timeline_threads_at(threads, i)->tgid;

		if (scope_unit_pickups_serves(pickups, (uint32_t)i))
			continue;
		if (!i || tgid != last_tgid)
			last = scope_unit_pickups_background(pickups, threads, (uint32_t)i);
		last_tgid = tgid;
		groups->background[i] = last;
	}
	return 0;
}

int scope_unit_groups_conclude(struct scope_groups *groups, const struct scope_pickups *pickups,
			       struct scope_threads *threads)
{
	for (size_t i = 0; i < groups->threads; i++)
		if (scope_unit_pickups_serves(pickups, i))
			groups->group[groups->of_thread[i]].serves = true;
	for (size_t i = 0; i < groups->count; i++)
		if (groups->group[i].request) {
			groups->group[i].serves = groups->group[groups->group[i].of].serves;
			groups->group[i].threads = groups->group[groups->group[i].of].threads;
		}
	return find_background(groups, pickups, threads);
}

void scope_unit_groups_destroy(struct scope_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->count; i++)
		scope_cluster_vector_set_destroy(groups->group[i].vectors);
	free(groups->group);
	free(groups->background);
	free(groups->of_thread);
	free(groups);
}
