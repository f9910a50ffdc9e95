/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The peers of connections that the traced processes opened during the trace. Each gets a number that no descriptor
 * has, and a row as if the capture had found it open, so that waits at such a connection can be named. (Its descriptor
 * soon belongs to another connection.)
 */
#ifndef SCOPE_TIMELINE_FD_PEERS_H
#define SCOPE_TIMELINE_FD_PEERS_H

#include "trace/trace.h"

#define SCOPE_FD_PEERS_FIRST 0x40000000 /* no rule: above all descriptors (fs.nr_open is 2^30 - 1024 at most) */
#define SCOPE_FD_PEERS_MAX 4096		/* no rule: further peers have no names */

/* A zeroed struct holds none. */
struct scope_fd_peers {
	struct scope_trace_fd *row; /* of number SCOPE_FD_PEERS_FIRST + its index */
	bool *own;		    /* of each: both ends of one of its connections had the same address */
	size_t own_capacity;
	size_t count, capacity;
	uint32_t *bucket; /* index + 1 of a row by its hash; NULL: there is none yet */
};

void scope_timeline_fd_peers_free(struct scope_fd_peers *peers);
/* A PEER event of a thread of that process. *ret_number 0: there are too many, or its peer is not known. 0 or -ENOMEM. */
int scope_timeline_fd_peers_add(struct scope_fd_peers *peers, uint32_t tgid, const struct scope_event *event,
				int32_t *ret_number);
/* Adds to the names the processes that listen at these addresses. A later call may find more. 0 or -ENOMEM. */
int scope_timeline_fd_peers_find(struct scope_fd_peers *peers, const struct scope_trace *trace);

#endif
