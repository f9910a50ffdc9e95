/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spins made of calls: rounds in which a thread asks the kernel for something, and gets nothing.
 *
 * A poll that returns at once, a read that brings no byte, an accept that fails: each is in vain until bytes move to or
 * from a peer, a client is accepted or the thread sleeps for a while. A loop at work has few of them in a row. What
 * happens at every call stands here, to be built into the code that takes events (timeline/take.h).
 */
#ifndef SCOPE_UNIT_SPIN_H
#define SCOPE_UNIT_SPIN_H

#include "timeline/take.h"

#define SCOPE_SPIN_VAIN 10 /* calls in a row that are in vain: a loop at work makes fewer */
#define SCOPE_SPIN_SLEEP_NS 1000000 /* a sleep as long gives the CPU to others */
#define SCOPE_SPIN_MIN_NS 1000000 /* without progress: who polls instead of sleeping has some sooner, while it is asked */
#define SCOPE_SPIN_GAP_NS 1000000000 /* of something else between two: they are two spins */

/* From the first round in vain to the last, with what little came between. */
struct scope_spin {
	uint64_t from_ns, until_ns;
	uint64_t busy_ns; /* of these rounds, on a CPU or in the run queue; 0: there was no spin */
	uint64_t rounds;  /* polls, or the other calls where there are none */
	uint16_t poll_nr; /* SCOPE_NR_NONE: none */
	uint16_t nr;	  /* the other call in vain, SCOPE_NR_NONE: only polls were */
	int32_t ret;	  /* of it */
	int32_t fd;	  /* its first argument, -1: not known */
};

/* Of one thread. */
struct scope_spinning {
	uint32_t vain; /* calls in a row, as the next: */
	uint32_t polls;
	uint16_t poll_nr, nr;
	int32_t ret, fd;
	uint64_t begin_ns, begin_busy_ns; /* where vain reached SCOPE_SPIN_VAIN */
	struct scope_spin last, longest;
};

#define SCOPE_SPINNING_NONE ((struct scope_spinning){ .poll_nr = SCOPE_NR_NONE, .nr = SCOPE_NR_NONE })

/* Roles of calls that ask for something, beside SCOPE_CALL_POLL. */
#define SCOPE_SPIN_ROLES                                                                                 \
	(1u << SCOPE_CALL_READ | 1u << SCOPE_CALL_WRITE | 1u << SCOPE_CALL_ACCEPT | 1u << SCOPE_CALL_CONNECT)

/* Something came of a call, or the thread slept; now_ns: up to where it went round. */
void scope_spin_end(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t now_ns);
/* The longest one, with that which is still on as the window ends at now_ns. */
struct scope_spin scope_spin_longest(struct scope_spinning *spinning, const struct scope_thread *thread,
				     uint64_t now_ns);

/* On a CPU or in the run queue since it was first seen, ns, of a thread that runs. */
static inline uint64_t scope_spin_busy(const struct scope_thread *thread, uint64_t now_ns)
{
	const bool running = thread->run == SCOPE_RUN_RUNNING && now_ns > thread->since_ns;

	return thread->account.run_ns + thread->account.queue_ns + (running ? now_ns - thread->since_ns : 0);
}

SCOPE_TAKE void scope_spin_vain(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t now_ns)
{
	if (++spinning->vain == SCOPE_SPIN_VAIN) {
		spinning->begin_ns = now_ns;
		spinning->begin_busy_ns = scope_spin_busy(thread, now_ns);
	}
}

SCOPE_TAKE void scope_spin_gain(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t now_ns)
{
	if (spinning->vain >= SCOPE_SPIN_VAIN)
		scope_spin_end(spinning, thread, now_ns);
	spinning->vain = spinning->polls = 0;
}

SCOPE_TAKE void scope_spin_poll(struct scope_spinning *spinning, const struct scope_thread *thread, uint16_t nr,
				uint64_t now_ns)
{
	spinning->poll_nr = nr;
	spinning->polls++;
	scope_spin_vain(spinning, thread, now_ns);
}

/* Files are written as logs are, and end: neither is progress, nor the want of it. */
static inline bool scope_spin_is_file(struct scope_fds *fds, uint32_t tgid, unsigned args, uint64_t fd)
{
	const enum scope_fd_kind kind = args ? scope_fds_kind(fds, tgid, (int32_t)fd) : SCOPE_FD_UNKNOWN;

	return kind == SCOPE_FD_FILE || kind == SCOPE_FD_TTY || (kind == SCOPE_FD_UNKNOWN && args && fd == 2);
}

/* The return of a call of SCOPE_SPIN_ROLES. */
SCOPE_TAKE void scope_spin_try(struct scope_spinning *spinning, struct scope_fds *fds,
			       const struct scope_thread *thread, enum scope_call_role role, uint16_t nr,
			       unsigned args, uint64_t fd, int64_t ret, uint64_t now_ns)
{
	if (ret > 0 || (ret == 0 && role == SCOPE_CALL_ACCEPT)) {
		if (spinning->vain && (role != SCOPE_CALL_WRITE || !scope_spin_is_file(fds, thread->tgid, args, fd)))
			scope_spin_gain(spinning, thread, now_ns);
		return;
	}
	if ((role == SCOPE_CALL_CONNECT || role == SCOPE_CALL_WRITE) && !ret)
		return;
	if (role == SCOPE_CALL_READ && scope_spin_is_file(fds, thread->tgid, args, fd))
		return;
	spinning->nr = nr;
	spinning->ret = (int32_t)ret;
	spinning->fd = args ? (int32_t)fd : -1;
	scope_spin_vain(spinning, thread, now_ns);
}

#endif
