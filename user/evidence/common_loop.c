// SPDX-License-Identifier: GPL-2.0-only
/* Compares a thread that sleeps with threads that started elsewhere, and run the same loop. */
#include "evidence/common_loop.h"

/* Outermost first; as many functions as there is room for, the innermost ones. */
static unsigned path_of(const struct scope_tree *tree, uint32_t node, const struct scope_function **path)
{
	unsigned length = 0;

	for (; node != SCOPE_TREE_ROOT && length < SCOPE_PATH_MAX; node = tree->node[node].parent)
		path[length++] = tree->node[node].function;
	for (unsigned i = 0; i < length / 2; i++) {
		const struct scope_function *outer = path[length - 1 - i];

		path[length - 1 - i] = path[i];
		path[i] = outer;
	}
	return length;
}

static unsigned find(const struct scope_function *const *path, unsigned length, const struct scope_function *function)
{
	unsigned at = 0;

	while (at < length && path[at] != function)
		at++;
	return at;
}

void scope_evidence_common_loop_begin(struct scope_common_loop *common, const struct scope_tree *tree, uint32_t node)
{
	*common = (struct scope_common_loop){ .length = 0 };
	common->length = path_of(tree, node, common->path);
}

void scope_evidence_common_loop_add(struct scope_common_loop *common, const struct scope_tree *tree, uint32_t node,
				    bool waits)
{
	const struct scope_function *path[SCOPE_PATH_MAX];
	const unsigned length = path_of(tree, node, path);
	unsigned loop = 0, at = length, same = 0;

	for (; loop < common->length && at == length; loop += at == length)
		at = find(path, length, common->path[loop]);
	if (at == length)
		return;
	while (loop + same < common->length && at + same < length && common->path[loop + same] == path[at + same])
		same++;
	if (loop + same == common->length) {
		common->idle |= waits;
		return;
	}
	/* Other threads may be at work there, deeper in the stack. */
	if (common->found && common->entered <= loop + same)
		return;
	common->loop = loop;
	common->entered = loop + same;
	common->found = true;
}

bool scope_evidence_common_loop_passes(const struct scope_common_loop *common, const struct scope_tree *tree,
				       uint32_t node, bool *ret_below)
{
	const struct scope_function *path[SCOPE_PATH_MAX];
	const unsigned length = path_of(tree, node, path), at = find(path, length, common->path[common->loop]);
	unsigned same = 0;

	while (at + same < length && common->loop + same <= common->entered &&
	       path[at + same] == common->path[common->loop + same])
		same++;
	*ret_below = common->loop + same > common->entered;
	return at < length;
}
