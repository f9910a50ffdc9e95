/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds which stages of a server share the work on requests: which stage waits for requests, and which stage gets work
 * from which.
 */
#ifndef SCOPE_SERVER_NETWORK_H
#define SCOPE_SERVER_NETWORK_H

#include "server/stages.h"

#define SCOPE_SERVER_PASSED_ON 0.1 /* share of a stage's units: if fewer lead to work elsewhere, it hands out none */

/*
 * The stage whose threads wait until connections of the given stage are readable, and then wake it; NULL: its own
 * threads wait. Threads that only wait for new connections, and give these to others, are no such stage.
 */
const struct scope_stage *scope_server_waits_for(const struct scope_server *server, const struct scope_stage *network);

/* The share of the units of one stage that lead to work of another one, which may be above 1; 0: it gets none there. */
double scope_server_passes_on(const struct scope_server *server, const struct scope_stage *from,
			      const struct scope_stage *to);

#endif
