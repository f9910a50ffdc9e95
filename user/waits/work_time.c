// SPDX-License-Identifier: GPL-2.0-only
/* Splits the time that threads spent in requests, and in the slow ones alone, by group. */
#include "waits/work_time.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/grow.h"

/* Sleeps of a thread since its last unit. */
struct slept {
	double ns[SCOPE_WAIT_CLASSES];
	struct scope_fd_waits fds;
};

struct adder {
	struct scope_work_times *times;
	struct scope_threads *all_threads;
	const struct scope_detection *detection;
	struct slept *slept; /* by thread */
	size_t threads, capacity;
};

static int make_thread(struct adder *adder, uint32_t thread)
{
	if (scope_grow(&adder->slept, &adder->capacity, thread + 1ul, sizeof(*adder->slept)))
		return -ENOMEM;
	while (adder->threads <= thread)
		adder->slept[adder->threads++] = (struct slept){ 0 };
	return 0;
}

/* A sleep belongs to the unit of its thread that ends next. */
static int take_wait(void *user, const struct scope_wait *wait)
{
	struct adder *adder = user;

	if (wait->queue || wait->outside || wait->idle)
		return 0;
	if (make_thread(adder, wait->thread))
		return -ENOMEM;
	adder->slept[wait->thread].ns[wait->class] += (double)(wait->wake_ns - wait->begin_ns);
	return scope_waits_fd_times_wait(&adder->times->fds, &adder->slept[wait->thread].fds,
					 scope_timeline_threads_at(adder->all_threads, wait->thread)->tgid, wait);
}

/*
 * A unit counts the time in which a thread that it waited for had no CPU as time in the run queue, and not in its
 * sleeps. This time is taken from all classes of its sleeps in proportion.
 */
static void add(struct scope_work_time *to, const struct scope_unit *unit, const struct slept *slept)
{
	double sum_ns = 0, times;

	for (int i = 0; i < SCOPE_WAIT_CLASSES; i++)
		sum_ns += slept->ns[i];
	times = sum_ns > (double)unit->blocked_ns ? (double)unit->blocked_ns / sum_ns : 1;
	to->units++;
	to->wall_ns += (double)scope_unit_wall(unit);
	to->run_ns += (double)unit->run_ns;
	to->queue_ns += (double)unit->queue_ns;
	for (int i = 0; i < SCOPE_WAIT_CLASSES; i++)
		to->blocked_ns[i] += slept->ns[i] * times;
}

static bool is_slow(const struct scope_detection *detection, const struct scope_unit *unit,
		    const struct scope_unit_call *call)
{
	const struct scope_population *population;
	uint32_t number = SCOPE_POPULATION_NONE;

	if (unit->group < detection->groups && detection->of_vector[unit->group])
		number = detection->of_vector[unit->group][unit->vector];
	if (unit->open || number == SCOPE_POPULATION_NONE)
		return false;
	population = &detection->population[number];
	return scope_anomaly_mark_abnormal(scope_anomaly_population_judge(
		population, unit, scope_anomaly_population_frequent(population, call, unit->calls)));
}

/* A request that was held waited for a peer in no thread. */
static int add_held(struct adder *adder, const struct scope_unit *unit)
{
	const struct scope_unit_earlier *earlier = unit->earlier;
	const struct scope_wait wait = {
		.thread = unit->thread,
		.waker = SCOPE_WAIT_NO_THREAD,
		.nr = SYS_read,
		.class = SCOPE_WAIT_NETWORK,
		.object = earlier->object,
		.begin_ns = unit->begin_ns - earlier->task_ns,
		.wake_ns = unit->begin_ns,
		.end_ns = unit->begin_ns,
	};

	if (earlier->class != SCOPE_WAIT_NETWORK || !earlier->task_ns)
		return 0;
	return scope_waits_fd_times_wait(&adder->times->fds, &adder->slept[unit->thread].fds,
					 scope_timeline_threads_at(adder->all_threads, unit->thread)->tgid, &wait);
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct adder *adder = user;
	struct slept *slept;
	bool request, slow;

	if (make_thread(adder, unit->thread) || (unit->earlier && add_held(adder, unit)))
		return -ENOMEM;
	slept = &adder->slept[unit->thread];
	request = unit->granularity == SCOPE_UNIT_REQUEST && unit->group < adder->times->groups;
	slow = request && is_slow(adder->detection, unit, call);
	if (request)
		add(&adder->times->all[unit->group], unit, slept);
	if (slow) {
		/*
		 * Several requests may wait in no thread at the same time, so the sum of these waits is no part of the
		 * threads' time.
		 */
		if (unit->earlier)
			slept->ns[unit->earlier->class] += (double)unit->earlier->task_ns;
		add(&adder->times->slow[unit->group], unit, slept);
		adder->times->slow[unit->group].queue_ns += unit->earlier ? (double)unit->earlier->loop_ns : 0;
		adder->times->fds.slow_ns += (double)scope_unit_wall(unit);
	}
	scope_waits_fd_times_unit(&adder->times->fds, &slept->fds, request, slow);
	*slept = (struct slept){ 0 };
	return 0;
}

int scope_waits_work_times_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				  const struct scope_detection *detection, struct scope_work_times **ret_times)
{
	struct adder adder = { .detection = detection, .times = calloc(1, sizeof(*adder.times)) };
	const struct scope_unit_sink sink = { .unit = take_unit, .wait = take_wait, .user = &adder };
	int err = -ENOMEM;

	if (adder.times) {
		adder.all_threads = distributions->run->timeline->threads;
		adder.times->fds.pairs.most = SCOPE_FD_TIMES_MAX;
		adder.times->groups = groups->count;
		adder.times->all = calloc(groups->count + 1, sizeof(*adder.times->all));
		adder.times->slow = calloc(groups->count + 1, sizeof(*adder.times->slow));
		if (adder.times->all && adder.times->slow)
			err = scope_unit_distributions_replay(distributions, groups, &sink);
	}
	free(adder.slept);
	if (err)
		scope_waits_work_times_destroy(adder.times);
	else
		*ret_times = adder.times;
	return err;
}

void scope_waits_work_times_destroy(struct scope_work_times *times)
{
	if (!times)
		return;
	free(times->all);
	free(times->slow);
	scope_waits_fd_times_free(&times->fds);
	free(times);
}
