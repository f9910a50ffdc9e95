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
	/*
	 * A group of requests of one kind: the name is the kind's text, and the threads are those of the group `of`.
	 * request 0: it is no such group.
	 */
	uint8_t request;
	uint32_t of;
};

struct scope_groups {
	struct scope_group *group;
	size_t count, capacity;
	uint32_t *of_thread; /* thread -> group */
	size_t threads, thread_capacity;
	bool *background; /* by thread: it serves nobody, and others of its process do; NULL until that is concluded */
};

/* Groups the threads whose pick-ups are decided, by the names they had then. 0 or -ENOMEM; the caller destroys. */
int scope_unit_groups_create(const struct scope_pickups *pickups, struct scope_groups **ret_groups);
/* Adds the threads decided since. */
int scope_unit_groups_extend(struct scope_groups *groups, const struct scope_pickups *pickups);
/* The group of the requests of a kind (as in struct scope_unit) that threads of group `of` take; -1: there is none yet. */
long scope_unit_groups_find_request(const struct scope_groups *groups, uint32_t of, uint8_t request);
/* Adds it, without a name. Returns its number, or -ENOMEM. */
long scope_unit_groups_add_request(struct scope_groups *groups, uint32_t of, uint8_t request);

/* The group of the threads that take these requests, or do this work. */
static inline uint32_t scope_unit_group_of_threads(const struct scope_groups *groups, uint32_t group)
{
	return groups->group[group].request ? groups->group[group].of : group;
}
/* Call it once the pickups were concluded. 0 or -ENOMEM. */
int scope_unit_groups_conclude(struct scope_groups *groups, const struct scope_pickups *pickups,
			       struct scope_threads *threads);
void scope_unit_groups_destroy(struct scope_groups *groups);

#endif
