/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kind of thing each descriptor of a process is, as calls open and close them. */
#ifndef SCOPE_TIMELINE_FDS_H
#define SCOPE_TIMELINE_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct scope_fds;

/* Starts with what the capture found open. */
int scope_fds_create(const struct scope_trace *trace, struct scope_fds **ret_fds);
void scope_fds_destroy(struct scope_fds *fds);

enum scope_fd_kind scope_fds_kind(const struct scope_fds *fds, uint32_t tgid, int64_t fd);
int scope_fds_set(struct scope_fds *fds, uint32_t tgid, int64_t fd, enum scope_fd_kind kind);
extern const bool scope_calls_that_teach[SCOPE_SYSCALL_MAX];

/* Does the call say anything about descriptors at all? */
static inline bool scope_call_teaches(uint32_t nr)
{
	return nr < SCOPE_SYSCALL_MAX && scope_calls_that_teach[nr];
}

/* What a finished call says about descriptors: accept, connect, socket, pipe ends, close. */
int scope_fds_learn(struct scope_fds *fds, uint32_t tgid, uint32_t nr, const uint64_t *arg,
		    unsigned args, int64_t ret);

#endif
