/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of descriptors, by peer or file: all connections to one peer are one, such as those of a pool. */
#ifndef SCOPE_WAITS_FD_NAMES_H
#define SCOPE_WAITS_FD_NAMES_H

#include "timeline/fds.h"
#include "trace/peer.h"

struct scope_fd_names;

/* fds: of the timeline, at its end. Both must outlive the result, which the caller destroys. 0 or -ENOMEM. */
int scope_waits_fd_names_create(const struct scope_trace *trace, const struct scope_fds *fds,
				struct scope_fd_names **ret_names);
void scope_waits_fd_names_destroy(struct scope_fd_names *names); /* NULL is fine */

/* What the capture found at a descriptor; NULL: nothing, or it may have been another one. */
const struct scope_trace_fd *scope_waits_fd_names_row(const struct scope_fd_names *names, uint32_t tgid, int32_t fd);

/* The first row, by process and descriptor, of the same peer's address, or of the same file. NULL as above, or no name. */
const struct scope_trace_fd *scope_waits_fd_names_first(const struct scope_fd_names *names, uint32_t tgid, int32_t fd);

/*
 * The peer of a row of the first kind. If connections to that address have several processes, as each of a pool's may have one of
 * its own at the other end, its process is the one that listens there, if the capture found it. False: it has none.
 */
bool scope_waits_fd_names_peer(const struct scope_fd_names *names, const struct scope_trace_fd *row,
			       struct scope_trace_peer *ret_peer);

#endif
