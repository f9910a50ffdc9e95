/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the steps that each connection takes once. A handshake, a log-in, and a request are units of different kinds,
 * and a handshake is neither rare nor slow because it is one unit of ten, and takes longer than the other nine. A step
 * has one population, or several that are alternatives: no connection has units of two.
 */
#ifndef SCOPE_ANOMALY_STEP_H
#define SCOPE_ANOMALY_STEP_H

#include "unit/distribution.h"

#define SCOPE_STEP_NONE UINT32_MAX

struct scope_step_options {
	uint32_t connections_min;
	double without; /* connections that have none of a step's units are this share at most … */
	double fewer_z; /* … and fewer than by chance, by that many standard deviations; so are those with two alternatives */
};

/*
 * ret_step: by population of the group, counted from 0 (of_vector less first), the number of its step or
 * SCOPE_STEP_NONE; the caller frees. Steps are found by the first SCOPE_DISTRIBUTIONS_CONNECTIONS connections that were accepted in the
 * window.
 * 0 or -ENOMEM.
 */
int scope_anomaly_steps_find(const struct scope_distributions_group *distributions, const uint32_t *of_vector,
			     uint32_t first, uint32_t populations, const struct scope_step_options *options,
			     uint32_t **ret_step);

#endif
