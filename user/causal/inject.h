/* SPDX-License-Identifier: GPL-2.0-only */
/* A session of the module that delays threads at sites and counts progress. */
#ifndef SCOPE_CAUSAL_INJECT_H
#define SCOPE_CAUSAL_INJECT_H

#include <stdbool.h>

#include "base/error.h"
#include "causal/point.h"
#include "causal/site.h"
#include "causal/tally.h"

struct scope_inject;

struct scope_inject_options {
	uint32_t tgid;
	bool follow;		       /* descendants too */
	const struct scope_site *site; /* borrowed, as is point */
	uint32_t sites;
	const struct scope_point *point;
	uint32_t sample_period_ns; /* for speedups; 0: the sites are delayed */
	uint64_t second_max_ns;	   /* the most delay of all threads together in a second; 0: the module's default */
};

/*
 * All return 0 or -errno with error filled. open: tracing is on, and every site counts its visits
 * without delays. -ENOENT: the module is not loaded.
 */
int scope_causal_inject_open(const struct scope_inject_options *options, struct scope_error *error,
			     struct scope_inject **ret_inject);
void scope_causal_inject_close(struct scope_inject *inject); /* ends all delays; NULL is fine */

/*
 * ns: delay of each visit from now on; 0: none. With speedups a sample is a visit and delays all other threads, and
 * only one site is active: the one that was set last.
 */
int scope_causal_inject_set(struct scope_inject *inject, uint32_t site, uint64_t ns, struct scope_error *error);
int scope_causal_inject_counts(struct scope_inject *inject, uint32_t site, struct scope_error *error,
			       struct scope_delay_counts *ret_counts);

/* Gives all events from before this call to the tally, and settles it. */
int scope_causal_inject_drain(struct scope_inject *inject, struct scope_error *error);
struct scope_tally *scope_causal_inject_tally(struct scope_inject *inject);

/* Number of events lost so far. */
uint64_t scope_causal_inject_lost(const struct scope_inject *inject);

/* -ESRCH: all traced threads have ended. -EOVERFLOW: the overload guard stopped the session. */
int scope_causal_inject_check(struct scope_inject *inject, struct scope_error *error);

#endif
