/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans which experiments to make, and in which order.
 *
 * All values come in a random order, so that a load that rises or falls affects all of them
 * equally; the value 0 is always among them. The same seed gives the same order.
 */
#ifndef SCOPE_CAUSAL_PLAN_H
#define SCOPE_CAUSAL_PLAN_H

#include <stddef.h>
#include <stdint.h>

/* Coz: Curtsinger and Berger, SOSP 2015, sections 3.1 to 3.3. */
#define SCOPE_PLAN_LENGTH_NS 500000000ull
#define SCOPE_PLAN_LENGTH_MAX_NS 8000000000ull
#define SCOPE_PLAN_PERIOD_NS 1000000u /* period of samples */
#define SCOPE_PLAN_SPEEDUPS 20	      /* steps of 5 % */
#define SCOPE_PLAN_ZERO_WEIGHT 8      /* 8 of 28 draws, 29 %, are 0 */

#define SCOPE_PLAN_SHARE 0.25		 /* share of the time for delays that are chosen by the visits of a site, … */
#define SCOPE_PLAN_LONGEST_NS 100000000u /* … the longest such delay … */
#define SCOPE_PLAN_SHORTEST_NS 20000u	 /* … and the shortest */

struct scope_plan_step {
	uint32_t site;
	double value; /* experiment.h */
};

struct scope_plan {
	struct scope_plan_step *step;
	size_t count;
};

/*
 * Plans each of the values (0 is added if it is missing) at each of the sites, `repeats` times: all in a random order,
 * then all in another order, and so on. 0, -EINVAL: no values, sites or repeats; -ENOMEM.
 */
int scope_causal_plan_delays(const double *value, size_t values, uint32_t sites, uint32_t repeats, uint64_t seed,
			     struct scope_plan *ret_plan);

/* Plans `count` experiments at each of the sites, with speedups that are drawn as in Coz. The same errors. */
int scope_causal_plan_speedups(uint32_t sites, uint32_t count, uint64_t seed, struct scope_plan *ret_plan);
void scope_causal_plan_free(struct scope_plan *plan); /* zeroed is fine */

/*
 * The delay in ns, in steps of 10 us, with which this number of visits in this time is delayed for SCOPE_PLAN_SHARE of
 * the time.
 */
double scope_causal_plan_longest_ns(uint64_t visits, uint64_t elapsed_ns);

/*
 * The length of further experiments after one of length_ns with this number of visits of the progress point. Below
 * SCOPE_CAUSAL_VISITS_MIN visits it doubles, up to SCOPE_PLAN_LENGTH_MAX_NS (or length_ns if that is more).
 */
uint64_t scope_causal_plan_adapt(uint64_t length_ns, uint64_t visits);

#endif
