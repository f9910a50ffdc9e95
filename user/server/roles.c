// SPDX-License-Identifier: GPL-2.0-only
/* Finds the role of each thread of a server, and the call in which it waits for work. */
#include "server/roles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DISK_SHARE 0.5 /* share of the time with work: threads that wait for a disk for more of it are disk threads */

static bool is_signal(uint16_t nr)
{
#ifdef SYS_pause
	if (nr == SYS_pause)
		return true;
#endif
	return nr == SYS_rt_sigtimedwait || nr == SYS_rt_sigsuspend;
}

static enum scope_server_idle idle_of_call(uint16_t nr, bool pipe)
{
	if (scope_timeline_call_is_uring(nr))
		return SCOPE_IDLE_URING;
	switch (scope_timeline_call_role(nr)) {
	case SCOPE_CALL_POLL:
		return scope_timeline_call_is_epoll(nr)	   ? SCOPE_IDLE_EPOLL
		       : scope_timeline_call_is_select(nr) ? SCOPE_IDLE_SELECT
							   : SCOPE_IDLE_POLL;
	case SCOPE_CALL_READ:
		return pipe ? SCOPE_IDLE_QUEUE : SCOPE_IDLE_READ;
	case SCOPE_CALL_ACCEPT:
		return SCOPE_IDLE_ACCEPT;
	case SCOPE_CALL_FUTEX:
		return SCOPE_IDLE_FUTEX;
	case SCOPE_CALL_SLEEP:
		return SCOPE_IDLE_TIMER;
	case SCOPE_CALL_CHILD:
		return SCOPE_IDLE_CHILD;
	case SCOPE_CALL_PICK:
		return is_signal(nr) ? SCOPE_IDLE_SIGNAL : SCOPE_IDLE_QUEUE;
	default:
		return SCOPE_IDLE_NONE;
	}
}

/* The call in which it sleeps; a poll of no set only sleeps. */
static enum scope_server_idle idle_of_wait(const struct scope_wait *wait)
{
	return wait->class == SCOPE_WAIT_TIMER ? SCOPE_IDLE_TIMER
					       : idle_of_call(wait->nr, wait->class == SCOPE_WAIT_PIPE);
}

/* True for a sleep without work. If a thread picks up no work, every sleep may be one. */
static bool is_idle(const struct scope_server_roles *all, const struct scope_wait *wait)
{
	if (wait->queue || wait->lock || wait->thread >= all->threads)
		return false;
	return wait->idle || wait->outside ||
	       all->groups->group[all->groups->of_thread[wait->thread]].granularity == SCOPE_UNIT_SWITCH;
}

static int note_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct scope_server_roles *all = user;
	struct scope_server_facts *facts = &all->facts[unit->thread];

	if (unit->thread >= all->threads)
		return 0;
	for (unsigned i = 0; i < unit->calls; i++)
		if (scope_timeline_call_role(call[i].nr) == SCOPE_CALL_ACCEPT)
			facts->accepts += call[i].count;
	facts->units += unit->granularity == SCOPE_UNIT_REQUEST;
	facts->requests += unit->asked;
	facts->busy_ns += (double)scope_unit_wall(unit);
	return 0;
}

static int note_wait(void *user, const struct scope_wait *wait)
{
	struct scope_server_roles *all = user;
	const double ns = (double)(wait->wake_ns - wait->begin_ns);
	struct scope_server_facts *facts;

	if (wait->thread >= all->threads || wait->queue)
		return 0;
	facts = &all->facts[wait->thread];
	if (is_idle(all, wait)) {
		const enum scope_server_idle idle_in = idle_of_wait(wait);

		facts->idle_ns[idle_in] += ns;
		facts->brought |= wait->idle ? 1u << idle_in : 0;
		facts->accepts += idle_in == SCOPE_IDLE_ACCEPT;
	}
	if (wait->class == SCOPE_WAIT_DISK)
		facts->disk_ns += ns;
	return 0;
}

/*
 * The call in which it sleeps longest, of those after which it took work if there are such. A thread none of whose such sleeps ended is
 * still in one, or never sleeps. Then the call is that of its pick-up. A thread that waits for connections is idle as well while none
 * comes until the end.
 */
static enum scope_server_idle find_idle(const struct scope_server_roles *all, uint32_t thread)
{
	struct scope_server_facts *facts = &all->facts[thread];
	const struct scope_pickup *pickup = scope_unit_pickups_of(all->pickups, thread);
	const struct scope_timeline *timeline = all->distributions->run->timeline;
	const struct scope_thread *last = scope_timeline_threads_at(timeline->threads, thread);
	int most = SCOPE_IDLE_NONE;

	if (last->run == SCOPE_RUN_BLOCKED && last->open.nr != SCOPE_NR_NONE &&
	    scope_timeline_call_role(last->open.nr) == SCOPE_CALL_ACCEPT && last->open.enter_ns < timeline->end_ns)
		facts->idle_ns[SCOPE_IDLE_ACCEPT] += (double)(timeline->end_ns - last->open.enter_ns);
	/* A thread that is blocked in accept waits for nothing else, so it serves one connection after another. */
	if (facts->idle_ns[SCOPE_IDLE_ACCEPT] > 0)
		return SCOPE_IDLE_ACCEPT;
	for (int idle_in = SCOPE_IDLE_NONE + 1; idle_in < SCOPE_IDLES; idle_in++)
		if ((!facts->brought || facts->brought >> idle_in & 1) &&
		    facts->idle_ns[idle_in] > (most ? facts->idle_ns[most] : 0))
			most = idle_in;
	if (most != SCOPE_IDLE_NONE)
		return (enum scope_server_idle)most;
	if (last->run == SCOPE_RUN_BLOCKED && last->open.nr != SCOPE_NR_NONE) {
		facts->inside = scope_timeline_call_role(last->open.nr) == SCOPE_CALL_FUTEX;
		return idle_of_call(last->open.nr, true);
	}
	if (!pickup)
		return SCOPE_IDLE_NONE;
	if (pickup->nr != SCOPE_NR_NONE)
		return idle_of_call(pickup->nr, true);
	return pickup->reads ? SCOPE_IDLE_READ : SCOPE_IDLE_NONE;
}

static enum scope_server_role find_role(const struct scope_server_roles *all, uint32_t thread,
					enum scope_server_idle idle_in)
{
	const struct scope_server_facts *facts = &all->facts[thread];
	const struct scope_pickup *pickup = scope_unit_pickups_of(all->pickups, thread);

	if (facts->requests)
		return SCOPE_ROLE_NETWORK;
	if (facts->accepts || idle_in == SCOPE_IDLE_ACCEPT)
		return SCOPE_ROLE_ACCEPT;
	/* Datagrams on a connection that the program opened begin no unit. */
	if ((pickup && (pickup->reads || pickup->jobs)) || (idle_in == SCOPE_IDLE_READ && facts->units))
		return SCOPE_ROLE_NETWORK;
	if (facts->disk_ns > DISK_SHARE * facts->busy_ns && facts->disk_ns > 0)
		return SCOPE_ROLE_DISK;
	/* Operations that io_uring completes are no calls. */
	if (idle_in == SCOPE_IDLE_URING && all->unseen)
		return SCOPE_ROLE_NETWORK;
	if (idle_in == SCOPE_IDLE_FUTEX || idle_in == SCOPE_IDLE_QUEUE)
		return SCOPE_ROLE_WORKER;
	if (idle_in == SCOPE_IDLE_TIMER)
		return SCOPE_ROLE_TIMER;
	return idle_in == SCOPE_IDLE_CHILD || idle_in == SCOPE_IDLE_SIGNAL ? SCOPE_ROLE_MASTER : SCOPE_ROLE_OTHER;
}

static bool serves_by_turns(const struct scope_server_facts *facts)
{
	return facts->role == SCOPE_ROLE_NETWORK &&
	       (facts->idle_in == SCOPE_IDLE_READ || facts->idle_in == SCOPE_IDLE_FUTEX ||
		facts->idle_in == SCOPE_IDLE_QUEUE);
}

/*
 * Threads that take one connection after another from a queue sleep there, or in the reads of their connection. Which is
 * longer depends on the clients. So those of one name have the call in which all of them together sleep longest.
 */
static int join_pools(struct scope_server_roles *all)
{
	const struct scope_groups *groups = all->groups;
	double(*idle_ns)[SCOPE_IDLES] = calloc(groups->count + 1, sizeof(*idle_ns));

	if (!idle_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->threads; i++)
		for (int idle_in = 0; serves_by_turns(&all->facts[i]) && idle_in < SCOPE_IDLES; idle_in++)
			idle_ns[groups->of_thread[i]][idle_in] += all->facts[i].idle_ns[idle_in];
	for (uint32_t i = 0; i < all->threads; i++) {
		const char *name = groups->group[groups->of_thread[i]].name;
		double read_ns = 0, queue_ns = 0;

		if (!serves_by_turns(&all->facts[i]))
			continue;
		for (size_t j = 0; j < groups->count; j++)
			if (!strcmp(groups->group[j].name, name)) {
				read_ns += idle_ns[j][SCOPE_IDLE_READ];
				queue_ns += idle_ns[j][SCOPE_IDLE_FUTEX] + idle_ns[j][SCOPE_IDLE_QUEUE];
			}
		if (read_ns > queue_ns)
			all->facts[i].idle_in = SCOPE_IDLE_READ;
		else if (queue_ns > 0 && all->facts[i].idle_in == SCOPE_IDLE_READ)
			all->facts[i].idle_in = all->facts[i].idle_ns[SCOPE_IDLE_QUEUE] >
								all->facts[i].idle_ns[SCOPE_IDLE_FUTEX]
							? SCOPE_IDLE_QUEUE
							: SCOPE_IDLE_FUTEX;
	}
	free(idle_ns);
	return 0;
}

static int find_roles(struct scope_server_roles *all)
{
	all->unseen = all->listeners > 0;
	for (uint32_t i = 0; i < all->threads; i++)
		all->unseen &= !all->facts[i].requests && !all->facts[i].accepts;
	for (uint32_t i = 0; i < all->threads; i++) {
		const enum scope_server_idle idle_in = find_idle(all, i);

		all->facts[i].idle_in = (uint8_t)idle_in;
		all->facts[i].role = (uint8_t)find_role(all, i, idle_in);
	}
	return join_pools(all);
}

int scope_server_roles_find(const struct scope_distributions *distributions, const struct scope_groups *groups,
			    const struct scope_pickups *pickups, size_t threads, uint32_t listeners,
			    struct scope_server_roles *ret_roles)
{
	const struct scope_unit_sink sink = { .unit = note_unit, .wait = note_wait, .user = ret_roles };
	int err;

	*ret_roles = (struct scope_server_roles){ .distributions = distributions,
						  .groups = groups,
						  .pickups = pickups,
						  .threads = threads,
						  .listeners = listeners,
						  .facts = calloc(threads + 1, sizeof(*ret_roles->facts)) };
	if (!ret_roles->facts)
		return -ENOMEM;
	err = scope_unit_distributions_replay(distributions, groups, &sink);
	return err ? err : find_roles(ret_roles);
}

void scope_server_roles_free(struct scope_server_roles *roles)
{
	free(roles->facts);
	roles->facts = NULL;
}

/* A sleep of a thread that has no other without work, and sleeps in the end as it does here. */
static bool is_idle_inside(const struct scope_server_roles *all, const struct scope_wait *wait)
{
	return !wait->queue && !wait->lock && wait->thread < all->threads && all->facts[wait->thread].inside &&
	       scope_timeline_call_role(wait->nr) == SCOPE_CALL_FUTEX;
}

bool scope_server_roles_idle(const struct scope_server_roles *roles, const struct scope_wait *wait)
{
	return is_idle(roles, wait) || is_idle_inside(roles, wait);
}
