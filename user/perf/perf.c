// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source for hosts that take no module: perf events, read and packed by this program.
 *
 * events.c says which events and why. Records of all CPUs are taken in order of time, since
 * who is traced follows from forks on other CPUs, up to a moment before now: an earlier record may
 * still be on its way.
 */
#include "perf/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/probe.h"
#include "perf/check.h"
#include "perf/session.h"
#include "perf/hole.h"
#include "perf/select.h"

#define UNDER_WAY_NS 1000000u /* a record is whole within this time */
#define RELEASE_BYTES (64u << 10)
#define LOST_STACKS 64 /* more lost than these … */
#define LOST_SHARE 0.1 /* … and this share of those that came: slices are too long */
#define THIN_NS 20000000u
#define BURY_NS 2000000000u  /* from one look for threads that ended untold to the next */
#define GROUPS_NS 100000000u /* from one look for members of control groups to the next */

uint64_t scope_perf_session_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static int hand_on(const struct scope_subbuf *subbuf, void *context)
{
	struct scope_perf_session *feed = context;

	return feed->take(subbuf, feed->taker);
}

/* ---- in order of time ---- */

static void sift_down(struct scope_perf_session *feed, struct scope_perf_next entry)
{
	size_t place = 0, child;

	while ((child = 2 * place + 1) < feed->waiting) {
		if (child + 1 < feed->waiting && feed->heap[child + 1].time_ns < feed->heap[child].time_ns)
			child++;
		if (entry.time_ns <= feed->heap[child].time_ns)
			break;
		feed->heap[place] = feed->heap[child];
		place = child;
	}
	feed->heap[place] = entry;
}

static void push(struct scope_perf_session *feed, struct scope_perf_next entry)
{
	size_t place = feed->waiting++;

	while (place && entry.time_ns < feed->heap[(place - 1) / 2].time_ns) {
		feed->heap[place] = feed->heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	feed->heap[place] = entry;
}

static void drop_first(struct scope_perf_session *feed)
{
	feed->waiting--;
	sift_down(feed, feed->heap[feed->waiting]);
}

/*
 * What is lost of the ring for stacks are stacks: calls and switches are all there. What is lost of the
 * young is nothing to the target while it has none among them.
 */
static int tell_lost(struct scope_perf_session *feed, const struct scope_perf_cpu *cpu, uint64_t time_ns,
		     uint64_t count)
{
	if (cpu->age == SCOPE_PERF_YOUNG && !scope_perf_session_had_young(feed, cpu->last_ns))
		return 0;
	if (!cpu->stacks)
		return scope_perf_pack_lost(feed->pack, cpu->cpu, time_ns, count);
	scope_perf_pack_stacks_lost(feed->pack, count);
	feed->stacks_lost += count;
	return 0;
}

/* Time of the ring's next record: 1, 0 where there is none, -errno. One without a time comes at once. */
static int next_time(struct scope_perf_session *feed, struct scope_perf_cpu *cpu, uint64_t *ret_time_ns)
{
	const uint8_t *data;
	size_t bytes;
	int err = scope_perf_ring_peek(&cpu->ring, &data, &bytes);

	if (err == -EBADMSG) {
		scope_perf_ring_skip(&cpu->ring);
		return tell_lost(feed, cpu, scope_perf_session_now(), 1);
	}
	if (err != 1)
		return err;
	*ret_time_ns = scope_perf_record_time(data, bytes);
	if (*ret_time_ns == UINT64_MAX)
		*ret_time_ns = 0;
	return 1;
}

static void fill_hole(struct scope_perf_session *feed, const struct scope_perf_record *record)
{
	struct scope_perf_thread *thread = NULL;

	if (record->type == SCOPE_PERF_TYPE_EVENT && record->regs)
		thread = scope_perf_tasks_find(feed->tasks, record->tid);
	if (thread)
		scope_perf_hole_fill(feed->options.reader, thread, record);
}

static int pack_next(struct scope_perf_session *feed, struct scope_perf_cpu *cpu)
{
	struct scope_perf_record record;
	const uint8_t *data;
	size_t bytes;
	bool known;
	int err = scope_perf_ring_peek(&cpu->ring, &data, &bytes);

	if (err != 1)
		return err;
	err = 0;
	if (scope_perf_record_parse(&feed->events.layout, cpu->id, cpu->ids, data, bytes, &record)) {
		err = tell_lost(feed, cpu, scope_perf_session_now(), 1);
	} else if (record.type == SCOPE_PERF_TYPE_LOST) {
		err = tell_lost(feed, cpu, record.time_ns, record.lost);
	} else if (record.type != SCOPE_PERF_TYPE_EVENT ||
		   !scope_perf_events_is_duplicate(cpu, &feed->cover, &record)) {
		known = record.type != SCOPE_PERF_TYPE_COMM || scope_perf_tasks_find(feed->tasks, record.tid);
		err = scope_perf_pack_record(feed->pack, cpu->cpu, &record);
		scope_perf_session_watch_child(feed, &record);
		scope_perf_session_watch_young(feed, &record);
		scope_perf_session_watch_name(feed, &record, known);
		fill_hole(feed, &record);
		feed->stacks_come += cpu->stacks;
		feed->samples += record.type == SCOPE_PERF_TYPE_EVENT && record.kind == SCOPE_PERF_SAMPLE;
	}
	if (!err && record.time_ns)
		cpu->last_ns = record.time_ns;
	feed->young_records += cpu->age == SCOPE_PERF_YOUNG && record.type == SCOPE_PERF_TYPE_EVENT &&
			       record.kind != SCOPE_PERF_LIFE;
	cpu->blocks += record.type == SCOPE_PERF_TYPE_EVENT && record.kind == SCOPE_PERF_BLOCK;
	scope_perf_ring_step(&cpu->ring, bytes);
	if (cpu->ring.tail - cpu->ring.page->data_tail >= RELEASE_BYTES)
		scope_perf_ring_release(&cpu->ring);
	return err;
}

/* The records of one CPU, as long as no other CPU has an earlier one. */
static int pack_run(struct scope_perf_session *feed, uint64_t horizon_ns)
{
	struct scope_perf_next first = feed->heap[0];
	uint64_t limit_ns = horizon_ns;
	int err;

	drop_first(feed);
	if (feed->waiting && feed->heap[0].time_ns < limit_ns)
		limit_ns = feed->heap[0].time_ns;
	do {
		err = pack_next(feed, first.cpu);
		if (err)
			return err;
		err = next_time(feed, first.cpu, &first.time_ns);
	} while (err == 1 && first.time_ns <= limit_ns);
	if (err == 1)
		push(feed, first);
	return err < 0 ? err : 0;
}

/* All records up to the horizon. */
int scope_perf_session_until(struct scope_perf_session *feed, uint64_t horizon_ns)
{
	size_t i;
	int err = 0;

	feed->waiting = 0;
	for (i = 0; i < feed->events.cpus && err >= 0; i++) {
		struct scope_perf_next next = { .cpu = &feed->events.cpu[i] };

		if (!next.cpu->ring.page)
			continue;
		scope_perf_ring_look(&next.cpu->ring);
		err = next_time(feed, next.cpu, &next.time_ns);
		if (err == 1)
			push(feed, next);
	}
	if (err > 0)
		err = 0;
	while (!err && feed->waiting && feed->heap[0].time_ns <= horizon_ns)
		err = pack_run(feed, horizon_ns);
	for (i = 0; i < feed->events.cpus; i++)
		if (feed->events.cpu[i].ring.page)
			scope_perf_ring_release(&feed->events.cpu[i].ring);
	return err;
}

/* ---- the source ---- */

static void perf_close(void *context)
{
	struct scope_perf_session *feed = context;

	scope_perf_events_close(&feed->events);
	scope_perf_pack_destroy(feed->pack);
	scope_perf_tasks_destroy(feed->tasks);
	scope_perf_clock_destroy(&feed->clock);
	free(feed->heap);
	free(feed);
}

static int prepare(struct scope_perf_session *feed, struct scope_error *error)
{
	int err = scope_perf_tasks_create(&feed->tasks);

	if (!err)
		err = scope_perf_select_walk(&feed->options, feed->tgid, scope_perf_session_join, feed);
	if (!err)
		err = scope_perf_session_cover(feed);
	if (err)
		return scope_error_set(error, err, "cannot list the threads to trace: %s", strerror(-err));
	err = scope_perf_events_open(&feed->events, &feed->options, &feed->cover, error);
	if (err)
		return err;
	feed->heap = calloc(feed->events.cpus + 1, sizeof(*feed->heap));
	err = feed->heap ? scope_perf_pack_create(&feed->options, &feed->events.layout, feed->tasks, hand_on, feed,
						  &feed->pack)
			 : -ENOMEM;
	if (err)
		return scope_error_set(error, err, "no memory left to begin tracing");
	scope_perf_check_process(feed->options.reader, feed->tgid, feed->events.note, sizeof(feed->events.note));
	scope_perf_pack_sample_cost(feed->pack, feed->events.sample_cost_ns);
	return 0;
}

static int perf_open(const struct scope_capture_options *options, uint32_t tgid, struct scope_error *error,
		     void **ret_feed)
{
	struct scope_perf_session *feed;
	int err;

	if (options->block || options->probe_count)
		return scope_error_set(error, -EOPNOTSUPP,
				       "perf events serve neither --block nor --probe here: load the "
				       "module (`scope doctor` tells how), or leave them out");
	feed = calloc(1, sizeof(*feed));
	if (!feed)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	feed->options = *options;
	feed->slice_bytes = options->stack_bytes;
	feed->tgid = tgid;
	feed->events.epoll = -1;
	err = prepare(feed, error);
	if (err) {
		perf_close(feed);
		return err;
	}
	*ret_feed = feed;
	return 0;
}

static int read_clock(struct scope_perf_session *feed)
{
	uint32_t *cpus = calloc(feed->events.cpus + 1, sizeof(*cpus));
	size_t count = 0, i;
	int err;

	if (!cpus)
		return -ENOMEM;
	for (i = 0; i < feed->events.cpus; i++)
		if (!feed->events.cpu[i].stacks && feed->events.cpu[i].age == SCOPE_PERF_KNOWN)
			cpus[count++] = feed->events.cpu[i].cpu;
	scope_perf_clock_destroy(&feed->clock);
	err = scope_perf_clock_read(cpus, count, &feed->clock);
	free(cpus);
	return err;
}

static int perf_start(void *context, struct scope_error *error)
{
	struct scope_perf_session *feed = context;
	int err;

	scope_perf_events_enable(&feed->events, true);
	feed->thinned_ns = scope_perf_session_now();
	err = read_clock(feed);
	feed->moment = SCOPE_PERF_MOMENT_START;
	return err ? scope_error_set(error, err, "no memory left to begin tracing") : 0;
}

static int perf_stop(void *context, struct scope_error *error)
{
	struct scope_perf_session *feed = context;
	int err = read_clock(feed);

	feed->moment = SCOPE_PERF_MOMENT_STOP;
	feed->flush = true;
	return err ? scope_error_set(error, err, "no memory left to end tracing") : 0;
}

static int perf_fd(const void *context)
{
	const struct scope_perf_session *feed = context;

	return feed->events.epoll;
}

static int perf_flush(void *context)
{
	struct scope_perf_session *feed = context;

	feed->flush = true;
	return 0;
}

/* Every CPU gets the time to tell its last losses. */
static int end_tracing(struct scope_perf_session *feed)
{
	const struct timespec wait = { .tv_nsec = 2 * SCOPE_PERF_LIFE_NS };
	int err = scope_perf_session_until(feed, scope_perf_session_now());

	if (err)
		return err;
	nanosleep(&wait, NULL);
	scope_perf_events_enable(&feed->events, false);
	return scope_perf_session_until(feed, UINT64_MAX);
}

/*
 * Other slices from here on. Where they cannot be had those before come back, and where these cannot
 * either the next drain says so.
 */
static int set_slice(struct scope_perf_session *feed, uint32_t bytes, struct scope_error *error)
{
	const uint32_t before = feed->options.stack_bytes;
	int err;

	if (bytes == before)
		return 0;
	feed->options.stack_bytes = bytes;
	feed->stacks_come = feed->stacks_lost = 0;
	err = scope_perf_events_resize_stacks(&feed->events, &feed->options, &feed->cover, error);
	if (!err)
		return 0;
	feed->options.stack_bytes = before;
	feed->broken = scope_perf_events_resize_stacks(&feed->events, &feed->options, &feed->cover, NULL);
	return err;
}

/*
 * What the kernel takes is what it was told at first, but for the length of slices and the period of
 * samples: which of the stacks are handed on is chosen as they are packed.
 */
static int perf_stacks(void *context, const struct scope_stack_change *change, struct scope_error *error)
{
	struct scope_perf_session *feed = context;

	if (change->min_given)
		feed->options.stack_min_ns = change->min_ns;
	if (change->syscalls)
		memcpy(feed->options.stack_syscalls, change->syscalls, sizeof(feed->options.stack_syscalls));
	if (change->per_second)
		feed->options.stacks_per_second = change->per_second;
	if (change->period_given && change->sample_period_ns &&
	    change->sample_period_ns != feed->options.sample_period_ns) {
		feed->options.sample_period_ns = change->sample_period_ns;
		scope_perf_events_period(&feed->events, change->sample_period_ns);
	}
	if (!change->slice_bytes || feed->slices_stay)
		return 0;
	return set_slice(feed, change->slice_bytes, error);
}

/* Where longer slices cost too many stacks, of whomever, they are given up. */
static int look_at_slices(struct scope_perf_session *feed)
{
	int err = 0;

	if (feed->options.stack_bytes > feed->slice_bytes && feed->stacks_lost > LOST_STACKS &&
	    feed->stacks_lost > LOST_SHARE * feed->stacks_come) {
		feed->slices_stay = true;
		err = set_slice(feed, feed->slice_bytes, NULL);
	}
	return err ? err : feed->broken;
}

static int drain(struct scope_perf_session *feed)
{
	const enum scope_perf_moment moment = feed->moment;
	uint64_t horizon;
	int err = 0;

	if (moment == SCOPE_PERF_MOMENT_START)
		err = scope_perf_select_walk(&feed->options, feed->tgid, scope_perf_session_join, feed);
	if (!err && moment != SCOPE_PERF_MOMENT_NONE)
		err = scope_perf_session_put_states(feed);
	feed->moment = SCOPE_PERF_MOMENT_NONE;
	horizon = scope_perf_session_now();
	if (!err)
		err = scope_perf_session_until(feed, feed->flush ? horizon : horizon - UNDER_WAY_NS);
	if (!err && scope_perf_select_groups(&feed->options) && moment != SCOPE_PERF_MOMENT_STOP &&
	    horizon - feed->grouped_ns >= GROUPS_NS)
		err = scope_perf_session_follow_groups(feed);
	if (!err && feed->uncovered && moment != SCOPE_PERF_MOMENT_STOP)
		err = scope_perf_session_cover_again(feed);
	if (!err && moment != SCOPE_PERF_MOMENT_STOP)
		err = scope_perf_session_age(feed);
	if (!err && feed->joined)
		err = scope_perf_session_put_late_states(feed);
	if (horizon - feed->grouped_ns >= GROUPS_NS)
		feed->grouped_ns = horizon;
	if (!err && moment == SCOPE_PERF_MOMENT_NONE && horizon - feed->buried_ns >= BURY_NS) {
		err = scope_perf_session_end_gone(feed);
		feed->buried_ns = horizon;
	}
	if (!err && moment == SCOPE_PERF_MOMENT_STOP)
		err = end_tracing(feed);
	if (!err && feed->flush)
		err = scope_perf_pack_flush(feed->pack, horizon);
	feed->flush = false;
	if (!err)
		err = look_at_slices(feed);
	if (horizon - feed->thinned_ns >= THIN_NS) {
		scope_perf_events_limit_stacks(&feed->events, horizon - feed->thinned_ns);
		feed->thinned_ns = horizon;
	}
	return err;
}

static int perf_drain(void *context, int (*take)(const struct scope_subbuf *subbuf, void *context), void *taker)
{
	struct scope_perf_session *feed = context;
	int err;

	feed->take = take;
	feed->taker = taker;
	err = drain(feed);
	feed->take = NULL;
	return err;
}

static int perf_count(void *context, struct scope_error *error, struct scope_capture_counts *ret_counts)
{
	const struct scope_perf_session *feed = context;

	(void)error;
	scope_perf_pack_count(feed->pack, ret_counts);
	ret_counts->late = feed->late;
	ret_counts->processes = scope_perf_tasks_processes(feed->tasks);
	return 0;
}

static void perf_progress(const void *context, uint64_t *ret_records, uint64_t *ret_lost)
{
	const struct scope_perf_session *feed = context;
	struct scope_capture_counts counts;

	scope_perf_pack_count(feed->pack, &counts);
	*ret_records = counts.records;
	memcpy(ret_lost, counts.lost, sizeof(counts.lost));
}

static uint64_t perf_samples(const void *context)
{
	return ((const struct scope_perf_session *)context)->samples;
}

static const char *perf_note(const void *context)
{
	return ((const struct scope_perf_session *)context)->events.note;
}

const struct scope_source scope_perf_source_perf = {
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
	.states = scope_perf_session_states,
	.progress = perf_progress,
	.count = perf_count,
	.stacks = perf_stacks,
	.stacks_always = true,
	.samples = perf_samples,
	.note = perf_note,
};
