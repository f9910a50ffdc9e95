/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of threads by name and way to pick up work: what they do is compared within a group. */
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
 * Threads of one name (digits and punctuation at its end left out) that pick up work alike, and that read
 * from clients all or none. Programs
 * that name no thread have one name for all: what serves clients is not to be compared with what looks
 * after things now and then.
 */
struct scope_group {
	char name[SCOPE_PLAIN_COMM_BYTES];
	uint8_t granularity;
	uint8_t pickup; /* enum scope_timeline_call_role of the call; PLAIN: none */
	bool reads;	/* from clients */
	bool serves;	/* one of them does: scope_unit_pickups_conclude(); set by scope_unit_groups_conclude() */
	struct scope_vector_set *vectors; /* of its units; filled by the survey */
	uint32_t threads;
};

struct scope_groups {
	struct scope_group *group;
	size_t count, capacity;
	uint32_t *of_thread; /* thread -> group */
	size_t threads, thread_capacity;
};

/* Of the threads decided on, by the names they had then. 0 or -ENOMEM; the caller destroys. */
int scope_unit_groups_create(const struct scope_pickups *pickups, struct scope_groups **ret_groups);
/* Adds those that were decided on since. */
int scope_unit_groups_extend(struct scope_groups *groups, const struct scope_pickups *pickups);
/* Once the pickups were concluded. */
void scope_unit_groups_conclude(struct scope_groups *groups, const struct scope_pickups *pickups);
void scope_unit_groups_destroy(struct scope_groups *groups);

#endif
