// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the stacks of similar threads if a thread that does not run hangs. */
#include "evidence/peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "evidence/peer_pool.h"
#include "evidence/peer_spin.h"
#include "evidence/unread.h"
#include "symbol/runtime.h"

#define APART_MIN 2 /* threads asleep at one place, if none did any work: one that sleeps elsewhere may not wait */
#define IDLE_MIN 2  /* threads that have slept for longer at the same calls, and are idle: this one is idle, too */

/* An idle thread of a runtime does not hang, even if it served requests before. */
static bool is_idle(const struct scope_evidence *evidence, const struct scope_hang *hang)
{
	return hang->kind == SCOPE_HANG_BLOCKED && evidence->stopped_stack[hang->thread].idle;
}

/* True if the other thread waits for work where this one does not sleep: its stack shows that, or that it is in no function of the program. */
static bool waits_elsewhere(const struct scope_peers *peers, uint32_t thread, uint32_t other)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;

	if (stopped_stack[other].bare > stopped_stack[thread].bare)
		return true;
	return stopped_stack[other].node != SCOPE_TREE_ROOT && !peers->stands[other] &&
	       scope_evidence_peers_stand_still(peers, other) &&
	       scope_anomaly_hang_waits(peers->units, peers->pickups, other) &&
	       scope_evidence_tree_branch(&peers->evidence->tree, stopped_stack[thread].node,
					  stopped_stack[other].node) != SCOPE_TREE_ROOT;
}

/* True if a thread that started in the same function waits for work in such a call, and is not known to do so elsewhere. */
static bool idles_as_others(const struct scope_peers *peers, uint32_t thread)
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
static bool sleeps_among_idle(const struct scope_peers *peers, const struct scope_hang *hangs,
			      const enum scope_peer_answer *answers, size_t count, const struct scope_hang *hang)
{
	const struct scope_groups *groups = peers->units->groups;
	const char *name = groups->group[groups->of_thread[hang->thread]].name;
	unsigned idle = 0;

	if (hang->kind != SCOPE_HANG_BLOCKED || hang->nr != SYS_futex || hang->lock)
		return false;
	for (size_t i = 0; i < count; i++)
		idle += answers[i] == SCOPE_PEERS_NO && hangs[i].kind == SCOPE_HANG_BLOCKED &&
			hangs[i].since_ns < hang->since_ns &&
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
static bool sleeps_in_work(const struct scope_peers *peers, uint32_t thread)
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
 * True for a file lock beside which only threads with another start wait for work: processes and threads that take turns at waiting for clients,
 * by such a lock, begin in one function, and one of them waits or is at work.
 */
static bool takes_no_turn(const struct scope_peers *peers, const struct scope_hang *hang)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;
	const struct scope_function *start = stopped_stack[hang->thread].start;
	bool waits = false;

	if (hang->kind != SCOPE_HANG_BLOCKED || scope_timeline_call_role(hang->nr) != SCOPE_CALL_LOCK || !start)
		return false;
	for (size_t i = 0; i < peers->units->threads; i++) {
		const bool idle = scope_anomaly_hang_waits(peers->units, peers->pickups, i);
		const bool works = !peers->stands[i] && scope_anomaly_hang_serves(peers->units, peers->pickups, i);

		if ((idle || works) && (!stopped_stack[i].start || stopped_stack[i].start == start))
			return false;
		waits |= idle;
	}
	return waits;
}

/*
 * True if it sleeps at another place than others of its process that started in the same function, which sleep at one place: of threads that all
 * sleep, these wait for work, and it may not.
 */
static bool sleeps_apart(const struct scope_peers *peers, uint32_t thread)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;
	const struct scope_function *start = stopped_stack[thread].start;
	struct scope_threads *threads = peers->units->timeline->threads;
	const uint32_t tgid = scope_timeline_threads_at(threads, thread)->tgid;
	uint32_t node = SCOPE_TREE_ROOT;
	unsigned others = 0;

	for (size_t i = 0; start && i < peers->units->threads; i++) {
		if (i == thread || stopped_stack[i].start != start || !scope_evidence_peers_stand_still(peers, i) ||
		    scope_timeline_threads_at(threads, i)->tgid != tgid)
			continue;
		if (stopped_stack[i].node == stopped_stack[thread].node || (others && stopped_stack[i].node != node))
			return false;
		node = stopped_stack[i].node;
		others++;
	}
	return others >= APART_MIN && node != SCOPE_TREE_ROOT;
}

static enum scope_peer_answer answer_of(const struct scope_peers *peers, bool all_idle, const struct scope_hang *hang,
					size_t number)
{
	enum scope_peer_answer answer = SCOPE_PEERS_YES;

	if (hang->kind == SCOPE_HANG_SPIN && hang->signals)
		return scope_evidence_peer_spin(peers, number, hang->thread) ? SCOPE_PEERS_YES : SCOPE_PEERS_NO;
	if (hang->lock || sleeps_in_work(peers, hang->thread))
		return SCOPE_PEERS_YES;
	if (hang->needs_peers && hang->as_namesake && idles_as_others(peers, hang->thread))
		return SCOPE_PEERS_NO;
	if (hang->needs_peers)
		answer = all_idle ? SCOPE_PEERS_UNSURE : scope_evidence_peer_work(peers, hang);
	if (answer == SCOPE_PEERS_UNSURE && hang->quiet)
		return all_idle && sleeps_apart(peers, hang->thread) ? SCOPE_PEERS_UNSURE : SCOPE_PEERS_NO;
	return answer;
}

/* The process whose end the thread waits for; 0: none of its own. */
static uint32_t child_of(const struct scope_peers *peers, const struct scope_hang *hang)
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

static bool hangs_in(const struct scope_peers *peers, const enum scope_peer_answer *answers,
		     const struct scope_hang *hangs, size_t count, uint32_t tgid)
{
	for (size_t i = 0; i < count; i++)
		if (answers[i] == SCOPE_PEERS_YES &&
		    scope_timeline_threads_at(peers->units->timeline->threads, hangs[i].thread)->tgid == tgid)
			return true;
	return false;
}

/*
 * A thread that waits for the end of a process that hangs does not wait for work, and neither does a thread that waits
 * for the first one.
 */
static void follow_children(const struct scope_peers *peers, enum scope_peer_answer *answers,
			    const struct scope_hang *hangs, size_t count)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < count; i++) {
			const bool open = answers[i] == SCOPE_PEERS_NO || answers[i] == SCOPE_PEERS_UNSURE;
			const uint32_t child = open ? child_of(peers, &hangs[i]) : 0;

			if (!child || !hangs_in(peers, answers, hangs, count, child))
				continue;
			answers[i] = SCOPE_PEERS_YES;
			more = true;
		}
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
static enum scope_peer_answer choose(const struct scope_peers *peers, struct scope_hang *hangs, size_t count,
				     size_t number, enum scope_peer_answer otherwise)
{
	const enum scope_unread chosen =
		scope_evidence_unread_choose(peers->evidence, peers->units, hangs, count, number);

	if (chosen == SCOPE_UNREAD_THIS)
		return SCOPE_PEERS_YES;
	hangs[number].unread = hangs[number].one_of ? 0 : hangs[number].unread;
	return chosen == SCOPE_UNREAD_OTHER ? SCOPE_PEERS_NO : otherwise;
}

static void drop(struct scope_evidence *evidence, const struct scope_peers *own, const struct scope_peers *second,
		 bool all_idle, enum scope_peer_answer *answers, struct scope_hang *hangs, size_t *hang_count)
{
	size_t remain = 0;

	for (size_t i = 0; i < *hang_count; i++) {
		const struct scope_peers *by =
			second->evidence && !evidence->stopped_stack[hangs[i].thread].start ? second : own;

		hangs[i].lock |= takes_no_turn(by, &hangs[i]);
		hangs[i].lock |= hangs[i].nr == SYS_futex && hangs[i].kind == SCOPE_HANG_BLOCKED && !hangs[i].retries &&
				 !hangs[i].as_namesake && takes_lock(&evidence->stopped_stack[hangs[i].thread]);
		answers[i] = answer_of(by, all_idle, &hangs[i], i);
		if (hangs[i].unread)
			answers[i] = choose(by, hangs, *hang_count, i, answers[i]);
		if (is_idle(evidence, &hangs[i]) || is_idle(by->evidence, &hangs[i]))
			answers[i] = SCOPE_PEERS_NO;
	}
	follow_children(own, answers, hangs, *hang_count);
	scope_evidence_peer_pool(own, answers, hangs, *hang_count);
	for (size_t i = 0; i < *hang_count; i++)
		if (answers[i] != SCOPE_PEERS_NO && sleeps_among_idle(own, hangs, answers, *hang_count, &hangs[i]))
			answers[i] = SCOPE_PEERS_AMONG_IDLE;
	for (size_t i = 0; i < *hang_count; i++) {
		if (answers[i] == SCOPE_PEERS_NO || answers[i] == SCOPE_PEERS_AMONG_IDLE) {
			renumber(evidence, i, UINT32_MAX);
			continue;
		}
		hangs[i].unsure = answers[i] == SCOPE_PEERS_UNSURE;
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
	uint8_t *known = calloc(4 * evidence->tree.count, sizeof(*known));
	uint8_t *known_second = calloc(second ? 4 * second->tree.count : 1, sizeof(*known));
	const struct scope_peers own = { evidence, units, pickups, stands, known };
	const struct scope_peers by_second = { second, units, pickups, stands, known_second };
	enum scope_peer_answer *answers = calloc(*hang_count + 1, sizeof(*answers));
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
