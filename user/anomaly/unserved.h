/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients that wait while no thread of the process does anything for them: bytes that they sent are not read, or their
 * connections are not accepted. A thread that sleeps all that time is not idle, whatever its call is.
 */
#ifndef SCOPE_ANOMALY_UNSERVED_H
#define SCOPE_ANOMALY_UNSERVED_H

#include "anomaly/hang.h"

/* Of one process. */
struct scope_unserved {
	uint32_t tgid;
	uint32_t clients;   /* connections that it accepted */
	uint32_t unread;    /* connections, and sockets of datagrams, with bytes that nobody has read … */
	uint32_t datagrams; /* … of these, such sockets */
	uint32_t backlog;   /* connections that wait to be accepted … */
	uint64_t since_ns;  /* … since then, until the window's end */
};

/* All processes of which clients have waited for SCOPE_UNSERVED_NS as the window ends. malloc'd, freed by the caller. 0 or -ENOMEM. */
int scope_anomaly_unserved_find(const struct scope_timeline *timeline, struct scope_unserved **ret_unserved,
				size_t *ret_count);

#define SCOPE_UNSERVED_NS 3000000000ull /* in each of several rows, a second apart: a busy moment is shorter */

/* The entry of that process. NULL: its clients do not wait. */
const struct scope_unserved *scope_anomaly_unserved_of(const struct scope_unserved *unserved, size_t count,
						       uint32_t tgid);
/*
 * True if clients of the thread's process have waited for as long as the thread has slept, and it is the one that should serve
 * them: no other thread of the process served any in the window, or sleeps where threads are seldom idle.
 */
bool scope_anomaly_unserved_by(const struct scope_unserved *unserved, const struct scope_units *units,
			       const struct scope_pickups *pickups, uint32_t thread);
/*
 * True if one of several threads of its process should serve them, and this may be the one: nobody reads what clients
 * have sent, no thread of the process served a client in the window, and this thread has slept for as long.
 */
bool scope_anomaly_unserved_among(const struct scope_unserved *unserved, const struct scope_units *units,
				  const struct scope_pickups *pickups, uint32_t thread);
/* True if it sleeps where threads that serve nobody often sleep: in a futex, by a clock, for a child or a signal. */
bool scope_anomaly_unserved_aside(const struct scope_thread *thread);

#endif
