/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps when each thread slept or was in the run queue, and which thread woke it: the last
 * stretches of each.
 *
 * A thread has SCOPE_HISTORY_MAX of them at most. Between them it ran, as far back as known_ns.
 */
#ifndef SCOPE_WAITS_HISTORY_H
#define SCOPE_WAITS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeline/thread.h"

#define SCOPE_HISTORY_MAX 1024 /* no rule: even */

/* Times in ns. A sleep ends as the thread is woken. */
struct scope_stay {
	uint64_t begin_ns, end_ns;
	int32_t waker; /* index of the traced thread that ended the sleep, or -1 */
	uint32_t tid;  /* sleep: of the waker, 0: an interrupt; queue: of the thread that had the CPU */
	uint32_t fd;   /* sleep for a peer or a disk: the descriptor of its call + 1; 0: none */
	bool own;      /* queue: traced threads had the CPU for half of the time or more */
	uint16_t nr;   /* sleep: the call, or SCOPE_NR_NONE */
	uint8_t class; /* sleep: enum scope_wait_class */
	bool queue;
	bool idle; /* sleep: for work */
};

/*
 * The descriptor + 1 of the call in which a thread slept for a peer or for a disk; 0: none, or not known. That of a poll
 * is known if the thread then read from one socket (unit/late.h).
 */
uint32_t scope_waits_descriptor_of(const struct scope_wait *wait);
/* The stretch that an entry of the log of units describes (unit/unit.h). */
struct scope_stay scope_waits_history_stay(const struct scope_wait *wait);

struct scope_past_stays {
	struct scope_stay *stay; /* in the order of their begins; they overlap only in a faulty trace */
	uint32_t count, capacity;
	uint64_t known_ns; /* nothing is known of the thread before it; 0: all is known */
};

/* A zeroed struct is empty. */
struct scope_history {
	struct scope_past_stays *thread; /* by index */
	size_t threads, capacity;
};

void scope_waits_history_free(struct scope_history *history);
/*
 * Stretches may be added somewhat out of order. Stretches inside a sleep that comes later belong to that sleep,
 * which false wakeups interrupted. 0 or -ENOMEM.
 */
int scope_waits_history_add(struct scope_history *history, uint32_t thread, const struct scope_stay *stay);
/* Sets known_ns of the first `count` threads to the time at which each was first seen. 0 or -ENOMEM. */
int scope_waits_history_know_threads(struct scope_history *history, struct scope_threads *threads, size_t count);
/* NULL: none is known. */
const struct scope_past_stays *scope_waits_history_of(const struct scope_history *history, uint32_t thread);

#endif
