// SPDX-License-Identifier: GPL-2.0-only
/* Finds threads that sleep in the middle of their work, or run without end, when the window ends. */
#include "anomaly/hang.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "anomaly/coprocess.h"
#include "anomaly/fd_index.h"
#include "anomaly/kept_waiting.h"
#include "anomaly/unserved.h"

#define LOCK_STATE_MAX 2 /* largest value of a lock's word in a C library that is a state: held, and others wait */
#define SPIN_ROUNDS_PER_S 1000 /* share of its time on a CPU */
#define SPIN_RUN_SHARE 0.5     /* share of the time without a call, not asleep */

static enum scope_timeline_call_role open_role(const struct scope_thread *thread)
{
	return scope_timeline_call_role_of(thread->open.nr, thread->open.args, thread->open.arg[0]);
}

/*
 * A poll that is not the thread's loop, in a unit that answered no client: a resolver, or a backend, keeps a request
 * waiting. After the answer it waits for the next request in another way.
 */
static bool waits_elsewhere(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);

	return units->thread[index].owes &&
	       scope_unit_pickup_foreign(scope_unit_pickups_of(pickups, index), &thread->open);
}

/*
 * The place where it sleeps most often and from which it was always woken: there a thread waits for
 * the next work of a scheduler in its program. How long that takes depends on the others.
 */
static bool parks(const struct scope_unit_thread *of, const struct scope_open_call *call)
{
	return call->args && call->arg[0] && of->usual_futex &&
	       scope_timeline_wait_same_object(SYS_futex, of->usual_futex, call->arg[0]);
}

bool scope_anomaly_hang_waits(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	struct scope_timeline *timeline = units->timeline;
	const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, index);
	const struct scope_pickup *pickup = scope_unit_pickups_of(pickups, index);
	enum scope_fd_kind fd = SCOPE_FD_UNKNOWN;

	if (thread->run != SCOPE_RUN_BLOCKED || thread->open.nr == SCOPE_NR_NONE)
		return false;
	if (thread->open.args)
		fd = scope_timeline_fds_kind(timeline->fds, thread->tgid, (int32_t)thread->open.arg[0]);
	if (scope_unit_pickup_match(pickup, &thread->open, fd) != SCOPE_PICKUP_NO)
		return true;
	/* It reads requests that another thread has found, and that thread wakes it there. */
	if (pickup && pickup->reads && !units->thread[index].owes && open_role(thread) == SCOPE_CALL_FUTEX)
		return parks(&units->thread[index], &thread->open);
	return open_role(thread) == SCOPE_CALL_POLL && !waits_elsewhere(units, pickups, index);
}

bool scope_anomaly_hang_serves(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	const struct scope_pickup *pickup = scope_unit_pickups_of(pickups, index);

	if (scope_anomaly_hang_waits(units, pickups, index))
		return true;
	return pickup && (pickup->reads || pickup->jobs || scope_timeline_call_role(pickup->nr) == SCOPE_CALL_POLL);
}

static bool process_serves(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t tgid)
{
	struct scope_threads *threads = units->timeline->threads;

	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);

		if (thread->tgid == tgid && thread->run != SCOPE_RUN_ENDED &&
		    scope_anomaly_hang_waits(units, pickups, i))
			return true;
	}
	return false;
}

/* True if a thread of its name, of any process, waits for work. It may have had no turn yet, and so be of another group. */
static bool namesake_waits(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	struct scope_threads *threads = units->timeline->threads;
	const struct scope_thread *of = scope_timeline_threads_at(threads, index);

	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);
		const enum scope_timeline_call_role role = open_role(thread);

		if (!strcmp(thread->comm, of->comm) && thread->run == SCOPE_RUN_BLOCKED &&
		    (role == SCOPE_CALL_ACCEPT || scope_anomaly_hang_waits(units, pickups, i)))
			return true;
	}
	return false;
}

/* The longest time that is usual for a thread of its group, ns. */
static uint64_t group_limit(const struct scope_distributions *distributions, const struct scope_groups *groups,
			    uint32_t group)
{
	double p99 = 0;

	/* Its requests, of the slowest kind if kinds are known. */
	for (uint32_t i = 0; i < groups->count; i++)
		if (scope_unit_group_of_threads(groups, i) == group)
			p99 = fmax(p99, scope_sketch_quantile(&distributions->group[i].request_wall, 0.99) *
						SCOPE_HANG_TIMES_P99);
	return p99 > SCOPE_HANG_MIN_NS ? (uint64_t)p99 : SCOPE_HANG_MIN_NS;
}

/* The same by requests of any thread, if there are some. */
static uint64_t requests_limit(const struct scope_distributions *distributions, const struct scope_groups *groups,
			       uint64_t limit)
{
	double p99 = -1;

	for (uint32_t i = 0; i < groups->count; i++)
		if (distributions->group[i].asked)
			p99 = fmax(p99, scope_sketch_quantile(&distributions->group[i].request_wall, 0.99) *
						SCOPE_HANG_TIMES_P99);
	if (p99 < 0)
		return limit;
	return p99 > SCOPE_HANG_MIN_NS ? (uint64_t)p99 : SCOPE_HANG_MIN_NS;
}

/* A wait with a time-out: the caller expects that it may end without an event. */
static bool futex_is_timed(const struct scope_open_call *call)
{
	return call->args > 3 && call->arg[3];
}

/* Outside calls it sleeps uninterruptibly for a page. One that sleeps interruptibly was stopped, or its call was not recorded. */
static bool in_fault(const struct scope_thread *thread)
{
	return thread->open.nr == SCOPE_NR_NONE && thread->disk;
}

bool scope_anomaly_hang_idles(enum scope_timeline_call_role role)
{
	return role == SCOPE_CALL_ACCEPT || role == SCOPE_CALL_CHILD || role == SCOPE_CALL_PICK;
}

uint64_t scope_anomaly_hang_asleep_since(const struct scope_thread *thread)
{
	return in_fault(thread) ? thread->block_ns : thread->open.enter_ns;
}

bool scope_anomaly_hang_took_nothing(const struct scope_units *units, uint32_t index)
{
	const struct scope_retry *retry = &units->thread[index].retry;
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);

	return retry->sleeps >= SCOPE_HANG_RETRIES_MIN && retry->from_ns < thread->first_ns + SCOPE_HANG_MIN_NS;
}

bool scope_anomaly_hang_as_pickup(const struct scope_units *units, const struct scope_pickup *pickup, uint32_t index)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);
	enum scope_fd_kind fd = SCOPE_FD_UNKNOWN;

	if (thread->open.args)
		fd = scope_timeline_fds_kind(units->timeline->fds, thread->tgid, (int32_t)thread->open.arg[0]);
	return scope_unit_pickup_match(pickup, &thread->open, fd) != SCOPE_PICKUP_NO;
}

/* True if it waits where it takes work, as far as the call shows. */
static bool at_pickup(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	/* What one that took nothing does most often is not how it takes work. */
	return scope_anomaly_hang_as_pickup(
		units, scope_anomaly_hang_took_nothing(units, index) ? NULL : scope_unit_pickups_of(pickups, index),
		index);
}

/* True if it took no work in the window, and waits where threads of its name take theirs. They may have another role. */
static bool waits_as_namesake(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	struct scope_threads *threads = units->timeline->threads;
	const struct scope_thread *thread = scope_timeline_threads_at(threads, index);

	if (scope_unit_pickup_any(scope_unit_pickups_of(pickups, index)) &&
	    !scope_anomaly_hang_took_nothing(units, index))
		return false;
	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_pickup *other = scope_unit_pickups_of(pickups, i);

		if (i != index && scope_unit_pickup_any(other) &&
		    !strcmp(scope_timeline_threads_at(threads, i)->comm, thread->comm) &&
		    scope_anomaly_hang_as_pickup(units, other, index))
			return true;
	}
	return false;
}

/* True if it took work in the window and polls as between its requests: after the answer, or in turns with the top of its loop. */
static bool polls_between(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);
	const struct scope_pickup *own = scope_unit_pickups_of(pickups, index);

	if (open_role(thread) != SCOPE_CALL_POLL || !scope_unit_pickup_any(own) ||
	    scope_anomaly_hang_took_nothing(units, index))
		return false;
	return !units->thread[index].owes ||
	       (scope_timeline_call_role(own->nr) == SCOPE_CALL_POLL && !scope_unit_pickup_foreign(own, &thread->open));
}

/* A wait in which idle threads are as well: the call does not show whether this thread is in the middle of its work. */
static bool may_idle(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index)
{
	switch (open_role(scope_timeline_threads_at(units->timeline->threads, index))) {
	case SCOPE_CALL_POLL:
		return !waits_elsewhere(units, pickups, index);
	case SCOPE_CALL_LOCK:
		/* Processes take turns at waiting for clients by a lock that they share. */
		return namesake_waits(units, pickups, index);
	default:
		return scope_anomaly_hang_idles(open_role(scope_timeline_threads_at(units->timeline->threads, index)));
	}
}

/*
 * True if the word for which it waits is one of a lock: its value as a thread goes to sleep is a state (1 or 2), says in its highest bit that
 * others wait, or is the number of a thread, the owner. Other values are counts, of a sequence or of events.
 */
static bool expects_lock(const struct scope_units *units, const struct scope_thread *thread)
{
	const struct scope_open_call *call = &thread->open;
	const uint32_t value = call->args > 2 ? (uint32_t)call->arg[2] : 0;
	struct scope_threads *threads = units->timeline->threads;

	if (!scope_timeline_futex_is_lock(call->args, call->arg))
		return false;
	if (scope_timeline_futex_of(call->args, call->arg) == SCOPE_FUTEX_PI)
		return true;
	for (size_t i = 0; i < units->threads; i++)
		if (scope_timeline_threads_at(threads, i)->tid == value &&
		    scope_timeline_threads_at(threads, i)->tgid == thread->tgid)
			return true;
	return value <= LOCK_STATE_MAX || value & ~(uint32_t)INT32_MAX;
}

/* True if it writes to a pipe that is full: no thread waits for work there. */
static bool fills_pipe(const struct scope_units *units, const struct scope_thread *thread)
{
	return open_role(thread) == SCOPE_CALL_WRITE && thread->open.args &&
	       scope_timeline_fds_kind(units->timeline->fds, thread->tgid, (int32_t)thread->open.arg[0]) ==
		       SCOPE_FD_PIPE;
}

/* Decides if a thread that sleeps for too long is idle, hung, or must be compared with its peers. */
static bool judge_blocked(const struct scope_units *units, const struct scope_pickups *pickups,
			  const struct scope_fd_index *fds, uint32_t index, struct scope_hang *hang)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);
	/* The thread is judged only if a request waits for it, so a sleep that ends by itself is no hang. */
	const bool background = scope_unit_pickups_background(pickups, units->timeline->threads, index);
	const bool in_unit = !background && units->open_unit[index] != SIZE_MAX &&
			     units->unit[units->open_unit[index]].granularity == SCOPE_UNIT_REQUEST;

	if (at_pickup(units, pickups, index) || polls_between(units, pickups, index))
		return false;
	hang->kind = SCOPE_HANG_BLOCKED;
	hang->nr = thread->open.nr;
	hang->since_ns = scope_anomaly_hang_asleep_since(thread);
	/* No thread idles there. */
	if (in_fault(thread))
		return true;
	hang->object = thread->open.args ? thread->open.arg[0] : 0;
	hang->as_namesake = waits_as_namesake(units, pickups, index);
	if (hang->as_namesake || may_idle(units, pickups, index)) {
		/* A unit may also have begun without a client: by a fork, or because a loop was woken. */
		hang->needs_peers = hang->quiet =
			!(in_unit && units->thread[index].owes && units->unit[units->open_unit[index]].asked);
		return true;
	}
	switch (open_role(thread)) {
	case SCOPE_CALL_FUTEX:
		hang->lock = expects_lock(units, thread);
		hang->needs_peers = !hang->lock && !(in_unit && units->thread[index].owes);
		return !hang->needs_peers ||
		       !(futex_is_timed(&thread->open) || parks(&units->thread[index], &thread->open));
	case SCOPE_CALL_LOCK:
		hang->needs_peers = !(in_unit && units->thread[index].owes);
		return true;
	case SCOPE_CALL_SLEEP:
		hang->needs_peers = !in_unit;
		hang->quiet = background;
		return true;
	default:
		hang->needs_peers = !in_unit && !fills_pipe(units, thread) &&
				    process_serves(units, pickups, thread->tgid);
		return in_unit || !scope_anomaly_coprocess_reads(units, pickups, fds, thread);
	}
}

static bool judge_running(const struct scope_units *units, const struct scope_distributions *distributions,
			  uint32_t index, uint64_t limit, struct scope_hang *hang)
{
	struct scope_timeline *timeline = units->timeline;
	const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, index);
	const struct scope_unit_thread *of = &units->thread[index];
	uint64_t last_ns = of->last_call_ns, quiet_ns;

	if (thread->open.nr != SCOPE_NR_NONE && open_role(thread) != SCOPE_CALL_HANDLED &&
	    thread->open.enter_ns > last_ns)
		last_ns = thread->open.enter_ns;
	if (last_ns < thread->first_ns)
		last_ns = thread->first_ns;
	/* Each pause that a runtime makes looks like work that ends, so its own pieces of work are no measure. */
	if (of->signals)
		limit = requests_limit(distributions, units->groups, limit);
	quiet_ns = timeline->end_ns - last_ns;
	/* A thread without a CPU makes no calls either, so its own running time has to reach the limit. */
	if (quiet_ns < limit || of->quiet_run_ns < limit || of->quiet_asleep_ns > (1 - SPIN_RUN_SHARE) * quiet_ns)
		return false;
	hang->kind = SCOPE_HANG_SPIN;
	hang->nr = SCOPE_NR_NONE;
	hang->since_ns = last_ns;
	hang->signals = of->signals;
	return true;
}

/*
 * Rounds without progress, even if they ended before the window's end. The rate distinguishes them
 * from a thread that computes and sometimes polls for work.
 */
static bool judge_rounds(const struct scope_units *units, uint32_t index, struct scope_hang *hang)
{
	const struct scope_spin *spin = &units->thread[index].spin;
	const uint64_t length_ns = spin->until_ns - spin->from_ns;

	if (length_ns < SCOPE_HANG_MIN_NS || spin->until_ns <= units->timeline->begin_ns ||
	    spin->busy_ns < SPIN_RUN_SHARE * length_ns || spin->rounds < SPIN_ROUNDS_PER_S * (spin->busy_ns / 1e9))
		return false;
	*hang = (struct scope_hang){
		.thread = index,
		.kind = SCOPE_HANG_SPIN,
		.nr = spin->nr != SCOPE_NR_NONE ? spin->nr : spin->poll_nr,
		.object = spin->nr != SCOPE_NR_NONE && spin->fd >= 0 ? (uint64_t)spin->fd : 0,
		.since_ns = spin->from_ns,
		.until_ns = spin->until_ns,
		.owner = SCOPE_OWNER_NONE,
		.rounds = spin,
	};
	return true;
}

/* True if the thread is awake, for no longer than from one sleep for a set time to the next: it only tries again. */
static bool tries_again(const struct scope_units *units, const struct scope_thread *thread,
			const struct scope_retry *retry)
{
	const uint64_t end_ns = units->timeline->end_ns;

	return thread->run != SCOPE_RUN_BLOCKED && retry->sleeps >= SCOPE_HANG_RETRIES_MIN &&
	       end_ns - retry->slept_ns <= (end_ns - retry->from_ns) / retry->sleeps;
}

/*
 * Finds a thread that sleeps for a set time, or until a time-out, again and again, and between these sleeps neither
 * looks for work nor gets anything. Threads that have something to do only now and then do the same, so other threads
 * must show that requests run at that place.
 */
static bool judge_retries(const struct scope_units *units, const struct scope_pickups *pickups, uint32_t index,
			  uint64_t limit, struct scope_hang *hang)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);
	const struct scope_retry *retry = &units->thread[index].retry;
	const bool awake = tries_again(units, thread, retry);
	const uint16_t nr = awake ? retry->nr : thread->open.nr;
	const enum scope_timeline_call_role role = awake ? scope_timeline_call_role(nr) : open_role(thread);

	if ((thread->run != SCOPE_RUN_BLOCKED && !awake) || nr == SCOPE_NR_NONE ||
	    retry->sleeps < SCOPE_HANG_RETRIES_MIN ||
	    (role != SCOPE_CALL_SLEEP && role != SCOPE_CALL_POLL && role != SCOPE_CALL_FUTEX) ||
	    units->timeline->end_ns - retry->from_ns < limit ||
	    (role != SCOPE_CALL_SLEEP && at_pickup(units, pickups, index)))
		return false;
	*hang = (struct scope_hang){ .thread = index, .owner = SCOPE_OWNER_NONE, .until_ns = hang->until_ns };
	hang->kind = SCOPE_HANG_BLOCKED;
	hang->nr = nr;
	hang->since_ns = retry->from_ns;
	hang->retries = retry->sleeps;
	hang->as_namesake = role != SCOPE_CALL_SLEEP && waits_as_namesake(units, pickups, index);
	/* A thread that perhaps only does housekeeping is not reported. */
	hang->needs_peers = hang->quiet = true;
	return true;
}

/* One that sleeps or runs as the window ends. */
static bool judge_end(const struct scope_units *units, const struct scope_distributions *distributions,
		      const struct scope_pickups *pickups, const struct scope_fd_index *fds, uint32_t index,
		      struct scope_hang *hang)
{
	struct scope_timeline *timeline = units->timeline;
	const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, index);
	const uint64_t limit = group_limit(distributions, units->groups, units->groups->of_thread[index]);

	*hang = (struct scope_hang){ .thread = index, .owner = SCOPE_OWNER_NONE, .until_ns = timeline->end_ns };
	if (thread->run == SCOPE_RUN_ENDED || thread->run == SCOPE_RUN_UNKNOWN)
		return false;
	if (thread->run != SCOPE_RUN_BLOCKED)
		return judge_running(units, distributions, index, limit, hang) ||
		       judge_retries(units, pickups, index, limit, hang);
	return ((thread->open.nr != SCOPE_NR_NONE || in_fault(thread)) &&
		timeline->end_ns - scope_anomaly_hang_asleep_since(thread) >= limit &&
		judge_blocked(units, pickups, fds, index, hang)) ||
	       judge_retries(units, pickups, index, limit, hang);
}

/*
 * A thread that sleeps while the clients of its process wait is not idle. Returns true if the thread hangs, or may
 * hang, for this reason or another one.
 */
static bool judge_unserved(const struct scope_units *units, const struct scope_pickups *pickups,
			   const struct scope_unserved *unserved, uint32_t index, bool judged, struct scope_hang *hang)
{
	const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, index);
	bool alone;

	if ((judged && !hang->needs_peers) || !unserved)
		return judged;
	alone = scope_anomaly_unserved_by(unserved, units, pickups, index);
	if (!alone && !scope_anomaly_unserved_among(unserved, units, pickups, index))
		return judged;
	/* It goes on to take work there. */
	if (!judged && scope_unit_pickups_serves(pickups, index) && at_pickup(units, pickups, index))
		return false;
	if (!judged)
		*hang = (struct scope_hang){
			.thread = index,
			.kind = SCOPE_HANG_BLOCKED,
			.nr = thread->open.nr,
			.object = thread->open.args ? thread->open.arg[0] : 0,
			.since_ns = unserved->since_ns,
			.until_ns = units->timeline->end_ns,
			.owner = SCOPE_OWNER_NONE,
		};
	if (alone)
		hang->needs_peers = hang->quiet = false;
	hang->one_of = !alone;
	hang->unread = unserved->unread;
	return true;
}

int scope_anomaly_hang_find(const struct scope_units *units, const struct scope_distributions *distributions,
			    const struct scope_pickups *pickups, struct scope_hang **ret_hangs, size_t *ret_count)
{
	struct scope_hang *hangs = calloc(units->threads + 1, sizeof(*hangs));
	struct scope_unserved *unserved = NULL;
	struct scope_fd_index fds = { 0 };
	size_t count = 0, unserved_count;
	int err = hangs ? scope_anomaly_fd_index_init(&fds, units->timeline->trace) : -ENOMEM;

	if (!err)
		err = scope_anomaly_unserved_find(units->timeline, &unserved, &unserved_count);
	for (size_t i = 0; !err && i < units->threads; i++) {
		const struct scope_unserved *clients = scope_anomaly_unserved_of(
			unserved, unserved_count, scope_timeline_threads_at(units->timeline->threads, i)->tgid);
		const bool judged = judge_end(units, distributions, pickups, &fds, i, &hangs[count]) ||
				    judge_rounds(units, i, &hangs[count]) ||
				    scope_anomaly_kept_waiting(units, clients, i, &hangs[count]);

		count += judge_unserved(units, pickups, clients, i, judged, &hangs[count]);
	}
	scope_anomaly_fd_index_free(&fds);
	free(unserved);
	if (err) {
		free(hangs);
		return err;
	}
	*ret_hangs = hangs;
	*ret_count = count;
	return 0;
}
