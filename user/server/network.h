/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stages of a server share the work on requests: who waits for them, and who gets work from whom. */
#ifndef SCOPE_SERVER_NETWORK_H
#define SCOPE_SERVER_NETWORK_H

#include "server/stages.h"

#define SCOPE_SERVER_PASSED_ON 0.1 /* share of a stage's units: if fewer lead to work elsewhere, it hands out none */

/*
 * The stage whose threads wait until the connections of that one are readable, and wake it then; NULL: its own threads do.
 * Threads that only wait for new connections, and hand these out, are no such stage.
 */
const struct scope_stage *scope_server_waits_for(const struct scope_server *server, const struct scope_stage *network);

/* The share of the units of one stage that lead to work of another one, which may be above 1; 0: it gets none there. */
double scope_server_passes_on(const struct scope_server *server, const struct scope_stage *from,
			      const struct scope_stage *to);

#endif
