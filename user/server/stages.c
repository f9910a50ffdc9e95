// SPDX-License-Identifier: GPL-2.0-only
/* Finds what kind of server a traced program is: its stages of threads, their purpose, and how busy they are. */
#include "server/stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "server/stretch.h"

#define UNITS_MAX 2000000   /* no rule: units whose begins and ends are kept */
#define DISK_SHARE 0.5	    /* of the time with work: threads that wait for a disk for more of it are disk threads */
#define FROM_SHARE 0.1	    /* of a stage's sleeps without work that others end: less is no way for work to come */
#define FROM_LEAST 0.01	    /* of all its sleeps without work */
#define SYS_URING_ENTER 426 /* no rule: io_uring_enter, on all machines */

/* What is known of one thread. */
struct facts {
	uint64_t units, requests, accepts;
	double busy_ns, disk_ns;
	double idle_ns[SCOPE_DOORS];
	uint8_t door, role;
	bool inside; /* its sleeps without work are within units: requests come in bursts, and it begins one after another */
};

/* Facts about a stage, while the log is read once more. */
struct flow {
	struct scope_stretches stretches;
	uint64_t *woken; /* by stage: sleeps without work that its threads ended; then the sleeps without a known waker */
	uint64_t idles;
	double late_ns;
};

struct modeller {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	const struct scope_pickups *pickups;
	struct scope_server *server;
	size_t stage_capacity;
	struct facts *facts; /* by thread */
	struct flow *flow;   /* by stage */
	bool unseen;	     /* it listens, and no thread was seen to accept or to take a request */
	uint64_t kept;	     /* units with begin and end */
	uint64_t until_ns;   /* the last of these ended */
};

const char *scope_server_role_name(enum scope_server_role role)
{
	static const char *const name[SCOPE_ROLES] = {
		[SCOPE_ROLE_ACCEPT] = "accept", [SCOPE_ROLE_NETWORK] = "network", [SCOPE_ROLE_WORKER] = "worker",
		[SCOPE_ROLE_DISK] = "disk",	[SCOPE_ROLE_TIMER] = "timer",	  [SCOPE_ROLE_MASTER] = "master",
		[SCOPE_ROLE_OTHER] = "other",
	};

	return name[role];
}

const char *scope_server_door_name(enum scope_server_door door)
{
	static const char *const name[SCOPE_DOORS] = {
		[SCOPE_DOOR_NONE] = "none",	[SCOPE_DOOR_EPOLL] = "epoll", [SCOPE_DOOR_POLL] = "poll",
		[SCOPE_DOOR_SELECT] = "select", [SCOPE_DOOR_READ] = "read",   [SCOPE_DOOR_ACCEPT] = "accept",
		[SCOPE_DOOR_FUTEX] = "futex",	[SCOPE_DOOR_QUEUE] = "queue", [SCOPE_DOOR_URING] = "io_uring",
		[SCOPE_DOOR_TIMER] = "timer",	[SCOPE_DOOR_CHILD] = "child", [SCOPE_DOOR_SIGNAL] = "signal",
	};

	return name[door];
}

static bool is_signal(uint16_t nr)
{
#ifdef SYS_pause
	if (nr == SYS_pause)
		return true;
#endif
	return nr == SYS_rt_sigtimedwait || nr == SYS_rt_sigsuspend;
}

static enum scope_server_door door_of_call(uint16_t nr, bool pipe)
{
	if (nr == SYS_URING_ENTER)
		return SCOPE_DOOR_URING;
	switch (scope_timeline_call_role(nr)) {
	case SCOPE_CALL_POLL:
		return scope_timeline_call_is_epoll(nr)	   ? SCOPE_DOOR_EPOLL
		       : scope_timeline_call_is_select(nr) ? SCOPE_DOOR_SELECT
							   : SCOPE_DOOR_POLL;
	case SCOPE_CALL_READ:
		return pipe ? SCOPE_DOOR_QUEUE : SCOPE_DOOR_READ;
	case SCOPE_CALL_ACCEPT:
		return SCOPE_DOOR_ACCEPT;
	case SCOPE_CALL_FUTEX:
		return SCOPE_DOOR_FUTEX;
	case SCOPE_CALL_SLEEP:
		return SCOPE_DOOR_TIMER;
	case SCOPE_CALL_CHILD:
		return SCOPE_DOOR_CHILD;
	case SCOPE_CALL_PICK:
		return is_signal(nr) ? SCOPE_DOOR_SIGNAL : SCOPE_DOOR_QUEUE;
	default:
		return SCOPE_DOOR_NONE;
	}
}

/* The call in which it sleeps; a poll of no set only sleeps. */
static enum scope_server_door door_of_wait(const struct scope_wait *wait)
{
	return wait->class == SCOPE_WAIT_TIMER ? SCOPE_DOOR_TIMER
					       : door_of_call(wait->nr, wait->class == SCOPE_WAIT_PIPE);
}

/* A sleep without work. Of threads that pick up no work, any sleep could be one. */
static bool is_idle(const struct modeller *all, const struct scope_wait *wait)
{
	if (wait->queue || wait->lock || wait->thread >= all->server->threads)
		return false;
	return wait->idle || wait->outside ||
	       all->groups->group[all->groups->of_thread[wait->thread]].granularity == SCOPE_UNIT_SWITCH;
}

static int note_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct modeller *all = user;
	struct facts *facts = &all->facts[unit->thread];

	if (unit->thread >= all->server->threads)
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
	struct modeller *all = user;
	const double ns = (double)(wait->wake_ns - wait->begin_ns);
	struct facts *facts;

	if (wait->thread >= all->server->threads || wait->queue)
		return 0;
	facts = &all->facts[wait->thread];
	if (is_idle(all, wait)) {
		const enum scope_server_door door = door_of_wait(wait);

		facts->idle_ns[door] += ns;
		facts->accepts += door == SCOPE_DOOR_ACCEPT;
	}
	if (wait->class == SCOPE_WAIT_DISK)
		facts->disk_ns += ns;
	return 0;
}

/*
 * A thread none of whose such sleeps ended is still in one, or never sleeps. Then the call is that of its pick-up. A
 * thread that waits for connections is idle as well while none comes until the end.
 */
static enum scope_server_door find_door(const struct modeller *all, uint32_t thread)
{
	struct facts *facts = &all->facts[thread];
	const struct scope_pickup *pickup = scope_unit_pickups_of(all->pickups, thread);
	const struct scope_timeline *timeline = all->distributions->run->timeline;
	const struct scope_thread *last = scope_timeline_threads_at(timeline->threads, thread);
	int most = SCOPE_DOOR_NONE;

	if (last->run == SCOPE_RUN_BLOCKED && last->open.nr != SCOPE_NR_NONE &&
	    scope_timeline_call_role(last->open.nr) == SCOPE_CALL_ACCEPT && last->open.enter_ns < timeline->end_ns)
		facts->idle_ns[SCOPE_DOOR_ACCEPT] += (double)(timeline->end_ns - last->open.enter_ns);
	/* A thread that is blocked there waits for nothing else, so it serves one connection after another. */
	if (facts->idle_ns[SCOPE_DOOR_ACCEPT] > 0)
		return SCOPE_DOOR_ACCEPT;
	for (int door = SCOPE_DOOR_NONE + 1; door < SCOPE_DOORS; door++)
		if (facts->idle_ns[door] > (most ? facts->idle_ns[most] : 0))
			most = door;
	if (most != SCOPE_DOOR_NONE)
		return (enum scope_server_door)most;
	if (last->run == SCOPE_RUN_BLOCKED && last->open.nr != SCOPE_NR_NONE) {
		facts->inside = scope_timeline_call_role(last->open.nr) == SCOPE_CALL_FUTEX;
		return door_of_call(last->open.nr, true);
	}
	if (!pickup)
		return SCOPE_DOOR_NONE;
	if (pickup->nr != SCOPE_NR_NONE)
		return door_of_call(pickup->nr, true);
	return pickup->reads ? SCOPE_DOOR_READ : SCOPE_DOOR_NONE;
}

static enum scope_server_role find_role(const struct modeller *all, uint32_t thread, enum scope_server_door door)
{
	const struct facts *facts = &all->facts[thread];
	const struct scope_pickup *pickup = scope_unit_pickups_of(all->pickups, thread);

	if (facts->requests)
		return SCOPE_ROLE_NETWORK;
	if (facts->accepts || door == SCOPE_DOOR_ACCEPT)
		return SCOPE_ROLE_ACCEPT;
	/* Datagrams on a connection that the program opened begin no unit. */
	if ((pickup && pickup->reads) || (door == SCOPE_DOOR_READ && facts->units))
		return SCOPE_ROLE_NETWORK;
	if (facts->disk_ns > DISK_SHARE * facts->busy_ns && facts->disk_ns > 0)
		return SCOPE_ROLE_DISK;
	/* What io_uring completes is no call. */
	if (door == SCOPE_DOOR_URING && all->unseen)
		return SCOPE_ROLE_NETWORK;
	if (door == SCOPE_DOOR_FUTEX || door == SCOPE_DOOR_QUEUE)
		return SCOPE_ROLE_WORKER;
	if (door == SCOPE_DOOR_TIMER)
		return SCOPE_ROLE_TIMER;
	return door == SCOPE_DOOR_CHILD || door == SCOPE_DOOR_SIGNAL ? SCOPE_ROLE_MASTER : SCOPE_ROLE_OTHER;
}

/* The stage of a name, a role and a way to wait for work. Its number, or -ENOMEM. */
static long find_stage(struct modeller *all, uint32_t group, enum scope_server_role role, enum scope_server_door door)
{
	struct scope_server *server = all->server;
	const char *name = all->groups->group[group].name;

	for (size_t i = 0; i < server->stages; i++)
		if (server->stage[i].role == role && server->stage[i].door == door &&
		    !strcmp(all->groups->group[server->stage[i].group].name, name))
			return (long)i;
	if (scope_grow(&server->stage, &all->stage_capacity, server->stages + 1, sizeof(*server->stage)))
		return -ENOMEM;
	server->stage[server->stages] = (struct scope_stage){
		.group = group, .role = (uint8_t)role, .door = (uint8_t)door, .from = SCOPE_STAGE_NONE
	};
	return (long)server->stages++;
}

static bool same_process_before(const struct modeller *all, uint32_t thread, bool in_stage)
{
	struct scope_threads *threads = all->distributions->run->timeline->threads;
	const uint32_t tgid = scope_timeline_threads_at(threads, thread)->tgid;

	for (uint32_t i = thread; i-- > 0;)
		if (scope_timeline_threads_at(threads, i)->tgid == tgid &&
		    (!in_stage || all->server->of_thread[i] == all->server->of_thread[thread]))
			return true;
	return false;
}

static bool serves_by_turns(const struct facts *facts)
{
	return facts->role == SCOPE_ROLE_NETWORK &&
	       (facts->door == SCOPE_DOOR_READ || facts->door == SCOPE_DOOR_FUTEX || facts->door == SCOPE_DOOR_QUEUE);
}

/*
 * Threads that take one connection after another from a queue sleep there, or in the reads of their connection. Which is
 * longer depends on the clients. So those of one name have the call in which all of them together sleep longest.
 */
static int join_pools(struct modeller *all)
{
	const struct scope_groups *groups = all->groups;
	double(*idle_ns)[SCOPE_DOORS] = calloc(groups->count + 1, sizeof(*idle_ns));

	if (!idle_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->server->threads; i++)
		for (int door = 0; serves_by_turns(&all->facts[i]) && door < SCOPE_DOORS; door++)
			idle_ns[groups->of_thread[i]][door] += all->facts[i].idle_ns[door];
	for (uint32_t i = 0; i < all->server->threads; i++) {
		const char *name = groups->group[groups->of_thread[i]].name;
		double read_ns = 0, queue_ns = 0;

		if (!serves_by_turns(&all->facts[i]))
			continue;
		for (size_t j = 0; j < groups->count; j++)
			if (!strcmp(groups->group[j].name, name)) {
				read_ns += idle_ns[j][SCOPE_DOOR_READ];
				queue_ns += idle_ns[j][SCOPE_DOOR_FUTEX] + idle_ns[j][SCOPE_DOOR_QUEUE];
			}
		if (read_ns > queue_ns)
			all->facts[i].door = SCOPE_DOOR_READ;
		else if (queue_ns > 0 && all->facts[i].door == SCOPE_DOOR_READ)
			all->facts[i].door = all->facts[i].idle_ns[SCOPE_DOOR_QUEUE] >
							     all->facts[i].idle_ns[SCOPE_DOOR_FUTEX]
						     ? SCOPE_DOOR_QUEUE
						     : SCOPE_DOOR_FUTEX;
	}
	free(idle_ns);
	return 0;
}

static int find_roles(struct modeller *all)
{
	all->unseen = all->server->listeners > 0;
	for (uint32_t i = 0; i < all->server->threads; i++)
		all->unseen &= !all->facts[i].requests && !all->facts[i].accepts;
	for (uint32_t i = 0; i < all->server->threads; i++) {
		const enum scope_server_door door = find_door(all, i);

		all->facts[i].door = (uint8_t)door;
		all->facts[i].role = (uint8_t)find_role(all, i, door);
	}
	return join_pools(all);
}

static int sort_threads(struct modeller *all)
{
	struct scope_threads *threads = all->distributions->run->timeline->threads;
	struct scope_server *server = all->server;
	int err = find_roles(all);

	if (err)
		return err;
	for (uint32_t i = 0; i < server->threads; i++) {
		const long at = find_stage(all, all->groups->of_thread[i], (enum scope_server_role)all->facts[i].role,
					   (enum scope_server_door)all->facts[i].door);
		struct scope_stage *stage;

		if (at < 0)
			return (int)at;
		stage = &server->stage[at];
		server->of_thread[i] = (uint32_t)at;
		stage->threads++;
		stage->units += all->facts[i].units;
		stage->requests += all->facts[i].requests;
		stage->accepts |= all->facts[i].accepts > 0;
		stage->accepted += all->facts[i].accepts;
		stage->processes += !same_process_before(all, i, true);
		/* The process of a thread that was never named is a guess. */
		if (strcmp(scope_timeline_threads_at(threads, i)->comm, "?") != 0)
			server->processes += !same_process_before(all, i, false);
	}
	return 0;
}

static int flow_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct modeller *all = user;

	(void)call;
	if (unit->thread >= all->server->threads || unit->granularity != SCOPE_UNIT_REQUEST)
		return 0;
	if (all->kept >= UNITS_MAX) {
		all->server->sampled = true;
		return 0;
	}
	all->kept++;
	if (unit->end_ns > all->until_ns)
		all->until_ns = unit->end_ns;
	return scope_server_stretch_add(&all->flow[all->server->of_thread[unit->thread]].stretches, unit->begin_ns,
					unit->end_ns);
}

/* A sleep of a thread that has no other without work, and sleeps in the end as it does here. */
static bool is_idle_inside(const struct modeller *all, const struct scope_wait *wait)
{
	return !wait->queue && !wait->lock && wait->thread < all->server->threads && all->facts[wait->thread].inside &&
	       scope_timeline_call_role(wait->nr) == SCOPE_CALL_FUTEX;
}

static int flow_wait(void *user, const struct scope_wait *wait)
{
	struct modeller *all = user;
	struct flow *flow;

	if (!is_idle(all, wait) && !is_idle_inside(all, wait))
		return 0;
	flow = &all->flow[all->server->of_thread[wait->thread]];
	flow->idles++;
	flow->late_ns += (double)(wait->end_ns - wait->wake_ns);
	if (wait->waker >= 0 && (uint32_t)wait->waker < all->server->threads)
		flow->woken[all->server->of_thread[wait->waker]]++;
	return 0;
}

/*
 * The stage that gives it work is the one that ends its sleeps. Its own threads may wake each other without passing on
 * work: one that takes an item from a queue in which there are more wakes the next, as those of Java's pools do.
 */
static void find_from(struct modeller *all, size_t at)
{
	struct scope_stage *stage = &all->server->stage[at];
	const struct flow *flow = &all->flow[at];
	uint64_t most = 0;

	for (size_t i = 0; i < all->server->stages; i++)
		if (i != at && flow->woken[i] > most) {
			most = flow->woken[i];
			stage->from = (uint32_t)i;
		}
	if (flow->idles > flow->woken[at])
		stage->from_share = (double)most / (double)(flow->idles - flow->woken[at]);
	if (stage->from_share < FROM_SHARE || (double)most < FROM_LEAST * (double)flow->idles)
		stage->from = SCOPE_STAGE_NONE;
	stage->late_ns = flow->idles ? flow->late_ns / (double)flow->idles : 0;
}

/* Threads that ever had a unit are the pool. */
static uint32_t count_working(const struct modeller *all, size_t at)
{
	uint32_t count = 0;

	for (size_t i = 0; i < all->server->threads; i++)
		count += all->server->of_thread[i] == at && all->facts[i].units;
	return count ? count : 1;
}

static void sum_up(struct modeller *all)
{
	struct scope_server *server = all->server;
	const uint64_t begin_ns = all->distributions->run->timeline->begin_ns,
		       end_ns = all->distributions->run->timeline->end_ns;

	server->part_ns = server->sampled ? (double)(all->until_ns - begin_ns) : server->window_ns;
	for (size_t i = 0; i < server->stages; i++) {
		struct scope_stage *stage = &server->stage[i];
		const struct scope_busy busy =
			scope_server_stretch_sum(&all->flow[i].stretches, count_working(all, i), end_ns);

		if (server->part_ns > 0) {
			stage->busy = busy.mean_ns / server->part_ns;
			stage->all_busy = busy.all_ns / server->part_ns;
		}
		stage->most_busy = busy.most;
		find_from(all, i);
	}
	for (size_t i = 0; i < server->stages; i++) {
		struct scope_stage *stage = &server->stage[i];

		if (stage->from != SCOPE_STAGE_NONE)
			stage->waits_known = scope_server_stretch_between(&all->flow[stage->from].stretches,
									  &all->flow[i].stretches, &stage->wait_ns);
	}
}

static int follow(struct modeller *all)
{
	const struct scope_unit_sink sink = { .unit = flow_unit, .wait = flow_wait, .user = all };
	const size_t stages = all->server->stages;
	int err = 0;

	all->flow = calloc(stages + 1, sizeof(*all->flow));
	if (!all->flow)
		return -ENOMEM;
	for (size_t i = 0; !err && i < stages; i++) {
		all->flow[i].woken = calloc(stages, sizeof(*all->flow[i].woken));
		err = all->flow[i].woken ? 0 : -ENOMEM;
	}
	if (!err)
		err = scope_unit_distributions_replay(all->distributions, all->groups, &sink);
	if (!err)
		sum_up(all);
	for (size_t i = 0; i < stages; i++) {
		scope_server_stretch_free(&all->flow[i].stretches);
		free(all->flow[i].woken);
	}
	free(all->flow);
	return err;
}

static int create(struct modeller *all, const struct scope_trace *trace)
{
	const struct scope_timeline *timeline = all->distributions->run->timeline;
	struct scope_server *server = all->server = calloc(1, sizeof(*server));
	const struct scope_trace_fd *fd;
	size_t fds;

	if (!server)
		return -ENOMEM;
	server->threads = all->groups->threads;
	if (server->threads > scope_timeline_threads_count(timeline->threads))
		server->threads = scope_timeline_threads_count(timeline->threads);
	server->window_ns = (double)(timeline->end_ns - timeline->begin_ns);
	server->of_thread = calloc(server->threads + 1, sizeof(*server->of_thread));
	all->facts = calloc(server->threads + 1, sizeof(*all->facts));
	fd = scope_trace_fds(trace, &fds);
	for (size_t i = 0; i < fds; i++) {
		bool again = fd[i].kind != SCOPE_FD_LISTEN;

		/* Processes that were forked share them. */
		for (size_t j = 0; !again && j < i; j++)
			again = fd[j].kind == SCOPE_FD_LISTEN && fd[i].name[0] && !strcmp(fd[j].name, fd[i].name);
		server->listeners += !again;
	}
	return server->of_thread && all->facts ? 0 : -ENOMEM;
}

int scope_server_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			const struct scope_pickups *pickups, const struct scope_trace *trace,
			struct scope_server **ret_server)
{
	struct modeller all = { .distributions = distributions, .groups = groups, .pickups = pickups };
	const struct scope_unit_sink sink = { .unit = note_unit, .wait = note_wait, .user = &all };
	int err = create(&all, trace);

	if (!err)
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	if (!err)
		err = sort_threads(&all);
	if (!err)
		err = follow(&all);
	free(all.facts);
	if (err)
		scope_server_destroy(all.server);
	else
		*ret_server = all.server;
	return err;
}

void scope_server_destroy(struct scope_server *server)
{
	if (!server)
		return;
	free(server->stage);
	free(server->of_thread);
	free(server);
}

const struct scope_stage *scope_server_find(const struct scope_server *server, enum scope_server_role role)
{
	const struct scope_stage *found = NULL;

	for (size_t i = 0; i < server->stages; i++)
		if (server->stage[i].role == role &&
		    (!found || server->stage[i].requests > found->requests ||
		     (server->stage[i].requests == found->requests && server->stage[i].units > found->units)))
			found = &server->stage[i];
	return found;
}
