// SPDX-License-Identifier: GPL-2.0-only
/* Begins and ends one capture, from the first check of the target to the last metadata. */
#include "capture/capture_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <scope/control.h>
#include <scope/table.h>

#include "base/now.h"
#include "capture/meta.h"
#include "capture/new_processes.h"
#include "capture/others.h"
#include "capture/priority.h"
#include "capture/probing.h"
#include "capture/request_kinds.h"
#include "capture/snapshots.h"
#include "capture/steer.h"
#include "capture/stopped_stacks.h"
#include "proc/backlog.h"
#include "proc/block_devices.h"
#include "proc/host.h"
#include "proc/kernel_names.h"
#include "proc/port_owners.h"
#include "proc/proc.h"
#include "proc/reader.h"
#include "source/source.h"
#include "trace/writer.h"

int scope_capture_failed(struct scope_capture_run *capture, int err)
{
	const char *text = scope_trace_writer_error(capture->writer);

	if (text && text[0])
		return scope_error_set(capture->error, err, "%s", text);
	if (err == -ENOMEM)
		return scope_error_set(capture->error, err, "no memory left to go on tracing");
	return scope_error_set(capture->error, err, "cannot read the rings: %s", strerror(-err));
}

static int end_session(struct scope_capture_run *capture)
{
	int err;

	if (capture->options.probing)
		scope_capture_probing_end(capture->options.probing, capture->source, capture->feed);
	/* Drains the rings first, so that they have room for STATE records. */
	err = scope_capture_flush_and_drain(capture);
	if (err)
		return scope_capture_failed(capture, err);
	capture->stats.end_ns = scope_now_ns();
	capture->stats.stack_highest_ns = scope_capture_steer_highest_ns(capture->steer);
	if (capture->stats.end != SCOPE_CAPTURE_GUARD) {
		err = capture->source->stop(capture->feed, capture->error);
		if (err)
			return err;
	}
	err = scope_capture_drain_states(capture);
	capture->live = false;
	if (!err && capture->snapshots)
		err = scope_capture_snapshots_pump(capture->snapshots, true);
	if (!err)
		err = scope_capture_write_named(capture);
	if (!err)
		err = scope_capture_others_end(capture->others, capture->writer);
	if (!err)
		err = scope_capture_write_names(capture);
	scope_capture_want_names(capture, true);
	if (!err)
		err = scope_capture_settle(capture, NULL);
	if (!err)
		err = scope_capture_write_kernel(capture, NULL);
	if (err)
		return scope_capture_failed(capture, err);
	err = capture->source->count(capture->feed, capture->error, &capture->stats.counts);
	if (err)
		return err;
	scope_capture_count_unwound(capture);
	err = scope_capture_write_walks(capture);
	if (!err && capture->snapshots)
		err = scope_capture_snapshots_write_meta(capture->snapshots, capture->writer);
	if (!err)
		err = scope_capture_write_unread(capture, capture->writer);
	if (!err)
		err = scope_proc_host_write(capture->host, scope_now_ns(), capture->writer);
	if (!err)
		err = scope_proc_backlog_tick(capture->backlog, capture->stats.end_ns, true, capture->writer);
	if (!err)
		err = scope_capture_write_port_owners(capture);
	if (!err && capture->stats.counts.events & SCOPE_EVENTS_BLOCK)
		err = scope_proc_devices_write("", capture->writer);
	if (!err)
		err = scope_capture_last_meta(capture->writer, &capture->stats);
	return err ? scope_capture_failed(capture, err) : 0;
}

static int begin_session(struct scope_capture_run *capture)
{
	int err = 0;

	/* A held process has not executed its program yet: its mappings are those of Scope. */
	if (!capture->options.held)
		err = scope_capture_write_names(capture);
	if (!err && !capture->options.held)
		err = scope_capture_write_fds(capture);
	if (err)
		return scope_capture_failed(capture, err);
	err = scope_capture_give_tables(capture);
	if (!err)
		err = scope_proc_host_create("", capture->stats.target.tgid, &capture->host);
	if (!err)
		err = scope_proc_host_tick(capture->host, scope_now_ns(), capture->writer);
	if (!err)
		err = scope_proc_backlog_create(capture->stats.target.tgid, &capture->backlog);
	if (!err)
		err = scope_proc_backlog_tick(capture->backlog, scope_now_ns(), true, capture->writer);
	if (!err)
		err = scope_proc_port_owners_create(&capture->port_owners);
	if (!err)
		err = scope_capture_write_port_owners(capture);
	if (err)
		return scope_capture_failed(capture, err);
	capture->stats.begin_ns = scope_now_ns();
	/* Reading names and descriptors may have taken long, so the first period of learning begins now. */
	scope_capture_steer_begin(capture->steer, scope_now_ns());
	err = capture->source->start(capture->feed, capture->error);
	if (err)
		return err;
	capture->live = true;
	if (capture->watch && capture->watch->begun)
		capture->watch->begun(capture->watch->context, &capture->stats.target);
	err = capture->source->flush(capture->feed);
	if (!err)
		err = scope_capture_drain_states(capture);
	/* Adds clients that connected after descriptors were read and before events came. Events show later ones. */
	if (!err && !capture->options.held)
		err = scope_capture_add_fds(capture);
	if (!err)
		err = scope_capture_first_meta(capture->writer, &capture->options, &capture->stats);
	if (!err && capture->no_kernel.text[0])
		err = scope_trace_writer_meta(capture->writer, SCOPE_META_KERNEL_NAMES, capture->no_kernel.text);
	return err ? scope_capture_failed(capture, err) : 0;
}

/* Adds the source's note to that of the target. */
static void add_note(struct scope_capture_run *capture)
{
	char *note = capture->stats.target.note;
	const size_t used = strlen(note), room = sizeof(capture->stats.target.note) - used;

	if (capture->source->note && *capture->source->note(capture->feed))
		snprintf(note + used, room, "%s%s", used ? "; " : "", capture->source->note(capture->feed));
}

static int prepare(struct scope_capture_run *capture, int nice)
{
	int err;

	err = scope_capture_find_target(capture);
	if (err)
		return err;
	err = scope_capture_find_kernel(capture);
	if (err)
		return scope_capture_failed(capture, err);
	/*
	 * This is done before the source opens, because the process that reads the target must not keep the session
	 * alive.
	 */
	err = scope_proc_reader_create(capture->stop, capture->error, &capture->options.reader);
	if (!err)
		err = scope_capture_begin_unwinder(capture, nice);
	if (err)
		return err;
	/* This is done before the source opens: from here on Scope notices if the pid is given to another process. */
	capture->pidfd = (int)syscall(SYS_pidfd_open, capture->stats.target.tgid, 0);
	err = capture->source->open(&capture->options, capture->stats.target.tgid, capture->error, &capture->feed);
	if (err)
		return err;
	add_note(capture);
	err = scope_proc_create(capture->options.reader, &capture->proc);
	if (!err)
		scope_proc_set_idle(capture->proc, scope_capture_keep_up, capture);
	if (!err)
		err = scope_capture_stopped_create(capture->options.reader, capture->unwinder, &capture->stopped);
	if (!err)
		err = scope_capture_new_processes_create(&capture->processes);
	if (!err)
		err = scope_capture_others_create(&capture->others);
	if (!err && capture->options.requests)
		err = scope_capture_request_kinds_create(&capture->options, &capture->kinds);
	if (err)
		return scope_capture_failed(capture, err);
	scope_proc_reader_set_idle(capture->options.reader, scope_capture_keep_up, capture);
	return scope_capture_steer_create(capture->source, capture->feed, &capture->options, capture->error,
					  &capture->steer);
}

static void release(struct scope_capture_run *capture)
{
	scope_capture_steer_destroy(capture->steer);
	scope_capture_new_processes_destroy(capture->processes);
	scope_capture_others_destroy(capture->others);
	scope_capture_request_kinds_destroy(capture->kinds);
	scope_proc_kernel_names_destroy(capture->kernel_names);
	scope_proc_host_destroy(capture->host);
	scope_proc_backlog_destroy(capture->backlog);
	scope_proc_port_owners_destroy(capture->port_owners);
	scope_capture_stopped_destroy(capture->stopped);
	scope_proc_destroy(capture->proc);
	if (capture->pidfd >= 0)
		close(capture->pidfd);
	if (capture->feed)
		capture->source->close(capture->feed);
	scope_capture_end_unwinder(capture);
	scope_proc_reader_destroy(capture->options.reader);
}

int scope_capture(const struct scope_source *source, const struct scope_capture_options *options,
		  struct scope_writer *writer, const volatile sig_atomic_t *stop,
		  const struct scope_capture_watch *watch, struct scope_error *error,
		  struct scope_capture_stats *ret_stats)
{
	struct scope_capture_run capture = {
		.options = *options,
		.watch = watch,
		.stop = stop,
		.writer = writer,
		.error = error,
		.source = source,
		.stats.source = source,
		.pidfd = -1,
	};
	const int nice = scope_capture_priority_raise();
	int err;

	/* A source that cannot walk stacks copies them. A source that walks them leaves no raw stacks. */
	if (capture.options.stack_mode == SCOPE_STACK_TABLES && (!source->table || options->raw_stacks))
		capture.options.stack_mode = SCOPE_STACK_COPY;
	err = prepare(&capture, nice);
	if (!err)
		err = begin_session(&capture);
	if (!err)
		err = scope_capture_until_end(&capture);
	if (!err)
		err = end_session(&capture);
	release(&capture);
	scope_capture_priority_restore(nice);
	if (!err)
		*ret_stats = capture.stats;
	return err;
}
