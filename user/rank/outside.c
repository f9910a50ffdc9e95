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

#define THROTTLED_SHARE 0.2  /* of the time waited for a CPU, or of the window if that is less */
#define THROTTLED_PERIODS 3  /* in which the limit was met */
#define TAKEN_SHARE 0.3	     /* of the time waited for a CPU */
#define WAITED_SHARE 0.1     /* of the time with work to do, waited for a CPU: less slows the program too little */
#define STOLEN_SHARE 0.1     /* of the time that CPUs were wanted */
#define INTERRUPTS_SHARE 0.4 /* of the time that CPUs were busy: servers with many small packets have a quarter */

#define DEVICE_SHARE 0.3	/* of the time that threads had work to do, asleep for a disk */
#define DEVICE_REQUESTS 20	/* on the device */
#define DEVICE_SLOW_NS 20000000 /* for each: a disk that has to move its head and turn takes less */

#define MEMORY_SHARE 0.2 /* of the time that threads had work to do, or of the window without requests */

#define PEER_SHARE 0.5 /* of the time of slow requests */
#define PEER_UNITS 5   /* slow ones that waited for it, and others that did */
#define PEER_TIMES 2.5 /* what slow ones waited for it, of what others did */

#define FILE_SHARE 0.5 /* of the time asleep for a disk, to be named */

#define ID_WHOLE 16 /* no rule: more hexadecimal digits in a row are an id */
#define ID_SHOWN 12 /* no rule: of an id */

#define INTERRUPTS_CPU 0.1 /* of one CPU, because on an almost idle host they may be most of the busy time */

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
 * For how long threads waited for that one. Only the last thread that had the CPU is known of a wait, and one that runs for a moment may often
 * be that, as a client that has just got its answer. So waits for it are at most the time that it ran, once for each thread that waits.
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

static double mean(double ns, uint64_t count)
{
	return count ? ns / (double)count : 0;
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
	    mean(time->slow_ns, time->slow) >= PEER_TIMES * mean(time->others_ns, time->others))
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

/* "3.2 s", "147 ms". */
struct text {
	char text[96];
};

static const char *time_of(struct text *buffer, double ns)
{
	const double value = ns >= 1e9 ? ns / 1e9 : ns >= 1e5 ? ns / 1e6 : ns / 1e3;

	snprintf(buffer->text, sizeof(buffer->text), "%.*f %s",
		 value >= 100 || value == 0 ? 0
		 : value >= 1		    ? 1
					    : 2,
		 value,
		 ns >= 1e9   ? "s"
		 : ns >= 1e5 ? "ms"
			     : "µs");
	return buffer->text;
}

/* The path of a control group, with ids in hexadecimal as short as tools for containers take them. */
static const char *short_group(struct text *buffer, const char *group)
{
	size_t used = 0;

	while (*group && used + ID_SHOWN + sizeof("…") < sizeof(buffer->text)) {
		const size_t id = strspn(group, "0123456789abcdef");
		const size_t taken = id ? id : 1;
		const bool cut = id > ID_WHOLE;

		if (!cut && used + taken >= sizeof(buffer->text))
			break;
		used += (size_t)snprintf(buffer->text + used, sizeof(buffer->text) - used, "%.*s%s",
					 (int)(cut ? ID_SHOWN : taken), group, cut ? "…" : "");
		group += taken;
	}
	buffer->text[used] = '\0';
	return buffer->text;
}

static void say_taken(const struct scope_outside_cause *cause, char *text, size_t room)
{
	struct text group;

	if (!cause->name)
		snprintf(text, room,
			 "CPU taken: processes that ended before their names could be read ran during %.0f %% of the "
			 "waits for a CPU.",
			 100 * cause->share);
	else
		snprintf(text, room,
			 "CPU taken: other processes ran during %.0f %% of the waits for a CPU, %s (pid %" PRIu32
			 "%s%s) during %.0f %% of that.",
			 100 * cause->share, cause->name, cause->tgid, cause->group ? ", control group " : "",
			 cause->group ? short_group(&group, cause->group) : "", 100 * cause->most);
}

static void say_device(const struct scope_outside_cause *cause, char *text, size_t room)
{
	const struct scope_device *device = &cause->device;
	const double requests = (double)device->requests;
	struct text queue, took;

	snprintf(text, room,
		 "Slow device: %.0f %% of the time with work to do was spent asleep for a disk. %" PRIu64
		 " requests to block device %u:%u%s%.60s%s took %s each on it, after %s in its queue%s%.60s.",
		 100 * cause->share, device->requests, device->dev >> SCOPE_BLOCK_MINOR_BITS,
		 device->dev & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1), cause->device_name ? " (" : "",
		 cause->device_name ? cause->device_name : "", cause->device_name ? ")" : "",
		 time_of(&took, device->device_ns / requests), time_of(&queue, device->queue_ns / requests),
		 cause->at.file ? ", most for " : "", cause->at.file ? cause->at.file : "");
}

/* "10.0.0.5:5432", "127.0.0.1:6379, which is redis (pid 4711)" */
static void say_peer(const struct scope_outside_cause *cause, char *text, size_t room)
{
	const struct scope_fd_time *time = &cause->at.time;
	const struct scope_trace_peer *peer = &cause->at.peer;
	const double usual_ns = mean(time->others_ns, time->others);
	struct text slow, usual;
	size_t used = (size_t)snprintf(
		text, room, "Slow peer: %.0f %% of the time of slow requests was spent waiting for %s",
		100 * cause->share, peer->address[0] ? peer->address : "a peer whose address the capture did not find");

	if (peer->pid && used < room)
		used += (size_t)snprintf(text + used, room - used, ", which is %.40s (pid %" PRIu32 ")", peer->name,
					 peer->pid);
	if (used < room)
		used += (size_t)snprintf(text + used, room - used, ": %s each",
					 time_of(&slow, mean(time->slow_ns, time->slow)));
	if (usual_ns > 0 && used < room)
		used += (size_t)snprintf(text + used, room - used, " instead of %s", time_of(&usual, usual_ns));
	if (used < room)
		snprintf(text + used, room - used, ".");
}

static void say_memory(const struct scope_outside_cause *cause, const char *time, const char *window, char *text,
		       size_t room)
{
	static const char *const what[SCOPE_STALL_KINDS] = {
		[SCOPE_STALL_RECLAIM] = "making room because this machine is short of it",
		[SCOPE_STALL_GROUP] = "making room for the limit of control group ",
		[SCOPE_STALL_COMPACT] = "moving pages together for large ones",
		[SCOPE_STALL_PAGE] = "waiting for pages that were swapped out or evicted",
	};
	const bool group = cause->stall == SCOPE_STALL_GROUP;

	if (cause->stall == SCOPE_STALL_KINDS) {
		snprintf(
			text, room,
			"Memory is short: for %.0f %% of the time, %s in %s, a thread of control group %.80s waited for it.",
			100 * cause->share, time, window, cause->group);
		return;
	}
	snprintf(
		text, room,
		"Memory is short: %.0f %% of the time with work to do, %s in %s, went into that, %.0f %% of it into %s%.80s.",
		100 * cause->share, time, window, 100 * cause->stall_most, what[cause->stall],
		group ? cause->group ? cause->group : "that it is in" : "");
}

static const char *memory_remedy(const struct scope_outside_cause *cause)
{
	static const char *const remedy[SCOPE_STALL_KINDS + 1] = {
		[SCOPE_STALL_RECLAIM] =
			"Give the machine more memory, move other programs away, or raise vm.watermark_scale_factor.",
		[SCOPE_STALL_GROUP] =
			"Raise the limit (memory.high, memory.max), or make the program's caches smaller.",
		[SCOPE_STALL_COMPACT] =
			"Set /sys/kernel/mm/transparent_hugepage/defrag to defer or madvise, or free memory.",
		[SCOPE_STALL_PAGE] = "Give it more memory, make its caches smaller, or lower vm.swappiness.",
		[SCOPE_STALL_KINDS] =
			"Give it more memory (memory.high, memory.max, or the machine), or make its caches smaller.",
	};

	return remedy[cause->stall];
}

static void peer_remedy(const struct scope_outside_cause *cause, char *text, size_t room)
{
	if (cause->at.peer.pid)
		snprintf(text, room, "Look at that process first (scope-report -p %" PRIu32 "), or ask it less often.",
			 cause->at.peer.pid);
	else
		snprintf(
			text, room,
			"Look at that machine and the way to it first (ss -ti), set a time limit, or ask it less often.");
}

void scope_rank_outside_say(const struct scope_outside_cause *cause, char *text, size_t room)
{
	struct text time, window, quota, period, group;

	time_of(&time, cause->ns);
	time_of(&window, (double)cause->window_ns);
	switch (cause->kind) {
	case SCOPE_OUTSIDE_THROTTLED:
		snprintf(text, room,
			 "Throttled: in %" PRIu64 " of %" PRIu64
			 " periods, %s in %s, by the limit of %s of CPU time per %s of control group %s.",
			 cause->throttled, cause->periods, time.text, window.text,
			 time_of(&quota, (double)cause->quota_us * 1e3),
			 time_of(&period, (double)cause->period_us * 1e3), short_group(&group, cause->group));
		return;
	case SCOPE_OUTSIDE_TAKEN:
		say_taken(cause, text, room);
		return;
	case SCOPE_OUTSIDE_STOLEN:
		snprintf(
			text, room,
			"Stolen by the hypervisor: %.0f %% of the time in which this machine wanted its CPUs, %s in %s.",
			100 * cause->share, time.text, window.text);
		return;
	case SCOPE_OUTSIDE_DEVICE:
		say_device(cause, text, room);
		return;
	case SCOPE_OUTSIDE_PEER:
		say_peer(cause, text, room);
		return;
	case SCOPE_OUTSIDE_MEMORY:
		say_memory(cause, time.text, window.text, text, room);
		return;
	default:
		snprintf(text, room, "Interrupts: %.0f %% of the time in which CPUs were busy, %s in %s.",
			 100 * cause->share, time.text, window.text);
	}
}

void scope_rank_outside_remedy(const struct scope_outside_cause *cause, char *text, size_t room)
{
	static const char *const remedy[] = {
		[SCOPE_OUTSIDE_THROTTLED] =
			"Raise the limit (cpu.max, or cpu.cfs_quota_us), or make what runs cheaper.",
		[SCOPE_OUTSIDE_TAKEN] =
			"Move them to another machine or other CPUs, or give them less weight (cpu.weight, nice).",
		[SCOPE_OUTSIDE_STOLEN] = "Ask for dedicated CPUs, or move this machine to a host with less load.",
		[SCOPE_OUTSIDE_INTERRUPTS] =
			"Look at /proc/interrupts and /proc/softirqs, and spread them over more CPUs, or coalesce them.",
		[SCOPE_OUTSIDE_DEVICE] =
			"Look at the device (lsblk, iostat -x, its health), give it fewer requests, or move its files.",
	};

	if (cause->kind == SCOPE_OUTSIDE_PEER)
		peer_remedy(cause, text, room);
	else
		snprintf(text, room, "%s",
			 cause->kind == SCOPE_OUTSIDE_MEMORY ? memory_remedy(cause) : remedy[cause->kind]);
}
