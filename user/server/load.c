// SPDX-License-Identifier: GPL-2.0-only
/* Adds up the request units of each thread, for the comparison of threads with their groups. */
#include <errno.h>
#include <stdlib.h>

#include "server/balance.h"

#define CAP_TIMES 4 /* of the group's 99th percentile: a longer unit is cut to it */

struct loads {
	const struct scope_distributions *distributions;
	struct scope_thread_load *load; /* by thread */
	size_t threads;
	double *cap_ns;		   /* by group */
	struct scope_sketch *wall; /* by place in uneven; NULL: in the first round */
	uint32_t *place;	   /* by thread: its place in wall and 1, or 0 */
};

/* If a group takes clients' requests, only these are used to measure its threads. */
static bool is_counted(const struct loads *all, const struct scope_unit *unit)
{
	return unit->granularity == SCOPE_UNIT_REQUEST && !unit->open && unit->thread < all->threads &&
	       (unit->asked || !all->distributions->group[unit->group].asked);
}

static int add_up(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct loads *all = user;
	const double run_ns = (double)unit->run_ns, wait_ns = (double)(unit->blocked_ns + unit->queue_ns);
	struct scope_thread_load *load = &all->load[unit->thread];
	double part = 1;

	(void)call;
	if (!is_counted(all, unit))
		return 0;
	if (run_ns + wait_ns > all->cap_ns[unit->group])
		part = all->cap_ns[unit->group] / (run_ns + wait_ns);
	load->units++;
	load->run_ns += part * run_ns;
	load->run_square += part * run_ns * part * run_ns;
	load->wait_ns += part * wait_ns;
	load->wait_square += part * wait_ns * part * wait_ns;
	load->queue_ns += part * (double)unit->queue_ns;
	return 0;
}

static int add_wall(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct loads *all = user;

	(void)call;
	if (!is_counted(all, unit) || !all->place[unit->thread])
		return 0;
	return scope_sketch_count(&all->wall[all->place[unit->thread] - 1], scope_unit_wall(unit));
}

/* How long units of the threads that are out of line take, by one more look at the log. */
static int measure_walls(struct loads *all, const struct scope_groups *groups, struct scope_balance *balance)
{
	const struct scope_unit_sink sink = { .unit = add_wall, .user = all };
	int err = -ENOMEM;

	if (!balance->count)
		return 0;
	all->wall = calloc(balance->count, sizeof(*all->wall));
	all->place = calloc(all->threads + 1, sizeof(*all->place));
	if (all->wall && all->place) {
		for (size_t i = 0; i < balance->count; i++)
			all->place[balance->thread[i].thread] = (uint32_t)i + 1;
		err = scope_unit_distributions_replay(all->distributions, groups, &sink);
	}
	for (size_t i = 0; all->wall && i < balance->count; i++) {
		balance->thread[i].p50_ns = scope_sketch_quantile(&all->wall[i], 0.5);
		balance->thread[i].p99_ns = scope_sketch_quantile(&all->wall[i], 0.99);
		scope_sketch_free(&all->wall[i]);
	}
	free(all->wall);
	free(all->place);
	return err;
}

/* Computes each thread's part of the window, and the limit for units of its group. */
static void begin(struct loads *all)
{
	const struct scope_timeline *timeline = all->distributions->run->timeline;
	const double window_ns = (double)(timeline->end_ns - timeline->begin_ns);

	for (size_t i = 0; i < all->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);
		const double wall_ns = (double)scope_timeline_account_wall(&thread->account);

		all->load[i].life_ns = wall_ns < window_ns ? wall_ns : window_ns;
	}
	for (size_t g = 0; g < all->distributions->groups; g++)
		all->cap_ns[g] = CAP_TIMES * scope_sketch_quantile(&all->distributions->group[g].request_wall, 0.99);
}

int scope_server_balance_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				struct scope_balance **ret_balance)
{
	const struct scope_threads *threads = distributions->run->timeline->threads;
	struct loads all = { .distributions = distributions, .threads = groups->threads };
	const struct scope_unit_sink sink = { .unit = add_up, .user = &all };
	int err = -ENOMEM;

	if (all.threads > scope_timeline_threads_count(threads))
		all.threads = scope_timeline_threads_count(threads);
	all.load = calloc(all.threads + 1, sizeof(*all.load));
	all.cap_ns = calloc(distributions->groups + 1, sizeof(*all.cap_ns));
	if (all.load && all.cap_ns) {
		begin(&all);
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	}
	if (!err)
		err = scope_server_balance_judge(all.load, groups->of_thread, all.threads, groups->count, ret_balance);
	if (!err) {
		err = measure_walls(&all, groups, *ret_balance);
		if (err)
			scope_server_balance_destroy(*ret_balance);
	}
	free(all.load);
	free(all.cap_ns);
	return err;
}
