// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the stacks of similar threads if a thread that does not run hangs. */
#include "evidence/peers.h"

#define WORK_SHARE 0.05	  /* share of stacks taken at work: a function with less is not work */
#define WORK_STACKS_MIN 5 /* stacks that are needed: with fewer a hang is uncertain */

/* The child of the deepest node that both share, on the way to node; ROOT: node itself is shared. */
static uint32_t branch(const struct scope_tree *tree, uint32_t node, uint32_t other)
{
	uint32_t child = SCOPE_TREE_ROOT;

	for (; node != SCOPE_TREE_ROOT; child = node, node = tree->node[node].parent)
		for (uint32_t at = other; at != SCOPE_TREE_ROOT; at = tree->node[at].parent)
			if (at == node)
				return child;
	return child;
}

static bool lies_below(const struct scope_tree *tree, uint32_t node, uint32_t above)
{
	while (node != SCOPE_TREE_ROOT && node != above)
		node = tree->node[node].parent;
	return node == above;
}

static const struct scope_function *outermost(const struct scope_tree *tree, uint32_t node)
{
	const struct scope_function *function = NULL;

	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		function = tree->node[node].function;
	return function;
}

enum answer { NO, YES, UNSURE };

/* An idle thread of a runtime does not hang, even if it served requests before. */
static bool is_idle(const struct scope_evidence *evidence, const struct scope_hang *hang)
{
	return hang->kind == SCOPE_HANG_BLOCKED && evidence->stopped_stack[hang->thread].idle;
}

/*
 * True if enough of the stacks of working threads with the same start function are below this node: of any work, or
 * of requests alone. Too few stacks decide nothing.
 */
static enum answer works_there(const struct scope_evidence *evidence, const struct scope_units *units,
			       const struct scope_function *start, uint32_t node, bool requests)
{
	size_t all = 0, below = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (item->kind != SCOPE_ITEM_RUN && item->kind != SCOPE_ITEM_WAIT)
			continue;
		if (requests && units->unit[item->unit].granularity != SCOPE_UNIT_REQUEST)
			continue;
		/* A cut stack does not show its outer frames. */
		if (evidence->stopped_stack[units->unit[item->unit].thread].start != start ||
		    outermost(&evidence->tree, item->node) != start)
			continue;
		all++;
		below += node && lies_below(&evidence->tree, item->node, node);
	}
	if (all < WORK_STACKS_MIN)
		return UNSURE;
	return below >= WORK_SHARE * all ? YES : NO;
}

/*
 * True if threads with the same start function get work while this one waits inside a function that
 * they use for work. The stacks have the loop in common; the function this thread entered from the
 * loop is either work, or the place where threads wait for work. If one of the others waits for
 * work in it now, this thread waits for work, too.
 */
static enum answer peers_serve(const struct scope_evidence *evidence, const struct scope_units *units,
			       const struct scope_pickups *pickups, const struct scope_hang *hang)
{
	const uint32_t thread = hang->thread;
	const struct scope_stopped_stack *stopped_stack = evidence->stopped_stack;
	const struct scope_function *start = stopped_stack[thread].start;
	const struct scope_tree *tree = &evidence->tree;
	uint32_t entered = SCOPE_TREE_ROOT;
	bool serve = false;

	for (size_t i = 0; start && i < units->threads; i++) {
		uint32_t child;

		if (i == thread || stopped_stack[i].start != start || !scope_anomaly_hang_serves(units, pickups, i))
			continue;
		child = branch(tree, stopped_stack[thread].node, stopped_stack[i].node);
		if (child == SCOPE_TREE_ROOT && scope_anomaly_hang_waits(units, pickups, i))
			return NO;
		/* Other threads may be at work there, deeper in the stack. */
		if (!serve || tree->node[child].depth < tree->node[entered].depth)
			entered = child;
		serve = true;
	}
	return serve ? works_there(evidence, units, start, entered, hang->retries > 0) : NO;
}

/*
 * SPIN items refer to hangs by number: only hangs of the other kind are removed, and the numbers of the rest
 * decrease.
 */
void scope_evidence_peers_drop(struct scope_evidence *evidence, const struct scope_evidence *second,
			       const struct scope_units *units, const struct scope_pickups *pickups, bool all_idle,
			       struct scope_hang *hangs, size_t *hang_count)
{
	size_t remain = 0;

	for (size_t i = 0; i < *hang_count; i++) {
		const struct scope_evidence *by = second && !evidence->stopped_stack[hangs[i].thread].start ? second
													    : evidence;

		enum answer answer = YES;

		if (hangs[i].needs_peers)
			answer = all_idle ? UNSURE : peers_serve(by, units, pickups, &hangs[i]);
		/* One that is perhaps housekeeping is not worth a line. */
		if (answer == UNSURE && hangs[i].retries)
			answer = NO;
		if (answer == NO || is_idle(evidence, &hangs[i]) || is_idle(by, &hangs[i]))
			continue;
		hangs[i].unsure = answer == UNSURE;
		for (size_t j = 0; j < evidence->items; j++)
			if (evidence->item[j].kind == SCOPE_ITEM_SPIN && evidence->item[j].unit == i)
				evidence->item[j].unit = remain;
		hangs[remain++] = hangs[i];
	}
	*hang_count = remain;
}
