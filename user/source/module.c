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

struct feed {
	struct scope_control *control;
	struct scope_rings *rings;
	struct scope_notices *notices;		     /* NULL: not available */
	const struct scope_capture_options *options; /* belongs to the caller, lives as long as the feed */
	uint32_t session;
};

static int module_check(struct scope_error *error)
{
	struct scope_control *control;
	int err = scope_control_open(error, &control, NULL);

	if (!err)
		scope_control_close(control);
	return err;
}

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
		.stack_mode = options->stack_mode,
		.stack_bytes = options->stack_bytes,
		.stack_min_ns = options->stack_min_ns,
		.stack_syscalls = options->stack_syscalls,
		.stacks_per_second = options->stacks_per_second,
		.sample_period_ns = options->sample_period_ns,
		.kernel_ips = kernel_ips,
		.kernel_base = options->kernel_base,
		.events = SCOPE_EVENTS_DEFAULT | (options->block ? SCOPE_EVENTS_BLOCK : 0),
		.overhead_max = options->overhead_max,
		.overhead_any = !options->overhead_max,
	};

	return scope_control_configure(feed->control, &config, error);
}

static void module_close(void *context)
{
	struct feed *feed = context;

	scope_control_notices_close(feed->notices);
	scope_source_rings_close(feed->rings);
	scope_control_close(feed->control);
	free(feed);
}

static int module_open(const struct scope_capture_options *options, uint32_t tgid, struct scope_error *error,
		       void **ret_feed)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	int err;

	if (!feed)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	feed->options = options;
	err = scope_control_open(error, &feed->control, NULL);
	if (!err)
		err = scope_source_rings_open(error, &feed->rings, &feed->session);
	if (!err)
		err = configure(feed, options, tgid, options->kernel_ips, error);
	/* An older module does not have them, and without CAP_SYSLOG the module gives none. */
	if ((err == -EINVAL || err == -EPERM) && feed->rings && options->kernel_ips)
		err = configure(feed, options, tgid, false, error);
	if (!err)
		err = scope_source_rings_map(feed->rings, error);
	if (err) {
		module_close(feed);
		return err;
	}
	/* Notices only report earlier what the counts report, so the capture works without them. */
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

	/* START finds the descendants. A probe set before START has no effect in descendants that live already. */
	for (uint32_t i = 0; i < options->probe_count && !err; i++)
		err = scope_control_probe_add(feed->control, feed->session, &options->probes[i], error);
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
	.notice_fd = module_notice_fd,
	.read_notice = module_read_notice,
};
