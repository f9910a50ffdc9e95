// SPDX-License-Identifier: GPL-2.0-only
/* The units of another trace of the same program, as the baseline of this one's populations. */
#include "anomaly/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int scope_anomaly_reference_create(struct scope_trace *trace, const struct scope_groups *groups,
				   const struct scope_distributions *distributions, double seconds,
				   struct scope_reference **ret_reference)
{
	struct scope_reference *reference = calloc(1, sizeof(*reference));

	if (!reference)
		return -ENOMEM;
	*reference = (struct scope_reference){
		.trace = trace,
		.groups = groups,
		.distributions = distributions,
		.seconds = seconds,
	};
	*ret_reference = reference;
	return 0;
}

void scope_anomaly_reference_destroy(struct scope_reference *reference)
{
	if (!reference)
		return;
	for (size_t i = 0; reference->of_vector && i < reference->groups->count; i++)
		free(reference->of_vector[i]);
	free(reference->of_vector);
	free(reference);
}

/* The group of the same name and way to pick up work, or -1. */
static long find_group(const struct scope_groups *groups, const struct scope_group *wanted)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->group[i].pickup == wanted->pickup && groups->group[i].reads == wanted->reads &&
		    !groups->group[i].request == !wanted->request &&
		    !memcmp(groups->group[i].name, wanted->name, sizeof(wanted->name)))
			return i;
	return -1;
}

/* The population of the vector, or of the nearest one within the cut: of several the first. */
static uint32_t find_population(const struct scope_vector_set *vectors, const uint32_t *of_vector,
				const struct scope_vector *vector, double cut)
{
	uint32_t best = SCOPE_POPULATION_NONE, id, nearest = UINT32_MAX;

	if (!scope_cluster_vector_set_find(vectors, vector, &id))
		return of_vector[id];
	for (id = 0; id < scope_cluster_vector_set_count(vectors); id++) {
		uint32_t distance = scope_cluster_vector_distance(scope_cluster_vector_set_get(vectors, id), vector);

		if (distance < nearest && distance <= cut) {
			nearest = distance;
			best = of_vector[id];
		}
	}
	return best;
}

static int attribute_group(struct scope_reference *reference, size_t group, const struct scope_groups *groups,
			   const struct scope_detection *detection, double cut)
{
	const struct scope_group *from = &reference->groups->group[group];
	uint32_t vectors = scope_cluster_vector_set_count(from->vectors);
	long to = find_group(groups, from);
	uint32_t *of_vector = calloc(vectors + 1, sizeof(*of_vector));

	reference->of_vector[group] = of_vector;
	if (!of_vector)
		return -ENOMEM;
	for (uint32_t i = 0; i < vectors; i++)
		of_vector[i] = to < 0 || !detection->of_vector[to]
				       ? SCOPE_POPULATION_NONE
				       : find_population(groups->group[to].vectors, detection->of_vector[to],
							 scope_cluster_vector_set_get(from->vectors, i), cut);
	return 0;
}

int scope_anomaly_reference_apply(struct scope_reference *reference, const struct scope_groups *groups,
				  const struct scope_distributions *distributions,
				  const struct scope_detect_options *options, struct scope_detection *detection)
{
	int err = 0;

	reference->of_vector = calloc(reference->groups->count + 1, sizeof(*reference->of_vector));
	if (!reference->of_vector)
		return -ENOMEM;
	for (size_t i = 0; !err && i < reference->groups->count; i++)
		err = attribute_group(reference, i, groups, detection, options->cluster.cut);
	for (uint32_t i = 0; !err && i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];
		const struct scope_baseline_units own = {
			.distributions = &distributions->group[population->group],
			.of_vector = detection->of_vector[population->group],
		};
		long group = find_group(reference->groups, &groups->group[population->group]);
		struct scope_baseline_units baseline;

		if (group < 0)
			continue;
		baseline = (struct scope_baseline_units){
			.distributions = &reference->distributions->group[group],
			.of_vector = reference->of_vector[group],
		};
		if (scope_anomaly_baseline_count(&baseline, i) >= options->units_min)
			err = scope_anomaly_detection_compare(detection, i, &own, &baseline, reference->as_a_whole,
							      options);
	}
	return err;
}
