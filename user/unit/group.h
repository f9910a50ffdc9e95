/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of threads by name and way to pick up work; units are compared within a group. */
#ifndef SCOPE_UNIT_GROUP_H
#define SCOPE_UNIT_GROUP_H

#include "cluster/vector.h"
#include "unit/pickup.h"

enum scope_granularity {
	SCOPE_UNIT_REQUEST,
	SCOPE_UNIT_SWITCH,
	SCOPE_GRANULARITIES,
};

/*
 * Threads of one name (without digits and punctuation at its end) that pick up work in the same
 * way, and all or none of which read from clients. In programs that name no thread all have one
 * name; there threads that serve clients must not be compared with maintenance threads.
 */
struct scope_group {
	char name[SCOPE_PLAIN_COMM_BYTES];
	uint8_t granularity;
	uint8_t pickup; /* enum scope_timeline_call_role of the call; PLAIN: none */
	bool reads;	/* from clients */
	bool serves;	/* one of them does: scope_unit_pickups_conclude(); set by scope_unit_groups_conclude() */
	struct scope_vector_set *vectors; /* of its units; filled by the distributions */
	uint32_t threads;
};

struct scope_groups {
	struct scope_group *group;
	size_t count, capacity;
	uint32_t *of_thread; /* thread -> group */
	size_t threads, thread_capacity;
};

/* Groups the threads whose pick-ups are decided, by the names they had then. 0 or -ENOMEM; the caller destroys. */
int scope_unit_groups_create(const struct scope_pickups *pickups, struct scope_groups **ret_groups);
/* Adds the threads decided since. */
int scope_unit_groups_extend(struct scope_groups *groups, const struct scope_pickups *pickups);
/* Call it once the pickups were concluded. */
void scope_unit_groups_conclude(struct scope_groups *groups, const struct scope_pickups *pickups);
void scope_unit_groups_destroy(struct scope_groups *groups);

#endif
