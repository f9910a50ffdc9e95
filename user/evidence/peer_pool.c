// SPDX-License-Identifier: GPL-2.0-only
/* Threads that hang in work which a request, in another thread, gave them and waits for. */
#include "evidence/peer_pool.h"

#include <sys/syscall.h>

#define GIVEN_NS 1000000000 /* a thread that gets work of a request falls asleep in it by then */

static uint32_t tgid_of(const struct scope_peers *peers, const struct scope_hang *hang)
{
	return scope_timeline_threads_at(peers->units->timeline->threads, hang->thread)->tgid;
}

/* In the middle of a request, until another thread signals something. */
static bool waits_for_thread(enum scope_peer_answer answer, const struct scope_hang *hang)
{
	return answer == SCOPE_PEERS_YES && hang->kind == SCOPE_HANG_BLOCKED && !hang->lock && !hang->retries &&
	       hang->nr == SYS_futex;
}

/* True if it sleeps where others of its process slept already as the request began to wait: they had no work. */
static bool sleeps_as_idle(const struct scope_peers *peers, const struct scope_hang *hangs, size_t count,
			   const struct scope_hang *hang, uint64_t since_ns)
{
	const struct scope_stopped_stack *stopped_stack = peers->evidence->stopped_stack;

	for (size_t i = 0; i < count; i++)
		if (hangs[i].kind == SCOPE_HANG_BLOCKED && hangs[i].since_ns <= since_ns &&
		    tgid_of(peers, &hangs[i]) == tgid_of(peers, hang) &&
		    stopped_stack[hangs[i].thread].node == stopped_stack[hang->thread].node)
			return true;
	return false;
}

static bool got_work(const struct scope_peers *peers, const struct scope_hang *hangs, size_t count,
		     const struct scope_hang *request, const struct scope_hang *hang)
{
	return hang->kind == SCOPE_HANG_BLOCKED && hang->needs_peers && !hang->quiet && !hang->retries &&
	       hang->since_ns > request->since_ns && hang->since_ns - request->since_ns < GIVEN_NS &&
	       peers->evidence->stopped_stack[hang->thread].node != SCOPE_TREE_ROOT &&
	       !peers->evidence->stopped_stack[hang->thread].idle && tgid_of(peers, hang) == tgid_of(peers, request) &&
	       !sleeps_as_idle(peers, hangs, count, hang, request->since_ns);
}

void scope_evidence_peer_pool(const struct scope_peers *peers, enum scope_peer_answer *answers,
			      struct scope_hang *hangs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!waits_for_thread(answers[i], &hangs[i]))
			continue;
		for (size_t j = 0; j < count; j++) {
			if (answers[j] == SCOPE_PEERS_YES || !got_work(peers, hangs, count, &hangs[i], &hangs[j]))
				continue;
			answers[j] = SCOPE_PEERS_UNKNOWN; /* what waits for this one in turn is another matter */
			hangs[i].for_other = true;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (answers[i] == SCOPE_PEERS_UNKNOWN)
			answers[i] = SCOPE_PEERS_YES;
}
