// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source for hosts that take no module: perf events, read and packed by this program.
 *
 * perf_events.c says which events and why. Records of all CPUs are taken in order of time, since
 * who is traced follows from forks on other CPUs, up to a moment before now: an earlier record may
 * still be on its way.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source/file.h"
#include "source/perf_events.h"
#include "source/perf_pack.h"
#include "source/perf_state.h"
#include "source/source.h"
#include "source/target.h"

#define UNDER_WAY_NS 1000000u /* a record is whole within this time */
#define RELEASE_BYTES (64u << 10)
#define THIN_NS 20000000u

enum moment {
	MOMENT_NONE,
	MOMENT_START,
	MOMENT_STOP,
};

struct feed {
	const struct scope_capture_options *options;
	uint32_t tgid;
	struct scope_perf_events events;
	struct scope_perf_cover cover;
	struct scope_perf_tasks *tasks;
	struct scope_perf_pack *pack;
	struct scope_perf_clock clock;
	struct next {
		uint64_t time_ns;
		struct scope_perf_cpu *cpu;
	} *heap; /* CPUs that have a record, the earliest first; room for all */
	size_t waiting;
	enum moment moment; /* STATE records that the next drain writes */
	bool flush, uncovered;
	uint64_t thinned_ns; /* when stacks were last thinned out */
	/* Where sub-buffers go while a drain is at work. */
	int (*take)(const struct scope_subbuf *subbuf, void *context);
	void *taker;
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static int hand_on(const struct scope_subbuf *subbuf, void *context)
{
	struct feed *feed = context;

	return feed->take(subbuf, feed->taker);
}

/* ---- in order of time ---- */

static void sift_down(struct feed *feed, struct next entry)
{
	size_t place = 0, child;

	while ((child = 2 * place + 1) < feed->waiting) {
		if (child + 1 < feed->waiting &&
		    feed->heap[child + 1].time_ns < feed->heap[child].time_ns)
			child++;
		if (entry.time_ns <= feed->heap[child].time_ns)
			break;
		feed->heap[place] = feed->heap[child];
		place = child;
	}
	feed->heap[place] = entry;
}

static void push(struct feed *feed, struct next entry)
{
	size_t place = feed->waiting++;

	while (place && entry.time_ns < feed->heap[(place - 1) / 2].time_ns) {
		feed->heap[place] = feed->heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	feed->heap[place] = entry;
}

static void drop_first(struct feed *feed)
{
	feed->waiting--;
	sift_down(feed, feed->heap[feed->waiting]);
}

/* What is lost of the ring for stacks are stacks: calls and switches are all there. */
static int tell_lost(struct feed *feed, const struct scope_perf_cpu *cpu, uint64_t time_ns,
		     uint64_t count)
{
	if (!cpu->stacks)
		return scope_perf_pack_lost(feed->pack, cpu->cpu, time_ns, count);
	scope_perf_pack_stacks_lost(feed->pack, count);
	return 0;
}

/* Time of the ring's next record: 1, 0 where there is none, -errno. One without a time comes at once. */
static int next_time(struct feed *feed, struct scope_perf_cpu *cpu, uint64_t *ret_time_ns)
{
	const uint8_t *data;
	size_t bytes;
	int code = scope_perf_ring_peek(&cpu->ring, &data, &bytes);

	if (code == -EBADMSG) {
		scope_perf_ring_skip(&cpu->ring);
		return tell_lost(feed, cpu, now_ns(), 1);
	}
	if (code != 1)
		return code;
	*ret_time_ns = scope_perf_record_time(data, bytes);
	if (*ret_time_ns == UINT64_MAX)
		*ret_time_ns = 0;
	return 1;
}

/* A child whose number the kernel's filter keeps back: numbers have started again from the lowest. */
static void watch_child(struct feed *feed, const struct scope_perf_record *record)
{
	if (record->type == SCOPE_PERF_TYPE_FORK && !scope_perf_cover_has(&feed->cover, record->tid) &&
	    scope_perf_tasks_find(feed->tasks, record->tid))
		feed->uncovered = true;
}

static int pack_next(struct feed *feed, struct scope_perf_cpu *cpu)
{
	struct scope_perf_record record;
	const uint8_t *data;
	size_t bytes;
	int code = scope_perf_ring_peek(&cpu->ring, &data, &bytes);

	if (code != 1)
		return code;
	if (scope_perf_record_parse(&feed->events.layout, cpu->id, cpu->ids, data, bytes, &record))
		code = tell_lost(feed, cpu, now_ns(), 1);
	else if (record.type == SCOPE_PERF_TYPE_LOST)
		code = tell_lost(feed, cpu, record.time_ns, record.lost);
	else
		code = scope_perf_pack_record(feed->pack, cpu->cpu, &record);
	watch_child(feed, &record);
	cpu->blocks += record.type == SCOPE_PERF_TYPE_EVENT && record.kind == SCOPE_PERF_BLOCK;
	scope_perf_ring_step(&cpu->ring, bytes);
	if (cpu->ring.tail - cpu->ring.page->data_tail >= RELEASE_BYTES)
		scope_perf_ring_release(&cpu->ring);
	return code;
}

/* The records of one CPU, as long as no other CPU has an earlier one. */
static int pack_run(struct feed *feed, uint64_t horizon_ns)
{
	struct next first = feed->heap[0];
	uint64_t limit_ns = horizon_ns;
	int code;

	drop_first(feed);
	if (feed->waiting && feed->heap[0].time_ns < limit_ns)
		limit_ns = feed->heap[0].time_ns;
	do {
		code = pack_next(feed, first.cpu);
		if (code)
			return code;
		code = next_time(feed, first.cpu, &first.time_ns);
	} while (code == 1 && first.time_ns <= limit_ns);
	if (code == 1)
		push(feed, first);
	return code < 0 ? code : 0;
}

/* All records up to the horizon. */
static int pack_until(struct feed *feed, uint64_t horizon_ns)
{
	size_t i;
	int code = 0;

	feed->waiting = 0;
	for (i = 0; i < feed->events.cpus && code >= 0; i++) {
		struct next next = { .cpu = &feed->events.cpu[i] };

		if (!next.cpu->ring.page)
			continue;
		scope_perf_ring_look(&next.cpu->ring);
		code = next_time(feed, next.cpu, &next.time_ns);
		if (code == 1)
			push(feed, next);
	}
	if (code > 0)
		code = 0;
	while (!code && feed->waiting && feed->heap[0].time_ns <= horizon_ns)
		code = pack_run(feed, horizon_ns);
	for (i = 0; i < feed->events.cpus; i++)
		if (feed->events.cpu[i].ring.page)
			scope_perf_ring_release(&feed->events.cpu[i].ring);
	return code;
}

/* ---- who is traced ---- */

/* Takes the thread in; while a drain is at work its STATE is written as well. */
static int look_at(struct feed *feed, uint32_t tgid, uint32_t tid)
{
	struct scope_perf_thread *thread;
	struct scope_record_state state;
	uint64_t reg[SCOPE_REG_MAX], now;
	int code;

	/* One that goes meanwhile has no state to tell. */
	if (scope_perf_state_read(&feed->clock, tgid, tid, &state, reg))
		return 0;
	thread = scope_perf_tasks_add(feed->tasks, tgid, tid);
	if (!thread)
		return -ENOMEM;
	memcpy(thread->comm, state.comm, sizeof(thread->comm));
	thread->abi = scope_perf_program_abi(tgid);
	if (feed->moment == MOMENT_NONE)
		return 0;
	now = now_ns();
	code = pack_until(feed, now);
	thread = scope_perf_tasks_find(feed->tasks, tid);
	if (code || !thread)
		return code;
	state.abi = thread->abi;
	state.flags = feed->moment == MOMENT_STOP ? SCOPE_STATE_AT_STOP : 0;
	/* All registers are known since it went to sleep in this call. */
	if (state.regs && thread->held && thread->held->time_ns && thread->held->regs == state.regs)
		memcpy(reg, thread->held->reg, state.regs * sizeof(*reg));
	return scope_perf_pack_state(feed->pack, now, &state, reg);
}

struct walk {
	struct feed *feed;
	uint32_t tgid;
};

static int look_at_thread(uint32_t tid, void *context)
{
	const struct walk *walk = context;

	return look_at(walk->feed, walk->tgid, tid);
}

/* The target, and its descendants where these are followed. */
static int look_at_family(struct feed *feed)
{
	struct walk walk = { .feed = feed };
	uint32_t *tgids = NULL;
	size_t count = 1, i;
	char path[64];
	int code = 0;

	if (feed->options->follow)
		code = scope_target_tree(feed->tgid, &tgids, &count);
	for (i = 0; i < count && !code; i++) {
		walk.tgid = tgids ? tgids[i] : feed->tgid;
		snprintf(path, sizeof(path), "/proc/%u/task", walk.tgid);
		code = scope_file_numbers(path, look_at_thread, &walk);
		if (code == -ENOENT)
			code = 0;
	}
	free(tgids);
	return code;
}

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static int look_at_known(struct feed *feed)
{
	struct scope_perf_thread *thread;
	uint32_t *tids;
	size_t count, i;
	int code = scope_perf_tasks_list(feed->tasks, &tids, &count);

	if (code)
		return code;
	qsort(tids, count, sizeof(*tids), by_number);
	for (i = 0; i < count && !code; i++) {
		thread = scope_perf_tasks_find(feed->tasks, tids[i]);
		if (thread && !thread->ending)
			code = look_at(feed, thread->tgid, thread->tid);
	}
	free(tids);
	return code;
}

/* "0.10 0.20 0.30 1/160 5234": the last number given to a thread. */
static uint32_t newest_thread(void)
{
	uint32_t newest = SCOPE_TID_MASK;
	const char *last;
	char *text;

	if (!scope_file_read(&text, "/proc/loadavg")) {
		last = strrchr(text, ' ');
		if (last)
			newest = (uint32_t)strtoul(last, NULL, 10);
		free(text);
	}
	return newest;
}

static int cover_known(struct feed *feed)
{
	const uint32_t newest = newest_thread();
	uint32_t *tids;
	size_t count;
	int code = scope_perf_tasks_list(feed->tasks, &tids, &count);

	if (code)
		return code;
	scope_perf_cover_make(tids, count, newest, &feed->cover);
	free(tids);
	return 0;
}

/* What the new thread did until now, and what anybody does until the new events are there, is lost. */
static int cover_again(struct feed *feed)
{
	size_t i;
	int code = cover_known(feed);

	feed->uncovered = false;
	if (!code)
		code = scope_perf_events_recover(&feed->events, feed->options, &feed->cover, NULL);
	for (i = 0; i < feed->events.cpus && !code; i++)
		if (feed->events.cpu[i].ring.page && !feed->events.cpu[i].stacks)
			code = scope_perf_pack_lost(feed->pack, feed->events.cpu[i].cpu, now_ns(), 1);
	return code;
}

/* ---- the source ---- */

static void perf_close(void *context)
{
	struct feed *feed = context;

	scope_perf_events_close(&feed->events);
	scope_perf_pack_destroy(feed->pack);
	scope_perf_tasks_destroy(feed->tasks);
	scope_perf_clock_destroy(&feed->clock);
	free(feed->heap);
	free(feed);
}

static int prepare(struct feed *feed, struct scope_error *error)
{
	int code = scope_perf_tasks_create(&feed->tasks);

	if (!code)
		code = look_at_family(feed);
	if (!code)
		code = cover_known(feed);
	if (code)
		return scope_error_set(error, code, "cannot list the threads to trace: %s",
				       strerror(-code));
	code = scope_perf_events_open(&feed->events, feed->options, &feed->cover, error);
	if (code)
		return code;
	feed->heap = calloc(feed->events.cpus + 1, sizeof(*feed->heap));
	code = feed->heap ? scope_perf_pack_create(feed->options, &feed->events.layout, feed->tasks,
						   hand_on, feed, &feed->pack)
			  : -ENOMEM;
	if (code)
		return scope_error_set(error, code, "no memory left to begin tracing");
	scope_perf_pack_sample_cost(feed->pack, feed->events.sample_cost_ns);
	return 0;
}

static int perf_open(const struct scope_capture_options *options, uint32_t tgid,
		     struct scope_error *error, void **ret_feed)
{
	struct feed *feed;
	int code;

	if (options->block || options->probe_count)
		return scope_error_set(error, -EOPNOTSUPP,
				       "perf events serve neither --block nor --probe here: load the "
				       "module (`scope doctor` tells how), or leave them out");
	feed = calloc(1, sizeof(*feed));
	if (!feed)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	feed->options = options;
	feed->tgid = tgid;
	feed->events.epoll = -1;
	code = prepare(feed, error);
	if (code) {
		perf_close(feed);
		return code;
	}
	*ret_feed = feed;
	return 0;
}

static int read_clock(struct feed *feed)
{
	uint32_t *cpus = calloc(feed->events.cpus + 1, sizeof(*cpus));
	size_t count = 0, i;
	int code;

	if (!cpus)
		return -ENOMEM;
	for (i = 0; i < feed->events.cpus; i++)
		if (!feed->events.cpu[i].stacks)
			cpus[count++] = feed->events.cpu[i].cpu;
	scope_perf_clock_destroy(&feed->clock);
	code = scope_perf_clock_read(cpus, count, &feed->clock);
	free(cpus);
	return code;
}

static int perf_start(void *context, struct scope_error *error)
{
	struct feed *feed = context;
	int code;

	scope_perf_events_enable(&feed->events, true);
	feed->thinned_ns = now_ns();
	code = read_clock(feed);
	feed->moment = MOMENT_START;
	return code ? scope_error_set(error, code, "no memory left to begin tracing") : 0;
}

static int perf_stop(void *context, struct scope_error *error)
{
	struct feed *feed = context;
	int code = read_clock(feed);

	feed->moment = MOMENT_STOP;
	feed->flush = true;
	return code ? scope_error_set(error, code, "no memory left to end tracing") : 0;
}

static int perf_fd(const void *context)
{
	const struct feed *feed = context;

	return feed->events.epoll;
}

static int perf_flush(void *context)
{
	struct feed *feed = context;

	feed->flush = true;
	return 0;
}

/* Every CPU gets the time to tell its last losses. */
static int end_tracing(struct feed *feed)
{
	const struct timespec wait = { .tv_nsec = 2 * SCOPE_PERF_LIFE_NS };
	int code = pack_until(feed, now_ns());

	if (code)
		return code;
	nanosleep(&wait, NULL);
	scope_perf_events_enable(&feed->events, false);
	return pack_until(feed, UINT64_MAX);
}

static int drain(struct feed *feed)
{
	const enum moment moment = feed->moment;
	uint64_t horizon;
	int code = 0;

	if (moment == MOMENT_START)
		code = look_at_family(feed);
	else if (moment == MOMENT_STOP)
		code = look_at_known(feed);
	feed->moment = MOMENT_NONE;
	horizon = now_ns();
	if (!code)
		code = pack_until(feed, feed->flush ? horizon : horizon - UNDER_WAY_NS);
	if (!code && moment == MOMENT_STOP)
		code = end_tracing(feed);
	else if (!code && feed->uncovered)
		code = cover_again(feed);
	if (!code && feed->flush)
		code = scope_perf_pack_flush(feed->pack, horizon);
	feed->flush = false;
	if (horizon - feed->thinned_ns >= THIN_NS) {
		scope_perf_events_thin(&feed->events, horizon - feed->thinned_ns);
		feed->thinned_ns = horizon;
	}
	return code;
}

static int perf_drain(void *context, int (*take)(const struct scope_subbuf *subbuf, void *context),
		      void *taker)
{
	struct feed *feed = context;
	int code;

	feed->take = take;
	feed->taker = taker;
	code = drain(feed);
	feed->take = NULL;
	return code;
}

static int perf_count(void *context, struct scope_error *error,
		      struct scope_capture_counts *ret_counts)
{
	const struct feed *feed = context;

	(void)error;
	scope_perf_pack_count(feed->pack, ret_counts);
	ret_counts->processes = scope_perf_tasks_processes(feed->tasks);
	return 0;
}

static void perf_progress(const void *context, uint64_t *ret_records, uint64_t *ret_lost)
{
	const struct feed *feed = context;
	struct scope_capture_counts counts;

	scope_perf_pack_count(feed->pack, &counts);
	*ret_records = counts.records;
	memcpy(ret_lost, counts.lost, sizeof(counts.lost));
}

const struct scope_source scope_source_perf = {
	.name = "perf",
	.lacks = "delays, probes, requests to block devices, a flight recorder in the kernel, waits for "
		 "I/O other than in state D, all registers of threads that slept as it began, and what "
		 "taking a single stack cost",
	.check = scope_perf_events_check,
	.open = perf_open,
	.start = perf_start,
	.stop = perf_stop,
	.close = perf_close,
	.fd = perf_fd,
	.flush = perf_flush,
	.drain = perf_drain,
	.progress = perf_progress,
	.count = perf_count,
};
