/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits made of sleeps for a set time: a thread tries something, sleeps, and tries again, for a lock file, a flag in
 * memory, a peer that refuses. Each sleep is short, so no call lasts long; what they have in common is that the thread
 * neither looks for work nor gets anything between them.
 */
#ifndef SCOPE_UNIT_RETRY_H
#define SCOPE_UNIT_RETRY_H

#include "timeline/take.h"

/* Of one thread: since its last progress. */
struct scope_retry {
	uint64_t from_ns; /* the first sleep */
	uint32_t sleeps;  /* 0: the rest is not set */
};

/* A sleep that ended, in whichever call; one in a poll counts as what the poll waited for. */
static inline void scope_unit_retry_sleep(struct scope_retry *retry, const struct scope_wait *wait)
{
	if (wait->class == SCOPE_WAIT_TIMER && !retry->sleeps++)
		retry->from_ns = wait->begin_ns;
	if (wait->class != SCOPE_WAIT_TIMER && wait->class != SCOPE_WAIT_DISK)
		retry->sleeps = 0;
}

/* True if a call looks for work, or had a result; a file has no clients. */
bool scope_unit_retry_ends(struct scope_fds *fds, uint32_t tgid, enum scope_timeline_call_role role, bool args,
			   uint64_t fd, int64_t ret);

/* A call that returned. Nearly no thread has slept in this way, and then it costs a comparison. */
SCOPE_TAKE void scope_unit_retry_call(struct scope_retry *retry, struct scope_fds *fds, uint32_t tgid,
				      enum scope_timeline_call_role role, bool args, uint64_t fd, int64_t ret)
{
	if (retry->sleeps && scope_unit_retry_ends(fds, tgid, role, args, fd, ret))
		retry->sleeps = 0;
}

#endif
