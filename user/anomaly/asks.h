/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds which populations are of clients' requests, and which of threads that no request needs. */
#ifndef SCOPE_ANOMALY_ASKS_H
#define SCOPE_ANOMALY_ASKS_H

#include "anomaly/detect.h"

#define SCOPE_KIND_ASKS 0 /* no rule: the kind of a vector of a population of requests; another vector has … */
#define SCOPE_KIND_TURN 1 /* no rule: … this kind: turns of a loop that took no request, or other work */

/*
 * Finds for each population of a group whether most of its units are requests, and for each vector its kind. all: the
 * group's units.
 */
void scope_anomaly_asks_find(const struct scope_baseline_units *all, struct scope_population *population,
			     uint32_t first, uint32_t populations, uint32_t *kind_of_vector);
/* Sets background of all populations. */
void scope_anomaly_asks_background(const struct scope_groups *groups, const struct scope_distributions *distributions,
				   const struct scope_detect_options *options, struct scope_detection *detection);

#endif
