/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds threads that sleep in the middle of their work, or run without end, when the window ends,
 * and threads that made rounds without progress in it.
 */
#ifndef SCOPE_ANOMALY_HANG_H
#define SCOPE_ANOMALY_HANG_H

#include "unit/distribution.h"
#include "unit/units.h"

#define SCOPE_OWNER_NONE UINT32_MAX /* no rule */

enum scope_hang_kind {
	SCOPE_HANG_BLOCKED,
	SCOPE_HANG_SPIN,
};

#define SCOPE_HANG_MIN_NS 1000000000ull /* asleep, or running without a call */
#define SCOPE_HANG_TIMES_P99 10		/* that time, in 99th percentiles of requests */
#define SCOPE_HANG_RETRIES_MIN 3	/* sleeps that end by themselves without progress, from which they are one */

struct scope_hang {
	uint32_t thread;
	enum scope_hang_kind kind;
	uint16_t nr;			 /* BLOCKED: the call it sleeps in; SCOPE_NR_NONE: a page fault */
	uint64_t object;		 /* BLOCKED: its first argument; 0 outside calls */
	uint64_t since_ns;		 /* asleep, or without a call, since then: may be before the window */
	uint64_t until_ns;		 /* the window's end; of a spin made of calls its last round */
	const struct scope_spin *rounds; /* SPIN: made of calls, of units->thread; NULL: without any */
	uint32_t signals; /* SPIN: whose handlers have interrupted it since then, and made the only calls */
	uint32_t retries; /* sleeps of a thread that sleeps again and again, since then; 0: it sleeps in one call */
	bool lock;	  /* asleep for a lock: the function that holds it may be the cause */
	uint32_t owner;	  /* lock: index of the thread that owns it (anomaly/lock_owner.h), or SCOPE_OWNER_NONE */
	uint32_t backlog; /* connections that wait to be accepted, because this thread waits for its own client; 0: another kind of hang */
	uint32_t unread; /* its clients' connections with bytes that nobody reads, because this thread sleeps … */
	bool one_of; /* … or another one of its process, which stacks decide. Without needs_peers it is idle if it is another one. */
	bool circle; /* lock: the chain of owners leads back to it (a deadlock) */
	/*
	 * It sleeps in a call in which idle threads sleep as well. It hangs only if threads that started in the same
	 * function take work and this one does not. The caller decides that by the stacks.
	 */
	bool needs_peers;
	bool as_namesake; /* threads of its name wait for work in the same way: if they started where it did, it is idle */
	bool quiet;	  /* with needs_peers: without evidence it is idle, and not even uncertain */
	/* Its peers give no evidence: no thread did any work, or few stacks show where. It may be idle. */
	bool unsure;
	bool for_other; /* in the middle of a request that waits for a thread of its process, which hangs as well */
};

/*
 * units holds at least the units that were open at the end. ret_hangs: a malloc'd array in order of
 * threads, freed by the caller.
 */
int scope_anomaly_hang_find(const struct scope_units *units, const struct scope_distributions *distributions,
			    const struct scope_pickups *pickups, struct scope_hang **ret_hangs, size_t *ret_count);

/*
 * True for a wait in which idle threads are, whatever else they do: for clients, for the end of a child, for a signal,
 * at a queue.
 */
bool scope_anomaly_hang_idles(enum scope_timeline_call_role role);
/* True if it had no progress in the whole window, in sleeps that ended by themselves: they began before it. */
bool scope_anomaly_hang_took_nothing(const struct scope_units *units, uint32_t thread);
/* When a thread that sleeps went to sleep, ns. */
uint64_t scope_anomaly_hang_asleep_since(const struct scope_thread *thread);
/* True if the thread sleeps in a call in which one with that pick-up, or any, waits for work. NULL: none is known. */
bool scope_anomaly_hang_as_pickup(const struct scope_units *units, const struct scope_pickup *pickup, uint32_t thread);
/* True if the thread waits for new work as the window ends. */
bool scope_anomaly_hang_waits(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t thread);
/* Does the thread wait for new work, or take it, in the window? */
bool scope_anomaly_hang_serves(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t thread);

#endif
