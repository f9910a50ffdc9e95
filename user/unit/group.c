// SPDX-License-Identifier: GPL-2.0-only
/* Puts threads and their units into groups by name. */
#include "unit/group.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/grow.h"

/* The name without what only numbers its threads: "worker-3" and "worker-4" are one group. */
static void group_name(const char *comm, char name[SCOPE_COMM_BYTES])
{
	size_t length = strnlen(comm, SCOPE_COMM_BYTES - 1);

	while (length > 1 && (isdigit((unsigned char)comm[length - 1]) ||
			      strchr("-_#:/. ", comm[length - 1])))
		length--;
	memcpy(name, comm, length);
	memset(name + length, 0, SCOPE_COMM_BYTES - length);
}

static long find_group(struct scope_units *units, const char *comm, uint8_t granularity)
{
	char name[SCOPE_COMM_BYTES];
	struct scope_group *group;

	group_name(comm, name);
	for (size_t i = 0; i < units->groups; i++)
		if (!memcmp(units->group[i].name, name, sizeof(name)) &&
		    units->group[i].granularity == granularity)
			return i;
	if (scope_grow(&units->group, &units->group_capacity, units->groups + 1, sizeof(*group)))
		return -ENOMEM;
	group = &units->group[units->groups];
	*group = (struct scope_group){.granularity = granularity};
	memcpy(group->name, name, sizeof(name));
	if (scope_vector_set_create(&group->vectors))
		return -ENOMEM;
	return units->groups++;
}

int scope_units_group(struct scope_units *units, const struct scope_vector_set *vectors,
		      const struct scope_pickups *pickups)
{
	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_threads_at(units->timeline->threads, i);
		bool requests = scope_pickup_any(scope_pickups_of(pickups, i));
		long group = find_group(units, thread->comm,
					requests ? SCOPE_UNIT_REQUEST : SCOPE_UNIT_SWITCH);

		if (group < 0)
			return group;
		units->thread[i].group = group;
		units->group[group].threads++;
	}
	for (size_t i = 0; i < units->count; i++) {
		struct scope_unit *unit = &units->unit[i];
		struct scope_group *group;
		int err;

		unit->group = units->thread[unit->thread].group;
		group = &units->group[unit->group];
		group->units++;
		err = scope_vector_set_add(group->vectors, scope_vector_set_get(vectors, unit->vector),
					   1, &unit->vector);
		if (err)
			return err;
	}
	return 0;
}
