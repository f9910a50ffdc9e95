/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules of thumb: what the calls of a finding suggest. They order findings that tie, and let a caller be named in place of its
 * helper. They make no finding.
 */
#ifndef SCOPE_RANK_HINT_H
#define SCOPE_RANK_HINT_H

#include "evidence/evidence.h"

struct scope_finding;

enum scope_hint {
	SCOPE_HINT_CONSTANT_SLEEP,     /* it sleeps for a set time */
	SCOPE_HINT_NAME_LOOK_UP,       /* it asks a name server */
	SCOPE_HINT_LOCK_OVER_BLOCKING, /* it holds a lock during a call that blocks */
	SCOPE_HINT_IO_IN_A_LOOP,       /* it makes a call for I/O far more often than usual */
	SCOPE_HINT_NO_TIME_OUT,	       /* it hangs on a connection */
};

#define SCOPE_HINTS (SCOPE_HINT_NO_TIME_OUT + 1)
extern const char *const scope_rank_hint_name[SCOPE_HINTS]; /* as JSON has them */

/* A bit for each rule that applies. below: the library function that it calls, NULL: none. timeline: for hangs alone. */
uint8_t scope_rank_hints(const struct scope_timeline *timeline, const struct scope_finding *finding,
			 const struct scope_function *below);

/* A stack in a call of which a rule of thumb says that its caller makes it: I/O, a look-up of a name, a sleep for a set time. */
bool scope_rank_hint_of_item(const struct scope_item *item);

/* A library's names for one function differ at the beginning ("__GI___libc_read", "__read"): without that. */
const char *scope_rank_hint_plain_name(const char *name);

/* Findings in their order: one with a hint moves before those without, as long as these are of its class and score hardly more. */
void scope_rank_hints_order(struct scope_finding *finding, size_t count, int (*class_of)(const struct scope_finding *));

#endif
