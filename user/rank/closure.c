// SPDX-License-Identifier: GPL-2.0-only
/* Functions without a name of their own, which are written inside another one. */
#include "rank/closure.h"

#include <string.h>

/* What follows the name of the outer function: in Python, Go, Rust and C++. */
static const char *const parts[] = { ".<locals>.<", ".func", "::{{closure}}", "::{closure", "::{lambda" };

/* True for a function of JavaScript without a name; one that is written at the top of a script has no outer function. */
static bool is_anonymous(const struct scope_function *function)
{
	return !strncmp(function->name, "(anonymous", strlen("(anonymous"));
}

static bool is_within(const struct scope_function *function, const struct scope_function *outer)
{
	const size_t bytes = strlen(outer->name);

	if (strcmp(function->module, outer->module) || outer->name[0] == '<')
		return false;
	if (is_anonymous(function))
		return !strncmp(function->symbol, "js::", 4) && !strncmp(outer->symbol, "js::", 4) &&
		       !is_anonymous(outer);
	if (strncmp(function->name, outer->name, bytes))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strncmp(function->name + bytes, parts[i], strlen(parts[i])))
			return true;
	return false;
}

uint32_t scope_rank_closure_of(const struct scope_tree *tree, uint32_t from, uint32_t node)
{
	while (node != from && node != SCOPE_TREE_ROOT) {
		const uint32_t caller = tree->node[node].parent;

		if (caller == SCOPE_TREE_ROOT || !is_within(tree->node[node].function, tree->node[caller].function))
			break;
		node = caller;
	}
	return node;
}
