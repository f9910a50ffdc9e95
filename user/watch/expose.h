/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the state of a watch as OpenMetrics. */
#ifndef SCOPE_WATCH_EXPOSE_H
#define SCOPE_WATCH_EXPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/http.h"
#include "watch/seen.h"

struct scope_watch_state {
	bool running;	       /* a capture runs */
	uint64_t captures;     /* begun */
	uint64_t events, lost; /* of the capture that runs, or ran last */
	double held_s;	       /* by its flight recorder */
	uint64_t held_bytes;
	uint64_t judgements, failures, suspicions;
	uint64_t judge_ns, last_judge_ns; /* CPU time of all judgements; of the last */
	uint64_t current;		  /* findings, see scope_watch_seen_current() */
	uint64_t last_began_ns;		  /* CLOCK_MONOTONIC; 0: there was no incident */
};

/* Makes the text, and serves it. If there is no memory the earlier text stays. */
void scope_watch_expose(const struct scope_watch_state *state, const struct scope_watch_counts *counts,
			struct scope_http *http);

#endif
