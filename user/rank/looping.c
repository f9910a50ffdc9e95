// SPDX-License-Identifier: GPL-2.0-only
/* Finds the caller whose loop runs a function that cannot take long by itself. */
#include "rank/looping.h"

#include "symbol/runtime.h"
#include "symbol/source_loop.h"

#define MOST 0.9     /* share of the excess, which decides */
#define OWN_PART 100 /* inverse of the part of the samples that a loop of short calls has itself, at least */

/* True for a function of a file of machine code, in which loops are looked for: no script, and nothing compiled at run time. */
static bool is_in_file(const struct scope_function *function)
{
	return function->path && function->path[0] == '/' && !scope_symbol_runtime_names(function->symbol);
}

/* Of the stacks whose excess is in one function. */
struct search {
	const struct scope_rank_input *input;
	uint32_t node;
	double all_ns;
};

static const uint64_t *frames_of(const struct search *search, const struct scope_item *item)
{
	return &search->input->evidence->frames[item->frames];
}

/* True for a sample in the function's own code: nothing else is running for it. */
static bool is_own(const struct search *search, const struct scope_item *item)
{
	return item->kind == SCOPE_ITEM_RUN && item->abnormal && item->excess_ns > 0 && item->node == search->node &&
	       item->frames && !item->below && !item->kernel;
}

/* True if nearly all of the excess is in the function's own code. */
static bool is_leaf(struct search *search)
{
	const struct scope_evidence *evidence = search->input->evidence;
	double own_ns = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (!item->abnormal || item->excess_ns <= 0 ||
		    !scope_evidence_tree_is_below(&evidence->tree, item->node, search->node))
			continue;
		search->all_ns += item->excess_ns;
		own_ns += is_own(search, item) ? item->excess_ns : 0;
	}
	return own_ns > 0 && own_ns >= MOST * search->all_ns;
}

/* The parts of the excess whose address in the function that far out is in a loop there, and whose function a library called. */
static int look_at(const struct search *search, unsigned out, double *ret_in_loop, double *ret_called)
{
	const struct scope_evidence *evidence = search->input->evidence;
	double own_ns = 0, loop_ns = 0, called_ns = 0;
	uint64_t last = 0;
	bool inside = false;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const uint64_t *frames = frames_of(search, item);
		int err = 0;

		if (!is_own(search, item) || out >= frames[1])
			continue;
		if (frames[2 + out] != last) {
			const struct scope_code_address at = { (uint32_t)frames[0], frames[2 + out] };

			err = scope_symbols_in_loop(search->input->symbols, &at, &inside);
		}
		if (err)
			return err;
		last = frames[2 + out];
		own_ns += item->excess_ns;
		loop_ns += inside ? item->excess_ns : 0;
		if (out < SCOPE_FRAMES_CALLED && frames[0] >> (32 + SCOPE_FRAMES_CALLED + out) & 1)
			called_ns += item->excess_ns;
	}
	*ret_in_loop = own_ns > 0 ? loop_ns / own_ns : 1;
	*ret_called = own_ns > 0 ? called_ns / own_ns : 1;
	return 0;
}

/* True if most of what usual units run is below the node: it is the loop that serves, and what it calls over and over are requests. */
static bool serves(const struct scope_evidence *evidence, uint32_t node)
{
	double all_ns = 0, below_ns = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (item->abnormal || item->kind != SCOPE_ITEM_RUN)
			continue;
		all_ns += item->weight_ns;
		below_ns += scope_evidence_tree_is_below(&evidence->tree, item->node, node) ? item->weight_ns : 0;
	}
	return below_ns > all_ns / 2;
}

/* True if the function itself is seen as often as the loop of short calls is that it is to have. Another loop may not be known. */
static bool runs_itself(const struct scope_evidence *evidence, uint32_t node)
{
	size_t all = 0, own = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (!item->abnormal || item->kind != SCOPE_ITEM_RUN ||
		    !scope_evidence_tree_is_below(&evidence->tree, item->node, node))
			continue;
		all++;
		own += item->node == node;
	}
	return own >= all / OWN_PART;
}

int scope_rank_looping(const struct scope_rank_input *input, uint32_t from, uint32_t node, uint32_t *ret_node)
{
	const struct scope_tree *tree = &input->evidence->tree;
	struct search search = { .input = input, .node = node };
	double in_loop, called;
	uint32_t at = node;
	int err = 0;

	*ret_node = node;
	if (!input->symbols || !is_leaf(&search))
		return 0;
	for (unsigned out = 0; at != from && at != SCOPE_TREE_ROOT; out++) {
		if (!is_in_file(tree->node[at].function))
			break;
		/* One that calls itself again does the looping; its frames are one node. */
		if (tree->node[at].circle.function) {
			*ret_node = serves(input->evidence, at) ? node : at;
			return 0;
		}
		err = look_at(&search, out, &in_loop, &called);
		/* The first caller may take long by itself, while a further caller calls it again and again. */
		if (err || (!out && 1 - in_loop < MOST))
			return err;
		if (out && in_loop >= MOST) {
			*ret_node = serves(input->evidence, at) || !runs_itself(input->evidence, at) ? node : at;
			return 0;
		}
		/* There it cannot be seen whose loop it is. */
		if (1 - called < MOST)
			break;
		at = tree->node[at].parent;
	}
	return 0;
}
