/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes that a capture sets while it runs, watches, and removes.
 *
 *   WAITING ──set──► SET ──a buffer is over half full──► WAITING (set again once it is less than a quarter full)
 *      │              └──too costly──► TAKEN_BACK, with all probes of its set
 *      └──the kernel refuses──► REFUSED, with all of its set
 *
 * While any buffer is more than half full no probe is set. The cost is measured by the source: the share of a CPU that
 * its probes take, including its usual ones.
 */
#ifndef SCOPE_CAPTURE_PROBING_H
#define SCOPE_CAPTURE_PROBING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/probe.h"
#include "source/source.h"

#define SCOPE_PROBING_STEP_MS 20u	      /* time from one look to the next; less just after probes were set */
#define SCOPE_PROBING_PAUSE_FILL 500u	      /* thousandths of a buffer: above it no probe is set … */
#define SCOPE_PROBING_RESUME_FILL 250u	      /* … until it is less than this */
#define SCOPE_PROBING_LOOKS_NS 100000000ull   /* no rule: a longer time between two looks is reported */
#define SCOPE_PROBING_STORM_TIMES 4u	      /* times the budget in one look: the probe is removed at once */
#define SCOPE_PROBING_BUDGET_NS 1000000000ull /* the budget is for each stretch of this length */

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
	bool was_set;		    /* it was set at some time */
	uint64_t hits, hits_before; /* hits_before: hits of the earlier times in which it was set */
	uint64_t hits_seen;	    /* at the last look */
};

struct scope_probing {
	struct scope_probing_one *one;
	size_t count;
	uint32_t budget; /* thousandths of a CPU; 0: any share */

	/* Results. */
	uint32_t pauses;
	uint32_t share_most; /* the largest cost of a stretch of SCOPE_PROBING_BUDGET_NS, in thousandths of a CPU */
	bool over;	     /* the budget was exceeded while no probe was set: the usual events alone are too costly */
	uint64_t looks_apart_ns; /* the longest time between two looks at the buffers; 0: there is no probe to set */
	uint64_t set_ns;	 /* when the last probe was set: from then on all are set, CLOCK_MONOTONIC */
	struct scope_error why;	 /* reason of the last refusal */

	/* State of the steps. */
	bool paused, begun, ended;
	bool just_set; /* a probe was set in the last step: the buffers are checked before the next one is set */
	uint64_t looked_ns, next_ns, since_ns;
	uint64_t filled_ns; /* time of the last look at the buffers; 0: none */
	uint64_t cost_ns;   /* cost in the stretch that began at since_ns */
	uint32_t quick;	    /* number of early looks that are left */
};

/* True if the source can set probes while it runs. */
bool scope_capture_probing_can(const struct scope_source *source);

/* True if these may be probes on functions of the kernel. */
bool scope_capture_probing_kernel(const struct scope_source *source);

/*
 * Sets one of the probes that wait, if there is room, and removes those that are too costly. Call it at next_ns at the
 * latest.
 */
void scope_capture_probing_step(struct scope_probing *probing, const struct scope_source *source, void *feed,
				uint64_t now_ns);
/* Takes the last counts. Call it before the session stops, because this removes the probes. */
void scope_capture_probing_end(struct scope_probing *probing, const struct scope_source *source, void *feed);

#endif
