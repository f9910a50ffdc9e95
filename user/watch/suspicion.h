/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides how soon a flight recorder's content is analysed, by differences from the last minute (recorder/unusual.h).
 *
 * Every server has its own noise, so a reason for suspicion that came to nothing is tolerated from then on, up to half
 * more of it; the tolerance decreases with time. While all reasons are tolerated the watch becomes patient: each
 * analysis that finds nothing doubles the time to the next one, up to 64 times. A reason that is not tolerated ends
 * this. A reason comes to nothing if it ends without a finding, or if an analysis finds nothing after it lasted
 * SCOPE_WATCH_LASTS_NS: after that time a slowdown differs from its past.
 *
 * All times are CLOCK_MONOTONIC, in ns.
 */
#ifndef SCOPE_WATCH_SUSPICION_H
#define SCOPE_WATCH_SUSPICION_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/unusual.h"

#define SCOPE_WATCH_LASTS_NS 4000000000ull

struct scope_watch_reason {
	uint64_t begin_ns, last_ns; /* without a pause; 0: never */
	double most;		    /* of it */
	double tolerated;	    /* at tolerated_ns */
	uint64_t tolerated_ns;
	bool found; /* an analysis found something since it began */
};

struct scope_watch_suspicion {
	struct scope_watch_reason reason[SCOPE_UNUSUAL_REASONS];
	uint32_t patience; /* doublings */
};

/* There is this reason for suspicion now; times: the factor of the difference (recorder/unusual.h). */
void scope_watch_suspicion_take(struct scope_watch_suspicion *suspicion, enum scope_unusual_reason reason, double times,
				uint64_t now_ns);

/* An analysis ended; found: something new, or something that has to be found again. */
void scope_watch_suspicion_judged(struct scope_watch_suspicion *suspicion, bool found, uint64_t now_ns);

/* True if there is a reason for suspicion now. */
bool scope_watch_suspicion_now(const struct scope_watch_suspicion *suspicion, uint64_t now_ns);

#endif
