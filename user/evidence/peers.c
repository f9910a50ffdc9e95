// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the stacks of similar threads if a thread that does not run hangs. */
#include "evidence/peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "evidence/common_loop.h"
#include "evidence/task_rows.h"
#include "evidence/unread.h"
#include "symbol/runtime.h"

#define WORK_SHARE 0.05	  /* share of stacks taken at work: a function with less is not work */
#define IDLE_MIN 2	  /* threads that have slept for longer at the same calls, and are idle: so is this one */
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

static const struct scope_function *outermost(const struct scope_tree *tree, uint32_t node)
{
	const struct scope_function *function = NULL;

	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		function = tree->node[node].function;
	return function;
}

/* AMONG_IDLE: no hang either, but that says nothing about others. */
enum answer { UNKNOWN, NO, YES, UNSURE, AMONG_IDLE };

struct peers {
	const struct scope_evidence *evidence;
	const struct scope_units *units;
	const struct scope_pickups *pickups;
	const bool *stands; /* by thread: it may hang itself, and says nothing about others */
	uint8_t *known;	    /* enum answer, by node of the tree; the upper half: for quiet ones */
};

/* An idle thread of a runtime does not hang, even if it served requests before. */
static bool is_idle(const struct scope_evidence *evidence, const struct scope_hang *hang)
{
	return hang->kind == SCOPE_HANG_BLOCKED && evidence->stopped_stack[hang->thread].idle;
}

/* Where the thread started. Of one that has ended, as the process of a request does, each stack of its work shows it. */
static bool started_in(const struct scope_evidence *evidence, const struct scope_units *units, uint32_t thread,
		       const struct scope_function *start)
{
	return evidence->stopped_stack[thread].start == start ||
	       (!evidence->stopped_stack[thread].start &&
		scope_timeline_threads_at(units->timeline->threads, thread)->run == SCOPE_RUN_ENDED);
}

/* True for a stack at work of a thread that does not stand: what one that does did before says nothing about others. */
static bool is_of_others(const struct peers *peers, const struct scope_item *item)
{
	return (item->kind == SCOPE_ITEM_RUN || item->kind == SCOPE_ITEM_WAIT) && !item->reference &&
	       !peers->stands[peers->units->unit[item->unit].thread];
}

/*
 * True if enough of the stacks of working threads with the same start function are below this node: of any work, or
 * of requests alone. Too few stacks decide nothing.
 */
static enum answer works_there(const struct peers *peers, const struct scope_function *start, uint32_t node,
			       bool requests)
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
		    outermost(&evidence->tree, item->node) != start)
			continue;
		all++;
		below += node && scope_evidence_tree_is_below(&evidence->tree, item->node, node);
	}
	if (all < WORK_STACKS_MIN)
		return UNSURE;
	return below >= WORK_SHARE * all ? YES : NO;
}

/*
 * The outermost function on the thread's stack with which other threads start that take work: a main thread often runs what its
 * workers start with. NULL: there is none.
 */
static const struct scope_function *start_of_others(const struct peers *peers, uint32_t node)
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

/* The thread's stack may be of the window's begin, if it runs at the end. */
static bool stands_still(const struct peers *peers, size_t thread)
{
	return scope_timeline_threads_at(peers->units->timeline->threads, thread)->run == SCOPE_RUN_BLOCKED;
}

/*
 * True if threads with the same start function get work while this one waits inside a function that
 * they use for work. The stacks have the loop in common; the function this thread entered from the
 * loop is either work, or the place where threads wait for work. If one of the others waits for
 * work in it now, this thread waits for work, too.
 */
static enum answer peers_serve(const struct peers *peers, const struct scope_function *start, uint32_t stopped,
			       bool quiet)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;
	const struct scope_tree *tree = &peers->evidence->tree;
	const uint32_t node = node_from_start(tree, stopped, start);
	uint32_t entered = SCOPE_TREE_ROOT, from_waiting = SCOPE_TREE_ROOT;
	bool serve = false;

	for (size_t i = 0; i < peers->units->threads; i++) {
		bool waits;
		uint32_t child;

		if (peers->stands[i] || stopped_stack[i].start != start || (quiet && !stands_still(peers, i)) ||
		    !scope_anomaly_hang_serves(peers->units, peers->pickups, i))
			continue;
		waits = scope_anomaly_hang_waits(peers->units, peers->pickups, i);
		child = branch(tree, node, stopped_stack[i].node);
		if (child == SCOPE_TREE_ROOT && waits)
			return NO;
		/* Other threads may be at work there, deeper in the stack. */
		if (!serve || tree->node[child].depth < tree->node[entered].depth)
			entered = child;
		/* Of several loops that begin with one function, that of the waiting thread with most calls in common is its own. */
		if (waits && (!from_waiting || tree->node[child].depth > tree->node[from_waiting].depth))
			from_waiting = child;
		serve = true;
	}
	return serve ? works_there(peers, start, from_waiting ? from_waiting : entered, quiet) : NO;
}

/* Where none started in a function on the thread's stack, but some run a loop that is there. */
static enum answer looping_peers_serve(const struct peers *peers, uint32_t stopped, bool quiet)
{
	const struct scope_evidence *evidence = peers->evidence;
	struct scope_common_loop common;
	size_t all = 0, below = 0;

	scope_evidence_common_loop_begin(&common, &evidence->tree, stopped);
	for (size_t i = 0; i < peers->units->threads; i++)
		if (!peers->stands[i] && (!quiet || stands_still(peers, i)) &&
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
	return all >= WORK_STACKS_MIN && below >= WORK_SHARE * all ? YES : NO;
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
static bool is_outside(const struct peers *peers, uint32_t thread, size_t other, const struct scope_function *begun)
{
	const struct scope_stopped_stack *stopped_stack = &peers->evidence->stopped_stack[other];
	const struct scope_function *outer = outermost(&peers->evidence->tree, stopped_stack->node);
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
static enum answer bare_peers_serve(const struct peers *peers, uint32_t thread)
{
	const struct scope_evidence *evidence = peers->evidence;
	const struct scope_function *begun = outermost(&evidence->tree, evidence->stopped_stack[thread].node);
	size_t all = 0, below = 0, of_bare = 0, below_bare = 0;
	bool serve = false;

	for (size_t i = 0; begun && !serve && i < peers->units->threads; i++)
		serve = is_outside(peers, thread, i, begun) && !peers->stands[i] && stands_still(peers, i) &&
			scope_anomaly_hang_waits(peers->units, peers->pickups, i);
	for (size_t i = 0; serve && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_function *outer = outermost(&evidence->tree, item->node);
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
		return NO;
	if (of_bare >= WORK_STACKS_MIN && below_bare >= WORK_SHARE * of_bare)
		return YES;
	return all < WORK_STACKS_MIN ? UNSURE : below >= WORK_SHARE * all ? YES : NO;
}

/* Where a stack begins in the program. Both may be NULL: nothing is known. */
struct begin {
	const struct scope_function *function; /* the outermost one */
	const struct scope_function *caller;   /* of its language's library: it calls that one */
};

static struct begin begin_of(const struct scope_evidence *evidence, const struct scope_item *item)
{
	struct begin begin = { outermost(&evidence->tree, item->node), item->above };

	/* Whatever the program starts itself has the same callers in the runtime. */
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
 * True if another thread of its name serves clients, and one of its process that has another name serves none: where threads are
 * named by what they are for, it is for clients as well.
 */
static bool is_named_to_serve(const struct peers *peers, uint32_t thread)
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
static enum answer runs_as_requests(const struct peers *peers, size_t number, uint32_t thread)
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
		return NO;
	return below >= WORK_SHARE * all || is_named_to_serve(peers, thread) ? YES : NO;
}

/* Threads often stand at the same place. */
static enum answer ask_peers(const struct peers *peers, const struct scope_hang *hang)
{
	const uint32_t node = peers->evidence->stopped_stack[hang->thread].node;
	uint8_t *known = &peers->known[node + (hang->quiet ? peers->evidence->tree.count : 0)];

	if (*known == UNKNOWN) {
		const struct scope_function *start = start_of_others(peers, node);

		*known = start ? peers_serve(peers, start, node, hang->quiet)
			       : looping_peers_serve(peers, node, hang->quiet);
		if (!start && *known == NO)
			*known = bare_peers_serve(peers, hang->thread);
	}
	return *known;
}

/* True if the other thread waits for work where this one does not sleep: its stack shows that, or that it is in no function of the program. */
static bool waits_elsewhere(const struct peers *peers, uint32_t thread, uint32_t other)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;

	if (stopped_stack[other].bare > stopped_stack[thread].bare)
		return true;
	return stopped_stack[other].node != SCOPE_TREE_ROOT && !peers->stands[other] && stands_still(peers, other) &&
	       scope_anomaly_hang_waits(peers->units, peers->pickups, other) &&
	       branch(&peers->evidence->tree, stopped_stack[thread].node, stopped_stack[other].node) != SCOPE_TREE_ROOT;
}

/* True if a thread that started in the same function waits for work in such a call, and is not known to do so elsewhere. */
static bool idles_as_others(const struct peers *peers, uint32_t thread)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;

	for (size_t i = 0; i < peers->units->threads; i++) {
		const struct scope_pickup *pickup = scope_unit_pickups_of(peers->pickups, i);

		if (i != thread && stopped_stack[i].start == stopped_stack[thread].start &&
		    !waits_elsewhere(peers, thread, (uint32_t)i) && scope_unit_pickup_any(pickup) &&
		    scope_anomaly_hang_as_pickup(peers->units, pickup, thread))
			return true;
	}
	return false;
}

/* True if both stacks have the same calls in the program, of which the innermost function may make the last one at several places. */
static bool at_the_same_calls(const struct scope_evidence *evidence, uint32_t thread, uint32_t other)
{
	const struct scope_stopped_stack *stopped_stack = evidence->stopped_stack;
	const uint64_t *a = &evidence->frames[stopped_stack[thread].frames];
	const uint64_t *b = &evidence->frames[stopped_stack[other].frames];

	if (!stopped_stack[thread].frames || !stopped_stack[other].frames ||
	    stopped_stack[thread].node != stopped_stack[other].node)
		return false;
	return (uint32_t)a[0] == (uint32_t)b[0] && a[1] == b[1] && a[1] > 1 &&
	       !memcmp(a + 3, b + 3, (a[1] - 1) * sizeof(*a));
}

/*
 * True if it sleeps in a futex at the same calls as others of its name that have slept there for longer, and that are idle: threads of a
 * pool wait for work there, each in a futex of its own perhaps, whatever began its last unit.
 */
static bool sleeps_among_idle(const struct peers *peers, const struct scope_hang *hangs, const enum answer *answers,
			      size_t count, const struct scope_hang *hang)
{
	const struct scope_groups *groups = peers->units->groups;
	const char *name = groups->group[groups->of_thread[hang->thread]].name;
	unsigned idle = 0;

	if (hang->kind != SCOPE_HANG_BLOCKED || hang->nr != SYS_futex || hang->lock)
		return false;
	for (size_t i = 0; i < count; i++)
		idle += answers[i] == NO && hangs[i].kind == SCOPE_HANG_BLOCKED && hangs[i].since_ns < hang->since_ns &&
			!strcmp(groups->group[groups->of_thread[hangs[i].thread]].name, name) &&
			at_the_same_calls(peers->evidence, hang->thread, hangs[i].thread);
	return idle >= IDLE_MIN;
}

/*
 * True if the C library's function in which it sleeps takes a lock and has no time limit. The call alone does not show that of a reader-writer
 * lock, nor of a mutex whose deadlock the kernel refused, for which glibc then sleeps elsewhere, without end.
 */
static bool takes_lock(const struct scope_stopped_stack *stopped_stack)
{
	static const char *const names[] = { "pthread_mutex_lock", "pthread_mutex_lock_full", "pthread_rwlock_rdlock",
					     "pthread_rwlock_wrlock" };
	const char *name = stopped_stack->below ? stopped_stack->below->name : "";

	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* True if it sleeps in a function of a language whose main thread has no function on its stack while it waits for work. */
static bool sleeps_in_work(const struct peers *peers, uint32_t thread)
{
	const struct scope_thread *of = scope_timeline_threads_at(peers->units->timeline->threads, thread);
	const struct scope_tree *tree = &peers->evidence->tree;

	for (uint32_t node = peers->evidence->stopped_stack[thread].node; node && of->tid == of->tgid;
	     node = tree->node[node].parent)
		if (tree->node[node].function->symbol &&
		    scope_symbol_runtime_idles_outside(tree->node[node].function->symbol))
			return true;
	return false;
}

/*
 * True for a file lock that only threads with another start wait for work beside: processes and threads that take turns at waiting for clients,
 * by such a lock, begin in one function.
 */
static bool takes_no_turn(const struct peers *peers, const struct scope_hang *hang)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;
	const struct scope_function *start = stopped_stack[hang->thread].start;

	if (hang->kind != SCOPE_HANG_BLOCKED || scope_timeline_call_role(hang->nr) != SCOPE_CALL_LOCK || !start)
		return false;
	for (size_t i = 0; i < peers->units->threads; i++)
		if (scope_anomaly_hang_waits(peers->units, peers->pickups, i) &&
		    (!stopped_stack[i].start || stopped_stack[i].start == start))
			return false;
	return true;
}

static enum answer answer_of(const struct peers *peers, bool all_idle, const struct scope_hang *hang, size_t number)
{
	enum answer answer = YES;

	if (hang->kind == SCOPE_HANG_SPIN && hang->signals)
		return runs_as_requests(peers, number, hang->thread);
	if (hang->lock || sleeps_in_work(peers, hang->thread))
		return YES;
	if (hang->needs_peers && hang->as_namesake && idles_as_others(peers, hang->thread))
		return NO;
	if (hang->needs_peers)
		answer = all_idle ? UNSURE : ask_peers(peers, hang);
	return answer == UNSURE && hang->quiet ? NO : answer;
}

/* The process whose end the thread waits for; 0: none of its own. */
static uint32_t child_of(const struct peers *peers, const struct scope_hang *hang)
{
	const struct scope_thread *thread = scope_timeline_threads_at(peers->units->timeline->threads, hang->thread);
	const struct scope_open_call *call = &thread->open;

	if (hang->kind != SCOPE_HANG_BLOCKED || hang->retries || !call->args ||
	    scope_timeline_call_role(call->nr) != SCOPE_CALL_CHILD)
		return 0;
	if (call->nr == SYS_waitid)
		return call->args > 1 && call->arg[0] == P_PID ? (uint32_t)call->arg[1] : 0;
	return (int32_t)call->arg[0] > 0 ? (uint32_t)call->arg[0] : 0;
}

/* Who waits for the end of a process that hangs does not wait for work. */
static void follow_children(const struct peers *peers, enum answer *answers, const struct scope_hang *hangs,
			    size_t count)
{
	struct scope_threads *threads = peers->units->timeline->threads;

	for (size_t i = 0; i < count; i++) {
		const uint32_t child = answers[i] == NO ? child_of(peers, &hangs[i]) : 0;

		for (size_t j = 0; child && j < count; j++)
			if (answers[j] == YES && scope_timeline_threads_at(threads, hangs[j].thread)->tgid == child)
				answers[i] = YES;
	}
}

/* SPIN items refer to hangs by number: those of a removed one refer to none, and the numbers of the rest decrease. */
static void renumber(struct scope_evidence *evidence, size_t from, uint32_t to)
{
	for (size_t i = 0; i < evidence->items; i++)
		if (evidence->item[i].kind == SCOPE_ITEM_SPIN && evidence->item[i].unit == from)
			evidence->item[i].unit = to;
}

/* Of several threads one should serve clients that wait, and the others are idle, or as their peers say. */
static enum answer choose(const struct peers *peers, struct scope_hang *hangs, size_t count, size_t number,
			  enum answer otherwise)
{
	const enum scope_unread chosen =
		scope_evidence_unread_choose(peers->evidence, peers->units, hangs, count, number);

	if (chosen == SCOPE_UNREAD_THIS)
		return YES;
	hangs[number].unread = hangs[number].one_of ? 0 : hangs[number].unread;
	return chosen == SCOPE_UNREAD_OTHER ? NO : otherwise;
}

static void drop(struct scope_evidence *evidence, const struct peers *own, const struct peers *second, bool all_idle,
		 enum answer *answers, struct scope_hang *hangs, size_t *hang_count)
{
	size_t remain = 0;

	for (size_t i = 0; i < *hang_count; i++) {
		const struct peers *by = second->evidence && !evidence->stopped_stack[hangs[i].thread].start ? second
													     : own;

		hangs[i].lock |= takes_no_turn(by, &hangs[i]);
		hangs[i].lock |= hangs[i].nr == SYS_futex && hangs[i].kind == SCOPE_HANG_BLOCKED && !hangs[i].retries &&
				 !hangs[i].as_namesake && takes_lock(&evidence->stopped_stack[hangs[i].thread]);
		answers[i] = answer_of(by, all_idle, &hangs[i], i);
		if (hangs[i].unread)
			answers[i] = choose(by, hangs, *hang_count, i, answers[i]);
		if (is_idle(evidence, &hangs[i]) || is_idle(by->evidence, &hangs[i]))
			answers[i] = NO;
	}
	follow_children(own, answers, hangs, *hang_count);
	for (size_t i = 0; i < *hang_count; i++)
		if (answers[i] != NO && sleeps_among_idle(own, hangs, answers, *hang_count, &hangs[i]))
			answers[i] = AMONG_IDLE;
	for (size_t i = 0; i < *hang_count; i++) {
		if (answers[i] == NO || answers[i] == AMONG_IDLE) {
			renumber(evidence, i, UINT32_MAX);
			continue;
		}
		hangs[i].unsure = answers[i] == UNSURE;
		renumber(evidence, i, (uint32_t)remain);
		hangs[remain++] = hangs[i];
	}
	*hang_count = remain;
}

int scope_evidence_peers_drop(struct scope_evidence *evidence, const struct scope_evidence *second,
			      const struct scope_units *units, const struct scope_pickups *pickups, bool all_idle,
			      struct scope_hang *hangs, size_t *hang_count)
{
	bool *stands = calloc(units->threads + 1, sizeof(*stands));
	uint8_t *known = calloc(2 * evidence->tree.count, sizeof(*known));
	uint8_t *known_second = calloc(second ? 2 * second->tree.count : 1, sizeof(*known));
	const struct peers own = { evidence, units, pickups, stands, known };
	const struct peers by_second = { second, units, pickups, stands, known_second };
	enum answer *answers = calloc(*hang_count + 1, sizeof(*answers));
	const int err = stands && known && known_second && answers ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < *hang_count; i++)
		stands[hangs[i].thread] |= hangs[i].kind == SCOPE_HANG_BLOCKED;
	if (!err)
		drop(evidence, &own, &by_second, all_idle, answers, hangs, hang_count);
	free(answers);
	free(stands);
	free(known);
	free(known_second);
	return err;
}
