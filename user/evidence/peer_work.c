// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the stacks of similar threads if a thread that sleeps does so in the middle of its work. */
#include "evidence/peer_work.h"

#include <string.h>

#include "evidence/common_loop.h"
#include "symbol/runtime.h"

#define WORK_STACKS_MIN 5 /* stacks: one of as many in a function shows that it is work, none that it is not */
#define WORK_STACKS_FEW 2 /* of fewer stacks: as many in the function show work; else a hang is uncertain */
#define MOST_SHARE 0.5	  /* share of the stacks of requests in threads that have ended, which begin in one function */

/* Where the thread started. Of one that has ended, as the process of a request does, each stack of its work shows it. */
static bool started_in(const struct scope_evidence *evidence, const struct scope_units *units, uint32_t thread,
		       const struct scope_function *start)
{
	return evidence->stopped_stack[thread].start == start ||
	       (!evidence->stopped_stack[thread].start &&
		scope_timeline_threads_at(units->timeline->threads, thread)->run == SCOPE_RUN_ENDED);
}

/*
 * True for a stack at work of a thread that does not hang: what a thread that hangs did before shows nothing about
 * others.
 */
static bool is_of_others(const struct scope_peers *peers, const struct scope_item *item)
{
	return (item->kind == SCOPE_ITEM_RUN || item->kind == SCOPE_ITEM_WAIT) && !item->reference &&
	       !peers->stands[peers->units->unit[item->unit].thread];
}

/*
 * What it means for a function that `below` of `all` stacks at work are in it. Few stacks can show that it is work, but
 * not that it is none.
 */
static enum scope_peer_answer by_stacks(size_t below, size_t all)
{
	if (all < WORK_STACKS_MIN)
		return below >= WORK_STACKS_FEW ? SCOPE_PEERS_YES : SCOPE_PEERS_UNSURE;
	return below >= SCOPE_PEERS_WORK_SHARE * all ? SCOPE_PEERS_YES : SCOPE_PEERS_NO;
}

/*
 * True if enough of the stacks of working threads with the same start function are below this node: of any work, or
 * of requests alone.
 */
static enum scope_peer_answer works_there(const struct scope_peers *peers, const struct scope_function *start,
					  uint32_t node, bool requests)
{
	const struct scope_evidence *evidence = peers->evidence;
	const struct scope_units *units = peers->units;
	size_t all = 0, below = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (!is_of_others(peers, item))
			continue;
		if (requests && units->unit[item->unit].granularity != SCOPE_UNIT_REQUEST)
			continue;
		/* A cut stack does not show its outer frames. */
		if (!started_in(evidence, units, units->unit[item->unit].thread, start) ||
		    scope_evidence_tree_outermost(&evidence->tree, item->node) != start)
			continue;
		all++;
		below += node && scope_evidence_tree_is_below(&evidence->tree, item->node, node);
	}
	return by_stacks(below, all);
}

/*
 * The outermost function on the thread's stack with which other threads start that take work: a main thread often runs what its
 * workers start with. NULL: there is none.
 */
static const struct scope_function *start_of_others(const struct scope_peers *peers, uint32_t node)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;
	const struct scope_tree *tree = &peers->evidence->tree;
	const struct scope_function *start = NULL;

	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		for (size_t i = 0; i < peers->units->threads; i++)
			if (!peers->stands[i] && stopped_stack[i].start == tree->node[node].function &&
			    scope_anomaly_hang_serves(peers->units, peers->pickups, i))
				start = stopped_stack[i].start;
	return start;
}

/* The node of the same calls from start on, in a thread that starts with it; as deep as such threads went. */
static uint32_t node_from_start(const struct scope_tree *tree, uint32_t node, const struct scope_function *start)
{
	const struct scope_function *path[SCOPE_PATH_MAX];
	uint32_t at = SCOPE_TREE_ROOT, next;
	unsigned length = 0, from = 0;

	for (; node != SCOPE_TREE_ROOT && length < SCOPE_PATH_MAX; node = tree->node[node].parent) {
		path[length++] = tree->node[node].function;
		from = path[length - 1] == start ? length : from;
	}
	for (; from; from--, at = next) {
		next = tree->node[at].child;
		while (next && tree->node[next].function != path[from - 1])
			next = tree->node[next].sibling;
		if (!next)
			break;
	}
	return at;
}

bool scope_evidence_peers_stand_still(const struct scope_peers *peers, size_t thread)
{
	return scope_timeline_threads_at(peers->units->timeline->threads, thread)->run == SCOPE_RUN_BLOCKED;
}

/*
 * True if threads with the same start function get work while this one waits inside a function that
 * they use for work. The stacks have the loop in common; the function this thread entered from the
 * loop is either work, or the place where threads wait for work. If one of the others waits for
 * work in it now, this thread waits for work, too.
 */
static enum scope_peer_answer peers_serve(const struct scope_peers *peers, const struct scope_function *start,
					  uint32_t stopped, bool quiet)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;
	const struct scope_tree *tree = &peers->evidence->tree;
	const uint32_t node = node_from_start(tree, stopped, start);
	uint32_t entered = SCOPE_TREE_ROOT, from_waiting = SCOPE_TREE_ROOT;
	bool serve = false;

	for (size_t i = 0; i < peers->units->threads; i++) {
		bool waits;
		uint32_t child;

		if (peers->stands[i] || stopped_stack[i].start != start ||
		    (quiet && !scope_evidence_peers_stand_still(peers, i)) ||
		    !scope_anomaly_hang_serves(peers->units, peers->pickups, i))
			continue;
		waits = scope_anomaly_hang_waits(peers->units, peers->pickups, i);
		child = scope_evidence_tree_branch(tree, node, stopped_stack[i].node);
		if (child == SCOPE_TREE_ROOT && waits)
			return SCOPE_PEERS_NO;
		/* Other threads may be at work there, deeper in the stack. */
		if (!serve || tree->node[child].depth < tree->node[entered].depth)
			entered = child;
		/* Of several loops that begin with one function, that of the waiting thread with most calls in common is its own. */
		if (waits && (!from_waiting || tree->node[child].depth > tree->node[from_waiting].depth))
			from_waiting = child;
		serve = true;
	}
	return serve ? works_there(peers, start, from_waiting ? from_waiting : entered, quiet) : SCOPE_PEERS_NO;
}

/* The answer if none started in a function on the thread's stack, but some run a loop that is on it. */
static enum scope_peer_answer looping_peers_serve(const struct scope_peers *peers, uint32_t stopped, bool quiet)
{
	const struct scope_evidence *evidence = peers->evidence;
	struct scope_common_loop common;
	size_t all = 0, below = 0;

	scope_evidence_common_loop_begin(&common, &evidence->tree, stopped);
	for (size_t i = 0; i < peers->units->threads; i++)
		if (!peers->stands[i] && (!quiet || scope_evidence_peers_stand_still(peers, i)) &&
		    scope_anomaly_hang_serves(peers->units, peers->pickups, i))
			scope_evidence_common_loop_add(&common, &evidence->tree, evidence->stopped_stack[i].node,
						       scope_anomaly_hang_waits(peers->units, peers->pickups, i));
	for (size_t i = 0; common.found && !common.idle && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		bool entered;

		if (!is_of_others(peers, item) || peers->units->unit[item->unit].granularity != SCOPE_UNIT_REQUEST ||
		    !scope_evidence_common_loop_passes(&common, &evidence->tree, item->node, &entered))
			continue;
		all++;
		below += entered;
	}
	return all >= WORK_STACKS_MIN && below >= SCOPE_PEERS_WORK_SHARE * all ? SCOPE_PEERS_YES : SCOPE_PEERS_NO;
}

/* True if an interpreter runs the function: such ones are not on the stacks that copies or tables show. */
static bool is_interpreted(const struct scope_function *function)
{
	return function->symbol && scope_symbol_runtime_names(function->symbol);
}

/* True if both are of one process, or the first threads of processes of one name, as workers that were forked are. */
static bool are_alike(struct scope_threads *threads, uint32_t thread, size_t other)
{
	const struct scope_thread *a = scope_timeline_threads_at(threads, thread);
	const struct scope_thread *b = scope_timeline_threads_at(threads, other);

	return a->tgid == b->tgid || (a->tid == a->tgid && b->tid == b->tgid && !strcmp(a->comm, b->comm));
}

/*
 * True if the other thread is known to be in no function of the program that could have called begun: in none at all, or in functions of a
 * server that an interpreter is a part of, which runs begun.
 */
static bool is_outside(const struct scope_peers *peers, uint32_t thread, size_t other,
		       const struct scope_function *begun)
{
	const struct scope_stopped_stack *stopped_stack = &peers->evidence->stopped_stack[other];
	const struct scope_function *outer = scope_evidence_tree_outermost(&peers->evidence->tree, stopped_stack->node);
	struct scope_threads *threads = peers->units->timeline->threads;

	if (is_interpreted(begun) && outer && !is_interpreted(outer))
		return are_alike(threads, thread, other);
	return stopped_stack->bare &&
	       scope_timeline_threads_at(threads, thread)->tgid == scope_timeline_threads_at(threads, other)->tgid;
}

/*
 * Where none does, and threads wait for work with no function of the program on their stacks, in a library or that of a language, or in the
 * server that an interpreter is a part of: requests begin in functions that this calls, and a thread that sleeps below one of them is at work.
 * The loop that gives such threads their requests may have most of the stacks, and has another start.
 */
static enum scope_peer_answer bare_peers_serve(const struct scope_peers *peers, uint32_t thread)
{
	const struct scope_evidence *evidence = peers->evidence;
	const struct scope_function *begun =
		scope_evidence_tree_outermost(&evidence->tree, evidence->stopped_stack[thread].node);
	size_t all = 0, below = 0, of_bare = 0, below_bare = 0;
	bool serve = false;

	for (size_t i = 0; begun && !serve && i < peers->units->threads; i++)
		serve = is_outside(peers, thread, i, begun) && !peers->stands[i] &&
			scope_evidence_peers_stand_still(peers, i) &&
			scope_anomaly_hang_waits(peers->units, peers->pickups, i);
	for (size_t i = 0; serve && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_function *outer = scope_evidence_tree_outermost(&evidence->tree, item->node);
		bool bare;

		if (!is_of_others(peers, item) || !outer || is_interpreted(outer) < is_interpreted(begun) ||
		    peers->units->unit[item->unit].granularity != SCOPE_UNIT_REQUEST)
			continue;
		bare = is_outside(peers, thread, peers->units->unit[item->unit].thread, begun);
		all++;
		below += outer == begun;
		of_bare += bare;
		below_bare += bare && outer == begun;
	}
	if (!serve)
		return SCOPE_PEERS_NO;
	return by_stacks(below_bare, of_bare) == SCOPE_PEERS_YES ? SCOPE_PEERS_YES : by_stacks(below, all);
}

/* No client brings work there: by a clock, or in a futex. */
static bool sleeps_without_client(const struct scope_hang *hang)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(hang->nr);

	return role == SCOPE_CALL_SLEEP || role == SCOPE_CALL_FUTEX;
}

/*
 * Where each connection has a thread of its own, those that served the others have ended. True if a thread that sleeps without a client
 * begins where most of their requests do.
 */
static bool began_as_ended(const struct scope_peers *peers, uint32_t node)
{
	const struct scope_evidence *evidence = peers->evidence;
	const struct scope_function *begun = scope_evidence_tree_outermost(&evidence->tree, node);
	size_t all = 0, below = 0;

	for (size_t i = 0; begun && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_unit *unit = &peers->units->unit[item->unit];

		if (!is_of_others(peers, item) || unit->granularity != SCOPE_UNIT_REQUEST || !unit->asked ||
		    item->node == SCOPE_TREE_ROOT)
			continue;
		all++;
		below += scope_evidence_tree_outermost(&evidence->tree, item->node) == begun &&
			 scope_timeline_threads_at(peers->units->timeline->threads, unit->thread)->run ==
				 SCOPE_RUN_ENDED;
	}
	return all >= WORK_STACKS_MIN && below >= MOST_SHARE * all;
}

/* Threads often stand at the same place. */
enum scope_peer_answer scope_evidence_peer_work(const struct scope_peers *peers, const struct scope_hang *hang)
{
	const uint32_t node = peers->evidence->stopped_stack[hang->thread].node;
	const bool apart = sleeps_without_client(hang);
	uint8_t *known = &peers->known[node + peers->evidence->tree.count * (2 * apart + hang->quiet)];

	if (*known == SCOPE_PEERS_UNKNOWN) {
		const struct scope_function *start = start_of_others(peers, node);

		*known = start ? peers_serve(peers, start, node, hang->quiet)
			       : looping_peers_serve(peers, node, hang->quiet);
		if (!start && *known == SCOPE_PEERS_NO)
			*known = bare_peers_serve(peers, hang->thread);
		if (!start && *known == SCOPE_PEERS_NO && apart && began_as_ended(peers, node))
			*known = SCOPE_PEERS_YES;
	}
	return *known;
}
