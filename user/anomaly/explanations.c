// SPDX-License-Identifier: GPL-2.0-only
/* Explains how long the units of each group take. */
#include <errno.h>
#include <stdlib.h>

#include "anomaly/explain.h"

int scope_anomaly_explanations_create(const struct scope_examples *list, size_t groups,
				      struct scope_explanations **ret_explanations)
{
	struct scope_explanations *explanations = calloc(1, sizeof(*explanations));

	if (!explanations)
		return -ENOMEM;
	explanations->one = calloc(groups + 1, sizeof(*explanations->one));
	if (!explanations->one) {
		free(explanations);
		return -ENOMEM;
	}
	for (size_t g = 0; g < groups; g++) {
		struct scope_explained one = { .group = (uint32_t)g, .units = list[g].units };

		if (scope_anomaly_explain(list[g].example, list[g].setting, list[g].count, &one))
			explanations->one[explanations->count++] = one;
	}
	*ret_explanations = explanations;
	return 0;
}

void scope_anomaly_explanations_destroy(struct scope_explanations *explanations)
{
	if (!explanations)
		return;
	free(explanations->one);
	free(explanations);
}
