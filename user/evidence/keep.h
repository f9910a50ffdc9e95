/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects the units that the report may need: abnormal ones, usual ones to compare with, and those
 * still open at the end.
 *
 * If there are too many, every n-th of a population is kept; n is known from the distributions, so
 * memory does not grow with the trace. Sums are over kept units; the counts of a side say how many
 * units these represent. Units between usual and abnormal are not kept.
 */
#ifndef SCOPE_EVIDENCE_KEEP_H
#define SCOPE_EVIDENCE_KEEP_H

#include "anomaly/reference.h"
#include "evidence/wait_chain.h"
#include "unit/units.h"

#define SCOPE_KEEP_UNITS 200000 /* usual units, and as many abnormal ones */
#define SCOPE_KEEP_PARTS 200	/* this part of them at least for a population that has that many */

/* The usual or the abnormal units of a population. */
struct scope_kept_side {
	uint64_t units; /* all */
	uint64_t kept;
	uint64_t every, next;	   /* the number of the next one to keep */
	double run_ns, blocked_ns; /* of those kept */
};

struct scope_kept_population {
	struct scope_kept_side side[2]; /* usual, abnormal */
	double excess_ns;		/* of all its abnormal units, over what is usual */
	uint64_t first_slow;		/* of all these: the first request of a connection */
};

struct scope_kept {
	struct scope_units *units;  /* of the run of the distributions */
	struct scope_unit_log *log; /* of the distributions */
	uint32_t *population;	    /* per kept unit */
	uint8_t *mark;		    /* per kept unit: enum scope_unit_mark bits */
	size_t population_capacity, mark_capacity;
	struct scope_kept_population *of; /* per population of the detection */
	size_t populations;
	struct scope_wait_chains wait_chains;
	uint64_t slow_units, slow_requests; /* of all */
};

/*
 * Reads the log of the distributions. room: about how many units of each side are kept,
 * SCOPE_KEEP_UNITS usually. The arguments must outlive the result, which the caller destroys.
 */
int scope_evidence_keep_run(const struct scope_distributions *distributions, const struct scope_groups *groups,
			    const struct scope_detection *detection, uint64_t room, struct scope_kept **ret_kept);
/* The usual units of a reference, for the populations that are compared with it. */
int scope_evidence_keep_reference(const struct scope_reference *reference, const struct scope_detection *detection,
				  uint64_t room, struct scope_kept **ret_kept);
void scope_evidence_kept_destroy(struct scope_kept *kept);

#endif
