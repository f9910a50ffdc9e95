/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the role of each thread of a server, and the call in which it waits for work. */
#ifndef SCOPE_SERVER_ROLES_H
#define SCOPE_SERVER_ROLES_H

#include "server/stages.h"

/* Facts about one thread. */
struct scope_server_facts {
	uint64_t units, requests, accepts;
	double busy_ns, disk_ns;
	double idle_ns[SCOPE_IDLES];
	unsigned brought; /* by the same index, a bit each: it took work after a sleep there */
	uint8_t idle_in, role;
	bool inside; /* its sleeps without work are within units: requests come in bursts, and it begins one after another */
};

struct scope_server_roles {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	const struct scope_pickups *pickups;
	size_t threads;
	uint32_t listeners;
	bool unseen;			  /* it listens, and no thread was seen to accept or to take a request */
	struct scope_server_facts *facts; /* by thread */
};

/*
 * Uses distributions after the end of the pass; the three pointers are borrowed. 0 or -errno; the caller frees in any
 * case.
 */
int scope_server_roles_find(const struct scope_distributions *distributions, const struct scope_groups *groups,
			    const struct scope_pickups *pickups, size_t threads, uint32_t listeners,
			    struct scope_server_roles *ret_roles);
void scope_server_roles_free(struct scope_server_roles *roles);

/* True for a sleep without work. If a thread picks up no work, every sleep may be one. */
bool scope_server_roles_idle(const struct scope_server_roles *roles, const struct scope_wait *wait);

#endif
