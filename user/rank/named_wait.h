/* SPDX-License-Identifier: GPL-2.0-only */
/* The peers and files at whose descriptors threads waited, by name: descriptors of the same peer or file are one. */
#ifndef SCOPE_RANK_NAMED_WAIT_H
#define SCOPE_RANK_NAMED_WAIT_H

#include "trace/peer.h"
#include "waits/fd_names.h"
#include "waits/fd_time.h"

struct scope_named_wait {
	struct scope_trace_peer peer; /* address "": not known */
	const char *file;	      /* borrowed from the trace; NULL: not known, or a peer */
	struct scope_fd_time time;    /* summed up; tgid and fd are those of one of them */
};

/*
 * The peer (class SCOPE_WAIT_NETWORK) that slow requests waited for longest, or the file (SCOPE_WAIT_DISK) that all units
 * waited for longest. 1 with *ret_most filled; 0: there is none; -ENOMEM.
 */
int scope_rank_named_wait_most(const struct scope_fd_names *names, const struct scope_fd_times *times, uint8_t class,
			       struct scope_named_wait *ret_most);

#endif
