// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source for hosts that cannot load the module: perf events, read and packed by this program.
 *
 * events.c opens the events. Records are packed up to a moment before now (in_order.c), because records of the last
 * moment may not be complete.
 */
#include "perf/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/now.h"
#include "control/probe.h"
#include "perf/check.h"
#include "perf/session.h"
#include "perf/select.h"
#include "perf/uprobe.h"
#include "trace/event.h"

#define UNDER_WAY_NS 1000000u /* a record is complete within this time */
#define SLICE_ROOM 4000000u   /* bytes of stacks a second: 83 slices of the longest size */
#define LOST_STACKS 64	      /* more lost than these … */
#define LOST_SHARE 0.1	      /* … and this share of the stacks that came: then slices are too long */
#define COUNTS_NS 1000000000u /* time from one reading of the threads' counts to the next */
#define THIN_NS 20000000u
#define BURY_NS 2000000000u  /* time from one search for threads that ended without a record to the next */
#define GROUPS_NS 100000000u /* time from one search for members of control groups to the next */

static int hand_on(const struct scope_subbuf *subbuf, void *context)
{
	struct scope_perf_session *session = context;

	return session->take(subbuf, session->taker);
}

/* ---- the source ---- */

static void perf_close(void *context)
{
	struct scope_perf_session *session = context;

	scope_perf_events_close(&session->events);
	scope_perf_pack_destroy(session->pack);
	scope_perf_tasks_destroy(session->tasks);
	scope_perf_clock_destroy(&session->clock);
	free(session->heap);
	free(session);
}

static int prepare(struct scope_perf_session *session, struct scope_error *error)
{
	int err = scope_perf_tasks_create(&session->tasks);

	if (!err)
		err = scope_perf_select_walk(&session->options, session->tgid, scope_perf_session_join, session);
	if (!err)
		err = scope_perf_session_cover(session);
	if (err)
		return scope_error_set(error, err, "cannot list the threads to trace: %s", strerror(-err));
	err = scope_perf_events_open(&session->events, &session->options, &session->cover, error);
	if (err)
		return err;
	session->heap = calloc(session->events.cpus + 1, sizeof(*session->heap));
	err = session->heap ? scope_perf_pack_create(&session->options, &session->events.layout, session->tasks,
						     hand_on, session, &session->pack)
			    : -ENOMEM;
	if (err)
		return scope_error_set(error, err, "no memory left to begin tracing");
	scope_perf_check_process(session->options.reader, session->tgid, session->events.note,
				 sizeof(session->events.note));
	scope_perf_pack_sample_cost(session->pack, session->events.sample_cost_ns);
	return 0;
}

static int perf_open(const struct scope_capture_options *options, uint32_t tgid, struct scope_error *error,
		     void **ret_feed)
{
	struct scope_perf_session *session;
	int err;

	if (options->interrupts)
		return scope_error_set(
			error, -EOPNOTSUPP,
			"perf events do not serve --interrupts here: load the kernel module, or leave it out");
	if (options->block)
		return scope_error_set(error, -EOPNOTSUPP,
				       "perf events do not serve --block here: load the "
				       "module (`scope doctor` says how), or leave it out");
	if (options->requests && !options->kind_text)
		return scope_error_set(
			error, -EOPNOTSUPP,
			"perf events do not serve --kind-by with a protocol, because none has what a call received: load "
			"the module (`scope doctor` says how), or name a function of the program that each request comes "
			"to, --kind-by u:PATH:FUNCTION:argN");
	session = calloc(1, sizeof(*session));
	if (!session)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	session->options = *options;
	session->slice_bytes = options->stack_bytes;
	session->tgid = tgid;
	session->events.epoll = -1;
	err = prepare(session, error);
	if (err) {
		perf_close(session);
		return err;
	}
	*ret_feed = session;
	return 0;
}

static int read_clock(struct scope_perf_session *session)
{
	uint32_t *cpus = calloc(session->events.cpus + 1, sizeof(*cpus));
	size_t count = 0, i;
	int err;

	if (!cpus)
		return -ENOMEM;
	for (i = 0; i < session->events.cpus; i++)
		if (!session->events.cpu[i].stacks && session->events.cpu[i].age == SCOPE_PERF_KNOWN)
			cpus[count++] = session->events.cpu[i].cpu;
	scope_perf_clock_destroy(&session->clock);
	err = scope_perf_clock_read(cpus, count, &session->clock);
	free(cpus);
	return err;
}

static int set_probe(struct scope_perf_session *session, const struct scope_probe *probe, struct scope_error *error)
{
	int err = scope_perf_uprobes_add(&session->events, probe, error);

	if (err != -EAGAIN)
		return err;
	/* Waits for the probe with which the cost of probes was measured. */
	scope_perf_uprobes_settle(&session->events);
	return scope_perf_uprobes_add(&session->events, probe, error);
}

static int perf_start(void *context, struct scope_error *error)
{
	struct scope_perf_session *session = context;
	int err;

	scope_perf_events_enable(&session->events, true);
	session->thinned_ns = scope_now_ns();
	err = read_clock(session);
	session->moment = SCOPE_PERF_MOMENT_START;
	if (err)
		return scope_error_set(error, err, "no memory left to begin tracing");
	for (uint32_t i = 0; i < session->options.probe_count && !err; i++)
		err = set_probe(session, &session->options.probes[i], error);
	if (!err && session->options.kind_text)
		err = set_probe(session, &session->options.kind_probe, error);
	return err;
}

static int perf_stop(void *context, struct scope_error *error)
{
	struct scope_perf_session *session = context;
	int err = read_clock(session);

	session->moment = SCOPE_PERF_MOMENT_STOP;
	session->flush = true;
	return err ? scope_error_set(error, err, "no memory left to end tracing") : 0;
}

static int perf_fd(const void *context)
{
	const struct scope_perf_session *session = context;

	return session->events.epoll;
}

static int perf_flush(void *context)
{
	struct scope_perf_session *session = context;

	session->flush = true;
	return 0;
}

/* Gives every CPU time to report its last losses. */
static int end_tracing(struct scope_perf_session *session)
{
	const struct timespec wait = { .tv_nsec = 2 * SCOPE_PERF_LIFE_NS };
	int err = scope_perf_session_until(session, scope_now_ns());

	if (err)
		return err;
	nanosleep(&wait, NULL);
	scope_perf_events_enable(&session->events, false);
	return scope_perf_session_until(session, UINT64_MAX);
}

/*
 * Sets another size of slices. If this fails the previous size is restored; if that fails, too, the next drain reports
 * it.
 */
static int set_slice(struct scope_perf_session *session, uint32_t bytes, struct scope_error *error)
{
	const uint32_t before = session->options.stack_bytes;
	int err;

	if (bytes == before)
		return 0;
	session->options.stack_bytes = bytes;
	session->stacks_come = session->stacks_lost = 0;
	err = scope_perf_events_resize_stacks(&session->events, &session->options, &session->cover, error);
	if (!err)
		return 0;
	session->options.stack_bytes = before;
	session->broken = scope_perf_events_resize_stacks(&session->events, &session->options, &session->cover, NULL);
	return err;
}

/*
 * Only the size of slices and the period of samples are changed in the kernel. Which stacks are kept is decided when
 * they are packed.
 */
static int perf_stacks(void *context, const struct scope_stack_change *change, struct scope_error *error)
{
	struct scope_perf_session *session = context;

	if (change->min_given)
		session->options.stack_min_ns = change->min_ns;
	if (change->syscalls)
		memcpy(session->options.stack_syscalls, change->syscalls, sizeof(session->options.stack_syscalls));
	if (change->per_second)
		session->options.stacks_per_second = change->per_second;
	if (change->period_given && change->sample_period_ns &&
	    change->sample_period_ns != session->options.sample_period_ns) {
		session->options.sample_period_ns = change->sample_period_ns;
		scope_perf_events_period(&session->events, change->sample_period_ns);
	}
	if (!change->slice_bytes || session->slices_stay)
		return 0;
	return set_slice(session, change->slice_bytes, error);
}

/* If longer slices lose too many stacks, of any thread, the size at the start is set again. */
static int look_at_slices(struct scope_perf_session *session)
{
	int err = 0;

	if (session->options.stack_bytes > session->slice_bytes && session->stacks_lost > LOST_STACKS &&
	    session->stacks_lost > LOST_SHARE * session->stacks_come) {
		session->slices_stay = true;
		err = set_slice(session, session->slice_bytes, NULL);
	}
	return err ? err : session->broken;
}

static int drain(struct scope_perf_session *session)
{
	const enum scope_perf_moment moment = session->moment;
	uint64_t horizon;
	int err = 0;

	if (moment == SCOPE_PERF_MOMENT_START)
		err = scope_perf_select_walk(&session->options, session->tgid, scope_perf_session_join, session);
	if (!err && moment != SCOPE_PERF_MOMENT_NONE)
		err = scope_perf_session_put_states(session);
	session->moment = SCOPE_PERF_MOMENT_NONE;
	horizon = scope_now_ns();
	if (!err)
		err = scope_perf_session_until(session, session->flush ? horizon : horizon - UNDER_WAY_NS);
	if (!err && session->options.memory && moment != SCOPE_PERF_MOMENT_STOP &&
	    (!session->counting_ns || horizon - session->counted_ns >= COUNTS_NS)) {
		err = scope_perf_session_count(session, session->flush ? horizon : horizon - UNDER_WAY_NS);
		session->counted_ns = horizon;
	}
	if (!err && scope_perf_select_groups(&session->options) && moment != SCOPE_PERF_MOMENT_STOP &&
	    horizon - session->grouped_ns >= GROUPS_NS)
		err = scope_perf_session_follow_groups(session);
	if (!err && session->uncovered && moment != SCOPE_PERF_MOMENT_STOP)
		err = scope_perf_session_cover_again(session);
	if (!err && moment != SCOPE_PERF_MOMENT_STOP)
		err = scope_perf_session_age(session);
	if (!err && session->joined)
		err = scope_perf_session_put_late_states(session);
	if (horizon - session->grouped_ns >= GROUPS_NS)
		session->grouped_ns = horizon;
	if (!err && moment == SCOPE_PERF_MOMENT_NONE && horizon - session->buried_ns >= BURY_NS) {
		err = scope_perf_session_end_gone(session);
		session->buried_ns = horizon;
	}
	if (!err && moment == SCOPE_PERF_MOMENT_STOP)
		err = end_tracing(session);
	if (!err && moment == SCOPE_PERF_MOMENT_STOP && session->options.memory)
		err = scope_perf_session_count(session, scope_now_ns());
	if (!err && session->flush)
		err = scope_perf_pack_flush(session->pack, horizon);
	session->flush = false;
	if (!err)
		err = look_at_slices(session);
	if (horizon - session->thinned_ns >= THIN_NS) {
		scope_perf_events_limit_stacks(&session->events, &session->options, horizon - session->thinned_ns);
		session->thinned_ns = horizon;
	}
	return err;
}

static int perf_drain(void *context, int (*take)(const struct scope_subbuf *subbuf, void *context), void *taker)
{
	struct scope_perf_session *session = context;
	int err;

	session->take = take;
	session->taker = taker;
	err = drain(session);
	session->take = NULL;
	return err;
}

static int perf_count(void *context, struct scope_error *error, struct scope_capture_counts *ret_counts)
{
	const struct scope_perf_session *session = context;

	(void)error;
	scope_perf_pack_count(session->pack, ret_counts);
	ret_counts->late = session->late;
	ret_counts->events = SCOPE_EVENTS_DEFAULT | (session->options.memory ? SCOPE_EVENTS_COUNTERS : 0);
	ret_counts->processes = scope_perf_tasks_processes(session->tasks);
	return 0;
}

static void perf_progress(const void *context, uint64_t *ret_records, uint64_t *ret_lost)
{
	const struct scope_perf_session *session = context;
	struct scope_capture_counts counts;

	scope_perf_pack_count(session->pack, &counts);
	*ret_records = counts.records;
	memcpy(ret_lost, counts.lost, sizeof(counts.lost));
}

static int perf_probe_add(void *context, const struct scope_probe *probe, struct scope_error *error)
{
	struct scope_perf_session *session = context;

	return scope_perf_uprobes_add(&session->events, probe, error);
}

static int perf_probe_remove(void *context, uint16_t id, struct scope_error *error)
{
	struct scope_perf_session *session = context;

	(void)error;
	return scope_perf_uprobes_remove(&session->events, id);
}

static int perf_probe_hits(void *context, uint16_t id, uint64_t *ret_hits)
{
	struct scope_perf_session *session = context;

	return scope_perf_uprobes_hits(&session->events, id, ret_hits);
}

static int perf_probe_share(void *context, uint32_t *ret_thousandths)
{
	struct scope_perf_session *session = context;

	*ret_thousandths = scope_perf_uprobes_share(&session->events, scope_now_ns());
	return 0;
}

/* Rings for stacks do not count: if they overflow, only stacks are lost. */
static uint32_t perf_fill(const void *context)
{
	const struct scope_perf_session *session = context;
	uint64_t most = 0;

	for (size_t i = 0; i < session->events.cpus; i++) {
		const struct scope_perf_ring *ring = &session->events.cpu[i].ring;

		if (!ring->page || session->events.cpu[i].stacks)
			continue;
		/* Pairs with the kernel's store of the head, after the records. */
		const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		const uint64_t fill = 1000 * (head - ring->page->data_tail) / ring->bytes;

		if (fill > most)
			most = fill;
	}
	return (uint32_t)most;
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
	.lacks =
		"delays (`scope delay`), stacks at probes, arguments of the kernel's functions, kinds of requests by protocol, requests to block devices, which interrupt ended a sleep, the "
		"value of a futex when a thread goes to sleep on it, a flight recorder in the kernel, waits for "
		"I/O other than in state D, all registers of threads that were asleep at the start, and the cost of each stack",
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
	.probe_add = perf_probe_add,
	.probe_remove = perf_probe_remove,
	.probe_hits = perf_probe_hits,
	.probe_share = perf_probe_share,
	.fill = perf_fill,
	.stacks_always = true,
	.slice_max = SCOPE_EVENT_STACK_BYTES_MAX,
	.slice_room = SLICE_ROOM,
	.samples = perf_samples,
	.note = perf_note,
};
