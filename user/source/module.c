// SPDX-License-Identifier: GPL-2.0-only
/* The source that is the kernel module: one session of it, by netlink and through its device. */
#include "source/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "control/notice.h"
#include "control/probe.h"
#include "source/rings.h"
#include "source/selection.h"

#define SLICE_ROOM 1000000u /* bytes of stacks a second: 5 MB made an emulated machine lose events */

struct feed {
	struct scope_control *control;
	struct scope_rings *rings;
	struct scope_notices *notices;		     /* NULL: not available */
	const struct scope_capture_options *options; /* belongs to the caller, lives as long as the feed */
	uint32_t session;
	uint32_t events; /* SCOPE_EVENTS_* that are asked for */
	/* Values at the last module_probe_share(): the time in probes by CPU, and the time that was traced. */
	uint64_t *probe_ns, run_ns;
	uint32_t cpus;
	uint8_t stack_mode;
};

static int module_check(struct scope_error *error)
{
	struct scope_control *control;
	int err = scope_control_open(error, &control, NULL);

	if (!err)
		scope_control_close(control);
	return err;
}

/*
 * Events that are recorded only if the module and the kernel support them, the newest first. An older module does not
 * know them, and a kernel may lack their tracepoints.
 */
static const uint32_t optional[] = {
	SCOPE_EVENTS_PEER,
	SCOPE_EVENTS_CAUSE |
		SCOPE_EVENTS_FUTEX, /* what ended a sleep; and if the thread slept for a lock, which thread had it */
	SCOPE_EVENTS_STALL,	    /* unless it is asked for by --memory */
};

static int configure(struct feed *feed, const struct scope_capture_options *options, uint32_t tgid, bool kernel_ips,
		     struct scope_error *error)
{
	const struct scope_selection *selection = options->selection;
	const struct scope_control_target target = { .kind = SCOPE_ATTR_TARGET, .id = tgid };
	const bool one = !selection || !selection->count || selection->plain;
	const struct scope_session_config config = {
		.session = feed->session,
		/* START finds descendants by itself. */
		.targets = one ? &target : selection->target,
		.target_count = one ? 1 : selection->count,
		.syscalls = selection && selection->some_calls ? selection->calls : NULL,
		.follow = options->follow,
		.subbuf_bytes = options->subbuf_bytes,
		.subbuf_count = options->subbuf_count,
		.arg_counts = options->arg_counts,
		.stack_mode = (enum scope_stack_mode)feed->stack_mode,
		.stack_bytes = options->stack_bytes,
		.stack_min_ns = options->stack_min_ns,
		.stack_syscalls = options->stack_syscalls,
		.stacks_per_second = options->stacks_per_second,
		.sample_period_ns = options->sample_period_ns,
		.kernel_ips = kernel_ips,
		.kernel_base = options->kernel_base,
		.events = feed->events,
		.overhead_max = options->overhead_max,
		.overhead_any = !options->overhead_max,
	};

	return scope_control_configure(feed->control, &config, error);
}

static int configure_what_is_served(struct feed *feed, const struct scope_capture_options *options, uint32_t tgid,
				    struct scope_error *error)
{
	int err = configure(feed, options, tgid, options->kernel_ips, error);

	for (size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++) {
		const bool asked = optional[i] == SCOPE_EVENTS_STALL && options->memory;

		if ((err != -EINVAL && err != -EOPNOTSUPP) || asked || !(feed->events & optional[i]))
			continue;
		feed->events &= ~optional[i];
		err = configure(feed, options, tgid, options->kernel_ips, error);
	}
	return err;
}

/* True if the module is to record what calls receive: kinds of requests by a protocol. */
static bool asks_received(const struct scope_capture_options *options)
{
	return options->requests && !options->kind_text;
}

static int choose_events(struct feed *feed, uint32_t protocol, struct scope_error *error)
{
	const struct scope_capture_options *options = feed->options;

	feed->events = SCOPE_EVENTS_DEFAULT | (options->block ? SCOPE_EVENTS_BLOCK : 0);
	if (protocol < 3)
		return options->memory || options->interrupts || asks_received(options)
			       ? scope_error_set(
					 error, -EPROTO,
					 "the loaded scope module is older than this program and records neither "
					 "--memory nor --interrupts nor --kind-by: `rmmod scope`, then load this "
					 "release's scope.ko")
			       : 0;
	feed->events |= SCOPE_EVENTS_STALL | SCOPE_EVENTS_PEER |
			(options->causes || options->interrupts ? SCOPE_EVENTS_CAUSE | SCOPE_EVENTS_FUTEX : 0) |
			(options->memory ? SCOPE_EVENTS_COUNTERS : 0) |
			(options->interrupts ? SCOPE_EVENTS_INTERRUPT : 0) |
			(asks_received(options) ? SCOPE_EVENTS_RECEIVED : 0);
	return 0;
}

/*
 * The module refused the configuration. Finds out if the only reason is that it lacks what --kind-by needs. Returns an
 * error in any case.
 */
static int blame_requests(struct feed *feed, const struct scope_capture_options *options, uint32_t tgid,
			  struct scope_error *error)
{
	struct scope_error unused;

	feed->events &= ~SCOPE_EVENTS_RECEIVED;
	if (configure(feed, options, tgid, false, &unused))
		return -EINVAL;
	return scope_error_set(
		error, -EPROTO,
		"the loaded scope module is older than this program and does not serve --kind-by: `rmmod "
		"scope`, then load this release's scope.ko");
}

static void module_close(void *context)
{
	struct feed *feed = context;

	scope_control_notices_close(feed->notices);
	scope_source_rings_close(feed->rings);
	scope_control_close(feed->control);
	free(feed->probe_ns);
	free(feed);
}

static int module_open(const struct scope_capture_options *options, uint32_t tgid, struct scope_error *error,
		       void **ret_feed)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	struct scope_control_info info;
	int err;

	if (!feed)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	feed->options = options;
	feed->stack_mode = (uint8_t)options->stack_mode;
	err = scope_control_open(error, &feed->control, &info);
	if (!err)
		err = choose_events(feed, info.protocol, error);
	if (!err)
		err = scope_source_rings_open(error, &feed->rings, &feed->session);
	/* An older module walks no stacks. */
	if (!err && feed->stack_mode == SCOPE_STACK_TABLES && !scope_source_rings_take_tables(feed->rings))
		feed->stack_mode = SCOPE_STACK_COPY;
	if (!err)
		err = configure_what_is_served(feed, options, tgid, error);
	/* An older module does not record kernel addresses, and without CAP_SYSLOG the module refuses to. */
	if ((err == -EINVAL || err == -EPERM) && feed->rings && options->kernel_ips)
		err = configure(feed, options, tgid, false, error);
	if (err == -EINVAL && feed->rings && asks_received(options))
		err = blame_requests(feed, options, tgid, error);
	if (!err)
		err = scope_source_rings_map(feed->rings, error);
	if (err) {
		module_close(feed);
		return err;
	}
	/* Notices report what the counts report, only earlier, so the capture works without them. */
	if (scope_control_notices_open(&feed->notices))
		feed->notices = NULL;
	*ret_feed = feed;
	return 0;
}

static int module_start(void *context, struct scope_error *error)
{
	struct feed *feed = context;
	const struct scope_capture_options *options = feed->options;
	int err = scope_control_start(feed->control, feed->session, error);

	/*
	 * START finds the descendants. A probe that is set before START has no effect in descendants that exist
	 * already.
	 */
	for (uint32_t i = 0; i < options->probe_count && !err; i++)
		err = scope_control_probe_add(feed->control, feed->session, &options->probes[i], error);
	if (!err && options->requests && options->kind_text)
		err = scope_control_probe_add(feed->control, feed->session, &options->kind_probe, error);
	return err;
}

static int module_stop(void *context, struct scope_error *error)
{
	struct feed *feed = context;

	return scope_control_stop(feed->control, feed->session, error);
}

static int module_fd(const void *context)
{
	const struct feed *feed = context;

	return scope_source_rings_fd(feed->rings);
}

static int module_flush(void *context)
{
	struct feed *feed = context;

	return scope_source_rings_flush(feed->rings);
}

static int module_drain(void *context, int (*take)(const struct scope_subbuf *subbuf, void *context), void *taker)
{
	struct feed *feed = context;

	return scope_source_rings_drain(feed->rings, take, taker);
}

static void module_progress(const void *context, uint64_t *ret_records, uint64_t *ret_lost)
{
	const struct feed *feed = context;

	scope_source_rings_count(feed->rings, ret_records, ret_lost);
}

static int module_count(void *context, struct scope_error *error, struct scope_capture_counts *ret_counts)
{
	struct scope_session_status status;
	struct feed *feed = context;
	int err = scope_control_query(feed->control, feed->session, error, &status);

	if (err)
		return err;
	*ret_counts = (struct scope_capture_counts){
		.records = status.total.records,
		.stacks = status.total.stacks,
		.stacks_skipped = status.total.stacks_skipped,
		.filter_full = status.filter_full,
		.processes = status.processes + status.threads,
		.overwritten = status.total.overwritten,
		.probe_ns = status.total.probe_ns,
		.guarded = status.stop_reason == SCOPE_STOP_GUARD,
		.guard_cpu = status.guard_cpu,
		.guard_share = status.guard_share,
		.run_ns = status.run_ns,
		.events = feed->events,
	};
	memcpy(ret_counts->lost, status.total.lost, sizeof(ret_counts->lost));
	scope_control_session_status_destroy(&status);
	return 0;
}

static int module_stacks(void *context, const struct scope_stack_change *change, struct scope_error *error)
{
	struct feed *feed = context;

	return scope_control_stacks(feed->control, feed->session, change, error);
}

static int module_probe_add(void *context, const struct scope_probe *probe, struct scope_error *error)
{
	struct feed *feed = context;

	return scope_control_probe_add(feed->control, feed->session, probe, error);
}

static int module_probe_remove(void *context, uint16_t id, struct scope_error *error)
{
	struct feed *feed = context;

	return scope_control_probe_remove(feed->control, feed->session, id, error);
}

static int module_probe_hits(void *context, uint16_t id, uint64_t *ret_hits)
{
	struct feed *feed = context;

	return scope_control_probe_hits(feed->control, feed->session, id, NULL, ret_hits);
}

/* Makes room for the counts of `cpus` CPUs; those of new CPUs begin with 0. 0 or -ENOMEM. */
static int know_cpus(struct feed *feed, uint32_t cpus)
{
	uint64_t *probe_ns;

	if (cpus <= feed->cpus)
		return 0;
	probe_ns = realloc(feed->probe_ns, cpus * sizeof(*probe_ns));
	if (!probe_ns)
		return -ENOMEM;
	memset(probe_ns + feed->cpus, 0, (cpus - feed->cpus) * sizeof(*probe_ns));
	feed->probe_ns = probe_ns;
	feed->cpus = cpus;
	return 0;
}

static int module_probe_share(void *context, uint32_t *ret_thousandths)
{
	struct scope_session_status status;
	struct feed *feed = context;
	uint64_t most = 0, elapsed_ns;
	int err = scope_control_query(feed->control, feed->session, NULL, &status);

	if (err)
		return err;
	err = know_cpus(feed, status.cpus);
	for (uint32_t i = 0; i < status.cpus && !err; i++) {
		const uint64_t ns = status.cpu[i].probe_ns;

		/* The time is estimated from a sample of the calls, so it may be a little less than before. */
		if (ns > feed->probe_ns[i] && ns - feed->probe_ns[i] > most)
			most = ns - feed->probe_ns[i];
		feed->probe_ns[i] = ns;
	}
	elapsed_ns = status.run_ns - feed->run_ns;
	feed->run_ns = status.run_ns;
	scope_control_session_status_destroy(&status);
	if (!err)
		*ret_thousandths = elapsed_ns ? (uint32_t)(1000 * most / elapsed_ns) : 0;
	return err;
}

static uint32_t module_fill(const void *context)
{
	const struct feed *feed = context;

	return scope_source_rings_fill(feed->rings);
}

static int module_table(void *context, const void *table, uint32_t bytes)
{
	struct feed *feed = context;

	return feed->stack_mode == SCOPE_STACK_TABLES ? scope_source_rings_table(feed->rings, table, bytes) : -EPROTO;
}

static int module_process(void *context, uint32_t tgid, const struct scope_table_map *map, uint32_t count)
{
	struct feed *feed = context;

	return feed->stack_mode == SCOPE_STACK_TABLES ? scope_source_rings_process(feed->rings, tgid, map, count)
						      : -EPROTO;
}

static uint64_t module_unmapped(const void *context)
{
	const struct feed *feed = context;

	return scope_source_rings_unmapped(feed->rings);
}

static const char *module_note(const void *context)
{
	const struct feed *feed = context;

	return feed->options->stack_mode == SCOPE_STACK_TABLES && feed->stack_mode != SCOPE_STACK_TABLES
		       ? "this module cannot walk stacks by unwind tables, so they are copied, which costs the "
			 "target more; load the scope.ko of this release"
		       : "";
}

static int module_notice_fd(const void *context)
{
	const struct feed *feed = context;

	return feed->notices ? scope_control_notices_fd(feed->notices) : -1;
}

static int module_read_notice(void *context, struct scope_source_notice *ret_notice)
{
	struct scope_notice_received heard;
	struct feed *feed = context;

	if (!feed->notices || !scope_control_notices_receive(feed->notices, feed->session, &heard))
		return 0;
	*ret_notice = (struct scope_source_notice){ heard.notice, heard.cpu, heard.value };
	return 1;
}

const struct scope_source scope_source_module = {
	.name = "kmod",
	.lacks = "",
	.check = module_check,
	.open = module_open,
	.start = module_start,
	.stop = module_stop,
	.close = module_close,
	.fd = module_fd,
	.flush = module_flush,
	.drain = module_drain,
	.progress = module_progress,
	.count = module_count,
	.stacks = module_stacks,
	.slice_max = SCOPE_STACK_BYTES_MAX,
	.slice_room = SLICE_ROOM,
	.probe_add = module_probe_add,
	.probe_remove = module_probe_remove,
	.probe_hits = module_probe_hits,
	.probe_share = module_probe_share,
	.fill = module_fill,
	.table = module_table,
	.process = module_process,
	.unmapped = module_unmapped,
	.note = module_note,
	.notice_fd = module_notice_fd,
	.read_notice = module_read_notice,
};
