// SPDX-License-Identifier: GPL-2.0-only
/* Decides how soon a flight recorder's content is analysed. */
#include "watch/suspicion.h"

#include <math.h>

#define PAUSE_NS 2500000000ull /* a pause of this length ends a suspicion; reasons are checked once a second */
#define NOW_NS 1500000000ull   /* the same */
#define TOLERATED_TIMES 1.5    /* times a suspicion that came to nothing */
#define PATIENCE_MAX 6

/*
 * The time after which half of a suspicion that came to nothing is still tolerated. Threads without work become silent
 * one after another.
 */
static const double half_ns[SCOPE_UNUSUAL_REASONS] = {
	[SCOPE_UNUSUAL_SILENT] = 10e9, [SCOPE_UNUSUAL_MEDIAN] = 300e9, [SCOPE_UNUSUAL_CALLS] = 300e9,
	[SCOPE_UNUSUAL_RUN] = 300e9,   [SCOPE_UNUSUAL_P99] = 300e9,
};

static double tolerated(const struct scope_watch_suspicion *suspicion, int which, uint64_t now_ns)
{
	const struct scope_watch_reason *reason = &suspicion->reason[which];
	const uint64_t since_ns = now_ns > reason->tolerated_ns ? now_ns - reason->tolerated_ns : 0;

	return reason->tolerated * exp2(-(double)since_ns / half_ns[which]);
}

static void tolerate(struct scope_watch_suspicion *suspicion, int which, uint64_t now_ns)
{
	struct scope_watch_reason *reason = &suspicion->reason[which];

	reason->tolerated = fmax(tolerated(suspicion, which, now_ns), reason->most);
	reason->tolerated_ns = now_ns;
}

static bool is_new(const struct scope_watch_suspicion *suspicion, int which, uint64_t now_ns)
{
	return suspicion->reason[which].most > TOLERATED_TIMES * tolerated(suspicion, which, now_ns);
}

static bool is_over(const struct scope_watch_reason *reason, uint64_t now_ns)
{
	return now_ns - reason->last_ns > PAUSE_NS;
}

void scope_watch_suspicion_take(struct scope_watch_suspicion *suspicion, enum scope_unusual_reason which, double times,
				uint64_t now_ns)
{
	struct scope_watch_reason *reason = &suspicion->reason[which];

	if (reason->last_ns && is_over(reason, now_ns)) {
		if (!reason->found)
			tolerate(suspicion, which, reason->last_ns);
		reason->last_ns = 0;
	}
	if (!reason->last_ns) {
		reason->begin_ns = now_ns;
		reason->most = 0;
		reason->found = false;
	}
	reason->last_ns = now_ns;
	reason->most = fmax(reason->most, times);
	if (!reason->found && is_new(suspicion, which, now_ns))
		suspicion->patience = 0;
}

void scope_watch_suspicion_judged(struct scope_watch_suspicion *suspicion, bool found, uint64_t now_ns)
{
	bool wait = false;

	for (int i = 0; i < SCOPE_UNUSUAL_REASONS; i++) {
		struct scope_watch_reason *reason = &suspicion->reason[i];

		if (!reason->last_ns || is_over(reason, now_ns))
			continue;
		reason->found |= found;
		if (reason->found)
			continue;
		if (now_ns - reason->begin_ns >= SCOPE_WATCH_LASTS_NS)
			tolerate(suspicion, i, now_ns);
		else
			wait |= is_new(suspicion, i, now_ns);
	}
	if (found || wait)
		suspicion->patience = 0;
	else if (suspicion->patience < PATIENCE_MAX)
		suspicion->patience++;
}

bool scope_watch_suspicion_now(const struct scope_watch_suspicion *suspicion, uint64_t now_ns)
{
	for (int i = 0; i < SCOPE_UNUSUAL_REASONS; i++)
		if (suspicion->reason[i].last_ns && now_ns - suspicion->reason[i].last_ns <= NOW_NS)
			return true;
	return false;
}
