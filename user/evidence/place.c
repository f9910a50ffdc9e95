// SPDX-License-Identifier: GPL-2.0-only
/* Adds up the excess of a function by the addresses of its stacks, then by source lines. */
#include "evidence/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define ADDRESSES_MAX 64 /* of one function: others have little excess each, and DWARF lookups are slow */

/* Excess at one address of the function. */
struct stack_node {
	struct scope_code_address at;
	double weight;
};

struct nodes {
	struct stack_node *stack_node;
	size_t count, room;
	double all, cut;
};

/* The innermost frame of the function among a stack's frames. */
static int frames_take(const struct scope_evidence *evidence, struct scope_symbols *symbols,
		       const struct scope_function *function, uint32_t frames, double weight, struct nodes *nodes)
{
	const uint64_t *at = &evidence->frames[frames];
	uint32_t tgid = (uint32_t)at[0], count = (uint32_t)at[1];

	nodes->all += weight;
	if (at[0] >> 32 & (SCOPE_UNWIND_CUT | SCOPE_UNWIND_BROKEN))
		nodes->cut += weight;
	for (uint32_t i = 0; i < count; i++) {
		const struct scope_function *found;
		int err = scope_symbols_lookup(symbols, tgid, at[2 + i], false, &found);

		if (err)
			return err;
		if (found != function)
			continue;
		if (scope_grow(&nodes->stack_node, &nodes->room, nodes->count + 1, sizeof(*nodes->stack_node)))
			return -ENOMEM;
		nodes->stack_node[nodes->count++] = (struct stack_node){ { tgid, at[2 + i] }, weight };
		return 0;
	}
	return 0;
}

static int compare_address(const void *left, const void *right)
{
	const struct stack_node *a = left, *b = right;

	if (a->at.tgid != b->at.tgid)
		return a->at.tgid < b->at.tgid ? -1 : 1;
	return (a->at.address > b->at.address) - (a->at.address < b->at.address);
}

static int compare_weight(const void *left, const void *right)
{
	const struct stack_node *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return compare_address(left, right);
}

/* One entry for each address, the largest first. */
static void nodes_merge(struct nodes *nodes)
{
	size_t kept = 0;

	if (!nodes->count)
		return;
	qsort(nodes->stack_node, nodes->count, sizeof(*nodes->stack_node), compare_address);
	for (size_t i = 0; i < nodes->count; i++) {
		if (kept && !compare_address(&nodes->stack_node[kept - 1], &nodes->stack_node[i]))
			nodes->stack_node[kept - 1].weight += nodes->stack_node[i].weight;
		else
			nodes->stack_node[kept++] = nodes->stack_node[i];
	}
	nodes->count = kept;
	qsort(nodes->stack_node, nodes->count, sizeof(*nodes->stack_node), compare_weight);
}

static bool same_lines(const struct scope_places_row *a, const struct scope_places_row *b)
{
	if (a->lines != b->lines)
		return false;
	for (unsigned int i = 0; i < a->lines; i++)
		if (a->line[i].line != b->line[i].line || strcmp(a->line[i].file, b->line[i].file) ||
		    strcmp(a->line[i].function, b->line[i].function))
			return false;
	return true;
}

/* Where distributions, GCC, clang and Rust keep the source that comes with them. */
static bool is_of_toolchain(const char *file)
{
	static const char *const part[] = { "/usr/include/", "/include/c++/", "/lib/gcc/", "/lib/clang/" };

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		if (strstr(file, part[i]))
			return true;
	return !strncmp(file, "/rustc/", strlen("/rustc/"));
}

const struct scope_source_line *scope_evidence_place_line(const struct scope_places_row *row)
{
	for (unsigned int i = 0; i < row->lines; i++)
		if (!is_of_toolchain(row->line[i].file))
			return &row->line[i];
	return row->lines ? &row->line[0] : NULL;
}

static int compare_rows(const void *left, const void *right)
{
	const struct scope_places_row *a = left, *b = right;
	int order;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	order = strcmp(a->line[0].file, b->line[0].file);
	return order ? order : (a->line[0].line > b->line[0].line) - (a->line[0].line < b->line[0].line);
}

static int rows_make(const struct nodes *nodes, struct scope_symbols *symbols, struct scope_places_row *row,
		     size_t *ret_count)
{
	size_t count = 0;

	for (size_t i = 0; i < nodes->count && i < ADDRESSES_MAX; i++) {
		const struct stack_node *stack_node = &nodes->stack_node[i];
		struct scope_places_row *added = &row[count];
		size_t same = 0;
		int err = scope_symbols_lines(symbols, stack_node->at.tgid, stack_node->at.address, added->line,
					      SCOPE_PLACE_LINES, &added->lines);

		if (err)
			return err;
		if (!added->lines)
			continue;
		added->share = stack_node->weight / nodes->all;
		added->at = stack_node->at;
		while (same < count && !same_lines(&row[same], added))
			same++;
		if (same < count)
			row[same].share += added->share;
		else
			count++;
	}
	if (count)
		qsort(row, count, sizeof(*row), compare_rows);
	*ret_count = count;
	return 0;
}

/* The loop around an address, and how much is at addresses in it. */
static int find_loop(const struct nodes *nodes, struct scope_symbols *symbols, const struct scope_code_address *hot,
		     struct scope_places_loop *ret_loop)
{
	const size_t count = nodes->count < ADDRESSES_MAX ? nodes->count : ADDRESSES_MAX;
	struct scope_code_address at[1 + ADDRESSES_MAX] = { *hot };
	bool inside[1 + ADDRESSES_MAX] = { false };
	int err;

	for (size_t i = 0; i < count; i++)
		at[1 + i] = nodes->stack_node[i].at;
	err = scope_symbols_loop(symbols, at, 1 + count, inside, &ret_loop->lines);
	for (size_t i = 0; i < count; i++)
		if (inside[1 + i])
			ret_loop->share += nodes->stack_node[i].weight / nodes->all;
	return err;
}

/* True if the function is on the path. A spinning thread's samples are not excess, and have no owner. */
static bool lies_in(const struct scope_tree *tree, uint32_t node, const struct scope_function *function)
{
	while (node != SCOPE_TREE_ROOT && tree->node[node].function != function)
		node = tree->node[node].parent;
	return node != SCOPE_TREE_ROOT;
}

static int nodes_take(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
		      struct scope_symbols *symbols, const struct scope_function *function, uint32_t stopped_frames,
		      struct nodes *nodes)
{
	int err = 0;

	if (stopped_frames != SCOPE_PLACE_OF_ITEMS)
		return stopped_frames ? frames_take(evidence, symbols, function, stopped_frames, 1, nodes) : 0;
	for (size_t i = 0; !err && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (item->kind == SCOPE_ITEM_SPIN && item->frames && lies_in(&evidence->tree, item->node, function))
			err = frames_take(evidence, symbols, function, item->frames, item->weight_ns, nodes);
		else if (item->abnormal && item->excess_ns > 0 && item->frames &&
			 attribution->owner[item->node].function == function)
			err = frames_take(evidence, symbols, function, item->frames, item->excess_ns, nodes);
	}
	return err;
}

int scope_evidence_places_find(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			       struct scope_symbols *symbols, const struct scope_function *function,
			       uint32_t stopped_frames, struct scope_places_row *ret_row, size_t max, size_t *ret_count,
			       double *ret_cut, struct scope_places_loop *ret_loop)
{
	struct scope_places_row *row = calloc(ADDRESSES_MAX + 1, sizeof(*row));
	struct nodes nodes = { 0 };
	size_t count;
	int err = row ? nodes_take(evidence, attribution, symbols, function, stopped_frames, &nodes) : -ENOMEM;

	if (!err) {
		nodes_merge(&nodes);
		err = rows_make(&nodes, symbols, row, &count);
	}
	if (ret_loop)
		*ret_loop = (struct scope_places_loop){ .share = 0 };
	if (!err && ret_loop && nodes.count)
		err = find_loop(&nodes, symbols, count ? &row[0].at : &nodes.stack_node[0].at, ret_loop);
	if (!err) {
		*ret_count = count < max ? count : max;
		memcpy(ret_row, row, *ret_count * sizeof(*row));
		*ret_cut = nodes.all > 0 ? nodes.cut / nodes.all : 0;
	}
	free(nodes.stack_node);
	free(row);
	return err;
}
