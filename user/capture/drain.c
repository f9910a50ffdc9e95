// SPDX-License-Identifier: GPL-2.0-only
/* Takes sub-buffers out of the rings, to the file and to all that reads them on the way. */
#include "capture/capture_internal.h"

#include "base/now.h"
#include "capture/new_processes.h"
#include "capture/others.h"
#include "capture/probing.h"
#include "capture/steer.h"
#include "capture/stopped_stacks.h"
#include "proc/kernel_names.h"
#include "source/source.h"
#include "trace/writer.h"

#define UNWIND_MS 50u /* that a step waits for stacks to be unwound */

static int take_subbuf(const struct scope_subbuf *subbuf, void *context)
{
	struct scope_capture_run *capture = context;
	int err;

	scope_capture_new_processes_note(capture->processes, subbuf);
	scope_capture_others_note(capture->others, subbuf);
	scope_capture_steer_take(capture->steer, subbuf);
	err = scope_capture_put(capture, subbuf);
	if (!err && capture->kernel_names)
		err = scope_proc_kernel_names_note(capture->kernel_names, subbuf);
	if (!err && capture->still_wanted)
		err = scope_capture_stopped_note(capture->stopped, subbuf);
	return err;
}

void scope_capture_watch_probes(struct scope_capture_run *capture, uint64_t now)
{
	if (capture->options.probing && capture->live)
		scope_capture_probing_step(capture->options.probing, capture->source, capture->feed, now);
}

int scope_capture_drain(struct scope_capture_run *capture)
{
	int err;

	if (capture->draining || !capture->live)
		return 0;
	scope_capture_watch_probes(capture, scope_now_ns());
	capture->draining = true;
	err = capture->source->drain(capture->feed, take_subbuf, capture);
	capture->draining = false;
	return err ? err : scope_capture_pump(capture, 0);
}

int scope_capture_keep_up(void *context)
{
	return scope_capture_drain(context);
}

int scope_capture_drain_still(struct scope_capture_run *capture)
{
	int err;

	capture->still_wanted = true;
	err = scope_capture_drain(capture);
	capture->still_wanted = false;
	return err ? err
		   : scope_capture_stopped_write(capture->stopped, capture->writer, scope_capture_keep_up, capture);
}

int scope_capture_write_named(struct scope_capture_run *capture)
{
	int err = scope_capture_new_processes_write(capture->processes, capture->proc, capture->writer);

	return err ? err : scope_capture_others_write(capture->others, capture->writer);
}

int scope_capture_flush_and_drain(struct scope_capture_run *capture)
{
	const uint64_t begin_ns = scope_now_ns();
	int err = capture->source->flush(capture->feed);

	if (!err)
		err = scope_capture_drain(capture);
	if (!err)
		err = scope_capture_write_named(capture);
	if (!err)
		err = scope_capture_pump(capture, UNWIND_MS);
	if (!err && scope_capture_all_written(capture))
		capture->settled_ns = begin_ns;
	return err ? err : scope_trace_writer_flush(capture->writer);
}
