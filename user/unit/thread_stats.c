// SPDX-License-Identifier: GPL-2.0-only
/* Decides how a thread picks up work, by its statistics. */
#include "unit/thread_stats.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "timeline/class.h"

#define GAP_MIN_CALLS 100
#define FOREIGN_SHARE 20 /* inverse of a share of polls before work: a site with more is the loop's as well */
#define WITHIN_TIMES 2	 /* answers after a poll, by times that work was taken: beyond it is within requests */
#define REPLIED_SHARE 4	 /* inverse of the share of datagrams that have answers: one that only collects serves nobody */
#define HANDED_MIN 5	 /* a thread that was handed work less often has no queue for it */
#define HANDED_SHARE 2	 /* inverse of the share of sleeps in a queue that other threads of the process end */
#define ASKED_SHARE 2	 /* inverse of the share of polls before which a peer was asked: these wait for its answers */
#define SHARED_SHARE 2	 /* inverse of the share of sleeps in a lock that its other users end */
#define JOBS_MIN 10	 /* sleeps for jobs that are needed to see how they arrive */
#define JOBS_SHARE 0.75	 /* of them within about a factor of three of the median: answers of a peer are more alike */
#define DISPATCHED_SHARE 4 /* of all reads, one after a wait for a connection from another thread */

/* All sleeps in one object: a condition variable has two words. */
static struct scope_wait_key whole_of(const struct scope_thread_stats *stats, const struct scope_wait_key *key)
{
	struct scope_wait_key whole = { .nr = key->nr, .object = key->object };

	for (unsigned i = 0; i < stats->keys; i++) {
		const struct scope_wait_key *other = &stats->key[i];

		if (other->nr != key->nr || !scope_timeline_wait_same_object(key->nr, other->object, key->object))
			continue;
		whole.count += other->count;
		whole.taken += other->taken;
		whole.inner += other->inner;
		whole.handed += other->handed;
		whole.shared += other->shared;
		whole.woke += other->woke;
	}
	return whole;
}

/*
 * A thread that wakes others from a futex on which it also sleeps uses it as a lock, if those that end its sleeps there sleep there
 * as well: each of them holds it in turn. A thread of a pool may also hand on work; its sleeps are ended by those that give work.
 */
static bool is_lock(const struct scope_wait_key *whole)
{
	return whole->woke && (uint64_t)whole->shared * SHARED_SHARE >= whole->handed;
}

static uint64_t gap_p99(const struct scope_thread_stats *stats)
{
	uint64_t total = 0, seen = 0;

	for (int i = 0; i < SCOPE_THREAD_STATS_GAPS; i++)
		total += stats->gap[i];
	if (total < GAP_MIN_CALLS)
		return 0;
	for (int i = 0; i < SCOPE_THREAD_STATS_GAPS; i++) {
		seen += stats->gap[i];
		if (seen * 100 >= total * 99)
			return 2ull << i;
	}
	return 0;
}

static bool is_poll(const struct scope_wait_key *key)
{
	return key->nr == SYS_epoll_pwait || key->nr == SYS_ppoll || key->nr == SYS_pselect6;
}

/*
 * True if mostly an answer follows, and no work. A loop may wait by one poll for work and until there is room to write, so that both follow it about
 * as often.
 */
static bool is_within(const struct scope_wait_key *key)
{
	return key->inner > WITHIN_TIMES * key->taken;
}

/*
 * Polls that are not the top of the loop, although work is taken after other polls: those in the
 * middle of requests, and rare ones after which hardly any work was taken. All other polls are the top.
 */
static void decide_foreign(const struct scope_thread_stats *stats, struct scope_pickup *pickup)
{
	const struct scope_wait_key *top = NULL;
	uint64_t loops = 0;

	for (unsigned i = 0; i < stats->keys; i++) {
		const struct scope_wait_key *key = &stats->key[i];

		loops += key->taken ? key->count : 0;
		if (key->taken > (top ? top->taken : 0))
			top = key;
	}
	for (unsigned i = 0; loops && i < stats->keys && pickup->foreigns < SCOPE_PICKUP_FOREIGN; i++) {
		const struct scope_wait_key *key = &stats->key[i];
		/* The number of descriptors changes with the clients, in a loop around a select. */
		const bool rare = (uint64_t)key->taken * FOREIGN_SHARE <= key->count &&
				  (uint64_t)key->count * FOREIGN_SHARE <= loops &&
				  (key->nr != SYS_pselect6 || top->nr != SYS_pselect6);

		if (key != top && is_poll(key) && (is_within(key) || rare))
			pickup->foreign[pickup->foreigns++] = (struct scope_poll_site){ key->nr, key->object };
	}
}

/*
 * The futex, pipe or queue in which a thread that reads from clients waits for a connection from another thread, and how
 * often; NULL: none.
 */
static const struct scope_wait_key *find_dispatch(const struct scope_thread_stats *stats, uint32_t *ret_taken)
{
	const struct scope_wait_key *best = NULL;
	uint32_t most = stats->reads / DISPATCHED_SHARE;

	for (unsigned i = 0; i < stats->keys; i++) {
		const struct scope_wait_key *key = &stats->key[i], whole = whole_of(stats, key);

		if (!is_poll(key) && !is_lock(&whole) && whole.taken > whole.inner && whole.taken > most) {
			best = key;
			most = whole.taken;
		}
	}
	*ret_taken = most;
	return best;
}

/*
 * How often work is taken after a poll or a select. If a thread sleeps more often in its reads, or
 * in a futex before it gets a connection, its polls are for something else, and only by chance it
 * reads the next request after one.
 */
static uint32_t polls_taken(const struct scope_thread_stats *stats)
{
	uint32_t taken = 0;

	for (unsigned i = 0; i < stats->keys; i++)
		taken += is_poll(&stats->key[i]) ? stats->key[i].taken : 0;
	return taken;
}

static bool is_inner(const struct scope_wait_key *key)
{
	return is_poll(key) && key->nr != SYS_epoll_pwait && is_within(key);
}

/*
 * True if most polls and selects are not in the middle of requests. A thread may wait by one for the next request, and by another, before
 * each answer, until there is room to write: if work is taken after one of them, those that are in the middle do not count.
 */
static bool polls_for_work(const struct scope_thread_stats *stats)
{
	uint64_t polls = stats->polls, inner = stats->inner_polls;
	bool taken = false;

	for (unsigned i = 0; i < stats->keys; i++)
		taken |= is_poll(&stats->key[i]) && stats->key[i].taken > stats->key[i].inner;
	for (unsigned i = 0; taken && i < stats->keys; i++)
		if (is_inner(&stats->key[i])) {
			polls -= stats->key[i].count;
			inner -= stats->key[i].inner;
		}
	return polls > 2 * inner;
}

/*
 * True if the thread takes its work after polls and selects, and hardly any after its epoll: it looks there as well in each turn,
 * without waiting, for a timer or a signal.
 */
static bool epolls_aside(const struct scope_thread_stats *stats)
{
	uint64_t epoll = 0, poll = 0;

	for (unsigned i = 0; i < stats->keys; i++) {
		epoll += stats->key[i].nr == SYS_epoll_pwait ? stats->key[i].taken : 0;
		poll += stats->key[i].nr == SYS_ppoll || stats->key[i].nr == SYS_pselect6 ? stats->key[i].taken : 0;
	}
	return poll > FOREIGN_SHARE * epoll;
}

/*
 * In a thread that reads from no accepted socket: how often it slept in the read of one socket or pipe. If that is more often
 * than in all its polls, these are in the middle of requests: a resolver polls for its answers.
 */
static uint32_t sleeps_in_reads(const struct scope_thread_stats *stats)
{
	uint32_t most = 0;

	for (unsigned i = 0; !stats->reads && i < stats->keys; i++) {
		const struct scope_wait_key *key = &stats->key[i];

		if (scope_timeline_call_role(key->nr) == SCOPE_CALL_READ && key->count > most)
			most = key->count;
	}
	return most;
}

/*
 * In a thread that reads from no accepted socket: true if it gets work from other threads of its process in another way, and
 * polls in the middle of that work: for the answers of peers that it asks; or, less often than it gets work, until a
 * time-out, after which there is nothing to take; or without sleeping there, to see if something is there.
 */
static bool polls_inside_work(const struct scope_thread_stats *stats)
{
	const bool looks = (uint64_t)stats->slept_polls * FOREIGN_SHARE <= stats->polls;
	const bool asks = (uint64_t)stats->asked_polls * ASKED_SHARE >= stats->polls;
	const bool pauses = (uint64_t)(stats->asked_polls + stats->vain_polls) * ASKED_SHARE >= stats->polls;

	if (stats->reads || (!asks && !pauses && !looks))
		return false;
	for (unsigned i = 0; i < stats->keys; i++) {
		const struct scope_wait_key *key = &stats->key[i], whole = whole_of(stats, key);

		if (!is_poll(key) && !is_lock(&whole) && key->handed >= HANDED_MIN &&
		    (uint64_t)key->handed * HANDED_SHARE >= key->count &&
		    (asks || looks || key->handed >= stats->polls))
			return true;
	}
	return false;
}

/*
 * True if these sleeps vary as times between arrivals do. Of exponential times at most 65 % are in the power of two of their median
 * and its two neighbours; answers of a peer are there nearly all.
 */
static bool varies(const struct scope_own_reads *own)
{
	uint32_t seen = 0, near;
	unsigned median = 0;

	if (own->sleeps < JOBS_MIN)
		return false;
	while (2 * (seen + own->length[median]) < own->sleeps)
		seen += own->length[median++];
	near = own->length[median] + (median ? own->length[median - 1] : 0) +
	       (median + 1 < SCOPE_THREAD_STATS_GAPS ? own->length[median + 1] : 0);
	return near < JOBS_SHARE * own->sleeps;
}

/*
 * Where a thread of a process without clients waits for jobs: in polls, or in the reads of a connection of its own. Only where it sleeps more
 * often than `most` times. NULL: nowhere.
 */
static const struct scope_own_reads *find_jobs(const struct scope_thread_stats *stats, bool polls, uint32_t most)
{
	const struct scope_own_reads *best = NULL;

	for (unsigned i = 0; i < stats->owns; i++)
		if ((stats->own[i].nr == SYS_ppoll) == polls && stats->own[i].sleeps > most && varies(&stats->own[i])) {
			best = &stats->own[i];
			most = best->sleeps;
		}
	return best;
}

void scope_unit_thread_stats_decide(const struct scope_thread_stats *stats, bool serves, struct scope_pickup *pickup)
{
	const bool epolls = stats->epolls && !epolls_aside(stats);
	const struct scope_wait_key *best = NULL;
	const struct scope_own_reads *jobs;
	uint32_t most = 1, handed = 0;

	pickup->reads = stats->reads > 0;
	/* A server of datagrams may have some clients with connections as well, that control it or ask for more than fits. */
	pickup->datagrams = stats->replies >= SCOPE_THREAD_STATS_REPLIES_MIN && stats->replies >= stats->reads &&
			    stats->replies >= stats->datagrams / REPLIED_SHARE;
	decide_foreign(stats, pickup);
	if (scope_unit_thread_stats_gaps(stats))
		pickup->gap_ns = gap_p99(stats);
	if (pickup->reads)
		best = find_dispatch(stats, &handed);
	serves |= pickup->reads || pickup->datagrams;
	pickup->jobs = !epolls && !serves && find_jobs(stats, true, 0);
	if (epolls || pickup->jobs ||
	    (polls_for_work(stats) && polls_taken(stats) >= (best ? handed : 0) &&
	     polls_taken(stats) >= stats->slept_reads && stats->polls >= sleeps_in_reads(stats) &&
	     !polls_inside_work(stats))) {
		/* Several numbers may serve one loop (epoll_wait, epoll_pwait): match by family. */
		pickup->nr = epolls ? SYS_epoll_pwait : SYS_ppoll;
		pickup->any_object = true;
		return;
	}
	for (unsigned i = 0; !pickup->reads && i < stats->keys; i++) {
		const struct scope_wait_key whole = whole_of(stats, &stats->key[i]);

		if (!is_poll(&stats->key[i]) && !is_lock(&whole) && whole.count > most) {
			best = &stats->key[i];
			most = whole.count;
		}
	}
	jobs = serves ? NULL : find_jobs(stats, false, most);
	if (jobs) {
		pickup->jobs = true;
		pickup->nr = jobs->nr;
		pickup->object = jobs->fd;
	} else if (best) {
		pickup->nr = best->nr;
		pickup->object = best->object;
		/* A call that waits for a signal has no object. */
		pickup->any_object = scope_timeline_call_role(best->nr) == SCOPE_CALL_SLEEP || !best->object;
	}
}
