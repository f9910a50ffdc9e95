// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds named causes outside the program: a CPU limit, processes that took the CPU, a hypervisor, interrupts, a slow
 * block device, a lack of memory, a slow peer.
 */
#include "rank/outside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/control.h>

#include "rank/host_counts.h"

#define THROTTLED_SHARE 0.2 /* share of the time waited for a CPU, or of the window if that is less */
#define THROTTLED_PERIODS 3 /* periods in which the limit was reached */
#define TAKEN_SHARE 0.3	    /* share of the time waited for a CPU */
#define WAITED_SHARE 0.1    /* share of the time with work to do, waited for a CPU: less slows the program too little */
#define STOLEN_SHARE 0.1    /* share of the time that CPUs were wanted */
#define INTERRUPTS_SHARE 0.4 /* share of the time that CPUs were busy: servers with many small packets have a quarter */

#define DEVICE_SHARE 0.3	/* share of the time that threads had work to do, asleep for a disk */
#define DEVICE_REQUESTS 20	/* number of requests to the device */
#define DEVICE_SLOW_NS 20000000 /* time of each request: a disk that has to move its head and turn takes less */

#define MEMORY_SHARE 0.2 /* share of the time that threads had work to do, or of the window without requests */

#define PEER_SHARE 0.5 /* share of the time of slow requests */
#define PEER_UNITS 5   /* slow requests that waited for the peer, and other requests that did */
#define PEER_TIMES 2.5 /* ratio of the wait of slow requests for it to that of others */

#define FILE_SHARE 0.5 /* share of the time asleep for a disk, from which on the file is named */

#define INTERRUPTS_CPU 0.1 /* share of one CPU: on an almost idle host interrupts may be most of the busy time */

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void add(struct scope_outside *outside, const struct scope_outside_cause *cause)
{
	outside->cause[outside->count++] = *cause;
}

const struct scope_outside_cause *scope_rank_outside_of(const struct scope_outside *outside,
							enum scope_outside_kind kind)
{
	for (size_t i = 0; i < outside->count; i++)
		if (outside->cause[i].kind == kind)
			return &outside->cause[i];
	return NULL;
}

/* True if waits for a CPU slow the program. */
static bool waits_for_cpu(const struct scope_waits *waits)
{
	const double base_ns = waits->work_ns > 0 ? waits->work_ns : waits->window_ns;

	return waits->queue_ns > 0 && waits->queue_ns >= WAITED_SHARE * base_ns;
}

/* A throttled thread is in the run queue, like one that waits for a CPU. */
static void find_limit(const struct scope_host_limit *limit, const struct scope_waits *waits,
		       struct scope_outside *outside)
{
	const double waited_ns = least(waits->queue_ns - waits->queue_own_ns, waits->window_ns);
	struct scope_outside_cause cause = {
		.kind = SCOPE_OUTSIDE_THROTTLED,
		.window_ns = limit->window_ns,
		.periods = limit->periods,
		.throttled = limit->throttled,
		.quota_us = limit->quota_us,
		.period_us = limit->period_us,
		.group = limit->group,
		.ns = (double)limit->throttled_ns,
	};

	if (!limit->window_ns || waited_ns <= 0 || !waits_for_cpu(waits) || cause.throttled < THROTTLED_PERIODS)
		return;
	cause.share = least(cause.ns / waited_ns, 1);
	if (cause.share >= THROTTLED_SHARE)
		add(outside, &cause);
}

uint32_t scope_rank_outside_process(const struct scope_trace *trace, uint32_t tid, const char **ret_name)
{
	char key[32], *end;
	const char *row;
	uint32_t tgid;

	snprintf(key, sizeof(key), SCOPE_META_TASK "%" PRIu32, tid);
	row = scope_trace_meta(trace, key);
	*ret_name = NULL;
	if (!row)
		return 0;
	tgid = (uint32_t)strtoul(row, &end, 10);
	*ret_name = *end == ' ' ? end + 1 : NULL;
	return *ret_name ? tgid : 0;
}

static const char *group_of(const struct scope_trace *trace, uint32_t tid)
{
	char key[40];

	snprintf(key, sizeof(key), SCOPE_META_TASK_GROUP "%" PRIu32, tid);
	return scope_trace_meta(trace, key);
}

/*
 * The time for which threads waited for that thread. Of a wait, only the last thread on the CPU is known, and that may
 * often be a thread which runs for a moment, such as a client that has just got its answer. So waits for a thread count
 * for at most the time that it ran, once for each thread that waits.
 */
static double waited_for_ns(const struct scope_trace *trace, const struct scope_waits *waits,
			    const struct scope_taker *taker)
{
	const double waiters = waits->window_ns > 0 ? waits->queue_ns / waits->window_ns : 0;
	const char *ran;
	char key[40];

	snprintf(key, sizeof(key), SCOPE_META_TASK_RAN "%" PRIu32, taker->tid);
	ran = scope_trace_meta(trace, key);
	return ran ? least(taker->ns, (waiters > 1 ? waiters : 1) * strtod(ran, NULL)) : taker->ns;
}

/*
 * Processes of one name count as one: a pool of workers, or a build. The pid shown is that of the one that took most.
 */
static void find_takers(const struct scope_trace *trace, const struct scope_waits *waits, struct scope_outside *outside)
{
	const struct scope_takers *takers = &waits->takers;
	struct scope_outside_cause cause = { .kind = SCOPE_OUTSIDE_TAKEN, .ns = takers->sum_ns };
	const struct scope_outside_cause *limit = scope_rank_outside_of(outside, SCOPE_OUTSIDE_THROTTLED);
	double most_ns = 0, sum_ns = 0;

	if (!waits_for_cpu(waits))
		return;
	cause.share = least(takers->sum_ns / waits->queue_ns, 1);
	/* A process that runs while a limit throttles the thread takes no time from it. */
	if (limit)
		cause.share -= limit->share;
	if (cause.share < TAKEN_SHARE)
		return;
	/* Sorts by time, so that the largest one of a name comes first. */
	for (size_t i = 0; i < takers->count && i < SCOPE_OUTSIDE_TAKERS; i++) {
		const char *name, *other;
		const uint32_t tgid = scope_rank_outside_process(trace, takers->taker[i].tid, &name);
		double ns = 0;

		sum_ns += waited_for_ns(trace, waits, &takers->taker[i]);
		for (size_t j = i; name && j < takers->count && j < SCOPE_OUTSIDE_TAKERS; j++)
			if (scope_rank_outside_process(trace, takers->taker[j].tid, &other) && !strcmp(name, other))
				ns += waited_for_ns(trace, waits, &takers->taker[j]);
		if (ns <= most_ns)
			continue;
		most_ns = ns;
		cause.tgid = tgid;
		cause.name = name;
		cause.group = group_of(trace, takers->taker[i].tid);
	}
	cause.most = sum_ns > 0 ? most_ns / sum_ns : 0;
	add(outside, &cause);
}

static void find_host(const struct scope_host_times *times, struct scope_outside *outside)
{
	struct scope_outside_cause stolen = { .kind = SCOPE_OUTSIDE_STOLEN, .window_ns = times->window_ns };
	struct scope_outside_cause interrupts = { .kind = SCOPE_OUTSIDE_INTERRUPTS, .window_ns = times->window_ns };

	if (!times->window_ns || !times->busy_ns)
		return;
	stolen.ns = (double)times->steal_ns;
	stolen.share = stolen.ns / ((double)times->busy_ns + stolen.ns);
	if (stolen.share >= STOLEN_SHARE)
		add(outside, &stolen);
	interrupts.ns = (double)times->irq_ns + (double)times->softirq_ns;
	interrupts.share = least(interrupts.ns / (double)times->busy_ns, 1);
	if (interrupts.share >= INTERRUPTS_SHARE && interrupts.ns >= INTERRUPTS_CPU * (double)interrupts.window_ns)
		add(outside, &interrupts);
}

const char *scope_rank_outside_device(const struct scope_trace *trace, uint32_t dev)
{
	char key[40];

	snprintf(key, sizeof(key), SCOPE_META_DEVICE "%u:%u", dev >> SCOPE_BLOCK_MINOR_BITS,
		 dev & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1));
	return scope_trace_meta(trace, key);
}

/* Requests are recorded only if that was asked for. */
static int find_device(const struct scope_outside_source *source, struct scope_outside *outside)
{
	const struct scope_waits *waits = source->waits;
	const struct scope_device *device = &waits->device;
	struct scope_outside_cause cause = {
		.kind = SCOPE_OUTSIDE_DEVICE,
		.share = waits->work_ns > 0 ? least(waits->disk_ns / waits->work_ns, 1) : 0,
		.ns = waits->disk_ns,
		.device = *device,
		.device_name = scope_rank_outside_device(source->trace, device->dev),
	};
	int err;

	if (cause.share < DEVICE_SHARE || device->requests < DEVICE_REQUESTS ||
	    device->queue_ns + device->device_ns < DEVICE_SLOW_NS * (double)device->requests)
		return 0;
	err = scope_rank_named_wait_most(source->waits->names, source->times, SCOPE_WAIT_DISK, &cause.at);
	if (err < 0)
		return err;
	if (cause.at.time.slow_ns + cause.at.time.others_ns < FILE_SHARE * cause.ns)
		cause.at.file = NULL;
	add(outside, &cause);
	return 0;
}

/* Whether a peer is slow is known by the other requests that wait for it. */
static int find_peer(const struct scope_outside_source *source, struct scope_outside *outside)
{
	struct scope_outside_cause *cause = &outside->peer;
	struct scope_fd_time *time = &cause->at.time;
	int err = scope_rank_named_wait_most(source->waits->names, source->times, SCOPE_WAIT_NETWORK, &cause->at);

	/* A thread of the program that writes into a pair of sockets is no peer. */
	if (err <= 0 || cause->at.peer.pid == time->tgid)
		return err < 0 ? err : 0;
	cause->kind = SCOPE_OUTSIDE_PEER;
	cause->ns = time->slow_ns;
	cause->share = least(cause->ns / source->times->slow_ns, 1);
	if (cause->share >= PEER_SHARE && time->slow >= PEER_UNITS && time->others >= PEER_UNITS &&
	    scope_waits_fd_time_mean(time->slow_ns, time->slow) >=
		    PEER_TIMES * scope_waits_fd_time_mean(time->others_ns, time->others))
		add(outside, cause);
	return 0;
}

/*
 * Without records of stalls (perf events have none) the pressure of the target's control group shows them. That of the
 * whole machine does not, because it may be of other programs.
 */
static void find_pressure(const struct scope_host_counts *counts, struct scope_outside *outside)
{
	struct scope_outside_cause cause = {
		.kind = SCOPE_OUTSIDE_MEMORY,
		.stall = SCOPE_STALL_KINDS,
		.ns = (double)counts->memory_ns,
		.window_ns = counts->pressure_window_ns,
		.group = counts->pressure_group,
	};

	if (!cause.window_ns || cause.ns < MEMORY_SHARE * (double)cause.window_ns)
		return;
	cause.share = least(cause.ns / (double)cause.window_ns, 1);
	add(outside, &cause);
}

/* Page faults that need no disk and no room are the program's own work, and no stall. */
static void find_memory(const struct scope_trace *trace, const struct scope_waits *waits, struct scope_outside *outside)
{
	const double base_ns = waits->work_ns > 0 ? waits->work_ns : waits->window_ns;
	struct scope_outside_cause cause = { .kind = SCOPE_OUTSIDE_MEMORY };

	for (uint8_t i = 0; i < SCOPE_STALL_KINDS; i++) {
		cause.ns += waits->stall_ns[i];
		if (waits->stall_ns[i] > waits->stall_ns[cause.stall])
			cause.stall = i;
	}
	if (base_ns <= 0 || cause.ns < MEMORY_SHARE * base_ns)
		return;
	cause.share = least(cause.ns / base_ns, 1);
	cause.stall_most = waits->stall_ns[cause.stall] / cause.ns;
	cause.window_ns = (uint64_t)waits->window_ns;
	cause.group = scope_trace_meta(trace, SCOPE_META_GROUP);
	add(outside, &cause);
}

void scope_rank_outside_add_peer(struct scope_outside *outside)
{
	if (outside->peer.ns > 0 && !scope_rank_outside_of(outside, SCOPE_OUTSIDE_PEER))
		add(outside, &outside->peer);
}

int scope_rank_outside_find(const struct scope_outside_source *source, struct scope_outside *ret_outside)
{
	struct scope_host_counts counts;
	int err = scope_rank_host_counts(source->trace, &counts);

	if (err)
		return err;
	*ret_outside = (struct scope_outside){ .count = 0 };
	find_limit(&counts.limit, source->waits, ret_outside);
	find_takers(source->trace, source->waits, ret_outside);
	find_host(&counts.times, ret_outside);
	err = find_device(source, ret_outside);
	if (scope_trace_meta_number(source->trace, SCOPE_META_EVENTS, SCOPE_EVENTS_STALL) & SCOPE_EVENTS_STALL)
		find_memory(source->trace, source->waits, ret_outside);
	else
		find_pressure(&counts, ret_outside);
	return err ? err : find_peer(source, ret_outside);
}
