// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the stacks of requests if a thread that runs without end should serve clients. */
#include "evidence/peer_spin.h"

#include <string.h>

#include "evidence/task_rows.h"

/* The place where a stack begins in the program. Both are NULL if nothing is known. */
struct begin {
	const struct scope_function *function; /* the outermost one */
	const struct scope_function *caller;   /* of its language's library: it calls that one */
};

static struct begin begin_of(const struct scope_evidence *evidence, const struct scope_item *item)
{
	struct begin begin = { scope_evidence_tree_outermost(&evidence->tree, item->node), item->above };

	/* All threads that the program starts itself have the same callers in the runtime. */
	if (begin.caller && scope_evidence_task_name_begins(begin.caller, "runtime."))
		begin.caller = NULL;
	return begin;
}

/* Where the stacks of that spin begin, by majority vote. */
static struct begin spun_in(const struct scope_evidence *evidence, size_t number)
{
	struct begin begin = { NULL, NULL };
	size_t votes = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		struct begin other;

		if (evidence->item[i].kind != SCOPE_ITEM_SPIN || evidence->item[i].unit != number)
			continue;
		other = begin_of(evidence, &evidence->item[i]);
		if (!votes)
			begin = other;
		votes += begin.function == other.function && begin.caller == other.caller ? 1 : -1ul;
	}
	return begin;
}

/*
 * True if another thread of its name serves clients, and a thread of its process with another name serves none. Then
 * threads are named by their purpose, and this one is for clients as well.
 */
static bool is_named_to_serve(const struct scope_peers *peers, uint32_t thread)
{
	const struct scope_groups *groups = peers->units->groups;
	struct scope_threads *threads = peers->units->timeline->threads;
	const uint32_t tgid = scope_timeline_threads_at(threads, thread)->tgid;
	const char *name = groups->group[groups->of_thread[thread]].name;
	bool serves = false, other = false;

	for (size_t i = 0; i < peers->units->threads; i++) {
		const bool same = !strcmp(groups->group[groups->of_thread[i]].name, name);

		if (i == thread || scope_timeline_threads_at(threads, i)->tgid != tgid)
			continue;
		serves |= same && scope_unit_pickups_serves(peers->pickups, i);
		other |= !same && !scope_unit_pickups_serves(peers->pickups, i);
	}
	return serves && other;
}

/*
 * Runtimes also interrupt threads that compute in the background for long. One that does not run where requests do, and is not of a
 * pool that serves, is no hang. A function of the program that calls none may be missing in its callers' stacks. Without any request
 * nothing else shows why.
 */
bool scope_evidence_peer_spin(const struct scope_peers *peers, size_t number, uint32_t thread)
{
	const struct scope_evidence *evidence = peers->evidence;
	const struct begin spun = spun_in(evidence, number);
	size_t all = 0, below = 0;

	for (size_t i = 0; spun.function && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		struct begin begin;

		if ((item->kind != SCOPE_ITEM_RUN && item->kind != SCOPE_ITEM_WAIT) || item->reference ||
		    item->node == SCOPE_TREE_ROOT || peers->units->unit[item->unit].thread == thread ||
		    !scope_unit_took(&peers->units->unit[item->unit]))
			continue;
		begin = begin_of(evidence, item);
		all++;
		below += begin.function == spun.function || (spun.caller && begin.caller == spun.caller);
	}
	if (!spun.function)
		return false;
	return below >= SCOPE_PEERS_WORK_SHARE * all || is_named_to_serve(peers, thread);
}
