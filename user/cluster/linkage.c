// SPDX-License-Identifier: GPL-2.0-only
/* Linkages by name, and trees cut into clusters. */
#include "cluster/linkage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SCOPE_LINKAGE_COUNT] = {
	[SCOPE_LINKAGE_COMPLETE] = "complete", [SCOPE_LINKAGE_AVERAGE] = "average",   [SCOPE_LINKAGE_SINGLE] = "single",
	[SCOPE_LINKAGE_WARD] = "ward",	       [SCOPE_LINKAGE_DIVISIVE] = "divisive",
};

const char *scope_cluster_linkage_name(enum scope_linkage linkage)
{
	return (unsigned int)linkage < SCOPE_LINKAGE_COUNT ? names[linkage] : NULL;
}

int scope_cluster_linkage_find(const char *name, enum scope_linkage *ret_linkage)
{
	for (int i = 0; i < SCOPE_LINKAGE_COUNT; i++) {
		if (strcmp(name, names[i]))
			continue;
		*ret_linkage = i;
		return 0;
	}
	return -EINVAL;
}

int scope_cluster_linkage_cut(const struct scope_merge *merges, uint32_t m, const double *width, double cut,
			      uint32_t *labels, uint32_t *ret_count)
{
	size_t nodes = m ? 2 * (size_t)m - 1 : 0;
	uint32_t *top = calloc(nodes + 1, 2 * sizeof(*top)); /* the highest merge within the cut above each node */
	uint32_t *label = top ? top + nodes : NULL;	     /* by top node, plus 1 */
	uint32_t count = 0;

	if (!top)
		return -ENOMEM;
	for (size_t i = 0; i < nodes; i++)
		top[i] = i;
	for (uint32_t k = m > 1 ? m - 1 : 0; k-- > 0;) {
		if ((width ? width[k] : merges[k].height) > cut)
			continue;
		top[merges[k].left] = top[m + k];
		top[merges[k].right] = top[m + k];
	}
	for (uint32_t i = 0; i < m; i++) {
		if (!label[top[i]])
			label[top[i]] = ++count;
		labels[i] = label[top[i]] - 1;
	}
	free(top);
	*ret_count = count;
	return 0;
}
