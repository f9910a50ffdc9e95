// SPDX-License-Identifier: GPL-2.0-only
/* A listener of a pass over a trace, which adds up time series of its events. */
#include "metrics/counted.h"
#include "metrics/accumulate.h"

#include <scope/control.h>

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define KIND_ROWS_MIN (4 * (SCOPE_METRICS_KINDS_MAX + 1)) /* no rule: each kind has its series */

/* The metrics to which a call adds: its time; 1 when it ends; and the amount that it returned. */
struct call_metrics {
	uint8_t time, count, amount;
};

/* Families of descriptors. */
enum io { PIPE_IO, NETWORK_IO, FILE_IO, OTHER_IO, IOS };

static const struct call_metrics read_metrics[IOS] = {
	[PIPE_IO] = { SCOPE_METRIC_PIPE_TIME, SCOPE_METRIC_PIPE_READS, SCOPE_METRIC_PIPE_READ_BYTES },
	[NETWORK_IO] = { SCOPE_METRIC_NET_TIME, SCOPE_METRIC_NET_RECEIVES, SCOPE_METRIC_NET_RECEIVED_BYTES },
	[FILE_IO] = { SCOPE_METRIC_FILE_TIME, SCOPE_METRIC_FILE_READS, SCOPE_METRIC_FILE_READ_BYTES },
	[OTHER_IO] = { SCOPE_METRIC_OTHER_TIME, SCOPE_METRIC_OTHER_READS, SCOPE_METRIC_OTHER_READ_BYTES },
};
static const struct call_metrics write_metrics[IOS] = {
	[PIPE_IO] = { SCOPE_METRIC_PIPE_TIME, SCOPE_METRIC_PIPE_WRITES, SCOPE_METRIC_PIPE_WRITTEN_BYTES },
	[NETWORK_IO] = { SCOPE_METRIC_NET_TIME, SCOPE_METRIC_NET_SENDS, SCOPE_METRIC_NET_SENT_BYTES },
	[FILE_IO] = { SCOPE_METRIC_FILE_TIME, SCOPE_METRIC_FILE_WRITES, SCOPE_METRIC_FILE_WRITTEN_BYTES },
	[OTHER_IO] = { SCOPE_METRIC_OTHER_TIME, SCOPE_METRIC_OTHER_WRITES, SCOPE_METRIC_OTHER_WRITTEN_BYTES },
};
/* No amount is ever added. */
static const struct call_metrics accept_metrics = { SCOPE_METRIC_NET_TIME, SCOPE_METRIC_NET_ACCEPTS,
						    SCOPE_METRIC_NET_ACCEPTS };
static const struct call_metrics poll_metrics = { SCOPE_METRIC_POLL_TIME, SCOPE_METRIC_POLL_CALLS,
						  SCOPE_METRIC_POLL_CALLS };
static const struct call_metrics futex_metrics = { SCOPE_METRIC_FUTEX_TIME, SCOPE_METRIC_FUTEX_WAITS,
						   SCOPE_METRIC_FUTEX_WOKEN };

/* A call that has ended, or that is open when the window or its thread ends. */
struct call {
	const struct scope_thread *thread;
	const uint64_t *arg;
	uint64_t enter_ns, until_ns;
	int64_t ret;
	uint32_t nr;
	uint8_t args;
	bool over;
};

/* The time from which on a call counts: its thread's states must be known, so that it has at most all of that time. */
static uint64_t known_from(const struct scope_thread *thread, uint64_t enter_ns)
{
	return enter_ns > thread->first_ns ? enter_ns : thread->first_ns;
}

static void add_to_cells(struct scope_metric_cells *cells, const struct call *call, const struct call_metrics *to,
			 uint64_t amount)
{
	cells->value[to->time] += call->until_ns - call->enter_ns;
	cells->value[to->count] += call->over;
	cells->value[to->amount] += call->over ? amount : 0;
}

static int add_call(struct scope_metrics *metrics, const struct scope_metrics_place *place, const struct call *call,
		    const struct call_metrics *to, uint64_t amount)
{
	int err = scope_metrics_spread(metrics, place, to->time, call->enter_ns, call->until_ns);

	if (!err && call->over)
		err = scope_metrics_add(metrics, place, to->count, call->until_ns, 1);
	return err || !call->over ? err : scope_metrics_add(metrics, place, to->amount, call->until_ns, amount);
}

static int take_futex(struct scope_metrics *metrics, const struct call *call)
{
	const struct scope_metric_object object = {
		.type = SCOPE_OBJECT_FUTEX,
		.id = call->args ? call->arg[0] / 8 : 0,
		.tgid = call->thread->tgid,
	};
	struct scope_metrics_place place;
	int err;

	if (call->args < 2) {
		metrics->blind_futexes++;
		return 0;
	}
	err = scope_metrics_place_of(metrics, call->thread->index, &object, &place);
	if (err)
		return err;
	switch ((int)call->arg[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return add_call(metrics, &place, call, &futex_metrics, 0);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
		if (!call->over)
			return 0;
		err = scope_metrics_add(metrics, &place, SCOPE_METRIC_FUTEX_WAKES, call->until_ns, 1);
		return err || call->ret <= 0 ? err
					     : scope_metrics_add(metrics, &place, SCOPE_METRIC_FUTEX_WOKEN,
								 call->until_ns, (uint64_t)call->ret);
	default:
		return 0;
	}
}

static enum io io_of(enum scope_wait_class class)
{
	return class == SCOPE_WAIT_PIPE	     ? PIPE_IO
	       : class == SCOPE_WAIT_NETWORK ? NETWORK_IO
	       : class == SCOPE_WAIT_DISK    ? FILE_IO
					     : OTHER_IO;
}

static void init_io(struct scope_metrics *metrics)
{
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
		for (unsigned kind = 0; kind < SCOPE_FD_KINDS; kind++)
			metrics->io[nr][kind] =
				(uint8_t)io_of(scope_timeline_wait_classify(nr, (enum scope_fd_kind)kind, false));
}

/* sendmmsg() and recvmmsg() return a number of messages, not of bytes. */
static bool returns_bytes(uint32_t nr)
{
	return nr != SYS_recvmmsg && nr != SYS_sendmmsg;
}

/* Adds a call that is longer than a step, or is also added to its object. */
static __attribute__((noinline)) int take_long_io(struct scope_metrics *metrics, const struct call *call,
						  enum scope_fd_kind kind, const struct call_metrics *to,
						  uint64_t amount)
{
	const struct scope_metric_object object = {
		.type = SCOPE_OBJECT_DESCRIPTOR,
		.id = call->args ? (uint32_t)call->arg[0] : UINT32_MAX,
		.tgid = call->thread->tgid,
		.kind = (uint8_t)kind,
	};
	const bool has_object = to != &poll_metrics || kind == SCOPE_FD_EPOLL;
	struct scope_metrics_place place;
	int err = scope_metrics_place_of(metrics, call->thread->index, has_object ? &object : NULL, &place);

	return err ? err : add_call(metrics, &place, call, to, amount);
}

#define FAST static inline __attribute__((always_inline))

/* Nearly all calls are short and in the same step as the one before, so these are handled inline. */
FAST int take_io(struct scope_metrics *metrics, const struct call *call, enum scope_fd_kind kind,
		 const struct call_metrics *to, uint64_t amount)
{
	const size_t series = scope_metrics_series(metrics, call->thread->index);
	struct scope_metric_cells *cells = NULL;

	if (!metrics->options.objects && series < metrics->thread.count)
		cells = scope_metrics_store_recent(&metrics->thread, series, call->enter_ns, call->until_ns);
	if (!cells)
		return take_long_io(metrics, call, kind, to, amount);
	add_to_cells(cells, call, to, amount);
	return 0;
}

FAST int take_poll(struct scope_metrics *metrics, const struct call *call)
{
	const bool epoll = scope_timeline_call_is_epoll(call->nr);

	/* Some programs sleep with such a call. */
	if (scope_timeline_call_role_of(call->nr, call->args, call->args ? call->arg[0] : 0) != SCOPE_CALL_POLL)
		return 0;
	return take_io(metrics, call, epoll && call->args ? SCOPE_FD_EPOLL : SCOPE_FD_UNKNOWN, &poll_metrics, 0);
}

FAST int take_call(struct scope_metrics *metrics, const struct call *call, enum scope_timeline_call_role role)
{
	const uint64_t amount = call->ret > 0 && returns_bytes(call->nr) ? (uint64_t)call->ret : 0;
	const struct call_metrics *metrics_of;
	enum scope_fd_kind kind;

	if (role == SCOPE_CALL_FUTEX)
		return take_futex(metrics, call);
	if (role == SCOPE_CALL_POLL)
		return take_poll(metrics, call);
	if (role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE && role != SCOPE_CALL_ACCEPT)
		return 0;
	kind = call->args ? scope_timeline_fds_kind(metrics->timeline->fds, call->thread->tgid, (int32_t)call->arg[0])
			  : SCOPE_FD_UNKNOWN;
	if (role == SCOPE_CALL_ACCEPT)
		return take_io(metrics, call, kind, &accept_metrics, 0);
	metrics_of = role == SCOPE_CALL_READ ? read_metrics : write_metrics;
	return take_io(metrics, call, kind, &metrics_of[metrics->io[call->nr][kind]], amount);
}

/* All roles are plain, because calls are only counted. */
static uint32_t on_plain_roles(void *user, uint32_t thread)
{
	(void)user, (void)thread;
	return UINT32_MAX;
}

static int on_return(void *user, const struct scope_thread *thread, const struct scope_open_call *open, int64_t ret,
		     uint64_t exit_ns)
{
	const struct call call = {
		.thread = thread,
		.arg = open->arg,
		.enter_ns = known_from(thread, open->enter_ns),
		.until_ns = exit_ns,
		.ret = ret,
		.nr = open->nr,
		.args = open->args,
		.over = true,
	};

	return take_call(user, &call, (enum scope_timeline_call_role)open->role);
}

/* A failure to allocate memory is reported at the end. */
static bool on_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
		     enum scope_timeline_call_role role)
{
	const struct call call = {
		.thread = thread,
		.arg = event->syscall.arg,
		.enter_ns = known_from(thread, event->syscall.enter_ns),
		.until_ns = event->time_ns,
		.ret = event->syscall.ret,
		.nr = event->syscall.nr,
		.args = event->syscall.args,
		.over = true,
	};
	struct scope_metrics *metrics = user;
	int err = take_call(metrics, &call, role);

	if (err)
		metrics->err = err;
	return true;
}

static enum scope_metric state_of(const struct scope_thread *thread)
{
	switch (thread->run) {
	case SCOPE_RUN_RUNNING:
		return SCOPE_METRIC_RUN;
	case SCOPE_RUN_QUEUED:
		return SCOPE_METRIC_QUEUE;
	case SCOPE_RUN_BLOCKED:
		return thread->iowait ? SCOPE_METRIC_IOWAIT : thread->disk ? SCOPE_METRIC_DISK : SCOPE_METRIC_SLEEP;
	default:
		return SCOPE_METRIC_UNKNOWN;
	}
}

/* Asleep for a device outside calls: only for a page, after a page fault. */
static bool waits_for_page(const struct scope_thread *thread)
{
	return thread->run == SCOPE_RUN_BLOCKED && thread->disk && thread->wait == SCOPE_WAIT_FAULT;
}

/* Adds a stay that is longer than a step, or in another step than the one before. */
static __attribute__((noinline)) int spread_stay(struct scope_metrics *metrics, const struct scope_thread *thread,
						 uint64_t begin_ns, uint64_t end_ns)
{
	const size_t series = scope_metrics_series(metrics, thread->index);
	int err = scope_metrics_meet(metrics, thread->index);

	if (!err)
		err = scope_metrics_store_spread(&metrics->thread, series, state_of(thread), begin_ns, end_ns);
	if (!err && waits_for_page(thread))
		err = scope_metrics_store_spread(&metrics->thread, series, SCOPE_METRIC_FAULT_WAIT, begin_ns, end_ns);
	return err;
}

static int on_stay(void *user, const struct scope_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	struct scope_metrics *metrics = user;
	const size_t series = scope_metrics_series(metrics, thread->index);
	struct scope_metric_cells *cells = NULL;

	if (series < metrics->thread.count)
		cells = scope_metrics_store_recent(&metrics->thread, series, begin_ns, end_ns);
	if (!cells)
		return spread_stay(metrics, thread, begin_ns, end_ns);
	cells->value[state_of(thread)] += end_ns - begin_ns;
	if (__builtin_expect(waits_for_page(thread), 0))
		cells->value[SCOPE_METRIC_FAULT_WAIT] += end_ns - begin_ns;
	return 0;
}

/* Up to 1 us, 10 us, and so on. */
static unsigned decade_of(uint64_t ns)
{
	unsigned decade = 0;

	for (uint64_t most_ns = 1000; ns > most_ns && decade < SCOPE_METRICS_DECADES - 1; most_ns *= 10)
		decade++;
	return decade;
}

static int on_block(void *user, uint32_t thread, const struct scope_event *event)
{
	const bool done = event->kind == SCOPE_EVENT_BLOCK_DONE;
	const struct scope_metric_object object = { .type = SCOPE_OBJECT_DEVICE, .id = event->block.dev };
	struct scope_metrics *metrics = user;
	struct scope_metrics_place place;
	int err;

	metrics->block_events++;
	if (thread == UINT32_MAX)
		return 0;
	err = scope_metrics_place_of(metrics, thread, &object, &place);
	if (!err)
		metrics->device[done][decade_of(event->block.ns)]++;
	if (!err && done && !(event->flags & SCOPE_BLOCK_PART))
		err = scope_metrics_add(metrics, &place, SCOPE_METRIC_BLOCK_REQUESTS, event->time_ns, 1);
	if (!err && done)
		err = scope_metrics_add(metrics, &place, SCOPE_METRIC_BLOCK_SECTORS, event->time_ns,
					event->block.bytes / 512);
	/* If a request is done in parts, the last part has the time of the whole request. */
	if (!err && !(done && event->flags & SCOPE_BLOCK_PART))
		err = scope_metrics_spread(metrics, &place,
					   done ? SCOPE_METRIC_BLOCK_DEVICE_TIME : SCOPE_METRIC_BLOCK_QUEUE_TIME,
					   event->time_ns > event->block.ns ? event->time_ns - event->block.ns : 0,
					   event->time_ns);
	return err;
}

/* Ends the thread's open call, also if its return is not seen. */
static int leave_call(struct scope_metrics *metrics, const struct scope_thread *thread, uint64_t now_ns)
{
	const struct scope_open_call *open = &thread->open;
	const struct call call = {
		.thread = thread,
		.arg = open->arg,
		.enter_ns = known_from(thread, open->enter_ns),
		.until_ns = now_ns,
		.nr = open->nr,
		.args = open->args,
	};

	return open->nr == SCOPE_NR_NONE ? 0 : take_call(metrics, &call, scope_timeline_call_role(open->nr));
}

static int on_end(void *user, uint32_t thread, uint64_t now_ns)
{
	struct scope_metrics *metrics = user;

	return leave_call(metrics, scope_timeline_threads_at(metrics->timeline->threads, thread), now_ns);
}

/* After a false wakeup, or a preemption, the thread is runnable. */
static int on_leave(void *user, uint32_t thread, uint64_t now_ns)
{
	struct scope_metrics *metrics = user;
	const bool asleep = scope_timeline_threads_at(metrics->timeline->threads, thread)->run == SCOPE_RUN_BLOCKED;

	return scope_metrics_add_counted(metrics, thread, asleep ? SCOPE_METRIC_SLEEPS : SCOPE_METRIC_PREEMPTIONS,
					 now_ns, 1);
}

static const struct scope_timeline_ops ops = {
	.plain_roles = on_plain_roles,
	.plain = on_plain,
	.exit = on_return,
	.stay = on_stay,
	.block = on_block,
	.leave = on_leave,
	.stall = scope_metrics_take_stall,
	.counted = scope_metrics_take_counted,
	.end = on_end,
};

static void init_store(struct scope_metric_store *store, const struct scope_metrics_options *options)
{
	store->step_ns = options->step_ns;
	store->rows_max = options->rows_max;
}

static void init_stores(struct scope_metrics *metrics)
{
	init_store(&metrics->thread, &metrics->options);
	init_store(&metrics->object, &metrics->options);
	init_store(&metrics->kind, &metrics->options);
	if (metrics->kind.rows_max < KIND_ROWS_MIN)
		metrics->kind.rows_max = KIND_ROWS_MIN;
}

static void forget(struct scope_metrics *metrics)
{
	scope_metrics_store_free(&metrics->thread);
	scope_metrics_store_free(&metrics->object);
	memset(&metrics->objects, 0, sizeof(metrics->objects));
	memset(metrics->device, 0, sizeof(metrics->device));
	free(metrics->host);
	metrics->host = NULL;
	metrics->host_rows = 0;
	metrics->block_events = metrics->blind_futexes = 0;
	metrics->err = 0;
	scope_metrics_forget_units(metrics);
}

static int begin(void *user, const struct scope_timeline *timeline)
{
	struct scope_metrics *metrics = user;

	forget(metrics);
	init_stores(metrics);
	metrics->timeline = timeline;
	return 0;
}

/* A growing trace has more rows at each call. */
static int take_host(struct scope_metrics *metrics)
{
	const char *group = scope_trace_meta(metrics->timeline->trace, SCOPE_META_PRESSURE_OF);

	free(metrics->host);
	metrics->host = NULL;
	metrics->host_rows = 0;
	snprintf(metrics->pressure_of, sizeof(metrics->pressure_of), "%s", group ? group : "");
	return scope_trace_host_rows(metrics->timeline->trace, &metrics->host, &metrics->host_rows);
}

static int finish(void *user)
{
	struct scope_metrics *metrics = user;
	struct scope_threads *threads = metrics->timeline->threads;
	const size_t count = scope_timeline_threads_count(threads);
	int err = metrics->err;

	metrics->end_ns = metrics->timeline->end_ns;
	metrics->counters = scope_timeline_records(metrics->timeline, SCOPE_EVENTS_COUNTERS);
	metrics->stalls = scope_timeline_records(metrics->timeline, SCOPE_EVENTS_STALL);
	metrics->interrupts = scope_timeline_records(metrics->timeline, SCOPE_EVENTS_INTERRUPT);
	if (!err)
		err = take_host(metrics);
	if (!err && count)
		err = scope_metrics_meet(metrics, (uint32_t)count - 1);
	for (size_t i = 0; !err && i < count; i++)
		err = leave_call(metrics, scope_timeline_threads_at(threads, i), metrics->end_ns);
	return err;
}

int scope_metrics_create(const struct scope_metrics_options *options, struct scope_metrics **ret_metrics)
{
	struct scope_metrics *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return -ENOMEM;
	metrics->options = *options;
	if (!metrics->options.step_ns)
		metrics->options.step_ns = SCOPE_METRICS_STEP_NS;
	if (!metrics->options.rows_max)
		metrics->options.rows_max = SCOPE_METRICS_ROWS;
	init_stores(metrics);
	init_io(metrics);
	*ret_metrics = metrics;
	return 0;
}

void scope_metrics_destroy(struct scope_metrics *metrics)
{
	if (!metrics)
		return;
	forget(metrics);
	free(metrics);
}

struct scope_pass_listener scope_metrics_listener(struct scope_metrics *metrics)
{
	return (struct scope_pass_listener){ .ops = &ops, .begin = begin, .finish = finish, .user = metrics };
}

size_t scope_metrics_steps(const struct scope_metrics *metrics, const struct scope_metric_store *store)
{
	const uint64_t window_ns = metrics->end_ns > store->begin_ns ? metrics->end_ns - store->begin_ns : 0;

	return window_ns ? (size_t)((window_ns - 1) / store->step_ns + 1) : 1;
}
