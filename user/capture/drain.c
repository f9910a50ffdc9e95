// SPDX-License-Identifier: GPL-2.0-only
/* Takes sub-buffers out of the rings, and gives them to the file and to all other readers. */
#include "capture/capture_internal.h"

#include "base/now.h"
#include "capture/new_processes.h"
#include "capture/others.h"
#include "capture/probing.h"
#include "capture/request_kinds.h"
#include "capture/snapshots.h"
#include "capture/steer.h"
#include "capture/stopped_stacks.h"
#include "capture/unwinder.h"
#include "proc/kernel_names.h"
#include "source/source.h"
#include "trace/walk.h"
#include "trace/writer.h"

#define UNWIND_MS 50u /* time that a step waits for stacks to be unwound */

/* One pass for all readers, because a reader spends most of its time on skipping records that it does not need. */
static int note_records(struct scope_capture_run *capture, const struct scope_subbuf *subbuf)
{
	const uint32_t types = SCOPE_NEW_PROCESSES_TYPES | SCOPE_OTHERS_TYPES | SCOPE_UNWINDER_TYPES |
			       SCOPE_KERNEL_NAMES_TYPES;
	const void *record;
	uint32_t offset = 0;
	int err = 0;

	while (!err && (record = scope_trace_walk_next(subbuf, types, &offset))) {
		const uint32_t bit = 1u << scope_trace_walk_type(record);

		if (bit & SCOPE_OTHERS_TYPES) {
			scope_capture_others_note(capture->others, record);
			continue;
		}
		if (bit & SCOPE_NEW_PROCESSES_TYPES)
			scope_capture_new_processes_note(capture->processes, record);
		if (bit & SCOPE_UNWINDER_TYPES && capture->unwinder)
			scope_capture_unwinder_note(capture->unwinder, record);
		if (bit & SCOPE_KERNEL_NAMES_TYPES && capture->kernel_names)
			err = scope_proc_kernel_names_note(capture->kernel_names, record);
	}
	return err;
}

static int take_subbuf(const struct scope_subbuf *subbuf, void *context)
{
	struct scope_capture_run *capture = context;
	int err = capture->kinds ? scope_capture_request_kinds_replace(capture->kinds, subbuf, capture->writer, &subbuf)
				 : 0;

	if (!err)
		err = note_records(capture, subbuf);
	if (err)
		return err;
	scope_capture_steer_take(capture->steer, subbuf);
	err = scope_capture_put(capture, subbuf);
	if (!err && capture->states_wanted)
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

int scope_capture_drain_states(struct scope_capture_run *capture)
{
	int err;

	capture->states_wanted = true;
	err = scope_capture_drain(capture);
	capture->states_wanted = false;
	return err ? err
		   : scope_capture_stopped_write(capture->stopped, capture->writer, scope_capture_keep_up, capture);
}

int scope_capture_write_named(struct scope_capture_run *capture)
{
	int err = scope_capture_new_processes_write(capture->processes, capture->proc, capture->writer);

	return err ? err : scope_capture_others_write(capture->others, capture->writer);
}

/* All events from before this time are in the file, if the source's events from before now_ns are. */
static uint64_t settled_ns(const struct scope_capture_run *capture, uint64_t now_ns)
{
	const uint64_t snapshots_ns = capture->snapshots ? scope_capture_snapshots_settled_ns(capture->snapshots)
							 : UINT64_MAX;

	return snapshots_ns < now_ns ? snapshots_ns : now_ns;
}

int scope_capture_flush_and_drain(struct scope_capture_run *capture)
{
	const uint64_t begin_ns = scope_now_ns();
	int err = capture->source->flush(capture->feed);

	if (!err)
		err = scope_capture_drain(capture);
	if (!err)
		err = scope_capture_write_named(capture);
	if (!err && capture->snapshots)
		err = scope_capture_snapshots_pump(capture->snapshots, false);
	if (!err)
		err = scope_capture_pump(capture, UNWIND_MS);
	if (!err && scope_capture_all_written(capture))
		capture->settled_ns = settled_ns(capture, begin_ns);
	return err ? err : scope_trace_writer_flush(capture->writer);
}
