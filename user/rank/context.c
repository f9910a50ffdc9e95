// SPDX-License-Identifier: GPL-2.0-only
/* Limits the nodes that a function is named for to one call path. */
#include "rank/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int scope_rank_context_narrow(const struct scope_tree *tree, const struct scope_function *function, uint32_t node,
			      struct scope_attribution *attribution, double *ret_excess_ns,
			      struct scope_owner **ret_was)
{
	const size_t size = attribution->count * sizeof(*attribution->owner);
	struct scope_owner *was = malloc(size + 1);
	double excess_ns = 0;
	bool others = false;

	if (!was)
		return -ENOMEM;
	memcpy(was, attribution->owner, size);
	for (size_t i = 0; i < attribution->count; i++) {
		if (attribution->owner[i].function != function)
			continue;
		if (scope_evidence_tree_is_below(tree, i, node)) {
			excess_ns += tree->node[i].self_ns;
		} else {
			attribution->owner[i].function = NULL;
			others = true;
		}
	}
	if (!others) {
		free(was);
		was = NULL;
	}
	*ret_excess_ns = excess_ns;
	*ret_was = was;
	return 0;
}

void scope_rank_context_restore(struct scope_attribution *attribution, struct scope_owner *was)
{
	if (was)
		memcpy(attribution->owner, was, attribution->count * sizeof(*was));
	free(was);
}
