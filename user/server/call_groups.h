/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names threads by their roles: threads with one name in several roles get different names, and threads with several
 * names in one role get one name. Units are compared among threads with one name (unit/group.h), so these names decide
 * which threads are compared.
 *
 * A thread that waits for work does so in its loop: the innermost function of the program that all its stacks in that wait
 * have in common. Threads of one name with different loops are split. Threads that serve no client are also split by what
 * they do between waits (server/call_tree.h). Threads that serve are not, because one with slow clients, or with the bug, must be
 * compared with the others. A group of one thread is never split off. Threads of different names become one if they
 * pick up work in the same way, have the same loop, and do the same.
 */
#ifndef SCOPE_SERVER_CALL_GROUPS_H
#define SCOPE_SERVER_CALL_GROUPS_H

#include "symbol/symbol.h"
#include "unit/distribution.h"

/*
 * *ret_names: a name for each thread of the groups, or NULL if they stay as they are; an array for the caller to free.
 * This takes one more pass over the stacks of the log. 0 or -errno.
 */
int scope_server_call_groups_name(struct scope_trace *trace, struct scope_symbols *symbols,
				  const struct scope_distributions *distributions, const struct scope_groups *groups,
				  const struct scope_pickups *pickups, char (**ret_names)[SCOPE_PLAIN_COMM_BYTES]);

#endif
