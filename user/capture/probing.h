/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes that a capture sets once it runs, watches, and takes back.
 *
 *   WAITING ──set──► SET ──a buffer is over half full──► WAITING (set again once it is less than a quarter full)
 *      │              └──too costly──► TAKEN_BACK, with all probes of its set
 *      └──the kernel refuses──► REFUSED, with all of its set
 *
 * While any buffer is over half full no probe is set. The cost is what the source measures: the share of a CPU that its
 * probes take, its usual ones included.
 */
#ifndef SCOPE_CAPTURE_PROBING_H
#define SCOPE_CAPTURE_PROBING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/probe.h"
#include "source/source.h"

#define SCOPE_PROBING_STEP_MS 20u	      /* from one look to the next, and less just after probes were set */
#define SCOPE_PROBING_PAUSE_FILL 500u	      /* thousandths of a buffer: above it no probe is set … */
#define SCOPE_PROBING_RESUME_FILL 250u	      /* … until there is less than this */
#define SCOPE_PROBING_LOOKS_NS 100000000ull   /* no rule: longer between two looks at the buffers is said */
#define SCOPE_PROBING_STORM_TIMES 4u	      /* the budget, in one look: taken back at once */
#define SCOPE_PROBING_BUDGET_NS 1000000000ull /* the budget holds for each stretch of this length */

enum scope_probing_state {
	SCOPE_PROBING_WAITING,
	SCOPE_PROBING_SET,
	SCOPE_PROBING_REFUSED,
	SCOPE_PROBING_TAKEN_BACK,
};

struct scope_probing_one {
	struct scope_probe probe;
	uint32_t set;	  /* probes of one set are given up together */
	const char *name; /* for the trace's metadata; NULL: the place */
	enum scope_probing_state state;
	bool was_set;		    /* at some time */
	uint64_t hits, hits_before; /* before: of the times it was set earlier */
	uint64_t hits_seen;	    /* at the last look */
};

struct scope_probing {
	struct scope_probing_one *one;
	size_t count;
	uint32_t budget; /* thousandths of a CPU; 0: any share */

	/* Results. */
	uint32_t pauses;
	uint32_t share_most; /* thousandths of a CPU in a stretch of SCOPE_PROBING_BUDGET_NS, the largest */
	bool over;	     /* the budget was exceeded without any probe set: what every round records is too costly */
	uint64_t looks_apart_ns; /* between two looks at the buffers, the longest; 0: there is no probe to set */
	uint64_t set_ns;	 /* when a probe was set last: from then on all are set, CLOCK_MONOTONIC */
	struct scope_error why;	 /* of the last refusal */

	/* Of the steps. */
	bool paused, begun, ended;
	bool just_set; /* in the last step: buffers are looked at again before the next probe is set */
	uint64_t looked_ns, next_ns, since_ns;
	uint64_t filled_ns; /* when the buffers were looked at last; 0: never */
	uint64_t cost_ns;   /* in the stretch since since_ns */
	uint32_t quick;	    /* looks that come early */
};

/* True if the source can set probes while it runs. */
bool scope_capture_probing_can(const struct scope_source *source);

/* True if that may include probes on functions of the kernel. */
bool scope_capture_probing_kernel(const struct scope_source *source);

/* Sets one of the probes that wait, if there is room, and takes back those that must be. Call it at next_ns at the latest. */
void scope_capture_probing_step(struct scope_probing *probing, const struct scope_source *source, void *feed,
				uint64_t now_ns);
/* Call it before the session stops, which removes the probes: takes the last counts. */
void scope_capture_probing_end(struct scope_probing *probing, const struct scope_source *source, void *feed);

#endif
