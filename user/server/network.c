// SPDX-License-Identifier: GPL-2.0-only
/* Finds which stages of a server share the work on requests. */
#include "server/network.h"

/*
 * A thread that only waits for connections accepts in each unit. A thread that accepts in fewer units waits for
 * requests, too.
 */
#define UNITS_PER_ACCEPT 1.5
#define ALWAYS_BUSY 0.9	    /* share of the time: its threads seldom sleep, so few of their sleeps are ended */
#define PASSED_ON_BUSY 0.01 /* share of the units of the stage before: then 1 in 100 is enough */

const struct scope_stage *scope_server_waits_for(const struct scope_server *server, const struct scope_stage *network)
{
	const struct scope_stage *from;

	if ((network->idle_in != SCOPE_IDLE_FUTEX && network->idle_in != SCOPE_IDLE_QUEUE) ||
	    network->from == SCOPE_STAGE_NONE)
		return NULL;
	from = &server->stage[network->from];
	if (from->idle_in != SCOPE_IDLE_EPOLL && from->idle_in != SCOPE_IDLE_POLL &&
	    from->idle_in != SCOPE_IDLE_SELECT && from->idle_in != SCOPE_IDLE_URING)
		return NULL;
	return (double)from->units > UNITS_PER_ACCEPT * (double)from->accepted ? from : NULL;
}

double scope_server_passes_on(const struct scope_server *server, const struct scope_stage *from,
			      const struct scope_stage *to)
{
	double share;

	if (to->from != (uint32_t)(from - server->stage) || !to->units || !from->units ||
	    (to->role != SCOPE_ROLE_WORKER && to->role != SCOPE_ROLE_DISK))
		return 0;
	share = (double)to->units * to->from_share / (double)from->units;
	return share >= PASSED_ON_BUSY && to->all_busy >= ALWAYS_BUSY && share < SCOPE_SERVER_PASSED_ON
		       ? SCOPE_SERVER_PASSED_ON
		       : share;
}
