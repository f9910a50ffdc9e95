// SPDX-License-Identifier: GPL-2.0-only
/* Learns from a timeline how each thread picks up work. */
#include "unit/learner.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/grow.h"

bool scope_unit_learn_meet(struct scope_learner *learner, uint32_t thread)
{
	if (scope_grow(&learner->stats, &learner->capacity, thread + 1, sizeof(*learner->stats)))
		return false;
	while (learner->count <= thread)
		memset(&learner->stats[learner->count++], 0, sizeof(*learner->stats));
	return true;
}

static struct scope_wait_key *get_key(struct scope_thread_stats *stats, uint16_t nr, uint64_t object)
{
	unsigned i;

	for (i = 0; i < stats->keys; i++)
		if (stats->key[i].nr == nr && stats->key[i].object == object)
			return &stats->key[i];
	if (i == SCOPE_THREAD_STATS_KEYS)
		return NULL;
	stats->key[i] = (struct scope_wait_key){ .nr = nr, .object = object };
	stats->keys++;
	return &stats->key[i];
}

static bool sleeps_in(const struct scope_thread_stats *stats, uint16_t nr, uint64_t object)
{
	for (unsigned i = 0; i < stats->keys; i++)
		if (stats->key[i].nr == nr && stats->key[i].count &&
		    scope_timeline_wait_same_object(nr, stats->key[i].object, object))
			return true;
	return false;
}

/* The key of a wait. If there is no room, it replaces a futex by which the thread only woke others. */
static struct scope_wait_key *get_wait_key(struct scope_thread_stats *stats, uint16_t nr, uint64_t object)
{
	struct scope_wait_key *key = get_key(stats, nr, object);

	for (unsigned i = 0; !key && i < stats->keys; i++)
		if (stats->key[i].woke && !stats->key[i].count) {
			key = &stats->key[i];
			*key = (struct scope_wait_key){ .nr = nr, .object = object };
		}
	return key;
}

static bool may_be_loop(enum scope_timeline_call_role role, enum scope_fd_kind fd)
{
	switch (role) {
	case SCOPE_CALL_FUTEX:
	case SCOPE_CALL_SLEEP:
	case SCOPE_CALL_PICK:
		return true;
	case SCOPE_CALL_READ:
		return fd == SCOPE_FD_PIPE || fd == SCOPE_FD_EVENT || fd == SCOPE_FD_DATAGRAM;
	default:
		return false;
	}
}

/*
 * A poll is the top of a loop if work is taken after it. It is in the middle of a request if an
 * answer is sent and no work was taken since: it waited for a resolver or a backend. With neither
 * it is the top of a loop that found no work. Epolls are distinguished by their descriptors, polls
 * by the addresses of their sets: servers have one for clients and may have another for waits
 * within a request.
 */
void scope_unit_learn_poll(struct scope_thread_stats *stats, const struct scope_open_call *call)
{
	const bool epoll = scope_timeline_call_is_epoll(call->nr);
	struct scope_wait_key *key = NULL;

	if (scope_timeline_call_role_of(call->nr, call->args, call->arg[0]) != SCOPE_CALL_POLL)
		return;
	if (call->args) {
		const struct scope_poll_site site = scope_unit_poll_site_of(call);

		key = get_wait_key(stats, site.nr, site.object);
	}
	stats->epolls += epoll;
	stats->polls += !epoll;
	stats->poll_slept_ns = 0;
	stats->asked_poll = !epoll && stats->asked;
	stats->asked_polls += stats->asked_poll;
	stats->waited = key ? key - stats->key : SCOPE_THREAD_STATS_NO_KEY;
	stats->waker = SCOPE_WAIT_NO_THREAD;
	if (key)
		key->count++;
	/* A poll without these arguments is ignored. */
	stats->polled = !epoll || key;
}

bool scope_unit_learner_answers(const struct scope_learner *learner, uint32_t tgid)
{
	for (size_t i = learner->answerings; i-- > 0;)
		if (learner->answering[i] == tgid)
			return true;
	return false;
}

bool scope_unit_learner_serves(const struct scope_learner *learner, uint32_t tgid)
{
	for (size_t i = 0; i < learner->count; i++)
		if ((learner->stats[i].reads || learner->stats[i].answers ||
		     learner->stats[i].datagrams >= SCOPE_THREAD_STATS_REPLIES_MIN) &&
		    scope_timeline_threads_at(learner->timeline->threads, i)->tgid == tgid)
			return true;
	return false;
}

static int note_answering(struct scope_learner *learner, uint32_t tgid)
{
	if (scope_unit_learner_answers(learner, tgid))
		return 0;
	if (scope_grow(&learner->answering, &learner->answering_capacity, learner->answerings + 1,
		       sizeof(*learner->answering)))
		return -ENOMEM;
	learner->answering[learner->answerings++] = tgid;
	return 0;
}

static bool made(const struct scope_thread_stats *stats, int32_t fd)
{
	for (unsigned i = 0; i < SCOPE_THREAD_STATS_MADE && i < stats->mades; i++)
		if (stats->made[i] == fd)
			return true;
	return false;
}

/* The descriptor with most votes. */
static void vote(int32_t *fd, uint32_t *votes, int32_t now)
{
	if (!*votes)
		*fd = now;
	*votes += *fd == now ? 1 : -1u;
}

/* An answer after a poll, without work since, shows that it was in the middle of a request. */
static void learn_inner(struct scope_thread_stats *stats)
{
	if (!stats->polled)
		return;
	stats->polled = false;
	if (stats->waited == SCOPE_THREAD_STATS_NO_KEY || stats->key[stats->waited].nr == SYS_ppoll ||
	    stats->key[stats->waited].nr == SYS_pselect6)
		stats->inner_polls++;
	if (stats->waited != SCOPE_THREAD_STATS_NO_KEY)
		stats->key[stats->waited].inner++;
}

static struct scope_delivery *find_delivery(struct scope_thread_stats *stats, uint32_t thread, uint16_t nr,
					    uint64_t object)
{
	for (unsigned i = 0; i < stats->deliveries; i++)
		if (stats->delivery[i].thread == thread && stats->delivery[i].nr == nr &&
		    stats->delivery[i].object == object)
			return &stats->delivery[i];
	return NULL;
}

/*
 * A thread answers the client from which it read last, and has slept in between: the thread that ended that sleep gave it no work,
 * but a part of the answer (unit/inner_wait.h).
 */
static void learn_part(struct scope_learner *learner, const struct scope_thread_stats *stats, uint32_t thread)
{
	struct scope_thread_stats *waker;
	struct scope_delivery *delivery;

	if (!stats->polled || stats->waker < 0 || (uint32_t)stats->waker == thread)
		return;
	waker = &learner->stats[stats->waker];
	delivery = find_delivery(waker, thread, stats->key[stats->waited].nr, stats->waker_object);
	if (delivery)
		delivery->count -= !!delivery->count;
	else
		waker->delivered -= !!waker->delivered;
}

int scope_unit_learn_write(struct scope_learner *learner, struct scope_thread_stats *stats,
			   const struct scope_thread *thread, const struct scope_open_call *call)
{
	const enum scope_fd_kind kind =
		call->args ? scope_timeline_fds_kind(learner->timeline->fds, thread->tgid, (int32_t)call->arg[0])
			   : SCOPE_FD_UNKNOWN;

	if (kind == SCOPE_FD_DATAGRAM && !made(stats, (int32_t)call->arg[0])) {
		stats->datagram_due = stats->asked = false;
		vote(&stats->sent_fd, &stats->sent_votes, (int32_t)call->arg[0]);
		stats->sent++;
		if (stats->replies < stats->datagrams) {
			stats->replies++;
			learn_inner(stats);
		}
	}
	if (kind == SCOPE_FD_PIPE || kind == SCOPE_FD_CONNECTED)
		stats->asked = true;
	if (kind != SCOPE_FD_ACCEPTED)
		return 0;
	stats->owes = stats->asked = false;
	if (!stats->answers && note_answering(learner, thread->tgid))
		return -ENOMEM;
	stats->answers = true;
	if (stats->client == call->arg[0] + 1)
		learn_part(learner, stats, thread->index);
	learn_inner(stats);
	return 0;
}

void scope_unit_learn_wake(struct scope_thread_stats *stats, const struct scope_open_call *call)
{
	struct scope_wait_key *key;

	if (call->nr != SYS_futex || call->args < 2 ||
	    ((call->arg[1] & FUTEX_CMD_MASK) != FUTEX_WAKE && (call->arg[1] & FUTEX_CMD_MASK) != FUTEX_UNLOCK_PI))
		return;
	key = get_key(stats, SYS_futex, call->arg[0]);
	if (key)
		key->woke++;
}

static bool slept_in_read(const struct scope_thread_stats *stats)
{
	return stats->polled && stats->waited != SCOPE_THREAD_STATS_NO_KEY &&
	       scope_timeline_call_role(stats->key[stats->waited].nr) == SCOPE_CALL_READ;
}

static void take_work(struct scope_thread_stats *stats)
{
	if (stats->polled && stats->waited != SCOPE_THREAD_STATS_NO_KEY)
		stats->key[stats->waited].taken++;
	stats->polled = false;
}

void scope_unit_learn_return(struct scope_learner *learner, struct scope_thread_stats *stats,
			     const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret)
{
	enum scope_fd_kind kind;

	if (call->role == SCOPE_CALL_SOCKET && ret >= 0)
		stats->made[stats->mades++ % SCOPE_THREAD_STATS_MADE] = (int32_t)ret;
	if (call->role == SCOPE_CALL_ACCEPT && ret >= 0) {
		stats->reads++;
		take_work(stats);
	}
	if (call->role != SCOPE_CALL_READ || !call->args || ret <= 0)
		return;
	kind = scope_timeline_fds_kind(learner->timeline->fds, thread->tgid, (int32_t)call->arg[0]);
	if (kind == SCOPE_FD_DATAGRAM && made(stats, (int32_t)call->arg[0]))
		return;
	if (kind == SCOPE_FD_DATAGRAM) {
		/* Before the answer to a client, such data come from a peer. */
		stats->datagrams += !stats->owes;
		stats->datagram_due = !stats->owes;
		vote(&stats->read_fd, &stats->read_votes, (int32_t)call->arg[0]);
	}
	stats->reads += kind == SCOPE_FD_ACCEPTED;
	stats->owes |= kind == SCOPE_FD_ACCEPTED;
	stats->client = kind == SCOPE_FD_ACCEPTED ? call->arg[0] + 1 : stats->client;
	/*
	 * A datagram that ends the thread's sleep in this read is no work after a poll. If another thread sent it, the
	 * work is what this thread then reads from a client.
	 */
	if (kind == SCOPE_FD_ACCEPTED || (kind == SCOPE_FD_DATAGRAM && !slept_in_read(stats)))
		take_work(stats);
}

/* Noted for the thread that ended the sleep: the sleeper may have waited for work from it. */
static int learn_delivery(struct scope_learner *learner, const struct scope_wait *wait)
{
	struct scope_thread_stats *stats;
	struct scope_delivery *delivery;

	if (wait->waker < 0 || wait->lock || (uint32_t)wait->waker == wait->thread)
		return 0;
	if (!scope_unit_learn_has(learner, (uint32_t)wait->waker))
		return -ENOMEM;
	stats = &learner->stats[wait->waker];
	delivery = find_delivery(stats, wait->thread, wait->nr, wait->object);
	if (!delivery && stats->deliveries == SCOPE_THREAD_STATS_DELIVERIES) {
		stats->delivered++;
		return 0;
	}
	if (!delivery) {
		delivery = &stats->delivery[stats->deliveries++];
		*delivery = (struct scope_delivery){ .thread = wait->thread, .nr = wait->nr, .object = wait->object };
	}
	delivery->count++;
	return 0;
}

/* True if another thread of the process ended the sleep. */
static bool from_within(const struct scope_learner *learner, const struct scope_wait *wait, uint32_t tgid)
{
	return wait->waker >= 0 && (uint32_t)wait->waker != wait->thread &&
	       scope_timeline_threads_at(learner->timeline->threads, (uint32_t)wait->waker)->tgid == tgid;
}

static void note_own(struct scope_thread_stats *stats, uint64_t fd, uint16_t nr, uint64_t slept_ns)
{
	unsigned i = 0;

	while (i < stats->owns && (stats->own[i].fd != fd || stats->own[i].nr != nr))
		i++;
	if (i == SCOPE_THREAD_STATS_OWN)
		return;
	if (i == stats->owns)
		stats->own[stats->owns++] = (struct scope_own_reads){ .fd = fd, .nr = nr };
	stats->own[i].sleeps++;
	stats->own[i].length[scope_unit_thread_stats_power(slept_ns)]++;
}

void scope_unit_learn_polled(struct scope_thread_stats *stats)
{
	note_own(stats, 0, SYS_ppoll, stats->poll_slept_ns);
}

int scope_unit_learn_wait(struct scope_learner *learner, const struct scope_wait *wait)
{
	struct scope_thread_stats *stats;
	uint32_t tgid = scope_timeline_threads_at(learner->timeline->threads, wait->thread)->tgid;
	enum scope_timeline_call_role role = wait->class == SCOPE_WAIT_TIMER ? SCOPE_CALL_SLEEP
									     : scope_timeline_call_role(wait->nr);
	const enum scope_fd_kind kind = scope_timeline_fds_kind(learner->timeline->fds, tgid, (int32_t)wait->object);
	struct scope_wait_key *key;

	if (!scope_unit_learn_has(learner, wait->thread) || learn_delivery(learner, wait))
		return -ENOMEM;
	stats = &learner->stats[wait->thread];
	stats->waits++;
	stats->slept_reads += role == SCOPE_CALL_READ && kind == SCOPE_FD_ACCEPTED;
	stats->slept_polls += scope_timeline_call_role(wait->nr) == SCOPE_CALL_POLL &&
			      !scope_timeline_call_is_epoll(wait->nr);
	if (role == SCOPE_CALL_READ && kind == SCOPE_FD_CONNECTED)
		note_own(stats, wait->object, wait->nr, wait->wake_ns - wait->begin_ns);
	if (role == SCOPE_CALL_POLL && !scope_timeline_call_is_epoll(wait->nr))
		stats->poll_slept_ns = wait->wake_ns - wait->begin_ns;
	if (!may_be_loop(role, kind))
		return 0;
	key = get_wait_key(stats, wait->nr, role == SCOPE_CALL_SLEEP ? 0 : wait->object);
	if (key) {
		key->count++;
		if (from_within(learner, wait, tgid)) {
			key->handed++;
			key->shared += (size_t)wait->waker < learner->count &&
				       sleeps_in(&learner->stats[wait->waker], wait->nr, wait->object);
		}
	}
	stats->asked = false;
	/* Workers that get connections from another thread sleep, and then read. A sleep by a clock brings no connection. */
	if (key && role != SCOPE_CALL_SLEEP && !wait->lock && !stats->polled) {
		stats->polled = true;
		stats->waited = key - stats->key;
		stats->waker = wait->waker;
		stats->waker_object = wait->object;
	}
	return 0;
}

SCOPE_TAKE uint32_t learn_plain_roles(void *user, uint32_t thread)
{
	return scope_learn_plain_roles(user, thread);
}

SCOPE_TAKE bool learn_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
			    enum scope_timeline_call_role role)
{
	(void)role;
	scope_learn_plain(user, thread, event);
	return true;
}

SCOPE_TAKE int learn_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	return scope_learn_enter(user, thread, call);
}

SCOPE_TAKE int learn_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call,
			  int64_t ret, uint64_t exit_ns)
{
	return scope_learn_exit(user, thread, call, ret, exit_ns);
}

static int learn_wait(void *user, const struct scope_wait *wait)
{
	return scope_unit_learn_wait(user, wait);
}

static const struct scope_timeline_ops learn = {
	.plain_roles = learn_plain_roles,
	.plain = learn_plain,
	.enter = learn_enter,
	.exit = learn_exit,
	.wait = learn_wait,
};

int scope_unit_learner_create(const struct scope_trace *trace, struct scope_learner **ret_learner)
{
	struct scope_learner *learner = calloc(1, sizeof(*learner));
	int err;

	if (!learner)
		return -ENOMEM;
	err = scope_timeline_create(trace, &learner->own_timeline);
	if (err) {
		free(learner);
		return err;
	}
	learner->timeline = learner->own_timeline;
	*ret_learner = learner;
	return 0;
}

int scope_unit_learner_share(struct scope_timeline *timeline, struct scope_learner **ret_learner)
{
	struct scope_learner *learner = calloc(1, sizeof(*learner));

	if (!learner)
		return -ENOMEM;
	learner->timeline = timeline;
	*ret_learner = learner;
	return 0;
}

int scope_unit_learner_feed(struct scope_learner *learner, const struct scope_event *const *event, size_t count)
{
	return scope_timeline_take(learner->timeline, event, count, &learn, learner);
}

int scope_unit_learner_finish(struct scope_learner *learner)
{
	return scope_timeline_finish(learner->timeline, &learn, learner);
}

bool scope_unit_learner_holds(const struct scope_learner *learner)
{
	return scope_timeline_holds(learner->timeline);
}

size_t scope_unit_learner_threads(const struct scope_learner *learner)
{
	return scope_timeline_threads_count(learner->timeline->threads);
}

void scope_unit_learner_destroy(struct scope_learner *learner)
{
	if (!learner)
		return;
	scope_timeline_destroy(learner->own_timeline);
	free(learner->stats);
	free(learner->answering);
	free(learner);
}
