// SPDX-License-Identifier: GPL-2.0-only
/* Finds the library function in which a program function of a path spends its time. */
#include "evidence/hop.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct hop {
	const struct scope_function *function; /* NULL: none */
	double weight_ns;
};

struct hops {
	struct hop *hop;
	size_t count, capacity;
};

static double weight_of(const struct scope_item *item)
{
	return item->kind == SCOPE_ITEM_SPIN ? item->weight_ns : item->abnormal ? item->excess_ns : 0;
}

/* Without memory the result is that of the items added so far. */
static void add(struct hops *hops, const struct scope_function *function, double weight_ns)
{
	size_t at = 0;

	while (at < hops->count && hops->hop[at].function != function)
		at++;
	if (at == hops->count) {
		if (scope_grow(&hops->hop, &hops->capacity, at + 1, sizeof(*hops->hop)))
			return;
		hops->hop[hops->count++] = (struct hop){ .function = function };
	}
	hops->hop[at].weight_ns += weight_ns;
}

static bool is_more(const struct hop *a, const struct hop *b)
{
	if (a->weight_ns != b->weight_ns)
		return a->weight_ns > b->weight_ns;
	return !a->function || (b->function && strcmp(a->function->name, b->function->name) < 0);
}

const struct scope_function *scope_evidence_hop_find(const struct scope_evidence *evidence, uint32_t node)
{
	struct hops hops = { 0 };
	const struct hop *most = NULL;
	const struct scope_function *function;

	for (size_t i = 0; i < evidence->items; i++)
		if (evidence->item[i].node == node && weight_of(&evidence->item[i]) > 0)
			add(&hops, evidence->item[i].below, weight_of(&evidence->item[i]));
	for (size_t i = 0; i < hops.count; i++)
		if (!most || is_more(&hops.hop[i], most))
			most = &hops.hop[i];
	function = most ? most->function : NULL;
	free(hops.hop);
	return function;
}
