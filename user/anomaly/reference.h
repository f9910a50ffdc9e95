/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of another trace of the same program, as the baseline of this one's populations.
 *
 * A bug that hits every request is usual in its own trace; a trace from before it shows the difference. Units of
 * the other trace go to the population whose vectors hold theirs, or else to the one whose vectors
 * come nearest within the cut, of the group of the same name.
 */
#ifndef SCOPE_ANOMALY_REFERENCE_H
#define SCOPE_ANOMALY_REFERENCE_H

#include "anomaly/detect.h"

struct scope_reference {
	struct scope_trace *trace; /* the caller's, as the next two */
	const struct scope_groups *groups;
	const struct scope_distributions *distributions;
	double seconds;	 /* length of its window */
	bool as_a_whole; /* all units of a population may take longer than these: it is another run, or they grow */
	uint32_t **of_vector; /* per group: id of a vector -> population, or SCOPE_POPULATION_NONE */
};

/* Of a trace whose distributions are known; what is given must outlive the result. 0 or -ENOMEM. */
int scope_anomaly_reference_create(struct scope_trace *trace, const struct scope_groups *groups,
				   const struct scope_distributions *distributions, double seconds,
				   struct scope_reference **ret_reference);
void scope_anomaly_reference_destroy(struct scope_reference *reference);

/*
 * Assigns the vectors of the reference to the populations of detection, and judges by its units those
 * populations that at least options->units_min of them went to. Once.
 */
int scope_anomaly_reference_apply(struct scope_reference *reference, const struct scope_groups *groups,
				  const struct scope_distributions *distributions,
				  const struct scope_detect_options *options, struct scope_detection *detection);

#endif
