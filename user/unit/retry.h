/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits made of sleeps that end by themselves, for a set time or by a time-out: a thread tries something, sleeps, and tries again,
 * for a lock file, a flag in memory, a peer that refuses. Each sleep is short, so no call lasts long; what they have in
 * common is that the thread neither takes work nor gets anything between them.
 */
#ifndef SCOPE_UNIT_RETRY_H
#define SCOPE_UNIT_RETRY_H

#include "timeline/take.h"

/* Of one thread: since its last progress. */
struct scope_retry {
	uint64_t from_ns; /* the first sleep */
	uint32_t sleeps;  /* 0: from_ns is not set */
	uint64_t open_ns; /* a sleep in a poll or futex that began then: its call's result says how it ended; 0: none */
	uint64_t open_object; /* for what that is */
	uint64_t object;      /* the same of the last one that a time-out ended */
	uint64_t slept_ns;    /* the end of the last sleep for a set time … */
	uint16_t nr;	      /* … and its call */
};

/*
 * A wait in another futex than that in which it tries is for a lock, or a pause that its runtime makes, if it is as short, or shorter than this
 * part of the time from one try to the next. On a busy host who has the lock waits for a CPU.
 */
#define SCOPE_RETRY_PAUSE_NS 1000000
#define SCOPE_RETRY_PAUSE_PART 10

static inline bool scope_unit_retry_is_pause(const struct scope_retry *retry, const struct scope_wait *wait)
{
	const uint64_t ns = wait->wake_ns - wait->begin_ns;

	return retry->sleeps &&
	       (ns < SCOPE_RETRY_PAUSE_NS ||
		ns < (wait->begin_ns - retry->from_ns) / retry->sleeps / SCOPE_RETRY_PAUSE_PART) &&
	       !scope_timeline_wait_same_object(SYS_futex, retry->object, wait->object);
}

static inline void scope_unit_retry_count(struct scope_retry *retry, uint64_t begin_ns)
{
	if (!retry->sleeps++)
		retry->from_ns = begin_ns;
}

/* A sleep that ended, in whichever call. */
static inline void scope_unit_retry_sleep(struct scope_retry *retry, const struct scope_wait *wait)
{
	switch (wait->class) {
	case SCOPE_WAIT_TIMER:
		scope_unit_retry_count(retry, wait->begin_ns);
		retry->slept_ns = wait->end_ns;
		retry->nr = wait->nr;
		break;
	case SCOPE_WAIT_DISK:
		break;
	case SCOPE_WAIT_FUTEX:
		if (scope_unit_retry_is_pause(retry, wait))
			break;
		/* fall through */
	case SCOPE_WAIT_POLL:
		if (!retry->open_ns)
			retry->open_ns = wait->begin_ns;
		retry->open_object = wait->object;
		break;
	default:
		retry->sleeps = 0;
	}
}

/* True if a call looks for work, or had a result; a file has no clients. */
bool scope_unit_retry_ends(struct scope_fds *fds, uint32_t tgid, enum scope_timeline_call_role role, bool args,
			   uint64_t fd, int64_t ret);
/* The call of a sleep in a poll or futex returned. */
void scope_unit_retry_close(struct scope_retry *retry, enum scope_timeline_call_role role, int64_t ret);

/* A call that returned. Nearly no thread has slept in this way, and then it costs a comparison. */
SCOPE_TAKE void scope_unit_retry_call(struct scope_retry *retry, struct scope_fds *fds, uint32_t tgid,
				      enum scope_timeline_call_role role, bool args, uint64_t fd, int64_t ret)
{
	if (retry->open_ns)
		scope_unit_retry_close(retry, role, ret);
	else if (retry->sleeps && scope_unit_retry_ends(fds, tgid, role, args, fd, ret))
		retry->sleeps = 0;
}

#endif
