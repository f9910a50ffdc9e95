// SPDX-License-Identifier: GPL-2.0-only
/* Finds what kind of server a traced program is: its stages of threads, their purpose, and how busy they are. */
#include "server/stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "server/roles.h"
#include "server/stretch.h"

#define UNITS_MAX 2000000 /* no rule: units whose begins and ends are kept */
#define FROM_SHARE 0.1	  /* of a stage's sleeps without work that others end: less is no way for work to come */
#define FROM_LEAST 0.01	  /* of all its sleeps without work */

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
	struct scope_server *server;
	size_t stage_capacity;
	struct scope_server_roles roles;
	struct flow *flow; /* by stage */
	uint64_t kept;	   /* units with begin and end */
	uint64_t until_ns; /* the last of these ended */
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

const char *scope_server_idle_name(enum scope_server_idle idle_in)
{
	static const char *const name[SCOPE_IDLES] = {
		[SCOPE_IDLE_NONE] = "none",	[SCOPE_IDLE_EPOLL] = "epoll", [SCOPE_IDLE_POLL] = "poll",
		[SCOPE_IDLE_SELECT] = "select", [SCOPE_IDLE_READ] = "read",   [SCOPE_IDLE_ACCEPT] = "accept",
		[SCOPE_IDLE_FUTEX] = "futex",	[SCOPE_IDLE_QUEUE] = "queue", [SCOPE_IDLE_URING] = "io_uring",
		[SCOPE_IDLE_TIMER] = "timer",	[SCOPE_IDLE_CHILD] = "child", [SCOPE_IDLE_SIGNAL] = "signal",
	};

	return name[idle_in];
}

/* The stage of a name, a role and a way to wait for work. Its number, or -ENOMEM. */
static long find_stage(struct modeller *all, uint32_t group, enum scope_server_role role,
		       enum scope_server_idle idle_in)
{
	struct scope_server *server = all->server;
	const char *name = all->groups->group[group].name;

	for (size_t i = 0; i < server->stages; i++)
		if (server->stage[i].role == role && server->stage[i].idle_in == idle_in &&
		    !strcmp(all->groups->group[server->stage[i].group].name, name))
			return (long)i;
	if (scope_grow(&server->stage, &all->stage_capacity, server->stages + 1, sizeof(*server->stage)))
		return -ENOMEM;
	server->stage[server->stages] = (struct scope_stage){
		.group = group, .role = (uint8_t)role, .idle_in = (uint8_t)idle_in, .from = SCOPE_STAGE_NONE
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

static bool gets_jobs(const struct modeller *all, uint32_t thread)
{
	const struct scope_pickup *pickup = scope_unit_pickups_of(all->roles.pickups, thread);

	return pickup && pickup->jobs;
}

static int sort_threads(struct modeller *all)
{
	struct scope_threads *threads = all->distributions->run->timeline->threads;
	struct scope_server *server = all->server;
	for (uint32_t i = 0; i < server->threads; i++) {
		const long at = find_stage(all, all->groups->of_thread[i],
					   (enum scope_server_role)all->roles.facts[i].role,
					   (enum scope_server_idle)all->roles.facts[i].idle_in);
		struct scope_stage *stage;

		if (at < 0)
			return (int)at;
		stage = &server->stage[at];
		server->of_thread[i] = (uint32_t)at;
		stage->threads++;
		stage->units += all->roles.facts[i].units;
		stage->requests += all->roles.facts[i].requests;
		stage->accepts |= all->roles.facts[i].accepts > 0;
		stage->jobs |= gets_jobs(all, i);
		stage->accepted += all->roles.facts[i].accepts;
		stage->processes += !same_process_before(all, i, true);
		/* If a thread has no name, its process is a guess. */
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

static int flow_wait(void *user, const struct scope_wait *wait)
{
	struct modeller *all = user;
	struct flow *flow;

	if (!scope_server_roles_idle(&all->roles, wait))
		return 0;
	flow = &all->flow[all->server->of_thread[wait->thread]];
	flow->idles++;
	flow->late_ns += (double)(wait->end_ns - wait->wake_ns);
	if (wait->waker >= 0 && (uint32_t)wait->waker < all->server->threads)
		flow->woken[all->server->of_thread[wait->waker]]++;
	return 0;
}

/*
 * The stage that gives work to a stage is the one that ends its sleeps. Its own threads may wake each other without
 * giving work: a thread that takes an item from a queue with more items wakes the next thread, like those of Java's
 * pools.
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
		count += all->server->of_thread[i] == at && all->roles.facts[i].units;
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
	fd = scope_trace_fds(trace, &fds);
	for (size_t i = 0; i < fds; i++) {
		bool again = fd[i].kind != SCOPE_FD_LISTEN;

		/* Forked processes share listening sockets. */
		for (size_t j = 0; !again && j < i; j++)
			again = fd[j].kind == SCOPE_FD_LISTEN && fd[i].name[0] && !strcmp(fd[j].name, fd[i].name);
		server->listeners += !again;
	}
	return server->of_thread ? 0 : -ENOMEM;
}

int scope_server_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			const struct scope_pickups *pickups, const struct scope_trace *trace,
			struct scope_server **ret_server)
{
	struct modeller all = { .distributions = distributions, .groups = groups };
	int err = create(&all, trace);

	if (!err)
		err = scope_server_roles_find(distributions, groups, pickups, all.server->threads,
					      all.server->listeners, &all.roles);
	if (!err)
		err = sort_threads(&all);
	if (!err)
		err = follow(&all);
	scope_server_roles_free(&all.roles);
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
