// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions of libraries that only sleep for their callers. */
#include "rank/wait_helper.h"

#include <ctype.h>
#include <string.h>

#include "rank/hint.h"

#define ASLEEP 0.95 /* share of the time of its stacks: the rest is the way into the sleep and out of it */

static bool is_versioned_library(const struct scope_function *function)
{
	const char *so = strstr(function->module, ".so.");

	return so && isdigit((unsigned char)so[strlen(".so.")]);
}

static bool calls_others(const struct scope_tree *tree, const struct scope_function *function)
{
	for (size_t i = 1; i < tree->count; i++)
		if (tree->node[i].function == function && tree->node[i].child)
			return true;
	return false;
}

/* True for a stack inside the library's function that sleeps for a time, and for one on the way into that sleep or out of it. */
static bool sleeps(const struct scope_item *item)
{
	static const char *const names[] = { "clock_nanosleep", "nanosleep", "sleep", "usleep" };
	const char *name = item->below ? scope_rank_hint_plain_name(item->below->name) : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return item->kind == SCOPE_ITEM_WAIT && item->class == SCOPE_WAIT_TIMER;
}

static bool is_wait_helper(const struct scope_evidence *evidence, const struct scope_function *function, bool asleep)
{
	double all_ns = 0, asleep_ns = 0;

	if (!function || !is_versioned_library(function) || calls_others(&evidence->tree, function))
		return false;
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (evidence->tree.node[item->node].function != function)
			continue;
		all_ns += item->weight_ns;
		asleep_ns += sleeps(item) ? item->weight_ns : 0;
	}
	return (asleep || all_ns > 0) && asleep_ns >= ASLEEP * all_ns;
}

uint32_t scope_rank_wait_helper_caller(const struct scope_evidence *evidence, uint32_t from, uint32_t node, bool asleep)
{
	const struct scope_tree *tree = &evidence->tree;
	uint32_t at = node;

	if (!is_wait_helper(evidence, tree->node[node].function, asleep))
		return node;
	do {
		if (at == from)
			return node;
		at = tree->node[at].parent;
		if (at == SCOPE_TREE_ROOT)
			return node;
	} while (!tree->node[at].function->known);
	return at;
}
